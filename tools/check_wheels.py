"""Install the wheels of dist/ and test them: python tools/check_wheels.py [--oldest] [TEST ...].

Each wheel for this machine goes into an environment of its own, where no program that compiles is
found, and is used from there: the demo, whose time is compared with ten seconds, and the given
tests, from a copy of the tests without the sources (all of them, unless some are named).
--oldest takes the lowest version that pyproject.toml allows of every dependency.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from make_wheels import DIST, ROOT, environment, pythons, run

COMPILERS = re.compile(r".*(cc|\+\+|clang|cpp|cmake|ninja|make|zig|ld|as)(-[\d.]+)?")
COPIED = ("tests", "docs", "tools", "bench", "README.md", "CONTRIBUTING.md", "pyproject.toml")
SECONDS = 10  # from nothing to the end of the demo, downloads aside


def without_compilers(folder: Path) -> Path:
    """A folder with links to all programs on PATH but those that compile."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if not COMPILERS.fullmatch(program.name) and not link.is_symlink():
                link.symlink_to(program)
    return folder


def oldest() -> list[str]:
    """The lowest version of each dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [needed.replace(">=", "==") for needed in project["dependencies"]]


def check(version: str, python: Path, folder: Path, tests: list[str], pins: list[str]) -> None:
    """Install the wheel for one Python, run the demo and the tests; leave if one fails."""
    tag = f"cp{version.replace('.', '')}"
    (wheel,) = DIST.glob(f"novikoff-*-{tag}-*_{platform.machine()}.whl")
    began = time.monotonic()
    run(python, "-m", "venv", folder / "fresh")
    downloads = folder / "downloads"
    made = time.monotonic() - began
    programs = folder / "fresh" / "bin"
    run(programs / "pip", "download", "--quiet", "--dest", downloads, wheel, *pins)
    quiet = {"PATH": f"{programs}{os.pathsep}{without_compilers(folder / 'programs')}"}
    began = time.monotonic()
    offline = ["--no-index", "--find-links", str(downloads), str(wheel), *pins]
    run(programs / "pip", "install", "--quiet", "--no-compile", *offline, **quiet)
    installed = time.monotonic() - began
    began = time.monotonic()
    said = run(programs / "novikoff", "demo", **quiet)
    demo = time.monotonic() - began
    print(
        f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB; environment {made:.1f} s, "
        f"install {installed:.1f} s, demo {demo:.1f} s",
        flush=True,
    )
    if "the bound holds" not in said or made + installed + demo > SECONDS:
        print(f"  more than {SECONDS} s, or no demo", flush=True)
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    if tests != ["none"]:
        environment(python, folder / "fresh", f"{wheel}[dev]", *pins)
        command = [str(programs / "python"), "-m", "pytest", "-n", "2", "-q", *(tests or ["tests"])]
        done = subprocess.run(command, cwd=folder, env={**os.environ, **quiet})
        if done.returncode:
            sys.exit(done.returncode)


def main() -> None:
    """Check every wheel, or one with the oldest dependencies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oldest", action="store_true", help="with the oldest dependencies")
    parser.add_argument("--python", default="", help="only this version")
    parser.add_argument("tests", nargs="*", help="tests to run, or none [all]")
    given = parser.parse_args()
    for version, python in pythons().items():
        if given.python in version:
            with TemporaryDirectory(prefix="wheel-") as folder:
                pins = oldest() if given.oldest else []
                check(version, python, Path(folder), given.tests, pins)


if __name__ == "__main__":
    main()
