"""`novikoff lab`: named experiments, each a theorem shown on examples."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from novikoff.cli.arguments import Parser
from novikoff.cli.errors import fail, rejecting_settings, show
from novikoff.cli.options import axes_for
from novikoff.show.lab import EXPERIMENTS, Result

OPTIONS = """
--target FORMULA        The hidden conjunction. [x2 & x3 & x4 & x5 & x100]
n = -n, --variables 1<=N<=1000000  Number of variables.
-k 1<=N                 Number of relevant variables.
-n, --largest 1<=N      Largest number of variables tried.
--rounds 1<=N<=1000000000  Number of random examples.
--examples 1<=N<=1000000000  Number of random examples.
--points 1<=N<=1000000000  Number of points.
dim = --features 1<=N<=1000000  Number of features.
--density 0<=X<=1       Probability that a variable is true in a random example.
--seed 0<=N             Random seed.
as_json = --json        Print everything as JSON.
as_csv = --csv          Print the table as CSV.
--plot                  Draw a figure: .png, .svg or .pdf.
"""


def experiment(words: Sequence[str]) -> tuple[Callable[..., None], Parser, list[str]]:
    """The experiment named by the words, its parser and its words; without words, list them all."""
    if not words or words[0] in ("-h", "--help"):
        show(listing())
        sys.exit(0)
    name, *rest = words
    if name not in EXPERIMENTS:
        fail(f"there is no experiment {name!r}; the experiments are {', '.join(EXPERIMENTS)}")
    function = EXPERIMENTS[name]
    about = summary(function)
    parser = Parser([function, run], OPTIONS, name=f"lab {name}", example="--json", help=about)
    return partial(run, function), parser, rest


def summary(function: Callable[..., Result]) -> str:
    """The first line of an experiment's docstring."""
    return (function.__doc__ or "").partition("\n")[0]


def listing() -> str:
    """What `novikoff lab` prints."""
    lines = [
        "usage: novikoff lab EXPERIMENT [options]",
        "",
        "Run an experiment that compares what a theorem promises with what happens.",
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
    as_json: bool = False,
    as_csv: bool = False,
    plot: Path | None = None,
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
        named = {"experiment": experiment.__name__.replace("_", "-"), **result.to_dict()}
        show(json.dumps(named, indent=1, ensure_ascii=False))
    else:
        show(str(result))
    if plot is not None:
        from novikoff.show import plots

        plots.save(plots.experiment(result, ax=ax), plot)
    if not result.holds:
        sys.exit(1)
