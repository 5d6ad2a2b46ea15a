"""The three protocols: the lecture's numbers, and every teacher with every learner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Additive, play
from novikoff.concepts import (
    LECTURE_TARGET,
    AskingConjunction,
    AskingDisjunction,
    Conjunction,
    Disjunction,
    EliminateConjunction,
    EliminateDisjunction,
    Nature,
    Oracle,
    Parity,
    Teacher,
    conjunctions,
    disjunctions,
    each_on,
    lecture_examples,
)
from novikoff.concepts.classes import Subsets
from novikoff.concepts.examples import Truths, every_example, labelled
from novikoff.learners import Learner
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows

Target: TypeAlias = Conjunction | Disjunction
Asking: TypeAlias = AskingConjunction | AskingDisjunction
Eliminating: TypeAlias = EliminateConjunction | EliminateDisjunction


@st.composite
def targets(draw: st.DrawFn, *, monotone: bool) -> tuple[Target, int]:
    n = draw(st.integers(1, 8))
    signs = draw(st.lists(st.sampled_from([0, 1] if monotone else [0, 1, -1]), min_size=n))
    literals = tuple(i * sign for i, sign in enumerate(signs[:n], 1) if sign)
    return Conjunction(literals) if draw(st.booleans()) else Disjunction(literals), n


def asking(target: Target, n: int, *, monotone: bool, known: Truths | None = None) -> Asking:
    if isinstance(target, Conjunction):
        return AskingConjunction(n, positive=known, monotone=monotone)
    return AskingDisjunction(n, negative=known, monotone=monotone)


def eliminating(target: Target, n: int, *, monotone: bool) -> Eliminating:
    if isinstance(target, Conjunction):
        return EliminateConjunction(n, monotone=monotone)
    return EliminateDisjunction(n, monotone=monotone)


def rounds(blocks: Iterator[Block]) -> list[tuple[str, int]]:
    return [
        ("".join(str(int(v)) for v in block.rows.values[0]), int(block.labels[0]))
        for block in blocks
    ]


def test_protocol_one_finds_the_hidden_function_with_100_questions() -> None:
    learner, oracle = AskingConjunction(100), Oracle(LECTURE_TARGET, 100)
    run = play(oracle.teach(learner), learner)
    assert (oracle.questions, run.ledger.n_rounds) == (100, 100)
    assert learner.exact
    assert learner.hypothesis == LECTURE_TARGET


def test_its_questions_are_all_ones_but_one() -> None:
    learner, oracle = AskingConjunction(100), Oracle(LECTURE_TARGET, 100)
    asked = list[Truths]()
    for block in oracle.teach(learner):
        learner.learn(block, 0, 1)
        asked.append(block.rows.values[0] > 0)
    assert (np.array(asked) == ~np.eye(100, dtype=np.bool_)).all()


def test_protocol_one_from_one_positive_example_when_literals_may_be_negated() -> None:
    target = Conjunction((2, -3, 4, -5, 100))
    positive = np.random.default_rng(0).random(100) < 0.5
    positive[[1, 3, 99]], positive[[2, 4]] = True, False
    learner, oracle = AskingConjunction(100, positive=positive, monotone=False), Oracle(target, 100)
    play(oracle.teach(learner), learner)
    assert (oracle.questions, learner.exact, learner.hypothesis) == (100, True, target)


def test_protocol_two_takes_six_examples() -> None:
    learner = AskingConjunction(100)
    run = play(Teacher(LECTURE_TARGET, 100).teach(learner), learner)
    assert run.ledger.n_rounds == 6
    assert learner.exact
    assert learner.hypothesis == LECTURE_TARGET


def test_protocol_two_shows_the_relevant_variables_and_then_each_without_one() -> None:
    lesson = rounds(Teacher(LECTURE_TARGET, 100).teach(AskingConjunction(100)))
    rest = "0" * 94
    assert lesson == [
        ("01111" + rest + "1", 1),
        ("00111" + rest + "1", -1),
        ("01011" + rest + "1", -1),
        ("01101" + rest + "1", -1),
        ("01110" + rest + "1", -1),
        ("01111" + rest + "0", -1),
    ]


def test_protocol_three_ends_with_one_variable_too_many() -> None:
    block = lecture_examples()
    shown = ["".join(str(int(v)) for v in x) for x in block.rows.values]
    assert [(x[:6], x[6:98].strip(x[50]), x[98:], len(x)) for x in shown] == [
        ("111111", "", "11", 100),
        ("111000", "", "00", 100),
        ("111110", "", "11", 100),
        ("101110", "", "11", 100),
        ("111110", "", "01", 100),
        ("101000", "", "11", 100),
        ("111111", "", "01", 100),
        ("010100", "", "11", 100),
    ]
    assert [x[50] for x in shown] == list("10000010")
    assert block.labels.tolist() == [1, -1, 1, -1, 1, -1, 1, -1]
    for monotone in (True, False):
        learner = EliminateConjunction(100, monotone=monotone)
        play(block, learner)
        assert str(learner.hypothesis) == "x₁ ∧ x₂ ∧ x₃ ∧ x₄ ∧ x₅ ∧ x₁₀₀"
    knows = AskingConjunction(100)
    play(block, knows)
    assert knows.hypothesis == learner.hypothesis
    assert not knows.exact


def test_recorded_examples_are_a_stream() -> None:
    X = lecture_examples().rows
    learner = EliminateConjunction(100, monotone=True)
    assert play(labelled(X, LECTURE_TARGET.evaluate(X)), learner).ledger.rows.tolist() == [2, 4]
    assert len(learner.hypothesis.literals) == 6


@pytest.mark.parametrize("monotone", [True, False])
@given(data=st.data())
def test_n_questions_find_any_target(data: st.DataObject, monotone: bool) -> None:
    target, n = data.draw(targets(monotone=monotone))
    known = None
    if not monotone:
        free = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
        known = np.array(free)
        for i in target.literals:
            known[abs(i) - 1] = (i > 0) == isinstance(target, Conjunction)
    learner, oracle = asking(target, n, monotone=monotone, known=known), Oracle(target, n)
    play(oracle.teach(learner), learner)
    assert oracle.questions == n
    assert learner.exact
    assert learner.hypothesis == learner.necessary == target


@pytest.mark.parametrize("monotone", [True, False])
@given(data=st.data())
def test_the_teacher_needs_one_example_more_than_literals_or_two(
    data: st.DataObject, monotone: bool
) -> None:
    target, n = data.draw(targets(monotone=monotone))
    k = len(target.literals)
    learner = asking(target, n, monotone=monotone)
    run = play(Teacher(target, n, monotone=monotone).teach(learner), learner)
    assert run.ledger.n_rounds == k + 1 + (not monotone and k < n)
    assert learner.exact
    assert learner.hypothesis == target
    eliminates = eliminating(target, n, monotone=monotone)
    play(Teacher(target, n, monotone=monotone).teach(eliminates), eliminates)
    assert eliminates.hypothesis == target


@pytest.mark.parametrize("family", [conjunctions(4, monotone=True), disjunctions(4, monotone=True)])
def test_no_lesson_for_a_monotone_target_is_shorter(family: Subsets) -> None:
    said = family.evaluate(every_example(4))
    for target in family:
        assert isinstance(target, Conjunction | Disjunction)
        fits = said == target.evaluate(every_example(4))[:, None]
        lesson = Teacher(target, 4).examples @ (1 << np.arange(4))
        assert fits[lesson].all(axis=0).sum() == 1
        k = len(target.literals)
        if k < 4:
            shorter = map(list, combinations(range(16), k))
            assert all(fits[some].all(axis=0).sum() > 1 for some in shorter)


@given(data=st.data(), monotone=st.booleans())
def test_the_hypothesis_is_exact_when_one_concept_is_left(
    data: st.DataObject, monotone: bool
) -> None:
    target, n = data.draw(targets(monotone=monotone).filter(lambda given: given[1] <= 4))
    some = data.draw(st.lists(st.integers(0, (1 << n) - 1), min_size=1, max_size=12))
    X = every_example(n)[some]
    learner = asking(target, n, monotone=monotone)
    play(labelled(X, target.evaluate(X)), learner)
    family = (conjunctions if isinstance(target, Conjunction) else disjunctions)(
        n, monotone=monotone
    )
    said = target.evaluate(X)
    left = int((family.evaluate(X) == said[:, None]).all(axis=0).sum())
    if monotone or (said == isinstance(target, Conjunction)).any():
        assert learner.exact == (left == 1)
    assert (
        set(learner.necessary.literals) <= set(target.literals) <= set(learner.hypothesis.literals)
    )
    assert (learner.scores(DenseRows(X.astype(np.float64))) > 0).tolist() == said.tolist()


@given(data=st.data(), monotone=st.booleans(), seed=st.integers(0, 99))
def test_on_random_examples_it_predicts_as_elimination_does(
    data: st.DataObject, monotone: bool, seed: int
) -> None:
    target, n = data.draw(targets(monotone=monotone))
    nature = Nature(target, n, rounds=70, seed=seed, sampler=each_on(0.7))
    asks, eliminates = (make(target, n, monotone=monotone) for make in (asking, eliminating))
    one, other = play(nature.teach(asks), asks), play(nature.teach(eliminates), eliminates)
    assert one.ledger.rows.tolist() == other.ledger.rows.tolist()
    assert one.ledger.squares.tolist() == other.ledger.squares.tolist()
    assert asks.hypothesis == eliminates.hypothesis
    assert one.ledger.n_rounds == 70


TEACHERS: dict[str, Callable[[Conjunction, int], Oracle | Teacher | Nature]] = {
    "oracle": Oracle,
    "teacher": Teacher,
    "nature": lambda target, n: Nature(target, n, rounds=300),
}


@pytest.mark.parametrize("name", TEACHERS)
@pytest.mark.parametrize("learner", [AskingConjunction(6), EliminateConjunction(6, monotone=True)])
def test_teachers_and_learners_can_be_mixed(
    name: str, learner: AskingConjunction | EliminateConjunction
) -> None:
    target = Conjunction((1, 4, 5))
    teacher = TEACHERS[name](target, 6)
    if name == "oracle" and isinstance(learner, EliminateConjunction):
        with pytest.raises(TypeError, match="EliminateConjunction asks no questions"):
            teacher.teach(learner)
        return
    play(teacher.teach(learner), learner)
    assert learner.hypothesis == target


def test_a_perceptron_can_be_taught_by_teacher_and_nature_too() -> None:
    target = Conjunction((1, 2))
    for teacher in (Teacher(target, 3), Nature(target, 3, rounds=200)):
        run = play(teacher.teach(Additive(3, bias=True)), Additive(3, bias=True))
        assert run.ledger.n_mistakes > 0


def test_nature_draws_from_the_sampler_it_is_given() -> None:
    asked = list[tuple[int, int]]()

    def sampler(dice: np.random.Generator, count: int, n: int) -> Truths:
        asked.append((count, n))
        return np.broadcast_to(dice.random((count, 1)) < 0.5, (count, n))

    drawn = rounds(Nature(Conjunction((1,)), 3, rounds=150, sampler=sampler).teach(Additive(3)))
    assert {x for x, _ in drawn} == {"000", "111"}
    assert all(label == (1 if x == "111" else -1) for x, label in drawn)
    assert (sum(count for count, _ in asked), {n for _, n in asked}) == (150, {3})


def test_each_lesson_of_nature_begins_with_its_seed_and_has_its_density() -> None:
    nature = Nature(Parity((1, 2)), 20, rounds=500, sampler=each_on(0.9), seed=3)
    first, again = (rounds(nature.teach(Additive(20))) for _ in range(2))
    assert first == again
    assert first != rounds(Nature(Parity((1, 2)), 20, rounds=500, seed=4).teach(Additive(20)))
    on = sum(x.count("1") for x, _ in first) / 10_000
    assert abs(on - 0.9) < 0.015  # five standard deviations


def test_contradictions_are_refused_with_their_row_and_change_nothing() -> None:
    learner = AskingConjunction(3)
    X = [[1, 1, 0], [1, 0, 1], [1, 0, 0]]
    block = labelled(X, np.array([True, False, True]))
    with pytest.raises(
        BadExample, match="row 2: it rules out a literal that other examples need.*WeightedMajority"
    ):
        play(block, learner)
    assert learner.hypothesis == Conjunction((1, 2))
    assert learner.necessary == Conjunction((2,))
    with pytest.raises(BadExample, match="row 0: no literal separates it from"):
        play(labelled(X[:1], np.array([False])), learner)
    both = labelled([[0, 0, 1], [1, 1, 1], [0, 0, 1]], np.array([False, True, True]))
    with pytest.raises(BadExample, match="row 2: no literal separates it from"):
        play(both, AskingConjunction(3, monotone=False))


def test_bad_rows_are_refused_with_their_row() -> None:
    learner = AskingDisjunction(2)
    block = Block(DenseRows(np.array([[0.0, 1.0], [0.0, 3.0]])), np.ones(2, dtype=np.int8), first=4)
    with pytest.raises(BadExample, match="row 5: attribute x2 is 3.0, not 0 or 1"):
        play(block, learner)
    assert learner.rounds == 1
    with pytest.raises(BadExample, match="rows have 3 attributes, the learner has 2"):
        learner.scores(DenseRows(np.ones((1, 3))))


@pytest.mark.parametrize(
    "learner", [AskingConjunction(2), AskingDisjunction(2), EliminateConjunction(2)]
)
def test_missing_rows_and_bad_importances_are_refused(
    learner: Learner,
) -> None:
    def met(**more: np.ndarray) -> Block:
        return Block(DenseRows(np.ones((1, 2))), np.ones(1, dtype=np.int8), first=7, **more)

    for block, message in (
        (met(order=np.array([4])), "row 11: there is no such row"),
        (met(order=np.array([-1])), "row 6: there is no such row"),
        (
            met(importances=np.array([2.5])),
            r"row 7: its importance is 2.5; concept learners accept only 0 and 1",
        ),
    ):
        with pytest.raises(BadExample, match=message):
            learner.learn(block, 0, 1)
    assert learner.open_ledger().began == 0


def test_an_example_of_importance_0_teaches_nothing() -> None:
    block = Block(DenseRows(np.zeros((1, 2))), np.ones(1, dtype=np.int8), importances=np.zeros(1))
    learner = AskingConjunction(2)
    assert play(block, learner).ledger.n_mistakes == 0
    assert learner.hypothesis == Conjunction((1, 2))


def test_questions_about_negated_literals_need_one_example() -> None:
    learner, oracle = AskingConjunction(3, monotone=False), Oracle(Conjunction((-1,)), 3)
    learner.learn(labelled([[1, 1, 1]], np.array([False])), 0, 1)
    with pytest.raises(ValueError, match="need one positive example"):
        play(oracle.teach(learner), learner)
    learner.learn(labelled([[0, 1, 1]], np.array([True])), 0, 1)
    play(oracle.teach(learner), learner)
    assert learner.hypothesis == Conjunction((-1,))
    with pytest.raises(ValueError, match="need one negative example"):
        AskingDisjunction(3, monotone=False).question()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Oracle(Conjunction((9,)), 5), "x₉ depends on x9, but there are only 5 variables"),
        (lambda: Teacher(Conjunction((1, -1)), 5), "a variable and its negation"),
        (lambda: Teacher(Conjunction((-1,)), 5, monotone=True), "¬x₁ is not monotone"),
        (lambda: Nature(Conjunction((1,)), 5, rounds=0), "rounds must be at least 1, not 0"),
        (lambda: each_on(1.5), "density must be a probability from 0 to 1, not 1.5"),
        (lambda: AskingConjunction(0), "n must be at least 1, not 0"),
        (lambda: AskingConjunction(3, positive="01"), "the example given has shape"),
    ],
)
def test_impossible_lessons_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_other_concepts_and_wrong_shapes_of_a_sampler_are_refused() -> None:
    with pytest.raises(TypeError, match="Nature teaches any concept"):
        Teacher(Parity((1, 2)), 3)  # type: ignore[arg-type]
    narrow = Nature(
        Conjunction((1,)), 3, rounds=2, sampler=lambda dice, count, n: dice.random((count, 2)) < 1
    )
    with pytest.raises(ValueError, match=r"2 examples of 3 variables, not .* shape \(2, 2\)"):
        list(narrow.teach(Additive(3)))
