"""The perceptron in a kernel's space: the textbook in exact arithmetic, and what it refuses."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import textbook
from helpers.strategies import TIES, dyadic_data, dyadic_importances, layouts, orders, precisions
from novikoff import Additive, Dual, JointDual, Kernel, KernelPerceptron, play, readings
from novikoff.ledger.kernels import FileKernel, NotPositive, add_mistakes
from novikoff.ledger.readings import Reading
from novikoff.sources import block
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Rows

XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])


@settings(max_examples=20)
@given(draws=st.data(), degree=st.integers(1, 3), bias=st.booleans(), tie=st.sampled_from(TIES))
def test_the_learner_is_the_textbook(
    draws: st.DataObject, degree: int, bias: bool, tie: Any
) -> None:
    data, epochs = draws.draw(dyadic_data()), draws.draw(st.integers(1, 4))
    order, h = draws.draw(orders(len(data))), draws.draw(dyadic_importances(len(data)))
    margin, gamma, coef0 = (draws.draw(st.sampled_from([0.0, 0.5, 2.0])) for _ in range(3))
    kernel = Kernel("poly", degree, gamma or 0.25, coef0)
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order, importances=h)
    learner = Dual(
        data.dim, kernel=kernel, bias=bias, margin=margin, ties=tie, class_weights=(1.0, 0.5)
    )
    run = play([some], learner, epochs=epochs)
    points = [[Fraction(float(v)) for v in x] for x in data.X]

    def kernel_of(x: textbook.Point, z: textbook.Point) -> Fraction:
        return (Fraction(gamma or 0.25) * textbook.dot(x, z) + Fraction(coef0)) ** degree + bias

    where = range(len(data)) if order is None else order.tolist()
    book = textbook.kernel_perceptron(
        [(i, points[i], int(data.y[i])) for i in where],
        kernel_of,
        margin=Fraction(margin),
        ties=tie,
        class_weights=(Fraction(1), Fraction(1, 2)),
        importances=None if h is None else [Fraction(float(v)) for v in h],
        epochs=epochs,
    )
    ledger = run.ledger
    made = zip(ledger.rounds.tolist(), ledger.rows.tolist(), ledger.scores.tolist(), strict=True)
    assert list(made) == [(t, row, s) for t, row, _, s in book.mistakes]
    assert ledger.steps.tolist() == [step for _, _, step, _ in book.mistakes]
    assert ledger.squares.tolist() == [
        kernel_of(points[i], points[i]) for _, i, _, _ in book.mistakes
    ]
    rows = data.rows(draws.draw(layouts))
    found = readings.scores_by_reading(ledger, rows)
    assert found["final"].tolist() == [book.score(x) for x in points]
    # a mean is one rounded division
    assert found["average"].tolist() == [float(book.average(x)) for x in points]
    T = ledger.n_rounds
    assert found["vote"].tolist() == [book.votes(x) / T for x in points]


@settings(max_examples=20)
@given(draws=st.data(), degree=st.integers(1, 3), bias=st.booleans(), known=st.integers(0, 3))
def test_many_classes_jointly_are_the_textbook(
    draws: st.DataObject, degree: int, bias: bool, known: int
) -> None:
    data, epochs = draws.draw(dyadic_data()), draws.draw(st.integers(1, 3))
    order, h = draws.draw(orders(len(data))), draws.draw(dyadic_importances(len(data)))
    margin, gamma, coef0 = (draws.draw(st.sampled_from([0.0, 0.5, 2.0])) for _ in range(3))
    kernel = Kernel("poly", degree, gamma or 0.25, coef0)
    codes = draws.draw(st.lists(st.integers(0, 3), min_size=len(data), max_size=len(data)))
    classes, weights = max(known, *(c + 1 for c in codes)), (1.0, 0.5, 2.0)
    rows = data.rows(draws.draw(layouts), draws.draw(precisions))
    some = Block(rows, np.array(codes, np.int32), order=order, importances=h)
    how: dict[str, Any] = {"bias": bias, "margin": margin, "classes": known}
    learner = JointDual(data.dim, kernel=kernel, averaging=True, class_weights=weights, **how)
    ledger = play([some], learner, epochs=epochs).ledger
    points = [[Fraction(float(v)) for v in x] for x in data.X]

    def kernel_of(x: textbook.Point, z: textbook.Point) -> Fraction:
        return (Fraction(gamma or 0.25) * textbook.dot(x, z) + Fraction(coef0)) ** degree + bias

    where = range(len(data)) if order is None else order.tolist()
    shown = [(i, points[i], codes[i]) for i in where]
    book = textbook.joint_kernel_perceptron(
        shown,
        kernel_of,
        classes=classes,
        known=known,
        margin=Fraction(margin),
        class_weights=[Fraction(w) for w in (*weights, 1.0)],
        importances=None if h is None else [Fraction(float(v)) for v in h],
        epochs=epochs,
    )
    made: list[Any] = [
        ledger.rounds,
        ledger.rows,
        ledger.steps,
        ledger.scores,
        ledger.classes,
        ledger.rivals,
    ]
    assert [*zip(*(column.tolist() for column in made), strict=True)] == book.mistakes
    found = {one: readings.scores(learner, ledger, one, rows) for one in get_args(Reading)}
    shape = len(points), ledger.n_classes
    assert found["final"].tolist() == [book.scores(x)[: shape[1]] for x in points]
    assert found["final"].tobytes() == learner.scores(rows).tobytes()
    means = [[float(v) for v in book.average(x)[: shape[1]]] for x in points]
    assert found["average"].tolist() == means
    T = ledger.n_rounds
    assert found["vote"].tolist() == [[v / T for v in book.votes(x)[: shape[1]]] for x in points]


def squared(X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The features of (x·z + 2)²: products, each pair twice, multiples of x, and a constant."""
    pairs = (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    return np.hstack([pairs, 2 * X, np.full((len(X), 1), 2.0)])


@settings(max_examples=30)
@given(data=dyadic_data(), epochs=st.integers(1, 5))
def test_the_kernel_and_the_explicit_features_make_the_same_mistakes(
    data: Any, epochs: int
) -> None:
    wide = squared(data.X)
    one = play(data.block(), Dual(data.dim, kernel=Kernel("poly", 2, 1.0, 2.0)), epochs=epochs)
    two = play(block(wide, data.y), Additive(wide.shape[1]), epochs=epochs)
    n = min(one.ledger.n_rounds, two.ledger.n_rounds)  # the weights may repeat, which stops one
    upto = [ledger.updates_by(n) for ledger in (one.ledger, two.ledger)]
    for column in ("rounds", "rows", "scores", "squares"):
        mine, theirs = (getattr(run.ledger, column)[: upto[0]] for run in (one, two))
        assert mine.tolist() == theirs.tolist()


def test_many_rows_in_any_order_are_learned_as_few_at_a_time_are() -> None:
    """Scores of a block that is passed over again are kept, and only new mistakes are added."""
    dice = np.random.default_rng(0)
    n = 1100  # more than are brought up to date together
    X = dice.standard_normal((n, 4))
    y = np.where(dice.random(n) < 0.9, np.sign(X[:, 0] * X[:, 1]), 1.0)
    ledgers = []
    for size in (n, 50):
        learner = Dual(4, kernel=Kernel("rbf", gamma=0.5), averaging=True)
        parts = [block(X[at : at + size], y[at : at + size], first=at) for at in range(0, n, size)]
        ledgers.append(play(parts, learner, epochs=2).ledger)
    assert ledgers[0].n_updates > 200
    for column in ("rounds", "rows", "scores"):
        one, other = (getattr(ledger, column).tobytes() for ledger in ledgers)
        assert one == other
    learner = pickle.loads(pickle.dumps(learner))
    rows = DenseRows(X)
    own = learner.scores(rows)
    assert own.tobytes() == readings.scores(learner, ledgers[0], "final", rows).tobytes()


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("name", get_args(FileKernel))
def test_mistakes_are_added_on_the_way_as_with_the_whole_gram_matrix(
    name: Any, layout: str
) -> None:
    dice = np.random.default_rng(0)
    X, Z = dice.standard_normal((600, 40)), dice.standard_normal((90, 40))
    X[dice.random(X.shape) < 0.7] = 0.0
    rows: Rows = DenseRows(X) if layout == "dense" else DenseRows(X).sparse()
    kernel, of, at = Kernel(name, 3, 0.1, 1.0), DenseRows(Z).sparse(), np.arange(90)
    which = dice.permutation(90)[:70]  # of which some are mistaken twice, and some by two runs
    example, column = np.sort(dice.integers(0, 70, 200)), dice.integers(0, 3, 200)
    steps = dice.standard_normal((2, 200))
    gram = kernel.gram(rows, of.take(which), at[which], bias=True)
    for tables in (1, 2):
        found = [np.full((3, 600), 0.1) for _ in range(tables)]
        expected = [table.copy() for table in found]
        made = (at, which, example, column)
        kernel.add(found, [*steps[:tables]], rows, of, *made, bias=True)
        for table, step in zip(expected, steps, strict=False):
            add_mistakes(gram, example, column, step, table)
        assert [one.tobytes() for one in found] == [one.tobytes() for one in expected]


def test_runs_in_step_bring_rows_up_to_date_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    dice, calls = np.random.default_rng(0), list[int]()
    X, y = dice.standard_normal((1500, 6)), dice.integers(0, 5, 1500)
    multiply = Kernel.add

    def counted(
        kernel: Kernel, tables: Any, steps: Any, rows: Rows, *more: Any, bias: bool
    ) -> None:
        calls.append(len(rows))
        multiply(kernel, tables, steps, rows, *more, bias=bias)

    monkeypatch.setattr(Kernel, "add", counted)
    KernelPerceptron(kernel="rbf", gamma=0.3, max_iter=1, shuffle=False).fit(X, y)
    # the part that comes next, and the rows of the parts after it when a look ahead begins
    assert calls == [256, 256, 256, 476, 220]


@pytest.mark.parametrize("x", [0.0, 0.3, 1.0, 7.7, 20.0, 26.9, 30.0])
def test_rbf_is_the_exponential_to_an_ulp(x: float) -> None:
    rows, origin = DenseRows(np.array([[x]])), DenseRows(np.zeros((1, 1)))
    (found,) = Kernel("rbf", gamma=1.0).gram(rows, origin, np.arange(1))[0].tolist()
    assert abs(found - math.exp(-x * x)) <= 2 * math.ulp(math.exp(-x * x))


def exponential(x: float) -> float:
    """e^x for x ≤ 0, by sums and products alone: what is said of the core, in Python's floats."""
    high, low = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
    k = int(max(x, -746.0) * float.fromhex("0x1.71547652b82fep0") - 0.5)
    r, total = (max(x, -746.0) - k * high) - k * low, 0.0
    for n in range(13, -1, -1):
        total = total * r + 1.0 / math.factorial(n)
    half = int(k / 2)
    return total * 2.0**half * 2.0 ** (k - half)


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=3, max_size=12))
def test_rbf_and_its_scores_are_sums_and_products_in_one_order(points: list[Any]) -> None:
    """No machine can differ: nothing comes from libm or BLAS, and no sum has another order."""
    X, gamma = np.array(points), 0.3
    y = np.where(np.arange(len(X)) % 3, 1, -1)

    def dot(x: Any, z: Any) -> float:
        return float((0.0 + x[0] * z[0]) + x[1] * z[1])

    def kernel(x: Any, z: Any) -> float:
        apart = (dot(x, x) + dot(z, z)) - 2 * dot(x, z)
        return exponential(-gamma * max(apart, 0.0))

    made = list[tuple[float, Any, float]]()
    for _ in range(2):
        for x, label in zip(points, y.tolist(), strict=True):
            s = 0.0
            for step, z, _ in made:
                s += step * kernel(x, z)
            if label * s <= 0:
                made.append((label, x, s))
    learner = Dual(2, kernel=Kernel("rbf", gamma=gamma))
    ledger = play([block(X, y)], learner, epochs=2).ledger
    assert ledger.scores.tolist() == [s for _, _, s in made]


