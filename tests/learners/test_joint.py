"""Many classes learned jointly: the textbook's run in exact arithmetic, whatever the layout."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.strategies import Data, Layout, dyadic_data, float_data, stored
from helpers.textbook import Point, joint_perceptron
from novikoff import Additive, BadExample, Joint, Ledger, guarantees, play, sources
from novikoff.ledger import readings
from novikoff.ledger.ledger import Keep
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Vector

LAYOUTS: tuple[Layout, ...] = ("dense", "csr of int32")


@st.composite
def with_classes(draw: st.DrawFn, data: Data) -> NDArray[np.int32]:
    """A class for each row, in numbers that are next when they are new."""
    drawn = draw(st.lists(st.integers(0, 4), min_size=len(data), max_size=len(data)))
    order: dict[int, int] = {}
    return np.array([order.setdefault(c, len(order)) for c in drawn], dtype=np.int32)


def exact(w: Vector) -> list[Point]:
    return [[Fraction(v) for v in row] for row in w.tolist()]


@given(st.data())
def test_it_is_the_textbooks_run(draw: st.DataObject) -> None:
    data = draw.draw(dyadic_data())
    codes = draw.draw(with_classes(data))
    bias, known = draw.draw(st.booleans()), draw.draw(st.booleans())
    margin = draw.draw(st.sampled_from([0.0, 1.0, 2.5]))
    rate = draw.draw(st.sampled_from([1.0, 0.5]))
    K = int(codes.max()) + 1
    learner = Joint(
        data.dim, classes=K if known else 0, bias=bias, margin=margin, rate=rate, averaging=True
    )
    layout: Layout = draw.draw(st.sampled_from(LAYOUTS))
    block = Block(stored(data.X, layout, "float64"), codes)
    run = play(block, learner, epochs=3)
    points = [[Fraction(v) for v in row] + [Fraction(1)] * bias for row in data.X.tolist()]
    shown = list(zip(range(len(data)), points, codes.tolist(), strict=True))
    book = joint_perceptron(
        shown, classes=K, known=known, margin=Fraction(margin), rate=Fraction(rate), epochs=3
    )
    ledger = run.ledger
    columns = (ledger.rounds, ledger.rows, ledger.scores, ledger.classes, ledger.rivals)
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == book.mistakes
    assert exact(learner.weights) == book.weights
    assert (run.verdict == "separated") == book.clean
    mean = [[float(v) for v in row] for row in book.average]
    assert learner.average.tolist() == mean  # dyadic sums are exact: one rounding, that of 1/T
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()
    assert readings.average(ledger).tobytes() == learner.average.tobytes()
    other: Layout = draw.draw(st.sampled_from(LAYOUTS))
    votes = readings.vote(ledger, stored(data.X, other, "float64"))
    T = max(1, ledger.n_rounds)
    assert votes.tolist() == [[v / T for v in book.voted(x)] for x in points]


@given(float_data(), st.data())
def test_dense_and_sparse_and_cut_and_widened_agree_to_the_last_bit(
    data: Data, draw: st.DataObject
) -> None:
    codes = draw.draw(with_classes(data))
    whole = Joint(data.dim, bias=True, averaging=True)
    run = play(Block(stored(data.X, "dense", "float64"), codes), whole)
    cut = draw.draw(st.integers(0, len(data)))
    parts = Joint(data.dim, bias=True, averaging=True)
    ledger = parts.open_ledger()
    for begin, end in ((0, cut), (cut, len(data))):
        if begin == end:
            continue
        rows = (
            stored(data.X[begin:end], "csr of int32", "float64")
            .sparse()
            .widened(data.dim + 3 * begin)
        )
        parts.widen(rows.dim)
        ledger.widen(rows.dim)
        play(Block(rows, codes[begin:end], begin), parts, ledger=ledger)
    n = data.dim
    assert np.array_equal(parts.weights[:, :n], whole.weights[:, :n])
    assert np.array_equal(parts.average[:, -1], whole.average[:, -1])
    assert np.array_equal(ledger.scores, run.ledger.scores)
    assert np.array_equal(ledger.rivals, run.ledger.rivals)


@given(float_data(), st.data())
def test_saving_and_restoring_in_the_middle_changes_nothing(
    data: Data, draw: st.DataObject
) -> None:
    codes = draw.draw(with_classes(data))
    half = len(data) // 2
    rate, margin = draw.draw(st.sampled_from([(1.0, 0.0), (0.3, 0.0), (0.3, 1.0)]))
    made = [Joint(data.dim, bias=True, averaging=True, rate=rate, margin=margin) for _ in range(2)]
    blocks = [
        Block(stored(data.X[part], "dense", "float64"), codes[part], first)
        for part, first in ((slice(0, half), 0), (slice(half, None), half))
        if len(codes[part])
    ]
    ledgers = [learner.open_ledger() for learner in made]
    for k, block in enumerate(blocks):
        play(block, made[0], ledger=ledgers[0])
        play(block, made[1], ledger=ledgers[1])
        if k == 0:
            made[1] = Joint.restored(*made[1].state())
            ledgers[1] = Ledger.restored(*ledgers[1].state())
    assert np.array_equal(made[0].weights, made[1].weights)
    assert np.array_equal(made[0].average, made[1].average)
    for name, column in ledgers[0].mistakes.columns.items():
        assert np.array_equal(column, ledgers[1].mistakes.columns[name])


def test_one_class_alone_has_no_rival_and_teaches_nothing() -> None:
    learner = Joint(2)
    run = play(sources.classes_block([[1.0, 2.0], [3.0, 4.0]], [0, 0]), learner)
    assert len(run.ledger) == 0
    assert learner.weights.tolist() == [[0.0, 0.0]]


def test_a_new_class_may_appear_at_any_time_and_was_no_rival_before() -> None:
    learner = Joint(1)
    run = play(sources.classes_block([[1.0], [-1.0], [1.0], [-2.0]], [0, 1, 0, 5]), learner)
    assert learner.n_classes == 6
    assert run.ledger.rivals.tolist() == [0, 1]  # class 5, with weights 0, was behind class 1


def test_an_example_that_cannot_be_used_changes_nothing() -> None:
    learner = Joint(2, bias=True)
    play(sources.classes_block([[1.0, 0.0], [0.0, 1.0]], [0, 1]), learner)
    before = learner.weights.copy()
    with pytest.raises(BadExample, match="row 0.*column 1"):
        play(sources.classes_block([[1.0, np.nan]], [7]), learner)
    assert learner.n_classes == 2
    assert np.array_equal(learner.weights, before)
    with pytest.raises(BadExample, match="too large"):
        play(sources.classes_block([[1e308, -1e308]], [1]), learner, epochs=9)
    with pytest.raises(BadExample, match="class -1 is not in 0..2"):
        sources.classes_block([[1.0, 2.0]], [-1])
    with pytest.raises(BadExample, match="3 features, the learner has 2"):
        play(sources.classes_block([[1.0, 2.0, 3.0]], [0]), learner)


def test_a_learner_of_two_labels_rejects_classes() -> None:
    block = sources.classes_block([[1.0], [2.0]], [0, 1])
    with pytest.raises(BadExample, match="are class numbers"):
        play(block, Additive(1))
    with pytest.raises(BadExample, match="are class numbers"):
        guarantees.achieved_margin([1.0], block)
    with pytest.raises(TypeError, match="the weights come first"):
        guarantees.achieved_margin(block, [1.0])  # type: ignore[arg-type]


def test_readings_include_the_start_of_the_ledger() -> None:
    learner = Joint(1)
    play(sources.classes_block([[1.0], [-1.0]], [0, 1]), learner)
    later = play(sources.classes_block([[-2.0], [3.0]], [2, 0]), learner).ledger
    assert later.start is not None
    assert later.start.tolist() == [[1.0, -1.0]]
    assert learner.weights.tolist() == [[4.0], [-2.0], [-2.0]]
    assert readings.final(later).tobytes() == learner.weights.tobytes()
    assert readings.average(later).tolist() == [[2.5], [-0.5], [-2.0]]
    rows = sources.classes_block([[1.0], [-1.0]], [0, 0]).rows
    assert readings.vote(later, rows).tolist() == [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    assert readings.vote(learner.open_ledger(), rows).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("keep", ["examples", "counts"])
def test_a_class_that_was_never_mistaken_is_known_all_the_same(keep: Keep) -> None:
    learner = Joint(1, classes=2)
    ledger = learner.open_ledger(keep)
    unimportant = np.array([1.0, 1.0, 0.0])
    block = sources.classes_block([[1.0], [-1.0], [0.0]], [0, 1, 2])
    play(replace(block, importances=unimportant), learner, ledger=ledger)
    again = Ledger.restored(*ledger.state())
    absorbed = Joint(1).open_ledger(keep)
    absorbed.absorb(ledger)
    assert [each.n_classes for each in (ledger, again, absorbed)] == [3, 3, 3]
    if keep == "examples":
        assert readings.final(again).tolist() == [[1.0], [-1.0], [0.0]]


def test_votes_are_for_a_sign_or_for_classes_as_the_ledger_is() -> None:
    ledger = play(sources.classes_block([[1.0], [-1.0]], [0, 1]), Joint(1)).ledger
    assert readings.vote(ledger, ledger.examples).shape == (len(ledger.examples), 2)
    two = play(sources.block([[1.0], [-1.0]], [1, -1]), Additive(1)).ledger
    assert readings.vote(two, two.examples).shape == (len(two.examples),)
