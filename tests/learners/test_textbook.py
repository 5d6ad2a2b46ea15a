"""The paper in exact arithmetic: on dyadic data the learner is the textbook's, to the last bit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers import textbook
from helpers.strategies import (
    TIES,
    Data,
    Layout,
    Options,
    Precision,
    dyadic_data,
    dyadic_importances,
    dyadic_options,
    dyadic_weights,
    float_data,
    layouts,
    orders,
    precisions,
    separable_data,
    ties,
)
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive, Ties
from novikoff.ledger import readings
from novikoff.runs.loop import play
from novikoff.sources import block
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Vector


def fractions(numbers: Vector) -> textbook.Point:
    return [Fraction(float(number)) for number in numbers]


def shown(data: Data, order: NDArray[np.int64] | None, *, bias: bool) -> list[textbook.Shown]:
    """The examples as the textbook wants them, in their order, the constant feature written out."""
    constant = [Fraction(1)] if bias else []
    where = range(len(data)) if order is None else order.tolist()
    return [(i, fractions(data.X[i]) + constant, int(data.y[i])) for i in where]


def by_the_book(
    examples: list[textbook.Shown],
    options: Options,
    *,
    dim: int,
    epochs: int,
    importances: Vector | None = None,
) -> textbook.Played:
    start = options["start"]
    low, high = options["class_weights"]
    return textbook.perceptron(
        examples,
        start=[Fraction(0)] * (dim + options["bias"]) if start is None else fractions(start),
        margin=Fraction(options["margin"]),
        rate=Fraction(options["rate"]),
        ties=options["ties"],
        class_weights=(Fraction(low), Fraction(high)),
        importances=None if importances is None else fractions(importances),
        epochs=epochs,
    )


@settings(max_examples=100)
@given(st.data())
def test_the_learner_is_the_textbook(draws: st.DataObject) -> None:
    data = draws.draw(dyadic_data())
    options = draws.draw(dyadic_options(data.dim))
    order = draws.draw(orders(len(data)))
    epochs = draws.draw(st.integers(1, 9))
    h = draws.draw(dyadic_importances(len(data)))
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order, importances=h)
    bias = options["bias"]

    learner = Additive(data.dim, **options, averaging=True)
    run = play([some], learner, epochs=epochs)
    examples = shown(data, order, bias=bias)
    book = by_the_book(examples, options, dim=data.dim, epochs=epochs, importances=h)

    ledger = run.ledger
    made = zip(ledger.rounds.tolist(), ledger.rows.tolist(), fractions(ledger.scores), strict=True)
    assert list(made) == book.mistakes
    assert (run.verdict is Verdict.SEPARATED) == book.clean
    assert (run.verdict is Verdict.CYCLE) == book.repeated
    assert run.epochs == book.epochs
    assert ledger.n_rounds == learner.rounds == book.epochs * len(data)
    assert fractions(learner.weights) == book.weights
    assert ledger.survivals().tolist() == [n for _, n in book.lives]

    by_row = {row: (x, y) for row, x, y in examples}
    mistaken = [by_row[row] for _, row, _ in book.mistakes]
    factor = Fraction(options["rate"])
    assert ledger.labels.tolist() == [y for _, y in mistaken]
    assert [Fraction(ledger.unit) * step for step in fractions(ledger.steps)] == [
        factor
        * Fraction(options["class_weights"][y > 0])
        * y
        * (1 if h is None else Fraction(h[row]))
        for (_, row, _), (_, y) in zip(book.mistakes, mistaken, strict=True)
    ]
    assert fractions(ledger.squares) == [textbook.dot(x, x) for x, _ in mistaken]

    # the average is one rounded division; a rate that is not a power of two rounds once more
    unit = ledger.unit
    average = [unit * float(a / Fraction(unit)) for a in book.average]
    assert learner.average.tolist() == average
    assert readings.average(ledger).tolist() == average

    asked = data.rows(draws.draw(layouts), draws.draw(precisions))
    points = [fractions(x) + [Fraction(1)] * bias for x in data.X]
    for zero in (-1, 1):
        votes = readings.vote(ledger, asked, zero_is_positive=zero > 0)
        T = max(1, ledger.n_rounds)
        assert votes.tolist() == [book.voted(x, zero=zero) / T for x in points]
    # scores of a rate that is not a power of two are exact here too
    assert fractions(learner.scores(asked)) == [textbook.dot(book.weights, x) for x in points]


@pytest.mark.parametrize("label", [-1, 1])
def test_a_zero_score_is_a_mistake(label: int) -> None:
    """SPEC 2.3: w = 0 gets everything wrong."""
    assert play([block([[1.0]], [label])], Additive(1)).ledger.n_mistakes == 1


@pytest.mark.parametrize("rule", TIES[1:])
@pytest.mark.parametrize("label", [-1, 1])
@pytest.mark.parametrize("bias", [False, True])
def test_a_zero_score_may_claim_a_sign(rule: Ties, label: int, bias: bool) -> None:
    """SPEC 2.1 and 2.3: D predicts +1 at exactly 0."""
    run = play([block([[1.0]], [label])], Additive(1, ties=rule, bias=bias))
    assert run.ledger.n_mistakes == ((rule == "positive") != (label > 0))


@pytest.mark.parametrize("rule", TIES)
def test_a_margin_makes_a_zero_score_wrong_whatever_it_claims(rule: Ties) -> None:
    for label in (-1, 1):
        run = play([block([[1.0]], [label])], Additive(1, ties=rule, margin=2.0**-30))
        assert run.ledger.n_mistakes == 1


def test_right_by_exactly_the_margin_is_not_enough() -> None:
    """SPEC 4.1: update when y(w·x) ≤ η."""
    run = play([block([[1.0]] * 5, [1] * 5)], Additive(1, margin=2.0))
    assert run.ledger.scores.tolist() == [0.0, 1.0, 2.0]


@settings(max_examples=60)
@given(st.data())
def test_an_update_raises_the_score_by_the_rate_times_the_square(draws: st.DataObject) -> None:
    """SPEC 2.8, C's quiz."""
    data = draws.draw(dyadic_data(most_rows=6))
    options = draws.draw(dyadic_options(data.dim))
    options["class_weights"] = (1.0, 1.0)
    learner = Additive(data.dim, **options)
    for i, y in enumerate(data.y.tolist()):
        alone = DenseRows(data.X[i : i + 1])
        before = Fraction(float(learner.scores(alone)[0]))
        _, made = learner.learn(data.block(), i, i + 1)
        after = Fraction(float(learner.scores(alone)[0]))
        square = sum(Fraction(float(x)) ** 2 for x in data.X[i]) + options["bias"]
        assert y * (after - before) == len(made) * Fraction(options["rate"]) * square


