"""Arrays that are damaged, misaligned or changed while they are read: an error, never a crash."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from helpers import racing_arrays
from novikoff import Additive, BalancedWinnow, Joint, Perceptron, _core, concepts, sources
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample

core: Any = _core  # called with arguments of any kind
FAR = 2**30
Y = [1, -1] * 4


def misaligned(array: NDArray[Any]) -> NDArray[Any]:
    """A copy whose numbers begin one byte off."""
    raw = np.empty(array.nbytes + 1, dtype=np.uint8)
    raw[1:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    moved = raw[1:].view(array.dtype).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


def damaged(layout: str, part: str, at: int) -> Any:
    X: Any = sp.csr_matrix(np.eye(8))
    X = X.asformat(layout)
    indices = getattr(X, part).copy()
    indices[at] = FAR
    setattr(X, part, indices)
    return X


@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_many"])
@pytest.mark.parametrize(
    ("layout", "part", "at"),
    [
        ("csr", "indices", 0),
        ("csr", "indices", 5),
        ("csr", "indptr", -1),
        ("coo", "row", 0),
        ("coo", "col", 0),
        ("csc", "indices", 0),
        ("csc", "indptr", 4),
        ("bsr", "indices", 0),
        ("bsr", "indptr", 4),
    ],
)
def test_a_sparse_matrix_with_an_index_outside_its_shape_is_refused(
    layout: str, part: str, at: int, method: str
) -> None:
    more = {"classes": [-1, 1]} if method == "partial_fit" else {}
    X = damaged(layout, part, at)
    with pytest.raises(BadExample):
        getattr(Perceptron(), method)(X, Y, **more)


def test_a_sparse_matrix_with_an_index_outside_its_shape_is_refused_after_one_example() -> None:
    learned = Perceptron()
    learned.learn_one(np.ones(8), 1)
    for method in (learned.learn_many, learned.partial_fit):
        with pytest.raises(BadExample, match=f"column {FAR} is not in 0..7"):
            method(damaged("csr", "indices", 0), Y)


def test_misaligned_arrays_give_the_same_weights() -> None:
    dice = np.random.default_rng(0)
    X, y = dice.standard_normal((20, 5)), dice.choice([-1, 1], 20)
    usual = Perceptron(max_iter=9).fit(X, y)
    assert (Perceptron(max_iter=9).fit(misaligned(X), y).coef_ == usual.coef_).all()
    assert (Perceptron(max_iter=9).fit(X, misaligned(y)).coef_ == usual.coef_).all()
    assert (usual.predict(misaligned(X)) == usual.predict(X)).all()
    csr: Any = sp.csr_matrix(X)
    moved = csr.copy()
    for part in ("data", "indices", "indptr"):
        setattr(moved, part, misaligned(getattr(csr, part)))
    assert (
        Perceptron(max_iter=9).fit(moved, y).coef_ == Perceptron(max_iter=9).fit(csr, y).coef_
    ).all()
    one, other = Perceptron(), Perceptron()
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label)
        other.learn_one(misaligned(x), label)
    assert (one.coef_ == other.coef_).all()


def test_misaligned_orders_and_importances_are_copied() -> None:
    X, y = np.eye(4), np.array([1, -1, 1, -1], dtype=np.int8)
    order, importances = np.array([3, 1, 2, 0]), np.array([1.0, 2.0, 0.5, 3.0])
    learners = []
    for change in (np.copy, misaligned):
        rows = sources.block(X, y).rows
        learner = Additive(4)
        block = Block(rows, y, order=change(order), importances=change(importances))
        learner.learn(block, 0, 4)
        learners.append(learner)
    assert (learners[0].weights == learners[1].weights).all()


def test_the_core_takes_no_misaligned_array() -> None:
    X, out = np.eye(3), np.empty(3)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        core.squares(misaligned(X), None, None, 3, bias=False, out=out)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        core.squares(X, None, None, 3, bias=False, out=misaligned(out))


HUGE = 2**64 - 1


@pytest.mark.parametrize("size", [2**48 + 1, 2**61, 2**62, 2**63, HUGE])
def test_sizes_that_overflow_are_refused(size: int) -> None:
    none = np.empty(0)
    csr: Any = (none, np.empty(0, np.int64), np.zeros(2, np.int64))
    words = np.zeros(1, np.uint64)
    text = np.zeros(64, np.uint8)
    ints = np.zeros(1, np.int64)
    refused: list[Callable[[], Any]] = [
        lambda: core.scores(*csr, size, begin=0, end=1, w=none, bias=True, out=np.empty(1)),
        lambda: core.joint_scores(
            *csr, size, begin=0, end=1, w=none, bias=False, width=4, out=np.empty(4)
        ),
        lambda: core.joint_scores(
            *csr, 0, begin=0, end=1, w=none, bias=False, width=size & ~3, out=np.empty(4)
        ),
        lambda: core.vote(
            *csr,
            *csr,
            size,
            begin=0,
            end=1,
            example=ints[:0],
            step=none,
            survived=ints,
            bias=False,
            zero_is_positive=True,
            start_scores=np.zeros(1),
            out=np.empty(1),
        ),
        lambda: core.OnlineRuns(size, bias=True, keep="counts"),
        lambda: core.evaluate_subsets(
            x=words,
            turned=words,
            n=size,
            k=0,
            signs=words,
            table=np.zeros(1, np.bool_),
            at=0,
            out=words.copy(),
        ),
        lambda: core.parse_svmlight(text, length=size, allowed=0),
        lambda: core.parse_csv(
            text,
            length=size,
            allowed=0,
            separator=",",
            quotes=True,
            decimal_comma=False,
            kinds=np.zeros(1, np.uint8),
            positions=np.zeros(1, np.int32),
            names=[b"a"],
            missing=0,
            labelled=False,
            rule=(0, 0, False),
            bits=0,
            most_names=0,
        ),
        lambda: core.read_number(text, length=size),
    ]
    for call in refused:
        with pytest.raises((ValueError, TypeError, MemoryError)):
            call()


def test_spans_outside_the_bytes_are_refused() -> None:
    source, out = np.zeros(8, np.uint8), np.zeros(8, np.uint8)
    for start, to in [
        ([2**63 - 1], [0, 8]),
        ([-1], [0, 1]),
        ([1], [0, 8]),
        ([0], [-1, 4]),
        ([0], [4, 2]),
        ([0], [4, 12]),
        ([0], [-(2**63), 2**63 - 1]),
    ]:
        with pytest.raises(ValueError, match="a span lies outside the bytes"):
            core.copy_spans(source, start=np.array(start), to=np.array(to), out=out)


def test_arrays_that_another_thread_changes_crash_nothing() -> None:
    script = Path(racing_arrays.__file__)
    done = subprocess.run([sys.executable, script, "1.5"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("rounds", [2**63 - 1, 2**62 + 1, -1])
@pytest.mark.parametrize(
    "learner",
    [Additive(1), BalancedWinnow(1), Joint(1), concepts.EliminateConjunction(1, remember=False)],
    ids=lambda learner: type(learner).__name__,
)
def test_rounds_that_cannot_be_counted_further_are_refused(learner: Any, rounds: int) -> None:
    block = concepts.labelled([[1.0], [0.0]], [1, 1])
    learner.rounds = rounds
    with pytest.raises(ValueError, match=r"a run has from 0 to 2\^62 rounds"):
        learner.learn(block, 0, 2)
    if hasattr(learner, "share_weights"):
        with pytest.raises(ValueError, match=r"a run has from 0 to 2\^62 rounds"):
            learner.share_weights(_core.OnlineRuns(1, bias=learner.bias, keep="counts"), mean=False)
