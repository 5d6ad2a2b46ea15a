"""The loop: how a run ends, and that it can be stopped at any moment without losing anything."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from helpers.strategies import Data
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive, Learner, Ties
from novikoff.ledger import readings
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.runs.loop import Interrupted, Run, play
from novikoff.sources import block, forcing_disjunction, separable, tight
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Rows, SparseRows, Vector

XOR = block([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [-1, 1, 1, -1])


def noisy(n: int = 60) -> Data:
    """Labels that have nothing to do with the points: mistakes in every pass."""
    dice = np.random.default_rng(0)
    return Data(dice.standard_normal((n, 4)), np.where(dice.random(n) < 0.5, 1, -1).astype(np.int8))


def test_a_clean_pass_ends_the_run_and_counts() -> None:
    run = play([block([[1.0], [-1.0]], [1, -1])], Additive(1), epochs=50)
    assert run.verdict is Verdict.SEPARATED
    assert run.epochs == 2
    assert run.ledger.epoch_ends == [2, 4]
    assert run.ledger.epoch_mistakes == [1, 0]


def test_a_run_ends_when_its_passes_are_used_up() -> None:
    run = play([noisy().block()], Additive(4), epochs=7)
    assert run.verdict is Verdict.BUDGET
    assert run.cycle is None
    assert run.epochs == 7
    assert run.ledger.n_rounds == 420


def test_the_last_pass_allowed_may_be_the_clean_one() -> None:
    points = block([[1.0], [-1.0]], [1, -1])
    assert play([points], Additive(1), epochs=2).verdict is Verdict.SEPARATED
    assert play([points], Additive(1), epochs=1).verdict is Verdict.BUDGET


def test_play_makes_one_pass_by_default() -> None:
    assert play([XOR], Additive(2)).epochs == 1


def test_a_single_block_is_a_stream_too() -> None:
    assert play(noisy().block(), Additive(4), epochs=3).ledger.n_rounds == 180
    run = play(XOR, Additive(2), epochs=9)
    assert (run.verdict, run.epochs) == (Verdict.CYCLE, 3)


def test_verdicts_are_words() -> None:
    assert [str(verdict) for verdict in Verdict] == ["separated", "cycle", "budget", "interrupted"]


@pytest.mark.parametrize("stream", [[], [block(np.empty((0, 3)), [])]], ids=["none", "empty block"])
def test_a_stream_without_examples_is_refused(stream: list[Block]) -> None:
    with pytest.raises(BadExample, match="no examples"):
        play(stream, Additive(3))


def test_empty_blocks_among_others_are_passed_over() -> None:
    nothing = block(np.empty((0, 2)), [])
    whole, gaps = Additive(2), Additive(2)
    play([XOR], whole)
    run = play([nothing, XOR, nothing], gaps)
    assert run.ledger.n_rounds == 4
    assert whole.weights.tolist() == gaps.weights.tolist()


def test_blocks_that_claim_the_same_rows_cannot_falsify_the_ledger() -> None:
    """Two blocks that both say they begin at row 0: refused, or told apart, but never confused."""
    learner = Additive(1)
    ledger = learner.open_ledger()
    with contextlib.suppress(BadExample):
        play([block([[1.0]], [1]), block([[5.0]], [-1])], learner, ledger=ledger)
    assert readings.final(ledger).tolist() == learner.weights.tolist()


def test_a_stream_that_can_be_met_once_is_refused_for_more_passes() -> None:
    learner = Additive(2)
    with pytest.raises(ValueError, match="can be iterated over only once"):
        play((b for b in [XOR]), learner, epochs=2)
    assert learner.rounds == 0
    assert play((b for b in [XOR]), learner).epochs == 1


def test_zero_passes_are_refused() -> None:
    for epochs in (0, -1):
        with pytest.raises(ValueError, match=f"epochs must be at least 1, not {epochs}"):
            play([XOR], Additive(2), epochs=epochs)


def test_wrong_types_are_refused_by_name() -> None:
    wrong: Any = object()
    with pytest.raises(TypeError, match="needs a learner such as Additive, not object"):
        play([XOR], wrong)
    bare: Any = np.eye(2)
    with pytest.raises(TypeError, match=r"sources\.block\(X, y\)"):
        Block(bare, np.ones(2, np.int8))


def test_rows_changed_after_a_run_are_checked_again() -> None:
    """The arrays are the caller's: an index that was good may be outside the weights now."""
    rows = SparseRows(np.ones(4), np.arange(4), np.arange(5), 4)
    some = Block(rows, np.ones(4, np.int8))
    play(some, Additive(4), epochs=3)
    rows.indices[0] = 2**30
    with pytest.raises(BadExample, match="row 0: column 1073741824"):
        play(some, Additive(4))


