"""What the page asks for: points with labels, choices about the run, and uploaded files."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, Self, get_args, get_origin, get_type_hints

import numpy as np

from novikoff.learners import Additive, Dual
from novikoff.learners.multiplicative import Multiplicative
from novikoff.learners.rule import Kind, Rule
from novikoff.ledger.kernels import Kernel, dense
from novikoff.sources import Data, read
from novikoff.sources.inputs import Input
from novikoff.sources.open import format_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import written
from novikoff.stream.printing import cut, listed, plain, plural
from novikoff.stream.rows import DenseRows, Vector

MAX_POINTS = 20_000
MAX_COLUMNS = 32
MAX_PASSES = 10_000
MAX_PASSES_WITHOUT_CYCLES = 1_000  # of Winnow and kernels: a hopeless run makes every pass
MAX_ROUNDS = 2_000_000  # about a second of learning, however many points there are
MAX_ROUNDS_OF_KERNEL = 100_000  # the same
MAX_POINTS_OF_KERNEL = 1_000  # all pairs of which are compared
CLASSES = ("-1", "1")

# What a person who loads a file on the page can do about a problem. The page has few options for
# reading, so most cures are a change to the file.
PAGE_CURES: dict[Problem, str] = {
    Problem.THIRD_LABEL: (
        "the page shows two classes; name one label against the rest under “How files are read”, "
        "or remove the rows of the others"
    ),
    Problem.THIRD_LABEL_IN_LAST_COLUMN: (
        "the page shows two classes, and takes the last column as the label; name another column, "
        "or one label against the rest, under “How files are read”"
    ),
    Problem.TEXTS_AS_LABELS: (
        "the last column holds texts; name the label's column under “How files are read”"
    ),
    Problem.UNKNOWN_FORMAT: "the page reads CSV and svmlight",
    Problem.MISSING_VALUE: "fill it in or remove the row",
    Problem.EMPTY_COLUMN: "fill it in or leave out column {column}",
    Problem.TEXT_AMONG_NUMBERS: "correct it or leave out column {column}",
    Problem.DECIMAL_COMMA: "write decimals with a point, and no other commas in numbers",
    Problem.NOT_PLAIN_NUMBERS: "write plain numbers, such as 1200 or 0.12",
    Problem.QUOTES: "write a quote inside quotes twice",
    Problem.DATES: "convert dates to numbers first, or leave out column {column}",
    Problem.LOOKS_LIKE_TEXT: "leave out column {column} under “How files are read”",
    Problem.LOOKS_LIKE_IDS: "leave out column {column} under “How files are read”",
    Problem.SEVERAL_COLUMNS: "convert these columns, or leave them out under “How files are read”",
}


class Refused(BadExample):
    """A request that cannot be answered; the page shows the message."""


def points_of(given: Mapping[str, Any]) -> Data:
    """The points of a request with their labels, and the names of columns, label and classes."""
    points, labels = _list(given, "points"), _list(given, "labels")
    if not points:
        raise Refused("there are no points yet: click on the plane, or choose a preset")
    _expect_few(len(points), "points")
    if len(labels) != len(points):
        n, k = plural(len(points), "point"), plural(len(labels), "label")
        raise Refused(f"{n} but {k}: every point needs one label")
    X = _matrix(points)
    for i, y in enumerate(labels):
        if type(y) is not int or y not in (-1, 1):
            raise Refused(f"point {i}: the label must be -1 or 1, not {_shown(y)}")
    names = _texts(given, "names") or tuple(f"x{j + 1}" for j in range(X.shape[1]))
    if len(names) != X.shape[1]:
        n, k = plural(len(names), "name"), plural(X.shape[1], "column")
        raise Refused(f"{n} for {k}: every column needs one name")
    label = given.get("label") or "label"
    if not _is_text(label):
        raise Refused(f"label must be a text, not {_shown(label)}")
    for name, times in Counter([*names, label]).items():
        if times > 1:
            raise Refused(f"{times} columns are called {_shown(name)}; give each its own name")
    classes = _texts(given, "classes") or CLASSES
    if len(classes) != 2:
        raise Refused(f"there must be two classes, not {len(classes)}")
    negative, positive = map(written, classes)
    if negative == positive:
        raise Refused(f"the classes must differ; both are {_shown(positive)}")
    block = Block(DenseRows(X), np.array(labels, dtype=np.int8))
    return Data(block, names, (negative, positive), label)


def _expect_few(n: int, what: str, where: str = "", most: int = MAX_POINTS) -> None:
    if n > most:
        raise Refused(
            f"{where}{n:,} {what} are more than the page can take ({most:,}): load fewer, or "
            "use the command novikoff train, which has no such limit"
        )


def window_of(given: Mapping[str, Any], points: Data) -> Vector:
    """The lower left and the upper right corner of the picture; by default about the points."""
    if "window" not in given:
        X = dense(points.block.rows)
        return np.array([X.min(axis=0) - 0.1, X.max(axis=0) + 0.1])
    corners = _matrix(_list(given, "window") or [[]])
    if corners.shape != (2, 2) or not (corners[0] < corners[1]).all():
        raise Refused("window must be the lower left and the upper right corner of the picture")
    return corners


def _list(given: Mapping[str, Any], key: str) -> list[Any]:
    found = given.get(key)
    if not isinstance(found, list):
        raise Refused(f"{key} must be a list")
    return found


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    if given.get(key) is None:
        return None
    found = _list(given, key)
    for text in found:
        if not _is_text(text):
            raise Refused(f"{key} must be texts, not {_shown(text)}")
    return tuple(found)


def _is_text(value: Any) -> bool:
    """Whether it is a text that can be written to a file: JSON can escape half a character."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def _shown(value: Any) -> str:
    """A part of the request, in an error: cut if it is long, named if it has parts itself."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return cut(repr(value))


def _matrix(points: list[Any]) -> Vector:
    width = len(points[0]) if isinstance(points[0], list) else 0
    if not 1 <= width <= MAX_COLUMNS:
        raise Refused(f"a point must have 1 to {MAX_COLUMNS} coordinates; point 0 has {width}")
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != width:
            raise Refused(f"point {i} must have {plural(width, 'coordinate')}, as point 0 has")
        for j, x in enumerate(point):
            if type(x) not in (int, float) or not abs(x) <= sys.float_info.max:
                raise Refused(f"point {i}: coordinate {j} is {_shown(x)}, not a finite number")
    return np.array(points, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Choices:
    """How the run is made; the limits of a number are beside its type.

    The learner "averaged" makes the same run as "perceptron"; the page then shows the average of
    the weights. `margin` is η of the margin perceptron. The points come in the order in which they
    were placed, or in one drawn from the seed, which every pass keeps. The
    perceptrons may begin with other weights than 0, `start`, and add the point times `rate`. With
    `every` the reply also lists the rounds without an update. A `kernel`, of two columns, is
    (z·x + 1)^degree or exp(−gamma ‖z − x‖²), and has no bias beside it.
    """

    learner: Literal["perceptron", "margin", "averaged", "winnow"] = "perceptron"
    margin: Annotated[float, 0, 1e6] = 1.0
    order: Literal["placed", "shuffled"] = "placed"
    seed: Annotated[int, 0, 2**32 - 1] = 0
    bias: bool = True
    passes: Annotated[int, 1, MAX_PASSES] = MAX_PASSES
    start: Sequence[float] = ()
    rate: Annotated[float, 2**-10, 2**10] = 1.0
    every: bool = False
    kernel: Literal["none", "poly", "rbf"] = "none"
    degree: Annotated[int, 1, 9] = 2
    gamma: Annotated[float, 1e-3, 1e3] = 1.0

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a request, with the defaults above."""
        chosen = cls(**{name: given[name] for name in cls.__slots__ if name in given})
        for name, kind in get_type_hints(cls, include_extras=True).items():
            value, about = getattr(chosen, name), get_args(kind)
            if get_origin(kind) is Annotated:
                _expect_number(name, value, *about)
            elif get_origin(kind) is Literal and value not in about:
                raise Refused(f"{name} must be one of {', '.join(about)}, not {_shown(value)}")
            elif kind is bool and not isinstance(value, bool):
                raise Refused(f"{name} must be true or false, not {_shown(value)}")
        if not isinstance(chosen.start, Sequence) or len(chosen.start) > MAX_COLUMNS + 1:
            raise Refused("start must be a list of weights")
        for weight in chosen.start:
            _expect_number("start", weight, float, -1e6, 1e6)
        if chosen.start and chosen.learner == "winnow":
            raise Refused("Winnow has its own start")
        if chosen.kernel != "none" and (chosen.start or chosen.learner == "winnow"):
            raise Refused("a kernel is for perceptrons that start from 0, and not for Winnow")
        return chosen if chosen.space is None else replace(chosen, bias=False)

    @property
    def space(self) -> Kernel | None:
        """The kernel, if there is one."""
        if self.kernel == "poly":
            return Kernel("poly", degree=self.degree)
        return Kernel("rbf", gamma=float(self.gamma)) if self.kernel == "rbf" else None

    @property
    def eta(self) -> float:
        """The margin η that the learner demands; 0 for all but the margin perceptron."""
        return self.margin if self.learner == "margin" else 0.0

    @property
    def outside(self) -> str:
        """What the theorem is for, if not for this run."""
        if self.learner == "winnow":
            return "is for the perceptron, not for Winnow"
        from_zero = not any(self.start) and self.rate == 1
        return "" if from_zero else "is for runs from w = 0 with rate 1"

    @property
    def noun(self) -> str:
        """What to call an entry of the ledger: a margin perceptron also updates when right."""
        return "update" if self.eta > 0 else "mistake"

    def new_learner(self, block: Block) -> Additive | Multiplicative | Dual:
        """The chosen learner, before its first round; the perceptrons keep their average."""
        dim = block.rows.dim
        if self.space is not None:
            if dim != 2:
                raise Refused(f"a kernel is for points of two columns here, not of {dim}")
            _expect_few(len(block), "points with a kernel", most=MAX_POINTS_OF_KERNEL)
        if self.start and len(self.start) != dim + self.bias:
            raise Refused(f"start must be {plural(dim + self.bias, 'weight')}")
        start = np.array(self.start, dtype=np.float64) if self.start else None
        kind: Kind = "winnow" if self.learner == "winnow" else "averaged"
        how: dict[str, Any] = {"bias": self.bias, "margin": self.eta, "kernel": self.space}
        learner = Rule(kind, rate=float(self.rate), **how).learner(dim, start=start)
        assert isinstance(learner, Additive | Multiplicative | Dual)
        return learner

    def passes_over(self, block: Block) -> int:
        """The most passes to make over this block."""
        finds_cycles = self.learner != "winnow" and self.space is None
        passes = MAX_PASSES if finds_cycles else MAX_PASSES_WITHOUT_CYCLES
        rounds = MAX_ROUNDS if self.space is None else MAX_ROUNDS_OF_KERNEL
        return max(1, min(self.passes, passes, rounds // len(block)))


def _expect_number(name: str, x: Any, kind: type, low: float, high: float) -> None:
    if type(x) not in (int, kind) or not low <= x <= high:
        what = "a number" if kind is float else "a whole number"
        raise Refused(f"{name} must be {what} from {low:.10g} to {high:.10g}, not {_shown(x)}")


def read_upload(content: bytes, asked: Mapping[str, str]) -> dict[str, Any]:
    """The points, labels, column names and classes of an uploaded CSV or svmlight file."""
    name = _safe_name(asked.get("name", "points.csv"))
    if content.startswith((b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")):
        raise Refused(
            f"{name}: the page cannot read compressed files, .npz or Excel files; unpack it, or "
            "save it as CSV or svmlight"
        )
    how: dict[str, Any] = {key: asked.get(key) for key in ("label", "one_vs_rest")}
    how["ignore"] = tuple(filter(None, map(str.strip, asked.get("ignore", "").split(","))))
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(content)
        try:
            format = format_of(Input(str(file)))
            if format not in ("csv", "svmlight"):
                raise Refused(f"{name}: the page cannot read {format}; save it as CSV or svmlight")
            return shown(name, read(str(file), format=format, **how))
        except BadExample as error:
            words = error.without_cure.replace(f"{folder}/", "")
            raise Refused(words, error.problem, **error.details) from None


def shown(name: str, data: Data) -> dict[str, Any]:
    """The points, labels, column names and classes of a file's data, as the page takes them."""
    dim = data.block.rows.dim
    if dim > MAX_COLUMNS:
        raise Refused(
            f"{name}: {dim:,} columns are more than the page can take ({MAX_COLUMNS}): keep only "
            "the ones you want to see, or use the command novikoff certify, which takes more"
        )
    if dim == 0:
        raise Refused(f"{name}: the label is the only column; add a column of numbers")
    _expect_few(len(data.block), "rows", f"{name}: ")
    names, labels = list(data.names or ()), data.block.labels
    if not names or any(name.strip().isdecimal() for name in names):
        names = [f"x{j + 1}" for j in range(dim)]
    known = [data.label] if data.label and not data.label.isdecimal() else []
    labels_name = chain(known, ["label"], (f"label{k}" for k in count(2)))
    n, columns = plural(len(labels), "point"), "column" if dim == 1 else "columns"
    negative, positive = map(plain, data.classes)
    note = ""
    if (labels == labels[0]).all():
        note = (
            f"All labels are {data.classes[int(labels[0] > 0)]!r}, so there is nothing to "
            "separate. Click to place points of the other class, or load a file with both classes."
        )
    return {
        "points": dense(data.block.rows).tolist(),
        "labels": labels.tolist(),
        "names": names,
        "label": next(name for name in labels_name if name not in names),
        "classes": list(data.classes),
        "words": f"{name}: {n}, {columns} {listed([*map(plain, names)], 4)}; + stands for "
        f"{positive}, − for {negative}.",
        "note": note,
    }


def _safe_name(name: str) -> str:
    """The last part of the path, without characters that a file name must not have."""
    last = PurePath(name.replace("\\", "/")).name
    kept = "".join(c for c in last if c.isprintable() and c not in "/*?[]").strip(". ")
    return kept[-60:] or "points.csv"  # 60 characters are at most 240 bytes
