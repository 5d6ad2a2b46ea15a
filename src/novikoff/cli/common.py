"""What the verbs share: options for files, errors of one line, progress where it can be seen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeAlias

import typer

from novikoff.rows import BadExample

if TYPE_CHECKING:
    from novikoff.sources import Data


class FileFormat(StrEnum):
    """The formats that `sources.read` knows."""

    SVMLIGHT = "svmlight"
    CSV = "csv"


DataFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="DATA", help="svmlight or CSV, plain or gzipped; - is stdin.")
]
LABEL_HELP = "CSV: where the labels are, a name or a position from 0."
Format: TypeAlias = Annotated[
    FileFormat | None, typer.Option(help="By default told from the file's name or first line.")
]
ZeroBased: TypeAlias = Annotated[
    bool, typer.Option("--zero-based", help="svmlight: its indices count from 0.")
]


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
        zero_based=zero_based,
        classes=classes,
    )


def fail(words: str, status: int = 2) -> NoReturn:
    """End with one line on stderr."""
    typer.echo(" ".join(f"novikoff: {words}".splitlines()), err=True)
    raise typer.Exit(status)


@contextmanager
def one_line_errors(path: str) -> Iterator[None]:
    """What is wrong with the input, the disk or the memory is said in one line; so is Ctrl-C."""
    try:
        yield
    except BadExample as error:
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
