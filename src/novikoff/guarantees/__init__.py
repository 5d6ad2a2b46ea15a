"""What can be proved of a run from its ledger alone: bounds in exact arithmetic, with witnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novikoff.lazily import loader

if TYPE_CHECKING:
    from novikoff.guarantees.best_margin import (
        Achieved,
        Ceiling,
        achieved_margin,
        margin_at_most,
    )
    from novikoff.guarantees.bounds import Bound, NotAWitness, mistake_bound
    from novikoff.guarantees.comparators import best_comparator
    from novikoff.guarantees.disjunctions import Disjunction, disjunction, k_disjunction
    from novikoff.guarantees.finite import (
        ClassBound,
        consistent_bound,
        elimination_bound,
        halving_bound,
        weighted_majority_bound,
    )
    from novikoff.guarantees.inseparable import LossBound, freund_schapire, l1_bound, l2_bound
    from novikoff.guarantees.joint import JointBound, joint_bound, joint_margin
    from novikoff.guarantees.margins import MarginBound, margin_perceptron
    from novikoff.guarantees.multiplicative import (
        WinnowBound,
        doubling_bound,
        winnow1_bound,
        winnow2_bound,
    )
    from novikoff.guarantees.risk import RiskBound, average_risk, risk_bound
    from novikoff.guarantees.sandwiches import Failure, Sandwich, sandwich
    from novikoff.guarantees.separable import adaptive, novikoff
    from novikoff.guarantees.starts import from_start

_HOMES = {
    "Achieved": "novikoff.guarantees.best_margin",
    "Bound": "novikoff.guarantees.bounds",
    "Ceiling": "novikoff.guarantees.best_margin",
    "ClassBound": "novikoff.guarantees.finite",
    "Disjunction": "novikoff.guarantees.disjunctions",
    "Failure": "novikoff.guarantees.sandwiches",
    "JointBound": "novikoff.guarantees.joint",
    "LossBound": "novikoff.guarantees.inseparable",
    "MarginBound": "novikoff.guarantees.margins",
    "NotAWitness": "novikoff.guarantees.bounds",
    "RiskBound": "novikoff.guarantees.risk",
    "Sandwich": "novikoff.guarantees.sandwiches",
    "WinnowBound": "novikoff.guarantees.multiplicative",
    "achieved_margin": "novikoff.guarantees.best_margin",
    "adaptive": "novikoff.guarantees.separable",
    "average_risk": "novikoff.guarantees.risk",
    "best_comparator": "novikoff.guarantees.comparators",
    "consistent_bound": "novikoff.guarantees.finite",
    "disjunction": "novikoff.guarantees.disjunctions",
    "elimination_bound": "novikoff.guarantees.finite",
    "doubling_bound": "novikoff.guarantees.multiplicative",
    "freund_schapire": "novikoff.guarantees.inseparable",
    "from_start": "novikoff.guarantees.starts",
    "halving_bound": "novikoff.guarantees.finite",
    "joint_bound": "novikoff.guarantees.joint",
    "joint_margin": "novikoff.guarantees.joint",
    "k_disjunction": "novikoff.guarantees.disjunctions",
    "l1_bound": "novikoff.guarantees.inseparable",
    "l2_bound": "novikoff.guarantees.inseparable",
    "margin_at_most": "novikoff.guarantees.best_margin",
    "margin_perceptron": "novikoff.guarantees.margins",
    "mistake_bound": "novikoff.guarantees.bounds",
    "novikoff": "novikoff.guarantees.separable",
    "risk_bound": "novikoff.guarantees.risk",
    "sandwich": "novikoff.guarantees.sandwiches",
    "weighted_majority_bound": "novikoff.guarantees.finite",
    "winnow1_bound": "novikoff.guarantees.multiplicative",
    "winnow2_bound": "novikoff.guarantees.multiplicative",
}

__all__ = [
    "Achieved",
    "Bound",
    "Ceiling",
    "ClassBound",
    "Disjunction",
    "Failure",
    "JointBound",
    "LossBound",
    "MarginBound",
    "NotAWitness",
    "RiskBound",
    "Sandwich",
    "WinnowBound",
    "achieved_margin",
    "adaptive",
    "average_risk",
    "best_comparator",
    "consistent_bound",
    "disjunction",
    "doubling_bound",
    "elimination_bound",
    "freund_schapire",
    "from_start",
    "halving_bound",
    "joint_bound",
    "joint_margin",
    "k_disjunction",
    "l1_bound",
    "l2_bound",
    "margin_at_most",
    "margin_perceptron",
    "mistake_bound",
    "novikoff",
    "risk_bound",
    "sandwich",
    "weighted_majority_bound",
    "winnow1_bound",
    "winnow2_bound",
]

__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
