"""How fast: every setting beside its best peer, in one table, the worst of each group in bold.

Both sides take turns, and the best of five is shown; a ratio above 1 says that novikoff is faster.
Everything is measured on all cores and again on one. Memory is the peak of our process or, of a
call, that of the arrays it made.

Run: python bench/speed.py [--quick] [--only GROUP ...] [--cores N ...] [--cpu]
     [--data DIRECTORY] [--peers PYTHON] [--folder DIRECTORY] [--json | --write PAGE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from processes import add_peers, has_vowpal

Result: TypeAlias = dict[str, Any]

BEGIN, END = "<!-- bench/speed.py writes what follows -->\n", "<!-- the end of it -->\n"
PACKAGES = ("numpy", "scipy", "scikit-learn", "river")


def measure_here(given: argparse.Namespace, cores: int) -> None:
    """Measure in this process, on so many cores, and print a line of JSON for each row."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    import settings  # NumPy counts the cores when it is loaded

    peers = given.peers if has_vowpal(given.peers) else None
    bench = settings.Bench(given.quick, given.data, peers, given.folder, cores, given.cpu)
    for group, rows in settings.GROUPS.items():
        if given.only and group not in given.only:
            continue
        for row in rows(bench):
            said = {"group": group, "setting": row.setting, "peer": row.peer, "cores": cores}
            print(json.dumps({**said, **settings.measured(row, bench)}), flush=True)


def measure_on(cores: int, words: list[str], folder: str) -> list[Result]:
    """The results of a process of its own, on so many cores; progress goes to standard error."""
    command = [sys.executable, __file__, *words, "--folder", folder, "--here", str(cores)]
    results = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            result = json.loads(line)
            results.append(result)
            names = f"{result['group']}: {result['setting']} / {result['peer']}"
            print(f"{cores} cores  {shown(ratio(result)):>6}  {names}", file=sys.stderr, flush=True)
    if process.returncode:
        sys.exit(process.returncode)
    return results


def ratio(result: Result | None) -> float | None:
    """How many times faster ours is."""
    if result is None or result["theirs"] is None:
        return None
    return float(result["theirs"] / result["ours"])


def shown(times: float | None) -> str:
    return "—" if times is None else f"{times:.2f}" if times < 10 else f"{times:.0f}"


def seconds(time: float | None) -> str:
    if time is None:
        return "—"
    for size, unit in ((1, "s"), (1e-3, "ms")):
        if time >= size:
            return f"{time / size:.3g} {unit}"
    return f"{time * 1e6:.3g} µs"


def table(results: list[Result], counts: list[int]) -> str:
    """The table, in Markdown."""
    rows: dict[tuple[str, str, str], dict[int, Result]] = {}
    for result in results:
        key = result["group"], result["setting"], result["peer"]
        rows.setdefault(key, {})[result["cores"]] = result
    least = {
        key: min([r for c in counts if (r := ratio(row.get(c))) is not None], default=None)
        for key, row in rows.items()
    }
    heads = [f"ratio, {c} core{'s' * (c > 1)}" for c in counts]
    out = f"| group | setting | against | its time | our time | {' | '.join(heads)} | memory |\n"
    out += "|---" * (6 + len(heads)) + "|\n"
    for key, row in rows.items():
        group = [r for other, r in least.items() if other[0] == key[0] and r is not None]
        bold = "**" if group and least[key] == min(group) else ""
        first = next(iter(row.values()))
        cells = [seconds(first["theirs"]), seconds(first["ours"])]
        cells += [f"{bold}{shown(ratio(row.get(c)))}{bold}" for c in counts]
        cells.append(f"{first['megabytes']:.3g} MB")
        out += f"| {key[0]} | {bold}{key[1]}{bold} | {key[2]} | {' | '.join(cells)} |\n"
    return out


def machine(counts: list[int], *, cpu: bool, quick: bool) -> str:
    """The day, the processor, the versions, and what is shown."""
    model = platform.processor() or platform.machine()
    about = Path("/proc/cpuinfo")
    if about.exists():
        named = [line for line in about.read_text().splitlines() if line.startswith("model name")]
        model = named[0].split(":")[1].strip() if named else model
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"Measured on {date.today()} on {max(counts)} cores ({model}), {platform.system()}, "
        f"Python {platform.python_version()}, {versions}."
        f"{' Processor time, of all threads, because the machine was busy.' * cpu}"
        f"{' A tenth of the rows, the best of three (`--quick`).' * quick}\n"
    )


def main() -> None:
    all_cores = len(os.sched_getaffinity(0))
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--quick", action="store_true", help="a tenth of the rows, three times")
    options.add_argument("--only", nargs="+", metavar="GROUP", help="these groups alone")
    options.add_argument("--cores", nargs="+", type=int, help="default: all, then 1")
    options.add_argument("--cpu", action="store_true", help="processor time: for a busy machine")
    options.add_argument("--json", action="store_true", help="print every measurement as JSON")
    options.add_argument("--write", type=Path, help="put the table into this page")
    options.add_argument("--data", type=Path, help="where the public data are (a9a.svm.gz, ...)")
    options.add_argument("--folder", type=Path, help="keep the text files here, for another time")
    options.add_argument("--here", type=int, help=argparse.SUPPRESS)
    add_peers(options)
    given = options.parse_args()
    if given.here is not None:
        return measure_here(given, given.here)
    counts = given.cores or ([all_cores] if given.quick else sorted({all_cores, 1}, reverse=True))
    with tempfile.TemporaryDirectory() as temporary:
        folder = str(given.folder or temporary)
        Path(folder).mkdir(parents=True, exist_ok=True)
        results = [r for c in counts for r in measure_on(c, sys.argv[1:], folder)]
    if given.json:
        print(json.dumps(results, indent=1))
        return None
    made = f"{machine(counts, cpu=given.cpu, quick=given.quick)}\n{table(results, counts)}"
    if given.write is None:
        print(made)
        return None
    page = given.write.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    given.write.write_text(before + BEGIN + "\n" + made + "\n" + END + rest.split(END)[1], "utf-8")
    return None


if __name__ == "__main__":
    main()
