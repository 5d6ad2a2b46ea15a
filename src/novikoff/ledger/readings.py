"""What a run says: its final weights, their average, the vote, the weights after any mistake."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.ledger.ledger import Ledger, Rule, both_classes
from novikoff.ledger.weights import class_scores, columns_for, times
from novikoff.stream.rows import DenseRows, Positions, Rows, Vector, dots, part_size, predicted

Reading: TypeAlias = Literal["final", "average", "vote"]


class Reads(Protocol):
    """A learner, as far as readings need it."""

    @property
    def weights(self) -> Vector:
        """The present weights, the constant's last; a row a class for a joint learner."""

    @property
    def averaging(self) -> bool:
        """Whether it keeps the sum that `average` needs."""

    @property
    def average(self) -> Vector:
        """The mean of the weights over all rounds."""

    @property
    def zero_is_positive(self) -> bool:
        """Whether a score of 0 predicts +1."""

    def scores(self, rows: Rows) -> Vector:
        """The score of each row under the present weights; a column a class for many classes."""


def scores(
    learner: Reads | None,
    ledger: Ledger,
    reading: Reading,
    rows: Rows,
    *,
    average: Vector | None = None,
) -> Vector:
    """The score of each row by a reading of the run; a column a class for a joint learner.

    Without the learner, the weights are summed from the ledger, and a score of 0 votes for +1. A
    vote is the share of votes for +1 less the share for −1, in [−1, 1]; or for each class its share
    of the votes, in [0, 1]. `average` is what `weights` returned for the average, if it is known.
    """
    zero = learner is None or learner.zero_is_positive
    if ledger.kernel is not None:
        return _in_kernel_space(ledger, reading, rows, zero_is_positive=zero)
    if reading == "final" and learner is not None:
        return learner.scores(rows)
    if reading == "vote":
        return vote(ledger, rows, zero_is_positive=zero)
    w = weights(learner, ledger, reading) if average is None else average
    if ledger.is_joint:
        return class_scores(rows, w.T, bias=ledger.bias)[:, : len(w)]
    return dots(rows, w, bias=ledger.bias)


def labels(
    learner: Reads, ledger: Ledger, reading: Reading, rows: Rows, two: NDArray[Any]
) -> NDArray[Any] | None:
    """Which of two labels a reading predicts for each row; None if that takes the scores."""
    is_sum = ledger.unit == 1 and ledger.rule in ("additive", "adaptive")
    if is_sum and ledger.kernel is None and reading != "vote":
        w, zero = weights(learner, ledger, reading), learner.zero_is_positive
        return predicted(rows, w, two, bias=ledger.bias, zero_is_positive=zero)
    return None


def _in_kernel_space(
    ledger: Ledger, reading: Reading, rows: Rows, *, zero_is_positive: bool
) -> Vector:
    """The scores of a reading from the kernels of the rows with the mistaken ones, each once."""
    ledger, kernel = ledger.snapshot(), ledger.kernel
    assert kernel is not None
    if ledger.began:
        raise ValueError("this ledger begins in the middle of a run, without the mistakes before")
    at, example = np.unique(ledger.rows, return_inverse=True)
    of = None if kernel.is_precomputed else _mistaken_rows(ledger)
    steps, column, columns = ledger.steps, np.zeros_like(example), 1
    if reading == "vote":
        joint, two = _core.kernel_joint_votes, _core.kernel_votes
        core: Callable[..., None] = joint if ledger.is_joint else two
        how = _voters(ledger, example, zero_is_positive=zero_is_positive)
        votes = np.zeros((len(rows), *[ledger.n_classes] * ledger.is_joint))
        for part, gram in kernel.parts(rows, of, at, bias=ledger.bias):
            core(gram=gram.reshape(-1), out=votes[part].reshape(-1), **how)
        return votes / max(1, ledger.n_rounds)
    late = steps * (ledger.rounds - 1)
    if ledger.is_joint:
        example, column = np.repeat(example, 2), both_classes(ledger.mistakes)
        steps, late = (np.column_stack([a, -a]).reshape(-1) for a in (steps, late))
        columns = ledger.n_classes
    each = (steps,) if reading == "final" else (steps, late)
    s, *u = kernel.sums(rows, of, at, example, each, column, columns, bias=ledger.bias)
    s = times(ledger.unit, mean_of_weights(s, u[0], ledger.n_rounds) if u else s)
    return np.ascontiguousarray(s.T) if ledger.is_joint else s[0]


def weights(learner: Reads | None, ledger: Ledger, reading: Reading) -> Vector:
    """The weights of a reading, the constant's last; a row a class for a joint learner."""
    if ledger.kernel is not None:
        raise ValueError("weights in a kernel's space have no coordinates; read the scores")
    if reading == "final":
        return final(ledger) if learner is None else learner.weights
    if reading == "average":
        kept = learner is not None and learner.averaging
        return learner.average if learner is not None and kept else average(ledger)
    raise ValueError(
        f"reading must be 'final' or 'average', not {reading!r}: a vote has no weights"
    )


