"""What any learner must obey, on numbers that round: every law holds bit for bit."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import (
    Data,
    Layout,
    Precision,
    dyadic_data,
    float_data,
    layouts,
    orders,
    precisions,
    seeds,
    untidy,
)
from novikoff import _core
from novikoff.learners import Additive, BalancedWinnow, Multiplicative, Winnow1, Winnow2
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.sources import block
from novikoff.stream.blocks import Block
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import DenseRows, Rows, SparseRows, Vector

Linear: TypeAlias = Additive | Multiplicative
Factory: TypeAlias = Callable[[int], Linear]


def start_for(length: int) -> Vector:
    return np.random.default_rng(length).standard_normal(length)


SUMS: dict[str, Callable[[int], Additive]] = {
    "plain": lambda dim: Additive(dim),
    "bias": lambda dim: Additive(dim, bias=True),
    "rate": lambda dim: Additive(dim, bias=True, rate=0.1),
    "ties positive": lambda dim: Additive(dim, ties="positive", averaging=True),
    "ties negative": lambda dim: Additive(dim, ties="negative", bias=True),
    "margin": lambda dim: Additive(dim, margin=0.7, bias=True),
    "margin and rate": lambda dim: Additive(dim, margin=0.7, rate=0.3, averaging=True),
    "averaging": lambda dim: Additive(dim, averaging=True),
    "averaging with a bias": lambda dim: Additive(dim, averaging=True, bias=True, rate=0.1),
    "start": lambda dim: Additive(dim, start=start_for(dim), rate=0.3),
    "start with a bias": lambda dim: Additive(
        dim, bias=True, start=start_for(dim + 1), rate=0.3, margin=0.2, averaging=True
    ),
    "class weights": lambda dim: Additive(
        dim, class_weights=(0.3, 1.7), averaging=True, bias=True, rate=0.7
    ),
}
POWERS: dict[str, Factory] = {
    "Winnow1": lambda dim: Winnow1(dim, threshold=3.0),
    "Winnow1, ties positive": lambda dim: Winnow1(dim, alpha=1.3, ties="positive"),
    "Winnow2": lambda dim: Winnow2(dim),
    "Winnow2, class weights": lambda dim: Winnow2(
        dim, alpha=1.01, threshold=0.7, class_weights=(0.3, 1.7)
    ),
    "balanced": lambda dim: BalancedWinnow(dim),
    "balanced without a bias": lambda dim: BalancedWinnow(
        dim, alpha=3.0, threshold=0.1, bias=False, ties="negative"
    ),
}
LEARNERS: dict[str, Factory] = {**SUMS, **POWERS}
every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS.keys())
every_sum = pytest.mark.parametrize("make", SUMS.values(), ids=SUMS.keys())
few = settings(max_examples=25)


def suited(make: Factory, data: Data) -> Data:
    """The data, without signs for a learner that takes none."""
    learner = make(1)
    signed = isinstance(learner, Additive) or learner.variant == "balanced"
    return data if signed else Data(np.abs(data.X), data.y)


def state(learner: Linear) -> tuple[bytes, bytes, int]:
    """All that a learner knows, to the bit."""
    if isinstance(learner, Additive):
        summed = b"" if learner._u is None else learner.average.tobytes()
        return learner.weights.tobytes(), summed, learner.rounds
    return learner._w.tobytes(), learner.powers.tobytes(), learner.rounds


def written(ledger: Ledger) -> tuple[int, list[bytes]]:
    """All that a ledger says of the mistakes, to the bit."""
    columns = (ledger.rounds, ledger.rows, ledger.scores, ledger.steps, ledger.squares)
    return ledger.n_rounds, [column.tobytes() for column in columns]


def votes_of(ledger: Ledger, rows: Rows) -> list[float] | None:
    """The vote of all weights of a run, for the rule that has one."""
    return readings.vote(ledger, rows).tolist() if ledger.rule == "additive" else None


def kept(learner: Linear, ledger: Ledger) -> bool:
    """Whether the ledger alone gives back all that the learner knows of weights and average."""
    same = summed(learner, ledger)
    if isinstance(learner, Additive) and learner._u is not None:
        same &= readings.average(ledger).tobytes() == learner.average.tobytes()
    return same


def summed(learner: Linear, ledger: Ledger) -> bool:
    """Whether the mistakes add up to the learner's weights, or to its powers."""
    if isinstance(learner, Additive):
        return readings.final(ledger).tobytes() == learner.weights.tobytes()
    p = np.zeros(ledger.dim + ledger.bias) if ledger.start is None else ledger.start.copy()
    if len(ledger) == 0:
        return p.tobytes() == learner.powers.tobytes()
    steps, x = ledger.steps, ledger.examples
    _core.accumulate(*x.core, example=ledger.example, step=steps, bias=ledger.bias, w=p)
    if learner.variant == "winnow1":  # an attribute of a negative example that was mistaken is out
        for k in ledger.example[steps < 0].tolist():
            columns, values = x.row(k)
            p[columns[values > 0]] = -np.inf
    return p.tobytes() == learner.powers.tobytes()


