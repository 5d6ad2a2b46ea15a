"""What a run says: its final weights, their average, the vote, the weights after any mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.ledger.ledger import Ledger, Rule, both_classes
from novikoff.ledger.weights import class_scores, columns_for, times
from novikoff.stream.rows import DenseRows, Positions, Rows, Vector, dots, part_size

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

    def scores(self, rows: Rows) -> Vector:
        """The score of each row under the present weights; a column a class for many classes."""


def scores(
    learner: Reads,
    ledger: Ledger,
    reading: Reading,
    rows: Rows,
    *,
    zero_is_positive: bool = True,
    average: Vector | None = None,
    signs: bool = False,
) -> Vector:
    """The score of each row by a reading of the run; a column a class for a joint learner.

    A vote is the share of votes for +1 less the share for −1, in [−1, 1]; or for each class its
    share of the votes, in [0, 1]. `zero_is_positive` says whether weights that score 0 vote for +1,
    and `average` is what `weights` returned for the average, if it is known already. If only the
    `signs` are needed, other numbers with the same signs may stand for some of the scores.
    """
    if ledger.kernel is not None:
        return _in_kernel_space(ledger, reading, rows, zero_is_positive=zero_is_positive)
    signs = signs and ledger.unit == 1 and ledger.rule in ("additive", "adaptive")
    if reading == "final" and not signs:
        return learner.scores(rows)
    if reading == "vote":
        return vote(ledger, rows, zero_is_positive=zero_is_positive)
    w = weights(learner, ledger, reading) if average is None else average
    if ledger.is_joint:
        return class_scores(rows, w.T, bias=ledger.bias)[:, : len(w)]
    return dots(rows, w, bias=ledger.bias, signs=signs)


def _in_kernel_space(
    ledger: Ledger, reading: Reading, rows: Rows, *, zero_is_positive: bool
) -> Vector:
    """The scores of a reading from the kernels of the rows with the mistaken ones, each once."""
    ledger, kernel = ledger.snapshot(), ledger.kernel
    assert kernel is not None
    if ledger.began:
        raise ValueError("this ledger begins in the middle of a run, without the mistakes before")
    at, example = np.unique(ledger.rows, return_inverse=True)
    none = DenseRows(np.empty((0, ledger.dim)))
    of = none if kernel.is_precomputed or not len(ledger) else ledger.examples
    steps, column, classes = ledger.steps, None, 1
    if reading == "vote":
        pairs: dict[str, Any] | None = None
        if ledger.is_joint:
            pairs = {"right": ledger.classes, "rival": ledger.rivals, "classes": ledger.n_classes}
        votes = kernel.votes(
            rows,
            of,
            at,
            example,
            steps,
            survived=ledger.survivals(),
            bias=ledger.bias,
            zero_is_positive=zero_is_positive,
            classes=pairs,
        )
        return votes / max(1, ledger.n_rounds)
    late = steps * (ledger.rounds - 1)
    if ledger.is_joint:
        example, column = np.repeat(example, 2), both_classes(ledger.mistakes)
        steps, late = (np.column_stack([a, -a]).reshape(-1) for a in (steps, late))
        classes = ledger.n_classes
    each = (steps,) if reading == "final" else (steps, late)
    s, *u = kernel.sums(rows, of, at, example, each, column, classes, bias=ledger.bias)
    s = times(ledger.unit, mean_of_weights(s, u[0], ledger.n_rounds) if u else s)
    return np.ascontiguousarray(s.T) if ledger.is_joint else s[0]


def weights(learner: Reads, ledger: Ledger, reading: Reading) -> Vector:
    """The weights of a reading, the constant's last; a row a class for a joint learner."""
    if ledger.kernel is not None:
        raise ValueError("weights in a kernel's space have no coordinates; read the scores")
    if reading == "final":
        return learner.weights
    if reading == "average":
        return learner.average if learner.averaging else average(ledger)
    raise ValueError(
        f"reading must be 'final' or 'average', not {reading!r}: a vote has no weights"
    )


def scores_by_reading(ledger: Ledger, rows: Rows) -> dict[Reading, Vector]:
    """The score of each row by each of the three readings of a run with two labels."""
    if ledger.kernel is not None:
        each: tuple[Reading, ...] = ("final", "average", "vote")
        return {one: _in_kernel_space(ledger, one, rows, zero_is_positive=True) for one in each}
    return {
        "final": dots(rows, final(ledger), bias=ledger.bias),
        "average": dots(rows, average(ledger), bias=ledger.bias),
        "vote": vote(ledger, rows),
    }


