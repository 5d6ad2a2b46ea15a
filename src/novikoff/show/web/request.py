"""The points of the page as a block, refused with a cure when no run can be made of them.

What can be chosen about a run on the page: the learner, its margin, the order, the bias.

A file of the reader's own, CSV or svmlight, as points for the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.learners import Additive, BalancedWinnow
from novikoff.sources import Data, read
from novikoff.sources.inputs import Input
from novikoff.sources.open import format_of
from novikoff.stream.blocks import Block
from novikoff.stream.order import arranged
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import DenseRows, Rows, SparseRows

MOST_POINTS = 20_000
MOST_COLUMNS = 32
CLASSES = ("-1", "1")


class Refused(BadExample):
    """A request that cannot be answered; its words are shown on the page."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Points with a label each, and what their columns and classes are called."""

    block: Block
    names: tuple[str, ...]
    label: str
    classes: tuple[str, str]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a request: `points`, `labels`, and perhaps `names`, `label` and `classes`."""
        points, labels = _listed(given, "points"), _listed(given, "labels")
        if not points:
            raise Refused("there are no points yet: click on the plane, or choose a preset")
        if len(points) > MOST_POINTS:
            raise Refused(
                f"there are {len(points):,} points, and the page takes {MOST_POINTS:,}: leave some "
                "out, or use novikoff train, which takes any number"
            )
        if len(labels) != len(points):
            raise Refused(f"{len(points)} points but {len(labels)} labels: give each point one")
        X = _matrix(points)
        for i, y in enumerate(labels):
            if type(y) is not int or y not in (-1, 1):
                raise Refused(f"point {i}: label {y!r} is neither -1 nor 1")
        names = _texts(given, "names") or tuple(f"x{j + 1}" for j in range(X.shape[1]))
        if len(names) != X.shape[1]:
            raise Refused(f"{len(names)} names for {X.shape[1]} columns: give each column one")
        classes = _texts(given, "classes") or CLASSES
        if len(classes) != 2:
            raise Refused(f"there are two classes, not {len(classes)}")
        block = Block(DenseRows(X), np.array(labels, dtype=np.int8))
        return cls(block, names, str(given.get("label") or "label"), (classes[0], classes[1]))

    @property
    def values(self) -> NDArray[np.float64]:
        """The coordinates, a row a point."""
        return np.asarray(self.block.rows.values, dtype=np.float64).reshape(len(self.block), -1)


def _listed(given: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = given.get(key)
    if not isinstance(found, list):
        raise Refused(f"the request has no list of {key}")
    return found


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    found = given.get(key)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise Refused(f"{key} must be a list of texts")
    return tuple(found)


def _matrix(points: Sequence[Any]) -> NDArray[np.float64]:
    """The points as numbers; the first that is not one is named."""
    width = len(points[0]) if isinstance(points[0], list) else 0
    if not 1 <= width <= MOST_COLUMNS:
        raise Refused(f"a point has from 1 to {MOST_COLUMNS} coordinates, and point 0 has {width}")
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != width:
            raise Refused(f"point {i} has not {width} coordinates, as point 0 has")
        for j, x in enumerate(point):
            if isinstance(x, bool) or not isinstance(x, (int, float)) or not _is_finite(x):
                raise Refused(
                    f"point {i}: coordinate {j} is {x!r}, not a finite number; move or delete it"
                )
    return np.array(points, dtype=np.float64)


def _is_finite(x: float) -> bool:
    try:
        return math.isfinite(x)
    except OverflowError:  # a whole number too large for a float
        return False


LEARNERS = ("perceptron", "margin", "averaged", "winnow")
ORDERS = ("placed", "shuffled")
MOST_PASSES = 10_000
MOST_ROUNDS = 2_000_000  # about a second of learning, whatever the number of points
WINNOW_PASSES = 1_000  # its weights do not come back, so passes that cannot succeed are all made


@dataclass(frozen=True, slots=True)
class Choices:
    """How a run is made.

    Parameters
    ----------
    learner
        "averaged" is the perceptron's run, read as the average of its weights.
    margin
        η of the margin perceptron: update when y⟨w,x⟩ ≤ η. The others take no notice of it.
    order, seed
        "placed" meets the points as they were placed, "shuffled" in one order drawn from the seed;
        either is kept for every pass, so that weights which come back are a proof.
    passes
        How many passes are allowed, at most; fewer when the points are very many.
    """

    learner: str = "perceptron"
    margin: float = 1.0
    order: str = "placed"
    seed: int = 0
    bias: bool = True
    passes: int = MOST_PASSES

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a request; what it does not say is as above."""
        known = {name: given[name] for name in cls.__slots__ if name in given}
        _one_of("learner", known, LEARNERS)
        _one_of("order", known, ORDERS)
        if not isinstance(known.get("bias", True), bool):
            raise Refused("bias must be true or false")
        _number("seed", known, 0, 2**32 - 1, whole=True)
        _number("passes", known, 1, MOST_PASSES, whole=True)
        _number("margin", known, 0, 1e6, whole=False)
        return cls(**known)

    @property
    def eta(self) -> float:
        """The margin that the learner insists on."""
        return self.margin if self.learner == "margin" else 0.0

    def new_learner(self, dim: int) -> Additive | BalancedWinnow:
        """The learner, before its first round."""
        if self.learner == "winnow":
            return BalancedWinnow(dim, bias=self.bias)
        return Additive(dim, bias=self.bias, margin=self.eta, averaging=True)

    def arranged(self, block: Block) -> Block:
        """The block in the order chosen; the ledger still names rows by where they were placed."""
        return arranged(block, self.seed) if self.order == "shuffled" else block

    def passes_over(self, block: Block) -> int:
        """How many passes are allowed over so many points."""
        most = WINNOW_PASSES if self.learner == "winnow" else MOST_PASSES
        return max(1, min(self.passes, most, MOST_ROUNDS // len(block)))


def _one_of(name: str, known: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    if name in known and known[name] not in allowed:
        raise Refused(f"{name} must be one of {', '.join(allowed)}, not {known[name]!r}")


def _number(name: str, known: dict[str, Any], low: float, high: float, *, whole: bool) -> None:
    if name not in known:
        return
    value, kinds = known[name], (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        raise Refused(f"{name} must be {what} from {low:g} to {high:g}, not {value!r}")


_CURES = {
    r", or say what to do: missing=.*": "",
    r" \(the label is the last column unless .*\)": "; the label is the last column",
    r"say which it is by format \(--format\)": "CSV and svmlight are read here",
}
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def points_of(name: str, content: bytes) -> dict[str, Any]:
    """The points, labels, names and classes of a file, and words about what was read.

    The readers are those of every command, and so are the words when a line cannot be read. What
    the page cannot draw is refused with what to do instead.
    """
    name = _safe(name)
    if content.startswith(_COMPRESSED):
        raise Refused(f"{name}: this is compressed; unpack it first")
    data = _read(name, content)
    n, dim = len(data.block), data.block.rows.dim
    if dim > MOST_COLUMNS:
        raise Refused(
            f"{name}: {dim} columns, and the page takes up to {MOST_COLUMNS}: keep those you want "
            f"to look at and load it again, or ask novikoff certify, which takes any number"
        )
    if dim == 0:
        raise Refused(f"{name}: there is no column but the label; a point needs a coordinate")
    if n > MOST_POINTS:
        raise Refused(
            f"{name}: {n:,} rows, and the page takes {MOST_POINTS:,}: take some of them, as with "
            f"head or shuf -n {MOST_POINTS}, or use novikoff train, which takes any number"
        )
    names = _names(data)
    return {
        "points": _dense(data.block.rows).tolist(),
        "labels": data.block.labels.tolist(),
        "names": names,
        "label": _label(data, names),
        "classes": list(data.classes),
        "words": _words(name, data, names),
        "note": _note(data),
    }


def _safe(name: str) -> str:
    """The last part of the name, without what a file cannot be called."""
    last = PurePath(name.replace("\\", "/")).name
    kept = "".join(c for c in last if c.isprintable() and c not in "/*?[]").strip(". ")
    return kept[-80:] or "points.csv"


def _read(name: str, content: bytes) -> Data:
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(content)
        try:
            found = format_of(Input(str(file)))
            if found not in ("csv", "svmlight"):
                raise Refused(f"{name}: {found} is not read here; save it as CSV or svmlight")
            return read(str(file), format=found)
        except Refused:
            raise
        except BadExample as error:
            raise Refused(_for_the_page(str(error).replace(f"{folder}/", ""))) from None


def _for_the_page(words: str) -> str:
    """What a reader said, with cures that the page has for those that a command has."""
    for pattern, instead in _CURES.items():
        words = re.sub(pattern, instead, words)
    return words


def _dense(rows: Rows) -> NDArray[np.float64]:
    if not isinstance(rows, SparseRows):
        return np.asarray(rows.values, dtype=np.float64).reshape(len(rows), rows.dim)
    out = np.zeros((len(rows), rows.dim))
    out[np.repeat(np.arange(len(rows)), np.diff(rows.starts)), rows.indices] = rows.values
    return out


def _names(data: Data) -> list[str]:
    """The header's names; or, where it has none or they are numbers, x1, x2 and so on."""
    names = data.names
    if names is None or any(name.strip().isdecimal() for name in names):
        return [f"x{j + 1}" for j in range(data.block.rows.dim)]
    return list(names)


def _label(data: Data, names: list[str]) -> str:
    """What to call the column of the labels: as the header does, unless that would not be clear."""
    known = [data.label] if data.label and not data.label.isdecimal() else []
    made_up = (f"label{k}" for k in count(2))
    return next(name for name in chain(known, ["label"], made_up) if name not in names)


def _words(name: str, data: Data, names: list[str]) -> str:
    n, (negative, positive) = len(data.block), data.classes
    columns = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    plural = "" if len(names) == 1 else "s"
    return (
        f"{name}: {n:,} points, column{plural} {columns}; {positive} is drawn as + and {negative} "
        "as −."
    )


def _note(data: Data) -> str:
    """What the reader should know before looking."""
    labels = data.block.labels
    if (labels == labels[0]).all():
        only = data.classes[int(labels[0] > 0)]
        return (
            f"Every label is {only!r}: there is nothing to tell apart yet. Place points of the "
            "other class by clicking, or load a file with both."
        )
    return ""
