"""Build the sdist and the wheels into dist/: python tools/make_wheels.py [--twice] [--only TAG].

A wheel is made from the sdist, with the compiler that PyPI has (zig), for each CPython of PYTHONS
that is on PATH or among pyenv's and for each machine of MACHINES. It needs no glibc newer than
2.17, which auditwheel confirms, and it is for one CPython: the stable ABI is not claimed, and
abi3audit confirms that nothing in the wheel claims it. The same commit should give the same bytes:
--twice builds everything a second time, in another directory, and compares.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.14t")  # t: free-threaded
MACHINES = ("x86_64", "aarch64")
GLIBC = "2.17"
TOOLS = ["cmake==4.4.4", "ninja==1.13.2", "ziglang==0.17.0", "auditwheel==6.8.2"]
TOOLS += ["abi3audit==0.0.26", "build==1.6.1"]
BACKEND = ["scikit-build-core==1.1.1", "nanobind==3.1.0"]
ABOUT = """
import json, sys, sysconfig
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2] + sys.abiflags,
    "soabi": sysconfig.get_config_var("SOABI"),
    "include": sysconfig.get_path("include"),
    "machine": sysconfig.get_config_var("MULTIARCH"),
}))
"""


def run(*command: str | Path, **env: str | Path) -> str:
    """The output of a command that must succeed, with these environment variables too."""
    environment = {**os.environ, **{name: str(value) for name, value in env.items()}}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout[-9999:]}\n{done.stderr[-9999:]}")
    return done.stdout


def pythons() -> dict[str, Path]:
    """The interpreter of each version that is found with its headers."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = {}
    for version in PYTHONS:
        named = shutil.which(f"python{version}"), shutil.which("python3")
        candidates = [*map(str, sorted(pyenv.glob(f"{version.rstrip('t')}.*/bin/python3")))]
        candidates += [name for name in named if name is not None]
        for candidate in candidates:
            done = subprocess.run([candidate, "-c", ABOUT], capture_output=True, text=True)
            about = json.loads(done.stdout) if done.returncode == 0 else {}
            if about.get("version") == version and Path(about["include"], "Python.h").exists():
                found[version] = Path(candidate)
                break
        else:
            print(f"CPython {version} with its headers is not here: no wheel for it", flush=True)
    return found


def environment(python: Path, at: Path, *needed: str) -> Path:
    """An environment of this interpreter with these packages; its folder of programs."""
    if not at.exists():
        run(python, "-m", "venv", at)
    run(at / "bin/python", "-m", "pip", "install", "--quiet", *needed)
    return at / "bin"


def headers(about: dict[str, str], to: Path) -> Path:
    """The headers of CPython in one folder, for every machine that has 64 bits and runs Linux."""
    include = Path(about["include"])
    shutil.copytree(include, to)
    # Debian's pyconfig.h includes that of the machine, which is in another folder
    machine = include.parent / about["machine"] / include.name / "pyconfig.h"
    if machine.exists():
        shutil.copy(machine, to)
    return to


def compiler(programs: Path, machine: str, to: Path) -> dict[str, str]:
    """Programs that compile for this machine, as settings of CMake."""
    to.mkdir()
    commands = {"c++": f"c++ -target {machine}-linux-gnu.{GLIBC}", "ar": "ar", "ranlib": "ranlib"}
    for name, words in commands.items():
        (to / name).write_text(f'#!/bin/sh\nexec "{programs}/python" -m ziglang {words} "$@"\n')
        (to / name).chmod(0o755)
    return {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": machine,
        "CMAKE_CXX_COMPILER": str(to / "c++"),
        "CMAKE_AR": str(to / "ar"),
        "CMAKE_RANLIB": str(to / "ranlib"),
        "CMAKE_STRIP": "/bin/true",  # the linker strips
        "CMAKE_CXX_FLAGS": "-g0",
        "CMAKE_MODULE_LINKER_FLAGS": "-s",
        "CMAKE_CXX_SCAN_FOR_MODULES": "OFF",
    }


def audit(programs: Path, wheel: Path, platform: str, core: str) -> None:
    """Leave if the wheel is not what its name says."""
    shown = run(programs / "python", "-m", "auditwheel", "show", wheel)
    if platform not in wheel.name or platform not in shown:
        sys.exit(f"{wheel.name} is not what its name says:\n{shown}")
    stable = json.loads(run(programs / "python", "-m", "abi3audit", "--report", wheel))
    if any(spec["wheel"] for spec in stable["specs"].values()):
        sys.exit(f"{wheel.name} claims the stable ABI:\n{stable}")
    with ZipFile(wheel) as opened:
        compiled = [name for name in opened.namelist() if name.endswith(".so")]
    if compiled != [core]:
        sys.exit(f"{wheel.name} has {compiled}, not {core}")


def build(folder: Path, only: str) -> list[Path]:
    """The sdist and the wheels, made in this folder; their paths."""
    home = ROOT / ".venv-wheels"
    programs = environment(Path(sys.executable), home / "tools", *TOOLS)
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct").strip()
    fixed = {"SOURCE_DATE_EPOCH": epoch, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    run(programs / "python", "-m", "build", "--sdist", "--outdir", folder, ROOT, **fixed)
    (sdist,) = folder.glob("*.tar.gz")
    run("tar", "-xf", sdist, "-C", folder)
    source = sdist.with_suffix("").with_suffix("")
    made = [sdist]
    for version, python in pythons().items():
        backend = environment(python, home / version, *BACKEND)
        about = json.loads(run(python, "-c", ABOUT))
        include = headers(about, folder / f"include-{version}")
        for machine in MACHINES:
            name = f"{version}-{machine}"
            if only not in name:
                continue
            platform = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
            soabi = f"{about['soabi'].removesuffix('x86_64-linux-gnu')}{machine}-linux-gnu"
            settings = compiler(programs, machine, folder / f"zig-{name}")
            settings["Python_INCLUDE_DIR"] = str(include)
            chosen = [f"-Ccmake.define.{key}={value}" for key, value in settings.items()]
            chosen += [f"-Cenv._PYTHON_HOST_PLATFORM={platform}", "-Ccmake.build-type=Release"]
            chosen += ["-Cwheel.reproducible=true", f"-Cbuild-dir={folder / f'build-{name}'}"]
            wheels = folder / name
            fixed["SETUPTOOLS_EXT_SUFFIX"] = f".{soabi}.so"
            chosen += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels)]
            run(backend / "python", "-m", "pip", "wheel", *chosen, source, **fixed)
            (wheel,) = wheels.glob("*.whl")
            audit(programs, wheel, platform, f"novikoff/_core.{soabi}.so")
            made.append(wheel)
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB", flush=True)
    return made


def main() -> None:
    """Build into dist/, once or twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--twice", action="store_true", help="build again, and compare the bytes")
    parser.add_argument("--only", default="", help="only wheels like 3.12-x86_64, 3.13, aarch64")
    given = parser.parse_args()
    digests: list[dict[str, str]] = []
    for _ in range(1 + given.twice):
        with TemporaryDirectory(prefix="wheels-") as folder:
            made = build(Path(folder), given.only)
            digests.append({one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in made})
            DIST.mkdir(exist_ok=True)
            for one in made:
                shutil.copy(one, DIST)
    differ = [name for name, digest in digests[0].items() if digests[-1][name] != digest]
    if differ:
        sys.exit(f"two builds gave different bytes: {', '.join(differ)}")
    for name, digest in digests[0].items():
        print(digest, name)


if __name__ == "__main__":
    main()