@every_learner
@few
@given(data=float_data(), layout=layouts, precision=precisions)
def test_predicting_changes_nothing(
    make: Factory, data: Data, layout: Layout, precision: Precision
) -> None:
    data = suited(make, data)
    asked, quiet = make(data.dim), make(data.dim)
    some = data.block(layout, precision)
    for i in range(len(data)):
        before = state(asked)
        first, again = asked.scores(some.rows), asked.scores(some.rows)
        assert first.tobytes() == again.tobytes()
        assert state(asked) == before
        asked.learn(some, i, i + 1)
        quiet.learn(some, i, i + 1)
    assert state(asked) == state(quiet)


@every_learner
@few
@given(data=float_data(), layout=layouts, precision=precisions)
def test_the_score_asked_for_is_the_score_learned_from(
    make: Factory, data: Data, layout: Layout, precision: Precision
) -> None:
    data = suited(make, data)
    learner, some = make(data.dim), data.block(layout, precision)
    for i in range(len(data)):
        said = learner.scores(some.rows)[i]
        _, made = learner.learn(some, i, i + 1)
        assert made.scores.tolist() == [said] * len(made)


@every_learner
@few
@given(draws=st.data())
def test_a_block_is_its_examples_one_by_one(make: Factory, draws: st.DataObject) -> None:
    data = suited(make, draws.draw(float_data()))
    order = draws.draw(orders(len(data)))
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order, first=100)
    at_once, singly = make(data.dim), make(data.dim)
    run = play([some], at_once)
    ledger = singly.open_ledger()
    for k in range(len(data)):
        stopped, made = singly.learn(some, k, k + 1)
        assert stopped == k + 1
        ledger.record(made, 1)
        ledger.store(some)
    assert state(at_once) == state(singly)
    assert written(run.ledger) == written(ledger)
    assert kept(singly, ledger)


@every_learner
@few
@given(draws=st.data())
def test_an_order_is_the_rows_rearranged(make: Factory, draws: st.DataObject) -> None:
    data = suited(make, draws.draw(float_data()))
    order = np.array(draws.draw(st.permutations(range(len(data)))), dtype=np.int64)
    layout = draws.draw(layouts)
    ordered, moved = make(data.dim), make(data.dim)
    one = play([data.block(layout, order=order)], ordered, epochs=2).ledger
    other = play([Data(data.X[order], data.y[order]).block(layout)], moved, epochs=2).ledger
    assert state(ordered) == state(moved)
    assert one.rows.tolist() == order[other.rows].tolist()
    assert kept(ordered, one)
    assert kept(moved, other)


