"""HTML put together from parts, in which whatever is not HTML already is escaped.

The page itself: what is known, section by section, in one file that needs no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

from novikoff import __version__
from novikoff.show.report import sections as runs
from novikoff.show.report import sections as verdicts
from novikoff.show.report.figures import Figure, figures
from novikoff.show.report.gathering import Known
from novikoff.show.report.html import Html, facts, table, tag
from novikoff.stream.format import count, cut, percent, size, some, upwards

TOP, LISTED = 15, 20
_FILES = 20


def page(known: Known, *, top: int = TOP, mistakes: int = LISTED) -> str:
    """The report as one HTML file: no script, no network, figures and style inside.

    Parameters
    ----------
    top
        How many weights to list for each label.
    mistakes
        How many mistakes to list.
    """
    drawn = list(figures(known))
    sections: list[tuple[str, str, str, Iterable[Html]]] = [
        ("data", "Data", "The data", data(known)),
        ("verdict", "Verdict", "Are they separable?", verdicts.verdict(known)),
        ("run", "Run", "What the perceptron did", runs.run(known)),
        ("figures", "Figures", "Figures", map(_figure, drawn)),
        ("unseen", "New rows", "What to expect of new rows", runs.unseen(known)),
        ("weights", "Weights", "The weights by name", runs.weights(known, top)),
        ("mistakes", "Mistakes", "The mistakes", runs.mistakes(known, mistakes)),
        ("again", "Again", "How to make this again", again(known)),
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
        tag("header", tag("h1", title), in_short(known)),
        tag("nav", *(tag("a", short, href=f"#{name}") for name, short, _, _ in sections)),
        tag("main", *(_section(name, long, parts) for name, _, long, parts in sections)),
        tag("footer", tag("p", f"Made by novikoff {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _section(name: str, heading: str, parts: Iterable[Html]) -> Html:
    return tag("section", tag("h2", heading), *parts, id=name)


def _figure(drawn: Figure) -> Html:
    caption = tag("figcaption", tag("b", f"{drawn.title}. "), drawn.caption)
    return tag("figure", drawn.svg, caption, id=f"figure-{drawn.name}")


def in_short(known: Known) -> Html:
    """The report in a few lines."""
    block, trial = known.data.block, known.trial
    lines: list[tuple[object, object]] = [
        ("Data", f"{some(len(block), 'row')}, {some(block.rows.dim, 'column')}; {_labels(known)}"),
        ("Separable?", verdicts.headline(known)),
        ("Perceptron", runs.ended(known)),
    ]
    if trial is not None:
        lines.append(
            (
                "On rows held out",
                f"the average of its weights is right on "
                f"{percent(trial.right['average'], len(trial.test))}; always saying the commoner "
                f"label would be on {percent(trial.majority, len(trial.test))}",
            )
        )
    if known.risk is not None and known.risk.value < 0.5:
        lines.append(
            (
                "On new rows",
                f"the weights of its first pass err on at most {upwards(known.risk.value)} on "
                "average, with 95% confidence, if the rows are a random sample",
            )
        )
    return tag("div", facts(lines), class_="short")


def data(known: Known) -> Iterator[Html]:
    """What the data are."""
    block, origin = known.data.block, known.origin
    stored = int((block.rows.values != 0).sum())
    cells = len(block) * block.rows.dim
    about: list[tuple[object, object]] = []
    if origin.given:
        about.append(
            (
                "Read from",
                ", ".join("the standard input" if one == "-" else one for one in origin.given),
            )
        )
        about.append(("Format", origin.format or "told from the first bytes"))
    constant = ", and a constant 1 so that the hyperplane may miss the origin"
    columns = f"{count(block.rows.dim)}{constant if known.settings.bias else ''}"
    if known.data.names is None:
        columns += "; they have no names and count from 0 (svmlight usually counts from 1)"
    about += [
        ("Rows", count(len(block))),
        ("Columns", columns),
        ("Values that are not 0", f"{count(stored)} of {count(cells)}, {percent(stored, cells)}"),
        *([] if known.data.label is None else [("Label", _label_column(known))]),
        ("Missing or left out", "nothing: a value or a line that cannot be read is refused"),
    ]
    yield facts(about)
    n = len(block)
    each = [(int((block.labels == sign).sum()), sign) for sign in (-1, 1)]
    yield table(
        ["label", "sign", "rows", "share"],
        [(known.label(s), "+" if s > 0 else "−", count(k), percent(k, n)) for k, s in each],
        left=(0, 1),
    )


def _label_column(known: Known) -> str:
    column = known.data.label or ""
    return f"column {column}" if known.data.names is None else column


def _labels(known: Known) -> str:
    counts = [(int((known.data.block.labels == s).sum()), known.label(s)) for s in (1, -1)]
    return " and ".join(f"{count(n)} labelled {cut(name)}" for n, name in counts)


def again(known: Known) -> Iterator[Html]:
    """How to reproduce the report."""
    origin = known.origin
    if origin.command:
        yield tag("pre", origin.command)
    yield facts(
        [
            ("Version", f"novikoff {__version__}"),
            ("Seed", f"{known.settings.seed}: it draws the order of the rows and those held out"),
        ]
    )
    if origin.files:
        shown = [
            (one.name, size(one.size), tag("code", one.sha256)) for one in origin.files[:_FILES]
        ]
        yield table(["file", "size", "SHA-256"], shown, left=(0, 2))
        if (left := len(origin.files) - _FILES) > 0:
            yield tag("p", f"… and {count(left)} more.", class_="more")
    else:
        yield tag(
            "p", "The bytes were not kept; the fingerprint above tells the data from any others."
        )
    yield tag(
        "p",
        "The same data, version and options give the same page"
        + (
            ", unless the certificate runs out of time on a slower machine."
            if known.settings.max_seconds < float("inf")
            else "."
        ),
    )
