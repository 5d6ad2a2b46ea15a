"""The page of a report: its sections and figures in one HTML file."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from novikoff import __version__
from novikoff.show.report import sections
from novikoff.show.report.figures import Figure, figures
from novikoff.show.report.gathering import Known
from novikoff.show.report.html import Html, tag


def page(known: Known, *, top: int = 15, mistakes: int = 20) -> str:
    """The report as one HTML file: no script, no network, figures and style inside.

    Parameters
    ----------
    top
        How many weights to list for each label.
    mistakes
        How many mistakes to list.
    """
    parts: list[tuple[str, str, str, Iterable[Html]]] = [
        ("data", "Data", "The data", sections.data(known)),
        ("verdict", "Verdict", "Are they separable?", sections.verdict(known)),
        ("run", "Run", "What the perceptron did", sections.run(known)),
        ("figures", "Figures", "Figures", map(_drawn, figures(known))),
        ("unseen", "New rows", "What to expect on new rows", sections.new_rows(known)),
        ("weights", "Weights", "The weights by name", sections.weights(known, top)),
        ("mistakes", "Mistakes", "The mistakes", sections.mistakes(known, mistakes)),
        ("reproduce", "Reproduce", "How to reproduce this page", sections.reproduce(known)),
    ]
    title = f"Report on {known.origin.title}"
    style = (files("novikoff.show.report") / "style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", title), sections.summary(known)),
        tag("nav", *(tag("a", short, href=f"#{name}") for name, short, _, _ in parts)),
        tag(
            "main",
            *(
                tag("section", tag("h2", heading), *inside, id=name)
                for name, _, heading, inside in parts
            ),
        ),
        tag("footer", tag("p", f"Made by novikoff {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _drawn(figure: Figure) -> Html:
    caption = tag("figcaption", tag("b", f"{figure.title}. "), figure.caption)
    return tag("figure", figure.svg(), caption, id=f"figure-{figure.name}")
