"""The game played to its end: no learner exceeds its bound, and the optimal one meets it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest
from hypothesis import given, settings

from helpers.boolean_concepts import Tables, small_classes, thresholds
from novikoff.concepts import (
    ConceptClass,
    Consistent,
    EliminateConjunction,
    EliminateDisjunction,
    Halving,
    Optimal,
    TooLarge,
    WeightedMajority,
    WorstCase,
    at_least,
    conjunctions,
    disjunctions,
    littlestone_dimension,
    parities,
    worst_case,
)
from novikoff.concepts.examples import Truths
from novikoff.concepts.learners import ClassLearner
from novikoff.guarantees import doubling_bound, winnow1_bound
from novikoff.learners import Additive, Learner, Winnow1, Winnow2
from novikoff.runs.loop import play

Make: TypeAlias = Callable[[ConceptClass], ClassLearner]

LEARNERS: dict[str, Make] = {
    "CON": Consistent,
    "CON at random": lambda concepts: Consistent(concepts, choose="random", seed=3),
    "Halving": Halving,
    "Optimal": Optimal,
}
FAMILIES: list[ConceptClass] = [
    conjunctions(2),
    disjunctions(2, k=1),
    disjunctions(2, k=2),
    conjunctions(3, monotone=True),
    parities(3),
    at_least(2, 3),
    disjunctions(3, k=1),
    conjunctions(3, k=2, monotone=True),
    thresholds(2),
    Tables(1, range(4)),
]
every_family = pytest.mark.parametrize("concepts", FAMILIES, ids=str)
quick = settings(max_examples=40)


def replayed(found: WorstCase, learner: Learner) -> int:
    """How many mistakes the sequence found really makes."""
    if not len(found.sequence):
        return 0
    return play(found.sequence, learner).ledger.n_mistakes


def check(concepts: ConceptClass) -> None:
    """Each learner's worst case is within its bound, and its sequence makes it happen."""
    littlestone = littlestone_dimension(concepts)
    bounds = {
        "CON": concepts.size - 1,
        "CON at random": concepts.size - 1,
        "Halving": concepts.size.bit_length() - 1,
        "Optimal": littlestone,
    }
    for name, make in LEARNERS.items():
        found = worst_case(partial(make, concepts), concepts)
        assert littlestone <= found.mistakes <= bounds[name]
        assert replayed(found, make(concepts)) == found.mistakes


@every_family
def test_no_learner_exceeds_its_bound_on_a_family(concepts: ConceptClass) -> None:
    check(concepts)


@quick
@given(concepts=small_classes(most=6))
def test_no_learner_exceeds_its_bound_on_any_class(concepts: Tables) -> None:
    """And the optimal learner meets the Littlestone dimension exactly."""
    check(concepts)


def test_con_can_be_wrong_on_all_concepts_but_one() -> None:
    """Each point is refuted alone; and so, by a negative example, is the shortest conjunction."""
    points = Tables(2, [1, 2, 4, 8])
    assert worst_case(lambda: Consistent(points), points).mistakes == 3
    concepts = conjunctions(3, monotone=True)
    assert worst_case(lambda: Consistent(concepts), concepts).mistakes == concepts.size - 1


@pytest.mark.parametrize("concepts", [parities(2), conjunctions(2, monotone=True), thresholds(2)])
def test_halving_can_be_wrong_as_often_as_its_bound_allows(concepts: ConceptClass) -> None:
    found = worst_case(lambda: Halving(concepts), concepts)
    assert found.mistakes == int(math.log2(concepts.size))


def test_halving_is_not_always_optimal() -> None:
    """No smaller class shows it.

    To err three times halving needs 8 concepts; and where it errs twice, both parts of the first
    split have two concepts or more, so that any learner can be made to err twice.
    """
    concepts = Tables(2, [0b0001, 0b0100, 0b1001, 0b1010, 0b1011, 0b1100, 0b1101, 0b1110])
    found = worst_case(lambda: Halving(concepts), concepts)
    assert found.mistakes == 3
    assert replayed(found, Halving(concepts)) == 3
    assert littlestone_dimension(concepts) == 2
    assert worst_case(lambda: Optimal(concepts), concepts).mistakes == 2


@every_family
def test_a_sequence_found_ends_with_a_mistake_and_fits_a_concept(concepts: ConceptClass) -> None:
    sequence = worst_case(lambda: Halving(concepts), concepts).sequence
    if len(sequence):
        ledger = play(sequence, Halving(concepts)).ledger
        assert ledger.rounds[-1] == len(sequence)
        said = concepts.evaluate(sequence.rows.values).T
        assert any((one == (sequence.labels > 0)).all() for one in said)


