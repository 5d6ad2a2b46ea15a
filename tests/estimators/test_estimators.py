"""The estimators: what they learn, what they accept, what they refuse, and in which words."""

from __future__ import annotations

import copy
import pickle
import signal
import typing
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris

import novikoff
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    Interrupted,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    sources,
)
from novikoff.estimators.progress import ShownPasses
from novikoff.estimators.saved import to_model
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.sources import rows_of
from novikoff.stream.input_problems import BadExample

ALL = [Perceptron, MarginPerceptron, AveragedPerceptron, VotedPerceptron]
every = pytest.mark.parametrize("kind", ALL)


def noisy(n: int = 200, dim: int = 11, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Points with rounding in every product, and labels no rule gets all right."""
    dice = np.random.default_rng(seed)
    X = dice.standard_normal((n, dim))
    return X, np.where(X[:, 0] + 0.5 * dice.standard_normal(n) > 0, 1, -1)


def iris() -> tuple[NDArray[Any], NDArray[Any]]:
    X, y = load_iris(return_X_y=True)
    return X, y


def test_iris_setosa_takes_five_mistakes_and_four_epochs() -> None:
    X, y = iris()
    clf = Perceptron(shuffle=False).fit(X, y == 0)
    assert (clf.n_mistakes_, clf.n_iter_, clf.verdict_) == (5, 4, "separated")
    assert clf.score(X, y == 0) == 1.0


def test_spamassassin_in_file_order_takes_5331_mistakes_and_240_epochs() -> None:
    block, words = sources.spamassassin()
    rows: Any = block.rows
    assert len(words) == rows.dim == 25572
    X = sp.csr_matrix((rows.values, rows.indices, rows.starts), shape=(len(rows), rows.dim))
    clf = Perceptron(shuffle=False).fit(X, block.labels)
    assert (clf.n_mistakes_, clf.n_iter_, clf.verdict_) == (5331, 240, "separated")
    assert clf.score(X, block.labels) == 1.0


@pytest.mark.parametrize("seed", range(30))
def test_separable_data_are_always_separated(seed: int) -> None:
    """Ten sets a seed, margins down to a thousandth; bench/convergence.py prints the peers."""
    dice = np.random.default_rng(seed)
    for _ in range(10):
        n, dim = int(dice.integers(10, 300)), int(dice.integers(2, 30))
        margin = float(10 ** dice.uniform(-3, -0.5))
        stream = sources.separable(n, dice.standard_normal(dim), margin=margin,
                                   seed=int(dice.integers(1 << 30)), block=n)  # fmt: skip
        block = next(iter(stream))
        if abs(int(block.labels.sum())) == n:
            continue
        clf = Perceptron(max_iter=10**6).fit(block.rows.values, block.labels)
        assert clf.verdict_ == "separated"
        assert clf.score(block.rows.values, block.labels) == 1.0


def test_a_run_that_uses_up_its_passes_has_the_verdict_budget() -> None:
    clf = Perceptron(max_iter=50).fit(*noisy())
    assert (clf.verdict_, clf.n_iter_) == ("budget", 50)
    assert len(clf.mistakes_per_epoch_) == 50
    assert clf.mistakes_per_epoch_.sum() == clf.n_mistakes_ == len(clf.ledger_)


@pytest.mark.parametrize("rate", [0.1, 1e-3, 3.7, 1e9])
def test_the_learning_rate_only_scales_the_weights(rate: float) -> None:
    X, y = noisy()
    one = Perceptron(max_iter=5).fit(X, y)
    other = Perceptron(max_iter=5, eta0=rate).fit(X, y)
    assert np.array_equal(one.ledger_.rounds, other.ledger_.rounds)
    assert np.array_equal(other.coef_, rate * one.coef_)
    assert np.array_equal(other.intercept_, rate * one.intercept_)


@every
def test_the_intercept_is_a_column_of_ones_bit_for_bit(kind: Any) -> None:
    X, y = noisy()
    folded = kind(max_iter=3).fit(X, y)
    explicit = kind(max_iter=3, fit_intercept=False).fit(np.hstack([X, np.ones((len(X), 1))]), y)
    assert np.array_equal(np.hstack([folded.coef_, folded.intercept_[:, None]]), explicit.coef_)
    assert explicit.intercept_ == 0


@every
@pytest.mark.parametrize(
    "labels",
    [(-1, 1), (0, 1), (False, True), ("ham", "spam"), (3.0, 7.0), (2, 250)],
)
def test_any_two_labels_will_do(kind: Any, labels: tuple[Any, Any]) -> None:
    X, y = noisy()
    named = np.array(labels)[(y > 0).astype(int)]
    clf = kind(max_iter=3).fit(X, named)
    assert clf.classes_.tolist() == list(labels)
    plain = kind(max_iter=3).fit(X, y)
    assert np.array_equal(clf.coef_, plain.coef_)
    assert np.array_equal(clf.predict(X), np.array(labels)[(plain.predict(X) > 0).astype(int)])


@every
def test_more_classes_are_each_learned_against_the_rest(kind: Any) -> None:
    X, y = iris()
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    clf = kind(max_iter=20).fit(X, names)
    for k, name in enumerate(clf.classes_):
        alone = kind(max_iter=20).fit(X, names == name)
        assert np.array_equal(clf.coef_[k], alone.coef_[0])
        assert clf.intercept_[k] == alone.intercept_[0]
        assert np.array_equal(clf.ledger_[k].rounds, alone.ledger_.rounds)
        assert np.array_equal(clf.decision_function(X)[:, k], alone.decision_function(X))
    assert clf.runs_[0].verdict == "separated"
    assert clf.verdict_ == "budget"
    assert clf.n_mistakes_ == sum(ledger.n_mistakes for ledger in clf.ledger_)
    assert clf.n_updates_ == sum(len(ledger) for ledger in clf.ledger_)
    assert set(clf.predict(X)) <= set(names)


@every
def test_every_estimator_predicts_with_any_reading_of_its_run(kind: Any) -> None:
    X, y = noisy()
    clf = kind(max_iter=4).fit(X, y)
    for reading in ("final", "average"):
        coef, intercept = clf.weights(reading)
        scores = clf.decision_function(X, reading=reading)
        np.testing.assert_allclose(scores, (X @ coef.T + intercept)[:, 0], rtol=1e-12, atol=1e-12)
    votes = clf.decision_function(X, reading="vote")
    counted = votes * clf.ledger_.n_rounds
    np.testing.assert_allclose(counted, np.round(counted), rtol=1e-12)
    assert np.abs(votes).max() <= 1
    own = {"AveragedPerceptron": "average", "VotedPerceptron": "vote"}.get(kind.__name__, "final")
    assert np.array_equal(clf.decision_function(X), clf.decision_function(X, reading=own))
    assert np.array_equal(clf.predict(X), clf.predict(X, reading=own))


def test_perceptron_averaged_and_voted_make_the_same_run() -> None:
    X, y = noisy()
    plain, averaged, voted = (
        kind(max_iter=4).fit(X, y) for kind in (Perceptron, AveragedPerceptron, VotedPerceptron)
    )
    assert np.array_equal(plain.ledger_.rounds, averaged.ledger_.rounds)
    assert np.array_equal(plain.ledger_.rounds, voted.ledger_.rounds)
    assert np.array_equal(plain.weights("average")[0], averaged.coef_)
    assert np.array_equal(plain.coef_, averaged.weights("final")[0])
    assert np.array_equal(plain.decision_function(X, reading="vote"), voted.decision_function(X))


@every
def test_the_votes_of_classes_with_longer_runs_do_not_count_for_more(kind: Any) -> None:
    """Each class is a run of its own length; its score is a share of the votes of that run."""
    X, y = iris()
    clf = kind(max_iter=200).fit(X, y)
    rounds = [run.ledger.n_rounds for run in clf.runs_]
    assert len(set(rounds)) > 1
    votes = np.column_stack([readings.vote(run.ledger, rows_of(X)) for run in clf.runs_])
    assert np.array_equal(clf.decision_function(X, reading="vote"), votes)
    assert (clf.predict(X, reading="vote") == y).mean() > 0.9


def test_a_margin_of_zero_is_the_plain_perceptron() -> None:
    X, y = noisy()
    plain = Perceptron(max_iter=3).fit(X, y)
    margin = MarginPerceptron(margin=0, max_iter=3).fit(X, y)
    assert np.array_equal(plain.coef_, margin.coef_)
    assert plain.n_updates_ == plain.n_mistakes_
    wide = MarginPerceptron(margin=5.0, max_iter=3).fit(X, y)
    assert wide.n_updates_ == len(wide.ledger_) > plain.n_updates_
    assert wide.n_mistakes_ == wide.mistakes_per_epoch_.sum() < wide.n_updates_


@every
def test_the_layout_of_the_data_does_not_change_a_bit(kind: Any) -> None:
    X, y = noisy()
    X[np.abs(X) < 0.7] = 0
    reference = kind(max_iter=3).fit(X, y)
    kinds = ("csr_matrix", "csc_array", "coo_matrix", "lil_matrix", "dok_array", "bsr_array")
    forms: list[Any] = [getattr(sp, name)(X) for name in kinds]
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    names = [f"f{j}" for j in range(X.shape[1])]
    forms += [wide, np.asfortranarray(X), pd.DataFrame(X, columns=names), X.tolist(),
              pl.DataFrame(X, schema=names)]  # fmt: skip
    for form in forms:
        clf = kind(max_iter=3).fit(form, y)
        assert np.array_equal(clf.coef_, reference.coef_), type(form)
        assert np.array_equal(clf.decision_function(form), reference.decision_function(X))


def test_single_precision_is_read_as_it_is() -> None:
    X, y = noisy()
    single = X.astype(np.float32)
    as_single, as_double = (
        Perceptron(max_iter=3).fit(form, y) for form in (single, single.astype(np.float64))
    )
    assert np.array_equal(as_single.coef_, as_double.coef_)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_give_their_column_names(frame: Any) -> None:
    X, y = noisy(dim=3)
    clf = Perceptron(max_iter=2).fit(frame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}), y)
    assert clf.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame({"a": X[:, 0], "c": X[:, 1], "b": X[:, 2]}))


@every
def test_cutting_a_stream_into_calls_changes_nothing(kind: Any) -> None:
    X, y = noisy()
    whole = kind(shuffle=False, max_iter=1).fit(X, y)
    for cuts in ([100], [1, 2, 3, 50], list(range(1, 200))):
        clf = kind()
        for part in np.split(np.arange(len(y)), cuts):
            clf.partial_fit(X[part], y[part], classes=[-1, 1])
        assert np.array_equal(clf.coef_, whole.coef_)
        assert np.array_equal(clf.ledger_.rounds, whole.ledger_.rounds)
        assert np.array_equal(clf.ledger_.rows, whole.ledger_.rows)
        assert np.array_equal(clf.decision_function(X), whole.decision_function(X))
        assert clf.verdict_ == "budget"
        assert clf.n_iter_ == whole.n_iter_ == 1
        assert clf.mistakes_per_epoch_.tolist() == whole.mistakes_per_epoch_.tolist()


@every
@pytest.mark.parametrize("classes", [2, 3])
def test_an_interrupted_batch_is_not_learned_at_all(
    kind: Any, classes: int, monkeypatch: Any
) -> None:
    X, y = noisy()[0], np.arange(200) % classes
    clf, other = kind(), kind()
    learn, calls = Additive.learn, iter(range(10**6))
    at = {"call": -1}

    def pressed(self: Any, *args: Any) -> Any:
        if next(calls) == at["call"]:
            signal.raise_signal(signal.SIGINT)
        return learn(self, *args)

    monkeypatch.setattr(Additive, "learn", pressed)
    monkeypatch.setattr("novikoff.learners.compiled_pass.part_size", lambda rows: 10)
    for part in np.split(np.arange(200), 4):
        at["call"] = next(calls) + 3 * classes - 3
        with pytest.raises(KeyboardInterrupt):
            clf.partial_fit(X[part], y[part], classes=range(classes))
        at["call"] = -1
        clf.partial_fit(X[part], y[part], classes=range(classes))
        other.partial_fit(X[part], y[part], classes=range(classes))
    assert np.array_equal(clf.coef_, other.coef_)
    assert clf.n_mistakes_ == other.n_mistakes_
    for run, learner in zip(clf.runs_, clf._engine.learners, strict=True):
        assert np.array_equal(readings.final(run.ledger), learner.weights)
        assert run.ledger.n_rounds == learner.rounds == 200


def test_a_stream_learned_after_fits_of_different_lengths_is_counted_last() -> None:
    X, y = iris()
    clf = Perceptron(max_iter=20).fit(X, y)
    fitted = clf.mistakes_per_epoch_.tolist()
    before = clf.n_mistakes_
    clf.partial_fit(X, y)
    assert clf.mistakes_per_epoch_.tolist() == [*fitted, clf.n_mistakes_ - before]


def test_numpy_truth_values_shuffle_like_pythons() -> None:
    X, y = noisy()
    for truth in (True, False):
        ours, numpys = (
            Perceptron(shuffle=s, max_iter=2).fit(X, y)  # type: ignore[arg-type]
            for s in (truth, np.bool_(truth))
        )
        assert np.array_equal(ours.ledger_.rows, numpys.ledger_.rows)


def test_separated_data_are_predicted_as_they_were_learned_at_any_rate() -> None:
    """0.1 times the weights is rounded; the score of a row nearly on the line must not be."""
    a, b = float.fromhex("0x1.64b8a7de6d1d7p+0"), float.fromhex("0x1.64b8a7de6d1d6p+0")
    X = np.array([[a, b], [-1, 1.0], [-a, -b]])
    clf = Perceptron(eta0=0.1, fit_intercept=False, shuffle=False).fit(X, [1, 0, 0])
    assert (clf.verdict_, clf.score(X, [1, 0, 0])) == ("separated", 1.0)


def test_learning_continues_after_fit() -> None:
    X, y = noisy()
    clf = Perceptron(max_iter=1, shuffle=False).fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    whole = Perceptron(max_iter=1, shuffle=False).fit(X, y)
    assert np.array_equal(clf.coef_, whole.coef_)
    assert np.array_equal(clf.ledger_.rows, whole.ledger_.rows)
    assert (clf.n_iter_, clf.mistakes_per_epoch_.sum()) == (2, whole.n_mistakes_)


def test_starting_weights_are_where_the_run_starts() -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.0]])
    y = np.array([1, -1])
    good = Perceptron().fit(X, y, coef_init=[[2.0, 5.0]], intercept_init=[0.5])
    assert good.n_mistakes_ == 0
    assert good.coef_.tolist() == [[2.0, 5.0]]
    assert good.intercept_.tolist() == [0.5]
    # C's quiz: from w0 the one point x costs floor(-y w0.x / |x|^2) + 1 mistakes
    wrong = Perceptron(fit_intercept=False).fit(X, y, coef_init=[-7.0, 0.0])
    assert wrong.n_mistakes_ == 8
    assert wrong.coef_.tolist() == [[1.0, 0.0]]
    with pytest.raises(ValueError, match=r"coef_init has shape \(3,\), expected \(1, 2\)"):
        Perceptron().fit(X, y, coef_init=[1, 2, 3])
    with pytest.raises(ValueError, match="fit_intercept is False"):
        Perceptron(fit_intercept=False).fit(X, y, intercept_init=[1.0])
    with pytest.raises(ValueError, match="an array or 'random', not 'zero'"):
        Perceptron().fit(X, y, coef_init="zero")


def test_a_random_start_comes_from_the_seed() -> None:
    X, y = noisy()
    first, again, other = (
        Perceptron(random_state=seed, max_iter=2, shuffle=False).fit(X, y, coef_init="random")
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first.coef_, again.coef_)
    assert first.ledger_.start is not None
    assert not np.array_equal(first.ledger_.start, other.ledger_.start)
    assert np.array_equal(readings.final(first.ledger_)[:-1], first.coef_[0])


def test_the_order_comes_from_the_seed_and_is_kept() -> None:
    X, y = noisy()
    one, two, three = (Perceptron(random_state=s, max_iter=3).fit(X, y) for s in (0, 0, 1))
    assert np.array_equal(one.ledger_.rows, two.ledger_.rows)
    assert not np.array_equal(one.ledger_.rows[:50], three.ledger_.rows[:50])

    def order_of_pass(clf: Any, k: int) -> NDArray[Any]:
        # with everything a mistake, the ledger shows the order of every pass
        return np.asarray(clf.ledger_.rows[k * len(y) : (k + 1) * len(y)])

    once = MarginPerceptron(margin=1e9, max_iter=2).fit(X, y)
    anew = MarginPerceptron(margin=1e9, max_iter=2, shuffle=True).fit(X, y)
    kept = MarginPerceptron(margin=1e9, max_iter=2, shuffle=False).fit(X, y)
    assert np.array_equal(order_of_pass(once, 0), order_of_pass(once, 1))
    assert not np.array_equal(order_of_pass(anew, 0), order_of_pass(anew, 1))
    assert np.array_equal(order_of_pass(kept, 0), np.arange(len(y)))
    for clf in (once, anew):
        assert np.array_equal(np.sort(order_of_pass(clf, 1)), np.arange(len(y)))


def test_class_weights_multiply_the_rate() -> None:
    X, y = noisy()
    clf = Perceptron(class_weight={-1: 0.25, 1: 3.0}, max_iter=2).fit(X, y)
    assert set(clf.ledger_.steps) == {-0.25, 3.0}
    X, y = X[20:], np.where(np.arange(180) < 20, 1, y[20:])
    balanced = Perceptron(class_weight="balanced", max_iter=2).fit(X, y)
    counts = {label: int((y == label).sum()) for label in (-1, 1)}
    assert set(balanced.ledger_.steps) == {-180 / (2 * counts[-1]), 180 / (2 * counts[1])}
    with pytest.raises(ValueError, match="needs all labels"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[-1, 1])


def test_keep_chooses_what_the_ledger_keeps() -> None:
    X, y = noisy()
    full, positions, counts = (
        Perceptron(keep=keep, max_iter=3).fit(X, y) for keep in ("examples", "positions", "counts")
    )
    assert np.array_equal(full.coef_, positions.coef_)
    assert np.array_equal(full.coef_, counts.coef_)
    assert np.array_equal(full.ledger_.rows, positions.ledger_.rows)
    assert full.n_mistakes_ == positions.n_mistakes_ == counts.n_mistakes_
    assert full.radius_ == counts.radius_
    assert len(full.ledger_.examples) == len(np.unique(full.ledger_.rows))
    with pytest.raises(ValueError, match="keep='examples'"):
        positions.predict(X, reading="vote")
    with pytest.raises(ValueError, match="use keep='examples'"):
        counts.predict(X, reading="average")
    averaged = AveragedPerceptron(keep="counts", max_iter=3).fit(X, y)
    assert np.array_equal(averaged.coef_, full.weights("average")[0])


def test_what_an_estimator_keeps_by_itself_is_bounded_in_all_runs_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = noisy()
    assert Perceptron(max_iter=9).fit(X, y).ledger_.keep == "examples"
    monkeypatch.setattr("novikoff.online.engine.MOST_BYTES", 30_000)
    short, long = (Perceptron(max_iter=n).fit(X, y) for n in (2, 50))
    assert (short.ledger_.keep, long.ledger_.keep) == ("examples", "counts")
    assert len(pickle.dumps(long)) < 30_000
    kept = Perceptron(max_iter=50, keep="examples").fit(X, y)
    assert np.array_equal(long.coef_, kept.coef_)
    assert long.n_mistakes_ == kept.n_mistakes_
    assert kept.ledger_.keep == VotedPerceptron(max_iter=50).fit(X, y).ledger_.keep == "examples"
    with pytest.raises(ValueError, match="outgrew .* MB and kept counts only; use keep='examples'"):
        long.predict(X, reading="average")
    three = Perceptron(max_iter=2).fit(X, np.arange(200) % 3)
    assert {ledger.keep for ledger in three.ledger_} == {"counts"}
    online = Perceptron()
    for i in range(800):
        online.learn_one(X[i % 200], i % 2)
    assert online.ledger_.keep == "counts"
    online.learn_many(X, np.arange(200) % 2)
    assert online.ledger_.n_rounds == 1000


@every
def test_it_can_be_cloned_and_pickled(kind: Any) -> None:
    X, y = noisy()
    clf = kind(max_iter=3, ties="positive", class_weight={-1: 2.0, 1: 1.0}).fit(X, y)
    assert clone(clf).get_params() == clf.get_params()
    back = pickle.loads(pickle.dumps(clf))
    for reading in ("final", "average", "vote"):
        assert np.array_equal(
            back.decision_function(X, reading=reading), clf.decision_function(X, reading=reading)
        )
    assert np.array_equal(back.partial_fit(X, y).coef_, clf.partial_fit(X, y).coef_)


def test_an_estimator_with_read_only_arrays_continues_to_learn(tmp_path: Any) -> None:
    X, y = noisy()
    clf = AveragedPerceptron(max_iter=2).fit(X, y)
    joblib.dump(clf, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    assert np.array_equal(mapped.partial_fit(X, y).coef_, clf.partial_fit(X, y).coef_)


def test_weights_are_those_of_coef_unless_a_reading_is_given() -> None:
    X, y = noisy()
    for kind in (Perceptron, AveragedPerceptron, VotedPerceptron):
        clf: Any = kind(max_iter=2).fit(X, y)
        assert np.array_equal(clf.weights()[0], clf.coef_)


def test_the_model_does_not_change_with_the_data_it_was_fitted_on() -> None:
    X, y = noisy()
    clf = Perceptron(max_iter=3).fit(X, y)
    new = noisy(seed=1)[0]
    before = clf.decision_function(new, reading="vote")
    X *= 3
    assert np.array_equal(clf.decision_function(new, reading="vote"), before)


@pytest.mark.parametrize(
    ("ties", "expected"), [("mistake", "b"), ("positive", "b"), ("negative", "a")]
)
def test_a_score_of_zero_is_positive_unless_ties_say_otherwise(ties: Any, expected: str) -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.0]])
    for kind in ALL:
        clf = kind(ties=ties, fit_intercept=False).fit(X, ["b", "a"])
        assert clf.predict([[0.0, 9.0]]).tolist() == [expected], kind


def test_verbose_prints_a_line_a_pass(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = iris()
    Perceptron(shuffle=False, verbose=1).fit(X, y == 0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "epoch 1: 2 mistakes in 150 examples (1.33%), 2 in all"
    assert lines[-1] == "epoch 4: 0 mistakes in 150 examples (0.00%), 5 in all"
    assert len(lines) == 4
    Perceptron(max_iter=1, verbose=1).fit(X, y)
    assert capsys.readouterr().out.startswith("0 against the rest, epoch 1: ")


def test_a_fit_interrupted_in_its_first_pass_leaves_a_model_too(monkeypatch: Any) -> None:
    X, y = noisy()
    learn, calls = Additive.learn, iter(range(100))

    def interrupted_at_the_third_call(self: Any, *args: Any) -> Any:
        if next(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return learn(self, *args)

    monkeypatch.setattr(Additive, "learn", interrupted_at_the_third_call)
    monkeypatch.setattr("novikoff.learners.compiled_pass.part_size", lambda rows: 10)
    clf = Perceptron(shuffle=False)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert (clf.verdict_, clf.n_iter_, clf.ledger_.n_rounds) == ("interrupted", 0, 30)
    assert len(clf.predict(X)) == len(X)


@every
def test_an_interrupted_fit_leaves_a_model_that_works(kind: Any, monkeypatch: Any) -> None:
    X, y = noisy(seed=3)
    clf = kind(max_iter=1000)

    def interrupt_after_three(_: ShownPasses, _title: str, ledger: Any) -> None:
        if len(ledger.epoch_ends) >= 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ShownPasses, "__call__", interrupt_after_three)
    with pytest.raises(Interrupted):
        clf.fit(X, y)
    assert clf.verdict_ == "interrupted"
    assert 3 <= clf.n_iter_ <= 4
    assert np.array_equal(readings.final(clf.ledger_), clf._engine.learners[0].weights)
    assert len(clf.predict(X)) == len(X)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@every
def test_a_fitted_estimator_can_be_displayed(kind: Any) -> None:
    X, y = noisy()
    for clf in (
        kind(),
        kind(max_iter=9).fit(X, y),
        kind(max_iter=9, hash_bits=4).fit(pd.DataFrame(X).add_prefix("x"), y),
    ):
        assert not hasattr(clf, "named_weights")
        shown = clf._repr_html_()
        assert shown.startswith(f"<table><caption>{kind.__name__}</caption><tr>")
        assert shown.count("<tr>") < 20  # small and quiet
        assert "fit_intercept" in shown
        assert ("mistakes" in shown) == hasattr(clf, "classes_")
        for name in dir(clf):
            getattr(clf, name, None)


def test_fit_makes_each_learner_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Additive] = []
    init = Additive.__init__

    def counted(self: Additive, *args: Any, **kwargs: Any) -> None:
        made.append(self)
        init(self, *args, **kwargs)

    monkeypatch.setattr(Additive, "__init__", counted)
    X, y = noisy()
    Perceptron(max_iter=9).fit(X, y)
    assert len(made) == 1
    Perceptron(max_iter=9).fit(X, np.arange(len(y)) % 3)
    assert len(made) == 4


def test_of_texts_that_read_as_numbers_the_greater_number_is_positive() -> None:
    X = [[1.0], [-1.0]]
    clf = Perceptron().fit(X, ["10", "9"])
    assert clf.classes_.tolist() == ["9", "10"]
    assert clf.predict(X).tolist() == ["10", "9"]
    assert clf.coef_[0, 0] > 0
    clf.partial_fit(X, ["10", "9"], classes=["10", "9"])
    one = Perceptron()
    for x, label in zip(X, ["10", "9"], strict=True):
        one.learn_one(x, label)
    assert one.classes_.tolist() == ["9", "10"]


def test_a_vote_has_one_score() -> None:
    clf = VotedPerceptron()
    for x, label in [({"a": 1.0}, 1), ({"a": -1.0, "b": 1.0}, 0), ({"b": 2.0}, 1)] * 3:
        clf.learn_one(x, label)
    examples = [{"a": 1.0}, {"b": -1.0}, {}]
    votes = clf.decision_function(examples)
    assert np.abs(votes).max() <= 1
    model = to_model(clf)
    engine = clf._engine
    assert engine is not None
    assert np.array_equal(model.scores(engine.rows(examples)), votes)
    assert [clf.decision_one(x) for x in examples] == votes.tolist()


def test_a_copy_of_a_fitted_estimator_learns_on_its_own() -> None:
    X, y = noisy()
    clf = Perceptron(max_iter=1).fit(X, y)
    twin, before = copy.copy(clf), clf.coef_.tolist()
    twin.partial_fit(X, y)
    assert (clf.coef_.tolist(), clf.ledger_.n_rounds) == (before, 200)
    clf.learn_one(X[0], y[0])
    assert (twin.ledger_.n_rounds, clf.ledger_.n_rounds) == (400, 201)


@pytest.mark.parametrize("unknown", [2, "spam"])
def test_a_summary_with_an_unknown_label_says_which_labels_the_estimator_knows(
    unknown: Any,
) -> None:
    X, y = [[1.0], [-1.0]], [1, 0]
    clf = Perceptron().fit(X, y)
    with pytest.raises(BadExample, match=r"label .* is not one of the classes \[0, 1\]$"):
        clf.summary(X, np.array([0, unknown]))


def test_the_variances_of_an_adaptive_perceptron_are_those_of_its_learners() -> None:
    dice = np.random.default_rng(0)
    X, y = dice.normal(size=(60, 3)) * [1, 1, 9], dice.integers(0, 3, 60)
    for made, classes, shape in (
        (AdaptivePerceptron(), 2, (1, 4)),
        (AdaptivePerceptron(fit_intercept=False), 3, (3, 3)),
        (AdaptivePerceptron(matrix="full"), 2, (1, 4, 4)),
        (AdaptivePerceptron(multiclass="joint"), 2, (2, 4)),
        (AdaptivePerceptron(multiclass="joint"), 3, (3, 4)),
    ):
        model = made.fit(X, y % classes)
        S = model.variances_
        assert S.shape == shape
        own = np.array([np.diag(row) for row in S]) if S.ndim == 3 else S
        assert ((own > 0) & (own < 1)).all()
        assert (own[:, 2] < own[:, :2].min(axis=1)).all()  # the larger column is better known
    named = AdaptivePerceptron()
    for x, label in zip(X.tolist(), y % 2, strict=True):
        named.learn_one(dict(zip("abc", x, strict=True)), int(label))
    rows = AdaptivePerceptron().partial_fit(X, y % 2, classes=[0, 1])
    # names have room for more columns, so the constant is in another lane of the sums
    assert named.variances_ == pytest.approx(rows.variances_, rel=1e-12)


def test_annotations_of_every_estimator_can_be_evaluated() -> None:
    public = [getattr(novikoff, name) for name in novikoff.__all__]
    kinds = [one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)]
    assert len(kinds) == 8
    for kind in kinds:
        assert "return" in typing.get_type_hints(vars(kind)["__init__"])


def test_a_batch_of_single_examples_is_learned_by_a_subclass_s_own_method() -> None:
    class Prefixed(Perceptron):
        def learn_one(self, x: Any, y: Any, **more: Any) -> None:
            super().learn_one({f"pre_{name}": value for name, value in x.items()}, y, **more)

    clf = Prefixed()
    assert clf.learn_each([{"a": 1.0}, {"a": -1.0}, {"b": 1.0}, {"b": -1.0}], [0, 1, 1, 0]) == {}
    assert {*clf.named_weights} == {"pre_a", "pre_b"}
