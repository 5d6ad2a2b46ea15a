"""Play every lesson of the page in chromium: by keyboard and by touch, three sizes, light and dark.

Usage: play_lessons.py [--shots FOLDER] [--axe axe.min.js]. With --shots there is a picture of each
step and of each question. With --axe, the file of the npm package axe-core, each of them and the
other pages are checked with its rules. At the end the page's own perceptron is compared with the
engine on thousands of drawn sets.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Browser, sync_playwright

from helpers.lessons import Student, compare_with_engine, drawn_sets, open_lesson
from novikoff.show.web.lessons import outlines

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = [(390, 844), (1280, 720), (1440, 900)]
PAGES = ["explore.html", "check.html"]
SETS = 5_000


class Inspector:
    """Looks at the page in each state that a student sees."""

    def __init__(self, page: Page, name: str, shots: Path | None, axe: str | None) -> None:
        self.page, self.name, self.shots, self.axe = page, name, shots, axe
        self.found: list[str] = []

    def look(self, state: str) -> None:
        """Nothing may be wider than the window, no word than its button; picture and axe-core."""
        wide, window = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if wide > window:
            self.found.append(f"{state}: {wide} pixels wide in a window of {window}")
        self.found += [f"{state}: {words!r} is wider than its button" for words in cut(self.page)]
        if self.shots is not None:
            file = f"{state.replace('/', '-')}-{self.name}.png"
            self.page.screenshot(path=self.shots / file, full_page=True)
        if self.axe is not None:
            self.found += [f"{state}: {one}" for one in violations(self.page, self.axe)]


def cut(page: Page) -> list[str]:
    """The words of buttons and links that have no room for them."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll("nav a, button")]
           .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth)
           .map((one) => one.textContent)"""
    )
    return found


def violations(page: Page, axe: str) -> list[str]:
    """What the rules of axe-core find on the page as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    answer: Any = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{rule['id']}: {node['target']}: {node['failureSummary']}"
        for rule in answer["violations"]
        for node in rule["nodes"]
    ]


def settings() -> Iterator[tuple[int, int, str, str]]:
    """Each size, light and dark, by keyboard and by touch."""
    for (width, height), scheme, by in itertools.product(
        SIZES, ("light", "dark"), ("keys", "touch")
    ):
        yield width, height, scheme, by


def play_all(
    chromium: Browser, start: str, setting: tuple[int, int, str, str], **looks: Any
) -> list[str]:
    """Play all lessons in one setting and return what is wrong, each with its lesson and step."""
    width, height, scheme, by = setting
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        has_touch=by == "touch",
    )
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    name = f"{width}x{height}-{scheme}-{by}"
    inspector = Inspector(page, name, **looks)
    page.goto(start)
    page.wait_for_selector("body[data-ready]")
    for number in range(1, len(outlines()) + 1):
        open_lesson(page, number)
        try:
            Student(page, by, inspector.look).play(number)
        except Exception as error:
            wrong.append(f"lesson {number}: {error!r}")
    for other in PAGES:
        page.goto(f"{start}{other}")
        page.wait_for_load_state("networkidle")
        inspector.look(other)
        for preset in ("xor", "spirals") if other == "explore.html" else ():  # a line, a kernel
            page.select_option("#preset", preset)
            page.wait_for_selector("#busy", state="hidden")
            page.click("#run")
            inspector.look(f"{other}-{preset}")
    wrong += list(dict.fromkeys(inspector.found))
    print(f"{name}: all lessons played", *wrong, sep="\n  ", flush=True)
    context.close()
    return wrong


def main() -> int:
    """Play all lessons in all settings, and compare the page's perceptron with the engine."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--shots", type=Path)
    asked.add_argument("--axe", type=Path)
    asked.add_argument("--only", default="", help="settings whose name has this text")
    given = asked.parse_args()
    if given.shots is not None:
        given.shots.mkdir(parents=True, exist_ok=True)
    axe = None if given.axe is None else given.axe.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "novikoff", "web", "--port", "0", "--no-browser"]
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    wrong: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        start = server.stdout.readline().strip()
        try:  # at its end `with` waits for the server, so it must be stopped even after an error
            with sync_playwright() as tools:
                chromium = tools.chromium.launch(executable_path=program, args=["--no-sandbox"])
                for width, height, scheme, by in settings():
                    if given.only in f"{width}x{height}-{scheme}-{by}":
                        setting = (width, height, scheme, by)
                        wrong += play_all(chromium, start, setting, shots=given.shots, axe=axe)
                if not given.only:
                    page = chromium.new_page()
                    page.goto(start)
                    compare_with_engine(page, drawn_sets(SETS), proofs=200)
                    print(f"{SETS:,} sets: the page's perceptron makes the engine's runs")
                chromium.close()
        finally:
            server.terminate()
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
