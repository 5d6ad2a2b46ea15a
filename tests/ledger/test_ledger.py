"""The ledger: what it keeps, what it refuses to say, and that it grows with the mistakes alone."""

from __future__ import annotations

import pickle
from bisect import bisect_right
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import Data, Layout, dyadic_data, float_data, layouts
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Keep, Ledger, NotKept
from novikoff.runs.loop import play
from novikoff.sources import block
from novikoff.stream.blocks import Block
from novikoff.stream.printing import plural
from novikoff.stream.rows import DenseRows, Rows, Vector

KEEPS: tuple[Keep, ...] = ("examples", "positions", "counts")
XOR = block([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [-1, 1, 1, -1])
# labels that have nothing to do with the points: every row is mistaken, and no weights return
ENDLESS = block(np.random.default_rng(2).standard_normal((12, 2)), [-1, 1, 1, -1] * 3)


def played(some: Block, *, epochs: int = 1, keep: Keep = "examples") -> Ledger:
    learner = Additive(some.rows.dim, bias=True)
    return play([some], learner, epochs=epochs, ledger=learner.open_ledger(keep)).ledger


def test_a_ledger_starts_empty() -> None:
    ledger = Ledger(3)
    assert len(ledger) == ledger.n_mistakes == ledger.n_rounds == 0
    assert ledger.radius == 0.0
    assert len(ledger.mistakes) == len(ledger.example) == 0
    assert ledger.mistakes_by(10) == 0
    assert ledger.survivals().tolist() == [0]
    assert repr(ledger) == "<Ledger: 0 mistakes in 0 rounds>"


def test_it_says_how_many_mistakes_in_how_many_rounds() -> None:
    ledger = played(ENDLESS, epochs=3)
    assert ledger.n_rounds == 36
    assert repr(ledger) == f"<Ledger: {len(ledger)} mistakes in 36 rounds>"


@settings(max_examples=40)
@given(float_data(), st.integers(1, 3), layouts)
def test_mistakes_by_a_round_are_those_up_to_and_with_it(
    data: Data, epochs: int, layout: Layout
) -> None:
    ledger = played(data.block(layout), epochs=epochs)
    rounds = ledger.rounds.tolist()
    for t in range(ledger.n_rounds + 2):
        assert ledger.mistakes_by(t) == bisect_right(rounds, t)
    assert ledger.mistakes_by(0) == 0
    assert ledger.mistakes_by(ledger.n_rounds) == ledger.n_mistakes


def test_with_a_margin_mistakes_by_a_round_leave_out_narrow_updates() -> None:
    learner = Additive(1, margin=2.0)
    ledger = play(block([[1.0], [1.0], [-1.0]], [1, 1, 1]), learner).ledger
    assert [ledger.updates_by(t) for t in range(4)] == [0, 1, 2, 3]
    assert [ledger.mistakes_by(t) for t in range(4)] == [0, 1, 1, 2]


@settings(max_examples=40)
@given(float_data(), st.integers(1, 3))
def test_a_survival_counts_the_rounds_that_the_weights_lasted(data: Data, epochs: int) -> None:
    ledger = played(data.block(), epochs=epochs)
    stood = [ledger.updates_by(t) for t in range(1, ledger.n_rounds + 1)]
    counts = np.bincount(stood, minlength=len(ledger) + 1)
    assert ledger.survivals().tolist() == counts.tolist()


@settings(max_examples=40)
@given(float_data(), st.integers(1, 4))
def test_epochs_add_up_to_the_run(data: Data, epochs: int) -> None:
    ledger = played(data.block(), epochs=epochs)
    assert sum(ledger.epoch_mistakes) == ledger.n_mistakes
    assert ledger.epoch_ends[-1] == ledger.n_rounds
    ends = [ledger.mistakes_by(t) for t in (0, *ledger.epoch_ends)]
    assert ledger.epoch_mistakes == np.diff(ends).tolist()


@settings(max_examples=40)
@given(dyadic_data(), st.integers(1, 4), layouts)
def test_each_mistaken_row_is_stored_once(data: Data, epochs: int, layout: Layout) -> None:
    ledger = played(data.block(layout, first=50), epochs=epochs)
    if len(ledger) == 0:
        return
    assert len(ledger.examples) == len(np.unique(ledger.rows))
    for row, which in zip(ledger.rows.tolist(), ledger.example.tolist(), strict=True):
        columns, values = ledger.examples.row(which)
        dense = np.zeros(data.dim)
        dense[columns] = values
        assert dense.tolist() == data.X[row - 50].tolist()


def test_a_row_mistaken_in_every_epoch_is_still_stored_once() -> None:
    ledger = played(ENDLESS, epochs=200)
    assert ledger.n_mistakes >= 200
    assert len(ledger.examples) == len(np.unique(ledger.rows)) == 12


def test_the_rows_of_a_run_can_be_read_after_every_pass_and_in_any_order() -> None:
    rows = np.random.default_rng(3).standard_normal((40, 3))
    numbers = np.random.default_rng(4).permutation(40)
    some = block(rows[numbers], np.where(rows[numbers, 0] > 0.3, 1, -1))
    some = replace(some, numbers=numbers)
    read: list[tuple[list[int], list[list[float]]]] = []

    def look(ledger: Ledger) -> None:
        read.append((ledger.rows.tolist(), ledger.examples.values.tolist()))

    ledger = play(some, Additive(3), epochs=4, progress=look).ledger
    assert len(read) == 4
    for mistaken, examples in read:
        assert examples == rows[sorted(set(mistaken))].tolist()
    rows[:] = some.rows.values[:] = 0
    assert ledger.examples.values.tolist() == read[-1][1]


def test_rows_beyond_the_limit_are_not_copied_at_the_end_of_a_run() -> None:
    wide = block(np.random.default_rng(3).standard_normal((40, 300)), [-1, 1] * 20)
    for limit, keep in ((10**6, "examples"), (40_000, "counts")):
        learner = Additive(300)
        ledger = learner.open_ledger()
        ledger.most_bytes = limit
        play(wide, learner, epochs=2, ledger=ledger)
        assert ledger.keep == keep
        assert ledger.n_mistakes == play(wide, Additive(300), epochs=2).ledger.n_mistakes


def test_what_is_stored_is_a_copy() -> None:
    values = np.array([[1.0, 2.0]])
    some = Block(DenseRows(values), np.array([1], dtype=np.int8))
    ledger = play([some], Additive(2)).ledger
    values[:] = 99.0
    assert readings.final(ledger).tolist() == [1.0, 2.0]


def test_the_columns_hold_no_more_memory_than_the_mistakes() -> None:
    """Not views into the room that a pass asks for, which is one place a row."""
    learner = Additive(1)
    _, made = learner.learn(block(np.ones((1000, 1)), np.ones(1000)), 0, 1000)
    for column in (made.rounds, made.rows, made.scores, made.steps, made.squares):
        assert column.base is None
        assert len(column) == 1


def repeats(n: int) -> Block:
    return block(np.ones((n, 3)), np.ones(n))


@pytest.mark.parametrize("keep", KEEPS)
def test_a_ledger_does_not_grow_with_the_stream(keep: Keep) -> None:
    """SPEC 1.2; a hundred times the rounds add a few digits to one number."""
    short, long = (len(pickle.dumps(played(repeats(n), keep=keep))) for n in (1000, 100_000))
    assert long - short < 64


@pytest.mark.parametrize("keep", KEEPS)
def test_a_ledger_grows_with_the_mistakes_by_forty_bytes_at_most(keep: Keep) -> None:
    """Two integers and three floats; nothing when only counts are kept."""
    sizes, counts = [], []
    for epochs in (100, 1100):
        ledger = played(ENDLESS, epochs=epochs, keep=keep)
        assert len(ledger.epoch_ends) == epochs
        if keep != "counts":
            assert len(ledger.mistakes) == ledger.n_mistakes
        for of_pass in (ledger.epoch_ends, ledger.epoch_updates, ledger.epoch_mistakes):
            of_pass.clear()
        sizes.append(len(pickle.dumps(ledger)))
        counts.append(ledger.n_mistakes)
    growth = sizes[1] - sizes[0]
    assert growth <= (40 * (counts[1] - counts[0]) if keep != "counts" else 0) + 64


@settings(max_examples=40)
@given(float_data(), st.sampled_from(KEEPS), st.integers(1, 3), st.sampled_from((0.0, 0.5, 9.0)))
def test_an_update_on_an_example_that_was_right_is_no_mistake(
    data: Data, keep: Keep, epochs: int, margin: float
) -> None:
    learner, asked = (Additive(data.dim, bias=True, margin=margin) for _ in range(2))
    some = data.block()
    run = play(some, learner, epochs=epochs, ledger=learner.open_ledger(keep))
    updates, wrong = [], []
    for _ in range(run.epochs):
        updates.append(0)
        wrong.append(0)
        for i, y in enumerate(data.y.tolist()):
            s = y * asked.scores(some.rows)[i]
            updates[-1] += bool(s <= margin)
            wrong[-1] += bool(s <= 0)
            asked.learn(some, i, i + 1)
    ledger = run.ledger
    assert (ledger.epoch_updates, ledger.epoch_mistakes) == (updates, wrong)
    assert (ledger.updates_per_pass, ledger.mistakes_per_pass) == (updates, wrong)
    assert (len(ledger), ledger.n_updates, ledger.n_mistakes) == (sum(updates),) * 2 + (sum(wrong),)
    assert (run.verdict == "separated") == (updates[-1] == 0)
    said = "" if updates == wrong else f"{sum(updates)} updates and "
    said += plural(sum(wrong), "mistake")
    assert repr(ledger) == f"<Ledger: {said} in {plural(ledger.n_rounds, 'round')}>"


@settings(max_examples=40)
@given(float_data(), st.sampled_from(KEEPS), st.integers(1, 3))
def test_what_is_kept_does_not_change_what_is_counted(data: Data, keep: Keep, epochs: int) -> None:
    full, less = played(data.block(), epochs=epochs), played(data.block(), epochs=epochs, keep=keep)
    assert less.n_mistakes == full.n_mistakes == len(less)
    assert less.n_rounds == full.n_rounds
    assert less.radius == full.radius
    assert less.epoch_mistakes == full.epoch_mistakes
    assert less.epoch_updates == full.epoch_updates
    if keep == "positions":
        assert less.rows.tolist() == full.rows.tolist()
        assert less.survivals().tolist() == full.survivals().tolist()


@settings(max_examples=40)
@given(dyadic_data())
def test_the_radius_is_that_of_the_mistaken_examples(data: Data) -> None:
    ledger = played(data.block(), epochs=2)
    squares = [float(data.X[i] @ data.X[i]) + 1.0 for i in ledger.rows]
    assert ledger.squares.tolist() == squares
    assert ledger.radius == np.sqrt(max(squares, default=0.0))


def test_reading_in_the_middle_changes_nothing() -> None:
    """The pieces are put together when read; what comes after must still find its rows."""
    data = Data(np.random.default_rng(3).standard_normal((60, 4)), np.array([1, -1] * 30, np.int8))
    read, quiet = Additive(4), Additive(4)
    ledgers = read.open_ledger(), quiet.open_ledger()
    for piece in data.pieces(list(range(0, 60, 7))):
        for at in range(len(piece)):
            for learner, ledger in zip((read, quiet), ledgers, strict=True):
                _, made = learner.learn(piece, at, at + 1)
                ledger.record(made, 1, piece)
            assert len(ledgers[0].rounds) == ledgers[0].n_mistakes
        assert readings.final(ledgers[0]).tobytes() == read.weights.tobytes()
    assert readings.final(ledgers[1]).tobytes() == quiet.weights.tobytes()
    assert ledgers[0].rows.tolist() == ledgers[1].rows.tolist()
    assert len(ledgers[0].examples) == len(ledgers[1].examples)


def test_blocks_of_different_layouts_make_one_ledger() -> None:
    data = Data(np.random.default_rng(4).standard_normal((30, 6)), np.array([1, -1] * 15, np.int8))
    first, second, third = data.pieces([10, 20])
    sparse = Data(data.X[10:20], second.signs).block("csr of int32", first=10)
    learner = Additive(6)
    ledger = play([first, sparse, third], learner).ledger
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()


@pytest.mark.parametrize(
    ("layout", "precision"),
    [("dense", "float32"), ("csr of int64", "float64"), ("csr of int32", "float32")],
)
def test_blocks_of_different_precision_or_width_make_one_ledger(
    layout: Layout, precision: str
) -> None:
    X = np.random.default_rng(5).standard_normal((20, 6)).astype(np.float32).astype(np.float64)
    half = Data(X[:10], np.array([1, -1] * 5, np.int8)), Data(X[10:], np.array([1] * 10, np.int8))
    other: Layout = "dense" if layout == "dense" else "csr of int32"
    blocks = [
        half[0].block(layout, "float32" if precision == "float32" else "float64"),
        half[1].block(other, "float64", first=10),
    ]
    ledger = play(blocks, learner := Additive(6), epochs=2).ledger
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()


def test_a_ledger_of_counts_has_no_single_mistakes() -> None:
    ledger = played(XOR, keep="counts")
    for name in ("mistakes", "rounds", "rows", "scores", "steps", "squares", "labels"):
        with pytest.raises(NotKept, match="kept counts only; use keep='positions' or 'examples'"):
            getattr(ledger, name)
    with pytest.raises(NotKept, match="kept counts only"):
        ledger.mistakes_by(3)
    with pytest.raises(NotKept, match="kept counts only"):
        ledger.survivals()


def test_a_ledger_that_outgrows_its_limit_keeps_the_totals_of_one_that_does_not() -> None:
    learner = Additive(2, bias=True)
    ledger = learner.open_ledger()
    ledger.most_bytes = 2 * 10**6
    whole = played(ENDLESS, epochs=9000)
    play([ENDLESS], learner, epochs=3, ledger=ledger)
    assert ledger.keep == "examples"
    before = ledger.snapshot()
    play([ENDLESS], learner, epochs=8997, ledger=ledger)
    n = whole.n_mistakes
    assert n * 40 > 2 * 10**6
    assert (ledger.keep, ledger.n_rounds, len(ledger)) == ("counts", 9 * 12000, n)
    assert ledger.epoch_mistakes == whole.epoch_mistakes
    assert ledger.radius == whole.radius
    assert len(pickle.dumps(ledger)) < 200_000  # the counts of 9,000 passes
    assert before.rows.tolist() == whole.rows[: len(before)].tolist()  # readers keep what they had
    for read in (lambda: ledger.rows, lambda: readings.final(ledger)):
        with pytest.raises(NotKept, match="outgrew 2 MB and kept counts only; use keep="):
            read()


@pytest.mark.parametrize("name", ["examples", "example"])
def test_positions_alone_give_no_examples(name: str) -> None:
    ledger = played(XOR, keep="positions")
    with pytest.raises(NotKept, match="kept positions only; use keep='examples'"):
        getattr(ledger, name)


@pytest.mark.parametrize("keep", ["positions", "counts"])
@pytest.mark.parametrize("reading", ["final", "average", "vote"])
def test_no_reading_without_the_examples(keep: Keep, reading: str) -> None:
    ledger = played(XOR, keep=keep)
    with pytest.raises(NotKept, match="this ledger kept"):
        read(reading, ledger, XOR.rows)


def read(reading: str, ledger: Ledger, rows: Rows) -> Vector:
    if reading == "vote":
        return readings.vote(ledger, rows)
    return (readings.final if reading == "final" else readings.average)(ledger)


@pytest.mark.parametrize("keep", KEEPS)
def test_a_run_without_mistakes_can_be_read_whatever_is_kept(keep: Keep) -> None:
    learner = Additive(2, start=np.array([1.0, 0.5]))
    some = block([[1.0, 1.0], [2.0, 0.0]], [1, 1])
    ledger = play([some], learner, ledger=learner.open_ledger(keep)).ledger
    assert readings.final(ledger).tolist() == [1.0, 0.5]
    assert readings.average(ledger).tolist() == [1.0, 0.5]
    asked = DenseRows(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]))
    assert readings.vote(ledger, asked).tolist() == [1, -1, 1]
    assert readings.vote(ledger, asked, zero_is_positive=False).tolist() == [1, -1, -1]


