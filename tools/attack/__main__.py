"""Run the attack: python -m attack [--minutes 10] [--seed N] [--only NAME] [--attempt K].

Each kind of attack gets a share of the time. The table says what was attacked, how often, and how
often something was wrong. Each failure is saved with its files; with --attempt it is made again.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import signal
import sys
import tempfile
from importlib import import_module
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

from attack.arena import Arena, Attack, Outcome

KINDS = (
    *("forgeries", "regressions", "readers", "stored", "fields", "texts", "command_line"),
    *("signals", "races", "flooding", "page", "served"),
)


def main() -> int:
    """Run the attacks and print the table; 1 if anything failed."""
    options = argparse.ArgumentParser(prog="attack", description=__doc__)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--seed", type=int, default=None, help="by default a new one")
    options.add_argument("--only", action="append", metavar="NAME", help="repeatable")
    options.add_argument("--attempt", type=int, help="make this one again; needs --seed and --only")
    options.add_argument("--failures", type=Path, default=Path("attack-failures"))
    given = options.parse_args()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and some attacks send it
    seed = secrets.randbelow(10**6) if given.seed is None else given.seed
    known = {one.name: one for kind in KINDS for one in attacks(kind)}
    if unknown := set(given.only or ()) - set(known):
        options.error(f"there is no attack {min(unknown)!r}; there are {', '.join(known)}")
    chosen = [known[name] for name in given.only or known]
    memory = Path("/dev/shm")
    work = Path(tempfile.mkdtemp(prefix="attack-", dir=memory if memory.is_dir() else None))
    failures = given.failures.absolute()
    try:
        if given.attempt is not None:
            Arena(chosen[0], seed, work, failures).again(given.attempt)
            print("it did not fail")
            return 0
        return run(chosen, seed, given.minutes * 60, work, failures)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def attacks(kind: str) -> list[Attack]:
    """The attacks of a module."""
    module = import_module(f"attack.{kind}")
    return list(module.ATTACKS)


def run(chosen: list[Attack], seed: int, seconds: float, work: Path, failures: Path) -> int:
    """Run each attack for its share of the time, and print the table."""
    shares = sum(one.share for one in chosen)
    print(f"seed {seed}, {seconds / 60:g} minutes")
    rows = []
    for one in chosen:
        arena = Arena(one, seed, work, failures)

        def tick(now: Outcome, name: str = one.name) -> None:
            if sys.stderr.isatty():
                line = f"{name}: {now.inputs:,} inputs, {now.failures:,} failures"
                print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

        rows.append((one, arena.run(seconds * one.share / shares, tick)))
        arena.clear()
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(table(rows))
    failed = sum(outcome.failures for _, outcome in rows)
    for one, outcome in rows:
        for kind, times in sorted(outcome.kinds.items(), key=lambda pair: -pair[1]):
            print(f"{one.name}: {times:,} x {kind}")
    if failed:
        print(f"Each kind of failure is saved in {failures}, with the command that repeats it.")
    return 1 if failed else 0


def table(rows: list[tuple[Attack, Outcome]]) -> str:
    """What was attacked, how often, and how often something was wrong."""
    lines = ["| attack | inputs | failures | seconds |", "|---|---:|---:|---:|"]
    lines += [
        f"| {one.about} | {of.inputs:,} | {of.failures:,} | {of.seconds:.0f} |" for one, of in rows
    ]
    inputs, failures = (sum(getattr(of, k) for _, of in rows) for k in ("inputs", "failures"))
    took = sum(of.seconds for _, of in rows)
    return "\n".join([*lines, f"| all | {inputs:,} | {failures:,} | {took:.0f} |"])


if __name__ == "__main__":
    sys.exit(main())