def mean_of_weights(w: Vector, u: Vector, rounds: int | Vector) -> Vector:
    """The mean over all rounds of weights that are now w, each counted as at its round's end.

    u is the sum over the updates of (t − 1) times the update of round t, which is part of the
    weights in T − t + 1 of T rounds, so the mean is (T·w − u)/T. Before the first round it is w.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return (rounds * w - u) / rounds if np.all(rounds) else w


def final(ledger: Ledger) -> Vector:
    """The weights after the last mistake, bit for bit the learner's; of many classes a row each."""
    ledger = _expect_sums(ledger)
    if ledger.rule == "adaptive":
        return weights_after(ledger, len(ledger))
    if ledger.rule == "joint-adaptive":
        return _shown(ledger, _adapted_classes(ledger)[0])
    return _shown(ledger, _sum(ledger, ledger.steps, ledger.start))


def average(ledger: Ledger) -> Vector:
    """The mean of the weights over all rounds (Freund & Schapire 1999; Collins 2002)."""
    ledger = _expect_sums(ledger)
    if ledger.rule == "adaptive":
        return next(trajectory(ledger, [len(ledger)])).average(ledger.n_rounds)
    if ledger.rule == "joint-adaptive":
        return _shown(ledger, mean_of_weights(*_adapted_classes(ledger), ledger.n_rounds))
    w = _sum(ledger, ledger.steps, ledger.start)
    u = _sum(ledger, ledger.steps * (ledger.rounds - 1), None)
    return _shown(ledger, mean_of_weights(w, u, ledger.n_rounds))


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
    if ledger.rule == "joint":
        return _class_votes(ledger, rows)
    start = np.zeros(ledger.dim + ledger.bias) if ledger.start is None else ledger.start
    scores = dots(rows, start, bias=ledger.bias)
    if len(ledger) == 0:
        zero = 1.0 if zero_is_positive else -1.0
        votes: Vector = np.where(scores == 0, zero, np.sign(scores)) * ledger.survivals()[0]
    else:
        votes = np.empty(len(rows))
        _poll(_core.vote, ledger, rows, scores, votes, zero_is_positive=zero_is_positive)
    return votes / max(1, ledger.n_rounds)


def _class_votes(ledger: Ledger, rows: Rows) -> Vector:
    classes = ledger.n_classes
    if ledger.start is None:
        dots(rows, np.zeros(ledger.dim + ledger.bias), bias=ledger.bias)  # refuses a bad row
        scores = np.zeros((len(rows), classes))
    else:
        scores = class_scores(rows, _table(ledger, ledger.start), bias=ledger.bias)[:, :classes]
    if len(ledger) == 0:
        first = scores.argmax(axis=1) if classes else np.empty(0, dtype=np.intp)
        votes: Vector = (first[:, None] == np.arange(classes)) * float(ledger.survivals()[0])
    else:
        votes = np.empty((len(rows), classes))
        pairs = {"right": ledger.classes, "rival": ledger.rivals}
        scores = np.ascontiguousarray(scores)
        _poll(_core.joint_vote, ledger, rows, scores, votes, **pairs, classes=classes)
    return votes / max(1, ledger.n_rounds)


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
    w = np.zeros(ledger.dim + ledger.bias) if ledger.start is None else ledger.start.copy()
    late, made = np.zeros_like(w), 0
    how, variances = ledger.adaptation, None
    if how is not None:
        unit = np.eye(len(w)) if how.is_full else np.ones_like(w)
        variances = unit if how.variances is None else how.variances.copy()
    replay = _replay_of(ledger, w, late, variances)
    for k in range(1, len(ledger) + 1) if after is None else after:
        if not made <= k <= len(ledger):
            raise ValueError(f"numbers of mistakes must be increasing and at most {len(ledger)}")
        if k > made:
            replay(slice(made, k))
        made = k
        shown = None if variances is None else variances.copy()
        yield Moment(k, w.copy(), late.copy(), ledger.unit, shown)


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
            sides = [(1.0, number), *([] if rival is None else [(-1.0, rival)])]
            right, wrong = ledger.classes, ledger.rivals
            each = [sign * ((right == k) * 1.0 - (wrong == k)) for sign, k in sides]
            signs = each[0] + (each[1] if rival is not None else 0.0)
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
    of_row = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    here = rows.indices == column
    values = np.zeros(len(rows))
    values[of_row[here]] = rows.values[here]
    return np.asarray(values[ledger.example])


