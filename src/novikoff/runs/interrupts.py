"""Ctrl-C, delayed while state is being changed and answered at once otherwise."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Self, TypeAlias, TypeVar

T = TypeVar("T")
Handler: TypeAlias = Callable[[int, FrameType | None], object]
Stopped: TypeAlias = Callable[[], KeyboardInterrupt]  # makes the error to raise, with the run


class Interrupts:
    """Delay Ctrl-C until the work of the moment has been recorded.

    If the program has its own handler, that is called after the delay, and the run continues unless
    it raises. Nothing changes for a program that ignores Ctrl-C, nor outside the main thread.
    """

    seen: bool = False
    _handler: Handler | None = None
    _idle: Stopped | None = None

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

    def each(self, items: Iterable[T], stopped: Stopped) -> Iterator[T]:
        """The items in turn. Ctrl-C is answered at once while waiting for the next."""
        coming = iter(items)
        while True:
            self._idle = stopped
            try:
                self.answer(stopped)
                item = next(coming)
            except StopIteration:
                return
            finally:
                self._idle = None
            yield item

    def answer(self, stopped: Stopped) -> None:
        """Do what the program does on Ctrl-C, if it was pressed."""
        if not self.seen or self._handler is None:
            return
        self.seen = False
        if self._handler is signal.default_int_handler:
            raise stopped()
        self._handler(signal.SIGINT, None)

    def __exit__(self, *_: object) -> None:
        if self._handler is None:
            return
        later = self._began_after()
        if later is not None:  # runs in turn end in any order
            later._handler, later.seen = self._handler, later.seen or self.seen
            return
        signal.signal(signal.SIGINT, self._handler)
        if self.seen:
            signal.raise_signal(signal.SIGINT)

    def _began_after(self) -> Interrupts | None:
        """The one that began next and goes on: it would put back the handler of this one."""
        now: object = signal.getsignal(signal.SIGINT)
        while now != self._note:
            one = getattr(now, "__self__", None)
            if not isinstance(one, Interrupts) or one._handler == self._note:
                return one if isinstance(one, Interrupts) else None
            now = one._handler
        return None


def ctrl_c_stops() -> bool:
    """Whether Ctrl-C raises an error or nothing hears it, so that no handler is to be called."""
    here = threading.current_thread() is threading.main_thread()
    return not here or signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextmanager
def undisturbed() -> Iterator[Callable[[], None]]:
    """Delay Ctrl-C until the block ends; calling the function that it yields answers it earlier."""
    with Interrupts() as interrupts:
        yield partial(interrupts.answer, KeyboardInterrupt)
