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
        made, passes = model.unfinished["passes_made"], model.unfinished["passes"]
        print(
            f"novikoff: {path}: unfinished, {made} of {passes} passes made; used as it is",
            file=sys.stderr,
        )
    return model


def say_skipped(source: Source) -> None:
    """How many bad lines were passed over, and the first of them."""
    skipped = source.skipped
    if skipped:
        many = f"{len(skipped):,} bad lines were" if len(skipped) > 1 else "a bad line was"
        print(f"novikoff: {many} skipped; the first: {skipped[0]}", file=sys.stderr)


def say_left_out(model: Model) -> None:
    """How many features the model had no weight for."""
    if count := model.features.left_out:
        values = "values were of features" if count > 1 else "value was of a feature"
        print(
            f"novikoff: {count:,} {values} that the model has not met, and left out",
            file=sys.stderr,
        )
