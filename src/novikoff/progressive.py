"""Progressive validation: each example is first a test and then a lesson, when its label comes."""

from __future__ import annotations

import operator
import reprlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from types import FrameType, TracebackType
from typing import Any, Self, TypeAlias

from novikoff.examples import Block
from novikoff.protocol import OneByOne, Protocol
from novikoff.rows import BadExample, DenseRows

Pairs: TypeAlias = Iterable[tuple[Any, Any]]
Delay: TypeAlias = int | Callable[[Any, Any], int | None]
Coming: TypeAlias = list[tuple[int, int, Any]]  # a heap: when, which ticket, its label
Handler: TypeAlias = Callable[[int, FrameType | None], object]


class Unfinished(KeyboardInterrupt):
    """Ctrl-C during a progressive validation: all that happened until then, in a valid state.

    `protocol` can be given to `progressive_validation` again, with the rest of the stream.
    `under_way` are the labels that had not come yet, as pairs of a ticket's number and a label in
    the order of their coming: `tell` them, or let them be.
    """

    def __init__(self, protocol: Protocol, under_way: list[tuple[int, Any]]) -> None:
        super().__init__(f"interrupted after {protocol.asked} examples, {protocol.told} told")
        self.protocol, self.under_way = protocol, under_way

    def __reduce__(self) -> tuple[type[Unfinished], tuple[Protocol, list[tuple[int, Any]]]]:
        return Unfinished, (self.protocol, self.under_way)


def progressive_validation(
    stream: Pairs | Block | Iterable[Block],
    learner: OneByOne | Protocol,
    *,
    delay: Delay | None = None,
    max_waiting: int | None = None,
) -> Protocol:
    """Ask about each example of a stream, and tell its label when it comes.

    Every example is predicted before it is learned from, so on independent draws the mistakes
    bound the error to expect on new ones: `risk_bound()` of what is returned. With every label at
    once and a plain perceptron that knows both labels these are the mistakes of one pass over the
    stream, at most (R/γ)² on separable data (Novikoff 1962). If never more than d others wait when
    a label comes they are at most (1 + d)(R/γ)²: the labels in the order of their coming make at
    most (R/γ)² updates, and a prediction was wrong without leading to one only if another came
    while it waited. An estimator cannot say a label that it has not met, also where its weights
    would be right: up to 1 + d mistakes come from the second label besides.

    An example that the learner refuses raises its error. To have what was counted until then,
    give a Protocol. Ctrl-C raises Unfinished.

    Parameters
    ----------
    stream
        Pairs (x, y), as river's datasets give them; or a Block, or several: their dense rows become
        NumPy rows, sparse ones dicts of column and value, and the labels are −1 and +1.
    learner
        What learns; or a Protocol, to go on with.
    delay
        How many further examples are asked before the label comes. None and 0: at once. A function
        of x and y is asked for each example, and says None for a label that never comes. Of
        labels that come at the same time the one asked first is first. Those under way when the
        stream ends come then, in the same order.
    max_waiting
        As for `Protocol`. The label of one that was let go is passed over when it comes.

    References
    ----------
    Blum, Kalai & Langford (1999) for progressive validation; `Protocol.risk_bound` for the bound.

    Examples
    --------
    >>> class Last:
    ...     said = "ham"
    ...     def predict_one(self, x): return self.said
    ...     def learn_one(self, x, y): self.said = y
    >>> mail = [({"t": t}, y) for t, y in enumerate(["spam", "spam", "ham", "spam", "spam"])]
    >>> progressive_validation(mail, Last()).curve
    [(1, 1), (2, 1), (3, 2), (4, 3), (5, 3)]
    >>> progressive_validation(mail, Last(), delay=1)
    Protocol(Last: 5 asked, 5 told, 4 mistakes, 0 waiting, 0 let go)
    """
    if not isinstance(learner, Protocol):
        protocol = Protocol(learner, max_waiting=max_waiting)
    elif max_waiting is None:
        protocol = learner
    else:
        raise ValueError(f"the Protocol given has its own max_waiting; {max_waiting} cannot be set")
    wait = _waits(delay)
    coming: Coming = []
    with _CtrlC(protocol, coming) as ctrl_c:
        for n, (x, y) in enumerate(ctrl_c.each(_pairs(stream)), start=1):
            try:
                after = wait(n, x, y)
                number = protocol.ask(x).number
            except Exception as error:
                error.add_note(f"example {n} of the stream")
                raise
            if after is not None:
                heappush(coming, (n + after, number, y))
            while coming and coming[0][0] <= n:
                _tell_next(protocol, coming)
        while coming:
            _tell_next(protocol, coming)
            ctrl_c.answer()
    return protocol


