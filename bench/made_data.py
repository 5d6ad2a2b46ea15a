"""Data made for measuring: sparse rows of several distributions, dense rows, dicts and texts."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Dicts: TypeAlias = list[tuple[dict[str, Any], bool]]
Texts: TypeAlias = list[tuple[str, str]]

DIM = 47_000
COLUMNS: dict[str, Callable[[Any], Any]] = {
    "uniform": lambda u: DIM * u,
    "log-uniform": lambda u: np.exp(u * np.log(DIM)) - 1,  # as words are
    "power-law": lambda u: DIM * u**4,
}


def sparse(
    n: int,
    per_row: int = 75,
    columns: str = "log-uniform",
    noise: float = 0.05,
    value: Any = np.float32,
    index: Any = np.int32,
) -> tuple[Any, Any]:
    """Rows of length 1 whose columns are drawn `per_row` times; one drawn twice is there once."""
    dice = np.random.default_rng(0)
    drawn = COLUMNS[columns](dice.random((n, per_row))).astype(index)
    drawn.sort(axis=1)
    new = np.ones(drawn.shape, dtype=np.bool_)
    new[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    starts = np.concatenate([[0], np.cumsum(new.sum(axis=1))]).astype(index)
    values = 1 - dice.random(int(starts[-1]))
    values /= np.repeat(np.sqrt(np.add.reduceat(values**2, starts[:-1])), np.diff(starts))
    X = sp.csr_matrix((n, DIM), dtype=value)
    X.data, X.indices, X.indptr = values.astype(value), drawn[new], starts
    return X, labels(X, dice, noise)


def dense(n: int, dim: int, noise: float = 0.05, value: Any = np.float64) -> tuple[Any, Any]:
    """Rows like measurements: the first columns vary most."""
    dice = np.random.default_rng(0)
    X = (dice.standard_normal((n, dim), dtype=np.float32) / (1 + np.arange(dim) / 50)).astype(value)
    return X, labels(X, dice, noise)


def labels(X: Any, dice: np.random.Generator, noise: float) -> NDArray[np.int64]:
    """Labels of a linear rule in which the first columns matter most, some of them flipped."""
    dim = X.shape[1]
    scores = X @ (dice.standard_normal(dim) / (1 + np.arange(dim) / 50)).astype(X.dtype)
    y = np.where(scores > np.median(scores), 1, -1)
    return np.where(dice.random(len(y)) < noise, -y, y)


def rows_to_certify(n: int, dim: int, kind: str) -> tuple[Any, Any]:
    """Dense rows that are separable, overlap, or are separated by one rare column alone."""
    dice = np.random.default_rng(0)
    X, u = dice.standard_normal((n, dim)), dice.standard_normal(dim) / np.sqrt(dim)
    y = np.where(X @ u + (kind != "separable") * 0.3 * dice.standard_normal(n) >= 0, 1, -1)
    if kind == "separable":
        X += np.outer(y * 0.02, u)
    if kind == "quasi-complete":
        X[:, 7] = (dice.random(n) < 0.001) & (y > 0)
    return X, y


def number_dicts(n: int, width: int) -> Dicts:
    """So many measurements each, always the same names."""
    dice = np.random.default_rng(0)
    names = [f"measurement {j}" for j in range(width)]
    u, X = dice.standard_normal(width), dice.standard_normal((n, width))
    y = X @ u + dice.standard_normal(n) / 2 > 0
    rows = zip(X.tolist(), y.tolist(), strict=True)
    return [(dict(zip(names, x, strict=True)), label) for x, label in rows]


def word_dicts(n: int) -> Dicts:
    """Seventy-five words each, of twenty thousand."""
    dice = np.random.default_rng(0)
    vocabulary = [f"word{j}" for j in range(20_000)]
    u = dice.standard_normal(len(vocabulary))
    out: Dicts = []
    for row in dice.zipf(1.3, (n, 400)) % len(vocabulary):
        some = list(dict.fromkeys(row.tolist()))[:75]
        out.append((dict.fromkeys((vocabulary[j] for j in some), 1.0), bool(u[some].sum() > 0)))
    return out


def fresh(stream: Dicts) -> Dicts:
    """The same examples with names that are objects of their own, as from JSON."""
    return [({"".join(list(name)): v for name, v in x.items()}, y) for x, y in stream]


def messages(path: Path) -> Texts:
    """The label and the text of each line of a gzip file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file]
    return [(label, text) for label, text in rows]


def texts_like(rows: Texts, size: int) -> Iterator[str]:
    """Lines of 10 to 300 words, until they have this many bytes.

    Each goes on, word by word, as texts of its class do, with a jump now and then, so that there
    are far more pairs of words than in the rows.
    """
    dice = random.Random(0)
    follows: dict[str, dict[str, list[str]]] = {}
    words: dict[str, list[str]] = {}
    for label, text in rows:
        own = text.split()
        words.setdefault(label, []).extend(own)
        for a, b in pairwise(own):
            follows.setdefault(label, {}).setdefault(a, []).append(b)
    written = 0
    while written < size:
        label = dice.choice(sorted(words))
        word = dice.choice(words[label])
        chosen = [word]
        for _ in range(dice.randrange(10, 300)):
            after = follows[label].get(word)
            word = dice.choice(after if after and dice.random() < 0.8 else words[label])
            chosen.append(word)
        line = f"{label}\t{' '.join(chosen)}\n"
        written += len(line.encode())
        yield line