def _replay_of(
    ledger: Ledger, w: Vector, late: Vector, variances: Vector | None
) -> Callable[[slice], None]:
    """What makes some updates again: it changes the numbers of a Moment in place."""
    how, rows = ledger.adaptation, ledger.examples.core if len(ledger) else ()
    example, steps, rounds = ledger.example, ledger.steps, ledger.rounds

    def add(new: slice) -> None:
        delayed = steps[new] * (rounds[new] - 1)
        for total, each in ((w, steps[new]), (late, delayed)):
            _core.accumulate(*rows, example=example[new], step=each, bias=ledger.bias, w=total)

    if how is None or variances is None:
        return add
    r, full, importances = how.regularisation, how.is_full, ledger.importances
    flat = variances.reshape(-1)

    def adapt(new: slice) -> None:
        _core.adapt_again(
            *rows,
            example=example[new],
            round=rounds[new],
            step=steps[new],
            importance=importances[new],
            r=r,
            full=full,
            bias=ledger.bias,
            w=w,
            variance=flat,
            u=late,
        )

    return adapt


def _poll(
    core: Callable[..., None], ledger: Ledger, rows: Rows, scores: Vector, out: Vector, **more: Any
) -> None:
    """Let the core count the votes on the rows, part by part, from their scores at the start."""
    kept, survived = ledger.examples.core[:3], ledger.survivals()
    example, steps = ledger.example, ledger.steps
    # the work on a part is proportional to the mistakes as well as to the rows
    part = max(8, part_size(rows) // max(1, len(ledger) // 64))
    for at in range(0, len(rows), part):
        end = min(len(rows), at + part)
        core(
            *kept,
            *rows.core,
            begin=at,
            end=end,
            example=example,
            step=steps,
            survived=survived,
            bias=ledger.bias,
            start_scores=scores[at:end].reshape(-1),
            out=out[at:end].reshape(-1),
            **more,
        )


def _expect_sums(ledger: Ledger) -> Ledger:
    """A snapshot; refused if weights are not a sum of the mistakes, or no examples were kept."""
    if not ledger.is_joint and ledger.adaptation is None:
        ledger.expect_sums()
    ledger.expect_examples()
    return ledger.snapshot()


def _sum(ledger: Ledger, steps: Vector, start: Vector | None) -> Vector:
    """The start plus the mistakes times these steps, over the unit; a column a class if joint."""
    if ledger.rule == "joint":
        w = _table(ledger, start)
        if len(ledger):
            _core.joint_accumulate(
                *ledger.examples.core,
                example=ledger.example,
                step=steps,
                right=ledger.classes,
                rival=ledger.rivals,
                bias=ledger.bias,
                width=w.shape[1],
                w=w.reshape(-1),
            )
        return w
    w = np.zeros(ledger.dim + ledger.bias) if start is None else start.copy()
    if len(ledger):
        _core.accumulate(
            *ledger.examples.core, example=ledger.example, step=steps, bias=ledger.bias, w=w
        )
    return w


def _adapted_classes(ledger: Ledger) -> tuple[Vector, Vector]:
    """The weights of an adaptive run of many classes, and the u of `mean_of_weights`."""
    how = ledger.adaptation
    assert how is not None
    w, u = _table(ledger, ledger.start), _table(ledger, None)
    variances = _table(ledger, how.variances, unknown=1.0)
    if len(ledger):
        _core.joint_adapt_again(
            *ledger.examples.core,
            example=ledger.example,
            round=ledger.rounds,
            step=ledger.steps,
            importance=ledger.importances,
            right=ledger.classes,
            rival=ledger.rivals,
            r=how.regularisation,
            bias=ledger.bias,
            width=w.shape[1],
            w=w.reshape(-1),
            variance=variances.reshape(-1),
            u=u.reshape(-1),
        )
    return w, u


def _table(ledger: Ledger, start: Vector | None, *, unknown: float = 0.0) -> Vector:
    """A column for each class known at the end; `unknown` where a class had none at the start."""
    w = np.full((ledger.dim + ledger.bias, columns_for(ledger.n_classes)), unknown)
    if start is not None:
        w[:, : start.shape[1]] = start
    return w


def _shown(ledger: Ledger, w: Vector) -> Vector:
    """The weights as they are read: in their unit, a row a class."""
    if ledger.is_joint:
        w = np.ascontiguousarray(w[:, : ledger.n_classes].T)
    return ledger.unit * w
