"""What can be proved of a run from its ledger alone: bounds in exact arithmetic, with witnesses."""

from novikoff.guarantees.best_margin import (
    Achieved,
    Ceiling,
    achieved_margin,
    margin_at_most,
)
from novikoff.guarantees.bounds import Bound, NotAWitness, mistake_bound
from novikoff.guarantees.disjunctions import Disjunction, disjunction, k_disjunction
from novikoff.guarantees.margins import MarginBound, margin_perceptron
from novikoff.guarantees.sandwiches import Failure, Sandwich, sandwich
from novikoff.guarantees.separable import adaptive, novikoff
from novikoff.guarantees.starts import from_start

__all__ = [
    "Achieved",
    "Bound",
    "Ceiling",
    "Disjunction",
    "Failure",
    "MarginBound",
    "NotAWitness",
    "Sandwich",
    "achieved_margin",
    "adaptive",
    "disjunction",
    "from_start",
    "k_disjunction",
    "margin_at_most",
    "margin_perceptron",
    "mistake_bound",
    "novikoff",
    "sandwich",
]
