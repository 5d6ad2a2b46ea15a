"""Where the data of a report came from: files, their bytes, and the command that read them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from novikoff.sources.files import format_of
from novikoff.sources.inputs import inputs_of

_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was stored: its name, how many bytes it has, and their SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What the data were read from.

    Attributes
    ----------
    given
        The paths as they were given: files, directories or patterns.
    files
        What these named. Of a pipe there is nothing to name: its bytes are gone.
    format
        How they were read; empty when it was told from the first bytes of a pipe.
    command, verify
        The command lines that make the report again, and that check its certificate.
    """

    given: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    format: str = "arrays"
    command: str = ""
    verify: str = ""
    piped: bool = False

    @property
    def title(self) -> str:
        """What to call the data: the names of the files without their directories."""
        names = ["the standard input" if one == "-" else Path(one).name for one in self.given]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return ", ".join(names[:3]) + more or "the data"


def origin_of(
    paths: Sequence[str], *, format: str | None = None, command: str = "", verify: str = ""
) -> Origin:
    """What paths name: every file is read once for its SHA-256."""
    inputs = inputs_of(paths)
    piped = any(one.is_pipe for one in inputs)
    files = [] if piped else [File(one.name, one.size or 0, _sha256(one.path)) for one in inputs]
    found = format or ("" if piped else format_of(inputs[0]))  # to look would take bytes away
    return Origin(tuple(paths), tuple(files), found, command, verify, piped)


def _sha256(path: str) -> str:
    out = hashlib.sha256()
    with open(path, "rb") as file:
        while some := file.read(_AT_ONCE):
            out.update(some)
    return out.hexdigest()
