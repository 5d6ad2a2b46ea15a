"""How Sphinx builds the site from these pages: make docs."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import rmtree
from typing import Any
from urllib.parse import unquote, urlsplit

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers
from sphinx.util.logging import getLogger

import novikoff
from novikoff.show.web.lessons import export

STATIC = Path(novikoff.__file__).parent / "show" / "web" / "static"

project = "novikoff"
author = "The novikoff contributors"
version = release = novikoff.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
lexers["csv"] = TextLexer()
default_role = "code"  # a docstring marks code with single backquotes
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = [
    "myst.xref_missing"
]  # files of the repository; tests/test_docs.py checks links
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = f"novikoff {version}"
html_logo = str(STATIC / "icon.svg")
html_favicon = str(STATIC / "icon.svg")
# the page that checks a certificate, as novikoff web serves it
html_extra_path = [
    str(STATIC / name)
    for name in ("check.html", "check.js", "read.js", "check-page.js", "style.css", "icon.svg")
]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "novikoff"},
    "pygments_dark_style": "github-dark",
    "navbar_align": "left",
    "show_nav_level": 1,
    "header_links_before_dropdown": 6,
    "footer_end": [],
}


# How the site shows what a point of the theory names: its lessons can be played, its tests unfold.
_LESSON = re.compile(r"^Lesson: \[(?P<title>(?P<number>\d+)\. .*)\]\((?P<link>.*)\)$", re.M)
_PLAYED = """\
<details class="lesson"><summary>Lesson {title}</summary>
<iframe src="../lessons/index.html?embed=1#/lesson/{number}" title="Lesson {title}"
loading="lazy"></iframe>

[For teachers]({link})

</details>"""
_TESTS = re.compile(r"^Tests: (.*?)(?=\n\n|\n*\Z)", re.M | re.S)
_FOLDED = '\n<details class="tests"><summary>Tests</summary>\n\n{}\n\n</details>'


def unfold(_app: Any, name: str, text: list[str]) -> None:
    """Embed the lessons in the pages of the theory, and fold the names of the tests."""
    if name.startswith("theory/"):
        embedded = _LESSON.sub(lambda found: _PLAYED.format(**found.groupdict()), text[0])
        apart = embedded.replace("\nShown by: ", "\n\nShown by: ")
        text[0] = _TESTS.sub(lambda found: _FOLDED.format(found[1]), apart)


def add_lessons(app: Any, _error: Exception | None) -> None:
    """Put the lessons, with their recorded runs, beside the pages."""
    rmtree(app.outdir / "lessons", ignore_errors=True)
    export(app.outdir / "lessons")


# The theme's rules for light and dark name an attribute that its script sets.
_COLOURS = re.compile(r'(?<=[{}])[^{}]*html\[data-theme="?(light|dark)"?\][^{}]*\{[^{}]*\}')


def colour_without_script(app: Any, error: Exception | None) -> None:
    """Write the theme's colours once more, for browsers that run no scripts."""
    if error is not None:
        return
    static = Path(app.outdir) / "_static"
    sheets = [static / "styles" / "pydata-sphinx-theme.css", static / "pygments.css"]
    text = "}".join(["", *(sheet.read_text(encoding="utf-8") for sheet in sheets)])
    with (static / "without-script.css").open("w", encoding="utf-8") as file:
        for found in filter(lambda found: "only-" not in found[0], _COLOURS.finditer(text)):
            rule = re.sub(r'data-theme="?(light|dark)"?', "data-theme=auto", found[0])
            print(f"@media (prefers-color-scheme: {found[1]}) {{ {rule} }}", file=file)


def check_links(app: Any, error: Exception | None) -> None:
    """Warn of links within the site that lead nowhere; make docs fails on a warning."""
    pages = {
        path: path.read_text(encoding="utf-8")
        for path in Path(app.outdir).rglob("*.html")
        if not path.is_relative_to(app.outdir / "_static") and error is None
    }
    anchors = {path: set(re.findall(r'\sid="([^"]*)"', text)) for path, text in pages.items()}
    for page, text in pages.items():
        for link in set(re.findall(r'\s(?:href|src)="([^"]*)"', text)):
            parts = urlsplit(link.replace("&amp;", "&"))
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = anchors.get(target, {parts.fragment}) | {""}
            played = parts.fragment.startswith("/")  # a lesson, which the page itself finds
            found = target.exists() and (played or unquote(parts.fragment) in known)
            if not (parts.scheme or found):
                getLogger(__name__).warning("%s links to %s", page.relative_to(app.outdir), link)


def leave_out(_app: Any, _what: str, _name: str, member: Any, skip: bool, _options: Any) -> bool:
    """Whether a member is not shown: what scikit-learn adds to every estimator."""
    return skip or (getattr(member, "__module__", None) or "").startswith("sklearn")


def mark_attributes(_app: Any, _what: str, _n: str, _o: Any, _opt: Any, lines: list[str]) -> None:
    """Names like coef_ are not links."""
    lines[:] = [re.sub(r"(?<![`\w])([a-z]\w*)_(?![`\w])", r"\1\\_", line) for line in lines]


def setup(app: Any) -> None:
    """Connect all of these."""
    app.connect("source-read", unfold)
    app.connect("build-finished", add_lessons, priority=500)
    app.connect("build-finished", colour_without_script, priority=600)
    app.connect("build-finished", check_links, priority=700)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-docstring", mark_attributes, priority=400)
