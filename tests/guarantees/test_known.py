"""Which bound applies to a run, and whether its sandwich can be followed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from novikoff import guarantees, sources
from novikoff.guarantees import known
from novikoff.learners import Additive, BalancedWinnow
from novikoff.runs.loop import Run, play

CORNERS = sources.block([[2, 1], [1, 3], [-1, -2], [-2, 1]], [1, 1, -1, -1])
XOR = sources.block([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
U = [2, 1]


def played(block: Any = CORNERS, **options: Any) -> Run:
    return play(block, Additive(2, **options), epochs=50)


def test_the_theorem_follows_from_the_run() -> None:
    plain, start = played().ledger, np.array([-1.0, 0.5])
    assert known.applicable_bound(plain, witness=U) == (guarantees.novikoff(plain, U), "")
    careful = played(margin=2.0).ledger
    expected: Any = guarantees.margin_perceptron(careful, U, 2)
    assert known.applicable_bound(careful, witness=U, margin=2) == (expected, "")
    begun = played(start=start).ledger
    assert known.applicable_bound(begun, witness=U) == (guarantees.from_start(begun, U), "")
    tied = played(XOR, bias=True).ledger
    expected = guarantees.best_comparator(tied, XOR)
    assert known.applicable_bound(tied, data=XOR) == (expected, "")


def test_where_no_bound_applies_the_reason_is_given() -> None:
    tied = played(XOR, bias=True).ledger
    winnow = play(CORNERS, BalancedWinnow(2)).ledger
    for (bound, why), words in (
        (known.applicable_bound(tied, witness=[1, 1, 0]), "row"),
        (known.applicable_bound(tied), "a bound by losses needs all the data"),
        (known.applicable_bound(winnow, witness=U), "winnow2_bound"),
    ):
        assert bound is None
        assert words in why


def test_the_sandwich_is_followed_up_to_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = played().ledger
    found, why = known.running_sandwich(ledger, U)
    assert (found is not None and found.holds, why) == (True, "")
    assert known.running_sandwich(ledger, None)[1].endswith("none are known")
    monkeypatch.setattr(known, "_TO_FOLLOW", 65)
    assert not known.can_follow(ledger)
    assert "too many mistakes" in known.running_sandwich(ledger, U)[1]
    assert known.running_sandwich(played(start=np.ones(2) * -9).ledger, U)[0] is None
    assert known.can_follow(Additive(2).open_ledger())
