"""Where examples come from: arrays, files, samplers, adversaries, data shipped with the package."""

from novikoff.sources.adversaries import (
    forcing_disjunction,
    forcing_winnow1,
    forcing_winnow2,
    tight,
)
from novikoff.sources.arrays import block, classes_block, rows_of
from novikoff.sources.generated import few_relevant, separable, spamassassin
from novikoff.sources.numbered import Numbered
from novikoff.sources.open import Data, Reading, open_files, read
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns

__all__ = [
    "Data",
    "LabelsAsClasses",
    "LabelsAsSigns",
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
