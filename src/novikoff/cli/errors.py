"""How a verb ends when something is wrong: one line on stderr, and a status."""

from __future__ import annotations

import errno
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from novikoff.stream.printing import one_line

STDOUT = "standard output"
_OF_NO_FILE = ("row ", "feature index ", "there is no column ")  # how such errors begin


def fail(words: str, status: int = 2) -> NoReturn:
    """Exit with one line on stderr."""
    warn(words)
    sys.exit(status)


def fail_on_cluster(given: Mapping[str, object]) -> None:
    """Reject the first of these options that is given: on a cluster it cannot be had."""
    if option := next((name for name, is_given in given.items() if is_given), None):
        fail(f"{option} needs all examples on one machine; leave it out, or --cluster")


@contextmanager
def needing(what: str, extra: str, *libraries: str) -> Iterator[None]:
    """Name the extra to install if importing one of these libraries fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in libraries:
            raise
        fail(f"{what} needs {library}: pip install 'novikoff[{extra}]'")


def warn(words: str) -> None:
    """Print one line on stderr and go on."""
    print(f"novikoff: {one_line(words)}", file=sys.stderr)


def reason(error: OSError) -> str:
    """Why the operating system failed, in lower case."""
    return (error.strerror or str(error)).lower()


@contextmanager
def one_line_errors(
    options: Container[str], *, data: str | Sequence[str], by_model: bool = False
) -> Iterator[None]:
    """Report bad input, a full disk, a lack of memory and Ctrl-C in one line.

    A cure names none but the `options` of the verb at hand; `data` is what was being read, for
    errors that name no file.
    """
    name = data if isinstance(data, str) else data[0]
    name = "<stdin>" if name == "-" else name
    try:
        yield
    except BrokenPipeError:  # `main` ends quietly
        raise
    except OSError as error:
        fail(f"{error.filename or name}: {reason(error)}")
    except MemoryError as error:
        where = "" if name == STDOUT else f"{name}: "
        fail(f"{where}not enough memory. {error}".rstrip(". "))
    except KeyboardInterrupt:
        fail("interrupted", 130)
    except ValueError as error:
        from novikoff.cli.cures import with_cure
        from novikoff.storage.file_format import BadModel
        from novikoff.stream.input_problems import BadExample

        if isinstance(error, BadExample):
            words = with_cure(error, options, by_model=by_model)
            fail(f"{name}: {words}" if words.startswith(_OF_NO_FILE) else words)
        if isinstance(error, BadModel):
            fail(str(error))
        raise


def show(text: str, end: str = "\n") -> None:
    """Print the result of a verb; an error in writing names the standard output."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed", STDOUT)
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, STDOUT) from None


@contextmanager
def rejecting_settings() -> Iterator[None]:
    """Report settings that the library rejects; bad examples are left to `one_line_errors`."""
    from novikoff.stream.input_problems import BadExample

    try:
        yield
    except BadExample:
        raise
    except ValueError as error:
        fail(str(error))
