"""What can be proved of a run from its ledger alone: bounds in exact arithmetic, with witnesses."""

from novikoff.guarantees.best_margin import (
    Achieved,
    Ceiling,
    achieved_margin,
    margin_at_most,
)
from novikoff.guarantees.bounds import Bound, NotAWitness, mistake_bound
from novikoff.guarantees.comparators import best_comparator
from novikoff.guarantees.disjunctions import Disjunction, disjunction, k_disjunction
from novikoff.guarantees.inseparable import LossBound, freund_schapire, l1_bound, l2_bound
from novikoff.guarantees.margins import MarginBound, margin_perceptron
from novikoff.guarantees.risk import RiskBound, average_risk, risk_bound
from novikoff.guarantees.sandwiches import Failure, Sandwich, sandwich
from novikoff.guarantees.separable import adaptive, novikoff
from novikoff.guarantees.starts import from_start

__all__ = [
    "Achieved",
    "Bound",
    "Ceiling",
    "Disjunction",
    "Failure",
    "LossBound",
    "MarginBound",
    "NotAWitness",
    "RiskBound",
    "Sandwich",
    "achieved_margin",
    "adaptive",
    "average_risk",
    "best_comparator",
    "disjunction",
    "freund_schapire",
    "from_start",
    "k_disjunction",
    "l1_bound",
    "l2_bound",
    "margin_at_most",
    "margin_perceptron",
    "mistake_bound",
    "novikoff",
    "risk_bound",
    "sandwich",
]
