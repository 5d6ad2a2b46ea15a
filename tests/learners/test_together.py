"""Perceptrons that learn from the same rows at once learn what each would alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import Additive, AveragedPerceptron, Interrupted, MarginPerceptron, Perceptron, _core
from novikoff.estimators.progress import ShownPasses
from novikoff.learners import together
from novikoff.learners.compiled_pass import in_turn, learn_parts
from novikoff.ledger.honest_scores import HonestScores
from novikoff.stream import rows as row_module
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import SparseRows

SIZES = (1.0, 0.1, 1 + 2**-23, 2.0**-40, 2.0**-101, 2.0**65, 2.0**-149, 1e38, 1e-300, 5e-324)
LAYOUTS = [(v, i) for v in (np.float32, np.float64) for i in (np.int32, np.int64)]


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many learned in each call of the core; any number of rows is worth one."""
    seen: list[int] = []
    core = _core.learn_together

    def noted(*rows: Any, of: Any, **how: Any) -> Any:
        seen.append(len(of))
        return core(*rows, of=of, **how)

    monkeypatch.setattr(together, "_WORTH_IT", 0)
    monkeypatch.setattr(_core, "learn_together", noted)
    return iter([seen])


def learned(
    block: Block, labels: Any, make: Any, weights: Any, *, at_once: bool, counts: bool
) -> list[Any]:
    """All that learners know after two passes; or the error that ended them."""
    learners = [make(len(w) - 1, start=w) for w in weights]
    for one in learners:
        one.honest = HonestScores() if counts else None
        one._u = None if counts else one._u
    out: list[Any] = []
    for _ in range(2):
        if at_once:
            together.companies(learners, block.rows, 1)
        ledgers = [one.open_ledger() for one in learners]
        blocks = [
            Block(block.rows, y, 5, block.order, importances=block.importances) for y in labels
        ]
        try:
            in_turn(
                [
                    learn_parts(one, of, ledger, lambda _: None)
                    for one, of, ledger in zip(learners, blocks, ledgers, strict=True)
                ]
            )
        except BadExample as error:
            return [*out, str(error)]
        for one, ledger in zip(learners, ledgers, strict=True):
            mistakes = ledger.mistakes
            out += [one.weights.tobytes(), one.rounds, ledger.n_rounds]
            out += [one.average.tobytes() if one.averaging else None]
            out += [one.honest.counts.tobytes() if one.honest is not None else None]
            out += [
                getattr(mistakes, name).tobytes()
                for name in ("rounds", "rows", "scores", "steps", "squares")
            ]
            one.company = None
    return out


@pytest.mark.parametrize(("value", "index"), LAYOUTS)
@settings(max_examples=25)
@given(data=st.data())
def test_any_rows_teach_together_what_they_teach_alone(value: Any, index: Any, data: Any) -> None:
    draw = data.draw
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, dim, runs = draw(st.integers(1, 30)), draw(st.integers(1, 40)), draw(st.integers(3, 32))
    bias = draw(st.booleans())
    scales = draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=3))
    with np.errstate(all="ignore"):
        X = dice.choice([0.0, -1.0, 1.0], (n, dim)) * dice.choice(scales, (n, dim))
        X += draw(st.booleans()) * dice.standard_normal((n, dim)) * (X != 0)
        X = X.astype(value)
    X[~np.isfinite(X)] = 0.0
    weights = dice.choice([0.0, 1.0, -0.1], (runs, dim + 1)) * dice.choice(scales)
    if dim > 1 and draw(st.booleans()):  # the last entry cancels the others for the first run
        with np.errstate(all="ignore"):
            weights[0, dim - 1], X[:, -1] = 1.0, -(X[:, :-1] @ weights[0, : dim - 1])
        X[~np.isfinite(X)] = 0.0
    found: Any = sp.csr_matrix(X)
    rows = SparseRows(found.data, found.indices.astype(index), found.indptr.astype(index), dim)
    order = dice.integers(0, n, 2 * n) if draw(st.booleans()) else None
    importances = dice.choice([0.0, 1.0, 0.3], n) if draw(st.booleans()) else None
    labels = dice.choice(np.array([-1, 1], np.int8), (runs, n))
    if draw(st.booleans()) and len(rows.values):
        rows.values[dice.integers(len(rows.values))] = dice.choice([np.nan, np.inf, 3.0])
    how = {"bias": bias, "margin": draw(st.sampled_from((0.0, 0.5))), "averaging": True}
    how["rate"] = draw(st.sampled_from((1.0, 0.3)))
    if not bias:
        weights = weights[:, :-1]

    def make(_: int, start: Any) -> Additive:
        return Additive(dim, start=start, **how)

    block = Block(rows, labels[0], 5, order, importances=importances)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(together, "_WORTH_IT", 0)
        patch.setattr(together, "_MOST", draw(st.sampled_from((8, 32))))
        for counts in (False, True):
            alone, at_once = (
                learned(block, labels, make, weights, at_once=k, counts=counts)
                for k in (False, True)
            )
            assert alone == at_once