def test_the_vote_of_a_row_does_not_depend_on_its_neighbours() -> None:
    """Rows are voted on eight at a time; each must hear only its own votes."""
    data = Data(np.random.default_rng(6).standard_normal((21, 5)), np.array([1] * 21, np.int8))
    ledger = played(data.block(), epochs=2)
    for layout in ("dense", "csr of int32"):
        together = readings.vote(ledger, data.rows(layout)).tolist()
        alone = [readings.vote(ledger, DenseRows(x[None, :])).item() for x in data.X]
        assert together == alone


def test_all_votes_are_cast() -> None:
    """Each row hears as many voices as there were rounds, so the votes have their parity."""
    data = Data(np.random.default_rng(8).standard_normal((37, 5)), np.array([1, -1, 1] * 12 + [1]))
    ledger = played(Data(data.X, data.y.astype(np.int8)).block(), epochs=3)
    votes = np.round(readings.vote(ledger, data.rows()) * ledger.n_rounds)
    assert (np.abs(votes) <= ledger.n_rounds).all()
    assert ((votes - ledger.n_rounds) % 2 == 0).all()


def test_positions_and_the_data_give_every_mistaken_row() -> None:
    rows, learner = np.eye(5)[:, ::-1].copy(), Additive(5)
    data = [Block(DenseRows(rows[at : at + 2]), np.ones(len(rows[at : at + 2]), np.int8), at)
            for at in (0, 2, 4)]  # fmt: skip
    places = play(data, learner, ledger=learner.open_ledger("positions")).ledger
    found = places.with_examples(data)
    assert found.examples.sparse().indices.tolist() == [4, 3, 2, 1, 0]
    assert found.example.tolist() == [0, 1, 2, 3, 4]
    assert places.keep == "positions"
    assert readings.final(found).tolist() == learner.weights.tolist()


@given(data=float_data())
def test_the_readings_of_a_ledger_are_those_of_its_learner(data: Data) -> None:
    learner = Additive(data.dim, averaging=True)
    run, rows = play(data.block(), learner, epochs=3), data.block().rows
    for reading, scores in readings.scores_by_reading(run.ledger, rows).items():
        assert scores.tolist() == readings.scores(learner, run.ledger, reading, rows).tolist()
