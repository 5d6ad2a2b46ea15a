"""The rows that are certified: the inequalities of a regression model, or the rows of a kernel.

Along a direction w of the coefficients the likelihood of no example may fall. So every model is
rows z with ⟨w,z⟩ ≥ 0 (`guarantees.check.inequalities` has each), and one search and one checker
serve all. In the space of a kernel each row is that of its kernels with all rows, exactly.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import ranges, spans_text
from novikoff.guarantees.check import Model, polynomial
from novikoff.guarantees.exact.arithmetic import fraction_text
from novikoff.guarantees.exact.rows import usable
from novikoff.guarantees.novikoff_bound import exact_gram
from novikoff.guarantees.verdict import ModelName
from novikoff.ledger.kernels import AnyKernel, Kernel, dense
from novikoff.separability.points import matrix_of
from novikoff.sources.arrays import flat_labels, label_texts, ordered_levels, rows_of, two_labels
from novikoff.sources.files.arrow_arrays import arrow
from novikoff.sources.files.text import TextFiles
from novikoff.sources.in_memory import frame_rows, table_rows
from novikoff.sources.open import Data
from novikoff.stream.blocks import Block, unusable_importance
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import in_order, label_key, written
from novikoff.stream.number_text import is_missing_or_infinite, number
from novikoff.stream.printing import quoted_list
from novikoff.stream.rows import DenseRows, Rows, SparseRows, Vector

COUNTED = {"poisson": ("0", "positive"), "binomial": ("none", "some", "all")}
Numbers: TypeAlias = NDArray[Any]
_GAPS = ("None", "nan", "<NA>", "NaT")  # how values that are missing are written
Names: TypeAlias = tuple[str, ...]
_A_PAIR = 96  # bytes that the kernel of a pair takes at most, with its copies
_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container, in bytes, or "max"


@dataclass(frozen=True, eq=False)
class Regression:
    """The columns, other than the constant, and the response of a regression.

    Parameters are those of `certify`; `model` is None if only the formula is known, and `files`,
    `header` and `source` are those of `Data`.
    """

    rows: Rows
    names: Names
    constant: bool
    y: Any
    label: str | None = None
    model: ModelName | None = None
    levels: Sequence[Any] | None = None
    trials: Any = None
    fixed_effects: Mapping[str, Any] | None = None
    weights: Any = None
    files: Names = ()
    header: bool | None = None
    source: TextFiles | None = None


def modelled(
    data: Data, kind: str, *, constant: bool, kernel: Kernel | AnyKernel | None
) -> tuple[Data, Model | None]:
    """The rows that a certificate is of: the data's own, or the inequalities of their model."""
    if len(data.block) == 0:
        raise BadExample("there are no examples")
    if kernel is not None:
        return gram_of(data, kernel, constant=constant)
    if kind == "binary":
        return data, None
    return system_of(data, kind, constant=constant)


def data_of(
    X: Any,
    y: Any = None,
    kind: str = "binary",
    levels: Sequence[Any] | None = None,
    trials: Any = None,
    fixed_effects: Any = None,
    weights: Any = None,
) -> Data:
    """The data as a block that was checked, with the names that a frame gives its columns.

    Of a model that is not binary, the labels are numbers of levels.
    """
    if isinstance(X, Regression):
        labels, classes = _response(X.y, kind, levels or X.levels, trials)
        rows, called = X.rows, X.names
        if fixed_effects is not None:
            rows, called = with_effects(rows, called, fixed_effects)
        data = Data(Block(rows, labels), called, classes, X.label, X.header, X.files)
    elif isinstance(X, Data) and kind != "binary":
        order, codes = levels_of(kind, X.classes, X.block.labels, levels)
        data = replace(X, block=replace(X.block, labels=codes), classes=order)
    elif isinstance(X, Data):
        data = X
    elif isinstance(X, Block) and kind != "binary":
        raise BadExample("the labels of a block are two; pass X and y")
    elif isinstance(X, Block):
        data = Data(X, None, ("-1", "1"))
    elif y is None:
        raise BadExample("the labels are missing; pass them as y")
    elif isinstance(y, str):
        words = "pass the labels themselves, and X without their column"
        raise BadExample(f"y is the text {y!r}, not a label for each row; {words}")
    elif hasattr(X, "loc") and hasattr(y, "loc") and _are_shuffled(X.index, y.index):
        raise BadExample("y has the rows of X in another order; pass y.loc[X.index]")
    else:
        labels, classes = _response(y, kind, levels, trials)
        by_name = [] if fixed_effects is None else named_effects(fixed_effects, X)
        rows, names = frame_rows(X, by_name) if hasattr(X, "columns") else (rows_of(X), None)
        if fixed_effects is not None and not by_name:
            rows, names = with_effects(rows, names, fixed_effects)
        label = getattr(y, "name", next(iter(getattr(y, "columns", ())), None))
        label = label if isinstance(label, str) and label and names is not None else None
        data = Data(Block(rows, labels), names, classes, label)
    every = [*(data.names or ()), *([data.label] if data.header else [])]
    if len(set(every)) < len(every):
        raise BadExample("two columns have the same name; give each its own")
    _refuse_gaps(data)
    counts = data.block.importances if weights is None else weights
    block = replace(data.block, importances=None)  # only whether a row counts matters here
    if counts is not None and not (used := _weights(counts, len(block)) != 0).all():
        block = Block(block.rows.take(np.flatnonzero(used)), block.labels[used])
    return replace(data, block=block)


