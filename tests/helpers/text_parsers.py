"""Run the parser of a text format on a text; collect examples and refusals; garble lines."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from novikoff.sources.chunks import Chunk, Names
from novikoff.stream.input_problems import BadExample

PADDING = b"\n" * 16
LINE_ENDS = ("\n", "\r\n", "\r")


class Example(NamedTuple):
    label: str | None
    features: tuple[tuple[str, float], ...]  # in the order of the line
    importance: float = 1.0


class Refusal(NamedTuple):
    line: int  # from 1
    column: int
    words: str


class Format(Protocol):
    def parse(self, text: NDArray[np.uint8], length: int, allowed: int) -> dict[str, Any]: ...
    def chunk(self, parsed: dict[str, Any], place: Any, first: int) -> Chunk: ...
    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]: ...
    def cut(self, text: NDArray[np.uint8], length: int) -> int: ...


def padded(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(text + PADDING, dtype=np.uint8)


def parse(format: Format, text: bytes, allowed: int = 1_000_000) -> dict[str, Any]:
    return format.parse(padded(text), len(text), allowed)


def read(format: Format, text: str | bytes) -> tuple[list[Example], list[Refusal]]:
    """The examples of a text, and the refusals of its bad lines."""
    raw = text.encode() if isinstance(text, str) else text
    parsed = parse(format, raw)
    refusals = []
    for line, at, why, begin, end in parsed["bad"]:
        assert 0 <= begin <= at <= end <= len(raw)
        column, error = format.flaw(raw[begin:end], at - begin, why)
        refusals.append(Refusal(line + 1, column, str(error)))
    return examples_of(format.chunk(parsed, lambda line: f"text:{line + 1}", 0)), refusals


def examples_of(chunk: Chunk) -> list[Example]:
    assert chunk.names is not None
    assert chunk.rows.dim == len(chunk.names)
    names = [name.decode() for name in chunk.names]
    values, indices, starts, _ = chunk.rows.core
    assert indices is not None
    assert starts is not None
    weights = np.ones(len(chunk)) if chunk.importances is None else chunk.importances
    return [
        Example(
            chunk.label_texts[label] if label >= 0 else None,
            tuple((names[k], x) for k, x in zip(indices[a:b], values[a:b].tolist(), strict=True)),
            weight,
        )
        for label, (a, b), weight in zip(
            chunk.labels, pairwise(starts.tolist()), weights.tolist(), strict=True
        )
    ]


def read_line(format: Format, line: str | bytes) -> Example | Refusal | None:
    """The example or the refusal of a single line; None if it is blank."""
    examples, refusals = read(format, line)
    found: list[Example | Refusal] = [*examples, *refusals]
    assert len(found) <= 1
    return found[0] if found else None


def in_pieces(format: Format, text: bytes, size: int) -> list[Example]:
    """The examples of a text read `size` bytes at a time."""
    found, held, rest = [], b"", text
    while rest:
        held, rest = held + rest[:size], rest[size:]
        cut = format.cut(padded(held), len(held)) if rest else len(held)
        found += read(format, held[:cut])[0]
        held = held[cut:]
    return found


def parsed_values(parsed: dict[str, Any]) -> dict[str, Any]:
    """All parsed values except line numbers, as plain lists that compare with ==."""

    def plain(given: Any) -> Any:
        if isinstance(given, tuple):
            return [bytes(name) for name in Names(*given)], given[2].tolist()
        return given.tolist() if isinstance(given, np.ndarray) else given

    apart = ("bad", "lines", "label_lines")
    return {key: plain(given) for key, given in parsed.items() if key not in apart}


@st.composite
def garbled(draw: st.DrawFn, lines: st.SearchStrategy[str], alphabet: str) -> str:
    """A line with a few characters deleted, inserted or changed."""
    line = draw(lines)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(line)))
        put = draw(st.text(alphabet, max_size=2))
        line = line[:at] + put + line[at + draw(st.integers(0, 2)) :]
    return line
