"""Run the compiled core under the sanitizers: python tools/sanitize.py [--quick] [TEST ...].

The core is built with the address and undefined-behaviour sanitizers, and the tests of what is
compiled run with it: the bindings, the reader of dicts, the passes and the parsers, on hostile
arguments too. Then three programs run: one of tests/fuzz, the parsers on mutated texts, and two of
tests/native, one whose allocations fail, and one under ThreadSanitizer. (Python itself is not built
for ThreadSanitizer, which would report its own locks; so the threads run in C++ alone.) --quick
runs fewer tests.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = Path(sys.prefix) / "core-sanitized"
CXX = os.environ.get("CXX", "c++")
QUICK = [
    "tests/learners/test_hostile_arrays.py",
    "tests/learners/test_hostile_arguments.py",
    "tests/online/test_names.py",
    "tests/sources/files/test_vw.py",
]
ALL = [
    "tests/learners",
    "tests/online",
    "tests/stream",
    "tests/sources",
    "tests/ledger",
    "tests/concepts/test_elimination.py",
    "tests/concepts/test_families.py",
    "tests/estimators/test_estimators.py",
    "tests/estimators/test_joint_estimators.py",
    "tests/estimators/test_winnow_estimator.py",
]
# Every process that the tests start finds this core before the installed one.
CUSTOMIZE = """
import importlib.util, sys

class SanitizedCore:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "novikoff._core":
            return importlib.util.spec_from_file_location(name, {core!r})

sys.meta_path.insert(0, SanitizedCore)
"""


def run(*command: str | Path, **more: str) -> None:
    """Run a command with these environment variables too; leave if it fails."""
    done = subprocess.run(list(map(str, command)), cwd=ROOT, env={**os.environ, **more})
    if done.returncode:
        sys.exit(done.returncode)


def build_core() -> Path:
    """The core with the sanitizers; only what changed is compiled again."""
    tools = Path(sys.executable).parent
    settings = {
        "CMAKE_MAKE_PROGRAM": tools / "ninja",
        "CMAKE_BUILD_TYPE": "Release",
        "Python_EXECUTABLE": sys.executable,
        "NOVIKOFF_SANITIZE": "address,undefined",
    }
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    run(tools / "cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "--log-level=WARNING", *defined)
    run(tools / "cmake", "--build", BUILD, "--", "--quiet")
    (core,) = BUILD.glob("_core*.so")
    return core


def library(name: str) -> str:
    """The path of one of the compiler's libraries."""
    found = subprocess.run([CXX, f"-print-file-name={name}"], capture_output=True, text=True)
    return found.stdout.strip()


def test(core: Path, tests: list[str]) -> None:
    """The tests with this core."""
    site = BUILD / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(CUSTOMIZE.format(core=str(core)))
    run(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *tests,
        LD_PRELOAD=f"{library('libasan.so')} {library('libstdc++.so')}",
        # Python keeps memory until it ends, and the tests ask for more than there is
        ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1",
        UBSAN_OPTIONS="print_stacktrace=1",
        PYTHONPATH=os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]),
    )


def native(program: str, sanitizers: str, *words: str) -> None:
    """A program of tests under these sanitizers, with these words on its command line."""
    out = BUILD / Path(program).name
    flags = ["-std=c++20", "-O1", "-g1", "-w", "-pthread", f"-I{ROOT}/cpp"]
    flags.append("-DNOVIKOFF_FUZZ_MAIN")  # not a library for a fuzzer
    checks = [f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"]
    run(CXX, *flags, *checks, ROOT / "tests" / f"{program}.cpp", "-o", out)
    run(out, *words)


def natives() -> None:
    """All programs of tests."""
    native("fuzz/fuzz", "address,undefined", "2000")
    native("native/out_of_memory", "address,undefined")
    native("native/threads", "thread")


def main() -> None:
    """Build, and run what the command line names."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="run fewer tests")
    options.add_argument("tests", nargs="*", metavar="TEST", help="run these tests instead")
    given = options.parse_args()
    core = build_core()
    with ThreadPoolExecutor(2) as both:  # the tests on one core, the programs on another
        jobs = [
            both.submit(test, core, given.tests or (QUICK if given.quick else ALL)),
            both.submit(natives),
        ]
    for job in jobs:
        job.result()


if __name__ == "__main__":
    main()