class Waiting:
    """A source in whose wait for the next block Ctrl-C is pressed."""

    def __iter__(self) -> Iterator[Block]:
        yield block([[1.0]], [1])
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the wait went on after Ctrl-C")


@pytest.mark.usefixtures("python_handler")
def test_ctrl_c_while_the_source_is_awaited_is_answered_at_once() -> None:
    learner = Additive(1, averaging=True)
    run = stopped(Waiting(), learner)
    assert run.ledger.n_rounds == 1
    assert whole(run, learner)
    again = pickle.loads(pickle.dumps(Interrupted(run)))
    assert again.run.ledger.n_rounds == 1


def test_progress_is_called_after_each_pass() -> None:
    seen: list[tuple[int, int]] = []
    run = play(
        [noisy().block()],
        Additive(4),
        epochs=3,
        progress=lambda ledger: seen.append((len(ledger.epoch_ends), ledger.n_rounds)),
    )
    assert seen == [(1, 60), (2, 120), (3, 180)]
    assert run.epochs == 3


def test_a_stream_is_iterated_over_once_a_pass_and_once_for_a_proof() -> None:
    class Counted:
        def __init__(self, some: Block) -> None:
            self.some, self.passes = some, 0

        def __iter__(self) -> Iterator[Block]:
            self.passes += 1
            yield self.some

    endless, cycling = Counted(noisy().block()), Counted(XOR)
    play(endless, Additive(4), epochs=6)
    assert endless.passes == 6
    run = play(cycling, Additive(2), epochs=6)
    assert (run.verdict, cycling.passes) == (Verdict.CYCLE, run.epochs + 1)


def test_points_drawn_to_be_separable_are_separated() -> None:
    stream = separable(3000, [1.0, -2.0, 0.5], margin=0.05, seed=4, block=512)
    learner = Additive(3)
    run = play(stream, learner, epochs=500)
    assert run.verdict is Verdict.SEPARATED
    assert run.ledger.n_mistakes <= 1 / 0.05**2
    for some in stream:
        assert (some.labels * learner.scores(some.rows) > 0).all()
    assert readings.final(run.ledger).tobytes() == learner.weights.tobytes()


@pytest.mark.parametrize("n", [1, 2, 8, 50])
def test_the_bound_is_met_by_the_unit_vectors(n: int) -> None:
    """SPEC 3.1: (R/γ)² = n."""
    run = play([tight(n)], Additive(n), epochs=2)
    assert run.ledger.n_mistakes == n
    assert run.verdict is Verdict.SEPARATED


@pytest.mark.parametrize(
    ("n", "k"), [(4, 1), (5, 2), (16, 1), (17, 2), (40, 5), (40, 37), (131, 3)]
)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rule", ["mistake", "positive"])
def test_a_disjunction_can_force_mistakes_linear_in_n(
    n: int, k: int, bias: bool, rule: Ties
) -> None:
    """SPEC 3.5: every round of the sequence is a mistake."""
    some = forcing_disjunction(n, k)
    assert some.rows.dim == n
    assert len(some) >= (n - k) / 2
    ledger = play([some], Additive(n, bias=bias, ties=rule)).ledger
    assert ledger.n_mistakes == len(some)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 2), (16, 1), (40, 5), (40, 37), (131, 3)])
def test_the_forcing_labels_are_those_of_a_disjunction(n: int, k: int) -> None:
    rows = forcing_disjunction(n, k).rows.values
    assert set(np.unique(rows)) == {0.0, 1.0}
    never_on = np.flatnonzero(~rows.any(axis=0))
    relevant = [0, *never_on[: k - 1].tolist()]
    assert len(relevant) == k
    said = np.where(rows[:, relevant].any(axis=1), 1, -1)
    assert said.tolist() == forcing_disjunction(n, k).labels.tolist()


@pytest.mark.parametrize(("n", "k"), [(3, 1), (5, 0), (5, 3)])
def test_a_disjunction_too_small_to_force_anything_is_refused(n: int, k: int) -> None:
    with pytest.raises(ValueError, match="need 1 <= k <= n - 3"):
        forcing_disjunction(n, k)