def test_a_kernel_that_raises_changes_nothing() -> None:
    calls = 0

    def kernel(A: Any, B: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise ZeroDivisionError("mine")
        return A @ B.T

    dice = np.random.default_rng(0)
    X, y = dice.standard_normal((300, 3)), dice.choice([-1, 1], 300)
    learner, some = Dual(3, kernel=Kernel(kernel)), block(X, y)
    at, _ = learner.learn(some, 0, 300)
    before = at, [column.tolist() for column in learner.kept()]
    with pytest.raises(ZeroDivisionError, match="mine"):
        learner.learn(some, at, 300)
    assert (learner.rounds, [column.tolist() for column in learner.kept()]) == before


@pytest.mark.parametrize(
    ("returns", "message"),
    [
        (lambda A, B: np.ones(3), r"returned shape \(3,\) for"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "not finite numbers"),
        (lambda A, B: np.full((len(A), len(B)), "x"), "not finite numbers"),
    ],
)
def test_what_a_kernel_returns_is_checked(returns: Any, message: str) -> None:
    with pytest.raises(BadExample, match=message):
        play(*XOR, Dual(2, kernel=Kernel(returns)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "cubic"}, "kernel must be one of linear, poly, rbf, precomputed, or a function"),
        ({"degree": 0}, "degree must be a whole number from 1"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"coef0": -0.5}, "coef0 must be a finite number from 0"),
    ],
)
def test_a_kernel_out_of_range_is_refused(settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Kernel(**settings)


def test_a_matrix_that_is_no_kernel_is_refused_or_warned_of() -> None:
    kernel = Kernel("precomputed")

    def measured(K: Any) -> None:
        kernel.measured(DenseRows(np.array(K, dtype=np.float64)), whole=True)

    with pytest.raises(BadExample, match=r"must be a square matrix, not of shape \(1, 2\)"):
        measured([[1, 2]])
    with pytest.raises(BadExample, match=r"symmetric, but the pair \(0, 1\) has 2 and 1"):
        measured([[1, 2], [1, 1]])
    with pytest.raises(BadExample, match=r"NaN \(row 1, column 0\)"):
        measured([[1, 2], [np.nan, 1]])
    with pytest.warns(NotPositive, match=r"the pair \(0, 1\) has 2, but K\(0, 0\) = 1"):
        measured([[1, 2], [2, 1]])


def test_a_row_without_a_kernel_is_named_and_the_rest_before_it_learned() -> None:
    X = np.array([[1.0], [2.0], [1e200], [np.nan]])
    learner = Dual(1, kernel=Kernel("poly", 2))
    some = block(X, [1, -1, 1, 1], first=10)
    at, made = learner.learn(some, 0, 4)
    assert (at, learner.rounds, made.rows.tolist()) == (2, 2, [10, 11])
    with pytest.raises(BadExample, match="row 12: the score is too large for float64"):
        learner.learn(some, 2, 4)
    with pytest.raises(BadExample, match=r"Input X contains NaN \(row 13, column 0\)"):
        learner.learn(some, 3, 4)
    assert learner.rounds == 2


def test_the_same_rows_may_come_with_other_weights_and_positions() -> None:
    dice = np.random.default_rng(0)
    X, y = dice.standard_normal((40, 2)), dice.choice([-1, 1], 40).astype(np.int8)
    rows, weights = DenseRows(X), dice.random(40)
    runs = []
    for second in (rows, DenseRows(X.copy())):
        learner = Dual(2, kernel=Kernel("rbf", gamma=1.0))
        first, _ = learner.learn(Block(rows, y), 0, 40)
        _, made = learner.learn(Block(second, y, 100, importances=weights), 0, 40)
        assert first == 40
        runs.append([made.rows.tolist(), made.steps.tolist(), *map(list, learner.kept())])
    assert runs[0] == runs[1]
    assert min(runs[0][0]) >= 100
