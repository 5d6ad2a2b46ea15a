"""Where examples come from: arrays, files, samplers, adversaries, data shipped with the package."""

from novikoff.sources.adversaries import (
    forcing_disjunction,
    forcing_winnow1,
    forcing_winnow2,
    tight,
)
from novikoff.sources.arrays import block, classes_block, rows_of
from novikoff.sources.bundled import spamassassin
from novikoff.sources.classes import JointLabelling, Labelling
from novikoff.sources.few_relevant import few_relevant
from novikoff.sources.files import Data, Reading, open_files, read
from novikoff.sources.numbering import Numbered
from novikoff.sources.synthetic import separable

__all__ = [
    "Data",
    "JointLabelling",
    "Labelling",
    "Numbered",
    "Reading",
    "block",
    "classes_block",
    "few_relevant",
    "forcing_disjunction",
    "forcing_winnow1",
    "forcing_winnow2",
    "open_files",
    "read",
    "rows_of",
    "separable",
    "spamassassin",
    "tight",
]
