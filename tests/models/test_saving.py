"""A run that is saved, loaded and continued is the run that was never disturbed, to the bit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.command_line import stdout_of
from helpers.strategies import (
    Data,
    Options,
    dyadic_data,
    dyadic_importances,
    dyadic_options,
    float_data,
    layouts,
    orders,
    precisions,
    stored,
)
from novikoff import sources
from novikoff.guarantees.verdict import Cycle
from novikoff.learners import Additive, Joint
from novikoff.ledger import readings
from novikoff.ledger.ledger import Keep, Ledger
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.loop import play
from novikoff.storage import file_format as storage
from novikoff.storage.checked import prefixed, with_prefix
from novikoff.storage.file_format import BadModel
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, SparseRows, Vector

few = settings(max_examples=60)
KEEPS: tuple[Keep, ...] = ("examples", "positions", "counts")
AWKWARD: dict[str, Any] = {"rate": 0.3, "class_weights": (0.7, 1.1)}


@dataclass
class Going:
    """What a run consists of while it goes on."""

    learner: Additive
    ledger: Ledger
    cycles: CycleSearch

    @classmethod
    def with_(cls, learner: Additive, keep: Keep = "examples") -> Going:
        return cls(learner, learner.open_ledger(keep), CycleSearch())

    def meet(self, block: Block, begin: int, end: int) -> None:
        stop, mistakes = self.learner.learn(block, begin, end)
        assert stop == end
        self.ledger.record(mistakes, stop - begin, block)
        if self.cycles.is_counting:
            self.cycles.count(mistakes)

    def close(self, block: Block) -> Cycle | None:
        self.ledger.close_epoch()
        return self.cycles.close_pass(self.learner.weights, block)

    def saved(self, dim: int | None = None) -> bytes:
        dim, bias = self.learner.dim if dim is None else dim, self.learner.bias
        states = {
            "learner": self.learner.state(dim),
            "ledger": self.ledger.state(dim),
            "cycles": self.cycles.state(dim, bias=bias),
        }
        header = {name: settings for name, (settings, _) in states.items()}
        every = prefixed({name: arrays for name, (_, arrays) in states.items()})
        return b"".join(storage.pieces(header, every, kind="run"))

    @classmethod
    def loaded(cls, data: bytes) -> Going:
        header, arrays = storage.unpacked(data, kind="run", where="it")
        learner = Additive.restored(header["learner"], with_prefix("learner", arrays))
        return cls(
            learner,
            Ledger.restored(header["ledger"], with_prefix("ledger", arrays)),
            CycleSearch.restored(header["cycles"], with_prefix("cycles", arrays), learner.dim),
        )

    def widen(self, dim: int) -> None:
        self.learner.widen(dim)
        self.ledger.widen(dim)
        self.cycles.widen(dim, bias=self.learner.bias)


def played(
    going: Going,
    block: Block,
    cuts: Callable[[], list[int]],
    *,
    passes: int,
    between: Callable[[Going], Going] = lambda going: going,
) -> tuple[Going, Cycle | None]:
    """Some passes over a block in parts; `between` any two of them the run may be replaced."""
    for _ in range(passes):
        for a, b in pairwise([0, *cuts(), block.n_rounds]):
            going.meet(block, a, b)
            going = between(going)
        if (cycle := going.close(block)) is not None:
            return going, cycle
        going = between(going)
    return going, None


def assert_same(one: Going, other: Going, asked: Block) -> None:
    assert one.saved() == other.saved()
    assert one.learner.weights.tobytes() == other.learner.weights.tobytes()
    assert one.learner.scores(asked.rows).tobytes() == other.learner.scores(asked.rows).tobytes()
    if one.ledger.keep == "examples":
        for reading in (readings.final, readings.average):
            assert reading(one.ledger).tobytes() == reading(other.ledger).tobytes()
        votes = [readings.vote(going.ledger, asked.rows).tobytes() for going in (one, other)]
        assert votes[0] == votes[1]
        assert one.ledger.example.tolist() == other.ledger.example.tolist()


def drawn_run(draws: st.DataObject) -> tuple[Data, Options, bool, Keep, Block]:
    rounding = draws.draw(st.booleans())
    data = draws.draw(float_data() if rounding else dyadic_data())
    options = draws.draw(dyadic_options(data.dim))
    if rounding:
        options["rate"], options["class_weights"] = AWKWARD["rate"], AWKWARD["class_weights"]
    block = data.block(
        draws.draw(layouts),
        draws.draw(precisions),
        order=draws.draw(orders(len(data))),
        importances=draws.draw(dyadic_importances(len(data))),
    )
    return data, options, draws.draw(st.booleans()), draws.draw(st.sampled_from(KEEPS)), block


@few
@given(draws=st.data())
def test_a_run_cut_anywhere_saved_loaded_and_continued_is_undisturbed(
    draws: st.DataObject,
) -> None:
    data, options, averaging, keep, block = drawn_run(draws)
    some_cuts = st.lists(st.integers(0, len(data)), max_size=3).map(sorted)

    def cuts() -> list[int]:
        return draws.draw(some_cuts)

    def stopped(going: Going) -> Going:
        if draws.draw(st.booleans()):
            return going
        before = going.saved()
        again = Going.loaded(before)
        assert again.saved() == before
        return again

    def fresh() -> Going:
        return Going.with_(Additive(data.dim, averaging=averaging, **options), keep)

    passes = draws.draw(st.integers(1, 6))
    undisturbed, proof = played(fresh(), block, cuts, passes=passes)
    resumed, found = played(fresh(), block, cuts, passes=passes, between=stopped)
    assert_same(undisturbed, resumed, block)
    if averaging:
        assert undisturbed.learner.average.tobytes() == resumed.learner.average.tobytes()
    assert (proof is None) == (found is None)
    if proof is not None and found is not None:
        assert (proof.since, proof.until) == (found.since, found.until)
        assert proof.rows.tolist() == found.rows.tolist()
        assert proof.multipliers == found.multipliers


@pytest.mark.parametrize("bias", [False, True])
def test_a_resumed_run_finds_the_cycle_at_the_same_pass(bias: bool) -> None:
    """Saved and loaded after every example, in other widths each time."""
    X = np.array([[2, 1], [-1, 3], [1, -2], [3, 1], [-2, -2], [1, 1], [0, 3], [-3, 1.0]])
    data = Data(X, np.array([1, -1, 1, -1, 1, -1, 1, 1], np.int8))
    undisturbed = play(data.block(), Additive(2, bias=bias), epochs=1000).cycle
    assert undisturbed is not None
    assert undisturbed.since > 1

    def reloaded(going: Going) -> Going:
        again = Going.loaded(going.saved(2))
        again.widen(8)
        return again

    wide = Block(data.rows().sparse().widened(8), data.y)
    every = list(range(1, len(data)))
    going = Going.with_(Additive(8, bias=bias))
    _, found = played(going, wide, lambda: every, passes=1000, between=reloaded)
    assert found is not None
    assert (found.since, found.until) == (undisturbed.since, undisturbed.until)
    assert found.rows.tolist() == undisturbed.rows.tolist()
    assert found.multipliers == undisturbed.multipliers


@few
@given(draws=st.data())
def test_the_room_a_learner_grew_by_does_not_show(draws: st.DataObject) -> None:
    """Learners of any width that is a multiple of 8 save the same bytes, and go on from them."""
    data = draws.draw(float_data())
    bias, layout = draws.draw(st.booleans()), draws.draw(layouts)
    widths = st.integers((data.dim + 7) // 8, (data.dim + 7) // 8 + 3).map(lambda n: 8 * n)
    saved = []
    for _ in range(2):
        going = Going.with_(Additive(data.dim, bias=bias, averaging=True, **AWKWARD))
        for _ in range(3):
            width = max(going.learner.dim, draws.draw(widths))
            going.widen(width)
            rows = stored(data.X, layout, "float64").sparse().widened(width)
            block = Block(rows, data.y)
            going, _ = played(going, block, list, passes=1)
            if draws.draw(st.booleans()):
                going = Going.loaded(going.saved(data.dim))
        saved.append(going.saved(data.dim))
    assert saved[0] == saved[1]


def test_features_in_use_are_not_left_out() -> None:
    data = Data(np.array([[1.0, 0.0, 2.0]]), np.ones(1, np.int8))
    for layout in ("dense", "csr of int32"):
        going = Going.with_(Additive(3))
        going.meet(data.block(layout), 0, 1)
        with pytest.raises(ValueError, match="feature 2 has a weight"):
            going.learner.state(2)
        with pytest.raises(ValueError, match="the kept rows have more than 2 features"):
            going.ledger.state(2)


def test_a_number_type_does_not_show() -> None:
    plain = Additive(2, rate=2.0, margin=1.0).state()[0]
    dim, margin = cast("int", np.int64(2)), cast("float", np.float32(1))
    assert Additive(dim, rate=2, margin=margin).state()[0] == plain
    kinds = {"rule": str, "dim": int, "bias": bool, "rounds": int, "averaging": bool}
    kinds |= {"margin": float, "rate": float, "unit": float, "ties": str}
    assert {name: type(value) for name, value in plain.items()} == kinds


def test_a_learner_mapped_from_a_file_learns_in_a_copy(tmp_path: Path) -> None:
    data = Data(np.random.default_rng(0).standard_normal((9, 1 << 17)), np.ones(9, np.int8))
    learner = Additive(data.dim, averaging=True)
    play(data.block(), learner)
    storage.save(tmp_path / "it", *learner.state(), kind="model")
    before = (tmp_path / "it").read_bytes()
    mapped = Additive.restored(*storage.load(tmp_path / "it", kind="model"))
    assert not mapped._w.flags.writeable
    other = Block(DenseRows(-data.X), data.y)
    assert mapped.scores(other.rows).tobytes() == learner.scores(other.rows).tobytes()
    play(other, mapped)
    play(other, learner)
    assert mapped.weights.tobytes() == learner.weights.tobytes()
    assert mapped.average.tobytes() == learner.average.tobytes()
    assert (tmp_path / "it").read_bytes() == before


def test_numbers_that_json_cannot_say_are_stored_too() -> None:
    learner = Additive(1, margin=1e300, rate=1e-300)  # its threshold is infinite
    data = Data(np.array([[1e200]]), np.ones(1, np.int8))  # and this square
    going = Going.with_(learner)
    going.meet(data.block(), 0, 1)
    assert going.ledger.largest_square == np.inf
    again = Going.loaded(going.saved())
    assert again.saved() == going.saved()
    assert again.ledger.radius == np.inf


def test_a_ledger_that_keeps_examples_refuses_mistakes_without_them() -> None:
    data = Data(np.ones((1, 1)), np.ones(1, np.int8))
    learner = Additive(1)
    ledger = learner.open_ledger()
    _, mistakes = learner.learn(data.block(), 0, 1)
    with pytest.raises(ValueError, match="needs the block"):
        ledger.record(mistakes, 1)


def small_states() -> dict[str, tuple[Any, dict[str, Any], dict[str, NDArray[Any]]]]:
    """Of a run that has seen its weights come back once, so that there is something of all."""
    data = Data(np.array([[1.0, -1.0], [0.0, 2.0], [1.0, -1.0]]), np.array([1, -1, -1], np.int8))
    states: dict[str, tuple[Any, dict[str, Any], dict[str, NDArray[Any]]]] = {}
    passes = 6
    for layout in ("dense", "csr of int64"):
        start = np.array([0.5, 0.0, 1.0])
        learner = Additive(2, bias=True, averaging=True, start=start)
        going = Going.with_(learner)
        going, _ = played(going, data.block(layout), list, passes=passes)
        states[f"ledger of {layout} rows"] = (Ledger, *going.ledger.state())
    block = sources.classes_block(data.X, [0, 2, 1])
    joint = Joint(2, classes=2, bias=True, averaging=True, start=np.eye(3)[:2])
    states["ledger of classes"] = (Ledger, *play(block, joint, epochs=2).ledger.state())
    states["learner of classes"] = (Joint, *joint.state())
    assert len(going.cycles._updates)
    states["learner"] = (Additive, *going.learner.state())
    search = SimpleNamespace(restored=partial(CycleSearch.restored, dim=2))
    states["cycles"] = (search, *going.cycles.state(2, bias=True))
    return states


STATES = small_states()
OF_ANY_LENGTH = {("learner of classes", "class_weights")}  # a class without a weight has 1
each_state = pytest.mark.parametrize("name", STATES)


@each_state
def test_a_state_that_lacks_something_is_refused(name: str) -> None:
    kind, whole, arrays = STATES[name]
    optional = {"start", "weights", "kept.starts"}  # where there need not be any
    assert kind.restored(whole, arrays).state is not None
    for key in whole:
        with pytest.raises(BadModel, match=f"'{key}' is None"):
            kind.restored({k: v for k, v in whole.items() if k != key}, arrays)
        with pytest.raises(BadModel, match=f"'{key}' is \\[\\]"):
            kind.restored({**whole, key: []}, arrays)
    for key in arrays.keys() - optional:
        with pytest.raises(BadModel, match="has no"):
            kind.restored(whole, {k: v for k, v in arrays.items() if k != key})


@each_state
def test_arrays_of_another_type_or_length_are_refused(name: str) -> None:
    kind, whole, arrays = STATES[name]
    for key, array in arrays.items():
        with pytest.raises(BadModel):
            kind.restored(whole, {**arrays, key: array.astype(np.uint8)})
        if (name, key) not in OF_ANY_LENGTH:
            with pytest.raises(BadModel):
                kind.restored(whole, {**arrays, key: np.concatenate([array, array[:1]])})


CSR = STATES["ledger of csr of int64 rows"]


@pytest.mark.parametrize(
    ("key", "place", "value"),
    [
        ("kept.indices", 0, 2),
        ("kept.indices", 0, -1),
        ("kept.starts", 0, -1),
        ("kept.starts", 1, 99),
        ("kept.values", 0, np.nan),
        ("kept.values", 0, np.inf),
        ("kept.positions", 0, 7),
        ("rows", 0, 7),
        ("rows", 0, -1),
        ("rounds", 0, 0),
        ("rounds", 1, 1),
        ("rounds", -1, 99),
        ("squares", 0, -1.0),
        ("scores", 0, np.nan),
        ("steps", 0, np.nan),
        ("start", 0, np.nan),
        ("largest_square", 0, -1.0),
        ("largest_square", 0, 99.0),
        ("epoch_ends", 0, 99),
        ("epoch_ends", -1, 1),
        ("epoch_mistakes", 0, -1),
        ("epoch_mistakes", 0, 17),
        ("epoch_updates", 0, -1),
        ("epoch_updates", 0, 0),
        ("epoch_updates", 0, 17),
        ("scores", 0, -99.0),
    ],
)
def test_a_ledger_that_no_run_could_write_is_refused(key: str, place: int, value: float) -> None:
    kind, whole, arrays = CSR
    altered = arrays[key].copy()
    altered[place] = value
    with pytest.raises(BadModel, match="the ledger in the file is invalid"):
        kind.restored(whole, {**arrays, key: altered})


@settings(max_examples=120)
@given(draws=st.data())
def test_states_altered_at_random_are_refused_or_can_be_used(draws: st.DataObject) -> None:
    kind, whole, arrays = STATES[draws.draw(st.sampled_from(sorted(STATES)))]
    key = draws.draw(st.sampled_from(sorted(arrays)))
    altered = arrays[key].copy()
    if altered.size:
        place = draws.draw(st.integers(0, altered.size - 1))
        altered.flat[place] = draws.draw(st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3))
    if draws.draw(st.booleans()):
        altered = altered[: draws.draw(st.integers(0, len(altered)))]
    try:
        found = kind.restored(whole, {**arrays, key: altered})
        if kind is Ledger:
            readings.average(found)
            readings.vote(found, DenseRows(np.ones((1, 2))))
        if kind in (Additive, Joint):
            found.scores(DenseRows(np.ones((1, 2))))
    except (BadModel, BadExample):
        return


def test_kept_rows_stand_in_the_order_of_their_positions_however_they_came() -> None:
    X: Vector = np.arange(1.0, 9.0).reshape(4, 2)
    rows = DenseRows(X)
    for kept in (rows, SparseRows(X.ravel(), np.tile([0, 1], 4), np.arange(0, 9, 2), 2)):
        going = Going.with_(Additive(2, margin=1e6))
        block = Block(kept, np.ones(4, np.int8), order=np.array([2, 0, 3, 1]))
        for k in range(4):
            going.meet(block, k, k + 1)
        assert going.ledger.example.tolist() == [2, 0, 3, 1]
        assert (
            going.ledger.examples.take(np.arange(4)).values.ravel().tolist() == X.ravel().tolist()
        )


CUT_SHORT = """
import os, sys
import numpy as np
from novikoff.models.model import Model
from novikoff.storage import file_format
from novikoff.stream.rows import DenseRows

file_format._MAPPED_FROM = int(sys.argv[2])
model = Model.load(sys.argv[1])
rows = DenseRows(np.ones((1, model.features.room)))
os.truncate(sys.argv[1], 100)
for use in (lambda: model.scores(rows), lambda: model.weights, lambda: model.save(sys.argv[1])):
    try:
        use()
        print("right")
    except file_format.BadModel as error:
        print(error)
"""


@pytest.mark.parametrize("mapped_from", [0, 1 << 26])
def test_a_model_whose_file_is_cut_short_still_works_or_says_so(
    tmp_path: Path, mapped_from: int
) -> None:
    data, model = tmp_path / "x.svm", tmp_path / "m"
    data.write_text("".join(f"{(-1) ** i} 1:1 {i + 2}:1\n" for i in range(2000)))
    stdout_of("train", data, "-o", model, "-q", "--learner", "voted")
    assert model.stat().st_size > 1 << 16
    command = [sys.executable, "-c", CUT_SHORT, str(model), str(mapped_from)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    short = "the file was cut short while it was in use; load the model again"
    assert found.splitlines() == [short if mapped_from == 0 else "right"] * 3