def _refuse_gaps(data: Data) -> None:
    """Raise BadExample unless every value is a finite number; say whose is missing or infinite."""
    rows = data.block.rows
    try:
        usable(rows)
    except BadExample as error:
        if not isinstance(column := error.details.get("column"), int):
            raise
        values = matrix_of(rows)[:, [column]].toarray()
        where = np.flatnonzero(~np.isfinite(values))
        what = "missing" if np.isnan(values[where[0], 0]) else "infinite"
        name = f"the value in column {column}" if data.names is None else data.names[column]
        raise refused_gap(name, what, where, len(rows)) from None


def _weights(given: Any, n: int) -> NDArray[np.float64]:
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n,):
        raise BadExample(f"there are {n} rows, but the weights have the shape {weights.shape}")
    if (i := unusable_importance(weights)) is not None:
        raise BadExample(f"row {i}: the weight {weights[i]:g} is not a number of at least 0")
    return weights


def _are_shuffled(index: Any, other: Any) -> bool:
    """Whether two indexes of pandas have the same entries in another order."""
    return not index.equals(other) and bool(index.sort_values().equals(other.sort_values()))


def _response(
    y: Any, kind: str, levels: Sequence[Any] | None, trials: Any
) -> tuple[NDArray[Any], tuple[str, ...]]:
    given = flat_labels(y)
    if given.dtype.kind == "O" or (given.dtype.kind == "f" and np.isnan(given).any()):
        values = enumerate(given.tolist())
        if gaps := [i for i, v in values if not isinstance(v, str) and str(v) in _GAPS]:
            raise refused_gap("the response", "missing", gaps, len(given))
    if kind == "binary":
        return two_labels(y, or_else=", or name a model of more: multinomial, ordinal or poisson")
    if kind == "binomial":
        return counted(given, trials), COUNTED[kind]
    levels = levels or ordered_levels(y) or None
    codes, texts, _ = label_texts(given)
    order, numbers = levels_of(kind, texts, codes, levels)
    return numbers, order


def levels_of(
    kind: str, texts: Sequence[str], codes: Numbers, levels: Sequence[Any] | None
) -> tuple[tuple[str, ...], Numbers]:
    """The levels of a response, and the number of each example's.

    The response of example i is `texts[codes[i]]`. Levels are in the order of labels, or in the
    order given; those of an ordinal model must be numbers, or be given.
    """
    for k, text in enumerate(texts):
        if is_missing_or_infinite(text):
            what = "infinite" if "inf" in text.lower() else "missing"
            raise refused_gap("the response", what, np.flatnonzero(codes == k), len(codes))
    if kind == "poisson":
        values = [number(text) for text in texts]
        for k, value in enumerate(values):
            if value is None or not 0 <= value < np.inf:
                where = int((codes == k).argmax())
                raise BadExample(
                    f"row {where}: response {texts[k]!r} is not a number of at least 0"
                )
        return COUNTED[kind], np.array([bool(value) for value in values], dtype=np.int32)[codes]
    found = [written(text) for text in in_order(texts)]
    order = found if levels is None else [written(level) for level in levels]
    places = {label_key(level): k for k, level in enumerate(order)}
    unknown = [text for text in found if label_key(text) not in places]
    unused = [level for level in order if label_key(level) not in {*map(label_key, found)}]
    if unknown or len(places) < len(order):
        wrong = (
            f"the response {quoted_list(unknown)} is not among" if unknown else "two are equal in"
        )
        raise BadExample(f"{wrong} the levels {quoted_list(order)}", Problem.OTHER_LEVELS)
    if unused:
        raise BadExample(
            f"no row has the level {quoted_list(unused)}, so nothing of it can be estimated",
            Problem.OTHER_LEVELS,
        )
    if levels is None and kind == "ordinal" and any(label_key(text)[0] for text in texts):
        raise BadExample(
            f"the order of the levels {quoted_list(order)} is not known",
            problem=Problem.UNORDERED_LEVELS,
        )
    if len(order) < 2:
        raise BadExample(
            f"all rows have the response {quoted_list(order)}; the model needs two levels or more"
        )
    numbers = np.array([places[label_key(text)] for text in texts], dtype=np.int32)
    return tuple(order), numbers[codes]


