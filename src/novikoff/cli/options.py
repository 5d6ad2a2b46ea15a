"""Options that the verbs share about what is read and how."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

from novikoff.cli.arguments import Argument, Option
from novikoff.cli.common import fail

if TYPE_CHECKING:
    from novikoff.sources import Reading


class FileFormat(StrEnum):
    """The formats that `sources` knows."""

    SVMLIGHT = "svmlight"
    VW = "vw"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"
    NPZ = "npz"


class MissingRule(StrEnum):
    """What becomes of a missing value."""

    REFUSE = "refuse"
    ZERO = "zero"
    INDICATE = "indicate"


DataFiles: TypeAlias = Annotated[
    list[str],
    Argument(
        metavar="DATA",
        help="Files, directories or patterns, compressed or not; - is stdin.",
    ),
]
DataFile: TypeAlias = Annotated[
    str,
    Argument(metavar="DATA", help="A file, directory or pattern, compressed or not; - is stdin."),
]
LABEL_HELP = "Tables: where the labels are, a name or a position from 0; JSON lines: their key."
ZeroBased: TypeAlias = Annotated[
    bool,
    Option("--zero-based", help="svmlight: its indices count from 0, though none is 0."),
]
Format: TypeAlias = Annotated[
    FileFormat | None,
    Option(help="By default told from the first file's name, or its first bytes."),
]
Label: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="COLUMN",
        help=LABEL_HELP,
        show_default="the last column, the key 'label'",
    ),
]
Missing: TypeAlias = Annotated[
    MissingRule,
    Option(
        help="A missing value is an error, counts as 0, or is a feature of its own.",
    ),
]
Ignore: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="COLUMN", help="Tables: leave this column out. May be repeated."),
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="COLUMN", help="Tables: the numbers in this column are names. May be repeated."),
]
SkipBad: TypeAlias = Annotated[
    int, Option(metavar="N", min=0, help="Pass over up to so many lines that cannot be read.")
]
Threads: TypeAlias = Annotated[
    int, Option(metavar="N", min=0, help="How many threads parse; the result is the same.")
]


def reading(
    format: FileFormat | None,
    label: str | None,
    missing: MissingRule,
    ignore: list[str] | None,
    categorical: list[str] | None,
    skip_bad: int,
    threads: int,
    *,
    labelled: bool = True,
) -> Reading:
    """How to read, as the command line says it."""
    from novikoff.sources import Reading

    return Reading(
        None if format is None else format.value,
        label,
        labelled=labelled,
        missing=missing.value,
        ignore=tuple(ignore or ()),
        categorical=tuple(categorical or ()),
        skip_bad=skip_bad,
        threads=threads,
    )


def labels_named(classes: str | None, *, multiclass: bool) -> tuple[str, ...] | None:
    """`ham,spam` as labels: two, or with `multiclass` any number."""
    if not multiclass:
        return two(classes)
    names = None if classes is None else tuple(classes.split(","))
    if names is not None and (not all(names) or len(set(names)) < len(names)):
        fail(f"--classes {classes!r} is not A,B,C: different labels")
    return names


def two(classes: str | None) -> tuple[str, str] | None:
    """`ham,spam` as two labels."""
    if classes is None:
        return None
    negative, mark, positive = classes.partition(",")
    if not (mark and negative and positive and negative != positive):
        fail(f"--classes {classes!r} is not NEG,POS: two different labels")
    return negative, positive
