"""KernelPerceptron: kernels as scikit-learn names them, readings, files, single examples."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score

from novikoff import BadExample, KernelPerceptron, load
from novikoff.ledger.kernels import NotPositive
from novikoff.ledger.readings import Reading

BAD_READING: dict[str, Any] = {"reading": "last"}
BAD_KERNEL: dict[str, Any] = {"kernel": "cubic"}
DICE = np.random.default_rng(0)
X = DICE.standard_normal((120, 4))
two = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
three = np.array(["a", "b", "c"])[(X[:, 0] * X[:, 1] > 0) + (X[:, 2] > 0).astype(int)]


@pytest.mark.parametrize("reading", ["final", "average", "vote"])
@pytest.mark.parametrize(
    ("y", "multiclass"),
    [(two, "ovr"), (three, "ovr"), (three, "joint")],
    ids=["two", "three", "jointly"],
)
def test_a_file_and_a_pickle_give_the_same_scores_and_go_on_alike(
    reading: Any, y: Any, multiclass: Any, tmp_path: Path
) -> None:
    how: dict[str, Any] = {"reading": reading, "multiclass": multiclass, "max_iter": 3}
    clf = KernelPerceptron(kernel="rbf", gamma="scale", **how)
    clf.fit(X[:90], y[:90])
    clf.save(tmp_path / "m")
    copies = [load(tmp_path / "m"), pickle.loads(pickle.dumps(clf)), clf]
    for copy in copies:
        copy.partial_fit(X[90:], y[90:])
    for copy in copies:
        assert copy.decision_function(X).tobytes() == clf.decision_function(X).tobytes()
        copy.save(tmp_path / "again")
        assert load(tmp_path / "again").n_updates_ == clf.n_updates_
    assert repr(copies[0]) == repr(clf)


def test_readings_come_from_one_run() -> None:
    both: tuple[Reading, ...] = ("final", "vote")
    runs = {r: KernelPerceptron(reading=r, max_iter=2).fit(X, two) for r in both}
    for reading, clf in runs.items():
        assert clf.score(X, two) > 0.6
        for other in runs.values():
            assert (clf.predict(X) == other.predict(X, reading=reading)).all()
    votes = runs["vote"].decision_function(X)
    assert np.abs(votes).max() <= 1


def test_precomputed_and_functions_agree_with_the_kernel() -> None:
    options: dict[str, Any] = {"max_iter": 5, "degree": 2, "gamma": 0.5}
    own = KernelPerceptron(**options).fit(X, three)
    K = polynomial_kernel(X, degree=2, gamma=0.5, coef0=1)
    for clf, given in (
        (KernelPerceptron(kernel="precomputed", max_iter=5), K),
        (KernelPerceptron(kernel=lambda A, B: (0.5 * A @ B.T + 1) ** 2, max_iter=5), X),
    ):
        clf.fit(given, three)
        assert (clf.predict(given) == own.predict(X)).all()
    assert cross_val_score(KernelPerceptron(kernel="precomputed"), rbf_kernel(X), two).min() > 0.5


def test_sparse_rows_give_the_same_bits_as_dense_ones() -> None:
    sparse_X = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    for kernel in ("poly", "rbf"):
        one = KernelPerceptron(kernel=kernel, max_iter=3).fit(sparse_X, three)
        other = KernelPerceptron(kernel=kernel, max_iter=3).fit(sparse_X.toarray(), three)
        scores = one.decision_function(sparse_X.toarray()).tobytes()
        assert scores == other.decision_function(sparse_X).tobytes()


@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_single_rows_and_blocks_are_the_same_stream(multiclass: Any) -> None:
    singly, at_once = (KernelPerceptron(multiclass=multiclass) for _ in range(2))
    assert singly.predict_one(X[0]) is None
    for x, y in zip(X[:40], three[:40], strict=True):
        singly.learn_one(x, y, classes=["a", "b", "c"])
    at_once.partial_fit(X[:40], three[:40], classes=["a", "b", "c"])
    assert singly.decision_function(X).tobytes() == at_once.decision_function(X).tobytes()
    assert singly.predict_proba(X).tobytes() == at_once.predict_proba(X).tobytes()
    assert singly.predict_one(X[0]) == at_once.predict(X[:1])[0]
    assert singly.decision_one(X[0]) == dict(
        zip("abc", at_once.decision_function(X[:1])[0].tolist(), strict=True)
    )
    assert singly.predict_proba_one(X[0]) == dict(
        zip("abc", at_once.predict_proba(X[:1])[0].tolist(), strict=True)
    )


def test_runs_in_step_make_the_mistakes_of_runs_alone() -> None:
    """All classes share the kernels of a row that several of them mistake."""
    y = np.tile(three, 6)
    wide = np.random.default_rng(1).standard_normal((len(y), 4))  # several parts, and refreshed
    clf = KernelPerceptron(kernel="rbf", gamma=0.3, max_iter=4).fit(wide, y)
    assert isinstance(clf.runs_, tuple)
    for k, label in enumerate("abc"):
        alone = KernelPerceptron(kernel="rbf", gamma=0.3, max_iter=4).fit(wide, y == label)
        for column in ("rounds", "rows", "scores", "steps"):
            together = getattr(clf.runs_[k].ledger, column)
            assert together.tobytes() == getattr(alone.ledger_, column).tobytes()
        assert (clf.decision_function(wide)[:, k] == alone.decision_function(wide)).all()
    again = pickle.loads(pickle.dumps(clf))
    rows = wide[::3] + 0.1
    for one in (clf, again):
        one.partial_fit(rows, y[::3])
    assert clf.decision_function(wide).tobytes() == again.decision_function(wide).tobytes()


def test_classes_that_appear_later_are_learned_jointly() -> None:
    clf = KernelPerceptron(multiclass="joint", class_weight={"c": 2.0}, reading="final")
    clf.partial_fit(X[:60], two[:60]).partial_fit(X[60:], three[60:])
    assert clf.classes_.tolist() == ["a", "b", "c", "other", "same"]
    seen = dict.fromkeys([*two[:60].tolist(), *three[60:].tolist()])  # numbered as they come
    is_c = clf.ledger_.classes == [*seen].index("c")
    assert is_c.any()
    assert clf.ledger_.steps.tolist() == np.where(is_c, 2.0, 1.0).tolist()


def test_circles_that_no_line_separates_are_separated() -> None:
    points, y = make_circles(100, factor=0.5, noise=0.05, random_state=0)
    clf = KernelPerceptron(degree=2, reading="final", max_iter=100).fit(points, y)
    assert clf.verdict_ == "separated"
    assert clf.score(points, y) == 1
    assert clf.predict_proba(points).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize(
    ("clf", "call", "message"),
    [
        (KernelPerceptron(), lambda c: c.learn_one({"a": 1}, 1), "not from named features"),
        (KernelPerceptron(), lambda c: c.fit(X, two).coef_, "no coordinates"),
        (KernelPerceptron(), lambda c: c.fit(X, two).explain(X[0]), "does not add up"),
        (KernelPerceptron(), lambda c: c.fit(X, two, coef_init=X[:1]), "cannot start from"),
        (
            KernelPerceptron(multiclass="joint", budget=9, reading="final"),
            lambda c: c.fit(X, three),
            "one against the rest",
        ),
        (KernelPerceptron(**BAD_READING), lambda c: c.fit(X, two), "reading must be"),
        (KernelPerceptron(**BAD_KERNEL), lambda c: c.fit(X, two), "kernel must be one of"),
        (KernelPerceptron(kernel="precomputed"), lambda c: c.fit(X, two), "square matrix"),
        (
            KernelPerceptron(gamma="scale"),
            lambda c: c.partial_fit(X, two, classes=["other", "same"]),
            "needs all examples",
        ),
        (
            KernelPerceptron(kernel=lambda A, B: A @ B.T),
            lambda c: c.fit(X, two).save("m"),
            "cannot hold a kernel that is a function",
        ),
        (KernelPerceptron(), lambda c: c.fit(X, two).predict(X * np.nan), "contains NaN"),
    ],
)
def test_what_cannot_be_done_is_said(clf: Any, call: Any, message: str) -> None:
    with pytest.raises((ValueError, AttributeError, BadExample), match=message):
        call(clf)


MATRIX = X @ X.T


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (MATRIX[:, :9], "square matrix, not of shape"),
        (MATRIX + np.tri(120), r"symmetric, but the pair \(0, 1\)"),
        (np.where(np.eye(120) > 0, np.nan, MATRIX), "NaN"),
        (MATRIX[0], "1D array"),
        (MATRIX[:50], "inconsistent numbers of samples"),
    ],
    ids=["not square", "not symmetric", "NaN", "a vector", "fewer rows than labels"],
)
def test_a_matrix_that_is_refused_changes_nothing(bad: Any, message: str) -> None:
    clf = KernelPerceptron(kernel="precomputed", max_iter=3).fit(MATRIX, two)
    before = clf.decision_function(MATRIX).tobytes(), clf.n_mistakes_, clf.n_features_in_
    with pytest.raises((ValueError, BadExample), match=message):
        clf.fit(bad, two)
    after = clf.decision_function(MATRIX).tobytes(), clf.n_mistakes_, clf.n_features_in_
    assert after == before
    with pytest.raises(ValueError, match="expecting 120 features"):
        clf.predict(MATRIX[:, :7])


@pytest.mark.parametrize("reading", ["final", "average", "vote"])
@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_nothing_is_predicted_from_kernels_that_are_not_numbers(
    reading: Any, multiclass: Any, bad: float, word: str
) -> None:
    clf = KernelPerceptron(kernel="precomputed", multiclass=multiclass, max_iter=3).fit(MATRIX, two)
    K = np.where((np.arange(120) == 7) & (np.arange(120)[:, None] == 5), bad, MATRIX)
    with pytest.raises(BadExample, match=rf"Input X contains {word} \(row 5, column 7\)"):
        clf.predict(K, reading=reading)
    with pytest.raises(BadExample, match=rf"Input X contains {word} \(row 0, column 7\)"):
        clf.predict_one(K[5])


def test_a_matrix_that_is_not_positive_is_said_with_the_pair() -> None:
    K = np.eye(120)
    K[3, 7] = K[7, 3] = 2.0
    with pytest.warns(
        NotPositive, match=r"the pair \(3, 7\) has 2, but K\(3, 3\) = 1 and K\(7, 7\)"
    ):
        KernelPerceptron(kernel="precomputed").fit(K, two)


@pytest.mark.parametrize(
    "bad",
    [X[:, :3], X[0], X * np.nan, np.where(np.arange(len(X))[:, None] == 70, 1e200, X)],
    ids=["columns", "shape", "NaN", "too large"],
)
def test_a_batch_that_is_refused_changes_nothing(bad: Any) -> None:
    clf = KernelPerceptron(degree=2).partial_fit(X, two, classes=["other", "same"])
    before = clf.decision_function(X).tobytes(), clf.n_mistakes_, len(clf.ledger_)
    with pytest.raises((ValueError, BadExample)):
        clf.partial_fit(bad, two)
    assert (clf.decision_function(X).tobytes(), clf.n_mistakes_, len(clf.ledger_)) == before


def test_a_function_that_raises_in_a_batch_changes_nothing() -> None:
    broken = False

    def kernel(A: Any, B: Any) -> Any:
        if broken:
            raise ZeroDivisionError("mine")
        return A @ B.T

    clf = KernelPerceptron(kernel=kernel).partial_fit(X, two, classes=["other", "same"])
    before = clf.decision_function(X).tobytes()
    broken = True
    with pytest.raises(ZeroDivisionError, match="mine"):
        clf.partial_fit(X[:50], two[:50])
    with pytest.raises(ZeroDivisionError, match="mine"):
        clf.fit(X[:50], three[:50])
    broken = False
    assert clf.decision_function(X).tobytes() == before
    assert clf.ledger_.n_rounds == len(X)
