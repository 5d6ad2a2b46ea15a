"""No wasted passes: what `fit` shows of a long run, and what it says when the passes run out."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
    load,
)
from novikoff.runs import loop

_draw = np.random.default_rng(0)
X = _draw.normal(size=(40, 3))
NOISE = _draw.random(40) < 0.5  # nothing separates these
Y = X[:, 0] > 0


class Terminal(io.StringIO):
    """Where somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that advances by 0.1 seconds whenever somebody looks at it."""
    ticks = iter(range(10**9))
    clock = SimpleNamespace(monotonic=lambda: next(ticks) / 10)  # other threads keep theirs
    monkeypatch.setattr("novikoff.estimators.progress.time", clock)


@pytest.mark.parametrize("kind", [Perceptron, MarginPerceptron])
@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_an_estimator_that_is_to_separate_says_so_if_it_did_not(kind: Any, multiclass: str) -> None:
    words = rf"{kind.__name__} made \d+ updates in the last of 1,000 passes, so the data may not"
    cure = "To silence this warning, set max_iter to another number."
    with pytest.warns(ConvergenceWarning, match=words) as said:
        clf = kind(multiclass=multiclass).fit(X, NOISE)
    assert (clf.verdict_, clf.n_iter_) == ("budget", 1000)
    assert said[0].filename == __file__
    assert str(said[0].message).endswith(cure)


@pytest.mark.parametrize(
    "clf",
    [
        Perceptron(max_iter=50),
        MarginPerceptron(max_iter=999),
        AveragedPerceptron(),
        VotedPerceptron(),
        Winnow(max_iter=3),
    ],
    ids=repr,
)
def test_a_chosen_budget_and_an_average_need_no_warning(clf: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clf.fit(X, NOISE).verdict_ == "budget"
        assert Perceptron().fit(X, Y).verdict_ == "separated"


def test_the_average_and_the_vote_make_twenty_passes() -> None:
    for clf in (AveragedPerceptron(), VotedPerceptron()):
        assert clf.fit(X, NOISE).n_iter_ == 20


@pytest.mark.usefixtures("slow_clock")
def test_a_long_fit_shows_its_passes_where_somebody_watches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(loop, "_ROUNDS_AT_ONCE", 1)  # as with many rows
    Perceptron(max_iter=100).fit(X, NOISE)
    *shown, cleared, rest = screen.getvalue().split("\r")
    assert 5 < len(shown) < 50
    assert shown[0].startswith("pass 20 of at most 100: ")
    assert shown[0].endswith("% mistakes")
    assert (cleared.strip(), rest) == ("", "")
    assert len(cleared) >= len(shown[-1].rstrip())


@pytest.mark.usefixtures("slow_clock")
def test_nothing_is_shown_where_nobody_watches_or_of_a_short_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for screen, passes in ((io.StringIO(), 100), (Terminal(), 5)):
        monkeypatch.setattr(sys, "stderr", screen)
        Perceptron(max_iter=passes).fit(X, NOISE)
        assert screen.getvalue() == ""


@pytest.mark.parametrize("kind", [Perceptron, MarginPerceptron])
def test_a_fit_that_revisits_mistakes_is_saved_with_its_verdict_and_its_passes(
    kind: type[Perceptron | MarginPerceptron], tmp_path: Path
) -> None:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(400, 5))
    y = X[:, 0] > X[:, 1]
    for passes in (1, 1000):
        clf = kind(revisit="mistakes", max_iter=passes).fit(X, y)
        assert clf.verdict_ == ("budget" if passes == 1 else "separated")
        clf.save(tmp_path / "m")
        again = load(tmp_path / "m")
        assert again.get_params() == clf.get_params() | {"keep": again.keep}
        assert (again.verdict_, again.n_iter_) == (clf.verdict_, clf.n_iter_)
        assert clf.n_iter_ <= passes
        assert len(clf.mistakes_per_epoch_) == clf.n_iter_ + len(clf.ledger_.revisits)
    with pytest.raises(ValueError, match="revisit must be 'mistakes' or None, not 'all'"):
        kind(revisit="all").fit(X, y)  # type: ignore[arg-type]
