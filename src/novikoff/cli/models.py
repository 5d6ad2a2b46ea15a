"""What the verbs that use a model share: loading it, and saying what was passed over."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias

from novikoff.cli.arguments import Argument

if TYPE_CHECKING:
    from novikoff.chunks import Source
    from novikoff.model import Model

ModelFile: TypeAlias = Annotated[
    str, Argument(metavar="MODEL", help="What `novikoff train -o MODEL` wrote.")
]


def load(path: str) -> Model:
    """The model; if its run is unfinished, that is said."""
    from novikoff.model import Model

    model = Model.load(path)
    if model.unfinished is not None:
        made = model.unfinished["passes_made"]
        passes = "a pass" if made == 1 else f"{made:,} passes"
        print(
            f"novikoff: {path}: unfinished, stopped after {passes} and "
            f"{model.unfinished['position']:,} examples; used as it is",
            file=sys.stderr,
        )
    return model


def said_of_labels(model: Model, most: int, *, what: str = "label") -> str:
    """Which labels there are: of two, which is which; of many, how many, and the first."""
    if not model.is_joint:
        negative, positive = model.classes
        return f"{positive} is +1, {negative} is -1"
    count, more = len(model.classes), len(model.classes) - most
    listed = ", ".join(model.classes[:most]) + (f" and {more:,} more" if more > 0 else "")
    noun = f" {what}{'s' * (count != 1)}" if what else ""
    return f"{count:,}{noun}: {listed}"


def say_skipped(source: Source) -> None:
    """How many bad lines were passed over, and the first of them."""
    skipped = source.skipped
    if skipped:
        many = f"{len(skipped):,} bad lines were" if len(skipped) > 1 else "a bad line was"
        print(f"novikoff: {many} skipped; the first: {skipped[0]}", file=sys.stderr)


def say_idle_products(model: Model) -> None:
    """Which products of fields no example had: a name may be misspelt."""
    for left, right in sorted(model.features.idle_products):
        print(
            f"novikoff: --interactions {left}*{right}: no example has features of both fields",
            file=sys.stderr,
        )


def say_left_out(model: Model) -> None:
    """How many features the model had no weight for; and whether indices seem to be shifted."""
    if model.features.met_zero:
        print(
            "novikoff: there is an index 0, and none where the model was trained: "
            "do both count from the same?",
            file=sys.stderr,
        )
    if count := model.features.left_out:
        words = f"{count:,} features" if count > 1 else "a feature"
        were = "were" if count > 1 else "was"
        print(f"novikoff: {words} that the model has not met {were} left out", file=sys.stderr)
