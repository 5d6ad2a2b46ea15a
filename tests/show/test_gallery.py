"""The gallery shows what its own code draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def words(figure: Path) -> list[str]:
    """The words of a figure: names of axes, titles, legends; ticks may differ with matplotlib."""
    texts = re.findall(r"<text[^>]*>([^<]*)", figure.read_text(encoding="utf-8"))
    return [text for text in texts if re.search(r"[A-Za-zγ]", text)]


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
