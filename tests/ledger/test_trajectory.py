"""The weights after each mistake are those the learner held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import Data, dyadic_data, dyadic_options
from novikoff import sources
from novikoff.learners import Additive, Joint
from novikoff.ledger import readings
from novikoff.ledger.readings import trajectory, weights_after
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block


@given(data=dyadic_data(), draw=st.data())
def test_each_moment_is_that_of_a_learner_stopped_there(data: Data, draw: st.DataObject) -> None:
    options: Any = draw.draw(dyadic_options(data.dim))
    block = data.block()
    ledger = play(block, Additive(data.dim, **options), epochs=2).ledger
    moments = list(trajectory(ledger))
    assert [m.mistakes for m in moments] == list(range(1, len(ledger) + 1))
    learner = Additive(data.dim, averaging=True, **options)
    assert (weights_after(ledger, 0) == learner.weights).all()
    for _ in range(2):
        for i in range(len(block)):
            before = ledger.updates_by(learner.rounds)
            play(Block(block.rows.take(np.array([i])), block.labels[i : i + 1]), learner)
            now = ledger.updates_by(learner.rounds)
            if now > before:
                assert (moments[now - 1].weights == learner.weights).all()
                assert (moments[now - 1].average(learner.rounds) == learner.average).all()
    if moments:
        assert (moments[-1].weights == readings.final(ledger)).all()
        assert (moments[-1].average(ledger.n_rounds) == readings.average(ledger)).all()


def test_chosen_moments_must_be_in_order() -> None:
    block = sources.tight(9)
    ledger = play(block, Additive(9)).ledger
    assert [m.weights.sum() for m in trajectory(ledger, [0, 3, 3, 9])] == [0, 3, 3, 9]
    for wrong in ([2, 1], [10]):
        with pytest.raises(ValueError, match="increasing and at most 9"):
            list(trajectory(ledger, wrong))
    joint = play(sources.classes_block([[1.0]], [0]), Joint(1)).ledger
    with pytest.raises(ValueError, match="jointly"):
        weights_after(joint, 0)
