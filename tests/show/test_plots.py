"""Figures of points show what they claim: lines, bands, rings and steps are the model's numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from scipy.sparse import csr_array

from helpers.figures import XOR, band, labels, learned, line, many, points, same_places
from novikoff import Additive, Perceptron, certify, play
from novikoff.guarantees import achieved_margin
from novikoff.show import plots
from novikoff.show.plots.axes import escaped
from novikoff.show.projection import principal_direction
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
    assert f"γ = {achieved.value:.4g}" in labels(ax)


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
    assert same_places(points(ax, "not on the right side (3)"), [[-1, 0], [2, 1], [0, 3]])


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
    assert "w·x/‖w‖" in ax.get_xlabel()
    assert ax.get_ylabel() == "first principal direction orthogonal to w"
    X, u = np.asarray(data.rows.values), w[:-1] / np.linalg.norm(w[:-1])
    drawn = np.vstack([points(ax, "+1"), points(ax, "−1")])
    order = np.concatenate([np.flatnonzero(data.labels > 0), np.flatnonzero(data.labels < 0)])
    np.testing.assert_allclose(drawn[:, 0], (X @ u)[order], rtol=0, atol=1e-9)
    across = X - X.mean(axis=0) - np.outer((X - X.mean(axis=0)) @ u, u)
    best = float(np.linalg.svd(across, compute_uv=False)[0]) ** 2
    assert np.var(drawn[:, 1]) * len(X) == pytest.approx(best, rel=1e-3)
    at = -w[-1] / np.linalg.norm(w[:-1])
    np.testing.assert_allclose(line(ax, "= 0")[:, 0], at, rtol=0, atol=1e-9)


def test_the_projection_of_sparse_rows_is_that_of_dense_ones() -> None:
    data, w = many(50, 6)
    X = np.where(np.abs(data.rows.values) < 0.5, 0, data.rows.values)
    dense = points(plots.plane(block(X, data.labels), w, bias=True), "+1")
    sparse = points(plots.plane(block(csr_array(X), data.labels), w, bias=True), "+1")
    np.testing.assert_allclose(dense, sparse, rtol=0, atol=1e-9)


def test_a_principal_direction_is_found_where_there_is_none() -> None:
    flat = block([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [1, -1]).rows
    e = np.array([1.0, 0.0, 0.0])
    v = principal_direction(flat, (e,))
    assert np.linalg.norm(v) == pytest.approx(1)
    assert abs(v @ e) < 1e-12


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
    new = old + 0.5 * y * example
    before, during, after = plots.update(old, x, y, bias=bias, rate=0.5)
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
    assert "along w" in before.get_xlabel()
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


def test_the_constant_moves_the_line_off_the_origin() -> None:
    data = block([[1.0], [2.0], [3.0], [4.0]], [-1, -1, 1, 1])
    without, with_it = plots.constant(data)
    assert (without.get_title(), with_it.get_title()) == (
        "without the constant: overlap",
        "with the constant: complete",
    )
    drawn = line(with_it, "w·x = 0")
    assert abs(np.linalg.det(drawn)) < 1e-9  # through the origin of the plane x, 1
    threshold = line(with_it, "threshold")[0]
    assert threshold[1] == 1
    assert 2 < threshold[0] < 3
    assert np.linalg.det(np.stack([threshold, drawn[1] - drawn[0]])) == pytest.approx(0, abs=1e-9)
    assert set(points(with_it, "+1")[:, 1]) == {1}


@pytest.mark.parametrize("scale", [1e-120, 1e-20, 1.0, 1e20])
def test_the_constant_is_shown_beside_numbers_of_any_size(scale: float) -> None:
    data = block([[1 * scale], [2 * scale], [3 * scale]], [-1, -1, 1])
    _, with_it = plots.constant(data)
    threshold = line(with_it, "threshold")[0]
    assert 2 * scale < threshold[0] < 3 * scale
    (low, high), (left, right) = with_it.get_ylim(), with_it.get_xlim()
    assert low < 1 < high
    assert left < scale < 3 * scale < right


def test_the_constant_in_two_dimensions() -> None:
    data = block([[1, 1], [2, 1], [3, 3], [4, 3]], [-1, -1, 1, 1])
    without, with_it = plots.constant(data, names=("a", "b"), classes=("no", "yes"))
    assert "overlap" in without.get_title()
    assert "complete" in with_it.get_title()
    assert with_it.get_xlabel() == "a"
    assert len(band(with_it)) == 2
    assert line(without, "the origin").tolist() == [[0, 0]]
    with pytest.raises(ValueError, match="one or two features, not 3"):
        plots.constant(block([[1, 2, 3]], [1]))


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
def test_what_cannot_be_drawn_is_refused(data: Block, weights: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plots.plane(data, weights, bias=False)


def test_names_and_panels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="3 names for 2 features"):
        plots.plane(XOR, [1, 1], bias=False, names=("a", "b", "c"))
    with pytest.raises(ValueError, match="classes must be two names"):
        plots.plane(XOR, [1, 1], bias=False, classes=("a",))
    with pytest.raises(ValueError, match="3 panels; got 2 axes"):
        plots.update([1, 1], [1, 0], 1, bias=False, axes=plots.new_row(2))
    refused: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: plots.update([1, 1], [1, 0], 0, bias=False), "label is 0; it must be -1 or"),
        (lambda: plots.update([1, 1], [1, 0], 1, bias=False, rate=0), "rate is 0"),
        (lambda: plots.update([1, 1], [1, np.nan], 1, bias=False), "must be finite"),
        (lambda: plots.update([1, 1], [0, 0], 1, bias=False), "changes nothing"),
    )
    for wrong, words in refused:
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
    assert "margin γ = 5" in labels(ax)
    ax = plots.plane(block([[1, 2, 3]], [-1]), [0, 0, 0], bias=False)
    assert ax.get_xlabel() == "first principal direction"


def test_features_of_very_different_sizes_each_have_their_own_unit() -> None:
    data = block([[0, 0], [1, 1e5], [0.5, 9e4]], [1, -1, 1])
    ax = plots.plane(data, [1e5, -1, 10], bias=True)
    assert ax.get_aspect() == "auto"
    assert ax.get_xlim()[1] < 3


def test_ten_thousand_points_make_a_small_file() -> None:
    data, w = many(10_000, 2)
    text = plots.svg(plots.plane(data, w, bias=True))
    assert len(text) < 600_000


def test_a_figure_is_drawn_into_the_axes_given() -> None:
    own = Figure().add_subplot()
    data, w = learned(bias=True)
    assert plots.plane(data, w, bias=True, ax=own) is own
    assert plots.certificate(certify(XOR), XOR, ax=own) is own
    panels = plots.new_row(3)
    assert plots.update([1, 1], [1, 0], 1, bias=False, axes=panels) == panels


def test_an_svg_is_text_the_same_each_time_and_says_what_it_is() -> None:
    data, w = learned(bias=True)
    one, two = (
        plots.svg(plots.plane(data, w, bias=True, classes=("tea", "co<ffee")), label='a "line"')
        for _ in range(2)
    )
    assert one == two
    assert one.startswith('<svg role="img" aria-label="a &quot;line&quot;"')
    assert ">tea</text>" in one
    assert "co&lt;ffee" in one
    assert "<dc:date>" not in one


def test_without_matplotlib_a_figure_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for draw in (
        lambda: plots.plane(XOR, [1, 1], bias=False),
        lambda: plots.update([1, 1], [1, 0], 1, bias=False),
        lambda: plots.constant(block([[1.0]], [1])),
    ):
        with pytest.raises(plots.NoMatplotlib, match=r"pip install 'novikoff\[plot\]'"):
            draw()


EVIL = (r"$\foo{$", "_low")


def drawn_words(*panels: Axes) -> str:
    """What a figure says, as a browser that reads its SVG would."""
    texts = "|".join(ElementTree.fromstring(plots.svg(panels[0])).itertext())
    return texts.replace("\u200b", "")


@pytest.mark.parametrize("evil", [EVIL, EVIL[::-1]])
def test_names_are_drawn_letter_by_letter(evil: tuple[str, str]) -> None:
    data, w = learned(bias=True)
    lifted = block([[1.0], [2.0], [3.0], [4.0]], [-1, -1, 1, 1])
    frame = pd.DataFrame(data.rows.values, columns=list(evil))
    y = np.where(data.labels > 0, *evil)
    run = play(data, Additive(2, bias=True), epochs=100)
    both: tuple[Axes, ...] = (
        plots.plane(data, w, bias=True, names=evil, classes=evil),
        plots.certificate(certify(XOR).named(evil, None, evil), XOR),
        plots.certificate(certify(data).named(evil, None, evil), data),
        plots.turning(run, data, names=evil, classes=evil),
        plots.estimator(Perceptron().fit(frame, y), frame, y),
        plots.constant(lifted, names=evil[:1], classes=evil)[0],
    )
    for ax in both:
        shown = drawn_words(ax).split("|")
        for name in evil:
            legend = ax.get_legend()
            assert legend is not None
            assert name in [t.get_text().strip("\u200b").replace(r"\$", "$") for t in legend.texts]
            assert name in shown
        assert ax.get_xlabel() in (escaped(evil[0]), escaped(evil[1]))
    for y_, name in zip((-1, 1), evil, strict=True):
        panels = plots.update([1, 1], [1, 0], y_, bias=False, classes=evil)
        assert f"before: a {name} example" in drawn_words(*panels)
        ax = plots.plane(XOR, [0, 0, y_], bias=True, classes=evil)
        assert f"every prediction is {name}" in drawn_words(ax)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two\nlines\tand\x00", "two lines and "),
        ("\x9b\ud800\uffff", "\ufffd\ufffd\ufffd"),
        (r"a\$b$", r"a\$b$"),
        ("$x$", "$x$"),
        ("l" * 61, "l" * 59 + "…"),
    ],
)
def test_what_has_no_shape_or_no_end_is_still_drawn(name: str, shown: str) -> None:
    ax = plots.plane(XOR, [1, 1], bias=False, names=(name, "b"), classes=(name, "b"))
    assert drawn_words(ax).split("|").count(shown) == 2
