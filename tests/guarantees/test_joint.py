"""The bound for many classes learned jointly: exact, never exceeded, and met."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.strategies import Layout, stored
from helpers.textbook import Point, dot
from novikoff import Additive, BadExample, Joint, guarantees, play, sources
from novikoff.guarantees import NotAWitness
from novikoff.ledger.ledger import Keep, NotKept
from novikoff.runs.loop import Run
from novikoff.stream.blocks import Block, Example

# four mistakes on three classes, each a tie and each as long as the others: nothing is given away
THREE = ([[1, 0, 1, 1], [0, 1, 1, -1], [0, 1, -1, -1], [1, 0, -1, 1]], [1, 2, 2, 1])


def played(block: Block, *, keep: Keep = "examples", **rule: float) -> tuple[Joint, Run]:
    learner = Joint(block.rows.dim, classes=int(block.codes.max()) + 1, **rule)  # type: ignore[arg-type]
    return learner, play(block, learner, epochs=1000, ledger=learner.open_ledger(keep))


def copies(n: int) -> Block:
    """The four examples n times, each time in features of their own."""
    X, y = THREE
    return sources.classes_block(np.kron(np.eye(n), np.array(X, dtype=float)), y * n)


def whole(example: Example, dim: int) -> list[Fraction]:
    x = np.zeros(dim)
    x[example.columns] = example.values
    return [Fraction(v) for v in x.tolist()]


def lead(U: list[Point], x: Point, y: int) -> Fraction:
    scores = [dot(u, x) for u in U]
    return scores[y] - max(s for r, s in enumerate(scores) if r != y)


@st.composite
def separable(draw: st.DrawFn, *, classes: int = 4) -> tuple[NDArray[np.float64], Block]:
    """Random weights for some classes, and rows of quarters labelled by them, with no ties."""
    K, dim = draw(st.integers(2, classes)), draw(st.integers(1, 6))
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    U = dice.integers(-8, 9, (K, dim)) / 4
    X = dice.integers(-8, 9, (30, dim)) / 4
    best = np.sort(X @ U.T, axis=1)
    X = X[best[:, -1] > best[:, -2]]
    layout: Layout = draw(st.sampled_from(("dense", "csr of int32")))
    return U, Block(stored(X, layout, "float64"), (X @ U.T).argmax(axis=1).astype(np.int32))


@given(separable(), st.sampled_from([0.0, 1.0, 7.5]), st.sampled_from([1.0, 0.5]))
def test_no_run_exceeds_the_bound_and_its_numbers_are_the_textbooks(
    drawn: tuple[NDArray[np.float64], Block], margin: float, rate: float
) -> None:
    U, block = drawn
    if not len(block):
        return
    learner = Joint(block.rows.dim, margin=margin, rate=rate)
    run = play(block, learner, epochs=100_000)
    if learner.n_classes < 2:
        return
    bound = guarantees.joint_bound(run.ledger, U, margin=margin)
    assert bound.holds
    assert bound.classes == learner.n_classes
    if not len(run.ledger):
        return
    exact = [[Fraction(v) for v in row] for row in U.tolist()]
    mistaken = [block[i] for i in set(run.ledger.rows.tolist())]
    X = [whole(example, block.rows.dim) for example in mistaken]
    gamma = min(lead(exact, x, example.label) for x, example in zip(X, mistaken, strict=True))
    R2 = max(dot(x, x) for x in X)
    U2 = sum((dot(u, u) for u in exact), Fraction(0))
    eta, r = Fraction(margin), Fraction(rate)
    assert (bound.margin, bound.radius_squared, bound.witness_squared) == (gamma, R2, U2)
    assert bound.bound == (2 * R2 + 2 * eta / r) * U2 // gamma**2
    assert run.verdict == "separated"
    achieved = guarantees.achieved_margin(learner.weights, block)
    assert achieved.smallest > eta
    assert achieved.exceeds(bound.promised_squared)


@pytest.mark.parametrize("n", [1, 9])
def test_two_classes_meet_the_bound_exactly(n: int) -> None:
    block = sources.classes_block(np.eye(n), [1] * n)
    _, run = played(block)
    U = [[-1] * n, [1] * n]
    bound = guarantees.joint_bound(run.ledger, U)
    assert (len(run.ledger), bound.bound) == (n, n)
    assert 2 * bound.radius_squared * bound.witness_squared == n * (bound.margin or 0) ** 2


@pytest.mark.parametrize("n", [1, 6])
def test_three_classes_meet_the_bound_exactly(n: int) -> None:
    learner, run = played(copies(n))
    assert run.ledger.scores.tolist() == [0.0] * (4 * n)
    assert set(run.ledger.classes.tolist()) | set(run.ledger.rivals.tolist()) == {0, 1, 2}
    bound = guarantees.joint_bound(run.ledger, learner.weights)
    assert (len(run.ledger), bound.bound) == (4 * n, 4 * n)
    # not by rounding down: any smaller constant than 2 would be exceeded
    assert 2 * bound.radius_squared * bound.witness_squared == 4 * n * (bound.margin or 0) ** 2


def test_steps_that_differ_stretch_the_bound() -> None:
    learner = Joint(9, classes=2, class_weights=(1.0, 2.0))
    run = play(sources.classes_block(np.eye(9), [0] * 4 + [1] * 5), learner, epochs=9)
    U = [[1.0] * 4 + [-1.0] * 5, [-1.0] * 4 + [1.0] * 5]
    assert guarantees.joint_bound(run.ledger, U).bound == 18


def test_a_witness_that_fails_is_refused_with_the_row_and_the_two_classes() -> None:
    _, run = played(copies(1))
    U = [[-1, -1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert guarantees.joint_bound(run.ledger, U).margin == 1
    with pytest.raises(NotAWitness, match="row 0, of class 1, has .* less that for class 2 = 0"):
        guarantees.joint_bound(run.ledger, [U[0], U[1], [1, 1, 0, 0]])
    with pytest.raises(NotAWitness) as refused:
        guarantees.joint_bound(run.ledger, [U[0], U[1], [0, 0, 0, 0]])
    assert (refused.value.row, refused.value.classes) == (1, (2, 1))
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.classes) == (str(refused.value), (2, 1))


def test_wrong_arguments_are_refused_with_the_reason() -> None:
    learner, run = played(copies(1))
    ledger, U = run.ledger, learner.weights
    with pytest.raises(ValueError, match="2 numbers for each class; it needs"):
        guarantees.joint_bound(ledger, U[:, :2])
    with pytest.raises(ValueError, match="rows for 2 classes; the run has 3"):
        guarantees.joint_bound(ledger, U[:2])
    with pytest.raises(ValueError, match=r"a row for each of two or more classes.*\(4,\)"):
        guarantees.joint_bound(ledger, U[0])
    with pytest.raises(ValueError, match=r"witness\[0\] is nan"):
        guarantees.joint_bound(ledger, U * np.nan)
    with pytest.raises(ValueError, match="right by 6, more than 0.*the parameter margin"):
        guarantees.joint_bound(played(copies(1), margin=6.0)[1].ledger, U)
    with pytest.raises(ValueError, match="did not start at w = 0"):
        guarantees.joint_bound(play(copies(1), learner).ledger, U)
    two = play(sources.block([[1.0]], [1]), Additive(1)).ledger
    with pytest.raises(ValueError, match="learned jointly.*rule is 'additive'"):
        guarantees.joint_bound(two, [[1], [-1]])
    with pytest.raises(ValueError, match="needs a run with two labels.*guarantees.joint_bound"):
        guarantees.novikoff(ledger, [1] * 4)
    with pytest.raises(BadExample, match="weights are for 2 classes; a row has class 2"):
        guarantees.achieved_margin(U[:2], copies(1))
    with pytest.raises(ValueError, match="3 weights for each class do not fit rows of 4"):
        guarantees.achieved_margin(U[:, :3], copies(1))
    with pytest.raises(ValueError, match="all 0"):
        guarantees.achieved_margin(0 * U, copies(1))


def test_positions_are_enough_with_the_rows_and_no_mistakes_need_no_witness() -> None:
    block = copies(2)
    learner, run = played(block, keep="positions")
    assert guarantees.joint_bound(run.ledger.with_examples(block), learner.weights).bound == 8
    with pytest.raises(NotKept):
        guarantees.joint_bound(run.ledger, learner.weights)
    empty = guarantees.joint_bound(Joint(4, classes=3).open_ledger(), [[0] * 4] * 3)
    assert (str(empty), empty.bound) == ("Crammer & Singer 2003: no mistakes", 0)


def test_the_least_lead_is_exact_where_floating_point_cannot_tell() -> None:
    tiny = 2.0**-60
    block = sources.classes_block([[1.0, tiny], [1.0, 2 * tiny], [1.0, -tiny]], [0, 0, 0])
    U = [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(9)]]
    achieved = guarantees.achieved_margin(U, block)
    assert (achieved.row, achieved.smallest) == (2, -Fraction(tiny))
    assert guarantees.achieved_margin(U, replace(block, labels=block.codes + 1)).row == 1
    # in floating point the first is ahead by 1.9e-6, whichever it is
    for ahead, row in ((1.1e-6, 0), (1.8e-6, 1)):
        block = sources.classes_block([[1e10, ahead], [1.0, 1.5e-6]], [0, 0])
        assert guarantees.achieved_margin([[1, 1], [1, 0]], block).row == row


@pytest.mark.parametrize("keep", ["examples", "positions"])
def test_the_summary_proves_the_bound_by_the_final_weights(keep: Keep) -> None:
    block = copies(2)
    _, run = played(block, keep=keep)
    summary = run.summary(block)
    assert (summary.classes, summary.mistakes, summary.updates) == (3, 8, 8)
    assert (summary.separates, summary.examples, summary.margin.at_most_squared) == (True, 8, None)
    assert summary.bound is not None
    assert summary.bound.bound == 8
    assert summary.margin.at_least_squared == 2 * summary.bound.radius_squared / 8
    assert "that any weights reach on all 8 examples" in " ".join(str(summary).split())
    assert "at most 8 mistakes, 8 made: Crammer & Singer 2003" in str(summary)
    assert summary.to_dict()["classes"] == 3
    with pytest.raises(BadExample, match="row 0 has another label"):
        run.summary(replace(block, labels=block.codes * 0))


def test_the_summary_says_why_there_is_no_bound() -> None:
    wrong = sources.classes_block([[1.0], [1.0], [1.0]], [0, 1, 2])
    learner, run = played(wrong)
    summary = run.summary(wrong)
    assert (summary.bound, summary.separates) == (None, False)
    assert "known for runs with many classes need weights that do" in summary.unknown["bound"]
    assert "certify" not in str(summary)
    later = play(wrong, learner).summary()
    assert "only for runs from weights 0" in later.unknown["bound"]
    alone = play(sources.classes_block([[1.0]], [0]), Joint(1)).summary()
    assert "bound          the run made no mistake" in str(alone)
