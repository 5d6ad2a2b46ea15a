"""Writes cpp/text/characters.hpp: which characters words are made of, and how they are folded.

The tables come from `unicodedata` of the Python that runs this; the header names its version of
Unicode, so that the core gives the same words under every Python.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

HEADER = Path(__file__).resolve().parent.parent / "cpp" / "text" / "characters.hpp"
SURROGATES = range(0xD800, 0xE000)

TEMPLATE = """\
// Which characters words are made of, and their case folding: Unicode {version}.
// Written by tools/make_characters.py.
#pragma once

#include <cstdint>

namespace novikoff {{

// The first and the last of consecutive characters that are letters, marks or numbers (general
// categories L, M and N).
constexpr std::int32_t word_ranges[][2] = {{
{words}
}};

// Characters first, first + step, ..., last are folded to themselves plus shift. A character is
// folded to its case folding if that is one character, else to its lower case if that is one.
struct Folding {{
  std::int32_t first, last, step, shift;
}};
constexpr Folding foldings[] = {{
{foldings}
}};

}}  // namespace novikoff
"""


def in_word(code: int) -> bool:
    """Whether the character is a letter, a mark or a number."""
    return code not in SURROGATES and unicodedata.category(chr(code))[0] in "LMN"


def folded(code: int) -> int:
    """The character without case."""
    character = chr(code)
    for other in (character.casefold(), character.lower()):
        if len(other) == 1:
            return ord(other)
    return code


def ranges() -> Iterator[tuple[int, int]]:
    """The first and last of consecutive characters of words."""
    first = None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and in_word(code)
        if inside and first is None:
            first = code
        elif not inside and first is not None:
            yield first, code - 1
            first = None


def foldings() -> Iterator[tuple[int, int, int, int]]:
    """Runs of characters of words, one or two apart, with the same shift."""
    run: list[int] = []
    shift = 0
    for code in filter(in_word, range(sys.maxunicode + 1)):
        own = folded(code) - code
        if not own:
            continue
        step = code - run[-1] if run else 0
        if run and own == shift and step in (1, 2) and (len(run) == 1 or step == run[1] - run[0]):
            run.append(code)
            continue
        if run:
            yield run[0], run[-1], run[1] - run[0] if len(run) > 1 else 1, shift
        run, shift = [code], own
    yield run[0], run[-1], run[1] - run[0] if len(run) > 1 else 1, shift


def rows(entries: list[str]) -> str:
    """The entries in lines of at most 100 characters."""
    lines = ["   "]
    for entry in entries:
        if len(lines[-1]) + len(entry) + 2 > 100:
            lines.append("   ")
        lines[-1] += f" {entry},"
    return "\n".join(lines)


def header() -> str:
    """The text of the header."""
    return TEMPLATE.format(
        version=unicodedata.unidata_version,
        words=rows([f"{{0x{a:x}, 0x{b:x}}}" for a, b in ranges()]),
        foldings=rows([f"{{0x{a:x}, 0x{b:x}, {c}, {d}}}" for a, b, c, d in foldings()]),
    )


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
