"""Figures of points show what they claim: lines, bands, rings and steps are the model's numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from novikoff import Additive, MarginPerceptron, Perceptron, Winnow, certify, play, plots, readings
from novikoff.examples import Block
from novikoff.guarantees import achieved_margin
from novikoff.plots.runs import weights_after
from novikoff.plots.views import csr, principal
from novikoff.rows import BadExample
from novikoff.sources import block, separable

Array = NDArray[np.float64]
XOR = block([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])


def learned(*, bias: bool, seed: int = 3) -> tuple[Block, Array]:
    points = next(iter(separable(60, [1, -0.4], margin=0.05, seed=seed)))
    learner = Additive(2, bias=bias)
    play(points, learner, epochs=1000)
    return points, learner.weights


def many(rows: int, columns: int, seed: int = 0) -> tuple[Block, Array]:
    dice = np.random.default_rng(seed)
    X, u = dice.normal(size=(rows, columns)), dice.normal(size=columns)
    y = np.where(X @ u + dice.normal(size=rows) > 0, 1, -1)
    return block(X, y), np.append(u, 0.25)


def line(ax: Axes, label: str) -> Array:
    """The points of the line that the legend calls so."""
    called = {it: str(it.get_label()) for it in ax.lines}
    found = [
        np.asarray(it.get_xydata())
        for it, name in called.items()
        if name.startswith(label) or name.endswith(label)
    ]
    assert len(found) == 1, called.values()
    return found[0]


def band(ax: Axes) -> list[Array]:
    return [np.asarray(it.get_xydata()) for it in ax.lines if it.get_linestyle() == "--"]


def points(ax: Axes, label: str) -> Array:
    """The places of the points that the legend calls so."""
    found = [c for c in ax.collections if label in str(c.get_label())]
    assert len(found) == 1, [c.get_label() for c in ax.collections]
    return np.asarray(found[0].get_offsets())


def sizes(ax: Axes) -> dict[tuple[float, float], float]:
    """The size of the point at each place."""
    found = {}
    for c in ax.collections:
        assert isinstance(c, PathCollection)
        for (x, y), size in zip(np.asarray(c.get_offsets()), c.get_sizes(), strict=False):
            found[float(x), float(y)] = float(size)
    return found


def labels(ax: Axes) -> str:
    legend = ax.get_legend()
    return "" if legend is None else " | ".join(t.get_text() for t in legend.get_texts())


def same_places(a: Any, b: Any) -> bool:
    return sorted(map(tuple, np.asarray(a).tolist())) == sorted(map(tuple, np.asarray(b).tolist()))


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
    data = block([[1, 0], [1, 5], [-1, 2], [3, 0], [-1.5, 0]], [1, 1, -1, 1, -1])
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
    flat = csr(block([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [1, -1]).rows)
    e = np.array([1.0, 0.0, 0.0])
    v = principal(flat, (e,))
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


def test_a_certificate_of_complete_separation_draws_its_weights() -> None:
    data, _ = learned(bias=True)
    it = certify(data, margin_rtol=0)
    ax = plots.certificate(it, data)
    w = np.array([float(v / max(map(abs, it.weights))) for v in it.weights])
    assert np.abs(line(ax, "= 0") @ w[:2] + w[2]).max() < 1e-9
    assert f"γ = {it.margin.low:.4g}" in labels(ax)


def test_the_multipliers_of_an_overlap_are_the_sizes_of_the_points() -> None:
    data = block([[0.0], [1.0], [4.0], [9.0]], [1, -1, 1, 1])
    it = certify(data)
    assert len(it.multipliers) == 3
    ax = plots.certificate(it, data, classes=("out", "in"))
    drawn = {x: size for (x, _), size in sizes(ax).items()}
    most = max(it.multipliers.values())
    for i, x in enumerate((0.0, 1.0, 4.0, 9.0)):
        share = it.multipliers.get(i, 0) / most
        assert drawn[x] == (max(30, 260 * share) if share else 10)
    assert "Σ λ y x = 0" in ax.get_title()
    assert labels(ax) == "in | out"


def test_a_certificate_of_another_kind_or_other_data() -> None:
    quasi = block([[0, 1], [0, -1], [0, 0], [1, 0], [2, 3]], [1, -1, 1, 1, 1])
    it = certify(quasi, fit_intercept=False)
    assert it.verdict == "quasi-complete"
    ax = plots.certificate(it, quasi)
    assert "quasi-complete" in ax.get_title()
    w = np.array(it.weights, dtype=float)
    assert np.abs(line(ax, "= 0") @ w).max() < 1e-9 * np.abs(w).max() + 1e-9
    with pytest.raises(ValueError, match="5 rows of 2 columns, the block has 4 of 2"):
        plots.certificate(it, XOR)
    data, _ = many(40, 5)
    overlap = certify(block(np.vstack([data.rows.values] * 2), [*data.labels, *-data.labels]))
    twice = block(np.vstack([data.rows.values] * 2), [*data.labels, *-data.labels])
    assert plots.certificate(overlap, twice).get_xlabel() == "first principal direction"


def test_a_run_shows_its_mistakes_and_its_last_line() -> None:
    data = next(iter(separable(60, [1, -0.4], margin=0.05, seed=3)))
    learner = Additive(2, bias=True, rate=0.5)
    run = play(data, learner, epochs=1000)
    ax = plots.turning(run, data)
    w = learner.weights
    assert np.abs(line(ax, "at the end") @ w[:2] + w[2]).max() < 1e-9
    mistaken = sorted(set(run.ledger.rows.tolist()))
    assert same_places(points(ax, "mistaken"), np.asarray(data.rows.values)[mistaken])
    each = weights_after(run.ledger)
    np.testing.assert_allclose(each[-1], readings.final(run.ledger), rtol=1e-12)
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
    assert "cycle" in ax.get_title()
    assert list(sizes(ax).values()) == [260] * 4  # XOR needs each of its points alike
    budget = play(XOR, Additive(2, bias=True), epochs=1)
    assert "used up" in plots.turning(budget, XOR).get_title()


def test_runs_without_mistakes_and_of_many_features() -> None:
    run = play(block([[1, 2]], [1]), Additive(2, start=np.ones(2)))
    assert len(run.ledger) == 0
    assert "0 mistakes" in plots.turning(run, block([[1, 2]], [1])).get_title()
    data, _ = many(40, 7)
    learner = Additive(7)
    ax = plots.turning(play(data, learner, epochs=3), data)
    assert "w·x/‖w‖" in ax.get_xlabel()
    with pytest.raises(ValueError, match="on 7 features, the block has 2"):
        plots.turning(play(data, learner), XOR)


@pytest.mark.parametrize("clf", [Perceptron(), MarginPerceptron(), Winnow(), LogisticRegression()])
def test_a_fitted_estimator_is_drawn_with_its_own_labels(clf: Any) -> None:
    data, _ = learned(bias=False)
    X = np.asarray(data.rows.values)
    y = np.where(data.labels > 0, "ham", "eggs")
    clf.fit(X, y)
    ax = plots.estimator(clf, X, y)
    drawn = line(ax, "= 0")
    assert np.abs(drawn @ clf.coef_[0] + clf.intercept_[0]).max() < 1e-9
    assert same_places(points(ax, "ham"), X[y == "ham"])


def test_an_estimator_of_many_classes_is_asked_for_one() -> None:
    dice = np.random.default_rng(0)
    X = dice.normal(size=(60, 2))
    y = np.argmax(np.stack([X[:, 0], X[:, 1], -X.sum(axis=1)]), axis=0)
    clf = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match=r"of=0.*\[0, 1, 2\]"):
        plots.estimator(clf, X, y)
    with pytest.raises(ValueError, match="9 is none of them"):
        plots.estimator(clf, X, y, of=9)
    ax = plots.estimator(clf, X, y, of=1, average=True)
    assert np.abs(line(ax, "= 0") @ clf.coef_[1] + clf.intercept_[1]).max() < 1e-9
    coef, intercept = clf.weights("average")
    assert np.abs(line(ax, "average") @ coef[1] + intercept[1]).max() < 1e-9
    assert same_places(points(ax, "not 1"), X[y != 1])


def test_an_estimator_must_be_linear_fitted_and_know_the_labels() -> None:
    with pytest.raises(ValueError, match="Perceptron has no coef_: a fitted linear classifier"):
        plots.estimator(Perceptron(), [[1]], [1])
    clf = Perceptron().fit([[1], [2]], [0, 1])
    with pytest.raises(BadExample, match=r"row 1: label 7 is not one of the classes \[0, 1\]"):
        plots.estimator(clf, [[1], [2]], [0, 7])
    with pytest.raises(ValueError, match="two classes, which are drawn against each other"):
        plots.estimator(clf, [[1], [2]], [0, 1], of=1)
    with pytest.raises(ValueError, match="LogisticRegression has no run to average"):
        plots.fitted(LogisticRegression().fit([[1], [2]], [0, 1]), [[1]], [1], average=True)


def test_names_of_a_frame_are_those_of_the_axes() -> None:
    import pandas as pd

    X = pd.DataFrame({"age": [1.0, 2, 3], "height": [4.0, 1, 2]})
    ax = plots.estimator(Perceptron().fit(X, [0, 1, 1]), X, [0, 1, 1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "height")


@pytest.mark.parametrize(
    ("data", "weights", "words"),
    [
        (block(np.empty((0, 2)), []), [1, 1], "no examples to draw"),
        (block([[1.0, np.nan]], [1]), [1, 1], "NaN .row 0, column 1."),
        (block([[1.0, np.inf]], [1]), [0, 0], "infinity .row 0, column 1."),
        (block([[1.0, 1e200]], [1]), [1, 1], "largest feature is 1e.200: scale the features"),
        (XOR, [1, 1, 1], "3 weights for 2 features without a constant"),
        (XOR, [1, np.nan], "weight 1 is nan"),
        (XOR, [1e-200, 0], "largest weight is 1e-200: scale the weights"),
        (block(np.empty((2, 0)), [1, -1]), [], "no features"),
    ],
)
def test_what_cannot_be_drawn_is_refused(data: Block, weights: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plots.plane(data, weights, bias=False)


def test_names_and_panels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="3 names for 2 features"):
        plots.plane(XOR, [1, 1], bias=False, names=("a", "b", "c"))
    with pytest.raises(ValueError, match="two classes have names"):
        plots.plane(XOR, [1, 1], bias=False, classes=("a",))
    with pytest.raises(ValueError, match="3 panels, and 2 axes were given"):
        plots.update([1, 1], [1, 0], 1, bias=False, axes=plots.new_row(2))
    refused: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: plots.update([1, 1], [1, 0], 0, bias=False), "label is 0; it must be -1 or"),
        (lambda: plots.update([1, 1], [1, 0], 1, bias=False, rate=0), "rate is 0"),
        (lambda: plots.update([1, 1], [1, np.nan], 1, bias=False), "not a number"),
        (lambda: plots.update([1, 1], [0, 0], 1, bias=False), "all 0"),
    )
    for wrong, words in refused:
        with pytest.raises(ValueError, match=words):
            wrong()


def test_weights_0_one_class_and_one_point_have_a_figure() -> None:
    ax = plots.plane(XOR, [0, 0], bias=False)
    assert ax.get_title() == "no line: the weights are all 0"
    assert not ax.lines
    ax = plots.plane(XOR, [0, 0, -1], bias=True, classes=("off", "on"))
    assert "every score says off" in ax.get_title()
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
