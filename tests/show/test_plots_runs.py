"""Figures of runs and updates show the weights of the ledger."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from helpers.figures import XOR, line, many, plain, points, same_places, sizes
from novikoff import Additive, play
from novikoff.ledger.readings import trajectory
from novikoff.show import plots
from novikoff.show.plots.planes import areas_of
from novikoff.sources import block, separable


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("w", "x", "y"), [([-1.2, 2.0], [2, 0.6], 1), ([1.5, 2.0], [2.2, -0.7], -1)]
)
def test_an_update_adds_the_example_and_turns_the_line(
    w: list[float], x: list[float], y: int, bias: bool
) -> None:
    old, example = np.array([*w, 0.3]), np.array([*x, 1.0])
    if not bias:
        old, example = old[:2], example[:2]
    new = old + y * example
    before, during, after = plots.update(old, x, y, bias=bias)
    assert arrows(before) == [([0, 0], pytest.approx(old[:2]))]
    assert arrows(during)[1] == (pytest.approx(old[:2]), pytest.approx(new[:2]))
    assert arrows(after)[1] == ([0, 0], pytest.approx(new[:2]))
    for ax, weights in ((before, old), (during, old), (after, new)):
        drawn = np.asarray(ax.lines[-1].get_xydata())
        assert np.abs(drawn @ weights[:2] + weights[2:].sum()).max() < 1e-9
        assert np.asarray(ax.collections[0].get_offsets()).tolist() == [x]
    assert y * (new @ example) > y * (old @ example)
    cosine = [v[:2] @ x / np.linalg.norm(v[:2]) for v in (old, new)]
    assert np.sign(cosine[1] - cosine[0]) == y  # towards a positive one, away from a negative one
    assert ("towards" if y > 0 else "away from") in during.get_title()
    assert f"{new @ example:+.3g}".replace("-", "−") in after.get_title()


def arrows(ax: Axes) -> list[tuple[Any, Any]]:
    """Where each arrow begins and ends."""
    found = [t for t in ax.texts if isinstance(t, Annotation) and t.arrow_patch is not None]
    return [(list(t.xyann), list(t.xy)) for t in found]


def test_an_update_of_many_features_is_drawn_in_the_plane_of_w_and_x() -> None:
    w, x = np.array([1.0, 2.0, -3.0, 1.0]), np.array([1.0, 1.0, 2.0, 0.5])
    before, during, after = plots.update(w, x, 1, bias=False)
    assert "along w" in plain(before.get_xlabel())
    (_, tip), (_, then) = arrows(before)[0], arrows(after)[1]
    assert tip == pytest.approx([np.linalg.norm(w), 0])
    assert np.linalg.norm(then) == pytest.approx(np.linalg.norm(w + x))
    place = np.asarray(during.collections[0].get_offsets())[0]
    assert np.dot(tip, place) == pytest.approx(w @ x)  # lengths and angles are the true ones
    assert np.dot(then, place) == pytest.approx((w + x) @ x)


def test_an_update_from_0_has_no_line_before_it() -> None:
    for w, x in ([0, 0], [1, 2]), ([0, 0, 0], [1, 2, 2]):
        before, _, after = plots.update(w, x, -1, bias=False)
        assert "no line yet" in before.get_title()
        assert arrows(after)[-1][1] == pytest.approx([-1, -2] if len(w) == 2 else [-3, 0])


def test_a_run_shows_its_mistakes_and_its_last_line() -> None:
    data = next(iter(separable(60, [1, -0.4], margin=0.05, seed=3)))
    learner = Additive(2, bias=True, rate=0.5)
    run = play(data, learner, epochs=1000)
    ax = plots.turning(run, data)
    w = learner.weights
    assert np.abs(line(ax, "at the end") @ w[:2] + w[2]).max() < 1e-9
    mistaken = sorted(set(run.ledger.rows.tolist()))
    assert same_places(points(ax, "mistaken"), np.asarray(data.rows.values)[mistaken])
    each = np.array([moment.weights for moment in trajectory(run.ledger)])
    earlier = [np.asarray(it.get_xydata()) for it in ax.lines if it.get_alpha() is not None]
    assert 1 < len(earlier) <= 40
    for drawn in earlier:  # each is the line after some mistake
        assert np.abs(drawn @ each[:, :2].T + each[:, 2]).max(axis=0).min() < 1e-9
    assert f"{len(run.ledger)} mistakes" in ax.get_title()
    assert "separated" in ax.get_title()


def test_a_cycle_shows_its_multipliers() -> None:
    run = play(XOR, Additive(2, bias=True), epochs=100)
    assert run.cycle is not None
    ax = plots.turning(run, XOR)
    assert "repeated its weights" in ax.get_title()
    assert list(sizes(ax).values()) == [260] * 4  # XOR needs each of its points alike
    budget = play(XOR, Additive(2, bias=True), epochs=1)
    assert "did not separate" in plots.turning(budget, XOR).get_title()


def test_areas_are_in_proportion_to_multipliers_and_never_too_small_to_see() -> None:
    assert areas_of([0, 40, 20, 1]).tolist() == [10, 260, 130, 30]
    assert areas_of([0, 0]).tolist() == [30, 30]


def test_runs_without_mistakes_and_of_many_features() -> None:
    run = play(block([[1, 2]], [1]), Additive(2, start=np.ones(2)))
    assert len(run.ledger) == 0
    assert "0 mistakes" in plots.turning(run, block([[1, 2]], [1])).get_title()
    data, _ = many(40, 7)
    learner = Additive(7)
    ax = plots.turning(play(data, learner, epochs=3), data)
    assert "w·x/‖w‖" in plain(ax.get_xlabel())
    with pytest.raises(ValueError, match="on 7 features, the block has 2"):
        plots.turning(play(data, learner), XOR)
