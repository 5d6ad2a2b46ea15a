"""Progressive validation: each example is first predicted, then learned when its label comes."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Any, TypeAlias

from novikoff.online.delayed_labels import OneByOne, Protocol, whole_number
from novikoff.runs.interrupts import Interrupts
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows

Pairs: TypeAlias = Iterable[tuple[Any, Any]]
Delay: TypeAlias = int | Callable[[Any, Any], int | None]
# a heap: when a label comes, the number of its example, the ticket's id, the label
Coming: TypeAlias = list[tuple[int, int, str | int, Any]]


class Unfinished(KeyboardInterrupt):
    """Ctrl-C during a progressive validation; everything up to then is in a valid state.

    Pass `protocol` to `progressive_validation` again, with the rest of the stream, to continue.
    `under_way` holds the labels that had not come yet, as pairs of a ticket's id and a label.
    """

    def __init__(self, protocol: Protocol, under_way: list[tuple[str | int, Any]]) -> None:
        super().__init__(
            f"interrupted after {protocol.asked} examples, {protocol.labelled} labelled"
        )
        self.protocol, self.under_way = protocol, under_way

    def __reduce__(self) -> tuple[type[Unfinished], tuple[Protocol, list[tuple[str | int, Any]]]]:
        return Unfinished, (self.protocol, self.under_way)


def progressive_validation(
    stream: Pairs | Block | Iterable[Block],
    learner: OneByOne | Protocol,
    *,
    delay: Delay | None = None,
    max_waiting: int | None = None,
) -> Protocol:
    """Predict each example of a stream, and learn from it when its label comes.

    Every example is predicted before it is learned, so on independent draws the mistakes bound the
    error rate on new examples: call `risk_bound()` on the result. On separable data a perceptron
    that knows both labels makes at most (1 + d)(R/γ)² mistakes if at most d others wait whenever a
    label comes; with d = 0 these are the mistakes of one pass over the stream (Novikoff 1962). An
    estimator cannot predict a label that it has not seen: the second adds up to 1 + d mistakes.

    Tickets are numbered from 1. An error of the learner is raised; Ctrl-C raises Unfinished.

    Parameters
    ----------
    stream
        Pairs (x, y), as river's datasets give them; or one or several Blocks, whose dense rows
        become NumPy rows and sparse ones dicts from column to value, with labels −1 and +1.
    learner
        The learner; or a Protocol to continue with.
    delay
        How many more examples are predicted before the label comes; or a function of x and y, which
        returns None for a label that never comes. None and 0 mean at once.
    max_waiting
        As for `Protocol`. The label of a dropped example is ignored when it comes.

    References: Blum, Kalai & Langford (1999) for progressive validation.

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
    Protocol(Last: 5 asked, 5 labelled, 4 mistakes, 0 waiting, 0 dropped)
    """
    if not isinstance(learner, Protocol):
        protocol = Protocol(learner, max_waiting=max_waiting)
    elif max_waiting is None:
        protocol = learner
    else:
        raise ValueError(f"the Protocol has its own max_waiting; {max_waiting} cannot be set")
    after: int | None = 0
    if delay is not None and not callable(delay):
        after = whole_number(delay, "delay", least=0)
    coming: Coming = []

    def stopped() -> Unfinished:
        return Unfinished(protocol, [(id, y) for _, _, id, y in sorted(coming)])

    with Interrupts() as interrupts:
        for n, (x, y) in enumerate(interrupts.each(_pairs(stream), stopped), start=1):
            try:
                if callable(delay):
                    given = delay(x, y)
                    after = None if given is None else whole_number(given, "delay", least=0)
                ticket = protocol.ask(x, key=protocol.asked + 1)
            except Exception as error:
                error.add_note(f"example {n} of the stream")
                raise
            if after is not None:
                heappush(coming, (n + after, n, ticket.id, y))
            while coming and coming[0][0] <= n:
                _tell_next(protocol, coming)
        while coming:
            _tell_next(protocol, coming)
            interrupts.answer(stopped)
    return protocol


def _tell_next(protocol: Protocol, coming: Coming) -> None:
    _, _, id, y = coming[0]
    if id in protocol:
        try:
            protocol.tell(id, y)
        except Exception as error:
            error.add_note(f"the label of ticket {id}")
            raise
    heappop(coming)


def _pairs(stream: Pairs | Block | Iterable[Block]) -> Iterator[tuple[Any, Any]]:
    for n, item in enumerate((stream,) if isinstance(stream, Block) else stream, start=1):
        if isinstance(item, Block):
            yield from _of_block(item)
        elif isinstance(item, tuple | list) and len(item) == 2:
            yield item[0], item[1]
        else:
            raise BadExample(
                f"example {n} of the stream is {reprlib.repr(item)}, not a pair (x, y)"
            )


def _of_block(block: Block) -> Iterator[tuple[Any, int]]:
    if block.importances is not None:
        raise BadExample(
            f"the block at row {block.first} has importances; in progressive validation every "
            "example counts once"
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
