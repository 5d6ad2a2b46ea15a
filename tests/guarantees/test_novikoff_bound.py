"""No run exceeds Novikoff's bound, some run meets it, and every number of it is exact."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from helpers.proofs import CLASS_WEIGHTS, RATES, SEPARABLE, Textbook, ledger_of, run_on
from helpers.strategies import Data, dyadic_weights, untidy
from novikoff import guarantees, sources
from novikoff.guarantees import NotAWitness
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive
from novikoff.ledger.ledger import NotKept
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Vector


def test_norms_up_to_2_a_witness_of_length_3_and_margin_one_half_allow_144_mistakes() -> None:
    assert guarantees.mistake_bound(2**2, 3**2, Fraction(1, 2)) == 144
    assert guarantees.mistake_bound(2**2, 3**2, 0.5) == 144
    assert guarantees.mistake_bound(2**2, 3**2, Fraction(1, 2) + Fraction(1, 10**9)) == 143


def test_no_margin_gives_no_bound_and_a_square_is_not_negative() -> None:
    for R2, U2, gamma in ((1, 1, 0), (1, 1, -1), (-1, 1, 1), (1, -1, 1)):
        with pytest.raises(ValueError, match="γ > 0"):
            guarantees.mistake_bound(R2, U2, gamma)
    assert guarantees.mistake_bound(0, 0, 1) == 0


@pytest.mark.parametrize("n", [*range(1, 33), 100, 333])
def test_the_identity_meets_the_bound_exactly(n: int) -> None:
    bound = guarantees.novikoff(run_on(sources.tight(n), Additive(n)), [1] * n)
    assert bound.bound == bound.mistakes == n
    assert bound.holds
    assert [bound.margin, bound.radius_squared, bound.witness_squared] == [1, 1, n]


def test_floating_point_would_say_that_the_identity_breaks_the_bound() -> None:
    seems_broken = []
    for n in range(1, 65):
        u = np.full(n, 1 / np.sqrt(n))
        ledger = run_on(sources.tight(n), Additive(n))
        gamma = float(np.min(np.eye(n) @ u))
        if int((1.0 / gamma) ** 2) < len(ledger):
            seems_broken.append(n)
        assert guarantees.novikoff(ledger, u).bound == n
    assert {3, 6, 10} <= set(seems_broken)


def test_the_bound_does_not_depend_on_the_length_of_the_witness() -> None:
    ledger = ledger_of([[2, 1], [-1, 3], [1, -1]], [1, 1, 1])
    bounds = [guarantees.novikoff(ledger, [c * 3, c * 2]) for c in (1, 7, Fraction(1, 3), 0.125)]
    assert len({b.bound for b in bounds}) == 1
    assert len({b.unit_margin for b in bounds}) == 1


def test_one_mistake_too_many_does_not_hold_and_says_so() -> None:
    met = guarantees.novikoff(run_on(sources.tight(3), Additive(3)), [1, 1, 1])
    broken = replace(met, mistakes=4)
    assert not broken.holds
    assert (
        str(met)
        == "Novikoff 1962: at most 3 mistakes, 3 made (of the mistaken rows: R = 1, γ = 0.57735)"
    )
    assert "more than the bound" in str(broken)


@given(SEPARABLE, st.booleans(), RATES, CLASS_WEIGHTS, st.integers(1, 4))
def test_plain_runs_stay_within_both_bounds_which_are_the_textbook_s(
    drawn: tuple[Data, Vector],
    bias: bool,
    rate: float,
    class_weights: tuple[float, float],
    epochs: int,
) -> None:
    data, v = drawn
    u = [*v.tolist(), *[0.0] * bias]
    learner = Additive(data.dim, bias=bias, rate=rate, class_weights=class_weights)
    ledger = run_on(data.block("csr of int32"), learner, epochs)
    t = Textbook.of(ledger, data.X, u)
    a, b = min(t.steps), max(t.steps)
    bound = guarantees.novikoff(ledger, u)
    assert bound.holds
    assert (bound.margin, bound.radius_squared, bound.witness) == (t.gamma, t.r2, tuple(t.u))
    assert bound.bound == b * t.r2 * t.u2 // (a * t.gamma**2)
    adaptive = guarantees.adaptive(ledger, u)
    squares = sum(s**2 * t.dot(z, z) for s, z in zip(t.steps, t.z, strict=True))
    assert adaptive.holds
    assert adaptive.bound == math.isqrt(squares * t.u2 // (a * t.gamma) ** 2)


@pytest.mark.parametrize("n", [1, 2, 9, 50])
def test_the_identity_meets_the_adaptive_bound_exactly(n: int) -> None:
    adaptive = guarantees.adaptive(run_on(sources.tight(n), Additive(n, rate=3.0)), [1] * n)
    assert adaptive.bound == adaptive.mistakes == n


def test_the_adaptive_bound_counts_each_length_and_not_the_largest() -> None:
    ledger = ledger_of([[5, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1])
    assert guarantees.novikoff(ledger, [1, 1, 1]).bound == 25 * 3
    assert guarantees.adaptive(ledger, [1, 1, 1]).bound == math.isqrt(27 * 3)


def test_an_example_mistaken_twice_counts_twice_in_the_adaptive_bound() -> None:
    ledger = run_on(sources.block([[3, 0], [-2, 1]], [1, 1]), Additive(2), epochs=2)
    assert ledger.rows.tolist() == [0, 1, 1]
    # √(9 + 5 + 5) · √(1 + 9)/1 = 13.78…
    assert guarantees.adaptive(ledger, [1, 3]).bound == 13


def test_class_weights_stretch_the_bound_by_their_ratio_and_it_is_met() -> None:
    n = 10
    labels = [1, -1] * 5
    block = sources.block(np.eye(n), labels)
    met = guarantees.novikoff(
        run_on(block, Additive(n, class_weights=(1023 / 1024, 1.0), rate=0.25)), labels
    )
    assert met.bound == met.mistakes == n  # ⌊10 · 1024/1023⌋
    double = guarantees.novikoff(run_on(block, Additive(n, class_weights=(0.5, 1.0))), labels)
    assert double.bound == 2 * n
    adaptive = guarantees.adaptive(run_on(block, Additive(n, class_weights=(0.5, 1.0))), labels)
    assert adaptive.bound == math.isqrt((5 + 5 * 4) * n)


def test_a_vector_on_the_wrong_side_of_a_mistake_is_not_a_witness() -> None:
    ledger = play(
        [sources.block([[1, 0.1]], [1], first=0), sources.block([[-1, 0.25]], [1], first=1)],
        Additive(2),
    ).ledger
    with pytest.raises(NotAWitness, match=r"row 1 has y⟨u,x⟩ = −3/4 ≈ −0\.75") as refused:
        guarantees.novikoff(ledger, [1, 1])
    assert (refused.value.row, refused.value.margin) == (1, Fraction(-3, 4))
    for guarantee in (guarantees.adaptive, guarantees.from_start, guarantees.sandwich):
        with pytest.raises(NotAWitness):
            guarantee(ledger, [1, 1])


def test_a_vector_with_a_mistake_exactly_on_its_hyperplane_is_not_a_witness() -> None:
    ledger = run_on(sources.tight(2), Additive(2))
    with pytest.raises(NotAWitness, match=r"row 1 has y⟨u,x⟩ = 0$"):
        guarantees.novikoff(ledger, [1, 0])


def test_margins_too_long_to_print_are_still_named() -> None:
    ledger = run_on(sources.tight(2), Additive(2))
    with pytest.raises(NotAWitness, match=r"row 1 has y⟨u,x⟩ ≈ −1×10⁵⁰⁰⁰$"):
        guarantees.novikoff(ledger, [1, -(10**5000)])


def test_a_row_met_with_both_labels_has_no_witness() -> None:
    row = np.array([[1.0, 2.0]])
    ledger = play([sources.block(row, [1]), sources.block(row, [-1], first=1)], Additive(2)).ledger
    with pytest.raises(NotAWitness, match="row 1"):
        guarantees.novikoff(ledger, [1, 1])
    assert guarantees.margin_at_most(ledger).squared == 0


def test_a_row_whose_label_is_changed_between_passes_has_no_witness() -> None:
    labels = iter([1, -1])

    class Fickle:
        def __iter__(self) -> Iterator[Block]:
            return iter([sources.block([[1.0, 2.0]], [next(labels)])])

    ledger = play(Fickle(), Additive(2), epochs=2).ledger
    assert ledger.labels.tolist() == [1, -1]
    with pytest.raises(NotAWitness, match="row 0"):
        guarantees.novikoff(ledger, [1, 1])
    with pytest.raises(NotAWitness, match="row 0"):
        guarantees.novikoff(ledger, [-1, -1])


def test_anything_but_a_ledger_and_a_flat_witness_is_refused() -> None:
    run: Any = play(sources.tight(3), Additive(3))
    several: Any = (run.ledger, run.ledger)
    for wrong in (run, several):
        with pytest.raises(TypeError, match="expected a Ledger"):
            guarantees.novikoff(wrong, [1, 1, 1])
        with pytest.raises(TypeError, match="expected a Ledger"):
            guarantees.margin_at_most(wrong)
    with pytest.raises(ValueError, match=r"witness must be a flat list of numbers.*\(1, 3\)"):
        guarantees.novikoff(run.ledger, np.ones((1, 3)))


def test_a_witness_needs_a_number_for_each_feature_and_the_constant() -> None:
    ledger = run_on(sources.tight(3), Additive(3, bias=True))
    with pytest.raises(
        ValueError,
        match="each of the 3 features and one for the constant",
    ):
        guarantees.novikoff(ledger, [1, 1, 1])
    with pytest.raises(ValueError, match=r"2 numbers; it needs one for each of the 3 features$"):
        guarantees.novikoff(run_on(sources.tight(3), Additive(3)), [1, 1])


def test_the_constant_counts_in_the_radius_and_in_the_margin() -> None:
    bound = guarantees.novikoff(ledger_of([[1], [3]], [-1, 1], bias=True), [1, -2])
    assert [bound.margin, bound.radius_squared, bound.witness_squared] == [1, 10, 5]
    assert bound.bound == 50


def test_a_run_without_mistakes_needs_no_witness() -> None:
    empty = Additive(2).open_ledger()
    for guarantee in (guarantees.novikoff, guarantees.adaptive, guarantees.from_start):
        bound = guarantee(empty, [1, 1])
        assert (bound.bound, bound.mistakes, bound.margin, bound.holds) == (0, 0, None, True)
        assert bound.radius_squared == 0
        assert bound.unit_margin == 0
        assert str(bound).endswith("no mistakes")
    promise = guarantees.margin_perceptron(empty, [1, 1], 1)
    assert (promise.bound, promise.mistakes, promise.promised) == (0, 0, 0)
    assert str(promise).endswith("no updates")
    nothing = guarantees.sandwich(empty, [1, 1])
    assert nothing.holds
    assert len(nothing.k) == len(nothing.upper) == 0
    assert str(nothing) == "no mistakes"
    with pytest.raises(ValueError, match="no mistakes"):
        guarantees.margin_at_most(empty)


def test_positions_and_the_data_say_what_kept_examples_say() -> None:
    dice = np.random.default_rng(3)
    X = dice.integers(-3, 4, (60, 5)).astype(np.float64)
    u = np.array([3, -1, 2, 5, 1.0])
    X = X[X @ u != 0]
    block = sources.block(sparse.csr_array(X), np.sign(X @ u))
    ledgers = []
    for keep in ("examples", "positions", "counts"):
        learner = Additive(5)
        ledgers.append(play([block], learner, epochs=50, ledger=learner.open_ledger(keep)).ledger)
    kept, positions, counts = ledgers
    both = positions.with_examples(block)
    assert guarantees.novikoff(kept, u) == guarantees.novikoff(both, u)
    assert guarantees.adaptive(kept, u) == guarantees.adaptive(both, u)
    assert guarantees.from_start(kept, u) == guarantees.from_start(both, u)
    assert guarantees.margin_at_most(kept) == guarantees.margin_at_most(both)
    assert np.array_equal(guarantees.sandwich(kept, u).norm, guarantees.sandwich(both, u).norm)
    with pytest.raises(NotKept, match=r"kept positions only; use keep='examples' or with_examples"):
        guarantees.novikoff(positions, u)
    last = int(positions.rows.max())
    with pytest.raises(BadExample, match=f"row {last} is missing"):
        positions.with_examples(block.take(np.arange(last)))
    with pytest.raises(BadExample, match="the data have 4 features, the ledger 5"):
        positions.with_examples(sources.block(X[:, :4], block.labels))
    parts = [block.take(np.arange(0, last, 2)), block.take(np.arange(1, last + 1, 2))]
    parts.append(block.take(np.arange(0, last + 1, 2)))  # some rows come twice
    assert guarantees.novikoff(positions.with_examples(parts), u) == guarantees.novikoff(kept, u)
    for with_counts in (guarantees.novikoff, lambda ledger, _: ledger.with_examples(block)):
        with pytest.raises(NotKept, match="kept counts only"):
            with_counts(counts, u)


def test_untidy_rows_are_put_in_order_before_they_are_measured() -> None:
    X = np.array([[1.0, 2.0, 0.0], [0.0, -4.0, 5.0]])
    learner = Additive(3)
    ledger = play(
        [sources.block(X, [1, 1])], learner, ledger=learner.open_ledger("positions")
    ).ledger
    both = Block(untidy(X, np.random.default_rng(0)), np.array([1, 1], dtype=np.int8))
    assert guarantees.novikoff(ledger.with_examples(both), [1, 1, 1]).radius_squared == 41
    achieved = guarantees.achieved_margin([1, 1, 1], both)
    assert achieved.smallest == 1


def test_bounds_from_zero_refuse_other_starts_and_say_where_to_go() -> None:
    ledger = ledger_of([[1, 0], [0, 1]], [1, 1], start=np.array([-1.0, 0.0]))
    for guarantee in (guarantees.novikoff, guarantees.adaptive, guarantees.sandwich):
        with pytest.raises(ValueError, match="from_start"):
            guarantee(ledger, [1, 1])
    with pytest.raises(ValueError, match="from_start"):
        guarantees.margin_perceptron(ledger, [1, 1], 1)


def test_plain_bounds_refuse_runs_with_a_margin_and_say_where_to_go() -> None:
    ledger = ledger_of([[1, 0], [0, 1]], [1, 1], margin=1.0)
    for guarantee in (guarantees.novikoff, guarantees.adaptive, guarantees.from_start):
        with pytest.raises(ValueError, match=r"mistake 3 \(row 0\) was right by 1.*margin_perc"):
            guarantee(ledger, [1, 1])
    with pytest.raises(ValueError, match=r"right by 1, more than 0\.5"):
        guarantees.margin_perceptron(ledger, [1, 1], 0.5)
    with pytest.raises(ValueError, match=r"right by 1, more than 0\.5"):
        guarantees.sandwich(ledger, [1, 1], margin=0.5)
    with pytest.raises(ValueError, match="must not be negative"):
        guarantees.margin_perceptron(ledger, [1, 1], -1)


@pytest.mark.parametrize("rate", [1.0, 0.5, 2.0])
@pytest.mark.parametrize(("n", "c"), [(1, 1), (5, 2), (12, 7), (40, 3)])
def test_a_start_across_the_identity_meets_its_bound_exactly(n: int, c: int, rate: float) -> None:
    # the weights end at (rc, r, …, r), which is the witness times r: each inequality is an equality
    X = np.hstack([np.zeros((n, 1)), np.eye(n)])
    start = np.array([rate * c] + [0.0] * n)
    ledger = run_on(sources.block(X, [1] * n), Additive(n + 1, start=start, rate=rate))
    bound = guarantees.from_start(ledger, [c] + [1] * n)
    assert bound.bound == bound.mistakes == n


def test_a_start_against_the_only_example_meets_its_bound() -> None:
    # M² − M/2 ≤ M, so M ≤ 1.5; and one mistake takes −1/4 to 3/4
    ledger = ledger_of([[1]], [1], start=np.array([-0.25]))
    bound = guarantees.from_start(ledger, [1])
    assert bound.bound == bound.mistakes == 1


def test_a_start_of_minus_c_allows_2c_plus_1_mistakes_on_the_line() -> None:
    for c in (1, 2, 10, 10**6):
        ledger = ledger_of([[1]], [1], start=np.array([-float(c)]))
        assert guarantees.from_start(ledger, [1]).bound == 2 * c + 1
    assert len(ledger_of([[1]], [1], start=np.array([-10.0]))) == 11


def test_a_second_run_starts_where_the_first_left_the_weights() -> None:
    """With rate 1/2 the weights stand at 1/2, so M/2 − 1/2 ≤ √(1/4 + M/4): at most 3 mistakes."""
    learner = Additive(1, rate=0.5)
    play(sources.block([[1.0]], [1]), learner)
    second = play(sources.block([[1.0]], [-1]), learner, epochs=9).ledger
    assert guarantees.from_start(second, [-1]).bound == 3
    assert len(second) == 2


def test_from_zero_the_bound_is_novikoffs() -> None:
    for n in (1, 7, 30):
        ledger = run_on(sources.tight(n), Additive(n, rate=0.125))
        assert guarantees.from_start(ledger, [1] * n).bound == n


@given(SEPARABLE, st.data(), RATES, CLASS_WEIGHTS, st.sampled_from((0.0, 0.5, 8.0)))
def test_runs_from_anywhere_stay_within_the_largest_number_that_the_inequality_allows(
    drawn: tuple[Data, Vector],
    more: st.DataObject,
    rate: float,
    class_weights: tuple[float, float],
    eta: float,
) -> None:
    data, u = drawn
    start = more.draw(dyadic_weights(data.dim))
    learner = Additive(data.dim, start=start, rate=rate, class_weights=class_weights, margin=eta)
    ledger = run_on(data.block(), learner, 100_000)
    bound = guarantees.from_start(ledger, u, margin=eta)
    assert bound.holds
    if bound.mistakes == 0:
        return
    t = Textbook.of(ledger, data.X, u)
    a, b = min(t.steps), max(t.steps)

    def allowed(M: int) -> bool:
        left = a * M * t.gamma + t.dot(t.start, t.u)
        growth = a * M * (b * t.r2 + 2 * Fraction(eta))
        return left <= 0 or left**2 <= t.u2 * (t.dot(t.start, t.start) + growth)

    assert allowed(bound.bound)
    assert not allowed(bound.bound + 1)


def test_a_refused_witness_survives_a_process_pool() -> None:
    back = pickle.loads(pickle.dumps(NotAWitness(3, Fraction(-1, 2))))
    assert (back.row, back.margin) == (3, Fraction(-1, 2))


def test_a_run_on_many_integer_rows_is_proved_throughout() -> None:
    # like the mushrooms: 22 of 112 attributes are on in each row, and some vector separates
    dice = np.random.default_rng(8)
    X = np.zeros((800, 112))
    for x in X:
        x[dice.permutation(112)[:22]] = 1
    target = dice.integers(-5, 6, 112)
    scores = X @ target
    X, scores = X[np.abs(scores) >= 6], scores[np.abs(scores) >= 6]
    block = sources.block(sparse.csr_array(X), np.sign(scores))
    learner = Additive(112, bias=True)
    run = play([block], learner, epochs=1000)
    assert run.verdict is Verdict.SEPARATED
    known = [*target.tolist(), 0]
    for u in (known, learner.weights):
        bound = guarantees.novikoff(run.ledger, u)
        assert bound.radius_squared == 23
        assert guarantees.adaptive(run.ledger, u).bound <= bound.bound
        assert bound.holds
        assert guarantees.sandwich(run.ledger, u).holds
    assert guarantees.novikoff(run.ledger, known).margin == 6
    ceiling = guarantees.margin_at_most(run.ledger)
    floor = guarantees.achieved_margin(learner.weights, block)
    assert floor.smallest >= 1
    assert 0 < floor.value < ceiling.value
