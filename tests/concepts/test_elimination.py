"""Elimination against its textbook form in Python sets; its bounds; contradictory examples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.strategies import LAYOUTS, PRECISIONS, Data, Layout, untidy
from novikoff import play, sources
from novikoff.concepts import EliminateConjunction, EliminateDisjunction, conjunctions, disjunctions
from novikoff.concepts.examples import every_example
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, SparseRows

Learner: TypeAlias = EliminateConjunction | EliminateDisjunction


# ¬x₁ ∧ ¬x₂ is dropped by the third row, which is refused, and not by the fourth
_TAKEN_BACK = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=float)


@dataclass
class Textbook:
    """The conjunction of all literals, which loses those that are off in a positive example."""

    literals: set[int]
    mistakes: list[int] = field(default_factory=list)
    refused: int | None = None

    def meet(self, X: list[list[bool]], y: list[bool]) -> Textbook:
        def true(literals: set[int], x: list[bool]) -> set[int]:
            return {i for i in literals if x[abs(i) - 1] == (i > 0)}

        for t, (x, positive) in enumerate(zip(X, y, strict=True)):
            rest = true(self.literals, x) if positive else self.literals
            negatives = [z for z, said in zip(X[: t + 1], y, strict=False) if not said]
            if any(true(rest, z) == rest for z in negatives):
                self.refused = t
                break
            self.mistakes += [t] * (rest != self.literals)
            self.literals = rest
        return self


def textbook(data: Data, *, monotone: bool, conjunction: bool) -> Textbook:
    """A disjunction is the conjunction of the same literals when everything is turned around."""
    n = data.dim
    every = {*range(1, n + 1)} | (set() if monotone else {*range(-n, 0)})
    X, y = (data.X > 0) == conjunction, (data.y > 0) == conjunction
    return Textbook(every).meet(X.tolist(), y.tolist())


def learner_of(n: int, *, monotone: bool, conjunction: bool, remember: bool = True) -> Learner:
    made = EliminateConjunction if conjunction else EliminateDisjunction
    return made(n, monotone=monotone, remember=remember)


@st.composite
def any_labels(draw: st.DrawFn) -> Data:
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    bits = st.lists(st.booleans(), min_size=m * (n + 1), max_size=m * (n + 1))
    drawn = np.array(draw(bits)).reshape(m, n + 1)
    return Data(drawn[:, :n].astype(float), np.where(drawn[:, n], 1, -1).astype(np.int8))


@st.composite
def by_a_concept(draw: st.DrawFn, *, monotone: bool, conjunction: bool) -> Data:
    data = draw(any_labels())
    family = (conjunctions if conjunction else disjunctions)(data.dim, monotone=monotone)
    target = family[draw(st.integers(0, family.size - 1))]
    return Data(data.X, np.where(target.evaluate(data.X), 1, -1).astype(np.int8))


def play_until_refused(stream: Block | list[Block], learner: Learner) -> tuple[Ledger, str | None]:
    ledger = learner.open_ledger()
    try:
        play(stream, learner, ledger=ledger)
    except BadExample as error:
        return ledger, str(error)
    return ledger, None


@given(any_labels(), st.booleans(), st.booleans(), st.data())
def test_it_is_the_textbook_whatever_the_layout_and_the_cuts(
    data: Data, monotone: bool, conjunction: bool, more: st.DataObject
) -> None:
    book = textbook(data, monotone=monotone, conjunction=conjunction)
    learner = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    cuts = more.draw(st.lists(st.integers(0, len(data)), max_size=4))
    precision = more.draw(st.sampled_from(PRECISIONS))
    pieces = data.pieces(cuts, more.draw(st.sampled_from(LAYOUTS)), precision)
    ledger, error = play_until_refused(pieces, learner)
    assert set(learner.hypothesis.literals) == book.literals
    assert ledger.rows.tolist() == book.mistakes
    assert ledger.n_rounds == (len(data) if book.refused is None else book.refused)
    if book.refused is None:
        assert error is None
    else:
        assert error is not None
        assert error.startswith(f"row {book.refused}: ")
        assert "WeightedMajority" in error


@given(any_labels(), st.booleans(), st.booleans())
def test_it_refuses_exactly_the_first_example_with_which_no_concept_fits(
    data: Data, monotone: bool, conjunction: bool
) -> None:
    family = (conjunctions if conjunction else disjunctions)(data.dim, monotone=monotone)
    said = family.evaluate(data.X) == (data.y > 0)[:, None]
    fits = np.logical_and.accumulate(said, axis=0).any(axis=1)
    if not monotone:  # x ∧ ¬x is never true, and x ∨ ¬x always, so labels that never change fit
        fits |= np.logical_and.accumulate((data.y > 0) != conjunction)
    learner = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    ledger, _ = play_until_refused(data.block(), learner)
    assert ledger.n_rounds == np.count_nonzero(fits)


@pytest.mark.parametrize("conjunction", [True, False])
@pytest.mark.parametrize("monotone", [True, False])
@given(data=st.data())
def test_on_a_concept_it_ends_right_within_the_bound(
    data: st.DataObject, monotone: bool, conjunction: bool
) -> None:
    drawn = data.draw(by_a_concept(monotone=monotone, conjunction=conjunction))
    learner = learner_of(drawn.dim, monotone=monotone, conjunction=conjunction)
    run = play(drawn.block(), learner)
    assert run.ledger.n_mistakes <= drawn.dim + (not monotone)
    assert ((learner.scores(drawn.rows()) >= 0) == (drawn.y > 0)).all()
    assert (run.ledger.labels == drawn.y[run.ledger.rows]).all()
    assert (run.ledger.scores == -run.ledger.labels).all()
    assert (run.ledger.squares == drawn.X[run.ledger.rows].sum(axis=1)).all()
    assert run.ledger.rule == "concepts"


@given(any_labels(), st.booleans(), st.booleans(), st.integers(0, 99))
def test_an_order_and_untidy_rows_change_nothing(
    data: Data, monotone: bool, conjunction: bool, seed: int
) -> None:
    dice = np.random.default_rng(seed)
    order = dice.permutation(len(data))
    in_order = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    straight, _ = play_until_refused(Data(data.X[order], data.y[order]).block(), in_order)
    learner = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    rows = untidy(data.X, dice)
    ledger, _ = play_until_refused(Block(rows, data.y, order=order), learner)
    assert ledger.rows.tolist() == order[straight.rows].tolist()
    assert ledger.n_rounds == straight.n_rounds
    assert learner.hypothesis == in_order.hypothesis
    assert (learner.scores(rows) == in_order.scores(data.rows())).all()


@given(any_labels(), st.booleans(), st.booleans())
def test_what_is_refused_changes_nothing(data: Data, monotone: bool, conjunction: bool) -> None:
    learner = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    ledger, _ = play_until_refused(data.block(), learner)
    at, before = ledger.n_rounds, learner.hypothesis
    if at < len(data):
        with pytest.raises(BadExample, match=f"row {at}: "):
            learner.learn(data.block(), at, len(data))
    assert learner.hypothesis == before
    assert learner.rounds == at


def test_negative_examples_are_remembered_unless_remember_is_false() -> None:
    block = sources.block([[1, 0], [1, 0]], [-1, 1])
    with pytest.raises(BadExample, match="row 1: no literal separates it from row 0"):
        play(block, EliminateConjunction(2))
    forgetful = EliminateConjunction(2, remember=False)
    assert play(block, forgetful).ledger.n_mistakes == 1
    with pytest.raises(
        BadExample, match="row 0: its label is -1, but every literal left is true in it"
    ):
        forgetful.learn(block, 0, 1)


def test_a_negative_example_is_remembered_after_its_variables_were_dropped() -> None:
    X = [[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0]]
    learner = EliminateConjunction(4)
    with pytest.raises(BadExample, match="row 3: no literal separates it from row 0"):
        play(sources.block(X, [-1, 1, 1, 1]), learner)
    assert str(learner.hypothesis) == "x₁ ∧ x₂ ∧ x₄"


@given(any_labels(), st.booleans(), st.booleans())
@example(Data(_TAKEN_BACK, np.array([1, -1, 1, 1], dtype=np.int8)), False, True)
def test_a_refused_example_leaves_no_trace_in_later_learning(
    data: Data, monotone: bool, conjunction: bool
) -> None:
    learner = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    at, used = 0, list[int]()
    while at < len(data):
        try:
            stop, _ = learner.learn(data.block(), at, len(data))
        except BadExample:
            at += 1
        else:
            used += range(at, stop)
            at = stop
    fresh = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    if used:
        play(Data(data.X[used], data.y[used]).block(), fresh)
    assert learner.hypothesis == fresh.hypothesis
    assert (learner.scores(data.rows())[used] == data.y[used]).all()


@given(any_labels(), st.booleans(), st.booleans(), st.data())
def test_an_example_of_importance_0_only_counts_as_a_round(
    data: Data, monotone: bool, conjunction: bool, more: st.DataObject
) -> None:
    flags = more.draw(st.lists(st.booleans(), min_size=len(data), max_size=len(data)))
    used = np.flatnonzero(flags)
    learner = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    ledger, _ = play_until_refused(data.block(importances=np.array(flags, dtype=float)), learner)
    fresh = learner_of(data.dim, monotone=monotone, conjunction=conjunction)
    alone, error = play_until_refused(Data(data.X[used], data.y[used]).block(), fresh)
    assert learner.hypothesis == fresh.hypothesis
    assert ledger.rows.tolist() == used[alone.rows].tolist()
    if error is None or "no examples" in error:
        assert ledger.n_rounds == len(data)
    else:
        assert ledger.n_rounds == used[alone.n_rounds]


def test_a_million_attributes_in_sparse_rows() -> None:
    n, dice = 1_000_000, np.random.default_rng(0)
    relevant = np.array([1, 10, 100, 1_000, 10_000])
    rows = [
        np.union1d(dice.choice(n, 20, replace=False), relevant if i % 2 else relevant[:4])
        for i in range(400)
    ]
    starts = np.cumsum([0, *map(len, rows)])
    indices = np.concatenate(rows)
    y = np.array([1 if np.isin(relevant, row).all() else -1 for row in rows], dtype=np.int8)
    block = Block(SparseRows(np.ones(len(indices)), indices, starts, n), y)
    learner = EliminateConjunction(n, monotone=True)
    run = play(block, learner)
    assert str(learner.hypothesis) == "x₂ ∧ x₁₁ ∧ x₁₀₁ ∧ x₁₀₀₁ ∧ x₁₀₀₀₁"
    assert 1 <= run.ledger.n_mistakes <= 21  # the first leaves at most 25 literals


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", [2.0, -1.0, 0.5, float("nan")])
def test_a_value_other_than_0_and_1_is_refused_by_row_and_attribute(
    layout: Layout, value: float
) -> None:
    X = np.array([[1, 0, 1], [0, 1, value]])
    rows = Data(X, np.array([1, 1], dtype=np.int8)).rows(layout)
    learner = EliminateConjunction(3)
    with pytest.raises(BadExample, match=f"row 7: attribute x3 is {value}, not 0 or 1"):
        play(Block(rows, np.array([1, 1], dtype=np.int8), first=6), learner)
    assert learner.rounds == 1
    with pytest.raises(BadExample, match=f"row 1: attribute x3 is {value}"):
        learner.scores(rows)


def test_a_wrong_number_of_attributes_is_refused() -> None:
    block = Block(DenseRows(np.ones((1, 4))), np.ones(1, dtype=np.int8), first=3)
    with pytest.raises(BadExample, match="row 3 has 4 attributes, the learner has 3"):
        play(block, EliminateDisjunction(3))
    with pytest.raises(BadExample, match="rows have 4 attributes, the learner has 3"):
        EliminateDisjunction(3).scores(block.rows)
    with pytest.raises(ValueError, match="n must be at least 1, not 0"):
        EliminateDisjunction(0)


def test_an_index_outside_the_attributes_is_refused() -> None:
    rows = SparseRows(np.ones(2), np.array([1, 3]), np.array([0, 1, 2]), 3)
    learner = EliminateConjunction(3)
    with pytest.raises(BadExample, match="row 1: an index is outside 0..2"):
        play(Block(rows, np.ones(2, dtype=np.int8)), learner)
    assert str(learner.hypothesis) == "¬x₁ ∧ x₂ ∧ ¬x₃"


@given(any_labels(), st.booleans())
def test_it_predicts_with_its_hypothesis(data: Data, conjunction: bool) -> None:
    learner = learner_of(data.dim, monotone=False, conjunction=conjunction)
    play_until_refused(data.block(), learner)
    X = every_example(data.dim)
    said = learner.scores(DenseRows(X.astype(np.float32))) > 0
    assert (said == learner.hypothesis.evaluate(X)).all()
