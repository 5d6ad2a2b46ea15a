"""How Sphinx builds the site from these pages: make docs."""

from __future__ import annotations

import sys
from pathlib import Path

import novikoff

HERE = Path(__file__).parent
STATIC = Path(novikoff.__file__).parent / "show" / "web" / "static"

project = "novikoff"
author = "The novikoff contributors"
version = release = novikoff.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
default_role = "code"  # a docstring marks code with single backquotes
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = [
    "myst.xref_missing"
]  # files of the repository; tests/test_docs.py checks links
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_typehints = "signature"
napoleon_numpy_docstring = True
napoleon_google_docstring = False

html_theme = "pydata_sphinx_theme"
html_title = f"novikoff {version}"
html_logo = str(STATIC / "icon.svg")
html_favicon = str(STATIC / "icon.svg")
# the page that checks a certificate, as novikoff web serves it
html_extra_path = [
    str(STATIC / name)
    for name in ("check.html", "check.js", "read.js", "check-page.js", "style.css", "icon.svg")
]
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "show_nav_level": 1,
    "header_links_before_dropdown": 6,
    "footer_end": [],
}
sys.path.insert(0, str(HERE))