@every_learner
@few
@given(draws=st.data())
def test_where_blocks_are_cut_does_not_matter(make: Factory, draws: st.DataObject) -> None:
    data = suited(make, draws.draw(float_data()))
    cuts = draws.draw(st.lists(st.integers(0, len(data)), max_size=5))
    layout, precision = draws.draw(layouts), draws.draw(precisions)
    whole, cut = make(data.dim), make(data.dim)
    one = play([data.block(layout, precision)], whole, epochs=3)
    other = play(data.pieces(cuts, layout, precision), cut, epochs=3)
    assert state(whole) == state(cut)
    assert written(one.ledger) == written(other.ledger)
    assert one.verdict is other.verdict
    assert one.ledger.epoch_mistakes == other.ledger.epoch_mistakes
    assert one.ledger.epoch_ends == other.ledger.epoch_ends
    assert kept(cut, other.ledger)
    votes = [votes_of(run.ledger, data.rows(layout)) for run in (one, other)]
    assert votes[0] == votes[1]


@every_learner
@few
@given(draws=st.data())
def test_how_many_rows_the_core_takes_at_a_time_does_not_matter(
    make: Factory, draws: st.DataObject
) -> None:
    data = suited(make, draws.draw(float_data()))
    layout, size = draws.draw(layouts), draws.draw(st.integers(1, 5))
    whole, parted = make(data.dim), make(data.dim)
    one = play([data.block(layout)], whole, epochs=2).ledger
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("novikoff.runs.loop.part_size", lambda _rows: size)
        patch.setattr("novikoff.stream.rows.part_size", lambda _rows: size)
        patch.setattr("novikoff.ledger.readings.part_size", lambda _rows: size)
        other = play([data.block(layout)], parted, epochs=2).ledger
        assert state(whole) == state(parted)
        assert written(one) == written(other)
        assert kept(parted, other)
        votes, scores = votes_of(other, data.rows(layout)), parted.scores(data.rows(layout))
    assert votes == votes_of(one, data.rows(layout))
    assert scores.tobytes() == whole.scores(data.rows(layout)).tobytes()


@every_learner
@few
@given(data=float_data())
def test_every_layout_and_precision_gives_the_same_bits(make: Factory, data: Data) -> None:
    """The numbers are float32 ones, so that all six hold the same rows."""
    data = suited(make, data)
    plain = make(data.dim)
    ledger = play([data.block()], plain, epochs=3).ledger
    scores = plain.scores(data.rows()).tobytes()
    votes = votes_of(ledger, data.rows())
    ways: list[tuple[Layout, Precision]] = [
        ("dense", "float32"),
        ("csr of int32", "float32"),
        ("csr of int32", "float64"),
        ("csr of int64", "float32"),
        ("csr of int64", "float64"),
    ]
    for layout, precision in ways:
        other = make(data.dim)
        stored = play([data.block(layout, precision)], other, epochs=3).ledger
        assert state(other) == state(plain)
        assert written(stored) == written(ledger)
        assert kept(other, stored)
        assert other.scores(data.rows(layout, precision)).tobytes() == scores
        assert votes_of(stored, data.rows(layout, precision)) == votes
        assert votes_of(stored, data.rows()) == votes


@every_learner
@few
@given(seed=seeds, width=st.sampled_from((1, 5, 8, 19)))
def test_float64_rows_give_the_same_bits_dense_and_sparse(
    make: Factory, seed: int, width: int
) -> None:
    """With more bits than a float32 holds."""
    dice = np.random.default_rng(seed)
    X = np.where(dice.random((20, width)) < 0.5, 0.0, dice.standard_normal((20, width)))
    data = suited(make, Data(X, np.where(dice.random(20) < 0.5, 1, -1).astype(np.int8)))
    plain, sparse = make(width), make(width)
    one = play([data.block()], plain, epochs=3).ledger
    other = play([data.block("csr of int32")], sparse, epochs=3).ledger
    assert state(plain) == state(sparse)
    assert written(one) == written(other)


