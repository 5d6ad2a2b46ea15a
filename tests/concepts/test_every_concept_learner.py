"""What any learner must obey, for the learners of finite classes: every law holds bit for bit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.boolean_concepts import small_classes
from helpers.strategies import Data, Layout, layouts, orders, precisions, seeds, untidy
from novikoff.concepts import (
    ConceptClass,
    Consistent,
    Halving,
    Optimal,
    WeightedMajority,
    conjunctions,
    disjunctions,
    every_example,
    labelled,
    parities,
)
from novikoff.concepts.learners import ClassLearner
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import DenseRows

Make: TypeAlias = Callable[[ConceptClass], ClassLearner]

LEARNERS: dict[str, Make] = {
    "CON": Consistent,
    "CON at random": lambda concepts: Consistent(concepts, choose="random", seed=5),
    "Halving": Halving,
    "Optimal": Optimal,
    "WeightedMajority": WeightedMajority,
    "WeightedMajority of 0.9": lambda concepts: WeightedMajority(concepts, 0.9),
    "WeightedMajority of 0": lambda concepts: WeightedMajority(concepts, Fraction(0)),
}
every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS.keys())
few = settings(max_examples=25)

families: st.SearchStrategy[ConceptClass] = st.sampled_from(
    [conjunctions(4), disjunctions(5, k=2, monotone=True), parities(5)]
)


@st.composite
def taught(draw: st.DrawFn) -> tuple[ConceptClass, Data]:
    """A class, and examples labelled by one of its concepts; some come again."""
    concepts = draw(families | small_classes())
    target = concepts[draw(st.integers(0, concepts.size - 1))]
    dice = np.random.default_rng(draw(seeds))
    X = dice.integers(0, 2, (draw(st.integers(1, 16)), concepts.n)).astype(np.float64)
    return concepts, Data(X, np.where(target.evaluate(X), 1, -1).astype(np.int8))


def state(learner: ClassLearner) -> tuple[int, int, bytes]:
    """What a learner says of every example, to the bit."""
    rows = DenseRows(every_example(learner.dim).astype(np.float64))
    return learner.rounds, learner.left, learner.scores(rows).tobytes()


def written(ledger: Ledger) -> tuple[int, list[bytes]]:
    """All that a ledger says of the mistakes, to the bit."""
    columns = (ledger.rounds, ledger.rows, ledger.scores, ledger.steps, ledger.squares)
    return ledger.n_rounds, [column.tobytes() for column in columns]


@every_learner
@few
@given(drawn=taught(), layout=layouts)
def test_predicting_changes_nothing(
    make: Make, drawn: tuple[ConceptClass, Data], layout: Layout
) -> None:
    concepts, data = drawn
    asked, quiet, some = make(concepts), make(concepts), data.block(layout)
    for i in range(len(data)):
        before = state(asked)
        assert asked.scores(some.rows).tobytes() == asked.scores(some.rows).tobytes()
        assert state(asked) == before
        asked.learn(some, i, i + 1)
        quiet.learn(some, i, i + 1)
    assert state(asked) == state(quiet)


@every_learner
@few
@given(drawn=taught(), layout=layouts)
def test_the_score_asked_for_is_the_score_learned_from(
    make: Make, drawn: tuple[ConceptClass, Data], layout: Layout
) -> None:
    concepts, data = drawn
    learner, some = make(concepts), data.block(layout)
    for i in range(len(data)):
        said = learner.scores(some.rows)[i]
        _, made = learner.learn(some, i, i + 1)
        assert made.scores.tolist() == ([said] if (said >= 0) != (data.y[i] > 0) else [])


@every_learner
@few
@given(draws=st.data())
def test_a_block_is_its_examples_one_by_one(make: Make, draws: st.DataObject) -> None:
    concepts, data = draws.draw(taught())
    order = draws.draw(orders(len(data)))
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order, first=100)
    at_once, singly = make(concepts), make(concepts)
    run = play([some], at_once)
    ledger = singly.open_ledger()
    for k in range(len(data)):
        stopped, made = singly.learn(some, k, k + 1)
        assert stopped == k + 1
        ledger.record(made, 1)
        ledger.store(some)
    assert state(at_once) == state(singly)
    assert written(run.ledger) == written(ledger)


@every_learner
@few
@given(draws=st.data())
def test_where_blocks_are_cut_does_not_matter(make: Make, draws: st.DataObject) -> None:
    concepts, data = draws.draw(taught())
    cuts = draws.draw(st.lists(st.integers(0, len(data)), max_size=5))
    layout, precision = draws.draw(layouts), draws.draw(precisions)
    whole, cut = make(concepts), make(concepts)
    one = play([data.block(layout, precision)], whole, epochs=2)
    other = play(data.pieces(cuts, layout, precision), cut, epochs=2)
    assert state(whole) == state(cut)
    assert written(one.ledger) == written(other.ledger)
    assert one.verdict is other.verdict


@every_learner
@few
@given(draws=st.data())
def test_how_many_examples_are_met_at_a_time_does_not_matter(
    make: Make, draws: st.DataObject
) -> None:
    concepts, data = draws.draw(taught())
    size = draws.draw(st.integers(1, 5))
    whole, parted = make(concepts), make(concepts)
    one = play([data.block()], whole).ledger
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(parted), "most_examples", size)
        other = play([data.block()], parted).ledger
    assert state(whole) == state(parted)
    assert written(one) == written(other)


@every_learner
@few
@given(draws=st.data())
def test_every_layout_and_precision_gives_the_same_bits(make: Make, draws: st.DataObject) -> None:
    concepts, data = draws.draw(taught())
    plain, other = make(concepts), make(concepts)
    one = play([data.block()], plain).ledger
    two = play([data.block(draws.draw(layouts), draws.draw(precisions))], other).ledger
    assert state(plain) == state(other)
    assert written(one) == written(two)
    mixed = untidy(data.X, np.random.default_rng(draws.draw(seeds)))
    third = make(concepts)
    assert written(play([Block(mixed, data.y)], third).ledger) == written(one)
    assert state(third) == state(plain)


@every_learner
@few
@given(draws=st.data())
def test_a_copy_made_in_the_middle_goes_on_alone(make: Make, draws: st.DataObject) -> None:
    concepts, data = draws.draw(taught())
    middle = draws.draw(st.integers(0, len(data)))
    some = data.block(draws.draw(layouts))
    straight, learner = make(concepts), make(concepts)
    play([some], straight)
    learner.learn(some, 0, middle)
    before, again = state(learner), copy.deepcopy(learner)
    again.learn(some, middle, len(data))
    assert state(again) == state(straight)
    assert state(learner) == before


@every_learner
@few
@given(draws=st.data())
def test_what_is_refused_changes_nothing(make: Make, draws: st.DataObject) -> None:
    concepts, data = draws.draw(taught())
    at = draws.draw(st.integers(0, len(data) - 1))
    X = data.X.copy()
    X[at, draws.draw(st.integers(0, concepts.n - 1))] = draws.draw(st.sampled_from([2.0, np.nan]))
    some = Data(X, data.y).block(draws.draw(layouts), first=10)
    learner = make(concepts)
    if at:
        assert learner.learn(some, 0, len(data))[0] == at
    before = state(learner)
    with pytest.raises(BadExample, match=f"row {10 + at}: attribute"):
        learner.learn(some, at, len(data))
    assert state(learner) == before


@pytest.mark.parametrize("make", [Consistent, Halving, Optimal])
@few
@given(drawn=taught())
def test_a_second_pass_over_what_a_concept_says_is_clean(
    make: Make, drawn: tuple[ConceptClass, Data]
) -> None:
    concepts, data = drawn
    learner = make(concepts)
    play([data.block()], learner)
    again = play([data.block()], learner)
    assert again.verdict == "separated"
    assert again.ledger.began == again.ledger.n_rounds == len(data)


@every_learner
def test_a_run_has_a_summary_and_no_weights_are_spoken_of(make: Make) -> None:
    learner = make(conjunctions(3, monotone=True))
    run = play(labelled(["110", "011"], [False, True]), learner, epochs=9)
    lines = " ".join(str(run.summary()).split())
    assert "the last pass made no mistake, so the final hypotheses are right about every" in lines
    assert "halving_bound" in lines
    with pytest.raises(ValueError, match="rule is 'concepts'"):
        readings.final(run.ledger)
