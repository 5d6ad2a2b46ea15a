"""The bound of the adaptive perceptron with the full matrix: exact, never exceeded, nearly met."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import LAYOUTS, Data
from helpers.textbook import Point, arow, dot
from novikoff import Adaptive, Additive, guarantees, play, sources
from novikoff.ledger.ledger import Keep, NotKept
from novikoff.runs.loop import Run

NARROW = 1e-6  # a score so close to 1 may be on the other side of it in exact arithmetic


@st.composite
def few_points(draw: st.DrawFn) -> Data:
    dim, n = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    return Data(dice.integers(-4, 5, (n, dim)) / 2, dice.choice([-1, 1], n).astype(np.int8))


def played(
    data: Data, *, r: float = 1.0, bias: bool = False, epochs: int = 3, keep: Keep = "examples"
) -> Run:
    learner = Adaptive(data.dim, bias=bias, regularisation=r, matrix="full")
    block = data.block("dense")
    return play(block, learner, epochs=epochs, ledger=learner.open_ledger(keep))


def exactly(data: Data, run: Run, r: Fraction, *, bias: bool) -> list[tuple[Point, int, Fraction]]:
    """x, y and the exact score of each update of the textbook's run, if it is the same run."""
    X = [[Fraction(v) for v in row] + [Fraction(1)] * bias for row in data.X.tolist()]
    shown = [(i, x, int(y)) for i, (x, y) in enumerate(zip(X, data.y.tolist(), strict=True))]
    zero, one = [Fraction(0)] * len(X[0]), [Fraction(1)] * len(X[0])
    epochs = run.epochs
    text = arow(shown, r=r, start=zero, variances=one, full=True, epochs=epochs)
    return [(X[row], int(data.y[row]), s) for _, row, s in text.mistakes]


@given(
    few_points(),
    st.sampled_from([0.25, 1.0, 10.0]),
    st.booleans(),
    st.lists(st.integers(-8, 8), min_size=4, max_size=4),
)
def test_the_sandwich_is_the_textbooks_and_no_run_exceeds_the_bound(
    data: Data, rate: float, bias: bool, quarters: list[int]
) -> None:
    r, size = Fraction(rate), data.dim + bias
    run = played(data, r=rate, bias=bias)
    updates = exactly(data, run, r, bias=bias)
    scores = run.ledger.scores.tolist()
    if len(updates) != len(scores) or any(y * s > 1 - NARROW for _, y, s in updates):
        return  # rounding made it another run
    if any((y * s <= 0) != (y * t <= 0) for (_, y, s), t in zip(updates, scores, strict=True)):
        return  # or made a tie a narrow update
    u = [Fraction(q, 4) for q in quarters[:size]]
    bound = guarantees.arow_bound(run.ledger, u)
    assert bound.holds
    assert bound.updates == len(updates)
    assert bound.mistakes == sum(y * s <= 0 for _, y, s in updates)
    shown = guarantees.arow_sandwich(run.ledger, u)
    assert shown.k.tolist() == [*range(1, len(updates) + 1)]
    assert shown.holds
    # the proof's own account: w'Aw grows by 1/r − (1 − m)²/(v + r), det A by the factor 1 + v/r
    S = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    energy, progress, losses, spread = Fraction(0), Fraction(0), Fraction(0), dot(u, u)
    growth = Fraction(1)
    for k, (x, y, s) in enumerate(updates):
        Sx = [dot(row, x) for row in S]
        v = dot(Sx, x)
        energy += 1 / r - (1 - y * s) ** 2 / (v + r)
        growth *= 1 + v / r
        progress += y * dot(u, x) / r
        losses += max(Fraction(0), 1 - y * dot(u, x))
        spread += dot(u, x) ** 2 / r
        S = [
            [a - b * c / (v + r) for a, c in zip(row, Sx, strict=True)]
            for row, b in zip(S, Sx, strict=True)
        ]
        assert shown.lower[k] == float((k + 1 - losses) / r)
        assert shown.progress[k] == float(progress)
        square = spread * energy
        assert math.isclose(shown.product[k], math.sqrt(square), rel_tol=1e-14)
    assert bound.losses == losses
    assert bound.growth == growth
    assert bound.spread == r * spread


def test_the_bound_is_the_formula() -> None:
    """Three updates by hand: e₁ with +, e₂ with −, then nothing more within the margin's reach."""
    run = play(sources.block(np.eye(2), [1, -1]), Adaptive(2, matrix="full"))
    found = guarantees.arow_bound(run.ledger, [1, -1])
    # two mistakes at score 0: det A = 4, Σ⟨u,x⟩² = 2, ‖u‖² = 2, no losses
    assert (found.mistakes, found.updates) == (2, 2)
    assert found.growth == found.spread == 4
    assert found.bound == math.floor(2 * math.sqrt(math.log(4)))


