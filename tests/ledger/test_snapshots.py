"""Readers of a ledger never disturb the thread that writes it, and see one moment of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from helpers.dict_streams import learn_in_turn, stream
from novikoff import Additive, Joint, Perceptron, guarantees, play, sources
from novikoff.guarantees.known import Summary
from novikoff.ledger import kept_rows, readings
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.rows import SparseRows, join

BLOCK = sources.block(np.eye(64), [1] * 64)  # every row is a mistake


def recorded(ledger: Ledger, learner: Additive, begin: int, end: int) -> None:
    _, mistakes = learner.learn(BLOCK, begin, end)
    ledger.record(mistakes, end - begin, BLOCK)


class During:
    """Calls `verb`, and in its middle, once, what another thread would do."""

    def __init__(self, verb: Callable[[Any], Any]) -> None:
        self.verb = verb
        self.other: Callable[[], None] | None = None

    def __call__(self, pieces: Sequence[Any]) -> Any:
        done, other, self.other = self.verb(pieces), self.other, None
        if other is not None:
            other()
        return done


@pytest.mark.parametrize("look", ["rounds", "examples", "example"])
def test_what_is_recorded_while_another_thread_reads_is_not_lost(
    look: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, rows = During(Mistakes.joined), During(join)
    monkeypatch.setattr(Mistakes, "joined", columns)
    monkeypatch.setattr(kept_rows, "join", rows)
    learner = Additive(64)
    ledger = learner.open_ledger()
    for begin, end in ((0, 20), (20, 26), (26, 28)):
        recorded(ledger, learner, begin, end)
    (columns if look == "rounds" else rows).other = lambda: recorded(ledger, learner, 28, 29)
    getattr(ledger, look)
    recorded(ledger, learner, 29, 30)
    assert ledger.n_mistakes == 30
    assert ledger.rounds.tolist() == list(range(1, 31))
    assert np.array_equal(ledger.examples.sparse().indices, np.arange(30))
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()


@pytest.mark.parametrize("at", ["columns", "rows"])
def test_a_reader_sees_the_ledger_before_or_after_a_change(
    at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, rows = During(Mistakes.joined), During(join)
    monkeypatch.setattr(Mistakes, "joined", columns)
    monkeypatch.setattr(kept_rows, "join", rows)
    monkeypatch.setattr("novikoff.ledger.kept_rows._MANY", 8)
    learner, seen = Additive(64), []
    ledger = learner.open_ledger()
    for begin in range(0, 16, 2):  # more pieces are joined
        recorded(ledger, learner, begin, begin + 2)

    def look() -> None:
        now = ledger.snapshot()
        seen.append((now.n_rounds, now.n_mistakes, len(now.rounds), len(now.examples)))

    (columns if at == "columns" else rows).other = look
    recorded(ledger, learner, 16, 40)
    look()
    assert seen == [(16, 16, 16, 16), (40, 40, 40, 40)]


@pytest.mark.parametrize(
    "theorem",
    [
        lambda ledger: guarantees.novikoff(ledger, [1] * 64),
        lambda ledger: guarantees.adaptive(ledger, [1] * 64),
        lambda ledger: guarantees.from_start(ledger, [1] * 64),
        lambda ledger: guarantees.margin_perceptron(ledger, [1] * 64, 0),
        lambda ledger: guarantees.l1_bound(ledger, [1] * 64, 1),
        lambda ledger: guarantees.l2_bound(ledger, [1] * 64, 1),
        lambda ledger: guarantees.margin_at_most(ledger),
        lambda ledger: guarantees.best_comparator(ledger, BLOCK, [[1] * 64]),
        lambda ledger: guarantees.sandwich(ledger, [1] * 64).upper.tolist(),
        lambda ledger: readings.vote(ledger, BLOCK.rows).tolist(),
        lambda ledger: Summary.of(ledger, "budget").to_dict(),
    ],
)
def test_a_bound_is_about_one_moment_of_a_ledger_that_grows(
    theorem: Callable[[Ledger], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, learner = During(Mistakes.joined), Additive(64)
    monkeypatch.setattr(Mistakes, "joined", columns)
    ledger = learner.open_ledger()
    for begin, end in ((0, 20), (20, 26), (26, 28)):
        recorded(ledger, learner, begin, end)
    before = pickle.loads(pickle.dumps(ledger))
    columns.other = lambda: recorded(ledger, learner, 28, 29)
    found = theorem(ledger)
    assert ledger.n_mistakes == 29
    assert found == theorem(before)


def test_a_snapshot_stays_as_it_is() -> None:
    learner = Additive(64)
    ledger = learner.open_ledger()
    recorded(ledger, learner, 0, 20)
    ledger.close_epoch()
    before = ledger.snapshot()
    settings, arrays = before.state()
    recorded(ledger, learner, 20, 40)
    ledger.close_epoch()
    ledger.turn_round()
    ledger.widen(80)
    again, same = before.state()
    assert again == settings
    assert {k: v.tobytes() for k, v in same.items()} == {k: v.tobytes() for k, v in arrays.items()}
    before.close_epoch()
    assert (len(before.epoch_ends), len(ledger.epoch_ends)) == (2, 2)
    assert ledger.epoch_ends == [20, 40]


def of_an_estimator() -> Ledger:
    ledger: Ledger = learn_in_turn(Perceptron(), stream(3)).ledger_
    return ledger


def of_a_run() -> Ledger:
    block = sources.classes_block(np.eye(3), [0, 1, 2])
    return play(Block(block.rows.sparse(), block.labels), Joint(3)).ledger


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("make", [of_an_estimator, of_a_run])
def test_the_arrays_of_a_ledger_are_read_only(make: Callable[[], Ledger], copied: bool) -> None:
    ledger = pickle.loads(pickle.dumps(make())) if copied else make()
    rows = ledger.examples
    assert isinstance(rows, SparseRows)
    for array in (*ledger.mistakes.columns.values(), rows.values, rows.indices, rows.starts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2**30
    rows.indices = np.full_like(rows.indices, 2**30)
    assert ledger.examples.sparse().indices.max() < ledger.dim
    readings.vote(ledger, ledger.examples)