def refused_gap(name: str, what: str, where: Sequence[int] | Numbers, rows: int) -> BadExample:
    """The error about a variable whose values are missing or infinite in these rows."""
    share = f"{len(where):,} of {rows:,} rows"
    cure = "leave these rows out, or fill them in" if what == "missing" else "leave these rows out"
    return BadExample(f"row {where[0]}: {name} is {what}, as in {share}; {cure}")


def counted(successes: Any, trials: Any) -> Numbers:
    """The levels of binomial counts: 0 for none, 2 for all, 1 in between."""
    s, m = (np.asarray(given, dtype=np.float64).reshape(-1) for given in (successes, trials))
    m = np.broadcast_to(m, s.shape) if m.size == 1 else m
    if s.shape != m.shape:
        raise BadExample(f"there are {len(s)} counts, but {len(m)} numbers of trials")
    if len(missing := np.flatnonzero(np.isnan(m))):
        raise refused_gap("the number of trials", "missing", missing, len(m))
    fits = (m > 0) & (s >= 0) & (s <= m) & np.isfinite(m)
    if not fits.all():
        i = int((~fits).argmax())
        raise BadExample(f"row {i}: {s[i]:g} of {m[i]:g} trials is not a count")
    return np.where(s == 0, 0, np.where(s == m, 2, 1)).astype(np.int32)


def system_of(data: Data, kind: str, *, constant: bool) -> tuple[Data, Model]:
    """The inequalities of examples whose labels are numbers of levels, as rows of labels −1 and +1.

    They come in the order of the examples, as `guarantees.check.inequalities` makes them.
    """
    rows, codes = data.block.rows, data.block.labels.astype(np.int64)
    levels, n = len(data.classes), len(data.block)
    model = Model(kind, n, rows.dim, constant and kind != "ordinal")
    if kind == "multinomial":
        example, other = np.nonzero(np.arange(levels) != codes[:, None])
        width = rows.dim + constant
        taken = matrix_of(rows.take(example), constant=constant)
        of_row = np.repeat(np.arange(len(example)), np.diff(taken.indptr))
        shape = len(example), width * (levels - 1)
        z: Any = sparse.csr_array(shape)
        for level, sign in ((codes[example], 1.0), (other, -1.0)):
            place = (level[of_row] - 1) * width + taken.indices
            some = level[of_row] > 0
            parts = (sign * taken.data[some], (of_row[some], place[some]))
            z = z + sparse.csr_array(parts, shape=shape)
        signs = np.ones(len(example), dtype=np.int8)
    else:
        below = codes < levels - 1 if kind == "ordinal" else codes < 2
        above = codes > 0
        sides = np.column_stack([below, above])
        example, side = np.nonzero(sides)
        signs = np.where(side == 0, -1, 1).astype(np.int8)
        model = replace(model, twice=spans_text(ranges(below & above)))
        if kind != "ordinal":
            return replace(data, block=Block(rows.take(example), signs)), model
        thresholds = codes[example] - side
        extra = (-np.ones(len(example)), (np.arange(len(example)), thresholds))
        last = sparse.csr_array(extra, shape=(len(example), levels - 1))
        z = sparse.hstack([matrix_of(rows.take(example)), last], format="csr")
    return replace(data, block=Block(_rows(z), signs)), model