def test_one_stream_comes_close_to_the_bound() -> None:
    """Orthogonal rows, each a mistake: with u = Σ yx the bound is √(2n)·√(n ln 2)."""
    n = 40
    run = play(sources.block(np.eye(n), [1] * n), Adaptive(n, matrix="full"))
    found = guarantees.arow_bound(run.ledger, [1] * n)
    assert found.mistakes == n
    assert found.bound == math.floor(n * math.sqrt(2 * math.log(2)))
    assert found.bound < 1.18 * n


def test_a_vector_that_loses_pays_for_it_and_the_zero_vector_loses_on_every_update() -> None:
    run = play(sources.block(np.eye(3), [1, 1, 1]), Adaptive(3, matrix="full"))
    none = guarantees.arow_bound(run.ledger, [0, 0, 0])
    assert none.losses == none.bound == 3


def test_a_run_without_updates_has_the_bound_0() -> None:
    ledger = Adaptive(2, matrix="full").open_ledger()
    assert guarantees.arow_bound(ledger, [1, 2]).bound == 0
    shown = guarantees.arow_sandwich(ledger, [1, 2])
    assert (len(shown.k), shown.holds, str(shown)) == (0, True, "no updates")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_the_rows_does_not_matter(layout: str) -> None:
    dice = np.random.default_rng(3)
    data = Data(dice.integers(-4, 5, (30, 5)) / 4, dice.choice([-1, 1], 30).astype(np.int8))
    learner = Adaptive(5, bias=True, matrix="full")
    run = play(data.block(layout), learner)  # type: ignore[arg-type]
    found = guarantees.arow_bound(run.ledger, learner.weights)
    assert found == guarantees.arow_bound(played(data, bias=True, epochs=1).ledger, learner.weights)


def test_positions_are_enough_with_the_rows_and_counts_are_not() -> None:
    data = Data(np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, 2.0]]), np.array([1, -1, -1], np.int8))
    whole, places = played(data), played(data, keep="positions")
    expected = guarantees.arow_bound(whole.ledger, [1, 1])
    assert (
        guarantees.arow_bound(places.ledger.with_examples(data.block("dense")), [1, 1]) == expected
    )
    with pytest.raises(NotKept):
        guarantees.arow_bound(places.ledger, [1, 1])
    with pytest.raises(NotKept):
        guarantees.arow_bound(played(data, keep="counts").ledger, [1, 1])


def test_what_the_theorem_does_not_cover_is_refused() -> None:
    block = sources.block(np.eye(2), [1, -1])
    diagonal = play(block, Adaptive(2)).ledger
    with pytest.raises(ValueError, match="no mistake bound is known for diagonal variances"):
        guarantees.arow_bound(diagonal, [1, 1])
    started = play(block, Adaptive(2, matrix="full", start=np.array([0.5, 0.0]))).ledger
    with pytest.raises(ValueError, match="did not start at w = 0 and variances 1"):
        guarantees.arow_bound(started, [1, 1])
    weighed = play(block, Adaptive(2, matrix="full", class_weights=(1.0, 2.0))).ledger
    with pytest.raises(ValueError, match="weighed its examples"):
        guarantees.arow_bound(weighed, [1, 1])
    with pytest.raises(ValueError, match="rule"):
        guarantees.arow_bound(play(block, Additive(2)).ledger, [1, 1])
    wide = Adaptive(301, matrix="full").open_ledger()
    with pytest.raises(ValueError, match="301 columns are too many"):
        guarantees.arow_bound(wide, [0] * 301)


def test_the_summary_of_a_run_shows_the_bound_and_the_sandwich_or_says_why_not() -> None:
    data = Data(np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, 2.0]]), np.array([1, -1, -1], np.int8))
    learner = Adaptive(2, matrix="full")
    run = play(data.block("dense"), learner)
    shown = run.summary()
    assert shown.arow == guarantees.arow_bound(run.ledger, learner.weights)
    assert shown.arow_sandwich is not None
    assert str(shown.arow_sandwich) in str(shown)
    assert json.dumps(shown.to_dict())
    assert played(data, keep="counts").summary().arow is None
    diagonal = play(data.block("dense"), Adaptive(2)).summary()
    assert "no mistake bound is known for diagonal variances" in str(diagonal)
