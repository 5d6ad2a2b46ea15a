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

SEED = Option("Random seed.", min=0)
VARIABLES = Option("Number of variables.", "-n", "--variables", min=1)
POINTS = Option("Number of points.", min=1)
FEATURES = Option("Number of features.", "--features", min=1)
EXAMPLES = Option("Number of random examples.", min=1)
DENSITY = Option("Probability that a variable is true in a random example.", min=0, max=1)
FORMULA = Option("The hidden conjunction.", metavar="FORMULA", default="x2 & x3 & x4 & x5 & x100")


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
            "k": Option("Variables in the conjunction.", "-k", min=1),
            "rounds": EXAMPLES,
            "seed": SEED,
        },
    ),
    "attribute-efficiency": Experiment(
        "Perceptron, Winnow and elimination with a million attributes, five of them relevant.",
        {
            "largest": Option(
                "Largest number of attributes tried.", "-n", "--largest", min=100, max=10**7
            ),
            "k": Option("Number of relevant attributes.", "-k", min=1, max=50),
            "examples": Option("Number of examples.", min=1),
            "seed": SEED,
        },
    ),
    "mistake-bounds": Experiment(
        "Each learner on its hardest sequence: how close its mistakes come to the bound.",
        {"n": Option("Number of variables: 4, 8 or 16.", "-n", "--variables")},
    ),
    "xor": Experiment(
        "Parity: proof that no perceptron represents it, and two remedies.",
        {
            "largest": Option(
                "Largest number of variables tried.", "-n", "--largest", min=2, max=8
            ),
            "seed": SEED,
        },
    ),
    "learning-rate": Experiment(
        "From w = 0 the learning rate does not change the mistakes; otherwise it does.",
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
    as_json: Annotated[bool, Option("Print everything as JSON.", "--json")] = False,
    as_csv: Annotated[bool, Option("Print the table as CSV.", "--csv")] = False,
    plot: Annotated[Path | None, Option("Draw a figure: .png, .svg or .pdf.")] = None,
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
