"""Play every lesson of the page in chromium, by keyboard and by touch, at several sizes.

Usage: play_lessons.py [FOLDER for screenshots]. The page's own perceptron is also compared with the
engine on thousands of drawn sets.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from helpers.lessons import Student, compare_with_engine, drawn_sets
from novikoff.show.web.lessons import outlines

SETTINGS = [
    (1280, 720, "light", "keys"),
    (1440, 900, "dark", "keys"),
    (390, 844, "light", "touch"),
    (390, 844, "dark", "touch"),
]
SETS = 5_000


def play_all(chromium: Browser, start: str, setting: tuple[Any, ...], shots: Path | None) -> None:
    """Play all lessons in one setting; a failure stops with the lesson and the step."""
    width, height, scheme, by = setting
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        has_touch=by == "touch",
    )
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    for number in range(1, len(outlines()) + 1):
        page.goto(f"{start}#/lesson/{number}")
        page.wait_for_selector(f"body[data-step='{number}/0']")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, (number, width, wide)
        Student(page, by).play(number)
        if shots is not None:
            name = f"{number}-{width}x{height}-{scheme}.png"
            page.screenshot(path=shots / name, full_page=True)
    assert wrong == [], wrong
    print(f"{width} x {height}, {scheme}, by {by}: all lessons played", flush=True)
    context.close()


def main() -> int:
    """Play all lessons in all settings, and compare the page's perceptron with the engine."""
    shots = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    command = [sys.executable, "-m", "novikoff", "web", "--port", "0", "--no-browser"]
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as tools,
    ):
        assert server.stdout is not None
        start = server.stdout.readline().strip()
        chromium = tools.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for setting in SETTINGS:
            play_all(chromium, start, setting, shots)
        page = chromium.new_page()
        page.goto(start)
        compare_with_engine(page, drawn_sets(SETS), proofs=200)
        print(f"{SETS:,} sets: the page's perceptron makes the engine's runs")
        chromium.close()
        server.terminate()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
