"""Work that is done whole, also when Ctrl-C is pressed in the middle of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def undisturbed() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until this is done and answer it then, or when what it gives is called.

    A program that ignores Ctrl-C, or leaves it to the system, is left alone; so is a thread that no
    signal reaches.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    seen: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        seen.append(number)

    def answer() -> None:
        if seen:
            seen.clear()
            handler(signal.SIGINT, None)

    signal.signal(signal.SIGINT, note)
    try:
        yield answer
    finally:
        signal.signal(signal.SIGINT, handler)
        answer()
