"""The core reads arrays that another thread keeps damaging: python racing_arrays.py SECONDS.

It runs in a process of its own, where reading outside an array is likely to be fatal.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.core_calls import calls

WRONG = (2**30, -1, -(2**30))


def race(seconds: float) -> int:
    """How many calls the core answered."""
    jobs, indices = calls()
    stop = threading.Event()

    def damage() -> None:
        while not stop.is_set():
            for array in indices:
                for value in WRONG:
                    sound = array.copy()
                    array[::7] = value
                    array[:] = sound

    sys.setswitchinterval(1e-5)
    thread = threading.Thread(target=damage)
    thread.start()
    answered, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for job in jobs:
            answered += 1
            with suppress(ValueError):  # the core saw the damage
                job()
    stop.set()
    thread.join()
    return answered


if __name__ == "__main__":
    print(race(float(sys.argv[1])))