@settings(max_examples=60)
@given(st.data())
def test_one_point_is_wrong_exactly_once_from_zero(draws: st.DataObject) -> None:
    """SPEC 2.8."""
    data = draws.draw(dyadic_data(most_rows=1))
    assume(data.X.any())
    rate = draws.draw(st.sampled_from((1.0, 0.1, 1e-3, 3.7)))
    run = play([data.block()], Additive(data.dim, rate=rate), epochs=3)
    assert run.ledger.rounds.tolist() == [1]
    assert run.verdict is Verdict.SEPARATED


@settings(max_examples=80)
@given(st.data())
def test_one_point_from_elsewhere_takes_as_many_mistakes_as_the_quiz_says(
    draws: st.DataObject,
) -> None:
    """SPEC 2.8: ⌊−y(w₀·x)/(r‖x‖²)⌋ + 1 when y(w₀·x) ≤ 0, and none when it is above."""
    data = draws.draw(dyadic_data(most_rows=1))
    assume(data.X.any())
    start = draws.draw(dyadic_weights(data.dim))
    rate = draws.draw(st.sampled_from((1.0, 0.5, 0.75, 4.0)))
    x = fractions(data.X[0])
    correct = int(data.y[0]) * textbook.dot(fractions(start), x)
    growth = Fraction(rate) * textbook.dot(x, x)
    mistakes = math.floor(-correct / growth) + 1 if correct <= 0 else 0
    assume(mistakes <= 10**4)

    learner = Additive(data.dim, rate=rate, start=start)
    run = play([data.block()], learner, epochs=mistakes + 1)
    assert run.ledger.n_mistakes == mistakes
    assert run.verdict is Verdict.SEPARATED


