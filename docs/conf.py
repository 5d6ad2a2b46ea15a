"""How Sphinx builds the site from these pages: make docs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import novikoff

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
html_theme_options = {
    "navbar_align": "left",
    "show_nav_level": 1,
    "header_links_before_dropdown": 6,
    "footer_end": [],
}


def leave_out(_app: Any, _what: str, _name: str, member: Any, skip: bool, _options: Any) -> bool:
    """Whether a member is not shown: what scikit-learn adds to every estimator."""
    return skip or (getattr(member, "__module__", None) or "").startswith("sklearn")


def mark_attributes(_app: Any, _what: str, _n: str, _o: Any, _opt: Any, lines: list[str]) -> None:
    """Names like coef_ are not links."""
    lines[:] = [re.sub(r"(?<![`\w])([a-z]\w*)_(?![`\w])", r"\1\\_", line) for line in lines]


def setup(app: Any) -> None:
    """Connect the two."""
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-docstring", mark_attributes, priority=400)