class Signals:
    """Blocks, and Ctrl-C while one of them is being fetched."""

    def __init__(self, blocks: list[Block], *, at: int, at_pass: int = 1) -> None:
        self.blocks, self.at, self.at_pass, self.passes = blocks, at, at_pass, 0

    def __iter__(self) -> Iterator[Block]:
        self.passes += 1
        for n, some in enumerate(self.blocks):
            if (self.passes, n) == (self.at_pass, self.at):
                signal.raise_signal(signal.SIGINT)
            yield some
        if (self.passes, len(self.blocks)) == (self.at_pass, self.at):
            signal.raise_signal(signal.SIGINT)


class Pressed:
    """A learner during whose n-th call Ctrl-C is pressed."""

    def __init__(self, learner: Additive, call: int) -> None:
        self.learner, self.left = learner, call

    @property
    def weights(self) -> Vector:
        return self.learner.weights

    def scores(self, rows: Rows) -> Vector:
        return self.learner.scores(rows)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)
        return self.learner.learn(block, begin, end)

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        return self.learner.open_ledger(keep)


@pytest.fixture
def python_handler() -> Iterator[None]:
    """Ctrl-C means KeyboardInterrupt, whatever the test runner made of it."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def stopped(stream: Iterable[Block], learner: Learner, **options: Any) -> Run:
    """The run that Ctrl-C left. Any KeyboardInterrupt is caught: one let through ends the tests."""
    with pytest.raises(KeyboardInterrupt) as caught:
        play(stream, learner, **options)
    assert isinstance(caught.value, Interrupted)
    assert str(caught.value) == f"interrupted after {caught.value.run.ledger.n_rounds} rounds"
    assert caught.value.run.verdict is Verdict.INTERRUPTED
    return caught.value.run


def whole(run: Run, learner: Additive) -> bool:
    return (
        readings.final(run.ledger).tobytes() == learner.weights.tobytes()
        and readings.average(run.ledger).tobytes() == learner.average.tobytes()
        and run.ledger.n_rounds == learner.rounds
    )


@pytest.mark.usefixtures("python_handler")
@pytest.mark.parametrize("at_pass", [1, 3])
@pytest.mark.parametrize("at", [0, 1, 4, 6])
def test_ctrl_c_between_blocks_leaves_a_whole_run(at: int, at_pass: int) -> None:
    learner = Additive(4, bias=True, averaging=True)
    blocks = noisy().pieces(list(range(0, 60, 10)))
    run = stopped(Signals(blocks, at=at, at_pass=at_pass), learner, epochs=20)
    assert run.ledger.n_rounds <= 60 * (at_pass - 1) + 10 * (at + 1)
    assert whole(run, learner)


@pytest.mark.usefixtures("python_handler")
@pytest.mark.parametrize("call", [1, 2, 9, 20, 31])
def test_ctrl_c_in_the_middle_of_a_block_leaves_a_whole_run(
    call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("novikoff.learners.compiled_pass.part_size", lambda _rows: 3)
    learner = Additive(4, averaging=True)
    run = stopped([noisy().block()], Pressed(learner, call), epochs=20)
    assert run.ledger.n_rounds == 3 * call
    assert str(Interrupted(run)) == f"interrupted after {3 * call} rounds"
    assert whole(run, learner)


def test_a_block_is_recorded_once_however_many_parts_it_is_learned_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Copying the mistaken rows part by part made a pass over a large block half as fast."""
    monkeypatch.setattr("novikoff.learners.compiled_pass.part_size", lambda _rows: 3)
    recorded: list[int] = []

    def record(ledger: Ledger, mistakes: Mistakes, rounds: int, source: Block) -> None:
        recorded.append(rounds)
        write(ledger, mistakes, rounds, source)

    write = Ledger.record
    monkeypatch.setattr(Ledger, "record", record)
    play([noisy().block()], Additive(4))
    assert recorded == [60]


def test_what_was_learned_before_a_bad_row_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.learners.compiled_pass.part_size", lambda _rows: 2)
    learner = Additive(1)
    ledger = learner.open_ledger()
    rows = DenseRows(np.array([[1.0], [-2.0], [3.0], [4.0], [np.nan], [6.0]]))
    with pytest.raises(BadExample, match="row 4"):
        play(Block(rows, np.array([1, 1, 1, 1, 1, 1], np.int8)), learner, ledger=ledger)
    assert ledger.n_rounds == 4
    assert ledger.rows.tolist() == [0, 1, 2]


