"""What the verbs share: errors of one line, progress where it can be seen.

Options that the verbs share about what is read and how.

What the verbs that use a model share: loading it, and saying what was passed over.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeAlias

from novikoff.cli.main import Argument, Option
from novikoff.storage.file_format import BadModel
from novikoff.stream.problems import BadExample

if TYPE_CHECKING:
    from novikoff.models.model import Model
    from novikoff.sources import Data, Reading
    from novikoff.sources.chunks import Source


def read(
    path: str,
    *,
    label: str | None,
    format: FileFormat | None,
    zero_based: bool,
    classes: tuple[str, str] | None = None,
) -> Data:
    """`sources.read` with what the command line gave."""
    from novikoff import sources

    return sources.read(
        path,
        label=label,
        format=None if format is None else format.value,
        zero_based=zero_based or None,
        classes=classes,
    )


def fail(words: str, status: int = 2) -> NoReturn:
    """End with one line on stderr."""
    print(" ".join(f"novikoff: {words}".splitlines()), file=sys.stderr)
    sys.exit(status)


def refuse_what_cannot_be_written(
    output: Path, data: Sequence[str], what: str, *, instead: str | None = None
) -> None:
    """Before the long work, not after it."""
    from novikoff.sources.inputs import inputs_of

    folder = output.parent
    other = f"; to print the {what}, say {instead}" if instead else ""
    try:
        if str(output) == "-":
            fail(f"-: name a file for the {what}{other}")
        if not folder.is_dir():
            fail(f"{output}: there is no directory {folder}")
        if output.exists() and not output.is_file():
            fail(f"{output}: not a file{other}")
        for path in data:
            if os.path.isdir(path) and folder.samefile(path):
                fail(f"{output}: the {what} would be read as data the next time; put it elsewhere")
        for one in inputs_of(data) if data else []:
            if _is_same_file(output, Path(one.path)):
                fail(f"{output}: these are the data; name another file for the {what}")
    except OSError as error:
        fail(f"{output}: {(error.strerror or str(error)).lower()}")
    try:
        TemporaryFile(dir=folder).close()
    except OSError:
        fail(f"{output}: the directory {folder} is not writable")


def _is_same_file(a: Path, b: Path) -> bool:
    return a.resolve() == b.resolve() or (a.exists() and b.exists() and a.samefile(b))


@contextmanager
def one_line_errors(path: str) -> Iterator[None]:
    """What is wrong with the input, the disk or the memory is said in one line; so is Ctrl-C."""
    try:
        yield
    except (BadExample, BadModel) as error:
        fail(str(error))
    except BrokenPipeError:
        raise  # nobody reads on: main ends quietly
    except OSError as error:
        fail(f"{error.filename or path}: {(error.strerror or str(error)).lower()}")
    except MemoryError as error:
        fail(f"{path}: there is not enough memory for it. {error}")
    except KeyboardInterrupt:
        fail("interrupted", 130)


@contextmanager
def spinner(words: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is being done, if it is a terminal; else nothing."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(words)) as status:
        yield lambda more: status.update(escape(more))


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


ModelFile: TypeAlias = Annotated[
    str, Argument(metavar="MODEL", help="What `novikoff train -o MODEL` wrote.")
]


def load(path: str) -> Model:
    """The model; if its run is unfinished, that is said."""
    from novikoff.models.model import Model

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
