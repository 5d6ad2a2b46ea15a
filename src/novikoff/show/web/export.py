"""The page as files: the lessons with their recorded runs, and Explore without a server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from novikoff.show.web.lessons import STATIC, lesson, outlines, presets
from novikoff.show.web.replay import replay


def export(folder: Path) -> int:
    """Write the page into a folder that is new or empty; return the size of its files in bytes."""
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; choose a new folder")
    shutil.copytree(STATIC, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.json"))
    recorded = [{**one, "recorded": replay(one)} for one in presets()]
    begins = {"presets": recorded, "max_bytes": 0, "opened": None, "recorded": True}
    files: dict[str, Any] = {
        "api/presets": begins,
        "lessons/titles.json": [one["title"] for one in outlines()],
        **{f"lessons/{n}.json": lesson(n) for n in range(1, len(outlines()) + 1)},
    }
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
