"""The one list of kinds of learners, and the one way from settings to a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from numpy.typing import NDArray

from novikoff.learners.adaptive import Adaptive
from novikoff.learners.additive import Additive
from novikoff.learners.compiled_pass import Ties
from novikoff.learners.joint import Joint
from novikoff.learners.joint_adaptive import JointAdaptive
from novikoff.learners.kernel import Dual
from novikoff.learners.multiplicative import Multiplicative, Variant
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
Linear: TypeAlias = Additive | Adaptive | Multiplicative | Joint | Dual  # JointAdaptive is a Joint

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

    Parameters
    ----------
    kind
        Which rule learns, and which reading of its run predicts.
    bias
        Whether a constant feature 1 follows the features; Winnow1 and Winnow2 never have one.
    margin, rate, ties
        As for `Additive` and `Joint`; the Winnows use `ties` only, the adaptive kinds none.
    regularisation, matrix
        For the adaptive kinds, as for `Adaptive`; None means 1 and "diagonal".
    alpha, threshold
        For the Winnows, as for `Multiplicative`. None means the usual value of the kind.
    joint
        Learn any number of classes in one run; not for the Winnows.
    kernel
        Learn in the space of this kernel; for perceptrons.
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

    def __post_init__(self) -> None:
        if self.kind not in READINGS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {self.kind!r}")
        if self.joint and self.kind in WINNOWS:
            raise BadExample(f"{self.kind} supports two labels only", Problem.TWO_LABELS_ONLY)
        if self.kernel is not None:
            if self.kind in (*ADAPTIVE, *WINNOWS):
                raise ValueError(f"a kernel is for perceptrons, not for {self.kind}")
            if self.joint:
                raise BadExample(
                    "a kernel supports two labels only, or one against the rest",
                    Problem.KERNEL_OF_TWO_LABELS,
                )
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

    @property
    def zero_is_positive(self) -> bool:
        """Whether a score of 0 predicts the positive label of two."""
        return self.ties != "negative" and not self.joint

    def learner(
        self,
        dim: int,
        *,
        classes: int = 0,
        class_weights: Sequence[float] = (),
        start: Vector | None = None,
        variances: Vector | None = None,
    ) -> Linear:
        """A new learner of `dim` features.

        Parameters
        ----------
        classes
            How many classes a joint learner knows at first.
        class_weights
            Factors of a step: for labels −1 and +1, or for each class of a joint learner.
        start
            The weights before the first round (None: zero); not for the Winnows.
        variances
            Their variances (None: 1), for the adaptive kinds.
        """
        if start is not None and (self.kind in WINNOWS or self.kernel is not None):
            who = "Winnow" if self.kernel is None else "a kernel perceptron"
            raise ValueError(f"{who} cannot start from given weights")
        averaging = self.reading == "average"
        r = 1.0 if self.regularisation is None else self.regularisation
        if self.joint and self.kind in ADAPTIVE:
            return JointAdaptive(
                dim,
                classes=classes,
                bias=self.bias,
                regularisation=r,
                averaging=averaging,
                start=start,
                class_weights=class_weights,
            )
        if self.joint:
            return Joint(
                dim,
                classes=classes,
                bias=self.bias,
                margin=self.margin,
                rate=self.rate,
                averaging=averaging,
                start=start,
                class_weights=class_weights,
            )
        low, high = class_weights or (1.0, 1.0)
        if self.kind in ADAPTIVE:
            return Adaptive(
                dim,
                bias=self.bias,
                regularisation=r,
                matrix=self.matrix or "diagonal",
                averaging=averaging,
                start=start,
                variances=variances,
                class_weights=(low, high),
            )
        if self.kernel is not None:
            return Dual(
                dim,
                kernel=self.kernel,
                bias=self.bias,
                margin=self.margin,
                rate=self.rate,
                ties=self.ties,
                averaging=averaging,
                class_weights=(low, high),
            )
        if self.kind not in WINNOWS:
            return Additive(
                dim,
                bias=self.bias,
                margin=self.margin,
                rate=self.rate,
                ties=self.ties,
                averaging=averaging,
                start=start,
                class_weights=(low, high),
            )
        variant = WINNOWS[self.kind]
        return Multiplicative(
            dim,
            variant=variant,
            alpha=self.alpha,
            threshold=self.threshold,
            bias=self.bias and variant == "balanced",
            ties=self.ties,
            class_weights=(low, high),
        )


def restored(settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Linear:
    """The learner that its `state` described."""
    rules: dict[str, type[Linear]] = {
        "adaptive": Adaptive,
        "joint": Joint,
        "joint-adaptive": JointAdaptive,
        "kernel": Dual,
        "multiplicative": Multiplicative,
    }
    return rules.get(str(settings.get("rule")), Additive).restored(settings, arrays)
