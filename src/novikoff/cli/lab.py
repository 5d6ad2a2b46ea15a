"""`novikoff lab`: named experiments, each a theorem shown on examples."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from novikoff.cli.arguments import Option, Parser
from novikoff.cli.errors import fail, rejecting_settings, show
from novikoff.cli.options import axes_for
from novikoff.show.lab import EXPERIMENTS, Result

OPTIONS = {  # of each parameter of an experiment that is an option
    "target": Option(
        "The hidden conjunction.", metavar="FORMULA", default="x2 & x3 & x4 & x5 & x100"
    ),
    "n": Option("Number of variables.", "-n", "--variables", min=1, max=10**6),
    "k": Option("Number of relevant variables.", "-k", min=1),
    "largest": Option("Largest number of variables tried.", "-n", "--largest", min=1),
    "rounds": Option("Number of random examples.", min=1, max=10**9),
    "examples": Option("Number of random examples.", min=1, max=10**9),
    "points": Option("Number of points.", min=1, max=10**9),
    "dim": Option("Number of features.", "--features", min=1, max=10**6),
    "density": Option("Probability that a variable is true in a random example.", min=0, max=1),
    "seed": Option("Random seed.", min=0),
}


def experiment(words: Sequence[str]) -> tuple[Callable[..., None], Parser, list[str]]:
    """The experiment named by the words, its parser and its words; without words, list them all."""
    if not words or words[0] in ("-h", "--help"):
        show(listing())
        sys.exit(0)
    name, *rest = words
    if name not in EXPERIMENTS:
        fail(f"there is no experiment {name!r}; the experiments are {', '.join(EXPERIMENTS)}")
    function = EXPERIMENTS[name]
    parser = Parser(
        [function, run],
        name=f"lab {name}",
        example="--json",
        help=summary(function),
        options=OPTIONS,
    )
    return partial(run, function), parser, rest


def summary(function: Callable[..., Result]) -> str:
    """The first line of an experiment's docstring."""
    return (function.__doc__ or "").partition("\n")[0]


def listing() -> str:
    """What `novikoff lab` prints."""
    lines = [
        "usage: novikoff lab EXPERIMENT [options]",
        "",
        "Experiments that show what a theorem promises beside what happens.",
        "",
        *(f"  {name:21} {summary(function)}" for name, function in EXPERIMENTS.items()),
        "",
        "Each prints a table, and for every claim the bound, the observed value, and whether the",
        "claim holds. --json and --csv are for programs; --plot FILE draws a figure.",
        "",
        "Exit status: 0 every claim holds, 1 a claim fails, 2 bad usage.",
        "",
        "Example: novikoff lab conjunctions",
    ]
    return "\n".join(lines)


def run(
    experiment: Callable[..., Result],
    *,
    as_json: Annotated[bool, Option("Print everything as JSON.", "--json")] = False,
    as_csv: Annotated[bool, Option("Print the table as CSV.", "--csv")] = False,
    plot: Annotated[Path | None, Option("Draw a figure: .png, .svg or .pdf.")] = None,
    **options: Any,
) -> None:
    """Run an experiment and print what it found; status 1 unless every claim holds."""
    if as_json and as_csv:
        fail("choose one of --json and --csv")
    ax = None if plot is None else axes_for(plot)
    with rejecting_settings():
        result = experiment(**options)
    if as_csv:
        show(result.to_csv(), end="")
    elif as_json:
        show(json.dumps(result.to_dict(), indent=1, ensure_ascii=False))
    else:
        show(str(result))
    if plot is not None:
        from novikoff.show import plots

        plots.save(plots.experiment(result, ax=ax), plot)
    if not result.holds:
        sys.exit(1)
