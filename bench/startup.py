"""How long `novikoff --version` takes beside `python -c "import numpy"`: best of nine processes.

Run: python bench/startup.py
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path


def best(command: list[str]) -> float:
    times = []
    for _ in range(9):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    ours = best([str(Path(sys.executable).parent / "novikoff"), "--version"])
    importing = best([sys.executable, "-c", "import novikoff"])
    numpy = best([sys.executable, "-c", "import numpy"])
    print("| process | time | times import numpy |")
    print("|---|---|---|")
    for name, seconds in (
        ('python -c "import numpy"', numpy),
        ('python -c "import novikoff"', importing),
        ("novikoff --version", ours),
    ):
        print(f"| {name} | {seconds * 1e3:.0f} ms | {seconds / numpy:.2f} |")


if __name__ == "__main__":
    main()