@pytest.mark.usefixtures("python_handler")
@pytest.mark.parametrize("layout", ["csr of int32", "csr of int64"])
def test_ctrl_c_leaves_a_whole_run_on_sparse_rows(layout: Any) -> None:
    learner = Additive(4, averaging=True)
    run = stopped([noisy().block(layout)], Pressed(learner, 2), epochs=20)
    assert whole(run, learner)


def press(_ledger: Ledger) -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("python_handler")
@pytest.mark.parametrize("epochs", [5, 1])
def test_ctrl_c_after_a_pass_leaves_a_whole_run(epochs: int) -> None:
    """Also after the last pass, when there is nothing more to do: the run is not lost."""
    learner = Additive(4, averaging=True)
    run = stopped([noisy().block()], learner, epochs=epochs, progress=press)
    assert whole(run, learner)


@pytest.mark.usefixtures("python_handler")
def test_ctrl_c_after_the_clean_pass_does_not_lose_the_run() -> None:
    learner = Additive(1, averaging=True)
    points = block([[1.0], [-1.0]], [1, -1])

    def at_the_end(ledger: Ledger) -> None:
        if ledger.epoch_mistakes[-1] == 0:
            press(ledger)

    with pytest.raises(Interrupted) as caught:
        play([points], learner, epochs=9, progress=at_the_end)
    run = caught.value.run
    assert (run.verdict, run.epochs) == (Verdict.SEPARATED, 2)
    assert whole(run, learner)


@pytest.mark.usefixtures("python_handler")
def test_a_run_goes_on_after_ctrl_c_as_if_nothing_had_happened() -> None:
    straight, halted = Additive(4), Additive(4)
    blocks = noisy().pieces([20, 40])
    play(blocks, straight)
    ledger = stopped(Signals(blocks, at=1), halted).ledger
    assert ledger.n_rounds == 20
    play(blocks[1:], halted, ledger=ledger)
    assert halted.weights.tobytes() == straight.weights.tobytes()
    assert readings.final(ledger).tobytes() == halted.weights.tobytes()


@pytest.mark.usefixtures("python_handler")
def test_an_interrupted_run_is_a_keyboard_interrupt() -> None:
    """So that programs which know nothing of novikoff end on Ctrl-C as they always did."""
    with pytest.raises(KeyboardInterrupt):
        play([noisy().block()], Pressed(Additive(4), 1))


@pytest.mark.usefixtures("python_handler")
def test_a_handler_of_the_program_is_called_and_the_run_goes_on() -> None:
    called: list[int] = []

    def mine(number: int, _frame: FrameType | None) -> None:
        called.append(number)

    signal.signal(signal.SIGINT, mine)
    learner = Additive(4, averaging=True)
    run = play([noisy().block()], Pressed(learner, 3), epochs=20)
    assert called == [signal.SIGINT]
    assert run.epochs == 20
    assert whole(run, learner)
    assert signal.getsignal(signal.SIGINT) is mine


@pytest.mark.usefixtures("python_handler")
def test_what_a_handler_of_the_program_raises_gets_through() -> None:
    def mine(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGINT, mine)
    learner = Additive(4, averaging=True)
    ledger = learner.open_ledger()
    with pytest.raises(TimeoutError):
        play([noisy().block()], Pressed(learner, 3), epochs=20, ledger=ledger)
    assert whole(Run(ledger, Verdict.INTERRUPTED), learner)
    assert signal.getsignal(signal.SIGINT) is mine