@every_learner
@few
@given(data=dyadic_data(), seed=seeds)
def test_a_sparse_row_may_be_untidy(make: Factory, data: Data, seed: int) -> None:
    """Zeros written out, indices in any order and repeated: the sums are exact, so they agree."""
    data = suited(make, data)
    mixed = untidy(data.X, np.random.default_rng(seed))
    plain, other = make(data.dim), make(data.dim)
    one = play([data.block()], plain, epochs=2).ledger
    two = play([Block(mixed, data.y)], other, epochs=2).ledger
    assert state(plain) == state(other)
    assert written(one) == written(two)
    assert kept(other, two)
    again = untidy(data.X, np.random.default_rng(seed))
    assert other.scores(again).tobytes() == plain.scores(data.rows()).tobytes()
    again = untidy(data.X, np.random.default_rng(seed))
    assert votes_of(two, again) == votes_of(one, data.rows())


@every_learner
@few
@given(data=float_data(), layout=layouts, precision=precisions, epochs=st.integers(1, 4))
def test_the_ledger_gives_the_learner_back(
    make: Factory, data: Data, layout: Layout, precision: Precision, epochs: int
) -> None:
    """SPEC 5.3: the final vector and the average are readings of the run."""
    data, learner = suited(make, data), make(data.dim)
    ledger = play([data.block(layout, precision)], learner, epochs=epochs).ledger
    assert kept(learner, ledger)
    assert ledger.survivals().sum() == ledger.n_rounds == learner.rounds
    assert (ledger.survivals()[1:] > 0).all()
    assert ledger.survivals()[0] >= 0


@every_sum
def test_before_the_first_round_all_readings_are_the_start(make: Factory) -> None:
    learner = make(4)
    ledger = learner.open_ledger()
    start = np.zeros(len(learner.weights)) if ledger.start is None else ledger.start
    assert learner.weights.tolist() == start.tolist()
    assert readings.final(ledger).tolist() == start.tolist()
    assert readings.average(ledger).tolist() == start.tolist()
    assert ledger.survivals().tolist() == [0]


@every_learner
@few
@given(draws=st.data())
def test_saving_and_loading_in_the_middle_changes_nothing(
    make: Factory, draws: st.DataObject
) -> None:
    data = suited(make, draws.draw(float_data()))
    middle = draws.draw(st.integers(0, len(data)))
    some = data.block(draws.draw(layouts))
    straight = make(data.dim)
    play([some], straight)
    learner = make(data.dim)
    if middle:
        learner.learn(some, 0, middle)
    for again in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        before = state(learner)
        if middle < len(data):
            again.learn(some, middle, len(data))
        assert state(again) == state(straight)
        assert state(learner) == before


@every_learner
def test_a_copied_ledger_goes_on_where_it_was(make: Factory) -> None:
    X = np.random.default_rng(0).standard_normal((30, 4))
    data = suited(make, Data(X, np.array([1, -1] * 15, np.int8)))
    learner = make(4)
    half, rest = data.pieces([15])
    first = play([half], learner).ledger
    copied = pickle.loads(pickle.dumps(first))
    play([rest], learner, ledger=copied)
    assert kept(learner, copied)
    assert copied.n_rounds == 30
    assert first.n_rounds == 15


@every_learner
def test_two_runs_with_one_ledger_are_one_run(make: Factory) -> None:
    X = np.random.default_rng(1).standard_normal((40, 9))
    data = suited(make, Data(X, np.array([1, -1] * 20, np.int8)))
    once, twice = make(9), make(9)
    whole = play([data.block()], once, epochs=4).ledger
    ledger = play([data.block()], twice, epochs=1).ledger
    play([data.block()], twice, epochs=3, ledger=ledger)
    assert state(once) == state(twice)
    assert written(whole) == written(ledger)
    assert whole.epoch_ends == ledger.epoch_ends
    assert kept(twice, ledger)


