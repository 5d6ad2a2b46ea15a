"""What can be proved of a run from its ledger alone: bounds in exact arithmetic, with witnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novikoff._lazy import loader

if TYPE_CHECKING:
    from novikoff.guarantees.comparators import (
        LossBound,
        best_comparator,
        freund_schapire,
        l1_bound,
        l2_bound,
    )
    from novikoff.guarantees.disjunctions import Disjunction, disjunction, k_disjunction
    from novikoff.guarantees.exact.mistaken import NotAWitness
    from novikoff.guarantees.finite_classes import (
        ClassBound,
        consistent_bound,
        elimination_bound,
        halving_bound,
        weighted_majority_bound,
    )
    from novikoff.guarantees.joint import JointBound, joint_bound, joint_margin
    from novikoff.guarantees.margin import (
        Achieved,
        Ceiling,
        MarginBound,
        achieved_margin,
        margin_at_most,
        margin_perceptron,
    )
    from novikoff.guarantees.novikoff_bound import (
        Bound,
        adaptive,
        from_start,
        mistake_bound,
        novikoff,
    )
    from novikoff.guarantees.risk import RiskBound, average_risk, risk_bound
    from novikoff.guarantees.running_sandwich import Failure, Sandwich, sandwich
    from novikoff.guarantees.winnow import WinnowBound, doubling_bound, winnow1_bound, winnow2_bound

_HOMES = {
    "Achieved": "novikoff.guarantees.margin",
    "Bound": "novikoff.guarantees.novikoff_bound",
    "Ceiling": "novikoff.guarantees.margin",
    "ClassBound": "novikoff.guarantees.finite_classes",
    "Disjunction": "novikoff.guarantees.disjunctions",
    "Failure": "novikoff.guarantees.running_sandwich",
    "JointBound": "novikoff.guarantees.joint",
    "LossBound": "novikoff.guarantees.comparators",
    "MarginBound": "novikoff.guarantees.margin",
    "NotAWitness": "novikoff.guarantees.exact.mistaken",
    "RiskBound": "novikoff.guarantees.risk",
    "Sandwich": "novikoff.guarantees.running_sandwich",
    "WinnowBound": "novikoff.guarantees.winnow",
    "achieved_margin": "novikoff.guarantees.margin",
    "adaptive": "novikoff.guarantees.novikoff_bound",
    "average_risk": "novikoff.guarantees.risk",
    "best_comparator": "novikoff.guarantees.comparators",
    "consistent_bound": "novikoff.guarantees.finite_classes",
    "disjunction": "novikoff.guarantees.disjunctions",
    "elimination_bound": "novikoff.guarantees.finite_classes",
    "doubling_bound": "novikoff.guarantees.winnow",
    "freund_schapire": "novikoff.guarantees.comparators",
    "from_start": "novikoff.guarantees.novikoff_bound",
    "halving_bound": "novikoff.guarantees.finite_classes",
    "joint_bound": "novikoff.guarantees.joint",
    "joint_margin": "novikoff.guarantees.joint",
    "k_disjunction": "novikoff.guarantees.disjunctions",
    "l1_bound": "novikoff.guarantees.comparators",
    "l2_bound": "novikoff.guarantees.comparators",
    "margin_at_most": "novikoff.guarantees.margin",
    "margin_perceptron": "novikoff.guarantees.margin",
    "mistake_bound": "novikoff.guarantees.novikoff_bound",
    "novikoff": "novikoff.guarantees.novikoff_bound",
    "risk_bound": "novikoff.guarantees.risk",
    "sandwich": "novikoff.guarantees.running_sandwich",
    "weighted_majority_bound": "novikoff.guarantees.finite_classes",
    "winnow1_bound": "novikoff.guarantees.winnow",
    "winnow2_bound": "novikoff.guarantees.winnow",
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
