"""Where examples come from: arrays, samplers, adversaries, data that ship with the package."""

from novikoff.sources.adversaries import forcing_disjunction, tight
from novikoff.sources.arrays import block, rows_of
from novikoff.sources.bundled import spamassassin
from novikoff.sources.synthetic import separable

__all__ = ["block", "forcing_disjunction", "rows_of", "separable", "spamassassin", "tight"]
