"""The adaptive perceptron: AROW in exact arithmetic, its variances, importances and limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers import textbook
from helpers.strategies import (
    Data,
    Layout,
    dyadic_data,
    dyadic_importances,
    float_data,
    layouts,
    orders,
    precisions,
    seeds,
)
from novikoff import AdaptivePerceptron
from novikoff.learners import Adaptive, JointAdaptive
from novikoff.learners.rule import Rule, restored
from novikoff.ledger import readings
from novikoff.ledger.ledger import Matrix
from novikoff.runs.loop import play
from novikoff.sources import block
from novikoff.storage.file_format import BadModel
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Vector

ONE, ZERO = Fraction(1), Fraction(0)


def fractions(numbers: Vector) -> textbook.Point:
    return [Fraction(float(number)) for number in numbers]


def near(exact: Any) -> Any:
    """Equal up to rounding: β is a quotient, and each update rounds a few times.

    The exact streams below have at most 60 updates, on numbers of moderate size, so the errors of
    some hundred roundings of 2⁻⁵³ stay far below this.
    """
    return pytest.approx(np.array(exact, dtype=np.float64), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
@settings(max_examples=40)
@given(draws=st.data())
def test_the_learner_is_the_textbook(matrix: Matrix, draws: st.DataObject) -> None:
    data, bias = draws.draw(dyadic_data(most_rows=8)), draws.draw(st.booleans())
    order, epochs = draws.draw(orders(len(data))), draws.draw(st.integers(1, 3))
    h = draws.draw(dyadic_importances(len(data)))
    r = draws.draw(st.sampled_from((0.25, 1.0, 3.0)))
    low, high = draws.draw(st.sampled_from(((1.0, 1.0), (0.5, 2.0))))
    length = data.dim + bias
    constant = [ONE] if bias else []
    shown = [
        (i, fractions(data.X[i]) + constant, int(data.y[i]))
        for i in (range(len(data)) if order is None else order.tolist())
    ]
    each = [
        Fraction(1.0 if h is None else h[i]) * Fraction(high if y > 0 else low)
        for i, y in enumerate(data.y.tolist())
    ]
    book = textbook.arow(
        shown,
        r=Fraction(r),
        start=[ZERO] * length,
        variances=[ONE] * length,
        full=matrix == "full",
        importances=each,
        epochs=epochs,
    )
    # a margin of exactly 1 may be rounded to just below it, and then is learned from
    assume(
        all(
            abs(textbook.dot(w, x) - y) > Fraction(1, 10**8)
            for w, _ in book.lives
            for _, x, y in shown
        )
    )

    learner = Adaptive(
        data.dim,
        bias=bias,
        regularisation=r,
        matrix=matrix,
        averaging=True,
        class_weights=(low, high),
    )
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order, importances=h)
    run = play([some], learner, epochs=epochs)
    ledger = run.ledger
    made = list(zip(ledger.rounds.tolist(), ledger.rows.tolist(), strict=True))
    assert made == [(t, row) for t, row, _ in book.mistakes]
    assert (run.verdict == "separated", run.epochs) == (book.clean, book.epochs)
    assert ledger.scores.tolist() == near([s for _, _, s in book.mistakes])
    assert learner.weights.tolist() == near(book.weights)
    assert learner.average.tolist() == near(book.average)
    S = learner.variances if matrix == "full" else np.diag(learner.variances)
    assert S.reshape(-1).tolist() == near([a for row in book.variances for a in row])
    assert S.tobytes() == S.T.copy().tobytes()
    assert ledger.importances.tolist() == [float(each[row]) for _, row in made]
    assert ledger.labels.tolist() == [int(data.y[row]) for _, row in made]
    by_row = {row: x for row, x, _ in shown}
    assert fractions(ledger.squares) == [textbook.dot(by_row[row], by_row[row]) for _, row in made]


def four_squares(n: int) -> tuple[int, int, int, int]:
    """Four whole numbers whose squares sum to n (Lagrange 1770)."""
    some = range(math.isqrt(n) + 1)
    for a, b, c in product(some, repeat=3):
        rest = n - a * a - b * b - c * c
        if rest >= 0 and math.isqrt(rest) ** 2 == rest:
            return a, b, c, math.isqrt(rest)
    raise AssertionError(n)


@st.composite
def dyadic_streams(draw: st.DrawFn, *, full: bool) -> tuple[Data, int]:
    """Rows for which v + r is a power of two at each update, so that nothing is rounded.

    Each row has four features of its own, of variance 1, whose squares make up what is missing.
    """
    base, n, r = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.sampled_from((1, 3)))
    length = base + 4 * n
    rows: list[textbook.Shown] = []
    for k in range(n):
        x = [ZERO] * length
        x[:base] = [Fraction(draw(st.integers(-2, 2))) for _ in range(base)]
        y = draw(st.sampled_from((-1, 1)))
        before = exactly(rows, length, r, full=full)
        v = textbook.dot([textbook.dot(one, x) for one in before.variances], x)
        power = 1 << draw(st.integers(4, 5))
        missing = power - r - v
        scale = 1
        while (missing * scale * scale).denominator > 1:
            scale *= 2
        assume(missing >= 0 and missing * scale * scale < 4000)
        for i, a in enumerate(four_squares(int(missing * scale * scale))):
            x[base + 4 * k + i] = Fraction(a, scale)
        rows.append((k, x, y))
    X = np.array([[float(a) for a in x] for _, x, _ in rows])
    data = Data(X, np.array([y for _, _, y in rows], dtype=np.int8))
    return data, r


def exactly(rows: list[textbook.Shown], length: int, r: int, *, full: bool) -> textbook.Adapted:
    return textbook.arow(
        rows, r=Fraction(r), start=[ZERO] * length, variances=[ONE] * length, full=full
    )


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
@settings(max_examples=40)
@given(draws=st.data(), layout=layouts)
def test_where_nothing_is_rounded_the_learner_is_the_textbook_to_the_last_bit(
    matrix: Matrix, draws: st.DataObject, layout: Layout
) -> None:
    full = matrix == "full"
    data, r = draws.draw(dyadic_streams(full=full))
    shown = [(i, fractions(x), int(y)) for i, (x, y) in enumerate(zip(data.X, data.y, strict=True))]
    book = exactly(shown, data.dim, r, full=full)
    exact = [*book.weights, *(a for S in book.variances for a in S)]
    assume(all(Fraction(float(number)) == number for number in exact))
    learner = Adaptive(data.dim, regularisation=float(r), matrix=matrix)
    ledger = play([data.block(layout)], learner).ledger
    made = zip(ledger.rounds.tolist(), ledger.rows.tolist(), fractions(ledger.scores), strict=True)
    assert list(made) == book.mistakes
    assert fractions(learner.weights) == book.weights
    S = learner.variances if full else np.diag(learner.variances)
    assert [fractions(row) for row in S] == book.variances


@settings(max_examples=80)
@given(data=dyadic_data(most_rows=8), layout=layouts, draws=st.data())
def test_many_classes_are_learned_as_in_the_textbook(
    data: Data, layout: Layout, draws: st.DataObject
) -> None:
    drawn = draws.draw(st.lists(st.integers(0, 3), min_size=len(data), max_size=len(data)))
    order: dict[int, int] = {}
    codes: Any = np.array([order.setdefault(c, len(order)) for c in drawn], dtype=np.int32)
    shown = [(i, fractions(x), int(y)) for i, (x, y) in enumerate(zip(data.X, codes, strict=True))]
    book = textbook.joint_arow(shown, classes=len(order), r=Fraction(1, 2))
    assume(not book.tied)
    assume(all(abs(m - 1) > Fraction(1, 10**8) for _, _, m in book.mistakes))
    learner = JointAdaptive(data.dim, regularisation=0.5)
    ledger = play([Data(data.X, codes).block(layout)], learner).ledger
    made = list(zip(ledger.rounds.tolist(), ledger.rows.tolist(), strict=True))
    assert made == [(t, row) for t, row, _ in book.mistakes]
    assert ledger.scores.tolist() == near([m for _, _, m in book.mistakes])
    assert learner.weights.reshape(-1).tolist() == near(book.weights)
    assert learner.variances.tolist() == near(book.variances)


def test_a_full_matrix_has_at_most_2048_features() -> None:
    for make in (
        lambda: Adaptive(2049, matrix="full"),
        lambda: Adaptive(8, matrix="full").widen(2056),
    ):
        with pytest.raises(BadExample, match=r"at most 2,048 features.*; pass matrix='diagonal'"):
            make()
    assert Adaptive(2049).dim == 2049


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
@settings(max_examples=30)
@given(data=float_data(most_rows=10), layout=layouts)
def test_a_learner_widens_as_if_it_had_been_wide(
    matrix: Matrix, data: Data, layout: Layout
) -> None:
    wide = Data(np.pad(data.X, ((0, 0), (0, 8))), data.y).block(layout)
    straight = Adaptive(data.dim + 8, matrix=matrix, bias=True, averaging=True)
    grown = Adaptive(data.dim, matrix=matrix, bias=True, averaging=True)
    middle = len(data) // 2
    straight.learn(wide, 0, middle)
    grown.learn(data.block(layout), 0, middle)
    grown.widen(data.dim + 8)
    for one in (straight, grown):
        if middle < len(data):
            one.learn(wide, middle, len(data))
    assert straight.weights.tobytes() == grown.weights.tobytes()
    assert straight.variances.tobytes() == grown.variances.tobytes()


def test_a_matrix_that_is_not_symmetric_is_refused() -> None:
    learner = Adaptive(2, matrix="full")
    play(block([[1.0, 2.0]], [1]), learner)
    settings_, arrays = learner.state()
    assert restored(settings_, arrays).state()[0] == settings_
    S = arrays["variances"]
    for i, j, value in ((0, 1, 0.5), (0, 0, 1.5), (0, 0, -0.5), (0, 1, np.inf), (0, 1, np.nan)):
        lie = S.copy()
        lie[i, j] = value
        with pytest.raises(BadModel):
            restored(settings_, {**arrays, "variances": lie})


def test_single_examples_are_not_learned_with_a_full_matrix() -> None:
    clf = AdaptivePerceptron(matrix="full")
    with pytest.raises(ValueError, match="matrix='full' learns from blocks of rows"):
        clf.learn_one({"a": 1.0}, 1)
    X, y = np.eye(3), np.array([0, 1, 1])
    assert clf.partial_fit(X, y, classes=[0, 1]).n_updates_ == 3


def test_the_full_matrix_is_for_two_labels() -> None:
    with pytest.raises(
        ValueError, match="two labels only, .*; pass matrix='diagonal' or multiclass='ovr'"
    ):
        Rule("adaptive", matrix="full", joint=True)


@settings(max_examples=40)
@given(data=float_data(), seed=seeds)
def test_a_variance_never_grows_and_stays_above_zero(data: Data, seed: int) -> None:
    learner = Adaptive(data.dim, bias=True, regularisation=10.0 ** (seed % 9 - 6))
    before = learner.variances
    for i in range(len(data)):
        learner.learn(data.block(), i, i + 1)
        after = learner.variances
        assert (after > 0).all()
        assert (after <= before).all()
        untouched = np.append(data.X[i] == 0, False)
        assert (after[untouched] == before[untouched]).all()
        before = after


def test_a_variance_that_rounding_would_make_zero_stays_above_it() -> None:
    """(Sx)²/(v + r) is S when r is lost beside v."""
    learner = Adaptive(1)
    play(block([[1e150]], [1]), learner)
    assert 0 < learner.variances[0] <= 1e-299
    learner = Adaptive(1, regularisation=1e-300)
    play(
        [block([[1e100]], [1]), Block(DenseRows(np.array([[1e150]])), np.array([-1], np.int8), 1)],
        learner,
    )
    assert learner.variances[0] == np.finfo(np.float64).tiny


@pytest.mark.parametrize("value", [1e200, -1e300])
def test_a_row_whose_square_is_too_large_is_refused_and_nothing_changes(value: float) -> None:
    learner = Adaptive(2, averaging=True)
    play(block([[1.0, 2.0]], [1]), learner)
    before = learner.weights.tobytes(), learner.variances.tobytes(), learner.rounds
    with pytest.raises(BadExample, match=r"row 0: .*too large"):
        learner.learn(block([[value, 1.0]], [1 if value < 0 else -1]), 0, 1)
    assert (learner.weights.tobytes(), learner.variances.tobytes(), learner.rounds) == before


def test_an_importance_that_makes_the_step_infinite_is_refused() -> None:
    learner = Adaptive(1)
    for h in (1e-320, 5e-324):
        some = Block(DenseRows(np.ones((1, 1))), np.ones(1, np.int8), importances=np.array([h]))
        with pytest.raises(BadExample, match="row 0"):
            learner.learn(some, 0, 1)


@settings(max_examples=40)
@given(data=dyadic_data(most_rows=4), times=st.integers(1, 4), y=st.sampled_from((-1, 1)))
def test_with_a_full_matrix_an_importance_is_as_many_showings(
    data: Data, times: int, y: int
) -> None:
    """Each showing adds xxᵀ/r to the inverse of S, and yx/r to that times w; see `Adaptive`."""
    shown = [
        (i, fractions(x)[:4], int(label))
        for i, (x, label) in enumerate(zip(data.X, data.y, strict=True))
    ]
    length = len(shown[0][1])
    start = {"start": [ZERO] * length, "variances": [ONE] * length, "r": ONE, "full": True}
    last = (len(shown), shown[0][1], y)
    importances = [ONE] * len(shown) + [Fraction(times)]
    once = textbook.arow([*shown, last], **start, importances=importances)  # type: ignore[arg-type]
    often = textbook.arow([*shown, *[last] * times], **start)  # type: ignore[arg-type]
    assert once.weights == often.weights
    assert once.variances == often.variances


@settings(max_examples=40)
@given(data=float_data(), layout=layouts, seed=seeds)
def test_a_row_of_importance_zero_is_scored_and_never_learned_from(
    data: Data, layout: Layout, seed: int
) -> None:
    dice = np.random.default_rng(seed)
    h = np.where(dice.random(len(data)) < 0.4, 0.0, dice.lognormal(0, 1, len(data)))
    with_them, without = Adaptive(data.dim), Adaptive(data.dim)
    run = play(data.block(layout, importances=h), with_them)
    kept = np.flatnonzero(h)
    assume(len(kept) > 0)
    play(Data(data.X[kept], data.y[kept]).block(layout, importances=h[kept]), without)
    assert run.ledger.n_rounds == len(data)
    assert with_them.weights.tobytes() == without.weights.tobytes()
    assert with_them.variances.tobytes() == without.variances.tobytes()


def middles(data: Data) -> Iterator[int]:
    yield from {0, len(data) // 2, len(data)}


@settings(max_examples=40)
@given(data=float_data(), layout=layouts, seed=seeds)
def test_a_ledger_that_starts_in_the_middle_replays_the_rest(
    data: Data, layout: Layout, seed: int
) -> None:
    h = np.random.default_rng(seed).lognormal(0, 1, len(data))
    some = data.block(layout, importances=h)
    for middle in middles(data):
        learner = Adaptive(data.dim, bias=True, class_weights=(0.7, 1.3))
        learner.learn(some, 0, middle)
        ledger = learner.open_ledger()
        if middle < len(data):
            _, made = learner.learn(some, middle, len(data))
            ledger.record(made, len(data) - middle, some)
        assert readings.final(ledger).tobytes() == learner.weights.tobytes()
        last = next(readings.trajectory(ledger, [len(ledger)]))
        assert last.variances is not None
        assert last.variances.tobytes() == learner.variances.tobytes()


@settings(max_examples=30)
@given(data=float_data(), layout=layouts)
def test_the_trajectory_is_the_run_update_by_update(data: Data, layout: Layout) -> None:
    learner, followed = (Adaptive(data.dim, bias=True, averaging=True) for _ in range(2))
    some = data.block(layout)
    ledger = play([some], learner).ledger
    moments = readings.trajectory(ledger)
    for i in range(len(data)):
        _, made = followed.learn(some, i, i + 1)
        if len(made):
            moment = next(moments)
            assert moment.weights.tobytes() == followed.weights.tobytes()
            assert moment.average(i + 1).tobytes() == followed.average.tobytes()
    assert next(moments, None) is None


def test_a_vote_is_refused_in_one_sentence() -> None:
    some = block([[1.0]], [1])
    run = play(some, Adaptive(1))
    with pytest.raises(ValueError, match="adaptive weights do not vote"):
        readings.vote(run.ledger, some.rows)


def test_an_average_that_is_not_kept_is_refused() -> None:
    with pytest.raises(ValueError, match="averaging=True"):
        Adaptive(1).average  # noqa: B018


def test_a_pass_is_clean_when_every_margin_is_one_or_more() -> None:
    learner = Adaptive(1, start=np.array([1.0]))
    run = play(block([[1.0], [-2.0]], [1, -1]), learner, epochs=5)
    assert (str(run.verdict), run.epochs, len(run.ledger)) == ("separated", 1, 0)


def test_a_run_never_ends_in_a_cycle() -> None:
    run = play(block([[1.0], [1.0]], [1, -1]), Adaptive(1), epochs=50)
    assert (str(run.verdict), run.epochs) == ("budget", 50)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"regularisation": 0.0}, "regularisation must be a finite number above 0"),
        ({"regularisation": math.inf}, "regularisation must be"),
        ({"regularisation": True}, "regularisation must be"),
        ({"matrix": "sparse"}, "matrix must be 'diagonal' or 'full'"),
        ({"start": np.array([1.0, np.nan])}, "start must hold 2 finite numbers"),
        ({"class_weights": (0.0, 1.0)}, "class weights must be positive"),
    ],
)
def test_bad_settings_are_refused(settings_: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Adaptive(2, **settings_)


@settings(max_examples=40)
@given(data=float_data(), bias=st.booleans(), more=st.integers(0, 3))
def test_a_learner_restored_without_its_spare_room_continues_with_the_same_bits(
    data: Data, bias: bool, more: int
) -> None:
    straight = Adaptive(data.dim, bias=bias, averaging=True)
    some = data.block()
    middle = len(data) // 2
    straight.learn(some, 0, middle)
    straight.widen(data.dim + 8 * more)
    again = restored(*straight.state(data.dim))
    again.widen(data.dim + 8 * more)
    wide = Data(np.pad(data.X, ((0, 0), (0, 8 * more))), data.y).block()
    for one in (straight, again):
        if middle < len(data):
            one.learn(wide, middle, len(data))
    assert [a.tobytes() for a in straight.state()[1].values()] == [
        a.tobytes() for a in again.state()[1].values()
    ]
    assert straight.state()[0] == again.state()[0]


def test_a_learned_feature_is_not_left_out_of_its_state() -> None:
    learner = Adaptive(3)
    play(block([[0.0, 0.0, 1.0]], [1]), learner)
    with pytest.raises(ValueError, match="too few"):
        learner.state(2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variances", np.array([0.0, 1.0])),
        ("variances", np.array([-1.0, 1.0])),
        ("variances", np.array([1.5, 1.0])),
        ("variances", np.array([np.nan, 1.0])),
        ("variances", np.array([1.0])),
        ("w", np.array([1.0, 2.0])),
        ("class_weights", np.array([0.0, 1.0])),
    ],
)
def test_a_state_that_no_run_could_reach_is_refused(name: str, value: Vector) -> None:
    learner = Adaptive(1, bias=True)
    play(block([[1.0]], [1]), learner)
    settings_, arrays = learner.state()
    assert restored(settings_, arrays).weights.tolist() == learner.weights.tolist()
    with pytest.raises(BadModel):
        restored(settings_, {**arrays, name: value})
    with pytest.raises(BadModel, match="regularisation"):
        restored({**settings_, "regularisation": -1.0}, arrays)


@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_a_forgotten_name_goes_back_to_weight_zero_and_variance_one(multiclass: Any) -> None:
    clf = AdaptivePerceptron(max_names=4, multiclass=multiclass, average=True)
    for k in range(40):
        clf.learn_one({f"x{k}": 2.0, "always": 1.0}, k % 2, classes=[0, 1] if k == 0 else None)
    engine = clf._opened()
    assert engine is not None
    assert engine.core is not None
    (learner,) = engine.learners
    assert isinstance(learner, Adaptive | JointAdaptive)
    named = engine.core.named()[0].tolist()
    others = [j for j in range(learner.dim) if j not in named]
    assert others
    assert (learner.variances[..., others] == 1).all()
    assert (learner.weights[..., others] == 0).all()
    assert (learner.average[..., others] == 0).all()
    assert (learner.variances[..., named] < 1).all()


def test_the_summary_of_many_classes_claims_no_bound() -> None:
    X, y = np.eye(4)[[0, 1, 2, 0, 1, 2]], np.array([0, 1, 2, 0, 1, 2])
    clf = AdaptivePerceptron(multiclass="joint", keep="examples").fit(X, y)
    summary: Any = clf.summary(X, y)
    assert (summary.classes, summary.bound, summary.updates) == (3, None, clf.n_updates_)
    assert "adaptive steps and many classes" in " ".join(str(summary).split())