@settings(max_examples=60)
@given(float_data(), st.booleans(), ties, st.sampled_from((0.1, 1e-3, 3.7, 1e-250, 1e250)))
def test_the_rate_changes_no_mistake_from_zero(
    data: Data, bias: bool, rule: Ties, rate: float
) -> None:
    """SPEC 2.4, on numbers that round: it scales the weights, the average and the scores."""
    slow = Additive(data.dim, bias=bias, ties=rule, rate=rate, averaging=True)
    plain = Additive(data.dim, bias=bias, ties=rule, averaging=True)
    one, other = play([data.block()], slow, epochs=3), play([data.block()], plain, epochs=3)
    assert one.ledger.rounds.tolist() == other.ledger.rounds.tolist()
    assert one.ledger.rows.tolist() == other.ledger.rows.tolist()
    assert one.ledger.scores.tolist() == (rate * other.ledger.scores).tolist()
    assert slow.weights.tolist() == (rate * plain.weights).tolist()
    assert slow.average.tolist() == (rate * plain.average).tolist()


def test_a_start_of_zeros_is_no_start() -> None:
    """The rate then still only scales, and −0 is 0."""
    dice = np.random.default_rng(0)
    data = block(dice.standard_normal((50, 2)), np.where(dice.random(50) < 0.5, 1, -1))
    given, none = Additive(2, rate=0.1, start=np.array([0.0, -0.0])), Additive(2, rate=0.1)
    play([data], given, epochs=3)
    play([data], none, epochs=3)
    assert given.weights.tobytes() == none.weights.tobytes()


def test_the_rate_does_matter_from_another_start() -> None:
    """SPEC 2.4: from w₀ = −1 the point 1 is wrong twice at rate 1, nine times at 1/8."""
    point = block([[1.0]], [1])
    counts = [
        play([point], Additive(1, start=np.array([-1.0]), rate=rate), epochs=99).ledger.n_mistakes
        for rate in (1.0, 0.125)
    ]
    assert counts == [2, 9]


def test_a_margin_is_measured_in_the_weights_the_rate_made() -> None:
    """SPEC 4.1: at rate 1/4 the margin 1 takes five updates on the point 1, at rate 1 two."""
    point = block([[1.0]], [1])
    counts = [
        play([point], Additive(1, margin=1.0, rate=rate), epochs=99).ledger.n_updates
        for rate in (1.0, 0.25)
    ]
    assert counts == [2, 5]


@pytest.mark.parametrize("rule", TIES)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("bits", [2, 3, 4])
def test_a_parity_never_gets_a_clean_pass(bits: int, bias: bool, rule: Ties) -> None:
    """SPEC 2.9 and 6.3: XOR, and parities of more bits, with bits 0/1 and a constant."""
    X = np.array(list(product((0.0, 1.0), repeat=bits)))
    y = np.where(X.sum(axis=1) % 2 == 1, 1, -1)
    run = play([block(X, y)], Additive(bits, bias=bias, ties=rule), epochs=300)
    assert run.verdict is Verdict.CYCLE
    assert run.cycle is not None
    assert min(run.ledger.epoch_mistakes) >= 1
    examples = shown(Data(X, y.astype(np.int8)), run.cycle.rows, bias=bias)
    proof = zip(run.cycle.multipliers, examples, strict=True)
    terms = [[n * y * x_j for x_j in x] for n, (_, x, y) in proof]
    assert [sum(column) for column in zip(*terms, strict=True)] == [0] * (bits + bias)
    assert min(run.cycle.multipliers) > 0


def test_xor_with_the_product_as_a_feature_is_separated() -> None:
    X = [[a, b, a * b] for a in (0.0, 1.0) for b in (0.0, 1.0)]
    run = play([block(X, [-1, 1, 1, -1])], Additive(3, bias=True), epochs=100)
    assert run.verdict is Verdict.SEPARATED


