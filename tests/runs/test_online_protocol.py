"""The online protocol: what is known when, what is remembered, what is counted."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest

from novikoff import guarantees, play, sources
from novikoff.learners import Additive
from novikoff.ledger.ledger import Keep
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows


def test_the_prediction_is_made_before_the_label_is_known() -> None:
    """The score written down for a round does not depend on the label of that round."""
    dice = np.random.default_rng(0)
    X, y = dice.standard_normal((50, 4)), dice.choice([-1, 1], 50)
    for t in range(50):
        learner, told_otherwise = Additive(4, margin=1e9), Additive(4, margin=1e9)
        asked = []
        for who, labels in ((learner, y), (told_otherwise, np.where(np.arange(50) == t, -y, y))):
            who.learn(sources.block(X, labels), 0, t)
            before = who.scores(DenseRows(X[t : t + 1]))[0]
            _, mistake = who.learn(sources.block(X, labels), t, t + 1)
            assert mistake.scores.tolist() == [before]  # a margin this wide makes all mistakes
            asked.append(before)
        assert asked[0] == asked[1]
        assert not np.array_equal(learner.weights, told_otherwise.weights)


def test_the_sequence_may_be_adversarial() -> None:
    """An adversary who sees each prediction and contradicts it: every round is a mistake."""
    dice, learner = np.random.default_rng(1), Additive(3)
    ledger = learner.open_ledger()
    for t in range(100):
        x = dice.standard_normal(3).tolist()
        against = -1 if learner.scores(DenseRows(np.array([x])))[0] >= 0 else 1
        block = Block(DenseRows(np.array([x])), np.array([against], dtype=np.int8), first=t)
        play(block, learner, ledger=ledger)
    assert ledger.n_mistakes == ledger.n_rounds == 100


class Passing:
    """A stream that keeps no hold of its blocks, and counts those that are still alive."""

    def __init__(self, blocks: int) -> None:
        self.blocks, self.alive, self.most = blocks, 0, 0

    def gone(self) -> None:
        self.alive -= 1

    def __iter__(self) -> Iterator[Block]:
        dice = np.random.default_rng(0)
        for n in range(self.blocks):
            rows = DenseRows(dice.standard_normal((100, 5)))
            self.alive += 1
            weakref.finalize(rows, self.gone)
            self.most = max(self.most, self.alive)
            yield Block(rows, dice.choice(np.array([-1, 1], dtype=np.int8), 100), first=100 * n)
            del rows
            gc.collect()


@pytest.mark.parametrize("keep", ["examples", "positions", "counts"])
def test_an_example_is_seen_learned_from_and_forgotten(keep: Keep) -> None:
    """However many blocks pass, no more than two are in memory: the one met and the next."""
    stream, learner = Passing(10), Additive(5)
    play(stream, learner, ledger=learner.open_ledger(keep))
    assert learner.rounds == 1000
    assert stream.most <= 2


def test_the_worst_case_over_targets_and_sequences_is_within_a_polynomial() -> None:
    """M(f, S) for every disjunction f of two attributes and every sequence S of four examples."""
    points = list(product([0.0, 1.0], repeat=2))
    worst = 0
    for k in (1, 2):
        bound = guarantees.k_disjunction(2, k).bound
        for relevant in combinations(range(2), k):
            labels = {x: 1 if any(x[j] for j in relevant) else -1 for x in points}
            for sequence in product(points, repeat=4):
                block = sources.block(list(sequence), [labels[x] for x in sequence])
                mistakes = len(play(block, Additive(2, bias=True)).ledger)
                assert mistakes <= bound
                worst = max(worst, mistakes)
    assert worst == 4


def test_the_bound_depends_neither_on_the_number_of_examples_nor_on_the_dimension() -> None:
    """Examples that are already right, and attributes that are never on, change nothing."""
    dice = np.random.default_rng(2)
    few = next(iter(sources.separable(60, dice.standard_normal(4), margin=0.1, seed=2)))
    points, labels = np.asarray(few.rows.values), few.labels
    learner = Additive(4)
    run = play(few, learner, epochs=1000)
    witness = learner.weights.tolist()
    again = np.concatenate([np.arange(60), dice.integers(0, 60, 5000)])
    many = sources.block(points[again], labels[again])
    wide = sources.block(np.hstack([points, np.zeros((60, 3000))]), labels)
    bound = guarantees.novikoff(run.ledger, witness).bound
    more = play(many, Additive(4), epochs=1000).ledger
    assert guarantees.novikoff(more, witness).bound <= bound
    assert guarantees.novikoff(more, witness).holds
    wider = play(wide, Additive(3004), epochs=1000).ledger
    assert np.array_equal(wider.rounds, run.ledger.rounds)
    assert guarantees.novikoff(wider, witness + [0.0] * 3000).bound == bound


def test_a_larger_margin_asked_for_costs_updates_and_reaches_more() -> None:
    block = next(iter(sources.separable(200, [1.0, 2.0, -1.0], margin=0.05, seed=5)))
    updates, reached = [], []
    for eta in (0.0, 1.0, 16.0):
        learner = Additive(3, margin=eta)
        updates.append(len(play(block, learner, epochs=10**5).ledger))
        reached.append(guarantees.achieved_margin(learner.weights.tolist(), block).value)
    assert updates == sorted(updates)
    assert reached == sorted(reached)
    assert reached[-1] > 0.05 / 2
