"""`novikoff lab`: named experiments, each a theorem shown on examples."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from novikoff.cli.main import Option, parser_of
from novikoff.cli.options import fail, one_line_errors, refuse_what_cannot_be_written
from novikoff.show.lab.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Seed = Annotated[int, Option(min=0, help="Draws what is random.")]
Variables = Annotated[int, Option("-n", "--variables", min=1, help="How many variables.")]
Points = Annotated[int, Option(min=1, help="How many points.")]
Features = Annotated[int, Option("--features", min=1, help="How many features a point has.")]


def conjunctions(
    target: Annotated[
        str, Option(metavar="FORMULA", help="The hidden conjunction.")
    ] = "x2 & x3 & x4 & x5 & x100",
    n: Variables = 100,
    rounds: Annotated[int, Option(min=1, help="How many examples nature draws.")] = 1000,
    density: Annotated[
        float, Option(min=0, max=1, help="How likely an attribute is on in nature's examples.")
    ] = 0.9,
    seed: Seed = 0,
) -> Result:
    """Three ways to be taught one hidden conjunction: by asking, by a teacher, by nature."""
    from novikoff.show.lab.conjunctions import conjunctions

    return conjunctions(target, n=n, rounds=rounds, density=density, seed=seed)


def halving(
    n: Variables = 100,
    k: Annotated[int, Option("-k", min=1, help="How many variables a concept has.")] = 5,
    rounds: Annotated[int, Option(min=1, help="How many examples are drawn.")] = 200,
    seed: Seed = 0,
) -> Result:
    """Halving over the 75,287,520 monotone 5-conjunctions of 100 variables."""
    from novikoff.show.lab.halving import halving

    return halving(n=n, k=k, rounds=rounds, seed=seed)


def attribute_efficiency(
    largest: Annotated[
        int,
        Option("-n", "--largest", min=100, max=10_000_000, help="The most attributes tried."),
    ] = 1_000_000,
    k: Annotated[int, Option("-k", min=1, max=50, help="How many of them are relevant.")] = 5,
    examples: Annotated[int, Option(min=1, help="How many examples are met.")] = 1_000,
    seed: Seed = 0,
) -> Result:
    """Perceptron, Winnow, elimination: a million attributes, five of them relevant."""
    from novikoff.show.lab.attribute_efficiency import attribute_efficiency

    return attribute_efficiency(largest=largest, k=k, examples=examples, seed=seed)


def mistake_bounds(
    n: Annotated[int, Option("-n", "--variables", help="How many variables: 4, 8 or 16.")] = 16,
) -> Result:
    """Every learner against a sequence hard for it: the bound, and how near that comes."""
    from novikoff.show.lab.mistake_bounds import mistake_bounds

    return mistake_bounds(n=n)


def xor(
    largest: Annotated[
        int, Option("-n", "--largest", min=2, max=8, help="The most variables tried.")
    ] = 5,
    seed: Seed = 0,
) -> Result:
    """Parities: the proof that no perceptron represents them, and two ways around."""
    from novikoff.show.lab.xor import xor

    return xor(largest=largest, seed=seed)


def learning_rate(points: Points = 2000, dim: Features = 5, seed: Seed = 0) -> Result:
    """The learning rate changes no mistake from w = 0, and does from elsewhere."""
    from novikoff.show.lab.learning_rate import learning_rate

    return learning_rate(points=points, dim=dim, seed=seed)


def margin(points: Points = 500, dim: Features = 5, seed: Seed = 0) -> Result:
    """The margin perceptron: what a larger η costs in updates and buys in margin."""
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


def lab(words: Sequence[str]) -> None:
    """Run the experiment that the words name; list them all when there are none."""
    if not words or words[0] in ("-h", "--help"):
        print(_listing())
        return
    name, *rest = words
    if name not in EXPERIMENTS:
        fail(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    epilog = f"Example: novikoff lab {name} --json"
    parser = parser_of(EXPERIMENTS[name], name=f"lab {name}", epilog=epilog, common=show)
    options = vars(parser.parse_args(rest))
    shown = {key: options.pop(key) for key in ("as_json", "as_csv", "plot")}
    show(lambda: EXPERIMENTS[name](**options), **shown)


def _listing() -> str:
    lines = [
        "usage: novikoff lab EXPERIMENT [options]",
        "",
        "Experiments: each shows a theorem on examples, beside what it promises.",
        "",
        *(f"  {name:21} {(f.__doc__ or '').splitlines()[0]}" for name, f in EXPERIMENTS.items()),
        "",
        "Each prints a table, and for every claim the bound, what was seen, and whether it holds;",
        "--json and --csv are for programs, --plot FILE draws a figure. Exit status: 0 when every",
        "claim holds, 1 when one does not, 2 when it was called wrongly.",
        "",
        "Example: novikoff lab conjunctions",
    ]
    return "\n".join(lines)


def show(
    experiment: Callable[[], Any],
    *,
    as_json: Annotated[bool, Option("--json", help="Print all of it as JSON.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="Print the table as CSV.")] = False,
    plot: Annotated[
        Path | None, Option(metavar="FILE", help="Draw a figure: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Run an experiment and print what it found; status 1 unless every claim holds."""
    if as_json and as_csv:
        fail("--json and --csv cannot both be printed; say one of them")
    with one_line_errors("novikoff lab"):
        ax = None if plot is None else axes_for(plot)
        try:
            result = experiment()
        except ValueError as error:
            fail(str(error))
    with one_line_errors("standard output"):
        text = json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if as_json else result
        print(result.to_csv() if as_csv else text, end="" if as_csv else "\n", flush=True)
    if plot is not None:
        from novikoff.show import plots

        with one_line_errors(str(plot)):
            plots.save(plots.experiment(result, ax=ax), plot)
    if not result.holds:
        sys.exit(1)


def axes_for(path: Path) -> Axes:
    """Where to draw the figure; what would keep it from being written is said before the work."""
    from novikoff.show import plots

    refuse_what_cannot_be_written(path, [], "figure")
    try:
        plots.expect_format(path)
        return plots.new_axes()
    except (ValueError, ImportError) as error:
        fail(str(error))