def test_a_constant_separates_what_no_line_through_the_origin_does() -> None:
    """SPEC 2.5: 1 and 3 on a line, of different classes."""
    data = block([[1.0], [3.0]], [-1, 1])
    assert play([data], Additive(1), epochs=200).verdict is Verdict.CYCLE
    assert play([data], Additive(1, bias=True), epochs=200).verdict is Verdict.SEPARATED


def test_without_features_the_constant_learns_alone() -> None:
    run = play([block(np.empty((3, 0)), [1, 1, -1])], learner := Additive(0, bias=True), epochs=2)
    assert run.ledger.rounds.tolist() == [1, 3, 4, 6]
    assert learner.weights.tolist() == [0.0]


@settings(max_examples=60)
@given(float_data(), layouts, precisions, st.sampled_from((0.0, 1.5)), st.booleans())
def test_the_bias_is_a_column_of_ones(
    data: Data, layout: Layout, precision: Precision, margin: float, weighted: bool
) -> None:
    """SPEC 2.5, bit for bit on numbers that round; the constant counts in R too."""
    wider = Data(np.column_stack([data.X, np.ones(len(data))]), data.y)
    weights = (0.3, 1.7) if weighted else (1.0, 1.0)
    folded = Additive(data.dim, bias=True, margin=margin, averaging=True, class_weights=weights)
    plain = Additive(data.dim + 1, margin=margin, averaging=True, class_weights=weights)
    one = play([data.block(layout, precision)], folded, epochs=3).ledger
    other = play([wider.block(layout, precision)], plain, epochs=3).ledger
    for name in ("rounds", "rows", "scores", "steps", "squares"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert folded.weights.tobytes() == plain.weights.tobytes()
    assert folded.average.tobytes() == plain.average.tobytes()
    assert folded.scores(data.rows()).tobytes() == plain.scores(wider.rows()).tobytes()
    assert readings.final(one).tobytes() == readings.final(other).tobytes()
    assert one.radius == other.radius


class Repeated:
    """One example for ever so often, a thousand at a time."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.some = block([[3.0, -1.0]] * 1000, [1] * 1000)

    def __iter__(self) -> Iterator[Block]:
        for first in range(0, self.times, 1000):
            yield Block(self.some.rows, self.some.labels, first)


@pytest.mark.parametrize("bias", [False, True])
def test_an_example_a_million_times_costs_one_mistake(bias: bool) -> None:
    """SPEC 1.4: counting mistakes is not counting examples."""
    run = play(Repeated(1_000_000), learner := Additive(2, bias=bias, averaging=True))
    assert (run.ledger.n_mistakes, run.ledger.n_rounds) == (1, 1_000_000)
    assert run.ledger.survivals().tolist() == [0, 1_000_000]
    assert learner.average.tolist() == learner.weights.tolist() == [3.0, -1.0] + [1.0] * bias


def test_a_large_block_is_a_million_rounds_too() -> None:
    some = block(np.ones((1_000_000, 1)), np.ones(1_000_000))
    run = play([some], Additive(1))
    assert (run.ledger.n_mistakes, run.ledger.n_rounds) == (1, 1_000_000)


@settings(max_examples=60)
@given(separable_data(), st.booleans(), ties)
def test_on_separable_data_a_clean_sweep_comes(
    drawn: tuple[Data, NDArray[np.float64]], bias: bool, rule: Ties
) -> None:
    """SPEC 2.6, 3.1 and 3.2: within (R‖u‖/γ)² mistakes, so within one sweep more than that."""
    data, u = drawn
    correct = min(int(c) for c in data.y * (data.X @ u))
    largest = max(int(x @ x) for x in data.X) + bias
    bound = largest * int(u @ u) // correct**2
    learner = Additive(data.dim, bias=bias, ties=rule)
    run = play([data.block()], learner, epochs=bound + 1)
    assert run.verdict is Verdict.SEPARATED
    assert run.ledger.n_mistakes <= bound
    assert run.ledger.epoch_mistakes[-1] == 0
    predicted = data.y * learner.scores(data.rows())
    assert (predicted > 0).all() if rule == "mistake" else (predicted >= 0).all()
