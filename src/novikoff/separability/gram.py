"""Rows in the space of a kernel: each is the row of its kernels with all rows, exactly."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from novikoff.guarantees.check import Model, polynomial
from novikoff.guarantees.exact.arithmetic import fraction_text
from novikoff.guarantees.novikoff_bound import exact_gram
from novikoff.ledger.kernels import AnyKernel, Kernel, dense
from novikoff.sources.open import Data
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Vector

_A_PAIR = 96  # bytes that the kernel of a pair takes at most, with its copies
_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container, in bytes, or "max"


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
