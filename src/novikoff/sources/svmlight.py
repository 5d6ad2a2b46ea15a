"""Sparse examples from text, one a line: `label index:value index:value ...  # comment`."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Block
from novikoff.rows import BadExample, SparseRows
from novikoff.sources.texts import NUMBER, Data, number, shown, two_classes

LARGEST = 2**53 - 1  # up to here float() reads an index exactly, and twice as fast as int()
_LINE = re.compile(rf"[ \t]*+([^\s:#]*+)((?:[ \t]++[0-9]++:{NUMBER})*+)[ \t]*+(?:#.*+)?+")
_BATCH = 4096


def read_svmlight(
    text: str, name: str, *, zero_based: bool = False, classes: tuple[str, str] | None = None
) -> Data:
    """The examples of a text in svmlight's format: sparse rows, as wide as the largest index.

    Indices count from 1 (from 0 if zero_based) and increase along a line. Comments and blank lines
    are passed over. A `qid` is refused: labels that rank the answers to a query are not classes.

    Parameters
    ----------
    name
        What to call the text in an error.
    classes
        The labels to be −1 and +1, when these are known.
    """
    lines = text.split("\n")
    labels: list[str] = []
    at_line: list[int] = []
    lengths: list[int] = []
    parts: list[NDArray[np.float64]] = []
    for first in range(0, len(lines), _BATCH):
        batch = lines[first : first + _BATCH]
        found = [match for line in batch if (match := _LINE.fullmatch(line))]
        if len(found) < len(batch):
            raise _refusal(batch, first, name, zero_based)
        written = [match[2] for match in found if match[1]]
        counts = [row.count(":") for row in written]
        tokens = "".join(written).replace(":", " ").split()
        pairs = np.fromiter(map(float, tokens), np.float64, len(tokens)).reshape(-1, 2)
        if not _are_good(pairs, np.cumsum([0, *counts]), zero_based):
            raise _refusal(batch, first, name, zero_based)
        labels += [match[1] for match in found if match[1]]
        at_line += [i for i, match in enumerate(found, first + 1) if match[1]]
        lengths += counts
        parts.append(pairs)
    if not labels:
        raise BadExample(f"{name}: there are no examples")
    signs, classes = two_classes(labels, lambda i: f"{name}:{at_line[i]}", classes=classes)
    rows = _rows(np.concatenate(parts), np.cumsum([0, *lengths]), 0 if zero_based else 1)
    return Data(Block(rows, signs), None, classes)


def _rows(pairs: NDArray[np.float64], starts: NDArray[np.int64], base: int) -> SparseRows:
    indices = pairs[:, 0] - base
    dim = int(indices.max(initial=-1)) + 1
    width = np.int32 if max(dim, len(pairs)) <= np.iinfo(np.int32).max else np.int64
    return SparseRows(pairs[:, 1].copy(), indices.astype(width), starts.astype(width), dim)


def _are_good(pairs: NDArray[np.float64], starts: NDArray[np.int64], zero_based: bool) -> bool:
    index, value = pairs.T
    increase = np.diff(index, prepend=-1) > 0
    increase[starts[:-1][np.diff(starts) > 0]] = True  # the first of a row follows none
    allowed = (index >= (0 if zero_based else 1)) & (index <= LARGEST)
    return bool((increase & allowed & np.isfinite(value)).all())


def _refusal(batch: list[str], first: int, name: str, zero_based: bool) -> BadExample:
    """What is wrong with the first of these lines that cannot be read."""
    flaws = ((i, _flaw(line, zero_based)) for i, line in enumerate(batch, first + 1))
    i, flaw = next((i, flaw) for i, flaw in flaws if flaw)
    return BadExample(f"{name}:{i}: {flaw}")


def _flaw(line: str, zero_based: bool) -> str | None:
    label, *pairs = line.partition("#")[0].split() or [""]
    if ":" in label:
        return f"there is no label before {shown(label)}"
    before = -1
    for pair in pairs:
        index, _, value = pair.partition(":")
        if index == "qid":
            return f"{shown(pair)} makes this a ranking, not two classes; remove the qid to read it"
        if not value or not re.fullmatch("-?[0-9]+", index):
            return f"{shown(pair)} is not index:value"
        if index.startswith("-"):
            return f"index {shown(index)[1:-1]} is negative"
        if float(index) > LARGEST:
            return f"index {shown(index)[1:-1]} is too large; the largest is {LARGEST}"
        j = int(float(index))
        if j == 0 and not zero_based:
            return (
                "index 0, where indices count from 1; "
                "if they count from 0, say zero_based (--zero-based)"
            )
        if j <= before:
            return f"indices must increase: {j} after {before}"
        try:
            number(value)
        except ValueError as why:
            return f"index {j}: {why}"
        before = j
    return None if _LINE.fullmatch(line) else "fields must be separated by spaces or tabs"
