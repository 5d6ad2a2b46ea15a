"""Where examples come from: arrays, files, samplers, adversaries, data shipped with the package."""

from novikoff.sources.adversaries import forcing_disjunction, tight
from novikoff.sources.arrays import block, rows_of
from novikoff.sources.bundled import spamassassin
from novikoff.sources.files import Data, read
from novikoff.sources.synthetic import separable

__all__ = [
    "Data",
    "block",
    "forcing_disjunction",
    "read",
    "rows_of",
    "separable",
    "spamassassin",
    "tight",
]
