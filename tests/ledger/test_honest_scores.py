"""Scores before learning: counted by their leading bits, in any order, wherever a stream is cut."""

from __future__ import annotations

import pickle
import struct
from collections import Counter
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import Data, Layout, float_data, layouts, seeds
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    Winnow,
    _core,
)
from novikoff.learners import Adaptive, Additive, BalancedWinnow
from novikoff.ledger.honest_scores import UNIT, HonestScores
from novikoff.runs.loop import play
from novikoff.storage.file_format import BadModel
from novikoff.stream.order import Shuffled
from novikoff.stream.rows import dots

few = settings(max_examples=40)
LEARNERS = [
    lambda dim: Additive(dim, bias=True, rate=0.3),
    lambda dim: Adaptive(dim, bias=True),
    lambda dim: BalancedWinnow(dim, bias=True),
    lambda dim: Additive(dim, bias=True, rate=0.3, averaging=True),
    lambda dim: Adaptive(dim, bias=True, averaging=True),
    lambda dim: Adaptive(dim, matrix="full", averaging=True),
]
learners = st.sampled_from(LEARNERS)


def bin_of(score: float) -> int:
    """The bin of a score, from the definition: sign, exponent, four bits after the point."""
    (bits,) = struct.unpack("<q", struct.pack("<d", abs(score)))
    size: int = min(max((bits >> 48) - ((1023 - 64) << 4), 0), 2047)
    return 2047 - size if score < 0 else 2048 + size