@every_learner
def test_a_second_run_has_a_ledger_of_its_own(make: Factory) -> None:
    """`open_ledger`: an empty ledger that starts where this learner stands."""
    X = np.random.default_rng(1).standard_normal((40, 9))
    data = suited(make, Data(X, np.array([1, -1] * 20, np.int8)))
    learner = make(9)
    play([data.block()], learner)
    second = play([data.block()], learner).ledger
    assert second.n_rounds == 40
    assert (second.survivals() >= 0).all()
    assert summed(learner, second)


def eight_lanes(numbers: list[float], others: list[float]) -> float:
    """The sum of products as the core promises to take it, on any machine."""
    a = [0.0] * 8
    for j, (number, other) in enumerate(zip(numbers, others, strict=True)):
        a[j % 8] += number * other
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))


@few
@given(
    seed=seeds,
    width=st.integers(1, 40),
    bias=st.booleans(),
    layout=layouts,
    precision=precisions,
)
def test_the_bits_do_not_depend_on_the_instruction_set(
    seed: int, width: int, bias: bool, layout: Layout, precision: Precision
) -> None:
    """Python's floats take the sums one by one; the core must round as they do."""
    dice = np.random.default_rng(seed)
    X = dice.standard_normal((30, width)) * 10.0 ** dice.uniform(-3, 3, (30, width))
    X = X.astype(precision).astype(np.float64)
    data = Data(X, np.where(dice.random(30) < 0.5, 1, -1).astype(np.int8))
    ledger = play([data.block(layout, precision)], learner := Additive(width, bias=bias)).ledger

    w = [0.0] * (width + bias)
    scores, squares = [], []
    for x, y in zip(X.tolist(), data.y.tolist(), strict=True):
        point = x + [1.0] * bias
        s = eight_lanes(point, w)
        if y * s <= 0:
            w = [w_j + y * x_j for w_j, x_j in zip(w, point, strict=True)]
            scores.append(s)
            squares.append(eight_lanes(point, point))
    assert learner.weights.tolist() == w
    assert ledger.scores.tolist() == scores
    assert ledger.squares.tolist() == squares
    asked = [eight_lanes(x + [1.0] * bias, w) for x in X.tolist()]
    assert learner.scores(data.rows(layout, precision)).tolist() == asked


@dataclass(frozen=True)
class Flawed:
    """Ten rows of which one cannot be used, and what is said of it."""

    spoil: Callable[[int], Rows]
    says: str


def good() -> Data:
    X = np.random.default_rng(7).standard_normal((10, 5)).astype(np.float32)
    return Data(X.astype(np.float64), np.array([1, -1] * 5, dtype=np.int8))


def dense_with(value: float, precision: Precision = "float64") -> Callable[[int], Rows]:
    def spoil(i: int) -> Rows:
        rows = DenseRows(good().X.astype(precision))
        rows.values[i, 3] = value
        return rows

    return spoil


def sparse() -> SparseRows:
    rows = good().rows("csr of int32")
    assert isinstance(rows, SparseRows)
    return rows


def sparse_with(value: float) -> Callable[[int], Rows]:
    def spoil(i: int) -> Rows:
        rows = sparse()
        rows.values[rows.starts[i] + 3] = value
        return rows

    return spoil


def index_of(column: int) -> Callable[[int], Rows]:
    def spoil(i: int) -> Rows:
        rows = sparse()
        rows.indices[rows.starts[i] + (0 if column < 0 else 4)] = column
        return rows

    return spoil


