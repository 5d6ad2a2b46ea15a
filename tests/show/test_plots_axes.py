"""Axes, files and names: what every figure has in common."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers.figures import XOR, learned, many
from novikoff import Additive, Perceptron, certify, play
from novikoff.show import plots
from novikoff.show.plots.axes import escaped
from novikoff.sources import Data, block


def test_ten_thousand_points_make_a_small_file() -> None:
    data, w = many(10_000, 2)
    text = plots.svg(plots.plane(data, w, bias=True))
    assert len(text) < 600_000


def test_a_figure_is_drawn_into_the_axes_given() -> None:
    own = Figure().add_subplot()
    data, w = learned(bias=True)
    assert plots.plane(data, w, bias=True, ax=own) is own
    assert plots.certificate(certify(XOR), XOR, ax=own) is own
    panels = plots.new_panels(3)
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


def test_an_svg_has_short_coordinates_and_keeps_numbers_in_its_text() -> None:
    data, w = learned(bias=True)
    drawn = plots.svg(plots.plane(data, w, bias=True, classes=("0.123456", "b")))
    assert ">0.123456</text>" in drawn
    assert not [tag for tag in re.findall(r"<[^>]*>", drawn) if re.search(r"\d\.\d{4}", tag)]


def test_figures_on_one_page_share_no_ids() -> None:
    one, two = (
        plots.svg(plots.plane(XOR, [1, 1], bias=False), name=name) for name in ("one", "two")
    )
    ids = re.findall(r' id="([^"]*)"', one)
    assert sorted(ids) == [f"one-{k}" for k in range(1, len(ids) + 1)]
    assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', one)) == set(ids)
    assert one.replace("one-", "two-") == two


def test_files_do_not_name_the_time(tmp_path: Path) -> None:
    ax = plots.plane(XOR, [1, 1], bias=False)
    for name in ("figure.svg", "figure.pdf"):
        plots.save(ax, tmp_path / name)
        assert not re.search(rb"Date|date", (tmp_path / name).read_bytes())


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
        plots.certificate(certify(Data(XOR, evil, evil)), XOR),
        plots.certificate(certify(Data(data, evil, evil)), data),
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
def test_control_characters_and_very_long_names_are_drawn(name: str, shown: str) -> None:
    ax = plots.plane(XOR, [1, 1], bias=False, names=(name, "b"), classes=(name, "b"))
    assert drawn_words(ax).split("|").count(shown) == 2


def test_a_notebook_shows_the_figure_of_what_a_plot_returns() -> None:
    some = block([[1.0, 2.0], [-1.0, 0.5]], [1, -1])
    run = play(some, Additive(2), epochs=3)
    for shown in (plots.mistakes(run.ledger), plots.turning(run, some)):
        assert shown._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    three = plots.update([1.0, 2.0], [1.0, -3.0], 1, bias=False)
    assert len(three) == 3
    assert three._repr_png_().startswith(b"\x89PNG")
