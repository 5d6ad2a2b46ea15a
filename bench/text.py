"""From a text file to a model, whole processes: novikoff beside Vowpal Wabbit and scikit-learn.

Writes svmlight files like rcv1 (and the same rows as Vowpal Wabbit's text), which are then in the
page cache, and prints tables, best of five, taking turns: one pass over text, what a later pass
over a cache takes, values of 5 digits and of 17, and peak memory. Vowpal Wabbit reads its own text
and learns as a perceptron does, as nearly as it can: hinge, plain SGD, a constant rate.
Run: python bench/text.py [--megabytes 400] [--peers PYTHON] [--folder DIR] [--huge]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import text_files
from processes import (
    HINGE,
    Command,
    add_peers,
    best_of,
    has_vowpal,
    measure,
    novikoff,
    vowpal,
    vowpal_says,
)

SCIKIT_LEARN = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
X, y = load_svmlight_file(sys.argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # it takes no others
Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y)
"""
LATER = 5


class Bench:
    """The files, and the tables made from them; without a peer its rows are left out."""

    def __init__(self, folder: Path, megabytes: int, times: int, peer: str | None) -> None:
        self.folder, self.megabytes, self.times, self.peer = folder, megabytes, times, peer
        self.short, self.long = folder / f"{megabytes}.svm", folder / f"{megabytes}-17.svm"
        self.vw, self.huge = folder / f"{megabytes}.vw", folder / f"{megabytes}-ten-times.svm"
        self.model = folder / "model"

    def write(self, *, huge: bool) -> None:
        """What is not there yet is written, by processes of their own, so that this stays small."""
        with ProcessPoolExecutor() as pool:
            jobs = []
            if not (self.short.exists() and self.vw.exists()):
                jobs.append(
                    pool.submit(text_files.write_both, self.short, self.vw, self.megabytes, 5)
                )
            if not self.long.exists():
                jobs.append(pool.submit(text_files.write, self.long, self.megabytes, 17))
            for job in jobs:
                job.result()
        if huge and not self.huge.exists():
            text_files.repeat(self.short, 10, self.huge)

    def ours(self, data: Path, *words: str | Path) -> Command:
        """What novikoff is asked to do."""
        return novikoff("train", data, "-o", self.model, "--quiet", "--json", *words)

    def theirs(self, *words: str | Path) -> Command:
        """What Vowpal Wabbit is asked to do."""
        assert self.peer is not None
        return vowpal(self.peer, "-d", self.vw, "-f", self.folder / "vw.model", *HINGE, *words)

    def check(self) -> None:
        """Both learn, from all rows: the share that each got wrong before learning from it."""
        seen = json.loads(measure(self.ours(self.short)).output)
        words = f"novikoff {seen['mistakes'] / seen['examples']:.2%}"
        if self.peer is not None:
            said = measure(self.theirs("--binary")).output
            if vowpal_says(said, "number of examples") != seen["examples"]:
                sys.exit(f"Vowpal Wabbit did not read {seen['examples']} examples:\n{said}")
            words += f", Vowpal Wabbit {vowpal_says(said, 'average loss'):.2%}"
        print(f"{seen['examples']:,} rows; wrong when first met: {words}\n", flush=True)

    def first_pass(self) -> None:
        """Text to model in one pass, against both peers."""
        jobs = {"novikoff train": (self.short, self.ours(self.short))}
        if self.peer is not None:
            jobs["Vowpal Wabbit"] = (self.vw, self.theirs("--quiet"))
        jobs["scikit-learn, load and one epoch"] = (
            self.short,
            [sys.executable, "-c", SCIKIT_LEARN, str(self.short)],
        )
        seen = best_of(self.times, {name: command for name, (_, command) in jobs.items()})
        print("| one pass over text | time | MB/s | peak memory | novikoff is faster |")
        print("|---|---|---|---|---|")
        for name, (file, _) in jobs.items():
            took = seen[name].seconds
            ratio = took / seen["novikoff train"].seconds
            print(
                f"| {name} | {took:.2f} s | {file.stat().st_size / took / 1e6:.0f} "
                f"| {seen[name].peak:.0f} MB | **{ratio:.1f}×** |"
            )
        print(flush=True)

    def later_passes(self) -> None:
        """A later pass is what each one adds to the first, all of them over the cache."""
        caches = self.folder / "novikoff.arrow", self.folder / "vw.cache"
        for cache in caches:
            cache.unlink(missing_ok=True)
        one = {"novikoff": self.ours(self.short, "--cache", caches[0])}
        if self.peer is not None:
            one["Vowpal Wabbit"] = self.theirs("--quiet", "--cache_file", caches[1])
        made = best_of(1, one)
        more = {f"more {name}": [*job, "--passes", str(1 + LATER)] for name, job in one.items()}
        seen = best_of(self.times, one | more)
        a_pass = {name: (seen[f"more {name}"].seconds - seen[name].seconds) / LATER for name in one}
        print("| from the cache | making it | one pass | a later pass | novikoff is faster |")
        print("|---|---|---|---|---|")
        for name, took in a_pass.items():
            print(
                f"| {name} | {made[name].seconds:.2f} s | {seen[name].seconds:.2f} s "
                f"| {took:.3f} s | **{took / a_pass['novikoff']:.1f}×** |"
            )
        print(flush=True)

    def digits(self) -> None:
        """Whether values written in full are read at the speed of short ones."""
        files = {"5": self.short, "17": self.long}
        seen = best_of(self.times, {name: self.ours(file) for name, file in files.items()})
        speed = {k: file.stat().st_size / seen[k].seconds / 1e6 for k, file in files.items()}
        print("| digits of a value | time | MB/s | of the speed of short ones |")
        print("|---|---|---|---|")
        for name in files:
            print(
                f"| {name} | {seen[name].seconds:.2f} s | {speed[name]:.0f} "
                f"| **{speed[name] / speed['5']:.2f}** |"
            )
        print(flush=True)

    def memory(self, *, huge: bool) -> None:
        """Whether memory is bounded, whatever the size of the file."""
        print("| novikoff train | time | peak memory |")
        print("|---|---|---|")
        for file in (self.short, self.huge) if huge else (self.short,):
            seen = measure(self.ours(file))
            size = file.stat().st_size / 1e6
            print(f"| {size:.0f} MB | {seen.seconds:.2f} s | {seen.peak:.0f} MB |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--megabytes", type=int, default=400, help="the size of the file")
    options.add_argument("--times", type=int, default=5, help="of which the best is taken")
    options.add_argument("--folder", type=Path, help="keep the files here, for another time")
    options.add_argument("--huge", action="store_true", help="memory also on ten times the size")
    add_peers(options)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        peer = given.peers if has_vowpal(given.peers) else None
        bench = Bench(folder, given.megabytes, given.times, peer)
        bench.write(huge=given.huge)
        bench.check()
        bench.first_pass()
        bench.later_passes()
        bench.digits()
        bench.memory(huge=given.huge)


if __name__ == "__main__":
    main()