FLAWS = {
    "NaN": Flawed(dense_with(np.nan), "contains NaN"),
    "NaN in float32": Flawed(dense_with(np.nan, "float32"), "contains NaN"),
    "infinity": Flawed(dense_with(np.inf), "contains infinity"),
    "minus infinity": Flawed(dense_with(-np.inf, "float32"), "contains infinity"),
    "NaN in a CSR": Flawed(sparse_with(np.nan), "contains NaN"),
    "infinity in a CSR": Flawed(sparse_with(-np.inf), "contains infinity"),
    "index too large": Flawed(index_of(5), "column 5 is not in 0..4"),
    "index far too large": Flawed(index_of(2**31 - 1), "column 2147483647 is not in 0..4"),
    "index below 0": Flawed(index_of(-1), "column -1 is not in 0..4"),
}
every_flaw = pytest.mark.parametrize("flawed", FLAWS.values(), ids=FLAWS.keys())
anywhere = pytest.mark.parametrize("bad", [0, 4, 9])


@every_learner
@every_flaw
@anywhere
def test_a_bad_row_is_refused_and_all_before_it_learned(
    make: Factory, flawed: Flawed, bad: int
) -> None:
    learner, other = make(5), make(5)
    rows = flawed.spoil(bad)
    if suited(make, good()).X.min() >= 0:
        np.abs(rows.values, out=rows.values)
    some = Block(rows, good().y, first=1000)
    if bad:
        stopped, made = learner.learn(some, 0, 10)
        assert stopped == bad
        _, expected = other.learn(suited(make, good()).block(first=1000), 0, bad)
        assert made.rounds.tolist() == expected.rounds.tolist()
        assert made.rows.tolist() == expected.rows.tolist()
    assert state(learner) == state(other)
    with pytest.raises(BadExample, match=rf"row {1000 + bad}\b") as refused:
        learner.learn(some, bad, 10)
    assert flawed.says in str(refused.value)
    assert state(learner) == state(other)


def test_a_first_row_that_begins_before_the_entries_is_refused() -> None:
    rows = sparse()
    rows.starts[0] = -1
    learner = Additive(5)
    with pytest.raises(BadExample, match="row 0: .* out of bounds"):
        learner.learn(Block(rows, good().y), 0, 10)
    with pytest.raises(BadExample, match="row 0: .* out of bounds"):
        learner.scores(rows)
    assert learner.rounds == 0


@every_flaw
@anywhere
def test_a_run_that_meets_a_bad_row_leaves_a_whole_ledger(flawed: Flawed, bad: int) -> None:
    """Everything before it has been learned and can be read from the ledger."""
    learner = Additive(5, bias=True, averaging=True)
    ledger = learner.open_ledger()
    with pytest.raises(BadExample, match=rf"row {bad}\b"):
        play([Block(flawed.spoil(bad), good().y)], learner, ledger=ledger, epochs=3)
    assert ledger.n_rounds == learner.rounds == bad
    assert kept(learner, ledger)


def test_a_run_goes_on_after_a_bad_row() -> None:
    """With the same ledger and other data, as a service does that skips what it cannot use."""
    learner = Additive(5)
    ledger = learner.open_ledger()
    with pytest.raises(BadExample):
        play([Block(FLAWS["NaN"].spoil(4), good().y)], learner, ledger=ledger)
    other = Data(good().X[::-1] - 1.0, good().y)
    play([other.block(first=10)], learner, ledger=ledger)
    assert ledger.n_rounds == 14
    assert kept(learner, ledger)


@pytest.mark.parametrize("which", ["NaN", "infinity in a CSR", "index too large"])
@anywhere
def test_a_bad_row_is_named_when_the_order_is_mixed(which: str, bad: int) -> None:
    order = np.random.default_rng(2).permutation(10)
    learner = Additive(5)
    with pytest.raises(BadExample, match=rf"row {bad}\b"):
        play([Block(FLAWS[which].spoil(bad), good().y, order=order)], learner)
    assert order[learner.rounds] == bad


@every_flaw
@anywhere
def test_a_bad_row_is_not_scored(flawed: Flawed, bad: int) -> None:
    learner = Additive(5)
    learner.learn(good().block(), 0, 10)
    with pytest.raises(BadExample, match=rf"row {bad}\b"):
        learner.scores(flawed.spoil(bad))


