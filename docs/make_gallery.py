"""Draw the figures of docs/gallery.md: python docs/make_gallery.py [DIRECTORY].

The page is the program: its Python blocks run in order, in one namespace. The figure of the axes
that a block calls `ax` is written to the file that the page shows next.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from novikoff.show import plots

HERE = Path(__file__).parent
PAGE = HERE / "gallery.md"
SHOWN = re.compile(r"```python\n(.*?)```\s+!\[[^\]]*\]\(gallery/([\w-]+\.svg)\)", re.S)


def draw(target: Path) -> list[Path]:
    """Run the page, write its figures into a directory, and return their paths."""
    target.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {}
    written = []
    for code, name in SHOWN.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(code, f"gallery.md, {name}", "exec"), names)
        plots.save(names.pop("ax"), target / name)
        written.append(target / name)
    return written


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "gallery")
