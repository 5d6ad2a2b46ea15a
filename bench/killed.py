"""Kill training at a hundred random moments: every model on disk loads, and is finished exactly.

    python bench/killed.py [moments]

Each run trains with `--checkpoint 0` on a few megabytes of svmlight, is killed (-9) at a moment
drawn from the length of a run, and is finished with `--resume`, perhaps to be killed again.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from novikoff.models.model import Model

NOVIKOFF = (sys.executable, "-m", "novikoff")
ROWS = 60_000


def write(path: Path) -> None:
    """Some megabytes, so that there are several blocks, and no weights that separate them."""
    draw = np.random.default_rng(1)
    with path.open("w") as file:
        for values, noise in zip(draw.normal(size=(ROWS, 8)), draw.normal(size=ROWS), strict=True):
            label = 1 if values[0] + noise > values[1] else -1
            file.write(
                f"{label}" + "".join(f" {j}:{x:.4f}" for j, x in enumerate(values, 1)) + "\n"
            )


def finish(model: Path, words: list[str], draw: random.Random, length: float) -> Counter[str]:
    """Train, killed with probability 4/5 at a time and else left alone, until the run ends."""
    tally: Counter[str] = Counter()
    while True:
        command = [*NOVIKOFF, "train", *words, "-o", str(model), "--checkpoint", "0", "--resume"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = draw.uniform(0, length) if draw.random() < 0.8 else None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(limit)
        if process.poll() is not None:
            if process.returncode:
                tally["failed"] += 1
            return tally
        process.kill()
        process.wait()
        tally["killed"] += 1
        if not model.exists():
            tally["before the first checkpoint"] += 1
        elif Model.load(model).unfinished is None:
            tally["after the end"] += 1
            return tally


def main() -> None:
    """Count what became of the moments."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    draw, tally = random.Random(0), Counter[str]()
    with TemporaryDirectory() as folder:
        data, whole, model = (Path(folder, name) for name in ("data.svm", "whole", "model"))
        write(data)
        words = [str(data), "--passes", "8", "--shuffle", "--learner", "averaged", "-q"]
        began = time.perf_counter()
        command = [*NOVIKOFF, "train", *words, "-o", str(whole), "--checkpoint", "0"]
        subprocess.run(command, check=True, capture_output=True)
        length = time.perf_counter() - began
        while tally["killed"] < wanted:
            model.unlink(missing_ok=True)
            tally += finish(model, words, draw, length)
            same = model.read_bytes() == whole.read_bytes()
            tally["finished to the same bytes" if same else "DIFFERENT"] += 1
    print(f"a run of {length:.2f} s, {wanted} moments asked for")
    for what, count in tally.items():
        print(f"{count:6}  {what}")
    sys.exit(bool(tally["DIFFERENT"] or tally["failed"]))


if __name__ == "__main__":
    main()
