"""Adversaries: what they force, that a concept fits all they say, and sequences that are hard."""

from __future__ import annotations

from collections.abc import Callable
from math import log2, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Additive, play, sources
from novikoff.concepts import (
    Adversary,
    AskingConjunction,
    Conjunction,
    Consistent,
    Disjunction,
    EliminateConjunction,
    EliminateDisjunction,
    Halving,
    HardSequence,
    against_con,
    against_elimination,
    against_halving,
    at_least,
    conjunctions,
    disjunctions,
    parities,
)
from novikoff.concepts.classes import ConceptClass, TooLarge
from novikoff.learners import Learner, Ties, Winnow2
from novikoff.ledger.ledger import Ledger
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows

CLASSES = (
    conjunctions(3),
    conjunctions(4, monotone=True),
    disjunctions(3),
    disjunctions(4, k=2),
    parities(4),
    at_least(2, 5, k=3),
)


def fought(adversary: Adversary, learner: Learner) -> Ledger:
    """Play, and see that every round is a mistake on a label of the target that is left."""
    most = 2 * adversary.concepts.size
    ledger = play(adversary.against(learner, rounds=most), learner).ledger
    assert ledger.n_mistakes == ledger.n_rounds < most
    said = adversary.target.evaluate(ledger.examples)[ledger.example]
    assert (said == (ledger.labels > 0)).all()
    return ledger


@pytest.mark.parametrize("concepts", CLASSES, ids=str)
@pytest.mark.parametrize("make", [Consistent, Halving])
def test_every_round_is_a_mistake_until_the_target_is_known(
    concepts: ConceptClass, make: Callable[[ConceptClass], Learner]
) -> None:
    adversary, learner = Adversary(concepts), make(concepts)
    fought(adversary, learner)
    assert adversary.left == 1
    said = learner.scores(DenseRows(adversary.candidates.astype(np.float64))) >= 0
    assert (said == adversary.target.evaluate(adversary.candidates)).all()


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(
    "make",
    [
        lambda n: Consistent(disjunctions(n, monotone=True)),
        lambda n: Halving(disjunctions(n, monotone=True)),
        lambda n: EliminateDisjunction(n, monotone=True),
        Winnow2,
    ],
    ids=["consistent", "halving", "elimination", "winnow"],
)
def test_all_monotone_disjunctions_force_n_mistakes_on_any_learner(
    n: int, make: Callable[[int], Learner]
) -> None:
    assert fought(Adversary(disjunctions(n, monotone=True)), make(n)).n_mistakes >= n


@pytest.mark.parametrize("n", [2, 5, 11])
def test_it_finds_the_worst_for_learners_whose_bound_is_met(n: int) -> None:
    singles = conjunctions(n, k=1, monotone=True)
    assert fought(Adversary(singles), Consistent(singles)).n_mistakes == n - 1
    all_of_them = conjunctions(n, monotone=True)
    assert fought(Adversary(all_of_them), Halving(all_of_them)).n_mistakes == n
    eliminates = EliminateConjunction(n, monotone=True)
    assert fought(Adversary(all_of_them), eliminates).n_mistakes == n


def test_all_examples_make_the_first_consistent_disjunction_err_size_minus_one_times() -> None:
    concepts = disjunctions(5, monotone=True)
    assert fought(Adversary(concepts), Consistent(concepts)).n_mistakes == 31


@pytest.mark.parametrize("n", [1, 3, 5])
def test_it_forces_n_plus_1_mistakes_on_elimination_of_all_literals(n: int) -> None:
    assert fought(Adversary(conjunctions(n)), EliminateConjunction(n)).n_mistakes == n + 1
    assert fought(Adversary(disjunctions(n)), EliminateDisjunction(n)).n_mistakes == n + 1
    asks = AskingConjunction(n, monotone=False)
    assert fought(Adversary(conjunctions(n)), asks).n_mistakes == n + 1


def test_with_many_variables_single_ones_tell_concepts_apart() -> None:
    pairs = conjunctions(40, k=2, monotone=True)
    learner = EliminateConjunction(40, monotone=True)
    adversary = Adversary(pairs)
    assert fought(adversary, learner).n_mistakes == 38
    assert adversary.target == learner.hypothesis
    assert len(adversary.candidates) < 200


@given(st.lists(st.integers(0, 15), min_size=1, max_size=6), st.sampled_from([0, 1]))
def test_only_the_candidates_given_are_shown(numbers: list[int], which: int) -> None:
    concepts = parities(4)
    candidates = [format(i, "04b") for i in numbers]
    learner = (Consistent, Halving)[which](concepts)
    shown = list[str]()
    adversary = Adversary(concepts, candidates=candidates)
    for block in adversary.against(learner):
        learner.learn(block, 0, 1)
        shown.append("".join(str(int(v)) for v in block.rows.values[0]))
    assert set(shown) <= set(candidates)
    assert adversary.left >= 1


