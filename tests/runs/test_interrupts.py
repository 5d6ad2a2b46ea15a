"""Ctrl-C while an estimator learns one by one or in blocks: what was learned is whole."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from helpers.dict_streams import learn_in_turn, learned_state, stream
from novikoff import AveragedPerceptron, Ledger, Perceptron
from novikoff.learners import Additive
from novikoff.runs.interrupts import Interrupts, undisturbed


def pressed(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The same, with Ctrl-C pressed when it has been done."""

    def pressing(*args: Any, **kwargs: Any) -> Any:
        done = verb(*args, **kwargs)
        signal.raise_signal(signal.SIGINT)
        return done

    return pressing


@pytest.mark.parametrize("verb", ["record", "close_epoch"])
def test_pending_mistakes_are_recorded_completely(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = stream(2, classes=3)
    clf, same = (learn_in_turn(AveragedPerceptron(), examples, classes=range(3)) for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, verb, pressed(getattr(Ledger, verb)))
        with pytest.raises(KeyboardInterrupt):
            _ = clf.ledger_
    assert learned_state(clf) == learned_state(same)
    assert learned_state(learn_in_turn(clf, examples)) == learned_state(
        learn_in_turn(same, examples)
    )


@pytest.mark.parametrize(
    ("owner", "verb", "learned"),
    [
        (Additive, "learn", False),
        (Additive, "turn_round", False),
        (Ledger, "absorb", True),
        (Ledger, "turn_round", True),
    ],
    ids=["in time", "in time, swapping labels", "too late", "too late, swapping labels"],
)
def test_a_block_is_learned_whole_or_not_at_all(
    owner: Any, verb: str, learned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block brings the second label, which turns out to be the positive one."""
    clf, same = (learn_in_turn(Perceptron(), [(x, "ham") for x, _ in stream(3)]) for _ in range(2))
    block = [x for x, _ in stream(4)], ["spam", "ham"] * (len(stream(4)) // 2)
    with monkeypatch.context() as patch:
        patch.setattr(owner, verb, pressed(getattr(owner, verb)))
        with pytest.raises(KeyboardInterrupt):
            clf.learn_many(*block)
    if learned:
        same.learn_many(*block)
    assert learned_state(clf) == learned_state(same)
    assert clf.classes_.tolist() == (["ham", "spam"] if learned else ["ham"])
    clf.learn_one({"a": 1.0}, "spam")
    same.learn_one({"a": 1.0}, "spam")
    assert learned_state(clf) == learned_state(same)


def test_a_failed_allocation_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = stream(2, classes=3)
    clf, same = (learn_in_turn(AveragedPerceptron(), examples, classes=range(3)) for _ in range(2))
    widen, calls = Additive.widen, [1]

    def fails(self: Additive, dim: int) -> None:
        if not calls:
            raise MemoryError
        calls.pop()
        widen(self, dim)

    with monkeypatch.context() as patch:
        patch.setattr(Additive, "widen", fails)
        with pytest.raises(MemoryError):
            clf.learn_one({f"new{j}": 1.0 for j in range(300)}, 1)
    assert learned_state(clf) == learned_state(same)
    assert learned_state(learn_in_turn(clf, examples)) == learned_state(
        learn_in_turn(same, examples)
    )


def test_the_programs_own_handler_is_called_after_the_delay() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
            assert not seen
        assert seen == [signal.SIGINT]
        signal.raise_signal(signal.SIGINT)
        assert len(seen) == 2
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0), (0, 2, 1), (2, 0, 1)]
)
def test_runs_in_turn_may_end_in_any_order(order: tuple[int, ...]) -> None:
    for pressed in range(4):
        runs = [Interrupts().__enter__() for _ in range(3)]
        seen = False
        for ended, k in enumerate(order):
            if ended == pressed:
                signal.raise_signal(signal.SIGINT)  # delayed: a run goes on
            if ended == 2 and pressed < 3:
                seen = True
                with pytest.raises(KeyboardInterrupt):
                    runs[k].__exit__()
            else:
                runs[k].__exit__()
        assert seen == (pressed < 3)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
