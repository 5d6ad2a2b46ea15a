"""Interactions: products of features, in slices and counted by pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import run
from novikoff.sources import open_files
from novikoff.sources.features import Features
from novikoff.sources.interactions import ALL, in_slices, with_products
from novikoff.stream.rows import join


@pytest.mark.parametrize("most", [1, 10, 100, 10**6])
def test_products_do_not_depend_on_slices(tmp_path: Path, most: int) -> None:
    rng = np.random.default_rng(0)
    lines = [
        " ".join(["1", *(f"{j}:{rng.integers(1, 9)}" for j in sorted(rng.choice(20, k, False)))])
        for k in rng.integers(0, 7, 50)
    ]
    (tmp_path / "x.svm").write_text("\n".join(lines))
    (chunk,) = open_files(tmp_path / "x.svm")
    whole, parted = Features(products=[ALL]), Features(products=[ALL])
    slices = list(in_slices(chunk, most))
    assert [part.first for part in slices] == np.cumsum([0, *map(len, slices)])[:-1].tolist()
    a = whole.rows(chunk).sparse()
    b = join([parted.rows(part).sparse().widened(whole.room) for part in slices]).sparse()
    names_a, names_b = whole.names, parted.names
    assert names_a is not None
    assert names_b is not None
    for i in range(len(chunk)):
        (ja, xa), (jb, xb) = a.row(i), b.row(i)
        assert dict(zip((names_a[j] for j in ja), xa.tolist(), strict=True)) == dict(
            zip((names_b[j] for j in jb), xb.tolist(), strict=True)
        )
    assert most == 1 or all(
        sum(len(part.rows.row(i)[0]) ** 2 for i in range(len(part))) <= most or len(part) == 1
        for part in slices
    )


def test_products_are_counted_by_pair(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"label":1,"a":1,"b":"u","c":2}\n{"label":0,"a":2,"b":"v"}\n'
    )
    (chunk,) = open_files(tmp_path / "x.jsonl")
    assert with_products(chunk, [("a", "b"), ("a", "nope"), ("b", "c")])[1] == [2, 0, 1]
    answer = run("train", tmp_path / "x.jsonl", "-o", tmp_path / "m", "-q", "--interactions", "a*x")
    assert answer.stderr == (
        "novikoff: --interactions a*x: no example has features of both fields\n"
    )
