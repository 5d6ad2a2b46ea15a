"""Classes that are learned one against the rest share the processors."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import AveragedPerceptron, Interrupted, Perceptron
from novikoff.estimators.progress import ShownPasses
from novikoff.stream import rows as row_module
from novikoff.stream.input_problems import BadExample


def four_classes(*, unsorted: bool = False) -> tuple[Any, Any]:
    dice = np.random.default_rng(0)
    X: Any = sp.random_array((300, 40), density=0.2, format="csr", rng=dice)
    if unsorted:
        for i in range(300):
            span = slice(X.indptr[i], X.indptr[i + 1])
            X.indices[span], X.data[span] = X.indices[span][::-1], X.data[span][::-1]
        X.has_sorted_indices = False
    return X, dice.integers(0, 4, 300)


@pytest.fixture
def three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_module, "_WORTH_A_THREAD", 100)
    monkeypatch.setattr(row_module, "_cores", lambda: 3)


@pytest.mark.parametrize("unsorted", [False, True])
@pytest.mark.parametrize("kind", [Perceptron, AveragedPerceptron])
def test_threads_do_not_change_what_is_learned(
    kind: Any, unsorted: bool, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    X, y = four_classes(unsorted=unsorted)
    alone = kind(max_iter=7, shuffle=False, multiclass="ovr").fit(X, y)
    request.getfixturevalue("three_cores")
    started: list[threading.Thread] = []
    monkeypatch.setattr(
        row_module.SparseRows, "put_in_order", _noting(started, row_module.SparseRows.put_in_order)
    )
    together = kind(max_iter=7, shuffle=False, multiclass="ovr").fit(X, y)
    assert np.array_equal(alone.coef_, together.coef_)
    assert np.array_equal(alone.intercept_, together.intercept_)
    for a, b in zip(alone._engine.ledgers, together._engine.ledgers, strict=True):
        assert np.array_equal(a.rounds, b.rounds)
        assert np.array_equal(a.scores, b.scores)
    assert started == [threading.main_thread()] * unsorted  # before other threads read the rows


def _noting(calls: list[threading.Thread], function: Any) -> Any:
    def noted(self: Any) -> None:
        calls.append(threading.current_thread())
        function(self)

    return noted


@pytest.mark.usefixtures("three_cores")
def test_ctrl_c_stops_all_threads_and_leaves_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = four_classes()
    clf = Perceptron(max_iter=100_000, multiclass="ovr")
    monkeypatch.setattr(ShownPasses, "__call__", _pressed_after_eight_passes)
    with pytest.raises(Interrupted):
        clf.fit(X, y)
    assert clf.verdict_ == "interrupted"
    assert len(clf.predict(X)) == 300
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _pressed_after_eight_passes(_: Any, _title: str, ledger: Any) -> None:
    if len(ledger.epoch_ends) == 8:
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("three_cores")
def test_a_bad_row_is_named_as_without_threads() -> None:
    X, y = four_classes()
    X.data[X.indptr[7]] = np.inf
    column = X.indices[X.indptr[7]]
    with pytest.raises(BadExample, match=rf"infinity \(row 7, column {column}\)"):
        Perceptron(shuffle=False, multiclass="ovr").fit(X, y)
