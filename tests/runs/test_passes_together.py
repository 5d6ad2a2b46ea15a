"""Many passes in one call of the core are the passes one by one, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import (
    Data,
    dyadic_data,
    dyadic_importances,
    dyadic_options,
    float_data,
    layouts,
    orders,
    precisions,
)
from novikoff import Perceptron
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive
from novikoff.ledger.ledger import Keep, Ledger
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.loop import Run, play
from novikoff.sources import block, separable
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample


def told(learner: Additive, ledger: Ledger) -> list[Any]:
    """All that a learner and its ledger know, to be compared."""
    said: list[Any] = []
    for settings, arrays in (learner.state(), ledger.state()):
        said += [settings, {name: (a.shape, a.tobytes()) for name, a in arrays.items()}]
    return said


def ended(run: Run) -> tuple[Verdict, Any]:
    proof = run.cycle
    if proof is None:
        return run.verdict, None
    return run.verdict, (proof.since, proof.until, proof.rows.tolist(), proof.multipliers)


def assert_same(examples: Block, epochs: int, keep: Keep = "examples", **options: Any) -> Run:
    """Run both ways; they must agree in everything. Returns the run."""
    results = []
    for together in (False, True):
        learner, cycles = Additive(examples.rows.dim, **options), CycleSearch()
        run = play(
            examples,
            learner,
            epochs=epochs,
            ledger=learner.open_ledger(keep),
            cycles=cycles,
            together=together,
        )
        search = cycles.state(learner.dim, bias=learner.bias)
        results.append((told(learner, run.ledger), ended(run), search[0], str(search[1])))
    assert results[0] == results[1]
    return run


@given(st.data(), st.one_of(dyadic_data(), float_data()), layouts, precisions)
def test_a_run_is_the_same(draw: st.DataObject, data: Data, layout: Any, precision: Any) -> None:
    options = draw.draw(dyadic_options(data.dim))
    examples = data.block(
        layout,
        precision,
        order=draw.draw(orders(len(data))),
        importances=draw.draw(dyadic_importances(len(data))),
    )
    epochs = draw.draw(st.integers(1, 40))
    keep: Keep = draw.draw(st.sampled_from(("examples", "positions", "counts")))
    assert_same(examples, epochs, keep, averaging=draw.draw(st.booleans()), **options)


def test_a_cycle_is_found_in_the_same_pass() -> None:
    xor = block([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [-1, 1, 1, -1])
    assert assert_same(xor, 100, bias=True, rate=0.1).verdict is Verdict.CYCLE


def test_a_clean_pass_ends_it() -> None:
    [examples] = separable(50, np.array([0.6, 0.8]), margin=0.01, seed=0)
    run = assert_same(examples, 1000, averaging=True)
    assert run.verdict is Verdict.SEPARATED
    assert run.epochs > 2


def test_the_passes_take_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    passes = Additive.learn_passes

    def counted(self: Additive, *given: Any) -> Any:
        calls.append(given)
        return passes(self, *given)

    monkeypatch.setattr(Additive, "learn_passes", counted)
    dice = np.random.default_rng(0)
    noise = dice.standard_normal((30, 4)), np.where(dice.random(30) < 0.5, 1, -1)
    Perceptron(max_iter=100).fit(*noise)
    assert 1 < len(calls) < 10


def test_scores_that_overflow_in_a_later_pass_are_refused_with_all_before_them_recorded() -> None:
    examples = block([[1.0, 0.0], [0.0, 9e153]], [1, 1])
    said = []
    for together in (False, True):
        learner = Additive(2, margin=1.7e308)
        ledger = learner.open_ledger()
        with pytest.raises(BadExample) as error:
            play(examples, learner, epochs=50, ledger=ledger, together=together)
        said.append((told(learner, ledger), str(error.value)))
    assert said[0] == said[1]
    assert ledger.epoch_ends == [2, 4, 6]
    assert ledger.open_rounds == 1