@pytest.mark.usefixtures("python_handler")
def test_a_program_that_ignores_ctrl_c_is_not_stopped_by_it() -> None:
    """As under nohup, or in the background of a script."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ledger = Ledger(4)
    with contextlib.suppress(Interrupted):
        play([noisy().block()], Pressed(Additive(4), 2), epochs=5, ledger=ledger)
    assert len(ledger.epoch_ends) == 5
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def interrupted() -> None:
    stopped([noisy().block()], Pressed(Additive(4), 1))


def refused() -> None:
    with pytest.raises(BadExample):
        play([], Additive(4))


def finished() -> None:
    play([noisy().block()], Additive(4))


@pytest.mark.usefixtures("python_handler")
@pytest.mark.parametrize("ending", [finished, refused, interrupted])
def test_the_handler_is_put_back_however_a_run_ends(ending: Callable[[], None]) -> None:
    ending()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("python_handler")
def test_a_run_outside_the_main_thread_is_the_same_run() -> None:
    """Where signal handlers cannot be set."""
    here = Additive(4, averaging=True)
    play([noisy().block()], here, epochs=3)
    before = signal.getsignal(signal.SIGINT)
    there = [Additive(4, averaging=True) for _ in range(4)]
    runs: list[Run] = []

    def work(learner: Additive) -> None:
        runs.append(play([noisy().block()], learner, epochs=3))

    threads = [threading.Thread(target=work, args=(learner,)) for learner in there]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 4
    for learner in there:
        assert learner.weights.tobytes() == here.weights.tobytes()
        assert learner.average.tobytes() == here.average.tobytes()
    assert signal.getsignal(signal.SIGINT) is before


PROGRAM = """
    import signal
    import numpy as np
    from novikoff import readings
    from novikoff.learners import Additive
    from novikoff.runs.loop import Interrupted, play
    from novikoff.sources import block

    signal.signal(signal.SIGINT, signal.default_int_handler)
    dice = np.random.default_rng(0)
    noisy = block(dice.standard_normal((5000, 20)), np.where(dice.random(5000) < 0.5, 1, -1))
    learner = Additive(20, bias=True)

    def running(ledger):
        if len(ledger.epoch_ends) == 1:
            print("running", flush=True)

    try:
        play([noisy], learner, epochs=10**9, progress=running)
    except Interrupted as stopped:
        ledger = stopped.run.ledger
        same = readings.final(ledger).tobytes() == learner.weights.tobytes()
        print(same, ledger.n_rounds == learner.rounds > 0, flush=True)
"""


def test_a_program_stopped_from_outside_has_the_whole_run() -> None:
    """The real thing: another process sends SIGINT at whatever moment it comes."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], stdout=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "running\n"
            os.kill(program.pid, signal.SIGINT)
            said, _ = program.communicate(timeout=120)
        finally:
            program.kill()
    assert said == "True True\n"
    assert program.returncode == 0


def test_dense_rows_are_read_where_they_stand() -> None:
    """A run over a view of memory sees what is there at the time: nothing was copied before."""
    values = np.zeros((2, 1))
    stream = [Block(DenseRows(values), np.array([1, 1], np.int8))]
    values[:] = 1.0
    assert play(stream, Additive(1)).ledger.n_mistakes == 1


IN_MEMORY = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [0.5, -1.0]]


@pytest.mark.parametrize(
    "y",
    [
        [1, -1, -1, 1],
        [1, 0, 0, 1],
        ["b", "a", "a", "b"],
        [True, False, False, True],
        [10, 9, 9, 10],
    ],
)
def test_data_in_memory_are_played_whatever_their_two_labels(y: list[Any]) -> None:
    signs = [1, -1, -1, 1]
    expected = play(block(IN_MEMORY, signs), learner := Additive(2), epochs=5).ledger
    forms: list[tuple[Any, ...]] = [
        ((IN_MEMORY, y), Additive(2)),
        (IN_MEMORY, y, Additive(2)),
        (np.array(IN_MEMORY), np.array(y), Additive(2)),
        (sparse.csr_array(IN_MEMORY), y, Additive(2)),
        (pd.DataFrame(IN_MEMORY), pd.Series(y), Additive(2)),
        (pd.DataFrame(IN_MEMORY), pd.DataFrame({"y": y}), Additive(2)),
    ]
    for form in forms:
        run = play(*form, epochs=5)
        assert run.ledger.rows.tolist() == expected.rows.tolist()
        assert readings.final(run.ledger).tolist() == learner.weights.tolist()
    alone = play(IN_MEMORY, y, epochs=5).ledger  # with a constant
    with_constant = play(block(IN_MEMORY, signs), Additive(2, bias=True), epochs=5).ledger
    assert readings.final(alone).tolist() == readings.final(with_constant).tolist()


def test_data_in_memory_that_cannot_be_played_are_refused() -> None:
    with pytest.raises(BadExample, match="row 2: label 'c' is a third.*numpy.array.y. == 'c'"):
        play(IN_MEMORY, ["a", "b", "c", "a"])
    play(IN_MEMORY, np.array(["a", "b", "c", "a"]) == "c")  # the cure
    with pytest.raises(TypeError, match="play needs a learner such as Additive, not NoneType"):
        play(block(IN_MEMORY, [1, 1, 1, -1]))
    with pytest.raises(BadExample, match="4 rows but 1 labels"):
        play(IN_MEMORY, [1])
