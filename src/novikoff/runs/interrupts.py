"""Ctrl-C, held back while something is being written down and answered at once while it is not."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType, TracebackType
from typing import Self, TypeAlias, TypeVar

T = TypeVar("T")
Handler: TypeAlias = Callable[[int, FrameType | None], object]
Stopped: TypeAlias = Callable[[], KeyboardInterrupt]  # what to raise, which holds what was done


class Interrupts:
    """Hold Ctrl-C back until what was done has been written down.

    A program that ignores Ctrl-C, or leaves it to the system, is left alone; so is a run outside
    the main thread, which no signal reaches. A handler of the program's own is called, late by what
    was being done, and the run goes on unless it raises.
    """

    def __init__(self) -> None:
        self.seen = False
        self._handler: Handler | None = None
        self._idle: Stopped | None = None

    def __enter__(self) -> Self:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.seen = True
        if self._idle is not None:
            self.answer(self._idle)

    def wait_for(self, coming: Iterator[T], stopped: Stopped) -> T | None:
        """The next of them, if there is one. While it is awaited Ctrl-C is answered at once."""
        self._idle = stopped
        try:
            self.answer(stopped)
            return next(coming, None)
        finally:
            self._idle = None

    def answer(self, stopped: Stopped) -> None:
        """Do what the program does on Ctrl-C, if it was pressed."""
        if not self.seen or self._handler is None:
            return
        self.seen = False
        if self._handler is signal.default_int_handler:
            raise stopped()
        self._handler(signal.SIGINT, None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            if self.seen:
                signal.raise_signal(signal.SIGINT)


@contextmanager
def undisturbed() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until this is done and answer it then, or when what it gives is called."""
    with Interrupts() as interrupts:
        yield partial(interrupts.answer, KeyboardInterrupt)
