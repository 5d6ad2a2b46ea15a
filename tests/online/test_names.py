"""Memory that is bounded on request: names that share columns, and names that are forgotten."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import sys
from collections import defaultdict
from collections.abc import Callable
from heapq import heappop, heappush
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.dict_streams import learn_in_turn, learned_state, makers, stream
from helpers.strategies import seeds
from novikoff import AdaptivePerceptron, AveragedPerceptron, BadExample, Perceptron, Winnow


class Forgetful:
    """The perceptron that forgets, in words of Python: what max_names promises."""

    def __init__(self, most: int) -> None:
        self.most, self.t, self.constant = most, 0, 0
        self.w: dict[str, int] = {}
        self.examples: dict[str, int] = defaultdict(int)
        self.last: dict[str, int] = {}
        self.column: dict[str, int] = {}
        self.free: list[int] = []

    def score(self, x: dict[str, int]) -> int:
        return sum(v * self.w.get(name, 0) for name, v in x.items()) + self.constant

    def learn(self, x: dict[str, int], y: int) -> None:
        self.t += 1
        wrong = y * self.score(x) <= 0
        for name, v in x.items():
            if name not in self.w:
                self.column[name] = heappop(self.free) if self.free else len(self.w)
            self.w[name] = self.w.get(name, 0) + (y * v if wrong else 0)
            self.examples[name] += 1
            self.last[name] = self.t
        self.constant += y if wrong else 0
        if len(self.w) > self.most:
            others = sorted(
                set(self.w) - set(x),
                key=lambda name: (self.examples[name], self.last[name], self.column[name]),
            )
            for name in others[: len(self.w) - self.most * 3 // 4]:
                heappush(self.free, self.column.pop(name))
                del self.w[name], self.examples[name], self.last[name]


@settings(max_examples=25)
@given(seed=seeds, most=st.integers(8, 30))
def test_the_least_used_names_are_forgotten(seed: int, most: int) -> None:
    dice = np.random.default_rng(seed)
    clf, book = Perceptron(max_names=most, keep="counts"), Forgetful(most)
    for _ in range(120):
        words = dice.zipf(1.4, dice.integers(0, 8)) % 200
        x = {f"w{j}": int(dice.integers(-3, 4)) for j in words}
        y = int(dice.integers(2))
        assert clf.decision_one(x) == book.score(x) or book.t == 0
        clf.learn_one(x, y)
        book.learn(x, 2 * y - 1)
        assert dict(clf.named_weights) == book.w
        assert len(clf.named_weights) <= most
    assert clf.intercept_[0] == book.constant


@pytest.mark.parametrize("make", [AveragedPerceptron, AdaptivePerceptron, Winnow])
def test_forgetting_in_blocks_is_forgetting_one_by_one(make: Any) -> None:
    examples = stream(11, 80, names=60)
    alone = learn_in_turn(make(max_names=12, keep="counts"), examples)
    whole, mixed = (make(max_names=12, keep="counts") for _ in range(2))
    whole.learn_many(*zip(*examples, strict=True))
    mixed.learn_many(*zip(*examples[:33], strict=True))
    learn_in_turn(mixed, examples[33:50])
    mixed.learn_many(*zip(*examples[50:], strict=True))
    assert learned_state(alone) == learned_state(whole) == learned_state(mixed)
    assert alone.coef_.shape[1] <= 32


def test_a_copy_forgets_alike() -> None:
    examples = stream(12, 120, names=60)
    for cut in range(0, 120, 17):
        clf = learn_in_turn(Perceptron(max_names=12, keep="counts"), examples[: cut + 1])
        other = pickle.loads(pickle.dumps(clf))
        assert learned_state(other) == learned_state(clf)
        rest = examples[cut + 1 :]
        assert learned_state(learn_in_turn(other, rest)) == learned_state(learn_in_turn(clf, rest))


def test_a_block_that_cannot_be_learned_whole_is_not_learned() -> None:
    clf = learn_in_turn(Perceptron(max_names=8, keep="counts"), stream(1))
    before = learned_state(clf)
    crowd = {f"new{j}": 1 for j in range(9)}
    words = "the example has 9 features, more than max_names=8"
    with pytest.raises(BadExample, match=words):
        clf.learn_one(crowd, 1)
    with pytest.raises(BadExample, match=words):
        clf.learn_many([{"one": 1}, {"two": 2, "three": 3}, crowd], [0, 1, 0])
    assert learned_state(clf) == before
    clf.learn_one({"one": 1}, 1)
    assert "one" in clf.named_weights


def test_what_is_hashed_never_grows_and_is_found_by_any_name() -> None:
    clf = Perceptron(hash_bits=3, fit_intercept=False)
    for j in range(100):
        clf.learn_one({f"w{j}": 1.0}, j % 2)
    assert clf.coef_.shape == (1, 8)
    assert len(clf.named_weights) == 8
    weights = clf.coef_[0].tolist()
    assert [clf.named_weights[name] for name in clf.named_weights] == weights
    assert clf.named_weights["any other name"] in weights


def test_a_name_that_only_its_dict_holds_is_not_held() -> None:
    clf = Perceptron(keep="counts")
    for _ in range(3):
        x = {"".join(["na", "me"]): 1.0}
        clf.learn_one(x, 1)
        clf.predict_one(x)
        held = sys.getrefcount(next(iter(x)))
        assert held == 2  # by the dict, and by the question itself


def in_use() -> int | None:
    """The bytes that C and C++ hold, if the C library says so."""

    class Mallinfo2(ctypes.Structure):
        _fields_ = tuple((f"field{k}", ctypes.c_size_t) for k in range(10))

    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        return None
    mallinfo2.restype = Mallinfo2
    return int(mallinfo2().field7)


def test_two_hundred_thousand_examples_leave_nothing_behind() -> None:
    """bench/leak.py makes it a hundred million."""
    names = [f"name {j}" for j in range(40)]
    dice = np.random.default_rng(0)
    examples: list[tuple[dict[str, Any], str]] = [
        (
            {name: float(v) for name, v in zip(names[k : k + 9], dice.random(9), strict=True)}
            | {"from": f"{k}.com"},
            str(dice.choice(["ham", "spam"])),
        )
        for k in range(31)
    ]
    clf = AveragedPerceptron(keep="counts")
    odd = {"name 1": np.float32(1), "name 2": 3}

    def meet(times: int) -> None:
        for _ in range(times):
            for x, y in examples:
                clf.predict_one(x)
                clf.learn_one(x, y)
            clf.learn_one(odd, "ham")
            for wrong in ({"new": None}, {"newer": 1, "a\0": 1}):
                with pytest.raises((TypeError, BadExample)):
                    clf.learn_one(wrong, "ham")

    meet(10)
    held = [*names, *(y for _, y in examples), *(x for x, _ in examples), odd]

    def holdings() -> tuple[list[int], int, int | None, int]:
        gc.collect()
        clf.ledger_  # noqa: B018  (what waits is written down)
        counts = [sys.getrefcount(one) for one in held]
        return counts, len(gc.get_objects()), in_use(), len(clf.named_weights)

    holdings()
    before = holdings()
    meet(6250)
    after = holdings()
    assert clf.ledger_.n_rounds == 6260 * 32
    assert before[0] == after[0]
    assert before[3] == after[3]
    assert after[1] - before[1] < 5_000  # threads of earlier tests may make objects or drop them
    if before[2] is not None and after[2] is not None:
        assert abs(after[2] - before[2]) < 50_000


def test_a_name_that_was_predicted_first_is_remembered_when_it_is_learned() -> None:
    clf = Perceptron(hash_bits=10)
    clf.learn_one({"a": 1}, 1)
    assert clf.predict_one({"b": 1, "c": "d"}) == 1
    clf.learn_one({"b": 1, "c": "d"}, 0)
    assert set(clf.named_weights) == {"a", "b", "c=d"}


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "none": lambda _: None,
    "another value": lambda x: x.update(dict.fromkeys([*x][:1], 0.75)),
    "another text": lambda x: x.update({"from": "z.net"}),
    "a new name": lambda x: x.setdefault("new", 0.25),
    "a new number": lambda x: x.__setitem__(f"new{len(x)}", 0.25),
    "one less": lambda x: x.pop(min(x, default=""), None),
    "the last one less": lambda x: x.popitem() if x else None,
    "another one in its place": lambda x: x.update(f0=x.popitem()[1]) if "f1" in x else None,
    "none left": lambda x: x.clear(),
    "more": lambda x: x.__ior__({"f2": 1.0, "f3": 0.5}),
}


@makers
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_dict_that_changed_after_it_was_predicted_is_learned_as_it_is(
    make: Any, change: Any
) -> None:
    clf, other = (learn_in_turn(make(), stream(4, n=1), classes=[0, 1]) for _ in range(2))
    for x, y in stream(5, n=30) * 2:
        own = dict(x)
        clf.predict_one(own)
        change(own)
        clf.learn_one(own, y)
        other.learn_one(dict(own), y)
        assert clf.decision_one(own) == other.decision_one(dict(own))
    assert learned_state(clf) == learned_state(other)


def test_another_dict_in_the_place_of_one_that_was_predicted_is_learned_as_it_is() -> None:
    clf, other, places = Perceptron(), Perceptron(), set()
    for k in range(200):
        x = {"a": float(k % 7), "b": 1.0}
        places.add(id(x))
        clf.predict_one(x)
        del x
        x = {"a": -float(k % 5), "b": 0.5}
        clf.learn_one(x, k % 3 == 0)
        other.learn_one(dict(x), k % 3 == 0)
    assert len(places) < 200  # so some were in the place of others
    assert learned_state(clf) == learned_state(other)


def test_the_attributes_of_an_object_are_learned_as_they_are() -> None:
    clf, other = Perceptron(), Perceptron()
    seen = SimpleNamespace(), type("Seen", (), {})()
    for k in range(200):
        for one in seen:
            one.a, one.b = 1.0, float(k % 7)
            clf.predict_one(vars(one))
            one.b = -float(k % 5)  # Python need not tell the dict
            clf.learn_one(vars(one), k % 3 == 0)
            other.learn_one(dict(vars(one)), k % 3 == 0)
    assert learned_state(clf) == learned_state(other)


def test_a_dict_is_read_again_after_its_names_were_forgotten() -> None:
    clf, other = Perceptron(max_names=8), Perceptron(max_names=8)
    x = {"a": 1.0, "b": -2.0}
    for k in range(300):
        clf.predict_one(x)
        clf.predict_one(x)
        rest = {f"r{k}": 1.0, f"s{k % 5}": 0.5, f"t{k % 3}": 0.25}
        for example in (rest, x) if k % 40 == 0 else (rest, rest):
            clf.predict_one(x)
            clf.learn_one(example, k % 3 == 0)
            other.learn_one(dict(example), k % 3 == 0)
        assert clf.decision_one(x) == other.decision_one(dict(x))
    assert learned_state(clf) == learned_state(other)


def test_an_example_with_too_many_names_takes_no_memory() -> None:
    clf = learn_in_turn(Perceptron(max_names=8, keep="counts"), stream(1))
    assert clf._engine is not None
    room = clf._engine.dim
    with pytest.raises(BadExample, match="row 1: the example has 999 features"):
        clf.learn_many([{"a": 1}, {f"new{j}": 1 for j in range(999)}], [1, 0])
    with pytest.raises(BadExample, match="the example has 999 features"):
        clf.learn_one({f"new{j}": 1 for j in range(999)}, 1)
    assert clf._engine.dim == room


@pytest.mark.parametrize("later", [{"hash_bits": 3}, {"max_names": 4}, {"keep": "counts"}])
def test_a_copy_keeps_the_parameters_it_started_with(later: Any) -> None:
    clf, same = (learn_in_turn(Perceptron(), stream(5)[:10]) for _ in range(2))
    copied = copy.deepcopy(clf.set_params(**later))
    assert learned_state(learn_in_turn(copied, stream(5)[10:])) == learned_state(
        learn_in_turn(same, stream(5)[10:])
    )