def named_effects(given: Any, X: Any) -> list[str]:
    """The fixed effects that are columns of X; none if they are given as columns of their own."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        return []
    if not hasattr(X, "columns"):
        raise BadExample("fixed effects by name are columns of X; pass X as a frame")
    return list(names)


def with_effects(rows: Rows, names: tuple[str, ...] | None, given: Any) -> tuple[Rows, Names]:
    """The rows with a column for each level of these fixed effects, called "firm=1017".

    They are a column, or several in a frame, a dict, a list or an array.
    """
    pa = arrow()
    if hasattr(given, "columns"):
        given = {name: given[name] for name in given.columns}
    elif getattr(given, "ndim", 1) == 2:
        given = list(np.asarray(given).T)
    elif not isinstance(given, Mapping) and np.ndim(next(iter(given), 0)) == 0:
        given = [given]
    if not isinstance(given, Mapping):
        given = {getattr(v, "name", None) or f"effect {k}": v for k, v in enumerate(given)}
    columns = {str(name): np.asarray(values) for name, values in given.items()}
    for name, values in columns.items():
        if values.shape != (len(rows),):
            words = f"{len(values)} values, but there are {len(rows)} rows"
            raise BadExample(f"the fixed effect {name!r} has {words}")
    table = pa.table({name: pa.array(v, from_pandas=True) for name, v in columns.items()})
    levels, called = table_rows(table, [*columns])
    both = [matrix_of(part) for part in (rows, levels)]
    names = tuple(f"column {j}" for j in range(rows.dim)) if names is None else names
    return _rows(sparse.hstack(both, format="csr")), (*names, *(called or ()))


def _rows(z: Any) -> Rows:
    z.sort_indices()
    return SparseRows(z.data, z.indices, z.indptr, z.shape[1])


def gram_of(given: Data, kernel: Kernel | AnyKernel, *, constant: bool) -> tuple[Data, Model]:
    """The data with the kernels of each row and all rows in place of its features."""
    rows, n = given.block.rows, len(given.block)
    if n > (most := _most_rows()):
        raise BadExample(
            f"at most {most:,} rows can be compared in pairs in half of this machine's memory, not "
            f"{n:,}; if some of the rows overlap, all do, so ask about {most:,} of them, or make "
            "the products of features columns of their own and leave out the kernel"
        )
    kernel = kernel if isinstance(kernel, Kernel) else Kernel(kernel)
    kernel, name = kernel.measured(rows, whole=True), kernel.name
    if name == "rbf":
        raise BadExample(
            "an rbf kernel separates all rows, unless two that are equal have different labels "
            "(Micchelli 1986); its values are not rational, so there is no certificate of it"
        )
    columns, names, text = rows.dim, given.names, "x·z"
    if name == "poly":
        gamma, plus = (fraction_text(Fraction(float(x))) for x in (kernel.gamma, kernel.coef0))
        text = f"({gamma} x·z + {plus})^{kernel.degree}"
    if callable(name) or kernel.is_precomputed:
        K = np.ascontiguousarray(kernel.gram(rows, rows, np.arange(n)).T)
        columns, names, text = n, None, "precomputed"
    else:
        K = _floats(kernel, dense(rows))
    of = Model("kernel", n, columns, constant, kernel=text)
    return replace(given, block=Block(DenseRows(K), given.block.labels), names=names), of


def _most_rows() -> int:
    """How many rows can be compared in pairs in half of the memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        memory = min(memory, int(_LIMIT.read_text()))
    return math.isqrt(memory // 2 // _A_PAIR)


def _floats(kernel: Kernel, X: Vector) -> Vector:
    """The kernels of all pairs, each of which float64 must hold exactly."""
    whole, unit = exact_gram(X, kernel)
    try:
        K = whole.astype(np.float64)
        exact = K.astype(np.int64) if whole.dtype != object else np.frompyfunc(int, 1, 1)(K)
        wrong = np.argwhere(exact != whole)
    except OverflowError:
        wrong = np.zeros((1, 2), dtype=np.int64)
    if len(wrong):
        i, j = wrong[0].tolist()
        raise BadExample(
            f"the kernel of rows {i} and {j} needs more than the 53 bits of float64; round the "
            "features to small whole numbers, or to few binary digits"
        )
    return np.ldexp(K, 1 - unit.denominator.bit_length())


def kernel_named(text: str) -> Kernel:
    """The kernel that a certificate names."""
    if text == "precomputed":
        return Kernel("precomputed")
    degree, gamma, constant = polynomial(text)
    return Kernel("poly", degree, float(gamma), float(constant))
