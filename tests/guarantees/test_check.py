"""The checker: whatever is changed in a certificate or its data, nothing false is accepted."""

from __future__ import annotations

import ast
import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers import checkers
from helpers.checkers import answer
from helpers.separation import Problem, best_margin_squared, problems, reduced, separated_rows
from helpers.strategies import LAYOUTS, stored, untidy
from novikoff import BadExample, Block, Certificate, Rejected, certify, sources, verify
from novikoff.guarantees import check
from novikoff.guarantees.certificate import fingerprint
from novikoff.guarantees.exact.rows import usable
from novikoff.separability import certifying
from novikoff.separability.certifying import evidence
from novikoff.separability.exact_linear import rank_of
from novikoff.separability.models import data_of
from novikoff.sources import Data

Written = dict[str, Any]


def certified(problem: Problem, **options: Any) -> Written:
    return certify(block_of(problem), fit_intercept=problem.bias, **options).to_dict()


def block_of(problem: Problem) -> Block:
    return Block(stored(problem.X, "dense", "float64"), problem.y)


def sealed(certificate: Written) -> Written:
    return {**certificate, "seal": check.seal(certificate)}


def checked(certificate: Written, problem: Problem) -> None:
    """The three checks of one certificate, which must say the same."""
    block, said = block_of(problem), []
    for checks in (
        lambda: checkers.checked(certificate, evidence(data_of(block))),
        lambda: certifying.checked(check.claim(certificate), block),
    ):
        try:
            checks()
            said.append("accepted")
        except Rejected as error:
            said.append(str(error))
    assert said[0] == said[1]
    if said[0] != "accepted":
        raise Rejected(said[0])


def made(X: list[list[float]], y: list[int], *, bias: bool) -> Problem:
    return Problem(np.array(X, dtype=float), np.array(y, dtype=np.int8), bias)


