"""The documents tell the truth: every point has its tests, every public name its place."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import make_pages
import novikoff
from helpers.command_line import run
from novikoff import concepts, guarantees, learners, sources
from novikoff.cli.main import VERBS
from novikoff.show import lab, plots, report

ROOT = Path(__file__).parents[1]
THEORY = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "theory").glob("*.md")
)
REFERENCE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in [*(ROOT / "docs/reference").glob("*.md"), ROOT / "docs/commands/index.md"]
)
DOCS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
POINTS = sorted(re.findall(r"^\*\*(\d\.\d)\*\* (.*?)(?=^\*\*\d|^#+ |\Z)", THEORY, re.M | re.S))
EXPECTED = [
    *(f"1.{k}" for k in range(1, 5)),
    *(f"2.{k}" for k in range(1, 10)),
    *(f"3.{k}" for k in range(1, 7)),
    *(f"4.{k}" for k in range(1, 6)),
    *(f"5.{k}" for k in range(1, 4)),
    *(f"6.{k}" for k in range(1, 7)),
    *(f"7.{k}" for k in range(1, 9)),
    *(f"8.{k}" for k in range(1, 4)),
    *(f"9.{k}" for k in range(1, 4)),
]


def test_every_point_of_the_theory_is_there() -> None:
    assert [number for number, _ in POINTS] == EXPECTED


@pytest.mark.parametrize(("number", "words"), POINTS, ids=[number for number, _ in POINTS])
def test_every_point_of_the_theory_has_tests_that_exist(number: str, words: str) -> None:
    named = re.findall(r"`([\w/]*test_\w+\.py)::(test_\w+)`", words)
    assert named, f"{number} names no test"
    for file, test in named:
        source = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert f"def {test}(" in source, f"{number} names {file}::{test}, which does not exist"
    assert "Shown by:" in words


@pytest.mark.parametrize(
    "name",
    [
        *novikoff.__all__,
        *concepts.__all__,
        *guarantees.__all__,
        *lab.__all__,
        *learners.__all__,
        *plots.__all__,
        *report.__all__,
        *sources.__all__,
    ],
)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert re.search(rf"`{name}\b", REFERENCE), f"{name} is missing from docs/reference/"


def test_every_command_is_in_the_list_and_has_its_page() -> None:
    for name in VERBS:
        assert f"`novikoff {name}`]" in REFERENCE
        page = (ROOT / "docs" / "commands" / f"{name}.md").read_text(encoding="utf-8")
        assert f"<!-- novikoff {name} --help -->" in page
        last = run(name, "--help").stdout.splitlines()[-1]
        assert last.startswith(f"Example: novikoff {name}")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the site and repositories make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    words = [re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", one.lower())) for one in headings]
    return {one.replace(" ", "-") for one in words}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".github/SECURITY.md", *DOCS])
def test_every_link_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"(?<!\\)\]\((?!https?:)([^)\s]+)\)", text):
        file, _, anchor = link.partition("#")
        target = (ROOT / page).parent / file if file else ROOT / page
        if target.name != "check.html":  # the site has it beside the pages
            assert target.exists(), f"{page} links to {file}"
        if anchor:
            assert anchor in anchors(target), f"{page} links to {link}"


SUPPOSED = {"shifting.py", "matrix_market.py", "test_matrix_market.py"}  # of worked examples


@pytest.mark.skipif(not (ROOT / "cpp").exists(), reason="the sources are not here")
def test_every_file_that_the_design_names_exists() -> None:
    files = [*ROOT.glob("src/**/*.*"), *ROOT.glob("cpp/**/*.*"), *ROOT.glob("[bt]*/**/*.py")]
    known = [f"/{path.relative_to(ROOT)}" for path in files]
    for page in [ROOT / "CONTRIBUTING.md", ROOT / "docs/design.md", *ROOT.glob("docs/design/*")]:
        for name in re.findall(r"`([\w/]+\.(?:py|pyi|hpp|cpp|json))`", page.read_text("utf-8")):
            exists = any(path.endswith(f"/{name}") for path in known)
            assert exists or Path(name).name in SUPPOSED, f"{page.name} names {name}"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *DOCS])
def test_links_to_other_sites_are_well_formed_and_encrypted(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\((http[^)\s]*)\)|<(http[^>\s]*)>", text):
        address = urlsplit("".join(link))
        assert (address.scheme, "." in address.netloc) == ("https", True), f"{page}: {link}"


def test_every_lesson_is_beside_a_point_of_the_theory() -> None:
    text = (Path(novikoff.__file__).parent / "show/web/static/lessons.json").read_text("utf-8")
    titles = {f"{k}. {lesson['title']}" for k, lesson in enumerate(json.loads(text), 1)}
    assert set(re.findall(r"^Lesson: \[(.*?)\]\(", THEORY, re.M)) == titles


def test_every_page_is_in_a_part_of_the_site() -> None:
    listed = {"docs/index.md"}
    for page in DOCS:
        text = (ROOT / page).read_text(encoding="utf-8")
        for names in re.findall(r"^```{toctree}\n(?::.*\n)*((?:.+\n)*?)```$", text, re.M):
            listed |= {str(Path(page).parent / f"{name}.md") for name in names.split()}
    assert listed == set(DOCS)


def public_functions() -> list[Any]:
    names = [found.name for found in pkgutil.walk_packages(novikoff.__path__, "novikoff.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    found = []
    for module in modules:
        for name, thing in vars(module).items():
            here = getattr(thing, "__module__", "").startswith("novikoff")
            if here and not name.startswith("_") and callable(thing):
                found.append(thing)
                if inspect.isclass(thing):
                    found += [
                        member
                        for key, member in vars(thing).items()
                        if inspect.isfunction(member) and not key.startswith("_")
                    ]
    return found


def test_every_public_function_is_documented_and_typed() -> None:
    functions = public_functions()
    assert len(functions) > 80
    for thing in functions:
        assert (thing.__doc__ or "").strip(), f"{thing.__qualname__} has no docstring"
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, thing.__qualname__


def run_script(path: str, target: Path) -> str:
    subprocess.run([sys.executable, str(ROOT / path), str(target)], check=True)
    return target.read_text(encoding="utf-8")


def test_the_picture_is_what_its_script_draws(tmp_path: Path) -> None:
    drawn = run_script("docs/make_picture.py", tmp_path / "sandwich.svg")
    assert drawn == (ROOT / "docs" / "sandwich.svg").read_text(encoding="utf-8")


def test_the_type_stubs_are_those_of_the_compiled_module(tmp_path: Path) -> None:
    made = run_script("tools/make_stubs.py", tmp_path / "_core.pyi")
    assert made == Path(novikoff.__file__).with_name("_core.pyi").read_text(encoding="utf-8")


def test_every_page_of_a_command_is_in_a_chapter() -> None:
    quoted = {page for pages in make_pages.CHAPTERS.values() for page in pages}
    pages = {page for page in DOCS if page.startswith("docs/commands/")}
    assert pages - {"docs/commands/index.md"} < quoted


@pytest.mark.skipif(
    not all(map(shutil.which, ("cmp", "curl", "dd", "head", "tail"))),
    reason="a page uses these tools",
)
@pytest.mark.parametrize("chapter", make_pages.CHAPTERS)
def test_the_pages_quote_what_the_commands_print(
    chapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("COLUMNS", "40"), ("FORCE_COLOR", "1"), ("TERMINAL_WIDTH", "50")):
        monkeypatch.setenv(name, value)
    for page, now in make_pages.chapter(chapter).items():
        kept = (ROOT / page).read_text(encoding="utf-8")
        assert now == kept, f"{page} is stale: make pages"
