"""Laws that every learner obeys, to the bit: perceptrons, Winnow, joint and concept learners."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.boolean_concepts import small_classes
from helpers.flawed_rows import Flawed, anywhere, every_flaw, good
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
from novikoff.concepts import (
    AskingConjunction,
    AskingDisjunction,
    ConceptClass,
    Conjunction,
    Consistent,
    Disjunction,
    EliminateConjunction,
    EliminateDisjunction,
    Halving,
    Optimal,
    WeightedMajority,
    conjunctions,
    disjunctions,
    every_example,
    labelled,
    parities,
)
from novikoff.concepts.learners import ClassLearner, ConceptLearner
from novikoff.learners import (
    Adaptive,
    Additive,
    BalancedWinnow,
    Dual,
    Joint,
    JointAdaptive,
    JointDual,
    Multiplicative,
    Winnow1,
    Winnow2,
)
from novikoff.ledger import readings
from novikoff.ledger.kernels import Kernel, dense
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Rows, Vector

AnyLearner: TypeAlias = Additive | Adaptive | Multiplicative | Joint | Dual | ConceptLearner
DataStrategy: TypeAlias = st.SearchStrategy[Data]


@dataclass(frozen=True)
class Case:
    """How to make a learner, as often as needed, and examples that it can learn."""

    make: Callable[[], Any]
    data: Data


Kind: TypeAlias = Callable[[DataStrategy], st.SearchStrategy[Case]]


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
ADAPTIVE: dict[str, Callable[[int], Adaptive]] = {
    "adaptive": lambda dim: Adaptive(dim),
    "adaptive with a bias": lambda dim: Adaptive(dim, bias=True, averaging=True),
    "adaptive, regularised": lambda dim: Adaptive(dim, bias=True, regularisation=0.3),
    "adaptive, start": lambda dim: Adaptive(
        dim,
        start=start_for(dim),
        class_weights=(0.3, 1.7),
        averaging=True,
    ),
}
MATRICES: dict[str, Callable[[int], Adaptive]] = {
    "full matrix": lambda dim: Adaptive(dim, matrix="full"),
    "full matrix with a bias": lambda dim: Adaptive(
        dim,
        matrix="full",
        bias=True,
        regularisation=0.3,
        averaging=True,
        start=start_for(dim + 1),
        class_weights=(0.3, 1.7),
    ),
}
WINNOWS: dict[str, Callable[[int], Multiplicative]] = {
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
JOINT: dict[str, Callable[[int], Joint]] = {
    "joint": lambda dim: Joint(dim),
    "joint, five classes known": lambda dim: Joint(dim, classes=5, bias=True, averaging=True),
    "joint, margin and rate": lambda dim: Joint(dim, margin=0.7, rate=0.3, averaging=True),
    "joint, adaptive": lambda dim: JointAdaptive(dim),
    "joint, adaptive, five classes known": lambda dim: JointAdaptive(
        dim, classes=5, bias=True, averaging=True, regularisation=0.3, class_weights=(0.3, 1.7)
    ),
}
DUALS: dict[str, Callable[[int], Dual]] = {
    "poly, averaging, class weights": lambda dim: Dual(
        dim,
        kernel=Kernel("poly", degree=3, gamma=0.3),
        averaging=True,
        class_weights=(0.3, 1.7),
        rate=0.7,
        bias=True,
    ),
    "rbf with a margin": lambda dim: Dual(dim, kernel=Kernel("rbf", gamma=0.2), margin=0.4),
}
JOINT_DUALS: dict[str, Callable[[int], JointDual]] = {
    "joint, poly": lambda dim: JointDual(
        dim, kernel=Kernel("poly", degree=2, gamma=0.3), classes=2, averaging=True, rate=0.7
    ),
    "joint, rbf with a margin": lambda dim: JointDual(
        dim, kernel=Kernel("rbf", gamma=0.2), margin=0.4, bias=True, class_weights=(0.3, 1.7)
    ),
}
CLASS_LEARNERS: dict[str, Callable[[ConceptClass], ClassLearner]] = {
    "CON": Consistent,
    "CON at random": lambda concepts: Consistent(concepts, choose="random", seed=5),
    "Halving": Halving,
    "Optimal": Optimal,
    "WeightedMajority": WeightedMajority,
    "WeightedMajority of 0.9": lambda concepts: WeightedMajority(concepts, 0.9),
    "WeightedMajority of 0": lambda concepts: WeightedMajority(concepts, Fraction(0)),
}
LITERAL_LEARNERS: dict[str, tuple[Any, Callable[[int, bool], ConceptLearner]]] = {
    "elimination": (Conjunction, lambda n, only: EliminateConjunction(n, monotone=only)),
    "elimination, forgetful": (
        Conjunction,
        lambda n, only: EliminateConjunction(n, monotone=only, remember=False),
    ),
    "elimination of a disjunction": (
        Disjunction,
        lambda n, only: EliminateDisjunction(n, monotone=only),
    ),
    "asking": (Conjunction, lambda n, only: AskingConjunction(n, monotone=only)),
    "asking about a disjunction": (
        Disjunction,
        lambda n, only: AskingDisjunction(n, monotone=only),
    ),
}


def suited(learner: AnyLearner, data: Data) -> Data:
    """The data, without negative numbers for a learner that takes none."""
    positive = isinstance(learner, Multiplicative) and learner.variant != "balanced"
    return Data(np.abs(data.X), data.y) if positive else data


def of_weights(make: Callable[[int], AnyLearner]) -> Kind:
    return lambda rows: rows.map(lambda data: Case(lambda: make(data.dim), suited(make(1), data)))


def jointly(make: Callable[[int], Joint | JointDual]) -> Kind:
    @st.composite
    def case(draw: st.DrawFn, rows: DataStrategy) -> Case:
        """Rows with classes from 0 to 4; a new class has the next number."""
        data = draw(rows)
        drawn = draw(st.lists(st.integers(0, 4), min_size=len(data), max_size=len(data)))
        order: dict[int, int] = {}
        codes: Any = np.array([order.setdefault(c, len(order)) for c in drawn], dtype=np.int32)
        return Case(lambda: make(data.dim), Data(data.X, codes))

    return case


@st.composite
def examples_of(draw: st.DrawFn, target: Any, n: int) -> Data:
    dice = np.random.default_rng(draw(seeds))
    X = dice.integers(0, 2, (draw(st.integers(1, 16)), n)).astype(np.float64)
    return Data(X, np.where(target.evaluate(X), 1, -1).astype(np.int8))


def of_a_class(make: Callable[[ConceptClass], ClassLearner]) -> Kind:
    families: st.SearchStrategy[ConceptClass] = st.sampled_from(
        [conjunctions(4), disjunctions(5, k=2, monotone=True), parities(5)]
    )

    @st.composite
    def case(draw: st.DrawFn, _rows: DataStrategy) -> Case:
        concepts = draw(families | small_classes())
        target = concepts[draw(st.integers(0, concepts.size - 1))]
        return Case(lambda: make(concepts), draw(examples_of(target, concepts.n)))

    return case


def of_literals(form: Any, make: Callable[[int, bool], ConceptLearner]) -> Kind:
    @st.composite
    def case(draw: st.DrawFn, _rows: DataStrategy) -> Case:
        n, monotone = draw(st.integers(1, 5)), draw(st.booleans())
        chosen = draw(st.sets(st.integers(1, n)))
        signs = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        target = form(tuple(i if monotone or signs[i - 1] else -i for i in chosen))
        return Case(lambda: make(n, monotone), draw(examples_of(target, n)))

    return case


WITH_WEIGHTS: dict[str, Kind] = {
    **{name: of_weights(make) for name, make in SUMS.items()},
    **{name: of_weights(make) for name, make in ADAPTIVE.items()},
    **{name: of_weights(make) for name, make in MATRICES.items()},
    **{name: of_weights(make) for name, make in WINNOWS.items()},
    **{name: jointly(make) for name, make in JOINT.items()},
}
OF_CONCEPTS: dict[str, Kind] = {
    **{name: of_a_class(make) for name, make in CLASS_LEARNERS.items()},
    **{name: of_literals(*made) for name, made in LITERAL_LEARNERS.items()},
}
EVERY = {
    **WITH_WEIGHTS,
    **{name: of_weights(make) for name, make in DUALS.items()},
    **{name: jointly(make) for name, make in JOINT_DUALS.items()},
    **OF_CONCEPTS,
}
every_learner = pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY.keys())
every_learner_with_weights = pytest.mark.parametrize(
    "kind", WITH_WEIGHTS.values(), ids=WITH_WEIGHTS.keys()
)
few = settings(max_examples=15)


def state(learner: AnyLearner) -> tuple[Any, ...]:
    """All that a learner knows, to the bit; of a concept learner, its score of every example."""
    if isinstance(learner, ConceptLearner):
        rows = DenseRows(every_example(learner.dim).astype(np.float64))
        left = learner.left if isinstance(learner, ClassLearner) else None
        return learner.rounds, left, learner.scores(rows).tobytes()
    if isinstance(learner, Multiplicative):
        return learner.rounds, learner._w.tobytes(), learner.powers.tobytes()
    if isinstance(learner, Dual):
        kept = learner._sums
        mistaken, _ = kept.rows(learner.dim)
        assert mistaken is not None
        rows = dense(mistaken)[kept.examples.values] + 0.0  # −0 is 0
        columns = (kept.columns.values, kept.steps.values, kept.rounds.values, rows)
        return learner.rounds, *(column.tobytes() for column in columns)
    average = learner.average.tobytes() if averages(learner) else b""
    variances = b""
    if isinstance(learner, Adaptive | JointAdaptive):
        variances = learner.variances.tobytes()
    return learner.rounds, learner.weights.tobytes(), average, variances


def averages(learner: AnyLearner) -> bool:
    return isinstance(learner, Additive | Adaptive | Joint) and learner._u is not None


def written(ledger: Ledger) -> tuple[int, dict[str, bytes]]:
    """All that a ledger says of the mistakes, to the bit."""
    return ledger.n_rounds, {k: v.tobytes() for k, v in ledger.mistakes.columns.items()}


def votes_of(ledger: Ledger, rows: Rows) -> list[Any] | None:
    """The vote of all weights of a run, for the rules that have one."""
    with_votes = ledger.rule in ("additive", "joint", "kernel", "joint-kernel") and not ledger.began
    return list(readings.vote(ledger, rows).tolist()) if with_votes else None


def kept(learner: AnyLearner, ledger: Ledger) -> bool:
    """Whether the ledger alone gives back all that a learner knows of weights and average."""
    same = summed(learner, ledger)
    if isinstance(learner, Additive | Adaptive | Joint) and averages(learner):
        same &= readings.average(ledger).tobytes() == learner.average.tobytes()
    return same


def summed(learner: AnyLearner, ledger: Ledger) -> bool:
    """Whether the mistakes add up to the learner's weights, or to its powers, if it has any."""
    if isinstance(learner, ConceptLearner):
        return True
    if isinstance(learner, Dual):
        if ledger.began:  # it lacks the mistakes of the runs before
            return True
        rows = ledger.examples if len(ledger) else DenseRows(np.eye(ledger.dim))
        own = learner.scores(rows)
        return own.tobytes() == readings.scores(learner, ledger, "final", rows).tobytes()
    if not isinstance(learner, Multiplicative):
        same = readings.final(ledger).tobytes() == learner.weights.tobytes()
        if isinstance(learner, Adaptive):
            last = next(readings.trajectory(ledger, [len(ledger)])).variances
            same &= last is not None and last.tobytes() == learner.variances.tobytes()
        return same
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
@given(draws=st.data())
def test_predicting_changes_nothing(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    asked, quiet = case.make(), case.make()
    some = case.data.block(draws.draw(layouts), draws.draw(precisions))
    for i in range(len(some)):
        before = state(asked)
        assert asked.scores(some.rows).tobytes() == asked.scores(some.rows).tobytes()
        assert state(asked) == before
        asked.learn(some, i, i + 1)
        quiet.learn(some, i, i + 1)
    assert state(asked) == state(quiet)


@every_learner
@few
@given(draws=st.data())
def test_the_score_predicted_is_the_score_recorded(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    learner, some = case.make(), case.data.block(draws.draw(layouts), draws.draw(precisions))
    for i, y in enumerate(case.data.y.tolist()):
        score = learner.scores(some.rows)[i]
        _, made = learner.learn(some, i, i + 1)
        if isinstance(learner, ConceptLearner):
            assert made.scores.tolist() == ([score] if (score >= 0) != (y > 0) else [])
        elif isinstance(
            learner, Joint | JointDual
        ):  # it records by how much its class is ahead of a rival
            of_class = [*score.tolist(), *[0.0] * (y + 1 - len(score))]
            own = of_class.pop(y)
            lead = own - max(of_class, default=0.0)
            # a rate multiplies a lead once, and each score once: they may round differently
            expected = lead if learner.rate == 1 else pytest.approx(lead, rel=1e-12, abs=1e-300)
            assert made.scores.tolist() == [expected] * len(made)
        else:
            assert made.scores.tolist() == [score] * len(made)


@every_learner
@few
@given(draws=st.data())
def test_a_block_is_its_examples_one_by_one(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    order = draws.draw(orders(len(case.data)))
    some = case.data.block(draws.draw(layouts), draws.draw(precisions), order=order, first=100)
    at_once, singly = case.make(), case.make()
    run = play([some], at_once)
    ledger = singly.open_ledger()
    for k in range(len(some)):
        stopped, made = singly.learn(some, k, k + 1)
        assert stopped == k + 1
        ledger.record(made, 1, some)
    assert state(at_once) == state(singly)
    assert written(run.ledger) == written(ledger)
    assert kept(singly, ledger)


@every_learner
@few
@given(draws=st.data())
def test_an_order_is_the_rows_rearranged(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    data, layout = case.data, draws.draw(layouts)
    order = np.array(draws.draw(st.permutations(range(len(data)))), dtype=np.int64)
    ordered, moved = case.make(), case.make()
    one = play([data.block(layout, order=order)], ordered, epochs=2).ledger
    other = play([Data(data.X[order], data.y[order]).block(layout)], moved, epochs=2).ledger
    assert state(ordered) == state(moved)
    assert one.rows.tolist() == order[other.rows].tolist()
    assert kept(ordered, one)
    assert kept(moved, other)


@every_learner
@few
@given(draws=st.data())
def test_where_blocks_are_cut_does_not_matter(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    cuts = draws.draw(st.lists(st.integers(0, len(case.data)), max_size=5))
    layout, precision = draws.draw(layouts), draws.draw(precisions)
    whole, cut = case.make(), case.make()
    one = play([case.data.block(layout, precision)], whole, epochs=3)
    other = play(case.data.pieces(cuts, layout, precision), cut, epochs=3)
    assert state(whole) == state(cut)
    assert written(one.ledger) == written(other.ledger)
    assert one.verdict is other.verdict
    assert one.ledger.epoch_mistakes == other.ledger.epoch_mistakes
    assert one.ledger.epoch_ends == other.ledger.epoch_ends
    assert kept(cut, other.ledger)
    votes = [votes_of(run.ledger, case.data.rows(layout)) for run in (one, other)]
    assert votes[0] == votes[1]


@every_learner
@few
@given(draws=st.data())
def test_how_many_rows_are_learned_at_a_time_does_not_matter(
    kind: Kind, draws: st.DataObject
) -> None:
    case = draws.draw(kind(float_data()))
    layout, size = draws.draw(layouts), draws.draw(st.integers(1, 5))
    whole, parted = case.make(), case.make()
    one = play([case.data.block(layout)], whole, epochs=2).ledger
    with pytest.MonkeyPatch.context() as patch:
        for module in ("learners.compiled_pass", "stream.rows", "ledger.readings"):
            patch.setattr(f"novikoff.{module}.part_size", lambda _rows: size)
        if isinstance(parted, ConceptLearner):
            patch.setattr(type(parted), "most_examples", size)
        other = play([case.data.block(layout)], parted, epochs=2).ledger
        assert state(whole) == state(parted)
        assert written(one) == written(other)
        assert kept(parted, other)
        votes = votes_of(other, case.data.rows(layout))
        scores = parted.scores(case.data.rows(layout))
    assert votes == votes_of(one, case.data.rows(layout))
    assert scores.tobytes() == whole.scores(case.data.rows(layout)).tobytes()


@every_learner
@few
@given(draws=st.data())
def test_every_layout_and_precision_gives_the_same_bits(kind: Kind, draws: st.DataObject) -> None:
    """The numbers are float32 ones, so that all six hold the same rows."""
    case = draws.draw(kind(float_data()))
    data, plain = case.data, case.make()
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
        other = case.make()
        stored = play([data.block(layout, precision)], other, epochs=3).ledger
        assert state(other) == state(plain)
        assert written(stored) == written(ledger)
        assert kept(other, stored)
        assert other.scores(data.rows(layout, precision)).tobytes() == scores
        assert votes_of(stored, data.rows(layout, precision)) == votes
        assert votes_of(stored, data.rows()) == votes


@st.composite
def float64_data(draw: st.DrawFn) -> Data:
    """Numbers with more bits than a float32 holds."""
    width, dice = draw(st.sampled_from((1, 5, 8, 19))), np.random.default_rng(draw(seeds))
    X = np.where(dice.random((20, width)) < 0.5, 0.0, dice.standard_normal((20, width)))
    return Data(X, np.where(dice.random(20) < 0.5, 1, -1).astype(np.int8))


@every_learner_with_weights
@few
@given(draws=st.data())
def test_float64_rows_give_the_same_bits_dense_and_sparse(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float64_data()))
    plain, sparse = case.make(), case.make()
    one = play([case.data.block()], plain, epochs=3).ledger
    other = play([case.data.block("csr of int32")], sparse, epochs=3).ledger
    assert state(plain) == state(sparse)
    assert written(one) == written(other)


@every_learner
@few
@given(draws=st.data(), seed=seeds)
def test_a_sparse_row_may_be_untidy(kind: Kind, draws: st.DataObject, seed: int) -> None:
    """Explicit zeros, unsorted and repeated indices: the sums are exact, so they agree."""
    case = draws.draw(kind(dyadic_data()))
    data, plain, other = case.data, case.make(), case.make()

    def mixed() -> Rows:
        return untidy(data.X, np.random.default_rng(seed))

    one = play([data.block()], plain, epochs=2).ledger
    two = play([Block(mixed(), data.y)], other, epochs=2).ledger
    assert state(plain) == state(other)
    assert written(one) == written(two)
    assert kept(other, two)
    assert other.scores(mixed()).tobytes() == plain.scores(data.rows()).tobytes()
    assert votes_of(two, mixed()) == votes_of(one, data.rows())


@every_learner
@few
@given(draws=st.data(), epochs=st.integers(1, 4))
def test_the_ledger_gives_the_learner_back(kind: Kind, draws: st.DataObject, epochs: int) -> None:
    """SPEC 5.3: the final vector and the average are readings of the run."""
    case = draws.draw(kind(float_data()))
    learner, some = case.make(), case.data.block(draws.draw(layouts), draws.draw(precisions))
    ledger = play([some], learner, epochs=epochs).ledger
    assert kept(learner, ledger)
    assert ledger.survivals().sum() == ledger.n_rounds == learner.rounds
    assert (ledger.survivals()[1:] > 0).all()
    assert ledger.survivals()[0] >= 0


@pytest.mark.parametrize("make", [*SUMS.values(), *ADAPTIVE.values()], ids=[*SUMS, *ADAPTIVE])
def test_before_the_first_round_all_readings_are_the_start(
    make: Callable[[int], Additive | Adaptive],
) -> None:
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
def test_saving_and_loading_in_the_middle_changes_nothing(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    middle = draws.draw(st.integers(0, len(case.data)))
    some = case.data.block(draws.draw(layouts))
    straight, learner = case.make(), case.make()
    play([some], straight)
    learner.learn(some, 0, middle)
    copies = [copy.deepcopy(learner)]
    if not isinstance(learner, ClassLearner):  # a class may hold functions that pickle refuses
        copies.append(pickle.loads(pickle.dumps(learner)))
    before = state(learner)
    for again in copies:
        if middle < len(some):
            again.learn(some, middle, len(some))
        assert state(again) == state(straight)
        assert state(learner) == before


@every_learner
@few
@given(draws=st.data())
def test_a_copied_ledger_continues_on_its_own(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    half = len(case.data) // 2
    *first, rest = case.data.pieces([half])
    learner = case.make()
    ledger = learner.open_ledger()
    for some in first:
        play([some], learner, ledger=ledger)
    copied = pickle.loads(pickle.dumps(ledger))
    play([rest], learner, ledger=copied)
    assert kept(learner, copied)
    assert (copied.n_rounds, ledger.n_rounds) == (len(case.data), half)


@every_learner
@few
@given(draws=st.data())
def test_two_runs_with_one_ledger_are_one_run(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    some, once, twice = case.data.block(), case.make(), case.make()
    whole = play([some], once, epochs=2)  # a cycle is found in three passes at the earliest
    parts = play([some], twice, epochs=1)
    if parts.verdict != "separated":
        play([some], twice, epochs=1, ledger=parts.ledger)
    assert state(once) == state(twice)
    assert written(whole.ledger) == written(parts.ledger)
    assert whole.ledger.epoch_ends == parts.ledger.epoch_ends
    assert kept(twice, parts.ledger)


@every_learner
@few
@given(draws=st.data())
def test_a_second_run_has_a_ledger_of_its_own(kind: Kind, draws: st.DataObject) -> None:
    """`open_ledger`: an empty ledger that starts where this learner stands."""
    case = draws.draw(kind(float_data()))
    some, learner = case.data.block(), case.make()
    play([some], learner)
    second = play([some], learner).ledger
    assert second.n_rounds == len(some)
    assert (second.survivals() >= 0).all()
    assert summed(learner, second)


@every_learner
@few
@given(draws=st.data())
def test_a_refused_example_changes_nothing(kind: Kind, draws: st.DataObject) -> None:
    case = draws.draw(kind(float_data()))
    learner, X = case.make(), case.data.X.copy()
    at, column = (draws.draw(st.integers(0, size - 1)) for size in X.shape)
    values = [2.0, np.nan] if isinstance(learner, ConceptLearner) else [np.nan, np.inf]
    X[at, column] = draws.draw(st.sampled_from(values))
    some = Data(X, case.data.y).block(draws.draw(layouts), first=10)
    if at:
        assert learner.learn(some, 0, len(some))[0] == at
    before = state(learner)
    with pytest.raises(BadExample, match=rf"row {10 + at}\b"):
        learner.learn(some, at, len(some))
    assert state(learner) == before


FACTORIES: dict[str, Callable[[int], Any]] = {**SUMS, **ADAPTIVE, **MATRICES, **WINNOWS, **JOINT}


@pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES.keys())
@every_flaw
@anywhere
def test_a_bad_row_is_refused_and_all_before_it_learned(
    make: Callable[[int], Any], flawed: Flawed, bad: int
) -> None:
    learner, other = make(5), make(5)
    rows = flawed.spoil(bad)
    if suited(learner, good()).X.min() >= 0:
        np.abs(rows.values, out=rows.values)
    some = Block(rows, good().y, first=1000)
    if bad:
        stopped, made = learner.learn(some, 0, 10)
        assert stopped == bad
        _, expected = other.learn(suited(learner, good()).block(first=1000), 0, bad)
        assert made.rounds.tolist() == expected.rounds.tolist()
        assert made.rows.tolist() == expected.rows.tolist()
    assert state(learner) == state(other)
    with pytest.raises(BadExample, match=rf"row {1000 + bad}\b") as refused:
        learner.learn(some, bad, 10)
    assert flawed.says in str(refused.value)
    assert state(learner) == state(other)


@pytest.mark.parametrize(
    "kind",
    [OF_CONCEPTS[name] for name in OF_CONCEPTS if not name.startswith("WeightedMajority")],
)
@few
@given(draws=st.data())
def test_a_second_pass_over_the_examples_of_a_concept_is_clean(
    kind: Kind, draws: st.DataObject
) -> None:
    case = draws.draw(kind(float_data()))
    learner = case.make()
    play([case.data.block()], learner)
    again = play([case.data.block()], learner)
    assert again.verdict == "separated"
    assert again.ledger.began == again.ledger.n_rounds == len(case.data)


@pytest.mark.parametrize("make", CLASS_LEARNERS.values(), ids=CLASS_LEARNERS.keys())
def test_the_summary_of_a_concept_learner_says_nothing_of_weights(
    make: Callable[[ConceptClass], ClassLearner],
) -> None:
    learner = make(conjunctions(3, monotone=True))
    run = play(labelled(["110", "011"], [False, True]), learner, epochs=9)
    lines = " ".join(str(run.summary()).split())
    assert "halving_bound" in lines
    with pytest.raises(ValueError, match="rule is 'concepts'"):
        readings.final(run.ledger)
