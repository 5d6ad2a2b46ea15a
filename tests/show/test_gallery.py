"""The gallery shows what its own code draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from novikoff.show.plots.colours import MINUS, PLUS

DOCS = Path(__file__).parents[2] / "docs"


def words(figure: Path) -> list[str]:
    """The words of a figure: names of axes, titles, legends; ticks may differ with matplotlib."""
    drawn = re.findall(r"<text.*?</text>", figure.read_text(encoding="utf-8"), re.S)
    texts = (re.sub(r"<[^>]*>|\s+", " ", text).strip() for text in drawn)
    return [text for text in texts if re.search(r"[A-Za-zγλ]", text)]


def test_every_figure_of_the_gallery_is_what_the_page_draws(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DOCS / "make_gallery.py"), str(tmp_path)], check=True)
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"\(gallery/([\w-]+\.svg)\)", page)
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert sorted(shown) == drawn == sorted(path.name for path in (DOCS / "gallery").iterdir())
    assert len(shown) == len(set(shown)) >= 12
    for name in drawn:
        now = words(tmp_path / name)
        assert len(now) >= 3
        assert now == words(DOCS / "gallery" / name), f"{name} is stale: make gallery"


def test_under_each_figure_stands_one_sentence_of_claim() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for shown, below in re.findall(r"\(gallery/([\w-]+)\.svg\)\n\n(.*)", page):
        assert re.fullmatch(r"\*[A-Z][^.]*(?:\d\.\d[^.]*)*\.\*", below), (shown, below)


def test_the_colours_of_the_classes_are_for_the_classes_alone() -> None:
    without_points = ("mistakes", "sandwich", "readings", "margins", "roc", "precision-recall")
    for name in (*without_points, "reliability", "attribute-efficiency", "xor"):
        drawn = (DOCS / "gallery" / f"{name}.svg").read_text(encoding="utf-8").lower()
        assert PLUS.lower() not in drawn, name
        assert MINUS.lower() not in drawn, name
    assert PLUS.lower() in (DOCS / "gallery" / "plane.svg").read_text(encoding="utf-8")