@pytest.mark.parametrize("which", ["index too large", "NaN in a CSR"])
def test_an_untidy_row_before_a_bad_one_is_learned(which: str) -> None:
    rows = FLAWS[which].spoil(6)
    assert isinstance(rows, SparseRows)
    rows.indices[:2], rows.values[:2] = rows.indices[1::-1].copy(), rows.values[1::-1].copy()
    learner, other = Additive(5), Additive(5)
    other.learn(good().block(), 0, 6)
    with pytest.raises(BadExample, match=r"row 106\b"):
        play([Block(rows, good().y, first=100)], learner)
    assert state(learner) == state(other)


def test_a_bad_row_is_refused_by_the_vote() -> None:
    learner = Additive(5)
    ledger = play([good().block()], learner).ledger
    with pytest.raises(BadExample, match=r"row 4\b"):
        readings.vote(ledger, FLAWS["index too large"].spoil(4))


@pytest.mark.parametrize("place", [10, -1, 2**62])
def test_an_order_that_names_no_row_is_refused(place: int) -> None:
    order = np.arange(10)
    order[3] = place
    learner = Additive(5)
    some = Block(good().rows(), good().y, order=order)
    assert learner.learn(some, 0, 10)[0] == 3
    with pytest.raises(BadExample, match="there is no such row"):
        learner.learn(some, 3, 10)


def test_a_score_too_large_for_a_float_is_refused() -> None:
    learner = Additive(2)
    some = block([[1e160, 0.0], [1e160, 0.0], [1.0, 1.0]], [1, -1, 1])
    assert learner.learn(some, 0, 3)[0] == 1
    with pytest.raises(BadExample, match=r"row 1: the score is too large .*1e\+160"):
        learner.learn(some, 1, 3)
    assert learner.weights.tolist() == [1e160, 0.0]


def test_a_score_that_is_infinitely_right_is_refused_too() -> None:
    learner = Additive(1)
    with pytest.raises(BadExample, match=r"row 1\b"):
        play([block([[1e160], [1e160]], [1, 1])], learner)


def test_rows_of_another_length_are_refused() -> None:
    learner = Additive(3)
    with pytest.raises(BadExample, match="rows have 5 features, the learner has 3"):
        learner.learn(good().block(), 0, 1)
    assert learner.rounds == 0


def test_an_average_that_was_not_kept_is_not_given() -> None:
    with pytest.raises(ValueError, match="averaging=True"):
        _ = Additive(3).average


@pytest.mark.parametrize("rate", [0.0, -1.0, np.inf, np.nan])
def test_a_rate_is_positive_and_finite(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        Additive(3, rate=rate)


@pytest.mark.parametrize("margin", [-1.0, np.inf, np.nan])
def test_a_margin_is_finite_and_not_negative(margin: float) -> None:
    with pytest.raises(ValueError, match="margin"):
        Additive(3, margin=margin)


@pytest.mark.parametrize("weights", [(0.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (1.0, np.inf)])
def test_class_weights_are_positive_and_finite(weights: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="class weights"):
        Additive(3, class_weights=weights)


@pytest.mark.parametrize("start", [[1.0, 2.0], [1.0, 2.0, np.nan], [[1.0, 2.0, 3.0]]])
def test_a_start_is_one_finite_weight_a_feature(start: list[float]) -> None:
    with pytest.raises(ValueError, match="start must hold 3 finite weights"):
        Additive(3, start=np.array(start))


def test_a_tie_rule_has_one_of_three_names() -> None:
    with pytest.raises(ValueError, match="mistake, positive, negative"):
        Additive(3, ties="zero")  # type: ignore[arg-type]


def test_the_start_given_is_not_written_to() -> None:
    start = np.array([1.0, -1.0])
    play([block([[1.0, 1.0]] * 3, [1, -1, 1])], Additive(2, start=start), epochs=3)
    assert start.tolist() == [1.0, -1.0]
