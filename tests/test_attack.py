"""The attack (tools/attack) knows the truth about small tables and notices what goes wrong."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from attack import regressions
from attack.arena import Arena, Attack, Fault
from attack.forgeries import is_false, resealed
from attack.tables import Table, random_table
from attack.truth import facts
from novikoff import certify
from novikoff.guarantees import check

XOR = Table(None, (("0", "0", "a"), ("0", "1", "b"), ("1", "0", "b"), ("1", "1", "a")), 2)
SPLIT = Table(("x", "z", "kind"), (("0", "1", "a"), ("2", "0", "b"), ("3", "5", "b")), 2)


def certificate_of(table: Table) -> dict[str, Any]:
    X = [[float(cell) for cell in row[:-1]] for row in table.cells]
    return certify(X, [row[-1] for row in table.cells]).to_dict()


@pytest.mark.parametrize(
    ("z", "verdict", "margin"),
    [
        ([[1, 0], [0, 1]], "complete", Fraction(1, 2)),
        ([[1, 0], [-1, 0]], "overlap", 0),
        ([[1, 0], [-1, 0], [0, 1]], "quasi-complete", 0),
        ([[0, 0], [1, 1]], "quasi-complete", 0),
        ([[3, 4]], "complete", 25),
        ([[1, 1], [1, -2], [-2, 1]], "overlap", 0),
    ],
)
def test_the_truth_about_small_tables(z: list[list[int]], verdict: str, margin: Fraction) -> None:
    found = facts(tuple(tuple(map(Fraction, row)) for row in z))
    assert (found.verdict, found.margin_squared) == (verdict, margin)


@pytest.mark.parametrize("seed", range(20))
def test_the_truth_agrees_with_certify(seed: int) -> None:
    dice = np.random.default_rng(seed)
    X, y = dice.integers(-2, 3, (5, 2)), dice.integers(0, 2, 5)
    found = certify(X, y, fit_intercept=False, margin_rtol=0)
    sign = np.where(y == y.max(), 1, -1) if y.any() else np.full(5, -1)
    z = tuple(tuple(Fraction(int(v)) for v in row) for row in X * sign[:, None])
    assert facts(z).verdict == found.verdict
    assert facts(z).radius_squared == found.radius_squared
    if found.verdict == "complete":
        assert facts(z).margin_squared == found.margin.at_least_squared


def test_small_regressions_are_decided_as_all_their_circuits_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regressions, "REGRESSIONS", 80)
    monkeypatch.setattr(regressions, "FORGERIES", 2)
    assert [*regressions.attempt(Random(7))] == [None] * 240


def test_the_regressions_that_are_drawn_have_every_model_and_verdict() -> None:
    drawn = [regressions.drawn(Random(k)) for k in range(100)]
    assert {(it.kind, it.truth[0]) for it in drawn} >= {
        (kind, verdict)
        for kind in regressions.KINDS
        for verdict in ("complete", "quasi-complete", "overlap")
    }


def test_a_wrong_verdict_about_a_regression_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regressions.Regression, "truth", ("overlap", [99]))
    assert "certify is wrong" in str(next(regressions.attempt(Random(1))))


@pytest.mark.parametrize("table", [XOR, SPLIT])
def test_an_honest_certificate_is_true(table: Table) -> None:
    assert is_false(certificate_of(table), table) is None


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        ({"verdict": "complete"}, "the verdict is false"),
        ({"radius_squared": "17"}, "the radius is false"),
        ({"separated": "0-3"}, "the separated rows are others"),
        ({"multipliers": {"0": "1"}}, "the multiplied rows do not sum to 0"),
        ({"weights": {"0": "1"}}, "the weights have a row on their wrong side"),
    ],
)
def test_a_lie_is_noticed(lie: dict[str, Any], why: str) -> None:
    assert is_false(certificate_of(XOR) | lie, XOR) == why


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        ({"rows": 2}, "the number of rows is not that of the file"),
        ({"names": ["z", "x"]}, None),  # what is true of the columns in this order is another thing
        ({"names": ["x", "x"]}, "the columns are not those of the file"),
        ({"label": "x"}, "a label is not one of the classes"),
        ({"classes": ["a", "c"]}, "a label is not one of the classes"),
    ],
)
def test_a_lie_about_the_file_is_noticed(lie: dict[str, Any], why: str | None) -> None:
    written = certificate_of(SPLIT)
    found = is_false(written | {"data": written["data"] | lie}, SPLIT)
    assert found == why if why else found is not None


def test_a_new_seal_is_the_one_that_the_checker_computes() -> None:
    written = certificate_of(XOR)
    assert resealed(written | {"seal": ""}) == written
    assert check.seal(written) == written["seal"]


def test_the_same_dice_make_the_same_table() -> None:
    assert random_table(Random(3)).content == random_table(Random(3)).content


def fails(_: Random) -> Iterator[Exception | None]:
    yield None
    yield Fault("number 7 is wrong", exhibit="here")
    raise KeyError("unexpected")


def crashes(_: Random) -> Iterator[Exception | None]:
    yield None
    os.abort()


def hangs(_: Random) -> Iterator[Exception | None]:
    time.sleep(60)
    yield None


def grows(_: Random) -> Iterator[Exception | None]:
    np.ones(1 << 28)
    yield None


@pytest.mark.parametrize(
    ("attempt", "kind"),
    [
        (fails, "number N is wrong"),
        (fails, "KeyError in test_attack.py:fails"),
        (crashes, "the process ended with signal SIGABRT, "),
        (hangs, "it did not end within 0.2 s, "),
        (grows, "MemoryError in "),
    ],
)
def test_the_arena_notices_errors_crashes_hangs_and_memory(
    attempt: Callable[[Random], Iterator[Exception | None]], kind: str, tmp_path: Path
) -> None:
    seconds = 0.2 if attempt is hangs else 60  # only what hangs must meet its limit
    attack = Attack("trial", "a trial", attempt, seconds=seconds, megabytes=200)
    arena = Arena(attack, 1, tmp_path / "work", tmp_path / "failures")
    outcome = arena.run(0.05, lambda _: None)
    assert any(kind in found for found in outcome.kinds), outcome.kinds
    saved = [path.read_text() for path in (tmp_path / "failures").rglob("why.txt")]
    assert any("--seed 1 --only trial --attempt" in why for why in saved)
