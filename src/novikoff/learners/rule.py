"""The one list of kinds of learners, and the one way from settings to a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from numpy.typing import NDArray

from novikoff.learners.adaptive import Adaptive, JointAdaptive
from novikoff.learners.additive import Additive
from novikoff.learners.compiled_pass import Ties
from novikoff.learners.joint import Joint
from novikoff.learners.kernel import Dual, JointDual
from novikoff.learners.multiplicative import OF_VARIANT, Multiplicative, Variant
from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.kernels import Kernel
from novikoff.ledger.ledger import Matrix
from novikoff.ledger.readings import Reading
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.rows import Rows, Vector

Kind: TypeAlias = Literal[
    "perceptron",
    "margin",
    "averaged",
    "voted",
    "adaptive",
    "adaptive-averaged",
    "winnow",
    "winnow1",
    "winnow2",
]
Linear: TypeAlias = Additive | Adaptive | Multiplicative | Joint | Dual  # with their joint kinds

KINDS: tuple[Kind, ...] = get_args(Kind)
# Each kind of learner, and the reading of its run that predicts.
READINGS: dict[Kind, Reading] = dict.fromkeys(KINDS, "final")
READINGS |= {"averaged": "average", "voted": "vote", "adaptive-averaged": "average"}
FULL_NAMES: dict[Kind, str] = {
    "perceptron": "perceptron",
    "margin": "margin perceptron",
    "averaged": "averaged perceptron",
    "voted": "voted perceptron",
    "adaptive": "adaptive perceptron",
    "adaptive-averaged": "averaged adaptive perceptron",
    "winnow": "balanced Winnow",
    "winnow1": "Winnow1",
    "winnow2": "Winnow2",
}
ADAPTIVE: tuple[Kind, ...] = ("adaptive", "adaptive-averaged")
# The multiplicative kinds, and the variant of the rule that each runs.
WINNOWS: dict[Kind, Variant] = {"winnow": "balanced", "winnow1": "winnow1", "winnow2": "winnow2"}


@dataclass(frozen=True, slots=True)
class Rule:
    """How a learner learns and predicts: settings that do not depend on the data.

    `kind` says which rule learns, and which reading of its run predicts. `margin`, `rate` and
    `ties` are those of the perceptrons; the Winnows have `ties`, `alpha` and `threshold`, the
    adaptive kinds `regularisation` and `matrix`; None means the usual value. Winnow1 and Winnow2
    have no constant. `joint` learns any number of classes in one run; not for the Winnows. A
    `kernel` is for perceptrons, and `budget` and `seed` are those of `Dual`.
    """

    kind: Kind = "perceptron"
    bias: bool = True
    margin: float = 0.0
    rate: float = 1.0
    ties: Ties = "mistake"
    regularisation: float | None = None
    matrix: Matrix | None = None
    alpha: float | None = None
    threshold: float | None = None
    joint: bool = False
    kernel: Kernel | None = None
    budget: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in READINGS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {self.kind!r}")
        if self.joint and self.kind in WINNOWS:
            raise BadExample(f"{self.kind} supports two labels only", Problem.TWO_LABELS_ONLY)
        one_run = self.kernel is not None and self.reading == "final" and not self.joint
        if self.budget is not None and not one_run:
            raise ValueError(
                "a budget needs a kernel and the final weights, for two labels or one against the "
                "rest"
            )
        if self.kernel is not None and self.kind in (*ADAPTIVE, *WINNOWS):
            raise ValueError(f"only perceptrons take a kernel, not the learner {self.kind}")
        if self.joint and self.matrix == "full":
            raise BadExample(
                "a full matrix supports two labels only, or one against the rest",
                Problem.MATRIX_OF_TWO_LABELS,
            )
        if self.joint and self.ties != "mistake":
            raise ValueError(
                f"ties={self.ties!r} applies to two classes only; classes that are learned jointly "
                "need ties='mistake'"
            )

    @property
    def reading(self) -> Reading:
        """The reading of the run that predicts."""
        return READINGS[self.kind]

    def honest_scores(self) -> HonestScores | None:
        """New counts of scores, for probabilities; None for votes, which take too long to count."""
        return None if self.reading == "vote" else HonestScores()

    @property
    def needs_width(self) -> bool:
        """Whether the usual threshold depends on the number of features."""
        return self.kind in ("winnow1", "winnow2") and self.threshold is None

    @property
    def is_symmetric(self) -> bool:
        """Whether the rule treats the two labels alike."""
        return self.learner(1).is_symmetric

    def measured(self, rows: Rows, *, whole: bool) -> Rule:
        """The rule for data like these rows, which may be the `whole` of them."""
        kernel = self.kernel
        return self if kernel is None else replace(self, kernel=kernel.measured(rows, whole=whole))

    def learner(
        self,
        dim: int,
        *,
        classes: int = 0,
        class_weights: Sequence[float] = (),
        start: Vector | None = None,
    ) -> Linear:
        """A new learner of `dim` features; a joint one knows so many classes at first.

        `class_weights` are factors of a step: for labels −1 and +1, or for each class of a joint
        learner. `start` are the weights before the first round.
        """
        variant = WINNOWS.get(self.kind)
        if start is not None and (variant is not None or self.kernel is not None):
            who = "Winnow" if self.kernel is None else "a kernel perceptron"
            raise ValueError(f"{who} cannot start from given weights")
        how: dict[str, Any] = {
            "bias": self.bias,
            "class_weights": tuple(class_weights) or (1.0, 1.0),
        }
        if variant is not None:
            how |= {"bias": self.bias and variant == "balanced", "ties": self.ties}
            how |= {"alpha": self.alpha, "threshold": self.threshold}
            return OF_VARIANT[variant](dim, **how)
        how["averaging"] = self.reading == "average"
        how |= {"start": start} if self.kernel is None else {"kernel": self.kernel}
        if is_adaptive := self.kind in ADAPTIVE:
            how["regularisation"] = 1.0 if self.regularisation is None else self.regularisation
        else:
            how |= {"margin": self.margin, "rate": self.rate}
        if self.joint:
            how |= {"classes": classes, "class_weights": class_weights}
            kinds = JointAdaptive if is_adaptive else Joint
            return (kinds if self.kernel is None else JointDual)(dim, **how)
        if is_adaptive:
            return Adaptive(dim, matrix=self.matrix or "diagonal", **how)
        if self.kernel is not None:
            return Dual(dim, ties=self.ties, budget=self.budget, seed=self.seed, **how)
        return Additive(dim, ties=self.ties, **how)


def restored(settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Linear:
    """The learner that its `state` described."""
    kinds = (Adaptive, Joint, JointAdaptive, Multiplicative, Dual, JointDual)
    rules: dict[str, type[Linear]] = {one.rule: one for one in kinds}
    return rules.get(str(settings.get("rule")), Additive).restored(settings, arrays)