KINDS = {
    "complete": made([[3, 1], [1, 2], [-2, 0], [0, -3]], [1, 1, -1, -1], bias=True),
    "quasi-complete": made([[0, 1, 2], [1, 2, 4], [1, 2, 4], [3, 0, 0]], [-1, -1, 1, 1], bias=True),
    "overlap": made([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1], bias=True),
    "in a plane": made([[1, 0], [-1, 0], [0, 1]], [1, 1, 1], bias=False),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def original(kind: str) -> Written:
    return certified(KINDS[kind])


def changed(certificate: Written, *path: str | int, to: Any) -> Written:
    """A copy in which what the path leads to is another."""
    copy = deepcopy(certificate)
    at: Any = copy
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = to
    return copy


def paths(written: Any, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to each part of it, and to the parts of the parts."""
    parts = written.items() if isinstance(written, dict) else enumerate(written)
    for key, part in parts:
        yield (*before, key)
        if isinstance(part, dict | list):
            yield from paths(part, (*before, key))


def part(certificate: Written, path: tuple[str | int, ...]) -> Any:
    at: Any = certificate
    for step in path:
        at = at[step]
    return at


def integer_vector(written: dict[str, str], length: int, *, bias: bool) -> list[int]:
    """As the certificate means it; columns that do not exist are left out."""
    keys = [*map(str, range(length - bias)), *(["constant"] if bias else [])]
    return [int(written.get(key, "0"), 0) for key in keys]


def is_true(certificate: Written, given: Problem) -> bool:
    """Whether what a certificate says of the data is so: found out without looking at its proof."""
    about, margin = certificate["data"], certificate["margin"]
    problem = Problem(given.X, given.y, about["bias"] is True)
    points = problem.points
    n, length = len(points), len(points[0])
    pivots = [p for p, _ in reduced(points)]
    separated = [False] * n
    if pivots:
        inside = [[z[p] for p in pivots] for z in points]
        separated = separated_rows(inside, np.ones((1, n)))[0].tolist()
    truth = "complete" if all(separated) else "quasi-complete" if any(separated) else "overlap"
    best = best_margin_squared(points) if all(separated) else Fraction(0)
    high = margin["at_most_squared"]
    w = integer_vector(certificate["weights"], length, bias=problem.bias)
    sides = [sum(a * b for a, b in zip(w, z, strict=True)) for z in points]
    said = Certificate.from_dict(sealed(certificate)).separated_rows.tolist()
    return (
        certificate["verdict"] in (truth, "undecided")
        and about["rows"] == n
        and about["columns"] == given.X.shape[1]
        and about["names"] is about["label"] is None
        and about["classes"] == ["-1", "1"]
        and about["files"] == []
        and about["fingerprint"] == fingerprint(block_of(given))
        and Fraction(certificate["radius_squared"]) == max(sum(a * a for a in z) for z in points)
        and Fraction(margin["at_least_squared"]) <= best
        and (high is None or best <= Fraction(high))
        and said == [i for i, side in enumerate(sides) if side > 0]
        and (certificate["verdict"] == "undecided" or said == np.flatnonzero(separated).tolist())
    )


@settings(max_examples=60)
@given(problems(most_rows=6, most_columns=3))
def test_the_checker_accepts_what_certify_writes_and_it_is_true(problem: Problem) -> None:
    certificate = certified(problem)
    checked(certificate, problem)
    assert is_true(certificate, problem)


@every_kind
def test_any_change_breaks_the_seal(kind: str) -> None:
    for path in paths(original(kind)):
        wrong = changed(original(kind), *path, to="another")
        with pytest.raises(
            Rejected, match="changed after it was written|not a cert|its version is not"
        ):
            checked(wrong, KINDS[kind])
        with pytest.raises(Rejected):
            Certificate.from_dict(wrong)


RUBBISH: list[Any] = [
    None, True, False, -1, 0, 1, 2, 7, 0.5, 1e308, "", "0", "-1", "2", "1/2", "1e5", "1/0", "0x",
    "-", "0-2", "2-0", "0,0", "constant", "?" * 1000, [], {}, [[]], [{}], {"0": "1"}, {"-1": "3"},
    {"constant": "1"}, {"7": "1"}, {"0": "0"}, {"a": "b"}, {"0": 1}, [{"7": "1"}], [{"0": "0"}],
    "complete", "quasi-complete", "overlap", "undecided",
]  # fmt: skip


@settings(max_examples=150)
@given(problems(most_rows=6, most_columns=2), st.data())
def test_what_is_still_accepted_after_any_change_is_still_true(
    problem: Problem, data: st.DataObject
) -> None:
    certificate = certified(problem)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(sorted(paths(certificate), key=str)))
        was = part(certificate, path)
        new: Any = data.draw(st.sampled_from(RUBBISH))
        if isinstance(was, dict) and data.draw(st.booleans()):
            key = data.draw(st.sampled_from(["0", "1", "2", "-1", "7", "constant"]))
            new = {**was, key: data.draw(st.sampled_from(["1", "-1", "2", "9"]))}
        elif isinstance(was, list) and data.draw(st.booleans()):
            new = [*was, new]
        certificate = changed(certificate, *path, to=new)
    certificate = sealed(certificate)
    try:
        checked(certificate, problem)
    except Rejected:
        return
    assert is_true(certificate, problem)


@every_kind
def test_a_certificate_with_a_part_missing_is_rejected_or_still_true(kind: str) -> None:
    for path in paths(original(kind)):
        copy = deepcopy(original(kind))
        del part(copy, path[:-1])[path[-1]]
        try:
            checked(sealed(copy), KINDS[kind])
        except Rejected:
            continue
        assert is_true(copy, KINDS[kind])  # what is missing was no part of the proof


@pytest.mark.parametrize(
    ("kind", "path", "to", "reason"),
    [
        ("complete", ("weights", "0"), "-9", "row 0 is on the wrong side"),
        ("complete", ("weights",), {}, "weights do not match its verdict"),
        ("complete", ("verdict",), "overlap", "weights do not match its verdict"),
        ("complete", ("verdict",), "undecided", "weights do not match its verdict"),
        ("complete", ("margin", "at_least_squared"), "99", "margin of the weights differs"),
        ("complete", ("margin", "at_most_squared"), "1/99", "not what its proof gives"),
        ("complete", ("margin", "at_most_squared"), None, "not what its proof gives"),
        ("complete", ("margin", "hull"), {}, "not what its proof gives"),
        ("complete", ("margin", "hull"), {"4": "1"}, "does not exist"),
        ("complete", ("margin", "hull"), {"0": "-1"}, "not positive"),
        ("complete", ("radius_squared",), "10", "radius differs"),
        ("complete", ("separated",), "0-2", "the separated rows differ"),
        ("complete", ("data", "rows"), 5, "4 rows, not 5"),
        ("complete", ("data", "rows"), 10**30, "its numbers of rows and columns are wrong"),
        ("complete", ("data", "rows"), True, "its numbers of rows and columns are wrong"),
        ("complete", ("data", "fingerprint"), f"sha256:{64 * '0'}", "the data are not those"),
        ("complete", ("data", "fingerprint"), "sha256:0", "damaged"),
        ("complete", ("data", "files"), [f"sha256:{64 * '0'}"], "the files are not those"),
        ("complete", ("data", "names"), ["a", "b"], r"the columns: None here, \('a', 'b'\) in the"),
        ("complete", ("data", "names"), ["a", "a"], "two names or labels in it are the same"),
        ("complete", ("data", "names"), ["a"], "it should have 2 names"),
        ("complete", ("data", "label"), "y", "the label's column: None here, 'y' in the cert"),
        ("complete", ("data", "classes"), ["0", "1"], "the labels: .* here, .* in the certificate"),
        ("complete", ("data", "classes"), ["1", "1"], "two names or labels in it are the same"),
        ("complete", ("data", "classes"), None, "it should have 2 names or labels"),
        ("complete", ("complement",), [{"0": "1"}], "complement that proves nothing"),
        ("complete", ("weights", "00"), "1", "does not exist"),
        ("complete", ("weights", "2"), "1", "does not exist"),
        ("complete", ("multipliers",), {"0": "1"}, "row 0 is separated but has a multiplier"),
        ("complete", ("aliases",), [], "an unknown field"),
        ("complete", ("margin",), [], "a part of it is not an object"),
        ("complete", ("margin",), {"hull": {}}, "'at_least_squared' is missing"),
        ("complete", ("data", "label"), 5, "its label is wrong"),
        ("overlap", ("margin", "hull"), {"0": "1"}, "two proofs"),
        ("complete", ("data", "columns"), 1, "column"),
        ("complete", ("data", "columns"), 3, "the data have 2 columns, not 3"),
        ("complete", ("data", "bias"), False, "does not exist|radius"),
        ("overlap", ("multipliers", "0"), "2", "do not sum to zero"),
        ("overlap", ("multipliers", "0"), "-1", "not positive"),
        ("overlap", ("multipliers",), {}, "no multipliers"),
        ("overlap", ("multipliers", "9"), "1", "does not exist"),
        ("overlap", ("verdict",), "quasi-complete", "weights do not match its verdict"),
        ("overlap", ("verdict",), "complete", "weights do not match its verdict"),
        ("overlap", ("verdict",), "perhaps", "unknown verdict 'perhaps'"),
        ("overlap", ("complement",), [{"0": "1"}], "not orthogonal"),
        ("overlap", ("complement",), {}, "damaged: a list in it is wrong"),
        ("overlap", ("complement",), [{"0": "1"}] * 4, "complement that proves nothing"),
        ("quasi-complete", ("verdict",), "overlap", "weights do not match its verdict"),
        ("quasi-complete", ("complement",), [], "do not span"),
        ("quasi-complete", ("estimable",), [], "the estimable columns are not those that the"),
        ("quasi-complete", ("estimable",), [0, 1, 2, 3], "the estimable columns are not those"),
        ("quasi-complete", ("estimable",), [3, 0], "its estimable columns are wrong"),
        ("quasi-complete", ("estimable",), [4], "its estimable columns are wrong"),
        ("quasi-complete", ("estimable",), "0", "its estimable columns are wrong"),
        ("overlap", ("estimable",), [0, 1], "the estimable columns are not those that the rows"),
        ("complete", ("estimable",), [0], "its estimable columns do not match its verdict"),
        ("quasi-complete", ("weights",), {}, "weights do not match its verdict"),
        ("quasi-complete", ("multipliers", "0"), "1", "row 0 is separated but has a multiplier"),
    ],
)
def test_a_renewed_seal_does_not_hide_what_was_changed(
    kind: str, path: tuple[str, ...], to: Any, reason: str
) -> None:
    wrong = sealed(changed(original(kind), *path, to=to))
    with pytest.raises(Rejected, match=reason):
        checked(wrong, KINDS[kind])


@pytest.mark.parametrize("name", ["weights", "hull"])
@pytest.mark.parametrize(
    ("place", "number", "reason"),
    [
        *(
            (place, "1", "does not exist")
            for place in ("0 1", "0 ", " 0", "", " ", "0\n", "٣", "+0")
        ),
        *(("0", number, "a number in it is wrong") for number in ("1 2", "1 ", " 1", "", "1\n")),
        *(("0", number, "a number in it is wrong") for number in ("0", "-0", "01", "1_0", "0b1")),
        ("0", 41 * "9", "a number in it is wrong"),
        ("0", 1, "damaged"),
    ],
)
def test_numbers_and_places_have_one_spelling(
    name: str, place: str, number: Any, reason: str
) -> None:
    certificate = original("complete")
    path = (name,) if name == "weights" else ("margin", name)
    for rest in ({}, {"1": "1"}):  # alone, and before another
        wrong = sealed(changed(certificate, *path, to={place: number, **rest}))
        with pytest.raises(Rejected, match=reason):
            checked(wrong, KINDS["complete"])


def test_only_a_certificate_in_memory_needs_no_seal(monkeypatch: Any) -> None:
    X, y = [[1.0, 2.0], [3.0, -1.0]], [1, -1]
    found = certify(X, y)
    without = {key: part for key, part in found.to_dict().items() if key != "seal"}
    for reads in (check.claim, Certificate.from_dict):
        with pytest.raises(Rejected, match="'seal' is missing"):
            reads(without)
    with pytest.raises(Rejected, match="an unknown field"):
        check.claim(found.to_dict(), sealed=False)
    monkeypatch.setattr(check, "seal", None)  # it is not written as JSON either
    assert verify(found, X, y)
    assert found.to_dict(sealed=False) == without
    for wrong in (
        {"weights_by_column": {0: -9}},
        {"weights_by_column": {**found.weights_by_column, 7: 1}},
        {"weights_by_column": {0: 0.5}},
        {"multipliers": {0: 1}},
        {"radius_squared": Fraction(1)},
        {"separated": ()},
        {"data": replace(found.data, rows=3)},
    ):
        with pytest.raises(Rejected):
            verify(replace(found, **wrong), X, y)


@pytest.mark.parametrize(
    "spans",
    [None, [], "3-1", "1,0", "0,1", "0-1,2", "00", "0-0", "0-9", f"{9**5000:x}", "0-", "-1"],
)
def test_rows_have_one_spelling(spans: Any) -> None:
    wrong = sealed({**original("complete"), "separated": spans})
    with pytest.raises(Rejected):
        checked(wrong, KINDS["complete"])
    with pytest.raises(Rejected):
        Certificate.from_dict(wrong)


@pytest.mark.parametrize(("kind", "name"), [("overlap", "multipliers"), ("complete", "weights")])
def test_multiples_of_the_proof_are_a_proof(kind: str, name: str) -> None:
    times = {key: str(6 * int(x)) for key, x in original(kind)[name].items()}
    checked(sealed({**original(kind), name: times}), KINDS[kind])


@pytest.mark.parametrize(
    ("label", "row", "reason"),
    [
        (2, [(0, 1.0)], "which is not -1 or 1"),
        (1, [(1, 1.0), (0, 1.0)], "do not increase"),
        (1, [(0, 0.0), (0, 1.0)], "do not increase"),
        (1, [(2, 1.0)], "do not increase within 0 to 1"),
        (1, [(-1, 1.0)], "do not increase within 0 to 1"),
    ],
)
def test_a_row_that_means_nothing_is_rejected(label: int, row: Any, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        checkers.checked(original("complete"), check.Evidence([(label, row)], 2))


CORNER = made([[1, 0], [0, 1]], [1, 1], bias=False)
PLANE = KINDS["in a plane"]
LINE = made([[1, 0], [-1, 0]], [1, 1], bias=False)
SLANTED = made([[1, 1], [-1, -1], [1, 0]], [1, 1, 1], bias=False)
ZERO_SUM: Written = {
    "weights": {}, "separated": "", "multipliers": {"0": "1", "1": "1"},
    "margin": {"at_least_squared": "0", "at_most_squared": "0", "hull": {}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "forged", "reason"),
    [
        (CORNER, {"weights": {"0": "1"}, "separated": "0",
                  "margin": {"at_least_squared": "1", "at_most_squared": None, "hull": {}}},
         "row 1 is not separated by the weights"),
        (CORNER, {"weights": {"0": "1"}, "separated": "0", "verdict": "quasi-complete",
                  "margin": {"at_least_squared": "0", "at_most_squared": None, "hull": {}}},
         "there are no multipliers"),
        (PLANE, {**ZERO_SUM, "verdict": "overlap", "complement": []}, "a column is used that"),
        (PLANE, {**ZERO_SUM, "verdict": "overlap", "complement": [{"1": "1"}]}, "not orthogonal"),
        (SLANTED, {**ZERO_SUM, "verdict": "overlap", "complement": []}, "do not span"),
        (SLANTED, {**ZERO_SUM, "verdict": "overlap", "complement": [{"0": "1", "1": "-1"}]},
         "row 2 is not orthogonal"),
        (SLANTED, {**ZERO_SUM, "verdict": "quasi-complete", "complement": [],
                   "weights": {"0": "1", "1": "-1"}, "separated": ""}, "the separated rows differ"),
        (LINE, {**ZERO_SUM, "verdict": "quasi-complete", "complement": [], "weights": {"1": "1"}},
         "the verdict does not match the separated rows"),
        (SLANTED, {**ZERO_SUM, "verdict": "undecided", "multipliers": {"0": "1", "2": "1"},
                   "complement": [], "estimable": []}, "do not sum to zero"),
    ],
)  # fmt: skip
def test_a_proof_made_up_whole_is_rejected(problem: Problem, forged: Written, reason: str) -> None:
    """All that follows from the false step is right, so that only that step can be noticed."""
    with pytest.raises(Rejected, match=reason):
        checked(sealed({**certified(problem), **forged}), problem)


def test_a_vector_of_zeros_in_the_complement_proves_nothing_and_breaks_nothing() -> None:
    X, y = sparse.csr_array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [0, 1, 1]
    written = certify(X, y, fit_intercept=False).to_dict()
    assert verify(Certificate.from_dict(sealed({**written, "complement": [{}]})), X, y)


def test_a_complement_in_missing_columns_is_rejected() -> None:
    """In the plane two rows sum to zero, but the third is separated from them."""
    for column in ("7", "constant"):
        wrong = {
            **original("in a plane"), "verdict": "overlap", "weights": {}, "separated": "",
            "multipliers": {"0": "1", "1": "1"}, "complement": [{column: "1"}],
        }  # fmt: skip
        with pytest.raises(Rejected):
            checked(sealed(wrong), KINDS["in a plane"])


@pytest.mark.parametrize("row", ["-1", "constant", "-0x1"])
def test_rows_that_are_not_there_count_for_nothing(row: str) -> None:
    """They would weigh in the sum the average is divided by, and bring the margin down."""
    problem = made([[3, 0], [0, 4]], [1, 1], bias=False)
    true = certified(problem)
    margin = {**true["margin"], "at_most_squared": "9/100", "hull": {"0": "1", row: "9"}}
    for wrong in ({**true, "margin": margin}, {**true, "multipliers": {row: "1"}}):
        with pytest.raises(Rejected):
            checked(sealed(wrong), problem)


@every_kind
def test_other_data_are_rejected(kind: str) -> None:
    given, certificate = KINDS[kind], original(kind)
    for i in range(len(given.y)):
        flipped = given.y * np.where(np.arange(len(given.y)) == i, -1, 1).astype(np.int8)
        with pytest.raises(Rejected):
            checked(certificate, Problem(given.X, flipped, given.bias))
        for j in range(given.X.shape[1]):
            X = given.X.copy()
            X[i, j] += 2.0**-40
            with pytest.raises(Rejected):
                checked(certificate, Problem(X, given.y, given.bias))
    for other in (given.X[::-1], given.X[:, ::-1], given.X[:-1], np.vstack([given.X, given.X[:1]])):
        y = np.resize(given.y, len(other)).astype(np.int8)
        if not np.array_equal(other, given.X):
            with pytest.raises(Rejected):
                checked(certificate, Problem(other, y, given.bias))


def test_more_columns_than_the_certificate_knows_are_rejected() -> None:
    given = KINDS["complete"]
    with pytest.raises(Rejected, match="3 columns, not 2"):
        verify(certify(given.X, given.y), np.hstack([given.X, np.zeros((4, 1))]), given.y)


@settings(max_examples=40)
@given(problems(), st.integers(0, 2**32 - 1))
def test_a_fingerprint_is_of_the_numbers_and_not_of_how_they_are_stored(
    problem: Problem, seed: int
) -> None:
    by_row = check.Fingerprint()
    for x, y in zip(problem.X, problem.y, strict=True):
        at = np.flatnonzero(x)
        numbers = (np.array([y], "<i1"), np.array([len(at)], "<i8"), at.astype("<i8"), x[at])
        by_row.update(*(part.tobytes() for part in numbers))
    expected = str(by_row)
    for layout in LAYOUTS:
        for precision in ("float64", "float32"):
            rows = stored(problem.X, layout, precision)
            assert fingerprint(Block(rows, problem.y)) == expected
    mixed = untidy(problem.X, np.random.default_rng(seed))
    usable(mixed)  # puts the entries in order, as certify and verify do first
    assert fingerprint(Block(mixed, problem.y)) == expected
    assert fingerprint(sources.block(sparse.csc_array(problem.X), problem.y)) == expected


def test_fingerprints_differ_when_anything_in_the_data_does() -> None:
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [1.0, 2.0, 0.0]])
    y = np.array([1, -1, 1])
    others = [(X[:, ::-1], y), (X[::-1], y), (X, -y), (X[:2], y[:2]), (X * 2, y)]
    moved = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 3.0], [1.0, 2.0, 0.0]])  # only the lengths differ
    seen = [fingerprint(sources.block(*data)) for data in [(X, y), (moved, y), *others]]
    assert len(set(seen)) == len(seen)
    wider = np.hstack([X, np.zeros((3, 1))])  # a column of zeros is no number
    assert fingerprint(sources.block(wider, y)) == seen[0]


@settings(max_examples=30)
@given(problem=problems())
def test_saving_and_loading_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem
) -> None:
    path = tmp_path_factory.mktemp("saved") / "certificate.json"
    names = tuple(f"c{j}" for j in range(problem.X.shape[1]))
    data = Data(block_of(problem), names, ("no", "yes"), "label")
    found = certify(data, fit_intercept=problem.bias)
    found.save(path)
    loaded = Certificate.load(path)
    assert loaded.to_dict() == found.to_dict() == json.loads(path.read_text())
    assert str(loaded) == str(
        replace(found, aliases=None, alone=(), only_label=None, one_response={})
    )  # a file holds only what is checked
    assert loaded.weights == found.weights
    assert loaded.separated_rows.tolist() == found.separated_rows.tolist()
    assert verify(loaded, data)
    with pytest.raises(Rejected, match="the columns: None here"):
        verify(loaded, block_of(problem))


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = certify(KINDS["complete"].X, KINDS["complete"].y)
    found.save(tmp_path / "it.json")
    before = (tmp_path / "it.json").read_bytes()

    def fail(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        found.save(tmp_path / "it.json")
    assert [p.name for p in tmp_path.iterdir()] == ["it.json"]
    assert (tmp_path / "it.json").read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", '{"format": "novikoff certificate"}', "\0"]
)
def test_a_file_that_is_no_certificate_is_rejected_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(Rejected, match="bad.json: "):
        Certificate.load(tmp_path / "bad.json")


def test_integers_of_any_length_survive(tmp_path: Path) -> None:
    scale = np.array([[2.0**400, 2.0**-400]])
    X, y = np.array([[1.0, 3], [1, -3], [-5, 7], [-2, 1]]) * scale, [1, 0, 0, 1]
    found = certify(X, y, fit_intercept=False)
    longer = {j: w * 7**6000 for j, w in found.weights_by_column.items()}
    multipliers = {i: x * 7**6000 for i, x in found.multipliers.items()}
    found = replace(found, weights_by_column=longer, multipliers=multipliers)
    assert verify(found, X, y)
    found.save(tmp_path / "long.json")
    assert Certificate.load(tmp_path / "long.json").to_dict() == found.to_dict()


CELLS = ["0", "1", "-2", "0.5", "1e0", "+1", "00", "1_0", "NA", "", "x", "z", "a", '"1"', "1\x85"]


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A table as text: mostly numbers, perhaps with a header, and labels of one or two kinds."""
    labels = draw(st.sampled_from(["01", "ab", ["9", "10"], "a", "0", ["1", "1.0"], ["x", "0"]]))
    width = draw(st.integers(1, 3))
    number = st.sampled_from(CELLS[:5] if draw(st.booleans()) else CELLS)
    rows = draw(st.lists(st.lists(number, min_size=width, max_size=width), min_size=1, max_size=4))
    lines = [[*row, draw(st.sampled_from(labels))] for row in rows]
    if draw(st.booleans()):
        name = st.sampled_from(["x", "z", "0", "1", "y", "x "])
        lines.insert(0, draw(st.lists(name, min_size=width + 1, max_size=width + 1)))
    mark, end = draw(st.sampled_from([",", ";", "\t", ", "])), draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(mark.join(line) for line in lines) + end


@st.composite
def sparse_lines(draw: st.DrawFn) -> str:
    """svmlight as text."""
    labels = st.sampled_from(draw(st.sampled_from([["0", "1"], ["-1", "+1"], ["a", "b"], ["2"]])))
    pair = st.tuples(st.sampled_from(["0", "1", "2", "5", "03"]), st.sampled_from(CELLS[:8]))
    lines = draw(st.lists(st.tuples(labels, st.lists(pair, max_size=3)), min_size=1, max_size=4))
    return "".join(
        " ".join([label, *(f"{c}:{v}" for c, v in pairs)])
        + draw(st.sampled_from(["\n", " # 0:1\n"]))
        for label, pairs in lines
    )


def read_twice(file: Path, label: str | None = None) -> check.Evidence:
    """What check.py reads, which the checker in JavaScript reads too, or both refuse."""
    said: Any = None
    if checkers.NODE is not None:
        asked = {"files": checkers.encoded([file]), "options": {"label": label}}
        said = checkers.ask_javascript("read", **asked, model={"model": None}).get("said")
    try:
        lazy = check.read([str(file)], label)
        here = replace(lazy, examples=[(y, list(row)) for y, row in lazy.examples])
    except (Rejected, csv.Error):
        assert said is None
        raise
    if checkers.NODE is not None:
        rows = [[y, [[c, checkers.digits(v)] for c, v in row]] for y, row in here.examples]
        assert said == {
            "columns": here.columns,
            "names": here.names and list(here.names),
            "label": here.label,
            "classes": list(here.classes),
            "header": here.header,
            "examples": rows,
        }
    return here


@settings(max_examples=120)
@given(
    content=st.one_of(tables().map(lambda text: (text, "x.csv")),
                      sparse_lines().map(lambda text: (text, "x.svm"))),
    label=st.sampled_from([None, None, None, "0", "1", "x"]),
)  # fmt: skip
def test_the_checker_reads_files_as_novikoff_does(
    tmp_path_factory: pytest.TempPathFactory, content: tuple[str, str], label: str | None
) -> None:
    file = tmp_path_factory.mktemp("read") / content[1]
    file.write_bytes(content[0].encode())
    try:
        here = read_twice(file, label)
        rows = [(y, list(row)) for y, row in here.examples]
        there = evidence(data_of(sources.read(file, label=label, hashed=True)))
    except (BadExample, Rejected):
        return  # one of them refuses the file, and proves nothing
    if not all(a < b for _, row in rows for (a, _), (b, _) in pairwise(row)):
        return
    assert [(y, [(c, v) for c, v in row if v]) for y, row in rows] == [
        (y, [(c, v) for c, v in row if v]) for y, row in there.examples
    ]
    for fact in ("columns", "files", "names", "label", "classes", "header"):
        assert getattr(here, fact) == getattr(there, fact), fact


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", 'x,y\n1,0\n2,1\n""'),
        ("x.csv", "x,x,y\n1,2,0\n2,3,1\n"),
        ("x.csv", "x,,y\n1,2,0\n2,3,1\n"),
        ("x.csv", "1_0,0\n2,1\n"),
        ("x.csv", "\u0661,0\n2,1\n"),
        ("x.csv", "NA,0\n2,1\n"),
        ("x.csv", "1,0\n2,1\n3,2\n"),
        ("x.csv", "1,10;7,0\n1,2,0\n2,1,1\n"),
        ("x.csv", "1,nan\n2,1\n"),
        ("x.csv", "1\n2\n"),
        ("x.csv", ""),
        ("x.tsv", "1\t0\n\t\n2\t1\n"),
        ("x", "{1,2\n3,1\n4,0\n"),
        ("x", "1 | a:2, b\n"),
        ("x", "1\n0\n"),
        ("x.svm", "1,2,0\n2,1,1\n"),
        ("x.svm", "1 9007199254740992:1\n0 1:1\n"),
        ("x.svm", "1 1:1\n3:1\n"),
        ("x.svm", "1 +1:1\n0 1:1\n"),
        ("x.svm", "1 1:0x1\n0 1:1\n"),
        ("x.svm", "1 2:1 \x0c\n0 1:1\n"),
    ],
)
def test_the_checker_refuses_what_novikoff_refuses(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(text.encode())
    with pytest.raises(BadExample):
        evidence(data_of(sources.read(file)))
    with pytest.raises((Rejected, csv.Error)):
        read_twice(file)


IRIS = "long,wide,kind\n1,2,a\n2,1,b\n3,5,c\n4,4,a\n"


@pytest.mark.parametrize(
    ("text", "options", "flags", "status", "says"),
    [
        (IRIS, {"one_vs_rest": "a"}, ["--one-vs-rest", "a"], 0, "'not a' is -, 'a' is +"),
        (IRIS, {"one_vs_rest": "a"}, ["--one-vs-rest", "b"], 1, "rejected: the labels: ('not b',"),
        (IRIS, {"one_vs_rest": "a"}, [], 2, "cannot be checked here: there are 3 different labels"),
        (IRIS, {"keep": ["a", "b"]}, [], 2, "cannot be checked here: there are 3 different labels"),
        (IRIS, {"one_vs_rest": "a"}, ["--one-vs-rest", "x"], 2, "no example has the label 'x'"),
        (IRIS, {"one_vs_rest": "a", "ignore": ["wide"]}, ["--one-vs-rest", "a"], 1,
         "the data have 2 columns, not 1; was it made with other options for reading?"),
        ("leaf,y\ngreen,0\nblack,1\n", {}, [], 2,
         "'green' is not a finite number, and only those are read; add --by-name to make the"),
        ("x,y\n1,0\n2,1\n", {"positive": "0"}, [], 1, "other options for reading?"),
    ],
)  # fmt: skip
def test_the_checker_says_what_it_cannot_read_and_does_not_call_it_rejected(
    text: str,
    options: dict[str, Any],
    flags: list[str],
    status: int,
    says: str,
    tmp_path: Path,
) -> None:
    (tmp_path / "data.csv").write_text(text)
    read = sources.read(tmp_path / "data.csv", hashed=True, **options)
    certify(read).save(tmp_path / "cert.json")
    code, out, err = answer(tmp_path, "cert.json", "data.csv", *flags)
    assert (code, says in out + err) == (status, True), out + err
    assert out.startswith("rejected: ") == (code == 1)


def test_a_truth_value_is_verified_as_one_label_against_the_rest(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(IRIS)
    X, kinds = np.array([[1, 2], [2, 1], [3, 5], [4, 4]]), np.array([*"abca"])
    found = certify(X, kinds == "a")
    assert verify(found, sources.read(tmp_path / "data.csv", one_vs_rest="a"))
    with pytest.raises(Rejected, match="the labels"):
        verify(certify(X[:2], [False, True]), sources.read(tmp_path / "data.csv", keep=["a", "b"]))


def test_a_proof_without_a_constant_says_so(tmp_path: Path) -> None:
    # a constant separates the two rows; without one, they overlap
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,0\n2,1\n")
    read = sources.read(data, hashed=True)
    for bias, begins in ((True, "complete: proved for the 2 rows\n"), (False, "overlap: proved")):
        certify(read, fit_intercept=bias).save(tmp_path / "cert.json")
        status, said, _ = answer(tmp_path, "cert.json", "data.csv")
        assert (status, said.startswith(begins)) == (0, True)
        assert ("of hyperplanes through the origin only" in said) == (not bias)


@pytest.mark.parametrize(
    "files",
    [
        {"data.vw": "0\t|f x:1\n1\t|f x:1\n"},
        {"data.txt": "0\t|f x:1\n1\t|f x:1\n"},
        {"data.json": "1,0\n2,1\n"},
        {"data.jsonl": "1 1:1\n0 1:2\n"},
        {"one.svm": "1 1:1\n", "two.csv": "5,7\n5,7\n"},
        {"one.txt": "1 1:1\n", "two.txt": "a,b\n"},
        {"comma.csv": "1,0\n", "tab.csv": "1\t1\n"},
        {"data.csv": "2,a,a\n0,1,0\n0,2,1\n1,1,0\n1,2,1\n"},
    ],
)
def test_the_checker_refuses_what_could_be_read_otherwise(
    files: dict[str, str], tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(Rejected, match="formats|neither|same name"):
        check.read([str(tmp_path / name) for name in files])


def test_a_label_that_is_named_as_another_column_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("2,a,a\n0,1,0\n0,2,1\n1,1,0\n1,2,1\n")
    with pytest.raises(BadExample, match="two columns have the same name"):
        certify(sources.read(data, hashed=True))


def test_no_path_fakes_a_line_of_the_answer(tmp_path: Path) -> None:
    name = "a.csv, sha256:0\n  header  none\x1b[1A"
    (tmp_path / name).write_text("x,y\n1,0\n2,1\n")
    certify(sources.read(tmp_path / name, hashed=True)).save(tmp_path / "cert.json")
    status, said, _ = answer(tmp_path, "cert.json", name)
    assert (status, len(said.splitlines()), "\x1b" in said) == (0, 4, False)
    status, said, _ = answer(tmp_path, name, name)
    assert (status, len(said.splitlines()), "\x1b" in said) == (1, 1, False)


def test_an_answer_that_cannot_be_shown_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x,é\n1,0\n2,1\n", encoding="utf-8")
    certify(sources.read(tmp_path / "data.csv", hashed=True)).save(tmp_path / "cert.json")
    status, said, _ = answer(tmp_path, "cert.json", "data.csv", PYTHONIOENCODING="ascii")
    assert (status, "column '\\xe9'" in said) == (0, True)
    (tmp_path / "data.csv").write_text("x,y\né,0\n2,1\n", encoding="utf-8")
    status, said, wrong = answer(tmp_path, "cert.json", "data.csv", PYTHONIOENCODING="ascii")
    assert (status, said, len(wrong.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("buffered", [[], ["-u"]])
def test_an_answer_that_cannot_be_written_is_an_error(buffered: list[str], tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x,y\n1,0\n2,1\n")
    certify(sources.read(tmp_path / "data.csv", hashed=True)).save(tmp_path / "cert.json")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, *buffered, check.__file__, "cert.json", "data.csv"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert done.returncode == 2
    assert done.stderr == "the answer could not be written: No space left on device\n"


def test_options_for_another_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n0 1:-1\n")
    (tmp_path / "x.csv").write_text("1,1\n-1,0\n")
    with pytest.raises(Rejected, match="svmlight has no columns with names"):
        check.read([str(tmp_path / "x.svm")], "x")
    with pytest.raises(Rejected, match="only the indices of svmlight"):
        check.read([str(tmp_path / "x.csv")], zero_based=True)


@settings(max_examples=100)
@given(st.integers(1, 5).flatmap(
    lambda d: st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), max_size=7)
))  # fmt: skip
def test_ranks_are_those_of_exact_row_reduction(rows: list[list[int]]) -> None:
    sparse_rows = [{j: a for j, a in enumerate(row) if a or j % 2} for row in rows]
    assert check.rank(sparse_rows) == rank_of(sparse_rows) == len(reduced(rows))


@pytest.mark.parametrize("rank", [check.rank, rank_of])
def test_ranks_modulo_the_prime_are_never_too_large(rank: Any) -> None:
    assert rank([{0: check.PRIME + 1, 1: 1}, {0: 1, 1: 1}]) == 1
    assert rank([{3: -1, 9: 2**70}, {3: 2**80, 9: -(2**150)}, {}]) == 1


def test_the_checker_is_one_short_file_that_needs_the_standard_library_alone() -> None:
    text = Path(check.__file__).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 1075
    nodes = list(ast.walk(ast.parse(text)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.ImportFrom) and node.level for node in nodes)
