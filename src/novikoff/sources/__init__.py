"""Where examples come from: files, arrays, random streams, adversaries, bundled data.

Features get their columns here; what a learner is shown (`Block`) is defined in `stream`.
"""

from novikoff.sources.adversaries import (
    forcing_disjunction,
    forcing_winnow1,
    forcing_winnow2,
    tight,
)
from novikoff.sources.arrays import block, classes_block, rows_of
from novikoff.sources.generated import few_relevant, separable, spamassassin
from novikoff.sources.numbered import Numbered
from novikoff.sources.open import Data, open_files, read
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns

__all__ = [
    "Data",
    "LabelsAsClasses",
    "LabelsAsSigns",
    "Numbered",
    "ReadOptions",
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
