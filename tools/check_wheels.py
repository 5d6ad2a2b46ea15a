"""Install the wheels of dist/ and test them: python tools/check_wheels.py [--oldest] [TEST ...].

Each wheel for this machine goes into an environment of its own, where no program that compiles is
found, and is used from there: the demo, whose time is compared with ten seconds, and the given
tests, from a copy of the tests without the sources (all of them, unless some are named).
--oldest takes the lowest version that pyproject.toml allows of every dependency. --emulated runs
the wheel of CPython 3.11 for aarch64 instead, with Debian's interpreter and emulator (apt-get is
needed): the demo must print what it prints here, and the tests may not start other programs.
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
RUNNERS = ["pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100"]
RUNNERS += ["pandas>=2", "polars>=1", "pyarrow==14"]
COPIED = ["tests", "docs", "tools", "bench", ".github", "pyproject.toml", "README.md"]
COPIED += ["CONTRIBUTING.md", "CHANGELOG.md", "src/novikoff/data/README.md"]
WHOLE = ["tests", "README.md", "docs", "--pyargs", "novikoff"]  # and the examples of docstrings
FOREIGN = ["python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib"]
FOREIGN += ["libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libssl3", "libffi8"]
FOREIGN += ["libbz2-1.0", "liblzma5", "libsqlite3-0", "libuuid1", "libcrypt1"]
TIMES = re.compile(r"[\d.,]+ (s|ms|seconds)\b.*")
SECONDS = 10  # pip install and the demo, downloads aside


def without_compilers(folder: Path) -> Path:
    """A folder with links to all programs on PATH but those that compile."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if not COMPILERS.fullmatch(program.name) and not link.is_symlink():
                link.symlink_to(program)
    return folder


def copy_tests(folder: Path) -> None:
    """Copy the tests and what they read into this folder, but not the sources."""
    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)


def oldest() -> list[str]:
    """The lowest version of each dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [needed.replace(">=", "==") for needed in project["dependencies"]]


def processor_time() -> float:
    """What the programs run from here have taken so far, in seconds."""
    spent = os.times()
    return spent.children_user + spent.children_system


def check(
    version: str, python: Path, folder: Path, tests: list[str], pins: list[str], jobs: str
) -> None:
    """Install the wheel for one Python, run the demo and the tests; leave if one fails."""
    abi = f"cp{version.replace('.', '')}"
    (wheel,) = DIST.glob(f"novikoff-*-{abi}-manylinux*_{platform.machine()}.whl")
    began = time.monotonic()
    run(python, "-m", "venv", folder / "fresh")
    downloads = folder / "downloads"
    made = time.monotonic() - began
    programs = folder / "fresh" / "bin"
    run(programs / "pip", "download", "--quiet", "--dest", downloads, wheel, *pins)
    quiet = {"PATH": f"{programs}{os.pathsep}{without_compilers(folder / 'programs')}"}
    began, worked = time.monotonic(), processor_time()
    offline = ["--no-index", "--find-links", str(downloads), str(wheel), *pins]
    run(programs / "pip", "install", "--quiet", "--no-compile", *offline, **quiet)
    installed = time.monotonic() - began
    said = run(programs / "novikoff", "demo", **quiet)
    both, worked = time.monotonic() - began, processor_time() - worked
    print(
        f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB; environment {made:.1f} s, install "
        f"{installed:.1f} s, demo {both - installed:.1f} s; processor time of both {worked:.1f} s",
        flush=True,
    )
    if "the bound holds" not in said:
        sys.exit(f"the demo of {wheel.name} printed:\n{said}")
    if both > SECONDS:
        slow = "and of processor time" if worked > SECONDS else "because the machine is busy"
        print(f"  more than {SECONDS} s, {slow}", flush=True)
    copy_tests(folder)
    if tests != ["none"]:
        # what other tests need does not accept the oldest versions
        needed = [str(wheel), *RUNNERS] if pins else [f"{wheel}[dev]"]
        environment(python, folder / "fresh", *needed, *pins)
        command = [str(programs / "python"), "-m", "pytest", "-n", jobs, "-q", *(tests or WHOLE)]
        done = subprocess.run(command, cwd=folder, env={**os.environ, **quiet})
        if done.returncode:
            sys.exit(done.returncode)


def emulator(folder: Path) -> list[str | Path]:
    """The words that run CPython 3.11 of aarch64, from Debian's packages in this folder."""
    lists, root = folder / "lists", folder / "root"
    (lists / "partial").mkdir(parents=True)
    (folder / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
        "Dir::State::lists": lists,
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
    }
    apt: list[str | Path] = ["apt-get", "-qq"]
    for name, value in settings.items():
        apt += ["-o", f"{name}={value}"]
    (folder / "cache" / "archives" / "partial").mkdir(parents=True)
    run(*apt, "update")
    for words in ([*apt, "download", *FOREIGN], ["apt-get", "-qq", "download", "qemu-user-static"]):
        subprocess.run(list(map(str, words)), cwd=folder, check=True, stderr=subprocess.DEVNULL)
    for package in folder.glob("*.deb"):
        run("dpkg", "-x", package, root)
    return [root / "usr/bin/qemu-aarch64-static", "-L", root, root / "usr/bin/python3.11"]


def emulate(folder: Path, tests: list[str]) -> None:
    """Run the demo of the wheel for aarch64 and the tests under an emulator; leave if one fails."""
    (wheel,) = DIST.glob("novikoff-*-cp311-*_aarch64.whl")
    python, site = emulator(folder), folder / "site"
    named = [f"--platform=manylinux_2_{minor}_aarch64" for minor in (17, 27, 28)]
    named += ["--only-binary=:all:", "--python-version=3.11", "--implementation=cp"]
    target = ["--quiet", "--no-compile", "--target", str(site)]
    needed = [str(wheel), "pytest", "hypothesis", "pandas"]
    run(sys.executable, "-m", "pip", "install", *target, *named, *needed)
    copy_tests(folder)
    began = time.monotonic()
    said = run(*python, "-m", "novikoff", "demo", PYTHONPATH=site)
    print(f"{wheel.name}: the demo took {time.monotonic() - began:.0f} s, emulated", flush=True)
    (ours,) = DIST.glob(f"novikoff-*-cp311-*_{platform.machine()}.whl")
    here = run(environment(pythons()["3.11"], folder / "fresh", str(ours)) / "novikoff", "demo")
    if "the bound holds" not in said or TIMES.sub("", here) != TIMES.sub("", said):
        sys.exit(f"not the demo of this machine:\n{said}")
    if tests and tests != ["none"]:
        words = [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        env = {**os.environ, "PYTHONPATH": str(site)}
        done = subprocess.run(list(map(str, words)), cwd=folder, env=env)
        if done.returncode:
            sys.exit(done.returncode)


def main() -> None:
    """Check every wheel, or one with the oldest dependencies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oldest", action="store_true", help="with the oldest dependencies")
    parser.add_argument("--emulated", action="store_true", help="the wheel for aarch64")
    parser.add_argument("--python", default="", help="only this version")
    parser.add_argument("-n", default="2", help="how many processes test [2]")
    parser.add_argument("tests", nargs="*", help="tests to run, or none [all]")
    given = parser.parse_args()
    if given.emulated:
        with TemporaryDirectory(prefix="wheel-") as folder:
            emulate(Path(folder), given.tests)
        return
    for version, python in pythons().items():
        if given.python in version:
            with TemporaryDirectory(prefix="wheel-") as folder:
                pins = oldest() if given.oldest else []
                check(version, python, Path(folder), given.tests, pins, given.n)


if __name__ == "__main__":
    main()
