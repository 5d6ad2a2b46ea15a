"""The check of a certificate block by block: the facts are those of rows read one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.separation import Problem, problems
from novikoff import certify, sources, verify
from novikoff.guarantees import check
from novikoff.guarantees.certificate import examples, fingerprint
from novikoff.separability.certifying import Gathered
from novikoff.separability.exact_linear import rank_of
from novikoff.sources import ReadOptions
from novikoff.sources.open import Scanned
from novikoff.stream.blocks import Block


def parts(block: Block, cuts: list[int]) -> list[Block]:
    ends = [0, *sorted({min(cut, len(block)) for cut in cuts}), len(block)]
    at = np.arange(len(block))
    return [block.take(at[a:b]) for a, b in pairwise(ends)]


@given(problems(), st.lists(st.integers(1, 11), max_size=4), st.lists(st.integers(0, 11)))
def test_facts_do_not_depend_on_where_rows_are_cut_and_are_those_of_the_checker(
    problem: Problem, blocks: list[int], segments: list[int]
) -> None:
    block = sources.block(problem.X, problem.y)
    found = certify(block, fit_intercept=problem.bias, margin_rtol=0.5)
    whole = found.to_dict()
    it = check.claim(whole)
    it.cuts = {cut for cut in segments if 0 < cut < len(block)}
    gathered = Gathered(it)
    for part in parts(block, blocks):
        gathered.add(part)
    facts = gathered.facts()
    slow = check.facts_of(it, check.Evidence(examples(block), block.rows.dim))
    assert facts == replace(slow, multiplied=facts.multiplied)
    assert rank_of(facts.multiplied) == rank_of(slow.multiplied)
    it.fingerprint = facts.fingerprint
    check.conclude(it, facts)
    is_cut = facts.fingerprint != fingerprint(block)
    assert is_cut == bool(it.cuts) == ("/" in facts.fingerprint)


@pytest.mark.parametrize("cuts", ["/1", "/2,1", "/1,1", "/9", "/0", "/", "/1,", "/01"])
def test_a_fingerprint_of_other_parts_is_rejected(cuts: str) -> None:
    block = sources.block([[1.0], [2.0], [-1.0]], [1, 1, -1])
    whole = certify(block).to_dict()
    whole["data"]["fingerprint"] += cuts
    whole["seal"] = check.seal(whole)
    with pytest.raises(check.Rejected, match="SHA-256 in it is wrong|not those of the certificate"):
        check.check(whole, check.Evidence(examples(block), 1))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.svm", "+1 1:1\n-1 2:1\n+1 1:1 9:1\n"),
        ("zero.svm", "+1 1:1\n-1 2:1\n+1 0:1\n"),
        ("t.csv", "a,b,y\n1,2,yes\n3,4,no\n5,6,yes\n"),
        ("texts.csv", "a,b,y\nu,2,yes\nv,4,no\nw,6,yes\n"),
        ("one.svm", "7 1:1\n7 1:2\n"),
    ],
)
def test_files_read_in_blocks_are_those_read_at_once(
    name: str, text: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("novikoff.sources.files.text.PIECE_BYTES", 8)
    (tmp_path / name).write_text(text)
    how = ReadOptions(threads=0)
    whole = sources.read(tmp_path / name, hashed=True)
    for most in (0, 1000):
        found = Scanned(tmp_path / name, how, hashed=True, most=most)
        for _ in range(2):
            rows = [(label, [*row]) for block in found for label, row in examples(block)]
            assert rows == [(label, [*row]) for label, row in examples(whole.block)]
        assert found.examples == len(whole.block)
        assert found.data.block.rows.dim == whole.block.rows.dim
        assert replace(found.data, block=whole.block) == whole
    assert json.dumps(certify(whole).to_dict())


def test_files_read_in_blocks_do_not_do_for_a_model_that_needs_all_rows(tmp_path: Path) -> None:
    (tmp_path / "t.svm").write_text("0 1:1\n2 1:2\n1 1:3\n")
    X, y = [[1.0], [2.0], [3.0]], [0, 2, 1]
    found = certify(X, y, model="poisson")
    scanned = Scanned(tmp_path / "t.svm", ReadOptions(), hashed=True, as_levels=True)
    with pytest.raises(check.Rejected, match="needs all rows at once; pass X and y"):
        verify(found, scanned)


@pytest.mark.parametrize("n", [3, 5])
def test_data_of_another_number_of_rows_are_refused_before_they_are_looked_at(
    n: int, monkeypatch: Any
) -> None:
    X, y = np.arange(5.0)[:, None], np.array([0, 0, 1, 1, 1])
    found = certify(X[:4], y[:4])
    monkeypatch.setattr("novikoff.separability.certifying.Gathered", None)
    with pytest.raises(check.Rejected, match=f"the data have {n} rows, not 4"):
        verify(found, X[:n], y[:n])
