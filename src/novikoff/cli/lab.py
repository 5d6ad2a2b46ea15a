"""`novikoff lab`: named experiments, each a theorem shown on examples."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from novikoff.cli.arguments import Option, Parser
from novikoff.cli.errors import fail, refusing_settings, show
from novikoff.cli.options import check_output
from novikoff.show import lab

SEED = Option(min=0, help="Random seed.")
VARIABLES = Option("-n", "--variables", min=1, help="Number of variables.")
POINTS = Option(min=1, help="Number of points.")
FEATURES = Option("--features", min=1, help="Number of features.")
EXAMPLES = Option(min=1, help="Number of random examples.")
DENSITY = Option(min=0, max=1, help="Probability that a variable is true in a random example.")
FORMULA = Option(
    metavar="FORMULA", help="The hidden conjunction.", show_default="x2 & x3 & x4 & x5 & x100"
)


class Experiment(NamedTuple):
    """What an experiment shows, and an option for each of its parameters."""

    summary: str
    options: dict[str, Option]


EXPERIMENTS = {
    "conjunctions": Experiment(
        "A hidden conjunction learned by asking, from a teacher, and from random examples.",
        {"target": FORMULA, "n": VARIABLES, "rounds": EXAMPLES, "density": DENSITY, "seed": SEED},
    ),
    "halving": Experiment(
        "Halving over the 75,287,520 monotone 5-conjunctions of 100 variables.",
        {
            "n": VARIABLES,
            "k": Option("-k", min=1, help="Variables in the conjunction."),
            "rounds": EXAMPLES,
            "seed": SEED,
        },
    ),
    "attribute-efficiency": Experiment(
        "Perceptron, Winnow and elimination with a million attributes, five of them relevant.",
        {
            "largest": Option(
                "-n", "--largest", min=100, max=10**7, help="Largest number of attributes tried."
            ),
            "k": Option("-k", min=1, max=50, help="Number of relevant attributes."),
            "examples": Option(min=1, help="Number of examples."),
            "seed": SEED,
        },
    ),
    "mistake-bounds": Experiment(
        "Each learner on its hardest sequence: how close its mistakes come to the bound.",
        {"n": Option("-n", "--variables", help="Number of variables: 4, 8 or 16.")},
    ),
    "xor": Experiment(
        "Parity: proof that no perceptron represents it, and two remedies.",
        {
            "largest": Option(
                "-n", "--largest", min=2, max=8, help="Largest number of variables tried."
            ),
            "seed": SEED,
        },
    ),
    "learning-rate": Experiment(
        "From w = 0 the learning rate changes no mistake; from other weights it does.",
        {"points": POINTS, "dim": FEATURES, "seed": SEED},
    ),
    "margin": Experiment(
        "The margin perceptron: a larger margin costs more updates.",
        {"points": POINTS, "dim": FEATURES, "seed": SEED},
    ),
}


def experiment(words: Sequence[str]) -> tuple[Callable[..., None], Parser, list[str]]:
    """The experiment named by the words, its parser and its words; without words, list them all."""
    if not words or words[0] in ("-h", "--help"):
        print(listing())
        sys.exit(0)
    name, *rest = words
    if name not in EXPERIMENTS:
        fail(f"there is no experiment {name!r}; the experiments are {', '.join(EXPERIMENTS)}")
    function, (summary, options) = lab.experiment(name), EXPERIMENTS[name]
    parser = Parser(
        [function, run], name=f"lab {name}", example="--json", help=summary, options=options
    )
    return partial(run, function), parser, rest


def listing() -> str:
    """What `novikoff lab` prints."""
    lines = [
        "usage: novikoff lab EXPERIMENT [options]",
        "",
        "Experiments that show what a theorem promises beside what happens.",
        "",
        *(f"  {name:21} {one.summary}" for name, one in EXPERIMENTS.items()),
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
    experiment: Callable[..., lab.Result],
    *,
    as_json: Annotated[bool, Option("--json", help="Print everything as JSON.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="Print the table as CSV.")] = False,
    plot: Annotated[
        Path | None, Option(metavar="FILE", help="Draw a figure: .png, .svg or .pdf.")
    ] = None,
    **options: Any,
) -> None:
    """Run an experiment and print what it found; status 1 unless every claim holds."""
    if as_json and as_csv:
        fail("choose one of --json and --csv")
    ax = None if plot is None else axes_for(plot)
    with refusing_settings():
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


def axes_for(path: Path) -> Any:
    """Where to draw the figure; fails before the work if the figure could not be written."""
    from novikoff.show import plots

    check_output(path, "figure")
    try:
        plots.expect_format(path)
        return plots.new_axes()
    except (ValueError, ImportError) as error:
        fail(str(error))