def test_a_learner_that_cannot_learn_the_class_is_left_after_the_rounds_given() -> None:
    adversary, learner = Adversary(parities(3)), Additive(3, bias=True, ties="positive")
    run = play(adversary.against(learner, rounds=40), learner)
    assert (run.ledger.n_rounds, run.ledger.n_mistakes) == (40, 40)


def test_each_fight_begins_anew() -> None:
    adversary = Adversary(disjunctions(4, monotone=True))
    for _ in range(2):
        assert fought(adversary, EliminateDisjunction(4, monotone=True)).n_mistakes == 4
    next(adversary.against(EliminateDisjunction(4, monotone=True)))
    assert adversary.left == 8


def test_what_is_no_candidate_and_no_list_of_concepts_is_refused() -> None:
    with pytest.raises(BadExample, match="candidate 1 has shape"):
        Adversary(parities(3), candidates=["010", "01"])
    with pytest.raises(TooLarge):
        Adversary(conjunctions(100))
    for share in (0, 1.5, nan):
        with pytest.raises(ValueError, match=f"above 0 and up to 1, not {share}"):
            Adversary(parities(3), enough=share)
    learner = EliminateConjunction(3, monotone=True)
    with pytest.raises(BadExample, match="there are no examples"):
        play(Adversary(conjunctions(3, monotone=True), candidates=[]).against(learner), learner)


def labelled_by_its_target(hard: HardSequence) -> bool:
    said = hard.target.evaluate(hard.block.rows)
    return bool((said == (hard.block.labels > 0)).all())


@pytest.mark.parametrize("n", [2, 3, 10])
def test_a_sequence_makes_the_first_consistent_concept_err_size_minus_one_times(n: int) -> None:
    hard = against_con(n)
    assert hard.concepts.size == n
    assert hard.target == Conjunction((n,))
    assert labelled_by_its_target(hard)
    assert play(hard.block, Consistent(hard.concepts)).ledger.n_mistakes == n - 1
    assert play(hard.block, Halving(hard.concepts)).ledger.n_mistakes <= 1


@pytest.mark.parametrize("n", [1, 3, 10])
def test_a_sequence_makes_halving_err_log_size_times(n: int) -> None:
    hard = against_halving(n)
    assert hard.concepts.size == 1 << n
    assert hard.target == Disjunction(())
    assert labelled_by_its_target(hard)
    assert play(hard.block, Halving(hard.concepts)).ledger.n_mistakes == n == log2(1 << n)


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("n", [1, 3, 200])
def test_a_sequence_makes_elimination_err_n_times_or_once_more(n: int, monotone: bool) -> None:
    hard = against_elimination(n, monotone=monotone)
    assert hard.concepts.size == (2 if monotone else 3) ** n
    assert labelled_by_its_target(hard)
    learner = EliminateConjunction(n, monotone=monotone)
    assert play(hard.block, learner).ledger.n_mistakes == n + (not monotone)
    assert learner.hypothesis == hard.target == Conjunction(())


@pytest.mark.parametrize(("n", "k"), [(64, 1), (131, 4), (260, 5)])
def test_perceptrons_err_linearly_in_n_where_winnow_errs_logarithmically(n: int, k: int) -> None:
    block = sources.forcing_disjunction(n, k)
    m = 1 << ((n - k + 1).bit_length() - 1)
    assert len(block) == m - 1
    target = Disjunction(tuple(range(1, k + 1)))
    assert (target.evaluate(block.rows) == (block.labels > 0)).all()
    ties: tuple[Ties, ...] = ("mistake", "positive")
    for tie in ties:
        for bias in (False, True):
            perceptron = Additive(n, bias=bias, ties=tie)
            assert play(block, perceptron).ledger.n_mistakes == m - 1
    run = play(block, Winnow2(n), epochs=50)
    assert run.verdict == "separated"
    assert run.ledger.n_mistakes <= 2 + 3 * k * (1 + log2(n)) < m - 1


def test_the_first_candidate_that_leaves_enough_is_taken() -> None:
    concepts = disjunctions(3, monotone=True)
    candidates = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]]  # denied, they leave 1, 2, 4 and 4

    def first_shown(enough: float) -> list[float]:
        learner = Halving(concepts)
        adversary = Adversary(concepts, candidates=candidates, enough=enough)
        return list(next(adversary.against(learner)).rows.row(0)[1])

    assert first_shown(1 / 8) == [1, 1, 1]
    assert first_shown(1 / 4) == [1, 1, 0]
    assert first_shown(3 / 8) == [1, 0, 0]
    assert first_shown(1.0) == [1, 0, 0]
