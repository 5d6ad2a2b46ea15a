"""Weights that return to earlier values end the run, with an exact proof."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import textbook
from helpers.strategies import (
    LAYOUTS,
    PRECISIONS,
    TIES,
    Data,
    Layout,
    Options,
    Precision,
    dyadic_options,
    layouts,
    orders,
    precisions,
    seeds,
    separable_data,
)
from novikoff import AveragedPerceptron, MarginPerceptron, Perceptron, VotedPerceptron
from novikoff.guarantees.verdict import Cycle, Verdict
from novikoff.learners import Additive, Ties
from novikoff.ledger.ledger import Keep
from novikoff.runs.loop import Run, play
from novikoff.sources import block
from novikoff.stream.blocks import Block, Stream
from novikoff.stream.order import Shuffle, Shuffled, arranged
from novikoff.stream.rows import Vector

# Nothing separates these, with a constant or without, and no two rows are alike: a multiplier on
# the wrong row would show.
TANGLED = Data(
    np.array([[2, 1], [-1, 3], [1, -2], [3, 1], [-2, -2], [1, 1], [0, 3], [-3, 1.0]]),
    np.array([1, -1, 1, -1, 1, -1, 1, 1], np.int8),
)


@st.composite
def integer_data(draw: st.DrawFn, *, most_rows: int = 8, widest: int = 3, largest: int = 3) -> Data:
    """Few points with small coordinates, about half the time with no separator."""
    n, width = draw(st.integers(1, most_rows)), draw(st.integers(1, widest))
    dice = np.random.default_rng(draw(seeds))
    X = dice.integers(-largest, largest + 1, (n, width)).astype(np.float64)
    return Data(X, dice.choice(np.array([-1, 1], np.int8), n))


def points(data: Data, *, bias: bool) -> list[textbook.Point]:
    return [[Fraction(float(v)) for v in x] + [Fraction(1)] * bias for x in data.X]


def proven(cycle: Cycle | None, data: Data, *, bias: bool = False, first: int = 0) -> Cycle:
    """The cycle, whose multipliers are positive and make the rows of the data sum to 0."""
    assert cycle is not None
    assert len(cycle.rows) == len(cycle.multipliers) > 0
    assert (np.diff(cycle.rows) > 0).all()
    assert all(isinstance(n, Fraction) and n > 0 for n in cycle.multipliers)
    total = [Fraction(0)] * (data.dim + bias)
    for row, n in zip((cycle.rows - first).tolist(), cycle.multipliers, strict=True):
        x, y = points(data, bias=bias)[row], int(data.y[row])
        total = [t + n * y * x_j for t, x_j in zip(total, x, strict=True)]
    assert not any(total)
    return cycle


def counted(run: Run, *, steps: tuple[Fraction, Fraction]) -> dict[int, Fraction]:
    """For each row, from the ledger: its updates from pass `since` to `until`, times its step."""
    assert run.cycle is not None
    ledger, of_row = run.ledger, dict[int, Fraction]()
    begin, end = (ledger.epoch_ends[p - 1] for p in (run.cycle.since, run.cycle.until))
    columns = ledger.rounds.tolist(), ledger.rows.tolist(), ledger.labels.tolist()
    for t, row, y in zip(*columns, strict=True):
        if begin < t <= end:
            of_row[row] = of_row.get(row, Fraction(0)) + steps[y > 0]
    return of_row


def multipliers(run: Run) -> dict[int, Fraction]:
    assert run.cycle is not None
    return dict(zip(run.cycle.rows.tolist(), run.cycle.multipliers, strict=True))


@settings(max_examples=120)
@given(st.data())
def test_a_run_on_integers_in_a_fixed_order_ends_in_a_separator_or_a_cycle(
    draws: st.DataObject,
) -> None:
    """SPEC 6.1, 6.2 and 6.3: there is no third way, and either can be checked exactly."""
    data = draws.draw(integer_data())
    options: Options = draws.draw(dyadic_options(data.dim))
    order = draws.draw(orders(len(data)))
    learner = Additive(data.dim, **options)
    seen: list[Vector] = []
    run = play(
        [data.block(draws.draw(layouts), draws.draw(precisions), order=order)],
        learner,
        epochs=100_000,
        progress=lambda _: seen.append(learner.weights),
    )
    bias, start = options["bias"], options["start"]
    if run.verdict is Verdict.SEPARATED:
        assert run.cycle is None
        w = [Fraction(w_j) for w_j in learner.weights.tolist()]
        scores = [textbook.dot(w, x) for x in points(data, bias=bias)]
        right = [int(y) * s for y, s in zip(data.y, scores, strict=True)]
        strict = options["ties"] == "mistake" or options["margin"] > 0
        assert min(right) > options["margin"] if strict else min(right) >= 0
        return
    assert run.verdict is Verdict.CYCLE
    cycle = proven(run.cycle, data, bias=bias)
    assert cycle.since < cycle.until == run.epochs == len(seen)
    assert seen[cycle.since - 1].tolist() == seen[cycle.until - 1].tolist()
    rate = Fraction(options["rate"]) if start is not None and start.any() else Fraction(1)
    low, high = options["class_weights"]
    assert multipliers(run) == counted(run, steps=(rate * Fraction(low), rate * Fraction(high)))


@settings(max_examples=60)
@given(st.data())
def test_a_run_on_separable_data_never_ends_in_a_cycle(draws: st.DataObject) -> None:
    data, _ = draws.draw(separable_data())
    learner = Additive(data.dim, **draws.draw(dyadic_options(data.dim)))
    assert play([data.block()], learner, epochs=10**6).verdict is Verdict.SEPARATED


@settings(max_examples=120)
@given(
    data=integer_data(),
    bias=st.booleans(),
    weights=st.sampled_from(((0.1, 0.7), (1 / 3, 2 / 3), (0.3, 0.3))),
    rate=st.sampled_from((1.0, 0.1, 1e-3)),
    start=st.sampled_from((0.0, 0.1, 1e15)),
)
def test_a_cycle_is_a_proof_where_the_weights_round_too(
    data: Data, bias: bool, weights: tuple[float, float], rate: float, start: float
) -> None:
    learner = Additive(
        data.dim,
        bias=bias,
        rate=rate,
        class_weights=weights,
        start=np.full(data.dim + bias, start),
    )
    run = play([data.block()], learner, epochs=200)
    if run.verdict is Verdict.CYCLE:
        proven(run.cycle, data, bias=bias)
        r = rate if start else 1.0
        steps = Fraction(r * weights[0]), Fraction(r * weights[1])
        assert multipliers(run) == counted(run, steps=steps)
    else:
        assert run.cycle is None


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("rule", TIES)
@pytest.mark.parametrize("margin", [0.0, 2.0])
def test_the_proof_is_found_in_every_layout_and_with_every_tie_rule(
    bias: bool, layout: Layout, precision: Precision, rule: Ties, margin: float
) -> None:
    learner = Additive(2, bias=bias, ties=rule, margin=margin, class_weights=(1.0, 3.0), rate=0.1)
    run = play(TANGLED.block(layout, precision), learner, epochs=10_000)
    proven(run.cycle, TANGLED, bias=bias)
    assert multipliers(run) == counted(run, steps=(Fraction(1), Fraction(3)))


def test_class_weights_that_are_not_dyadic_are_multipliers_as_the_floats_they_are() -> None:
    data = Data(np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]), np.array([-1, 1, 1, -1], np.int8))
    run = play(data.block(), Additive(2, class_weights=(0.1, 0.7)), epochs=9)
    proven(run.cycle, data)
    low, high = Fraction(0.1), Fraction(0.7)
    assert multipliers(run) == {0: low, 1: high, 2: high, 3: low}


@pytest.mark.parametrize("keep", ["examples", "positions", "counts"])
def test_the_proof_does_not_depend_on_what_the_ledger_keeps(keep: Keep) -> None:
    learner = Additive(2, bias=True)
    run = play(TANGLED.block(), learner, epochs=10_000, ledger=learner.open_ledger(keep))
    assert run.verdict is Verdict.CYCLE
    proven(run.cycle, TANGLED, bias=True)


FAR = 10**15
STREAMS: dict[str, Callable[[], Stream]] = {
    "a block": TANGLED.block,
    "pieces": lambda: TANGLED.pieces([1, 2, 6]),
    "pieces far into a stream": lambda: [
        replace(piece, first=FAR + piece.first) for piece in TANGLED.pieces([4])
    ],
    "an order with repeats": lambda: TANGLED.block(order=np.tile(np.arange(8), 3)),
    "a copy in another order": lambda: arranged(TANGLED.block(), 5),
    "pieces, each a copy in another order": lambda: [
        arranged(piece, 7) for piece in TANGLED.pieces([3])
    ],
    "shuffled once": lambda: Shuffled(TANGLED.pieces([5]), seed=3),
    "shuffled anew": lambda: Shuffled(TANGLED.pieces([5]), seed=3, again=True),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("part", [1, 3, 100])
def test_whatever_the_order_the_proof_names_rows_by_their_place_in_the_data(
    name: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("novikoff.learners.compiled_pass.part_size", lambda _rows: part)
    run = play(STREAMS[name](), Additive(2, bias=True), epochs=10_000)
    assert run.verdict is Verdict.CYCLE
    proven(run.cycle, TANGLED, bias=True, first=FAR if "far" in name else 0)
    assert multipliers(run) == counted(run, steps=(Fraction(1), Fraction(1)))


def test_large_data_that_are_not_copied_into_their_order_keep_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("novikoff.stream.order.CACHE_BYTES", 0)
    stream = arranged(TANGLED.block(), 5)
    assert stream.numbers is None
    proven(play(stream, Additive(2), epochs=10_000).cycle, TANGLED)


def test_a_continued_run_counts_passes_from_where_it_continued() -> None:
    learner = Additive(2)
    before = play(TANGLED.block(), learner, epochs=3)
    assert before.verdict is Verdict.BUDGET
    run = play(TANGLED.block(), learner, epochs=10_000, ledger=before.ledger)
    assert proven(run.cycle, TANGLED).until == run.epochs - 3


def trajectory(data: Data, start: int) -> tuple[int, int]:
    """The passes μ before the weights are first on their cycle, and its length p, in fractions."""
    w = [Fraction(start)] * data.dim
    examples = [(i, x, int(data.y[i])) for i, x in enumerate(points(data, bias=False))]
    when, passes = dict[tuple[Fraction, ...], int](), 0
    while tuple(w) not in when:
        when[tuple(w)] = passes
        w, passes = textbook.perceptron(examples, start=w).weights, passes + 1
    return when[tuple(w)], passes - when[tuple(w)]


@settings(max_examples=80)
@given(data=integer_data(most_rows=6, widest=2), start=st.integers(-60, 60))
def test_a_cycle_is_noticed_two_periods_after_the_power_of_two_that_is_large_enough(
    data: Data, start: int
) -> None:
    """That is before pass 4 max(μ, p); the weights first return after pass μ + p."""
    run = play(data.block(), Additive(data.dim, start=np.full(data.dim, start)), epochs=10**6)
    before, period = trajectory(data, start)
    if run.cycle is None:
        assert (run.verdict, period, run.epochs) == (Verdict.SEPARATED, 1, before + 1)
        return
    enough = max(before, period, 1)
    power = 1
    while power < enough:
        power *= 2
    assert (run.cycle.since, run.cycle.until) == (power + period, power + 2 * period)
    assert run.cycle.until < 4 * enough


def test_weights_that_differ_only_far_along_are_not_taken_for_the_same() -> None:
    wide = Data(np.hstack([np.zeros((8, 20_000)), TANGLED.X]), TANGLED.y)
    narrow, run = (
        play(d.block("csr of int32"), Additive(d.dim), epochs=99) for d in (TANGLED, wide)
    )
    assert narrow.epochs == run.epochs > 3
    assert proven(run.cycle, wide).rows.tolist() == proven(narrow.cycle, TANGLED).rows.tolist()


def test_the_last_pass_allowed_may_be_the_one_that_closes_the_cycle() -> None:
    until = play(TANGLED.block(), Additive(2), epochs=10_000).epochs
    assert until > 2
    closed = play(TANGLED.block(), Additive(2), epochs=until)
    assert (closed.verdict, closed.epochs) == (Verdict.CYCLE, until)
    short = play(TANGLED.block(), Additive(2), epochs=until - 1)
    assert (short.verdict, short.cycle) == (Verdict.BUDGET, None)


def test_a_single_pass_is_not_searched_for_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted() -> None:
        raise AssertionError("there is nothing to watch in one pass")

    monkeypatch.setattr("novikoff.runs.loop.CycleSearch", unwanted)
    # a row of zeros is never right, and leaves the weights where they are
    assert play(block([[0.0]], [1]), Additive(1)).verdict is Verdict.BUDGET
    with pytest.raises(AssertionError, match="nothing to watch"):
        play(block([[0.0]], [1]), Additive(1), epochs=2)


@pytest.mark.parametrize(
    ("X", "y", "start"),
    [([[1.0]], [-1], 1e17), ([[1e17], [1.0]], [1, -1], 0.0)],
    ids=["separable", "not separable"],
)
def test_weights_that_return_by_rounding_alone_prove_nothing(
    X: list[list[float]], y: list[int], start: float
) -> None:
    """1e17 − 1 is 1e17 in floating point: a mistake in every pass, and the same weights after it.

    They are then looked at again only with each new copy, not after every pass.
    """
    looks: list[int] = []

    class Counted:
        def __iter__(self) -> Iterator[Block]:
            looks.append(1)
            yield block(X, y)

    run = play(Counted(), Additive(1, start=np.array([start])), epochs=1000)
    assert (run.verdict, run.epochs, run.cycle) == (Verdict.BUDGET, 1000, None)
    assert min(run.ledger.epoch_mistakes) == 1
    assert 1000 < len(looks) <= 1000 + 10


def test_a_proof_may_still_follow_a_return_by_rounding() -> None:
    """Row 0 is lost in rounding for three passes, and then there are others without a separator."""
    data = Data(np.array([[1, 0], [0, 1], [0, 1.0]]), np.array([-1, 1, -1], np.int8))

    class Changing:
        times = 0

        def __iter__(self) -> Iterator[Block]:
            self.times += 1
            met = [0] if self.times <= 4 else [1, 2]  # three passes and a look for a proof
            yield data.block(order=np.array(met, np.int64))

    run = play(Changing(), Additive(2, start=np.array([1e17, 0.0])), epochs=100)
    assert run.ledger.epoch_mistakes == [1, 1, 1, 2, 2, 2]
    assert proven(run.cycle, data).rows.tolist() == [1, 2]


def test_steps_too_small_for_a_float_prove_nothing() -> None:
    """1e-200 · 1e-200 is 0: the weights stay where they are, though the point is separable."""
    learner = Additive(1, start=np.array([-1.0]), rate=1e-200, class_weights=(1.0, 1e-200))
    run = play(block([[1.0]], [1]), learner, epochs=20)
    assert (run.verdict, run.cycle) == (Verdict.BUDGET, None)


KINDS: tuple[Any, ...] = (Perceptron, AveragedPerceptron, VotedPerceptron, MarginPerceptron)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shuffle", ["once", False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_an_estimator_ends_in_a_cycle_of_the_rows_it_was_given(
    kind: Any, shuffle: Shuffle, fit_intercept: bool
) -> None:
    clf = kind(shuffle=shuffle, fit_intercept=fit_intercept, max_iter=10**5, random_state=0)
    clf.fit(TANGLED.X, TANGLED.y)
    assert clf.verdict_ == "cycle"
    cycle = proven(clf.runs_[0].cycle, TANGLED, bias=fit_intercept)
    assert cycle.until == clf.n_iter_ < 10**5
    assert clf.mistakes_per_epoch_.min() >= 1


@pytest.mark.parametrize(
    ("passes", "worst", "each"),
    [(20, "budget", ["cycle", "separated", "budget"]),
     (2000, "cycle", ["cycle", "separated", "cycle"])],
)  # fmt: skip
def test_of_several_verdicts_the_worst_is_the_estimators(
    passes: int, worst: str, each: list[str]
) -> None:
    dice = np.random.default_rng(48)
    X, y = dice.integers(-3, 4, (12, 2)).astype(np.float64), dice.integers(0, 3, 12)
    clf = Perceptron(max_iter=passes, shuffle=False).fit(X, y)
    assert (clf.verdict_, [str(run.verdict) for run in clf.runs_]) == (worst, each)
    for k in np.flatnonzero(np.array(each) == "cycle"):
        against = np.where(y == k, 1, -1).astype(np.int8)
        proven(clf.runs_[k].cycle, Data(X, against), bias=True)


def test_a_cycle_can_be_pickled_with_its_run_and_its_estimator() -> None:
    run = play(TANGLED.block(), Additive(2), epochs=1000)
    clf = Perceptron(fit_intercept=False, shuffle=False).fit(TANGLED.X, TANGLED.y)
    for copy in (pickle.loads(pickle.dumps(run)), pickle.loads(pickle.dumps(clf)).runs_[0]):
        assert copy.verdict is Verdict.CYCLE
        assert multipliers(copy) == multipliers(run)
        assert str(proven(copy.cycle, TANGLED)) == str(run.cycle)


def test_a_cycle_says_what_it_proves() -> None:
    run = play(block([[1.0], [3.0]], [-1, 1]), Additive(1), epochs=99)
    assert str(run.cycle).endswith("on 2 rows, sum to 0, so no weights separate the rows")
    assert str(run.cycle).startswith(
        "the weights after pass 10 equal those after pass 7: the updates"
    )
    assert repr(run.cycle) == "Cycle(since=7, until=10)"
