"""Figures of certificates, and of the constant feature, show the proof."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Polygon

from helpers.figures import XOR, band, labels, learned, line, many, plain, points, sizes
from novikoff import certify, play
from novikoff.show import plots
from novikoff.sources import block


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
    assert threshold[0] == pytest.approx(2.5)
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
    without, with_it, above = plots.constant(data, names=("a", "b"), classes=("no", "yes"))
    assert "overlap" in without.get_title()
    assert "complete" in with_it.get_title()
    assert with_it.get_xlabel() == "a"
    assert len(band(with_it)) == 2
    for ax in (without, with_it, above):
        assert line(ax, "the origin").tolist() == [[0, 0]]
    assert (without.get_xlim(), without.get_ylim()) == (with_it.get_xlim(), with_it.get_ylim())
    assert line(without, "negative, as").tolist() == [[-1, -1], [-2, -1]]  # the origin is between
    assert line(without, "mean, weighted").tolist() == [pytest.approx([0, 0])]


def test_the_proof_of_an_overlap_shows_its_hulls_their_common_point_and_the_multipliers() -> None:
    data = block([[0, 0], [6, 0], [0, 6], [1, 2], [5, 5]], [1, 1, 1, -1, 1])
    it = certify(data)
    ax = plots.certificate(it, data)
    assert line(ax, "mean of both").tolist() == [pytest.approx([1, 2])]
    (hull,) = [
        np.asarray(p.get_xy()).tolist()
        for p in ax.patches
        if isinstance(p, Polygon) and len(p.get_xy()) > 3
    ]
    assert sorted(hull[:-1]) == [[0, 0], [0, 6], [6, 0]]
    shown = {tuple(t.xy): plain(t.get_text()) for t in ax.texts}  # type: ignore[attr-defined]
    places = {i: (float(x), float(y)) for i, (x, y) in enumerate(data.rows.values)}
    assert shown == {places[i]: f"λ = {n}" for i, n in it.multipliers.items()}
    with pytest.raises(ValueError, match="one or two features, not 3"):
        plots.constant(block([[1, 2, 3]], [1]))


def test_a_certificate_of_complete_separation_draws_its_weights() -> None:
    data, _ = learned(bias=True)
    it = certify(data, margin_rtol=0)
    ax = plots.certificate(it, data)
    w = np.array([float(v / max(map(abs, it.weights))) for v in it.weights])
    assert np.abs(line(ax, "= 0") @ w[:2] + w[2]).max() < 1e-9
    assert f"margin of (w, b): {it.margin.low:.4g}" in labels(ax)


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
    assert "Σ λ y x = 0" in plain(ax.get_title())
    assert labels(ax) == "in | out"


def test_a_quasi_complete_certificate_is_drawn_and_other_data_are_rejected() -> None:
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


def test_data_may_be_a_pair_as_for_play() -> None:
    X, y = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 1.0]]), ["a", "a", "b", "b"]
    run = play(X, y, epochs=9)
    assert run.summary((X, y)).to_dict() == run.summary(block(X, [-1, -1, 1, 1])).to_dict()
    plots.certificate(certify(X, y), (X, y))
    plots.turning(run, (X, y))
