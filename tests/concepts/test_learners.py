"""Learners of finite classes against their textbook forms; noise, hostile examples, size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.boolean_concepts import Tables, small_classes
from novikoff.concepts import (
    Concept,
    ConceptClass,
    Conjunction,
    Consistent,
    Halving,
    Optimal,
    TooLarge,
    TruthTable,
    WeightedMajority,
    conjunctions,
    disjunctions,
    every_example,
    labelled,
    littlestone_dimension,
    parities,
    vc_dimension,
    worst_case,
)
from novikoff.concepts.examples import Truths
from novikoff.concepts.learners import ClassLearner, VersionSpace, VersionSpaceLearner
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, SparseRows

Make: TypeAlias = Callable[[ConceptClass], ClassLearner]
Stream: TypeAlias = list[tuple[int, bool]]  # the number of an example, and its label

PRUNING: dict[str, Make] = {
    "CON": Consistent,
    "CON at random": lambda concepts: Consistent(concepts, choose="random"),
    "Halving": Halving,
    "Optimal": Optimal,
    "WeightedMajority of 0": lambda concepts: WeightedMajority(concepts, 0),
}
every_pruning = pytest.mark.parametrize("make", PRUNING.values(), ids=PRUNING.keys())
quick = settings(max_examples=40)
betas: st.SearchStrategy[Fraction | float] = st.sampled_from([Fraction(1, 2), Fraction(9, 10), 0.3])


@st.composite
def truthful(draw: st.DrawFn) -> tuple[Tables, Stream]:
    """A class, and examples that one of its concepts labels."""
    concepts = draw(small_classes())
    target = draw(st.sampled_from(concepts.tables))
    asked = draw(st.lists(st.integers(0, (1 << concepts.n) - 1), min_size=1, max_size=12))
    return concepts, [(x, target >> x & 1 == 1) for x in asked]


@st.composite
def noisy(draw: st.DrawFn) -> tuple[Tables, Stream]:
    """A class, and examples that nobody need have labelled."""
    concepts = draw(small_classes())
    one = st.tuples(st.integers(0, (1 << concepts.n) - 1), st.booleans())
    return concepts, draw(st.lists(one, min_size=1, max_size=25))


def block_of(concepts: ConceptClass, stream: Stream) -> Block:
    X = every_example(concepts.n)[[x for x, _ in stream]]
    return labelled(X, np.array([label for _, label in stream]))


def mistaken(learner: ClassLearner, stream: Stream) -> tuple[list[int], list[float]]:
    """The rounds of its mistakes, and their scores."""
    ledger = play(block_of(learner.concepts, stream), learner).ledger
    return ledger.rounds.tolist(), ledger.scores.tolist()


def table(concept: Concept) -> int:
    assert isinstance(concept, TruthTable)
    return concept.bits


def left(learner: VersionSpaceLearner) -> list[int]:
    """The tables of the concepts that are left."""
    return [table(one) for one in learner.space]


def textbook_con(tables: Sequence[int], stream: Stream) -> list[int]:
    left, wrong = list(tables), []
    for t, (x, label) in enumerate(stream, 1):
        if (left[0] >> x & 1 == 1) != label:
            wrong.append(t)
        left = [c for c in left if (c >> x & 1 == 1) == label]
    return wrong


def textbook_halving(tables: Sequence[int], stream: Stream) -> tuple[list[int], list[float]]:
    left, wrong, scores = list(tables), [], []
    for t, (x, label) in enumerate(stream, 1):
        votes = sum(1 if c >> x & 1 else -1 for c in left)
        if (votes >= 0) != label:
            wrong.append(t)
            scores.append(votes / len(left))
        left = [c for c in left if (c >> x & 1 == 1) == label]
    return wrong, scores


def textbook_majority(
    tables: Sequence[int], beta: Fraction, stream: Stream
) -> tuple[list[int], list[Fraction]]:
    weights, wrong = dict.fromkeys(tables, Fraction(1)), list[int]()
    scores = list[Fraction]()
    for t, (x, label) in enumerate(stream, 1):
        lead = sum((w if c >> x & 1 else -w for c, w in weights.items()), Fraction(0))
        if (lead >= 0) != label:
            wrong.append(t)
            scores.append(lead / sum(weights.values()))
        for c in weights:
            weights[c] *= 1 if (c >> x & 1 == 1) == label else beta
    return wrong, scores


@quick
@given(drawn=truthful())
def test_con_agrees_with_the_textbook(drawn: tuple[Tables, Stream]) -> None:
    concepts, stream = drawn
    learner = Consistent(concepts)
    assert mistaken(learner, stream)[0] == textbook_con(concepts.tables, stream)
    consistent = [c for c in concepts.tables if all((c >> x & 1 == 1) == y for x, y in stream)]
    assert left(learner) == consistent
    assert table(learner.hypothesis) == consistent[0]
    assert learner.left == len(learner.space) == len(consistent)


@quick
@given(drawn=truthful())
def test_halving_agrees_with_the_textbook(drawn: tuple[Tables, Stream]) -> None:
    concepts, stream = drawn
    assert mistaken(Halving(concepts), stream) == textbook_halving(concepts.tables, stream)


@quick
@given(drawn=noisy(), beta=betas)
def test_weighted_majority_agrees_with_the_textbook(
    drawn: tuple[Tables, Stream], beta: Fraction | float
) -> None:
    concepts, stream = drawn
    learner = WeightedMajority(concepts, beta)
    rounds, scores = mistaken(learner, stream)
    expected, shares = textbook_majority(concepts.tables, Fraction(beta), stream)
    assert rounds == expected
    assert scores == pytest.approx([float(share) for share in shares], rel=1e-12)  # rounded sums
    errors = [sum((c >> x & 1 == 1) != y for x, y in stream) for c in concepts.tables]
    assert learner.fewest == min(errors)
    assert table(learner.hypothesis) == concepts.tables[errors.index(min(errors))]
    assert learner.left == concepts.size


@quick
@given(drawn=truthful())
def test_weighted_majority_of_0_is_halving(drawn: tuple[Tables, Stream]) -> None:
    concepts, stream = drawn
    one, other = WeightedMajority(concepts, 0), Halving(concepts)
    assert mistaken(one, stream) == mistaken(other, stream)
    assert one.left == other.left


@quick
@given(drawn=truthful())
def test_the_optimal_learner_leaves_the_smaller_dimension_to_its_mistakes(
    drawn: tuple[Tables, Stream],
) -> None:
    concepts, stream = drawn
    learner = Optimal(concepts)
    for x, label in stream:
        before = littlestone_dimension(Tables(concepts.n, left(learner)))
        wrong, scores = mistaken(learner, [(x, label)])
        now = littlestone_dimension(Tables(concepts.n, left(learner)))
        assert now <= before - len(wrong)
        assert all(abs(score) <= before + 1 for score in scores)


def majority_bound(k: int, size: int, beta: Fraction | float) -> float:
    return (k * math.log(1 / beta) + math.log(size)) / math.log(2 / (1 + beta))


@quick
@given(drawn=noisy(), beta=betas)
def test_weighted_majority_tolerates_noise(
    drawn: tuple[Tables, Stream], beta: Fraction | float
) -> None:
    concepts, stream = drawn
    learner = WeightedMajority(concepts, beta)
    made = len(mistaken(learner, stream)[0])
    rounding = 1e-9
    assert made <= majority_bound(learner.fewest, concepts.size, beta) + rounding


@pytest.mark.parametrize("concepts", [parities(2), Tables(1, range(4)), conjunctions(2, k=1)])
def test_weighted_majority_stays_within_its_bound_whatever_the_labels(
    concepts: ConceptClass,
) -> None:
    """Every sequence of three labelled examples."""
    moves = list(product(range(1 << concepts.n), (False, True)))
    worst = 0
    for stream in product(moves, repeat=3):
        learner = WeightedMajority(concepts)
        made = len(mistaken(learner, list(stream))[0])
        assert made <= majority_bound(learner.fewest, concepts.size, 0.5)
        worst = max(worst, made)
    assert worst == 3


def test_the_vote_is_exact_where_floats_underflow() -> None:
    """One concept has lost all but 2⁻¹²⁰⁰ of its weight, and that decides between the others."""
    learner = WeightedMajority(Tables(1, [0b11, 0b01, 0b00]))
    play(block_of(learner.concepts, [(0, True)] * 1200), learner)
    score = learner.scores(DenseRows(np.array([[1.0]])))[0]
    assert score < 0
    assert abs(score) < 1e-300


def test_a_long_noisy_run_is_fast() -> None:
    """The vote is decided by the first few powers of β, however many there are."""
    dice = np.random.default_rng(0)
    concepts = parities(6)
    X = dice.random((3000, 6)) < 0.5
    target = concepts[37]
    said = target.evaluate(X) ^ (dice.random(3000) < 0.2)
    learner = WeightedMajority(concepts, 0.7)
    made = play(labelled(X, said), learner).ledger.n_mistakes
    assert str(learner.hypothesis) == str(target)
    assert made <= majority_bound(learner.fewest, concepts.size, 0.7)


def test_con_at_random_makes_as_many_mistakes_as_expected() -> None:
    """Points refuted one by one: 1/8 + 1/7 + … + 1/2 on average, below ln 8.

    The mistakes are independent, so the mean of 500 runs is within four of its deviations.
    """
    points = Tables(3, [1 << x for x in range(8)])
    stream = [(x, False) for x in range(7)]
    runs = [
        len(mistaken(Consistent(points, choose="random", seed=seed), stream)[0])
        for seed in range(500)
    ]
    chances = [1 / m for m in range(2, 9)]
    deviation = math.sqrt(sum(p * (1 - p) for p in chances) / len(runs))
    assert abs(sum(runs) / len(runs) - sum(chances)) < 4 * deviation
    assert sum(chances) < math.log(8)
    assert max(runs) <= 7


def test_a_seed_decides_the_draws() -> None:
    concepts = disjunctions(12, k=4, monotone=True)
    drawn = [Consistent(concepts, choose="random", seed=s).hypothesis for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_con_at_random_keeps_its_concept_while_it_is_right() -> None:
    learner = Consistent(conjunctions(8, monotone=True), choose="random", seed=1)
    for x in every_example(8)[::7]:
        kept = learner.hypothesis
        learner.learn(labelled(x[None], np.array([kept(x)])), 0, 1)
        assert learner.hypothesis == kept


def test_a_draw_from_many_concepts_is_of_one_that_is_left() -> None:
    concepts = conjunctions(30, k=4, monotone=True)
    space, dice = VersionSpace(concepts), np.random.default_rng(0)
    space.keep(dice.random(30) < 0.8, False)
    assert 4096 < space.size < concepts.size  # so many that they are not listed
    places = set(space.places().tolist())
    drawn = [space.draw(dice) for _ in range(200)]
    assert set(drawn) <= places
    assert len(set(drawn)) > 150


CONTRADICTION = [(0, True), (0, True), (0, False), (1, True)]


@every_pruning
def test_a_contradictory_example_is_refused_with_its_row_and_changes_nothing(make: Make) -> None:
    concepts = Tables(1, range(4))
    learner = make(concepts)
    some = block_of(concepts, CONTRADICTION)
    some = Block(some.rows, some.labels, first=100)
    stop, _ = learner.learn(some, 0, 4)
    assert stop == learner.rounds == 2
    scores, others = learner.scores(some.rows).tolist(), learner.left
    with pytest.raises(BadExample, match=r"^row 102: no concept .* label -1 .*WeightedMajority"):
        learner.learn(some, 2, 4)
    assert (learner.rounds, learner.left) == (2, others)
    assert learner.scores(some.rows).tolist() == scores
    assert learner.learn(some, 3, 4)[0] == 4


@every_pruning
def test_examples_before_a_contradiction_are_learned(make: Make) -> None:
    concepts = Tables(1, range(4))
    learner = make(concepts)
    ledger = learner.open_ledger()
    with pytest.raises(BadExample, match="row 2"):
        play(block_of(concepts, CONTRADICTION), learner, ledger=ledger)
    assert ledger.n_rounds == learner.rounds == 2


MAKES: dict[str, Make] = {**PRUNING, "WeightedMajority": WeightedMajority}
every_make = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES.keys())


@every_make
def test_bad_examples_are_refused_with_their_row(make: Make) -> None:
    learner = make(conjunctions(3, monotone=True))
    good = np.array([[1.0, 0.0, 1.0]])
    labels = np.array([1, 1], dtype=np.int8)

    def met(X: np.ndarray, **more: np.ndarray) -> Block:
        return Block(DenseRows(X), labels[: len(X)], first=7, **more)

    wide, half = np.ones((1, 4)), np.array([[1.0, 0.5, 1.0]])
    hostile = [
        (met(wide), "row 7 has 4 attributes, the concepts have 3"),
        (met(half), r"row 7: attribute x2 is 0.5, not 0 or 1"),
        (met(good * np.nan), "row 7: attribute x1 is nan"),
        (met(good, order=np.array([4])), "row 11: there is no such row"),
        (met(good, order=np.array([-1])), "row 6: there is no such row"),
        (
            met(good, importances=np.array([2.0])),
            r"row 7: its importance is 2.0; concept learners accept only 0 and 1",
        ),
        (Block(csr([2.0]), labels[:1], first=7), "row 7: attribute x2 is 2.0, not 0 or 1"),
        (Block(csr([1.0, 1.0]), labels[:1], first=7), "row 7: attribute x2 is 2.0, not 0 or 1"),
    ]
    before = learner.scores(DenseRows(every_example(3).astype(np.float64))).tolist()
    for block, message in hostile:
        with pytest.raises(BadExample, match=message):
            learner.learn(block, 0, 1)
    assert learner.rounds == 0
    assert learner.scores(DenseRows(every_example(3).astype(np.float64))).tolist() == before
    with pytest.raises(BadExample, match="row 1: attribute x2 is 0.5"):
        learner.scores(DenseRows(np.concatenate([good, half])))
    stop, _ = learner.learn(met(np.concatenate([good, half])), 0, 2)
    assert stop == learner.rounds == 1


def csr(values: list[float]) -> SparseRows:
    """One row with these values, all in column 1 of three."""
    return SparseRows(
        np.array(values), np.ones(len(values), np.int32), np.array([0, len(values)], np.int32), 3
    )


def test_a_dimension_not_found_stops_the_optimal_learner_before_the_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner = Optimal(conjunctions(3, monotone=True))
    block = labelled(["110", "011", "101"], [True, False, False])
    limits = iter([None, TooLarge("so many sets"), TooLarge("so many sets")])

    def score(_x: Truths) -> float:
        if (error := next(limits)) is not None:
            raise error
        return -1.0

    monkeypatch.setattr(learner, "score", score)
    run = learner.open_ledger()
    with pytest.raises(TooLarge):
        play(block, learner, ledger=run)
    assert run.n_rounds == run.n_mistakes == learner.rounds == 1


@every_make
def test_an_example_of_importance_0_counts_as_a_round_and_teaches_nothing(make: Make) -> None:
    concepts = Tables(1, range(4))
    some = block_of(concepts, [(0, False), (0, True), (1, False)])
    silent = Block(some.rows, some.labels, importances=np.array([1.0, 0.0, 1.0]))
    learner, other = make(concepts), make(concepts)
    ledger = play(silent, learner).ledger
    rest = [(0, False), (1, False)]
    assert ledger.n_rounds == 3
    assert ledger.scores.tolist() == mistaken(other, rest)[1]
    assert learner.scores(some.rows).tolist() == other.scores(some.rows).tolist()


@every_make
def test_the_ledger_records_the_mistakes(make: Make) -> None:
    concepts = conjunctions(3, monotone=True)
    X = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1]])
    learner = make(concepts)
    expected = learner.score(X[0] == 1) >= 0
    said = Conjunction((3,) if expected else (1,)).evaluate(X)  # the first is a mistake
    ledger = play(labelled(X, said), learner).ledger
    assert len(ledger) > 0
    assert (ledger.rule, ledger.dim, ledger.n_rounds) == ("concepts", 3, 4)
    assert learner.weights is None
    assert ledger.labels.tolist() == np.where(said, 1, -1)[ledger.rows].tolist()
    assert ledger.squares.tolist() == (X**2).sum(axis=1)[ledger.rows].tolist()
    assert ((ledger.scores >= 0) != (ledger.labels > 0)).all()
    assert ledger.examples.take(ledger.example).values.tolist() == X[ledger.rows].tolist()
    assert (ledger.rounds == ledger.rows + 1).all()
    more = learner.open_ledger()
    assert more.began == 4


def test_bad_settings_are_refused() -> None:
    concepts = parities(2)
    for beta in (-0.1, 1, 1.5, math.nan):
        with pytest.raises(ValueError, match="beta must be at least 0 and less than 1"):
            WeightedMajority(concepts, beta)
    with pytest.raises(ValueError, match="choose must be 'first' or 'random', not 'last'"):
        Consistent(concepts, choose="last")  # type: ignore[arg-type]
    for make in MAKES.values():
        with pytest.raises(TooLarge, match="concepts"):
            make(conjunctions(1000, monotone=True))
    with pytest.raises(TooLarge, match="up to 16,777,216"):
        WeightedMajority(conjunctions(100, k=5, monotone=True))


def test_a_class_without_concepts_is_refused() -> None:
    nothing = Tables(2, [])
    asked: list[Callable[[ConceptClass], object]] = [
        *MAKES.values(),
        VersionSpace,
        vc_dimension,
        littlestone_dimension,
        lambda concepts: worst_case(lambda: Halving(parities(2)), concepts),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="0 tables of 2 variables.*no concepts"):
            ask(nothing)


def evenly(learner: Halving, dice: np.random.Generator, rounds: int) -> Iterator[Block]:
    """Examples that split what is left as evenly as of sixteen, and the label nobody expects."""
    for t in range(rounds):
        if learner.left == 1:
            return
        X = dice.random((16, learner.dim)) < dice.uniform(0.5, 1.0, (16, 1))
        smaller = [min(learner.space.split(x)) for x in X]
        if max(smaller):
            x = X[int(np.argmax(smaller))]
            yield labelled(x[None], np.array([learner.score(x) < 0]), first=t)


@pytest.mark.parametrize("seed", range(3))
def test_halving_on_many_concepts_stays_within_its_bound(seed: int) -> None:
    concepts = conjunctions(30, k=4, monotone=True)
    bound = concepts.size.bit_length() - 1
    dice = np.random.default_rng(seed)
    forced = Halving(concepts)
    made = play(evenly(forced, dice, 60), forced).ledger.n_mistakes
    assert bound - 2 <= made <= bound == 14
    target = concepts[int(dice.integers(concepts.size))]
    X = dice.random((400, 30)) < 0.84
    learner = Halving(concepts)
    made = play(labelled(X, target.evaluate(X)), learner).ledger.n_mistakes
    assert made <= bound
    assert learner.hypothesis == target


def test_halving_on_75_million_concepts_makes_at_most_26_mistakes() -> None:
    concepts = conjunctions(100, k=5, monotone=True)
    assert concepts.size == 75_287_520
    dice = np.random.default_rng(0)
    target = concepts.sample(1, seed=1)[0]
    X = dice.random((300, 100)) < 0.87
    some = labelled(X, target.evaluate(X))
    assert Halving(concepts).learn(some, 0, 300)[0] == 1  # so that Ctrl-C is heard soon
    learner = Halving(concepts)
    assert play(some, learner).ledger.n_mistakes <= 26
    assert learner.hypothesis == target
    with pytest.raises(TooLarge, match="75,287,520 concepts are left"):
        next(iter(Halving(concepts).space))
