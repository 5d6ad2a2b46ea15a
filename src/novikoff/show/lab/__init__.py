"""Experiments that check a theorem on examples, and the table and claims they return.

The theorems are in `guarantees`, the figures in `plots`.
"""

from novikoff.show.lab.experiments import EXPERIMENTS
from novikoff.show.lab.results import Check, Curves, Result

__all__ = ["EXPERIMENTS", "Check", "Curves", "Result"]