def _tell_next(protocol: Protocol, coming: Coming) -> None:
    _, number, y = coming[0]
    if number in protocol:
        try:
            protocol.tell(number, y)
        except Exception as error:
            error.add_note(f"the label of ticket {number}")
            raise
    heappop(coming)


def _waits(delay: Delay | None) -> Callable[[int, Any, Any], int | None]:
    """How long the label of the n-th example, which is (x, y), is waited for."""
    if delay is None:
        return lambda n, x, y: 0
    if not callable(delay):
        always = _checked(delay, "delay")
        return lambda n, x, y: always

    def asked(n: int, x: Any, y: Any) -> int | None:
        given = delay(x, y)
        return None if given is None else _checked(given, f"example {n} of the stream: its delay")

    return asked


def _checked(delay: int, what: str) -> int:
    if isinstance(delay, bool) or not hasattr(delay, "__index__"):
        raise TypeError(f"{what} must count examples, not be {delay!r}")
    if operator.index(delay) < 0:
        raise ValueError(f"{what} must be 0 or more examples, not {delay!r}")
    return operator.index(delay)


def _pairs(stream: Pairs | Block | Iterable[Block]) -> Iterator[tuple[Any, Any]]:
    n = 0
    for item in (stream,) if isinstance(stream, Block) else stream:
        if isinstance(item, Block):
            for pair in _of_block(item):
                n += 1
                yield pair
            continue
        n += 1
        if not (isinstance(item, tuple | list) and len(item) == 2):
            raise BadExample(
                f"example {n} of the stream is {reprlib.repr(item)}, not a pair (x, y)"
            )
        yield item[0], item[1]


def _of_block(block: Block) -> Iterator[tuple[Any, int]]:
    if block.importances is not None:
        raise BadExample(
            f"the block at row {block.first} has importances, which learn_one does not take"
        )
    rows = block.rows
    for i in map(int, range(len(block)) if block.order is None else block.order):
        if isinstance(rows, DenseRows):
            yield rows.values[i], int(block.labels[i])
            continue
        x: dict[int, float] = {}
        columns, values = rows.row(i)
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            x[column] = x.get(column, 0.0) + value
        yield x, int(block.labels[i])


class _CtrlC:
    """Hold Ctrl-C back while an example is asked or told; answer it at once while one is awaited.

    As in `play`: a program that ignores Ctrl-C is left alone, so is a thread that no signal
    reaches, and a handler of the program's own is called late and goes on unless it raises.
    """

    def __init__(self, protocol: Protocol, coming: Coming) -> None:
        self._protocol, self._coming = protocol, coming
        self._seen = self._idle = False
        self._handler: Handler | None = None

    def __enter__(self) -> Self:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self._seen = True
        if self._idle:
            self.answer()

    def each(self, pairs: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """The examples one by one."""
        while True:
            self._idle = True
            try:
                self.answer()
                pair = next(pairs, None)
            finally:
                self._idle = False
            if pair is None:
                return
            yield pair

    def answer(self) -> None:
        """Do what the program does on Ctrl-C, if it was pressed."""
        if not self._seen or self._handler is None:
            return
        self._seen = False
        if self._handler is signal.default_int_handler:
            under_way = [(number, y) for _, number, y in sorted(self._coming, key=lambda c: c[:2])]
            raise Unfinished(self._protocol, under_way)
        self._handler(signal.SIGINT, None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            if kind is None:
                self.answer()
