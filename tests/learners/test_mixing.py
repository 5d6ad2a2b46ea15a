"""Iterative parameter mixing, compared with the mean in exact arithmetic."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import play, sources
from novikoff.learners.mixing import Mixture
from novikoff.learners.rule import Kind, Rule

ROWS = st.lists(
    st.tuples(st.lists(st.integers(-4, 4), min_size=3, max_size=3), st.sampled_from([-1, 1])),
    min_size=1,
    max_size=6,
)


@given(ROWS, st.lists(ROWS, min_size=1, max_size=4))
def test_the_mean_and_the_average_are_those_over_all_shards(
    first: list[tuple[list[int], int]], shards: list[list[tuple[list[int], int]]]
) -> None:
    """Each weight is counted as it stood after each round of each shard."""
    before = Rule("averaged").learner(3)
    play(sources.block(*map(list, zip(*first, strict=True))), before)
    mixture, seen, last = Mixture(before), [Fraction(0)] * 4, [Fraction(0)] * 4
    start = [before.rounds * Fraction(a) for a in _exact_average(first)]
    for shard in shards:
        learner = deepcopy(before)
        for x, y in shard:
            play(sources.block([x], [y]), learner)
            seen = [a + Fraction(w) for a, w in zip(seen, learner.weights.tolist(), strict=True)]
        last = [a + Fraction(w) for a, w in zip(last, learner.weights.tolist(), strict=True)]
        mixture.add(learner)
    mean = mixture.learner()
    rounds = len(first) + sum(map(len, shards))
    assert mean.rounds == rounds
    assert mean.weights.tolist() == [float(w / len(shards)) for w in last]
    expected = [(a + b) / rounds for a, b in zip(start, seen, strict=True)]
    # u is rounded where the mean of the shards is no dyadic number
    np.testing.assert_allclose(mean.average, [float(w) for w in expected], rtol=1e-12, atol=1e-12)


def _exact_average(rows: list[tuple[list[int], int]]) -> list[Fraction]:
    w, total = [0] * 4, [Fraction(0)] * 4
    for x, y in rows:
        z = [*x, 1]
        if y * sum(a * b for a, b in zip(w, z, strict=True)) <= 0:
            w = [a + y * b for a, b in zip(w, z, strict=True)]
        total = [a + b for a, b in zip(total, w, strict=True)]
    return [a / len(rows) for a in total]


@pytest.mark.parametrize("kind", ["perceptron", "averaged", "adaptive", "adaptive-averaged"])
def test_learners_that_agree_are_their_own_mean(kind: Kind) -> None:
    before = Rule(kind).learner(2)
    after = deepcopy(before)
    play(sources.block([[1.0, 2.0], [0.5, -1.0]], [1, -1]), after)
    mixture = Mixture(before)
    for _ in range(3):
        mixture.add(after)
    mean = mixture.learner()
    np.testing.assert_allclose(mean.weights, after.weights, rtol=1e-15)
    assert mean.rounds == 6


def test_the_sum_of_shards_loses_no_small_weight() -> None:
    def sums(values: tuple[float, ...]) -> float:
        before = Rule("perceptron", bias=False).learner(1)
        mixture = Mixture(before)
        for value in values:
            mixture.add(Rule("perceptron", bias=False).learner(1, start=np.array([value])))
        return float(mixture.learner().weights[0])

    assert {sums(order) for order in permutations((1e17, 1.0, -1e17, 1.0))} == {0.5}


@pytest.mark.parametrize(
    "rule", [Rule("winnow"), Rule("adaptive", matrix="full")], ids=["winnow", "full"]
)
def test_weights_that_have_no_mean_are_refused(rule: Rule) -> None:
    with pytest.raises(ValueError, match="cannot be averaged"):
        Mixture(rule.learner(3))