def expected(met: list[tuple[float, bool, float]]) -> HonestScores:
    """The counts of these scores, labels and importances, in plain Python."""
    counted = [(s, y, int(min(h, 2.0**30) * 65536 + 0.5)) for s, y, h in met]
    counted = [one for one in counted if one[2]]
    out, n = HonestScores(), len(counted)
    out.counts[0] = n
    latest = 1 << (n.bit_length() - 1) if n else 1
    for table, numbers in enumerate((range(latest // 2, latest), range(latest, n + 1))):
        for number in numbers:
            if number >= 1:
                s, y, units = counted[number - 1]
                out._tables[table, bin_of(s), int(y)] += units
    return out


def predicting_score(learner: Any, rows: Any) -> float:
    """The score by which the learner predicts: that of the average, (w − u/t)·x, if it has one."""
    if not getattr(learner, "averaging", False) or not learner.rounds:
        return float(learner.scores(rows)[0])
    w, u = (dots(rows, sums, bias=learner.bias)[0] for sums in (learner._w, learner._u))
    return float(getattr(learner, "_unit", 1.0) * (w - u / learner.rounds))


def same(one: HonestScores | None, other: HonestScores | None) -> bool:
    return one is not None and other is not None and one.counts.tolist() == other.counts.tolist()


@few
@given(data=float_data(), layout=layouts, make=learners, seed=seeds, weighed=st.booleans())
def test_each_score_is_counted_before_its_example_is_learned(
    data: Data, layout: Layout, make: Any, seed: int, weighed: bool
) -> None:
    dice = np.random.default_rng(seed)
    h = np.where(dice.random(len(data)) < 0.2, 0.0, dice.lognormal(0, 3, len(data)))
    block = data.block(layout, importances=h if weighed else None)
    (shown,) = Shuffled(block, seed=seed)
    watched, plain = make(data.dim), make(data.dim)
    watched.honest = HonestScores()
    play(shown, watched)
    met = []
    for k in range(len(data)):
        i = shown.row_shown(k)
        score = predicting_score(plain, block.rows.take(np.array([i])))
        met.append((score, bool(data.y[i] > 0), float(h[i]) if weighed else 1.0))
        plain.learn(shown, k, k + 1)
    assert same(watched.honest, expected(met))
    assert watched.weights.tobytes() == plain.weights.tobytes()
    if getattr(plain, "averaging", False):
        assert watched.average.tobytes() == plain.average.tobytes()


KINDS: list[Any] = [AdaptivePerceptron, Perceptron, MarginPerceptron, Winnow, AveragedPerceptron]
KINDS += [partial(AdaptivePerceptron, multiclass="ovr", average=mean) for mean in (False, True)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_one_by_one_and_in_blocks_the_counts_are_the_same(kind: Any, classes: int) -> None:
    dice = np.random.default_rng(classes)
    X, y, h = dice.normal(size=(300, 5)), dice.integers(0, classes, 300), dice.random(300) * 3
    single, mixed, block = kind(), kind(), kind()
    block.partial_fit(X, y, classes=range(classes), sample_weight=h)
    mixed.partial_fit(X[:100], y[:100], classes=range(classes), sample_weight=h[:100])
    for model, start in ((single, 0), (mixed, 100)):
        for i in range(start, 300):
            named = range(classes) if i == 0 else None
            model.learn_one(X[i], int(y[i]), classes=named, weight=float(h[i]))
    of_block = [learner.honest for learner in block._engine.learners]
    assert len(of_block) == (1 if classes == 2 or kind is AdaptivePerceptron else 3)
    for model in (single, mixed, pickle.loads(pickle.dumps(single)), deepcopy(mixed)):
        for one, other in zip(model._engine.learners, of_block, strict=True):
            assert same(one.honest, other)


@pytest.mark.parametrize("kind", [Perceptron, AveragedPerceptron, KINDS[-1]])
def test_joint_classes_count_the_lead_of_each_over_its_best_rival(kind: Any) -> None:
    dice = np.random.default_rng(0)
    X, y = dice.normal(size=(80, 3)), dice.integers(0, 3, 80)
    block, single, trial = (kind(multiclass="joint") for _ in range(3))
    met = list[tuple[float, bool, float]]()
    block.partial_fit(X, y, classes=range(3))
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        single.learn_one(x, label, classes=range(3) if i == 0 else None)
        s = trial.decision_function(x[None])[0] if i else np.zeros(3)
        met += [(s[c] - max(np.delete(s, c)), c == label, 1.0) for c in range(3)]
        trial.partial_fit(x[None], [label], classes=range(3) if i == 0 else None)
    assert block._engine is not None
    assert single._engine is not None
    found = block._engine.learners[0].honest
    assert found is not None
    assert same(found, single._engine.learners[0].honest)
    assert found.examples == 80
    counts = Counter((bin_of(s), y) for s, y, _ in met[3 * 31 :])  # examples 32 to 80
    both = found._tables.sum(axis=0)
    assert {(k, bool(y)): n for (k, y), n in counts.items()} == {
        (int(k), bool(y)): int(both[k, y]) // UNIT for k, y in zip(*np.nonzero(both), strict=True)
    }


def test_only_the_first_pass_is_counted() -> None:
    dice = np.random.default_rng(1)
    X, y = dice.normal(size=(100, 3)), dice.integers(0, 2, 100)
    once, often = (Perceptron(max_iter=passes).fit(X, y) for passes in (1, 5))
    assert often.n_iter_ == 5
    assert once._engine is not None
    assert often._engine is not None
    assert same(once._engine.learners[0].honest, often._engine.learners[0].honest)
    often.partial_fit(X[:7], y[:7])  # new examples, as far as anyone knows
    assert often._engine.learners[0].honest is not None
    assert often._engine.learners[0].honest.examples == 107


def test_swapping_the_labels_swaps_the_signs() -> None:
    dice = np.random.default_rng(2)
    X, y = dice.normal(size=(60, 4)), dice.integers(0, 2, 60)
    late, early = Perceptron(), Perceptron()  # the greater label comes second, or is known before
    y[0] = 0
    for i in range(60):
        late.learn_one(X[i], int(y[i]))
        early.learn_one(X[i], int(y[i]), classes=[0, 1] if i == 0 else None)
    assert late._engine is not None
    assert early._engine is not None
    one, other = late._engine.learners[0].honest, early._engine.learners[0].honest
    assert same(one, other)
    assert one is not None
    assert same(one.turned().turned(), one)
    assert not same(one.turned(), one)


@few
@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans(), st.sampled_from([0.0, 0.5, 1.0, 3.0]))))
def test_scores_of_examples_that_were_not_learned_from_all_count(
    met: list[tuple[float, bool, float]],
) -> None:
    s, y, h = (np.array(each) for each in zip(*met, strict=True)) if met else (np.zeros(0),) * 3
    found = HonestScores()
    found.include(s, y.astype(np.int32), h)
    of_bins = Counter[tuple[int, int]]()
    for score, label, importance in met:
        of_bins[bin_of(score), int(label)] += int(importance * UNIT)
    both = found._tables.sum(axis=0)
    assert {(k, c): n for (k, c), n in of_bins.items() if n} == {
        (int(k), int(c)): int(both[k, c]) for k, c in zip(*np.nonzero(both), strict=True)
    }
    assert found.examples == np.count_nonzero(h)
    wrong = h[(s >= 0) != y.astype(bool)].sum()
    assert found.wrong == wrong * UNIT
    assert found.share_wrong(joint=False) == (wrong / h.sum() if h.any() else 0)


def test_of_many_classes_the_leads_are_counted_and_the_wrong_predictions_are_known() -> None:
    dice = np.random.default_rng(3)
    s, y = dice.normal(size=(50, 4)), dice.integers(0, 4, 50)
    found = HonestScores()
    found.include(s, y.astype(np.int32))
    of_bins = Counter(
        (bin_of(s[i, c] - np.delete(s[i], c).max()), int(c == y[i]))
        for i in range(50)
        for c in range(4)
    )
    both = found._tables.sum(axis=0)
    assert of_bins == {
        (int(k), int(c)): int(both[k, c]) // UNIT for k, c in zip(*np.nonzero(both), strict=True)
    }
    assert found.share_wrong(joint=True) == pytest.approx((s.argmax(axis=1) != y).mean())


def test_the_middle_of_a_bin_is_in_it() -> None:
    middles = [_core.middle_of_bin(k) for k in range(_core.SCORE_BINS)]
    assert [bin_of(middle) for middle in middles] == list(range(_core.SCORE_BINS))
    assert middles == sorted(middles)
    with pytest.raises(ValueError):
        _core.middle_of_bin(_core.SCORE_BINS)


def test_counts_are_restored_and_damaged_ones_refused() -> None:
    counts = expected([(k / 7 - 1, k % 3 == 0, 1.0) for k in range(20)])
    state, arrays = counts.state()
    assert same(HonestScores.restored(state, arrays), counts)
    for wrong in (
        {"places": arrays["places"][::-1].copy()},
        {"places": arrays["places"] + 2**40},
        {"places": arrays["places"] - 2**40},
        {"units": -arrays["units"]},
        {"units": arrays["units"][1:]},
        {"units": arrays["units"].astype(np.float64)},
    ):
        with pytest.raises(BadModel):
            HonestScores.restored(state, {**arrays, **wrong})
    with pytest.raises(BadModel):
        HonestScores.restored({"examples": -1}, arrays)