def many_classes(classes: int) -> tuple[Any, Any]:
    dice = np.random.default_rng(classes)
    X: Any = sp.random_array((400, 60), density=0.2, format="csr", rng=dice)
    return X, np.where(X.sum(axis=1) > 8, 0, dice.integers(0, classes, 400))


@pytest.mark.parametrize("classes", [3, 8, 9, 17, 33])
@pytest.mark.parametrize("kind", [Perceptron, AveragedPerceptron, MarginPerceptron])
@pytest.mark.parametrize(
    "how", [{}, {"shuffle": True}, {"shuffle": False, "class_weight": "balanced", "eta0": 0.1}]
)
def test_classes_learn_together_what_they_learn_alone(
    kind: Any, classes: int, how: Any, sizes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = many_classes(classes)
    at_once = kind(max_iter=9, multiclass="ovr", **how).fit(X, y)
    (seen,) = sizes
    assert max(seen) == {3: 3, 8: 8, 9: 5, 17: 6, 33: 7}[classes]
    assert all(one.company is None for one in at_once._engine.learners)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.setattr(together, "_WORTH_IT", 1 << 60)
    alone = kind(max_iter=9, multiclass="ovr", **how).fit(X, y)
    assert np.array_equal(at_once.coef_, alone.coef_)
    assert np.array_equal(at_once.intercept_, alone.intercept_)
    assert [run.verdict for run in at_once.runs_] == [run.verdict for run in alone.runs_]
    for one, other in zip(at_once._engine.learners, alone._engine.learners, strict=True):
        assert one.honest.counts.tobytes() == other.honest.counts.tobytes()
    for one, other in zip(at_once._engine.ledgers, alone._engine.ledgers, strict=True):
        assert list(one.epoch_ends) == list(other.epoch_ends)
        assert np.array_equal(one.rounds, other.rounds)
        assert np.array_equal(one.scores, other.scores)
        assert np.array_equal(one.rows, other.rows)


@pytest.mark.parametrize("kind", [Perceptron, AveragedPerceptron])
def test_a_company_goes_on_when_some_are_done(
    kind: Any, sizes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = many_classes(6)
    for k in (0, 2, 3):  # these are separable: each has a column of its own
        X = sp.hstack([X, sp.csr_matrix((y == k)[:, None] * 50.0)], format="csr")
    at_once = kind(max_iter=12, multiclass="ovr").fit(X, y)
    assert {3, 6} <= set(next(sizes))
    monkeypatch.setattr(together, "_WORTH_IT", 1 << 60)
    alone = kind(max_iter=12, multiclass="ovr").fit(X, y)
    assert np.array_equal(at_once.coef_, alone.coef_)
    for one, other in zip(at_once._engine.ledgers, alone._engine.ledgers, strict=True):
        assert list(one.epoch_ends) == list(other.epoch_ends)


def test_a_learner_may_learn_alone_in_between(sizes: Any) -> None:
    X, y = many_classes(3)
    rows = SparseRows(X.data, X.indices, X.indptr, 60)
    blocks = [Block(rows, np.where(y == k, 1, -1).astype(np.int8)) for k in range(3)]

    def weights(*, at_once: bool) -> list[Any]:
        learners = [Additive(60, bias=True) for _ in range(3)]
        if at_once:
            together.companies(learners, rows, 1)
        for k in (0, 1, 2, 1, 1, 0, 1, 2):
            if k == 0 and at_once:
                for one, block in zip(learners, blocks, strict=True):
                    assert one.company is not None
                    one.company.ask(one, (block, 0, 400))
            learners[k].learn(blocks[k], 0, 400)
        return [one.weights.tolist() for one in learners]

    assert weights(at_once=True) == weights(at_once=False)
    assert next(sizes) == [3, 3]


def test_each_thread_has_a_company(sizes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_module, "_WORTH_A_THREAD", 100)
    monkeypatch.setattr(row_module, "_cores", lambda: 3)
    X, y = many_classes(10)
    at_once = Perceptron(max_iter=4, multiclass="ovr").fit(X, y)
    assert {3, 4} == set(next(sizes))
    monkeypatch.setattr(together, "_WORTH_IT", 1 << 60)
    assert np.array_equal(at_once.coef_, Perceptron(max_iter=4, multiclass="ovr").fit(X, y).coef_)


@pytest.mark.parametrize("classes", [5, 33])
def test_ctrl_c_leaves_a_model(classes: int, sizes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pressed: list[str] = []

    def press_in_the_second_pass(_: Any, title: str, ledger: Any) -> None:
        if len(ledger.epoch_ends) == 2 and not pressed:
            pressed.append(title)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(ShownPasses, "__call__", press_in_the_second_pass)
    X, y = many_classes(classes)
    clf = Perceptron(max_iter=10_000, multiclass="ovr")
    with pytest.raises(Interrupted):
        clf.fit(X, y)
    assert max(next(sizes)) == min(classes, 6)  # 33 are 6 and more
    assert pressed
    assert clf.verdict_ == "interrupted"
    assert len(clf.predict(X)) == 400
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_unsorted_rows_are_put_in_order_first(sizes: Any) -> None:
    X, y = many_classes(5)
    expected = Perceptron(max_iter=3, multiclass="ovr").fit(X, y)
    for i in range(X.shape[0]):
        span = slice(X.indptr[i], X.indptr[i + 1])
        X.indices[span], X.data[span] = X.indices[span][::-1], X.data[span][::-1]
    X.has_sorted_indices = False
    found = Perceptron(max_iter=3, multiclass="ovr").fit(X, y)
    assert np.array_equal(found.coef_, expected.coef_)
    assert 5 in next(sizes)


def test_the_core_refuses_arrays_that_do_not_fit() -> None:
    X, y = many_classes(3)
    rows = SparseRows(X.data, X.indices, X.indptr, 60)
    signs = np.where(y == 0, 1, -1).astype(np.int8)

    def call(
        runs: int = 3, width: int = 60, narrow: int = 480, room: int = 1200, **how: Any
    ) -> Any:
        own = (
            (0.0, 0.0),
            (1.0, 1.0),
            0,
            np.zeros(width),
            how.pop("u", None),
            how.pop("counts", None),
        )
        numbers = [np.zeros(room, np.int64) for _ in range(2)]
        floats = [np.zeros(room) for _ in range(3)]
        return _core.learn_together(
            *rows.core, of=[(signs, *own)] * runs, importances=None, order=None, begin=0, end=400,
            unit=1.0, bias=False, narrow=np.zeros(narrow, np.float32), is_filled=False,
            round=numbers[0], row=numbers[1], score=floats[0], taken=floats[1], square=floats[2],
        )  # fmt: skip

    assert call()[:2] == (400, 0)
    own = {"u": np.zeros(60), "counts": np.zeros(_core.SCORE_COUNTS, np.int64)}
    for wrong in ({"runs": 0}, {"runs": 33}, {"width": 61}, {"narrow": 479}, {"room": 1199},
                  {"u": np.zeros(61)}, {"counts": np.zeros(3, np.int64)},
                  own):  # fmt: skip
        with pytest.raises(ValueError, match=r"perceptrons|weight|copy|room|counts|counted"):
            call(**wrong)
