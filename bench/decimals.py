"""A million decimals that are hard to read, bit for bit as Python's `float` reads them.

Subnormals, numbers halfway between two floats and next to that, long mantissas, huge exponents, and
the short ones that files are full of; each read by itself and as a value of an svmlight file. Given
a DIRECTORY, every svmlight file in it is also compared with scikit-learn's loader, entry by entry.
Exits with status 1 when something differs.
Run: python bench/decimals.py [DIRECTORY] [--cases 1000000]
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from novikoff import _core
from novikoff.sources import open_files
from novikoff.stream.rows import SparseRows

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers.hard_decimals import bits, hard_cases, read_by_core, read_by_python

AT_ONCE = 10_000


def short_cases(dice: random.Random) -> Iterator[str]:
    """Numbers as files have them: up to 19 digits with a point somewhere."""
    while True:
        digits = str(dice.getrandbits(dice.randint(1, 63)))
        point = dice.randint(0, len(digits))
        yield f"{dice.choice(('', '-'))}{digits[:point]}.{digits[point:]}"


def cases(count: int) -> Iterator[str]:
    """Nine hard ones in ten."""
    short = count // 10
    yield from islice(hard_cases(random.Random(0), count), count - short)
    yield from islice(short_cases(random.Random(1)), short)


def differing(texts: list[str]) -> list[str]:
    """Those not read as Python reads them, by themselves or in a file, where inf is refused."""
    floats = [read_by_python(text) for text in texts]
    wrong = [t for t, x in zip(texts, floats, strict=True) if bits(read_by_core(t)) != bits(x)]
    wanted = np.array([x if math.isfinite(x) else math.nan for x in floats])
    unlike = values_of(texts).view(np.int64) != wanted.view(np.int64)
    return wrong + [texts[k] for k in np.flatnonzero(unlike)]


def values_of(texts: list[str]) -> NDArray[np.float64]:
    """The values of a file with one entry a line, NaN where the line was refused."""
    raw = "".join(f"1 1:{text}\n" for text in texts).encode()
    padded = np.frombuffer(raw + b"\n" * 16, dtype=np.uint8)
    parsed = _core.parse_svmlight(padded, length=len(raw), allowed=len(texts))
    refused = [bad[0] for bad in parsed["bad"]]
    values = np.full(len(texts), np.nan)
    values[np.delete(np.arange(len(texts)), refused)] = parsed["values"]
    return values


def unlike_scikit_learn(path: Path) -> tuple[int, int, list[str]]:
    """How many rows and entries a file has, and which of its arrays the two loaders differ in."""
    theirs, y = load_svmlight_file(str(path), zero_based=True)
    values, indices, lengths, labels = [], [], [], []
    for chunk in open_files(path):
        assert isinstance(chunk.rows, SparseRows)
        values.append(chunk.rows.values)
        indices.append(chunk.rows.indices)
        lengths.append(np.diff(chunk.rows.starts))
        labels.append(np.array([float(text) for text in chunk.label_texts])[chunk.labels])
    pairs = {
        "values": (np.concatenate(values).view(np.int64), theirs.data.view(np.int64)),
        "indices": (np.concatenate(indices), theirs.indices),
        "lengths of rows": (np.concatenate(lengths), np.diff(theirs.indptr)),
        "labels": (np.concatenate(labels), y),
    }
    unlike = [name for name, (a, b) in pairs.items() if not np.array_equal(a, b)]
    return len(y), theirs.nnz, unlike


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("directory", type=Path, nargs="?", help="where svmlight files are")
    options.add_argument("--cases", type=int, default=1_000_000)
    given = options.parse_args()
    stream, read_so_far = cases(given.cases), 0
    wrong: list[str] = []
    while some := list(islice(stream, AT_ONCE)):
        wrong += differing(some)
        read_so_far += len(some)
    print("| read as Python's float | cases | different |")
    print("|---|---|---|")
    print(f"| hard and short decimals | {read_so_far:,} | {len(wrong)} |", flush=True)
    for text in wrong[:10]:
        print(f"different: {text}", file=sys.stderr)
    if given.directory is None:
        return int(bool(wrong))
    print("\n| read as scikit-learn's loader | rows | entries | different |")
    print("|---|---|---|---|")
    bad = 0
    for path in sorted(given.directory.rglob("*.svm*")):
        rows, entries, unlike = unlike_scikit_learn(path)
        bad += bool(unlike)
        name = path.relative_to(given.directory)
        print(f"| {name} | {rows:,} | {entries:,} | {', '.join(unlike) or 'nothing'} |", flush=True)
    return int(bool(wrong) or bad > 0)


if __name__ == "__main__":
    sys.exit(main())
