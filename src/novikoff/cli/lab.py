"""`novikoff lab`: named experiments, each a theorem shown on examples."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from novikoff.cli.arguments import Option, Parser
from novikoff.cli.errors import fail, naming_stdout, refusing_settings
from novikoff.cli.options import check_output
from novikoff.show.lab.results import Result

Seed = Annotated[int, Option(min=0, help="Random seed.")]
Variables = Annotated[int, Option("-n", "--variables", min=1, help="Number of variables.")]
Points = Annotated[int, Option(min=1, help="Number of points.")]
Features = Annotated[int, Option("--features", min=1, help="Number of features.")]


def conjunctions(
    target: Annotated[
        str, Option(metavar="FORMULA", help="The hidden conjunction.")
    ] = "x2 & x3 & x4 & x5 & x100",
    n: Variables = 100,
    rounds: Annotated[int, Option(min=1, help="Number of random examples.")] = 1000,
    density: Annotated[
        float, Option(min=0, max=1, help="Probability that a variable is true in a random example.")
    ] = 0.9,
    seed: Seed = 0,
) -> Result:
    """A hidden conjunction learned by asking, from a teacher, and from random examples."""
    from novikoff.show.lab.conjunctions import conjunctions

    return conjunctions(target, n=n, rounds=rounds, density=density, seed=seed)


def halving(
    n: Variables = 100,
    k: Annotated[int, Option("-k", min=1, help="Variables in the conjunction.")] = 5,
    rounds: Annotated[int, Option(min=1, help="Number of random examples.")] = 200,
    seed: Seed = 0,
) -> Result:
    """Halving over the 75,287,520 monotone 5-conjunctions of 100 variables."""
    from novikoff.show.lab.halving import halving

    return halving(n=n, k=k, rounds=rounds, seed=seed)


def attribute_efficiency(
    largest: Annotated[
        int,
        Option(
            "-n", "--largest", min=100, max=10_000_000, help="Largest number of attributes tried."
        ),
    ] = 1_000_000,
    k: Annotated[int, Option("-k", min=1, max=50, help="Number of relevant attributes.")] = 5,
    examples: Annotated[int, Option(min=1, help="Number of examples.")] = 1_000,
    seed: Seed = 0,
) -> Result:
    """Perceptron, Winnow and elimination with a million attributes, five of them relevant."""
    from novikoff.show.lab.attribute_efficiency import attribute_efficiency

    return attribute_efficiency(largest=largest, k=k, examples=examples, seed=seed)


def mistake_bounds(
    n: Annotated[int, Option("-n", "--variables", help="Number of variables: 4, 8 or 16.")] = 16,
) -> Result:
    """Each learner on its hardest sequence: how close its mistakes come to the bound."""
    from novikoff.show.lab.mistake_bounds import mistake_bounds

    return mistake_bounds(n=n)


def xor(
    largest: Annotated[
        int, Option("-n", "--largest", min=2, max=8, help="Largest number of variables tried.")
    ] = 5,
    seed: Seed = 0,
) -> Result:
    """Parity: proof that no perceptron represents it, and two remedies."""
    from novikoff.show.lab.xor import xor

    return xor(largest=largest, seed=seed)


def learning_rate(points: Points = 2000, dim: Features = 5, seed: Seed = 0) -> Result:
    """From w = 0 the learning rate changes no mistake; from other weights it does."""
    from novikoff.show.lab.learning_rate import learning_rate

    return learning_rate(points=points, dim=dim, seed=seed)


def margin(points: Points = 500, dim: Features = 5, seed: Seed = 0) -> Result:
    """The margin perceptron: a larger margin costs more updates."""
    from novikoff.show.lab.margin import margin

    return margin(points=points, dim=dim, seed=seed)


EXPERIMENTS: dict[str, Callable[..., Result]] = {
    "conjunctions": conjunctions,
    "halving": halving,
    "attribute-efficiency": attribute_efficiency,
    "mistake-bounds": mistake_bounds,
    "xor": xor,
    "learning-rate": learning_rate,
    "margin": margin,
}


def experiment(words: Sequence[str]) -> tuple[Callable[..., None], Parser, list[str]]:
    """The experiment named by the words, its parser and its words; without words, list them all."""
    if not words or words[0] in ("-h", "--help"):
        print(listing())
        sys.exit(0)
    name, *rest = words
    if name not in EXPERIMENTS:
        fail(f"there is no experiment {name!r}; the experiments are {', '.join(EXPERIMENTS)}")
    parser = Parser(EXPERIMENTS[name], name=f"lab {name}", example="--json", common=run)
    return partial(run, EXPERIMENTS[name]), parser, rest


def listing() -> str:
    """What `novikoff lab` prints."""
    lines = [
        "usage: novikoff lab EXPERIMENT [options]",
        "",
        "Experiments that show what a theorem promises beside what happens.",
        "",
        *(f"  {name:21} {(f.__doc__ or '').splitlines()[0]}" for name, f in EXPERIMENTS.items()),
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
    with naming_stdout():
        text = json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if as_json else result
        print(result.to_csv() if as_csv else text, end="" if as_csv else "\n", flush=True)
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
