"""Mutated texts through every parser, under the compiler's sanitizers: none may break anything.

Builds tests/fuzz/fuzz.cpp, which mutates texts in every format, and runs it in batches, each
with a seed of its own, on all cores. With --clang, libFuzzer makes the inputs instead, guided by
what they reach. An input fails when a parser crashes, hangs, reads outside its text, or gives what
does not hold together; then the batch and its seed are shown, and the exit status is 1.
Run: python bench/fuzz.py [--inputs 10000000] [--clang CLANG++]
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "tests" / "fuzz" / "fuzz.cpp"
BATCH, LONGEST = 20_000, 600  # inputs, and seconds: half a minute is usual

# the sanitizer's books kept short: half the time; a failure is shown in full by its seed alone
QUICK = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1:malloc_context_size=1"}

Batch: TypeAlias = Callable[[int, int], list[str]]


def build(compiler: str, sanitizers: str, out: Path, *more: str) -> None:
    flags = [
        "-std=c++20",
        "-O1",
        "-g",
        f"-I{ROOT}/cpp",
        f"-fsanitize={sanitizers}",
        "-fno-sanitize-recover=all",
    ]
    command = [*shlex.split(compiler), *flags, *more, str(SOURCE), "-o", str(out)]
    subprocess.run(command, check=True)


def own_mutants(folder: Path) -> Batch:
    program = folder / "fuzz"
    compiler = os.environ.get("CXX", "c++")
    build(compiler, "address,undefined", program, "-DNOVIKOFF_FUZZ_MAIN")
    return lambda inputs, seed: [str(program), str(inputs), str(seed)]


def guided(folder: Path, clang: str) -> Batch:
    """Inputs of libFuzzer's; the batches share what they find to reach something new."""
    program, corpus = folder / "guided", folder / "corpus"
    corpus.mkdir()
    build(clang, "fuzzer,address,undefined", program)
    how = ["-max_len=400", "-timeout=20", f"-artifact_prefix={folder}/", str(corpus)]
    return lambda inputs, seed: [str(program), f"-runs={inputs}", f"-seed={seed}", *how]


def failure(command: list[str]) -> str | None:
    """What went wrong in a batch, if anything did."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=QUICK)
    except subprocess.TimeoutExpired:
        return f"{shlex.join(command)}\nno end after {LONGEST} s"
    if run.returncode == 0:
        return None
    return f"{shlex.join(command)}\nexit status {run.returncode}\n{run.stderr[-8000:]}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=10_000_000)
    options.add_argument("--seed", type=int, default=1, help="of the first batch")
    options.add_argument("--clang", metavar="CLANG++", help="use libFuzzer, with this compiler")
    given = options.parse_args()
    sizes = [BATCH] * (given.inputs // BATCH)
    if rest := given.inputs % BATCH:
        sizes.append(rest)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        where = Path(folder)
        batch = guided(where, given.clang) if given.clang else own_mutants(where)
        began, done = time.perf_counter(), 0
        commands = [batch(size, given.seed + k) for k, size in enumerate(sizes)]
        for size, failed in zip(sizes, pool.map(failure, commands), strict=True):
            if failed is not None:
                print(f"after {done:,} inputs without a failure: {failed}", file=sys.stderr)
                pool.shutdown(cancel_futures=True)
                return 1
            done += size
            took = time.perf_counter() - began
            print(f"{done:,} inputs, {took:.0f} s", end="\r", file=sys.stderr, flush=True)
    print("\n| inputs | by | failures | time |\n|---|---|---|---|", flush=True)
    print(f"| {done:,} | {'libFuzzer' if given.clang else 'own mutants'} | 0 | {took:.0f} s |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