def scores_by_reading(ledger: Ledger, rows: Rows) -> dict[Reading, Vector]:
    """The score of each row by each of the three readings of a run with two labels."""
    each: tuple[Reading, ...] = get_args(Reading)
    return {one: scores(None, ledger, one, rows) for one in each}


def mean_of_weights(w: Vector, u: Vector, rounds: int | Vector) -> Vector:
    """The mean over all rounds of weights that are now w, each counted as at its round's end.

    u is the sum over the updates of (t − 1) times the update of round t, which is part of the
    weights in T − t + 1 of T rounds, so the mean is (T·w − u)/T. Before the first round it is w.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return (rounds * w - u) / rounds if np.all(rounds) else w


def final(ledger: Ledger) -> Vector:
    """The weights after the last mistake, bit for bit the learner's; of many classes a row each."""
    return _at_the_end(ledger).weights


def average(ledger: Ledger) -> Vector:
    """The mean of the weights over all rounds (Freund & Schapire 1999; Collins 2002)."""
    ledger = ledger.snapshot()
    return _at_the_end(ledger).average(ledger.n_rounds)


def vote(ledger: Ledger, rows: Rows, *, zero_is_positive: bool = True) -> Vector:
    """For each row, the share of votes for +1 less the share for −1, over all weights of the run.

    Each weight vector votes once for every round at whose end it stood. The vectors are not stored:
    x·w_k grows by one product a mistake, so memory is proportional to the mistakes (Freund &
    Schapire 1999, Figure 1 and section 3). Of many classes learned jointly, each has a column with
    its share of the votes: for the highest score, the first among equals, of all classes known at
    the end.
    """
    if ledger.kernel is not None:
        return _in_kernel_space(ledger, "vote", rows, zero_is_positive=zero_is_positive)
    if ledger.adaptation is not None:
        raise ValueError("adaptive weights do not vote; read them as 'final' or 'average'")
    ledger = _expect_sums(ledger)
    start, bias = _numbers(ledger, ledger.start), ledger.bias
    if ledger.is_joint:
        scores = class_scores(rows, start, bias=bias)[:, : ledger.n_classes]
    else:
        scores = dots(rows, start, bias=bias)
    votes, scores = np.zeros(scores.shape), np.ascontiguousarray(scores)
    core: Callable[..., None] = _core.joint_vote if ledger.is_joint else _core.vote
    how = _voters(ledger, ledger.example, zero_is_positive=zero_is_positive)
    kept = _mistaken_rows(ledger).core[:3]
    # the work on a part is proportional to the mistakes as well as to the rows
    part = max(8, part_size(rows) // max(1, len(ledger) // 64))
    for at in range(0, len(rows) * bool(votes.size), part):
        end = min(len(rows), at + part)
        mine = {"start_scores": scores[at:end].reshape(-1), "out": votes[at:end].reshape(-1)}
        core(*kept, *rows.core, begin=at, end=end, bias=bias, **how, **mine)
    return votes / max(1, ledger.n_rounds)


def _mistaken_rows(ledger: Ledger) -> Rows:
    return ledger.examples if len(ledger) else DenseRows(np.empty((0, ledger.dim)))


def _voters(ledger: Ledger, example: Positions, *, zero_is_positive: bool) -> dict[str, Any]:
    """What the core counts the votes by: the updates of the run, and how long each lasted."""
    how = {"example": example, "step": ledger.steps, "survived": ledger.survivals()}
    if not ledger.is_joint:
        return how | {"zero_is_positive": zero_is_positive}
    return how | {"right": ledger.classes, "rival": ledger.rivals, "classes": ledger.n_classes}


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a run stood after its first `mistakes` mistakes.

    `total` is the start plus Σ step·x over them, and `late` is Σ (t − 1)·step·x, where t is the
    round of the mistake; both are over the ledger's `unit`. Of an adaptive run, S∘x takes the place
    of x, and `variances` are S.
    """

    mistakes: int
    total: Vector
    late: Vector
    unit: float
    variances: Vector | None = None

    @property
    def weights(self) -> Vector:
        """The weights, bit for bit the learner's; of Winnow, the exponents of its weights."""
        return self.unit * self.total

    def average(self, rounds: int) -> Vector:
        """The mean of the weights over rounds 1 to `rounds`, before the next mistake."""
        return self.unit * mean_of_weights(self.total, self.late, rounds)


def weights_after(ledger: Ledger, k: int) -> Vector:
    """The weights after the first k mistakes; those of the start for k = 0."""
    return next(trajectory(ledger, [k])).weights


def trajectory(ledger: Ledger, after: Iterable[int] | None = None) -> Iterator[Moment]:
    """The run, with two labels and kept examples, after these numbers of mistakes, or each."""
    if ledger.is_joint:
        ledger.expect_sums()
    ledger.expect_examples()
    ledger = ledger.snapshot()
    return _moments(ledger, range(1, len(ledger) + 1) if after is None else after)


def _at_the_end(ledger: Ledger) -> Moment:
    ledger = _expect_sums(ledger)
    return next(_moments(ledger, [len(ledger)]))


def _moments(ledger: Ledger, after: Iterable[int]) -> Iterator[Moment]:
    """The run after these numbers of mistakes; of many classes, weights with a row for each."""
    w, late, how = _numbers(ledger, ledger.start), _numbers(ledger), ledger.adaptation
    rows, steps, rounds = _mistaken_rows(ledger).core, ledger.steps, ledger.rounds
    columns: dict[str, Any] = {"example": ledger.example, "step": steps}
    fixed: dict[str, Any] = {"bias": ledger.bias, "w": w.reshape(-1)}
    core: Callable[..., None] = _core.accumulate
    variances: Vector | None = None
    if ledger.is_joint:
        core = _core.joint_accumulate
        columns |= {"right": ledger.classes, "rival": ledger.rivals}
        fixed["width"] = w.shape[1]
    if how is not None:
        core = _core.joint_adapt_again if ledger.is_joint else _core.adapt_again
        if how.is_full:
            variances = np.eye(len(w)) if how.variances is None else how.variances.copy()
        else:
            variances = _numbers(ledger, how.variances, 1.0)
        columns |= {"round": rounds, "importance": ledger.importances}
        fixed |= {"r": how.regularisation, "variance": variances.reshape(-1)}
        fixed |= {"u": late.reshape(-1)} | ({} if ledger.is_joint else {"full": how.is_full})
    made = 0
    for k in after:
        if not made <= k <= len(ledger):
            raise ValueError(f"numbers of mistakes must be increasing and at most {len(ledger)}")
        if k > made:
            new = {name: column[made:k] for name, column in columns.items()}
            core(*rows, **new, **fixed)
            if how is None:
                delayed = steps[made:k] * (rounds[made:k] - 1)
                core(*rows, **(new | fixed | {"step": delayed, "w": late.reshape(-1)}))
        made = k
        shown = None if variances is None else variances.copy()
        yield Moment(k, _by_class(ledger, w), _by_class(ledger, late), ledger.unit, shown)


REPLAYED: tuple[Rule, ...] = ("additive", "joint", "adaptive")  # the rules that `changes` knows


def changes(
    ledger: Ledger,
    columns: Positions,
    reading: Reading,
    number: int = 0,
    rival: int | None = None,
) -> Vector:
    """How much each update changed the weights in these columns: a row an update.

    Of the average, a change counts for the rounds in which it was part of the weights. Of classes
    learned jointly, the changes are those of class `number` less those of its `rival`.
    """
    if not len(ledger):
        return np.zeros((0, len(columns)))
    ledger.expect_examples()
    ledger = ledger.snapshot()
    if ledger.adaptation is None:
        values = np.zeros((len(ledger), len(columns)))
        for k, column in enumerate(columns.tolist()):
            values[:, k] = _column(ledger, column)
        signs = np.ones(len(ledger))
        if ledger.is_joint:
            right, wrong, sides = ledger.classes, ledger.rivals, [number, rival]
            own, other = ((right == k) * 1.0 - (wrong == k) for k in sides)  # no class is None
            signs = own - other
        out: Vector = (ledger.unit * ledger.steps * signs)[:, None] * values
    else:
        weights = (moment.weights[columns] for moment in trajectory(ledger, range(len(ledger) + 1)))
        out = np.diff(np.array([*weights]).reshape(-1, len(columns)), axis=0)
    if reading == "average":
        out = out * ((ledger.n_rounds - ledger.rounds + 1) / ledger.n_rounds)[:, None]
    return out


def _column(ledger: Ledger, column: int) -> Vector:
    """The value that each mistaken example has in this column."""
    rows = ledger.examples
    if isinstance(rows, DenseRows):
        return np.asarray(rows.values[ledger.example, column], dtype=np.float64)
    of_row, columns, stored = rows.entries()
    values = np.zeros(len(rows))
    values[of_row[columns == column]] = stored[columns == column]
    return np.asarray(values[ledger.example])


def _expect_sums(ledger: Ledger) -> Ledger:
    """A snapshot; refused if weights are not a sum of the mistakes, or no examples were kept."""
    if not ledger.is_joint and ledger.adaptation is None:
        ledger.expect_sums()
    ledger.expect_examples()
    return ledger.snapshot()


def _numbers(ledger: Ledger, given: Vector | None = None, unknown: float = 0.0) -> Vector:
    """A number for each weight; of many classes a column for each that is known at the end.

    They are those given, and `unknown` if none are, or for classes that came later.
    """
    shape = (ledger.dim + ledger.bias, *[columns_for(ledger.n_classes)] * ledger.is_joint)
    out = np.full(shape, unknown)
    if given is not None:
        out[..., : given.shape[-1]] = given
    return out


def _by_class(ledger: Ledger, w: Vector) -> Vector:
    """A copy of the weights as they are read; of many classes a row for each."""
    return np.array(w[:, : ledger.n_classes].T if ledger.is_joint else w, order="C")
