"""The perceptron that keeps at most B mistakes: textbook, theorem, streams that drift."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import textbook
from helpers.strategies import dyadic_data, layouts, orders, precisions
from novikoff import Dual, Kernel, KernelPerceptron, load, play, readings
from novikoff.learners import rule
from novikoff.ledger.ledger import NotKept
from novikoff.sources import block
from novikoff.stream.rows import DenseRows

ONES = 2**64 - 1
DICE = np.random.default_rng(0)
X = DICE.standard_normal((400, 3))
y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


def drawn(seed: int, count: int, n: int) -> int:
    """Which of n mistakes makes room for update number `count` (SplitMix64)."""
    z = (seed * 2**32 + (count + 1) * 0x9E3779B97F4A7C15) & ONES
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ONES
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ONES
    return (z ^ (z >> 31)) % n


@settings(max_examples=25)
@given(draws=st.data(), budget=st.integers(1, 6), seed=st.integers(0, 3), bias=st.booleans())
def test_the_learner_is_the_textbook(
    draws: st.DataObject, budget: int, seed: int, bias: bool
) -> None:
    data, order = draws.draw(dyadic_data()), None
    order = draws.draw(orders(len(data)))
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order)
    learner = Dual(
        data.dim, kernel=Kernel("poly", 2, 0.5, 1.0), bias=bias, budget=budget, seed=seed
    )
    play([some], learner, epochs=3)
    points = [[Fraction(float(v)) for v in x] for x in data.X]

    def k(a: textbook.Point, b: textbook.Point) -> Fraction:
        return (textbook.dot(a, b) / 2 + 1) ** 2 + bias

    kept, made = list[tuple[int, int]](), 0
    for _ in range(3):
        before = made
        for i in range(len(data)) if order is None else order.tolist():
            score = sum((s * k(points[j], points[i]) for j, s in kept), Fraction(0))
            if data.y[i] * score <= 0:
                if len(kept) == budget:
                    del kept[drawn(seed, made, budget)]
                kept.append((i, int(data.y[i])))
                made += 1
        if made == before:
            break
    assert learner._made == made
    assert [*zip(*(column.tolist() for column in learner.kept()), strict=True)] == kept
    final = [sum((s * k(points[j], x) for j, s in kept), Fraction(0)) for x in points]
    assert learner.scores(data.rows(draws.draw(layouts))).tolist() == final


def test_a_large_budget_changes_nothing_and_blocks_may_be_cut_anywhere() -> None:
    free = Dual(3, kernel=Kernel("rbf", gamma=0.5))
    play(X, y, free, epochs=2)
    narrow = set[bytes]()
    for size in (400, 7):
        runs = [Dual(3, kernel=Kernel("rbf", gamma=0.5), budget=b) for b in (400, 20)]
        parts = [block(X[a : a + size], y[a : a + size], first=a) for a in range(0, 400, size)]
        for one in runs:
            assert play(parts, one, epochs=2).ledger.n_updates == one._made
        scores = [one.scores(DenseRows(X)).tobytes() for one in (free, *runs)]
        assert scores[0] == scores[1]
        narrow.add(scores[2])
        assert len(runs[1].kept()[0]) == 20
    assert len(narrow) == 1


Stream = list[tuple[textbook.Point, int]]


def every_run(stream: Stream, budget: int) -> Iterator[tuple[Fraction, list[int]]]:
    """Each way in which a run can draw, with its probability and the rounds of its mistakes."""
    runs: list[tuple[Fraction, list[int], list[int]]] = [(Fraction(1), [], [])]
    for t, (x, label) in enumerate(stream):
        after = []
        for p, kept, made in runs:
            each = (stream[k][1] * textbook.dot(stream[k][0], x) for k in kept)
            score = sum(each, Fraction(0))
            if label * score > 0:
                after.append((p, kept, made))
                continue
            gone = range(budget) if len(kept) == budget else [budget]
            for one in gone:
                rest = [k for place, k in enumerate(kept) if place != one]
                after.append((p / len(gone), [*rest, t], [*made, t]))
        runs = after
    return ((p, made) for p, _, made in runs)


UNIT = [
    [Fraction(a, c), Fraction(b, c)] for a, b, c in ((1, 0, 1), (0, 1, 1), (3, 4, 5), (5, -12, 13))
]


@settings(max_examples=60)
@given(draws=st.data(), budget=st.sampled_from([1, 4]))
def test_the_expected_mistakes_are_within_the_bound(draws: st.DataObject, budget: int) -> None:
    """Exactly: all draws of short streams, comparators that move, R = 1, √B = 1 or 2."""
    n = draws.draw(st.integers(1, 9))
    units, labels = st.sampled_from(UNIT), st.sampled_from([-1, 1])
    stream = [(draws.draw(units), draws.draw(labels)) for _ in range(n)]
    size = draws.draw(st.fractions(0, 1, max_denominator=8)) * (1 if budget == 1 else 2)
    where = [draws.draw(st.integers(0, 1)) for _ in range(n)]  # two perpendicular comparators
    u = [[size * v for v in UNIT[k]] for k in where]
    # a move is √2 times as long as u, which is less than 3/2
    shift = sum((size * Fraction(3, 2) for a, b in pairwise(where) if a != b), Fraction(0))
    root = 1 if budget == 1 else 2
    if size >= root:
        return
    runs = [*every_run(stream, budget)]
    assert sum(p for p, _ in runs) == 1
    loss = [
        max(Fraction(0), 1 - y_t * textbook.dot(u_t, x))
        for u_t, (x, y_t) in zip(u, stream, strict=True)
    ]
    mistakes = sum(p * len(made) for p, made in runs)
    losses = sum(p * sum(loss[t] for t in made) for p, made in runs)
    assert mistakes * (1 - size / root) <= losses + budget * (size + shift)


def test_mistakes_on_a_stream_whose_labels_swap_five_times_are_within_the_bound() -> None:
    """Points of a circle within 60° of the target or its opposite: u = 2 · target loses nothing."""
    angle = DICE.uniform(-np.pi / 3, np.pi / 3, 3000) + np.pi * DICE.integers(0, 2, 3000)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    signs = np.sign(points[:, 0]).astype(int) * (1 - np.arange(3000) // 500 % 2 * 2)
    B, U, S = 9, 2.0, 5 * 4.0
    made = []
    for seed in range(4):
        learner = Dual(2, kernel=Kernel("linear"), budget=B, seed=seed)
        made.append(play(points, signs, learner).ledger.n_mistakes)
        right = learner.scores(DenseRows(points[-500:])) * signs[-500:] > 0
        assert right.all()  # the target of the last 500 rounds was learned again
    assert B < sum(made) / 4 <= B * (U + S) / (1 - U / B**0.5)


def test_a_hundred_mistakes_of_fifteen_hundred_are_nearly_enough_when_the_labels_swap() -> None:
    points, n = DICE.uniform(-1, 1, (3000, 2)), np.arange(3000)
    signs = np.sign(points[:, 0] * points[:, 1]).astype(int) * (1 - n // 500 % 2 * 2)
    signs[DICE.random(3000) < 0.1] *= -1
    kernel = Kernel("rbf", gamma=2.0)
    free, within = (
        play(points, signs, Dual(2, kernel=kernel, budget=B)).ledger for B in (None, 100)
    )
    assert within.n_mistakes < 1.2 * free.n_mistakes < 0.5 * len(points)


@pytest.mark.parametrize("kernel", ["poly", "precomputed"])
def test_a_file_and_a_pickle_go_on_alike(kernel: Any, tmp_path: Path) -> None:
    data = X if kernel == "poly" else (X @ X.T + 1) ** 2
    clf = KernelPerceptron(kernel=kernel, budget=30, reading="final", random_state=7, max_iter=2)
    clf.fit(data, y)
    clf.save(tmp_path / "m")
    copies = [load(tmp_path / "m"), pickle.loads(pickle.dumps(clf))]
    assert repr(copies[0]) == repr(clf)
    if kernel == "poly":
        for one in (clf, *copies):
            one.partial_fit(X[:90], -y[:90])
    for copy in copies:
        assert copy.decision_function(data).tobytes() == clf.decision_function(data).tobytes()
    learner: Any = clf._engine and clf._engine.learners[0]
    assert len(learner.kept()[0]) == 30
    with pytest.raises((NotKept, ValueError)):
        clf.predict(data, reading="vote")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 0}, "budget must be a whole number from 1"),
        ({"budget": 1.5}, "budget must be a whole number from 1"),
    ],
)
def test_a_budget_out_of_range_is_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dual(2, kernel=Kernel("linear"), **options)
    with pytest.raises(ValueError, match="a budget needs a kernel and the final weights"):
        rule.Rule(budget=3)


def test_an_error_changes_nothing() -> None:
    calls = []

    def kernel(A: Any, B: Any) -> Any:
        calls.append(len(A))
        if len(calls) > 3:
            raise ZeroDivisionError("mine")
        return A @ B.T

    learner = Dual(3, kernel=Kernel(kernel), budget=4)
    at, _ = learner.learn(block(X, y), 0, 400)
    before = [column.tolist() for column in learner.kept()]
    with pytest.raises(ZeroDivisionError, match="mine"):
        learner.learn(block(X, y), at, 400)
    assert (learner.rounds, [column.tolist() for column in learner.kept()]) == (at, before)
    scores = readings.scores(learner, learner.open_ledger(), "final", DenseRows(X[:0]))
    assert len(scores) == 0
