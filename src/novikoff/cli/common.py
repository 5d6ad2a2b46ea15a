"""What the verbs share: errors of one line, progress where it can be seen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NoReturn

from novikoff.rows import BadExample
from novikoff.storage import BadModel

if TYPE_CHECKING:
    from novikoff.cli.options import FileFormat
    from novikoff.sources import Data


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
