"""Where in a line something is wrong, and how to show it."""

from __future__ import annotations

import re

from novikoff.sources.texts import shown

NOT_UTF8 = -1  # what the core says of a line, whatever its format, that is not text
_FAR = 400  # bytes: more than is ever shown


def column(line: bytes, at: int) -> int:
    """Which character of the line, from 1, begins at byte `at`."""
    return len(line[:at].decode(errors="replace")) + 1


def part(line: bytes, at: int, pattern: str) -> str:
    """What matches the pattern at this place of the line; '' if nothing does."""
    found = re.match(pattern, line[at : at + _FAR].decode(errors="replace"))
    return found[0] if found else ""


def first_not_utf8(line: bytes) -> int:
    """Where in the line the first byte is that is not part of a text."""
    zero = line.find(0)
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start if zero < 0 else min(zero, error.start)
    return zero


def not_utf8(line: bytes, at: int) -> str:
    """The words for a byte that is not part of a text."""
    if line[at] == 0:
        return "a zero byte, which no text has; convert the file to UTF-8 (UTF-16 has many)"
    byte = shown(line[at : at + 1].decode("latin-1"))
    return (
        f"byte 0x{line[at]:02x} is not UTF-8; convert the file: in Latin-1 it would be {byte} "
        "(iconv -f latin1 -t utf8)"
    )
