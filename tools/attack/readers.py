"""Data files changed in any way, read by check.py and by the library: both must read the same.

A certificate is proved for a file as check.py reads it. Where the library reads other examples, or
none, the proof would speak of something else.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

from attack.arena import Attack, Fault
from attack.mutations import bytes_changed
from attack.tables import random_table
from attack.texts import PIECES
from novikoff import BadExample, sources
from novikoff.guarantees import check
from novikoff.guarantees.check import Evidence
from novikoff.separability.certifying import evidence
from novikoff.separability.models import data_of

SPACES = [
    text.encode() for text in ("\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\t")
]


def by_script(file: str, label: str | None, *, zero_based: bool) -> str | None:
    """All that check.py reads in a file; None if it refuses it."""
    try:
        return seen(check.read([file], label, zero_based=zero_based))
    except (ValueError, EOFError, OSError, csv.Error, zlib.error):
        return None


def by_library(file: str, label: str | None, *, zero_based: bool) -> tuple[str | None, str]:
    """All that the library reads in a file; None and why if it refuses it."""
    try:
        given = sources.read(file, label=label, zero_based=zero_based or None, hashed=True)
        return seen(evidence(data_of(given))), ""
    except MemoryError:  # columns up to the highest index, which may be any
        return None, ""
    except BadExample as error:
        return None, re.sub(r"'.*'", "...", str(error).partition(" ")[2])


def seen(data: Evidence) -> str:
    """What was read, as a text; columns that do not increase are refused when it is checked."""
    read = [(y, list(row)) for y, row in data.examples]
    for _, row in read:
        check.require(all(a < b for (a, _), (b, _) in pairwise(row)), "the columns do not increase")
    rows = [(y, [(c, float(v)) for c, v in row if v]) for y, row in read]
    about = (data.files, data.names, data.label, data.classes, data.header)
    return f"{about}\n" + "\n".join(map(repr, rows))


def attempt(dice: Random) -> Iterator[Exception | None]:
    """Change a table in many ways and read it twice."""
    table = random_table(dice)
    flags = dict(zip(table.flags[::2], table.flags[1::2], strict=False))
    label, original = flags.get("--label"), table.content
    for _ in range(100):
        text = bytes_changed(dice, original, [*PIECES, *SPACES])
        Path(table.file).write_bytes(text)
        try:
            script = by_script(table.file, label, zero_based=table.is_zero_based)
            library, why = by_library(table.file, label, zero_based=table.is_zero_based)
        except Exception as error:
            yield error
            continue
        if script is not None and library is None and why:
            yield Fault(f"check.py reads what the library refuses: {why}", script=script)
        elif script is not None and library is not None and script != library:
            yield Fault(
                "check.py and the library read different things",
                script=script,
                library=str(library),
            )
        else:
            yield None
    Path(table.file).unlink()


ATTACKS = [
    Attack("readers", "CSV and svmlight changed, read by check.py and by the library", attempt)
]
