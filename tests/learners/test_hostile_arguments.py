"""Every function of the core with each argument made hostile: an error or an answer, no crash."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.core_calls import calls
from novikoff import _core

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # casts of NaN
REFUSED = (TypeError, ValueError, OverflowError, MemoryError, RuntimeError)
INTEGERS = [-1, 0, 1, 7, 2**49, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64]
NUMBERS = [float("nan"), float("inf"), float("-inf"), 0.0, -1.0, 1.7e308, 5e-324]
OTHERS: list[Any] = [None, "", "x", "\0", "\udcff", b"", b"\xff", [], (), {}, object(), 1.5, True]


class Subclass(np.ndarray):
    """An array of another type."""


def hostile_arrays(array: NDArray[Any]) -> Iterator[Any]:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    raw[1:] = array.reshape(-1).view(np.uint8)
    yield raw[1:].view(array.dtype)  # misaligned
    yield from (array[:0], array[:-1], array[::2], array[::-1], array[None], array.tolist())
    yield np.append(array, array)
    yield array.view(Subclass)
    yield array.view(array.dtype.newbyteorder())
    yield np.broadcast_to(array[:1], (2**40,))
    yield np.empty((0, 2**40), array.dtype)
    yield array.data
    locked = array.copy()
    locked.flags.writeable = False
    yield locked
    for kind in ("f2", "f4", "f8", "c16", "i1", "i4", "i8", "u8", "?", "O", "S3", "M8[s]"):
        with suppress(ValueError, TypeError):
            yield array.astype(kind)
    extremes: list[Any] = [np.nan, np.inf, -1.7e308, 1.7e308, 5e-324]
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        extremes = [limits.min, limits.max, 0, 1, 2**31 % limits.max]
    for value in extremes:
        spoilt = array.copy()
        spoilt[...] = value
        yield spoilt
        spoilt = array.copy()
        spoilt[len(spoilt) // 2] = value
        yield spoilt


def hostile(value: Any) -> Iterator[Any]:
    yield from OTHERS
    if isinstance(value, np.ndarray):
        yield from hostile_arrays(value)
    elif isinstance(value, tuple):
        yield from [(a, b) for a in NUMBERS for b in (NUMBERS[0], 1.0)]
        yield (1.0,)
    elif isinstance(value, float):
        yield from NUMBERS
    yield from INTEGERS


def spoilt_calls(call: partial[Any]) -> Iterator[partial[Any]]:
    for k, value in enumerate(call.args):
        for other in hostile(value):
            yield partial(call.func, *call.args[:k], other, *call.args[k + 1 :], **call.keywords)
    for name, value in call.keywords.items():
        for other in hostile(value):
            yield partial(call.func, *call.args, **{**call.keywords, name: other})


CALLS = calls()[0]


def test_every_function_of_the_core_is_called() -> None:
    public = {name for name, value in vars(_core).items() if name[0] != "_" and callable(value)}
    functions = public - {"Online", "OnlineRuns"}
    assert {call.func.__name__ for call in CALLS} >= functions


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.func.__name__)
def test_a_hostile_argument_is_refused_or_answered(call: partial[Any]) -> None:
    with suppress(ValueError):
        call()
    for spoilt in spoilt_calls(call):
        with suppress(*REFUSED):
            spoilt()


def online(dim: int = 16, *, by_name: bool = True, **more: Any) -> tuple[Any, Any]:
    """An object that learns, with one perceptron, and its weights."""
    runs: Any = _core.OnlineRuns(dim, bias=True, keep="examples")
    w = np.zeros(dim + 1)
    runs.add_perceptron(
        w=w, u=None, threshold=(0.0, 0.0), step=(1.0, 1.0), unit=1.0, rounds=0, mean=False
    )
    core: Any = _core.Online(by_name=by_name, **more)
    core.open(runs, seen=0)
    core.name_labels({"a": 0, "b": 1}, ("a", "b"), zero_is_positive=True, order=[])
    return core, w


class Hostile(dict[Any, Any]):
    """A dict that lies about what is in it."""

    def __iter__(self) -> Iterator[Any]:
        self.clear()
        return iter(())

    def __len__(self) -> int:
        return 2**40


LABELS: list[Any] = ["a", "b", None, [], float("nan"), 2**70]
ARGUMENTS: list[list[Any]] = [[], [None], [2**70], [-1], ["x"], [2**63 - 1, -1], [[], {}], [{}, ()]]
EXAMPLES: list[Any] = [
    {},
    {"a": 1.0},
    {"a": float("nan")},
    {"a": float("inf")},
    {"a": 10**400},
    {"a" * 100_000: 1.0},
    {"a\0b": 1.0},
    {"\udcff": 1.0},
    {"a": "\udcff"},
    {"é": "ü"},
    {10**30: 1.0},
    {-(2**63): 1},
    {1: 1, "1": 2},
    {(1, 2): 1.0},
    {None: None},
    {"a": None},
    {"a": True, "b": False},
    {"a": np.float64(1), "b": np.float32(2)},
    {f"n{k}": 1.0 for k in range(15)},
    {f"n{k}": 1.0 for k in range(5000)},
    Hostile(a=1.0),
    np.ones(16),
    np.ones(16, np.float32),
    np.ones(32)[::2],
    np.ones(16)[::-1],
    np.full(16, np.nan),
    np.empty((16, 1)),
    np.ones(16, ">f8"),
    np.ones(16, complex),
    np.zeros(0),
    [1.0] * 16,
    None,
    "text",
    object(),
]


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("more", [{}, {"hash_bits": 4}, {"most": 20}])
def test_hostile_examples_and_labels_are_refused_or_learned(
    by_name: bool, more: dict[str, int]
) -> None:
    core, w = online(by_name=by_name, **more)
    for x in [*EXAMPLES, *EXAMPLES]:
        for label in LABELS:
            with suppress(*REFUSED):
                core.learn(x, label)
            for method in (core.predict, core.decide):
                with suppress(*REFUSED):
                    method(x)
        for code in (-1, 0, 1, 2, 2**31 - 1, 2**31, 2**70, None):
            with suppress(*REFUSED):
                core.learn_as(x, code, 1.0)
        with suppress(*REFUSED):
            core.rows([x, x], adding=True)
            core.undo()
        with suppress(*REFUSED):
            core.rows([{}, x], adding=False)
    assert np.isfinite(w).all()
    for taken in (core.take(), core.take()):
        assert len(taken) == 1
    gc.collect()


def test_methods_with_hostile_arguments_are_refused_or_answered() -> None:
    for name, method in inspect.getmembers(_core.Online, callable):
        if name.startswith("__"):
            continue
        for arguments in ARGUMENTS:
            core, _ = online()
            core.learn({"a": 1.0}, "a")
            with suppress(*REFUSED):
                method(core, *arguments)
    for bits, most in [(-1, 0), (32, 0), (2**31 - 1, 0), (4, 4), (2**40, 0)]:
        with pytest.raises((ValueError, TypeError)):
            _core.Online(by_name=True, hash_bits=bits, most=most)


def test_an_object_without_runs_learns_and_predicts_nothing() -> None:
    core: Any = _core.Online(by_name=True)
    assert core.learn({"a": 1.0}, "a") != 0
    assert core.learn_as({"a": 1.0}, 1, 1.0) != 0
    assert core.predict({"a": 1.0}) is NotImplemented
    assert core.decide({"a": 1.0}) is NotImplemented
    assert core.take() == []
    with pytest.raises(ValueError):
        core.weight(0, 0, 0)
    with suppress(*REFUSED):
        core.rows([{"a": 1.0}], adding=False)
    unborn: Any = _core.Online.__new__(_core.Online)
    for method in ("take", "undo", "named", "predict", "learn"):
        with suppress(*REFUSED):
            getattr(unborn, method)(*([{}] * (method in ("predict", "learn"))))
    with suppress(*REFUSED):
        core.become(core)
