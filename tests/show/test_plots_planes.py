"""Points, lines, bands and rings show the numbers of the model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.collections import PathCollection

from helpers.figures import XOR, band, labels, learned, line, many, plain, points, same_places
from novikoff.guarantees import achieved_margin
from novikoff.show import plots
from novikoff.sources import block
from novikoff.stream.blocks import Block


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_line_is_where_the_score_is_0_and_crosses_the_figure(bias: bool, seed: int) -> None:
    data, w = learned(bias=bias, seed=seed)
    ax = plots.plane(data, w, bias=bias)
    drawn = line(ax, "= 0")
    assert np.abs(drawn @ w[:2] + (w[2] if bias else 0)).max() < 1e-9
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    for end in drawn:  # both ends are outside, the middle is inside
        assert not (left < end[0] < right and low < end[1] < high)
    middle = drawn.mean(axis=0)
    assert left < middle[0] < right
    assert low < middle[1] < high
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_band_is_as_wide_as_the_margin(bias: bool, seed: int) -> None:
    data, w = learned(bias=bias, seed=seed)
    achieved = achieved_margin(w, data)
    ax = plots.plane(data, w, bias=bias)
    one, other = band(ax)
    n = w[:2] / np.linalg.norm(w[:2])
    for edge in (one, other):
        assert np.ptp(edge @ n) < 1e-9  # parallel to the line
    width = abs((one[0] - other[0]) @ n)
    half = float(achieved.smallest) / float(np.linalg.norm(w[:2]))
    assert width == pytest.approx(2 * half, rel=1e-9)
    if not bias:
        assert width == pytest.approx(2 * achieved.value, rel=1e-9)
    assert f"w: {achieved.value:.4g}" in labels(ax).replace("(w, b)", "w")


def test_the_points_ringed_are_those_of_the_least_margin() -> None:
    data = block([[1, 0], [1, 5], [-1, 2], [3, 0], [-1.001, 0]], [1, 1, -1, 1, -1])
    ax = plots.plane(data, [2, 0], bias=False)
    assert same_places(points(ax, "nearest (3)"), [[1, 0], [1, 5], [-1, 2]])
    data, w = learned(bias=True)
    row = achieved_margin(w, data).row
    assert same_places(points(plots.plane(data, w, bias=True), "nearest"), data.rows.values[[row]])


def test_without_separation_there_is_no_band_and_the_errors_are_ringed() -> None:
    data = block([[1, 0], [-1, 0], [2, 1], [0, 3]], [1, 1, -1, 1])  # the last is on the line
    ax = plots.plane(data, [1, 0], bias=False)
    assert band(ax) == []
    assert same_places(points(ax, "not on the correct side (3)"), [[-1, 0], [2, 1], [0, 3]])


def test_classes_features_and_the_average_are_called_by_their_names() -> None:
    data, w = learned(bias=True)
    average = w + np.array([0.1, 0.2, 0.05])
    ax = plots.plane(data, w, bias=True, average=average.tolist(), names=("sugar", "milk"),
                     classes=("tea", "coffee"))  # fmt: skip
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("sugar", "milk")
    X = np.asarray(data.rows.values)
    assert same_places(points(ax, "coffee"), X[data.labels > 0])
    assert same_places(points(ax, "tea"), X[data.labels < 0])
    assert np.abs(line(ax, "average") @ average[:2] + average[2]).max() < 1e-9


def test_the_classes_differ_in_shape_and_filling_not_only_in_colour() -> None:
    ax = plots.plane(XOR, [1, 1], bias=False)
    kinds = [c for c in ax.collections if isinstance(c, PathCollection)][:2]
    assert len(np.asarray(kinds[0].get_facecolor())) == 1  # filled
    assert len(np.asarray(kinds[1].get_facecolor())) == 0  # open
    one, other = (kind.get_paths()[0].vertices for kind in kinds)
    assert np.asarray(one).shape != np.asarray(other).shape


def test_one_feature_is_drawn_on_a_line() -> None:
    data = block([[1], [2], [3], [4]], [-1, -1, 1, 1])
    ax = plots.plane(data, [2, -5], bias=True)
    assert line(ax, "= 0")[:, 0].tolist() == [2.5, 2.5]
    assert sorted(edge[0, 0] for edge in band(ax)) == [2, 3]
    assert sorted(points(ax, "nearest (2)")[:, 0]) == [2, 3]
    assert len(ax.get_yticks()) == 0


@pytest.mark.parametrize("columns", [3, 12, 100])
def test_more_features_are_projected_on_w_and_the_axes_say_so(columns: int) -> None:
    data, w = many(80, columns)
    ax = plots.plane(data, w, bias=True)
    assert "w·x/‖w‖" in plain(ax.get_xlabel())
    assert plain(ax.get_ylabel()) == "first principal direction orthogonal to w"
    X, u = np.asarray(data.rows.values), w[:-1] / np.linalg.norm(w[:-1])
    drawn = np.vstack([points(ax, "+1"), points(ax, "−1")])
    order = np.concatenate([np.flatnonzero(data.labels > 0), np.flatnonzero(data.labels < 0)])
    np.testing.assert_allclose(drawn[:, 0], (X @ u)[order], rtol=0, atol=1e-9)
    across = X - X.mean(axis=0) - np.outer((X - X.mean(axis=0)) @ u, u)
    best = float(np.linalg.svd(across, compute_uv=False)[0]) ** 2
    assert np.var(drawn[:, 1]) * len(X) == pytest.approx(best, rel=1e-3)
    at = -w[-1] / np.linalg.norm(w[:-1])
    np.testing.assert_allclose(line(ax, "= 0")[:, 0], at, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("data", "weights", "words"),
    [
        (block(np.empty((0, 2)), []), [1, 1], "no examples to draw"),
        (block([[1.0, np.nan]], [1]), [1, 1], "NaN .row 0, column 1."),
        (block([[1.0, np.inf]], [1]), [0, 0], "infinity .row 0, column 1."),
        (block([[1.0, 1e200]], [1]), [1, 1], "largest feature is 1e.200; scale the features"),
        (XOR, [1, 1, 1], "3 weights for 2 features without a constant"),
        (XOR, [1, np.nan], "weight 1 is nan"),
        (XOR, [10**400, 1], "too large for a float; scale the weights"),
        (XOR, [1e-200, 0], "largest weight is 1e-200; scale the weights"),
        (block(np.empty((2, 0)), [1, -1]), [], "no features"),
    ],
)
def test_data_and_weights_that_cannot_be_drawn_are_rejected(
    data: Block, weights: list[float], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        plots.plane(data, weights, bias=False)


def test_names_panels_and_examples_that_do_not_fit_are_rejected() -> None:
    with pytest.raises(ValueError, match="3 names for 2 features"):
        plots.plane(XOR, [1, 1], bias=False, names=("a", "b", "c"))
    with pytest.raises(ValueError, match="classes must be two names"):
        plots.plane(XOR, [1, 1], bias=False, classes=("a",))
    with pytest.raises(ValueError, match="expected 3, got 2"):
        plots.update([1, 1], [1, 0], 1, bias=False, axes=plots.new_panels(2))
    rejected: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: plots.update([1, 1], [1, 0], 0, bias=False), "label is 0; it must be -1 or"),
        (lambda: plots.update([1, 1], [1, np.nan], 1, bias=False), "must be finite"),
        (lambda: plots.update([1, 1], [0, 0], 1, bias=False), "changes nothing"),
    )
    for wrong, words in rejected:
        with pytest.raises(ValueError, match=words):
            wrong()


def test_weights_0_one_class_and_one_point_have_a_figure() -> None:
    ax = plots.plane(XOR, [0, 0], bias=False)
    assert ax.get_title() == "no line: the weights are all 0"
    assert not ax.lines
    ax = plots.plane(XOR, [0, 0, -1], bias=True, classes=("off", "on"))
    assert "every prediction is off" in ax.get_title()
    ax = plots.plane(block([[3, 4]], [1]), [3, 4], bias=False)
    assert same_places(points(ax, "nearest (1)"), [[3, 4]])
    assert "margin of w: 5" in labels(ax)
    ax = plots.plane(block([[1, 2, 3]], [-1]), [0, 0, 0], bias=False)
    assert ax.get_xlabel() == "first principal direction"


def test_features_of_very_different_sizes_each_have_their_own_unit() -> None:
    data = block([[0, 0], [1, 1e5], [0.5, 9e4]], [1, -1, 1])
    ax = plots.plane(data, [1e5, -1, 10], bias=True)
    assert ax.get_aspect() == "auto"
    assert ax.get_xlim()[1] < 3