@pytest.mark.parametrize("concepts", [parities(2), disjunctions(2, k=1), Tables(2, [1, 7, 9])])
def test_a_game_of_given_depth_has_the_same_value(concepts: ConceptClass) -> None:
    """Playing so many rounds, and looking states up or not, finds what playing to the end does."""

    class Keyless:
        """Halving, and no way to know its states."""

        def __init__(self) -> None:
            inner = Halving(concepts)
            self.weights, self.learn = None, inner.learn
            self.scores, self.open_ledger = inner.scores, inner.open_ledger

    whole = worst_case(lambda: Halving(concepts), concepts).mistakes
    for depth in range(3):
        keyed = worst_case(lambda: Halving(concepts), concepts, depth=depth)
        keyless = worst_case(Keyless, concepts, depth=depth)
        assert keyed.mistakes == keyless.mistakes == min(depth, whole)
        assert len(keyless.sequence) == keyless.mistakes


@pytest.mark.parametrize("concepts", [parities(2), disjunctions(2, k=1), Tables(1, [0, 1, 3])])
def test_weighted_majority_stays_within_its_bound(concepts: ConceptClass) -> None:
    """With a target in the class the best concept makes k = 0 mistakes: ln|C|/ln(2/(1 + β))."""
    bound = math.log(concepts.size) / math.log(4 / 3)
    found = worst_case(lambda: WeightedMajority(concepts), concepts, depth=3)
    assert littlestone_dimension(concepts) <= found.mistakes <= bound
    assert replayed(found, WeightedMajority(concepts)) == found.mistakes


def test_any_learner_can_be_played_against() -> None:
    """The perceptron with a constant, on disjunctions: every round of three can be a mistake."""
    concepts = disjunctions(2, monotone=True)
    found = worst_case(lambda: Additive(2, bias=True), concepts, depth=3)
    assert found.mistakes == 3
    assert replayed(found, Additive(2, bias=True)) == 3


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("n", [1, 2])
def test_elimination_can_be_made_to_lose_a_variable_at_a_time(n: int, monotone: bool) -> None:
    """n mistakes, and one more where each variable has two literals to lose at first."""
    for make, family in (
        (EliminateConjunction, conjunctions(n, monotone=monotone)),
        (EliminateDisjunction, disjunctions(n, monotone=monotone)),
    ):
        found = worst_case(partial(make, n, monotone=monotone), family, depth=n + 2)
        assert found.mistakes == (n if monotone else n + 1)
        assert replayed(found, make(n, monotone=monotone)) == found.mistakes


class KeyedWinnow1(Winnow1):
    """All that it does depends on its powers."""

    def key(self) -> bytes:
        return self.powers.tobytes()


class KeyedWinnow2(Winnow2):
    """All that it does depends on its powers."""

    def key(self) -> bytes:
        return self.powers.tobytes()


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1)])
def test_winnow_exceeds_its_bound_on_no_sequence_at_all(n: int, k: int) -> None:
    """Every target and every sequence of examples, however long."""
    family = disjunctions(n, k=k, monotone=True)
    one, two = (
        worst_case(lambda: KeyedWinnow1(n), family),
        worst_case(lambda: KeyedWinnow2(n), family),
    )
    assert 0 < one.mistakes <= winnow1_bound(n, k).bound
    assert 0 < two.mistakes <= doubling_bound(n, k).bound
    assert replayed(one, Winnow1(n)) == one.mistakes
    assert replayed(two, Winnow2(n)) == two.mistakes


def test_a_game_that_may_not_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"WeightedMajority has no `key`.*depth="):
        worst_case(lambda: WeightedMajority(parities(2)), parities(2))


class Stubborn(Halving):
    """Says +1 of everything, whatever it is told."""

    def score(self, _x: Truths) -> float:
        return 1.0

    def take(self, _x: Truths, _label: bool) -> bool:
        return True


def test_a_learner_that_errs_without_changing_errs_in_every_round() -> None:
    concepts = Tables(1, [0b00, 0b11])
    assert worst_case(lambda: Stubborn(concepts), concepts, depth=4).mistakes == 4
    with pytest.raises(ValueError, match=r"Stubborn comes back to a state.*depth="):
        worst_case(lambda: Stubborn(concepts), concepts)


def test_a_game_with_too_many_moves_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.concepts.adversaries.MOST_MOVES", 100)
    assert worst_case(lambda: Halving(parities(1)), parities(1)).mistakes == 1
    with pytest.raises(TooLarge, match="more than 100 moves; take a smaller class"):
        worst_case(lambda: Halving(parities(4)), parities(4))


def test_a_game_with_too_many_examples_is_refused() -> None:
    with pytest.raises(TooLarge, match=r"all 2\^9 examples"):
        worst_case(lambda: Halving(parities(9)), parities(9))
