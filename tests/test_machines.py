"""Every machine shows the same results, byte for byte.

The results of `helpers/visible_results.py` are written by an ordinary process and by processes that
find an older processor, or another time zone, locale and hash order. Unless `--each-machine` is
given, a single process finds the first two of these at once, which takes half the time.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import visible_results


def optional_instructions() -> str:
    """The instruction sets that NumPy would use here beyond those it cannot do without."""
    configuration: Any = np.show_config(mode="dicts")
    return " ".join(configuration["SIMD Extensions"].get("found", []))


MACHINES = {
    "an older processor": {
        "NOVIKOFF_AVX2": "0",
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "1",
        "NPY_DISABLE_CPU_FEATURES": optional_instructions(),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F",  # libm's choice too
    },
    "Kathmandu in Turkish": {
        "TZ": "Asia/Kathmandu",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "1",
    },
    "St. John's without a locale": {
        "TZ": "America/St_Johns",
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "2",
        "NOVIKOFF_AVX512": "0",
    },
}


def results(folder: Path, env: dict[str, str]) -> dict[str, bytes]:
    """What a process in this environment shows."""
    script = Path(visible_results.__file__)
    environment = {**os.environ, **env}
    done = subprocess.run(
        [sys.executable, script, folder], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in (folder / "results").iterdir()}


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return results(tmp_path_factory.mktemp("ordinary") / "here", {})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "machine" in metafunc.fixturenames:
        each = metafunc.config.getoption("--each-machine")
        machines = list(MACHINES) if each else ["an old one in Kathmandu"]
        metafunc.parametrize("machine", machines)


def test_another_machine_and_every_layout_of_the_rows_show_the_same(
    machine: str, ordinary: dict[str, bytes], tmp_path: Path
) -> None:
    both = MACHINES["an older processor"] | MACHINES["Kathmandu in Turkish"]
    found = results(tmp_path / "there", MACHINES.get(machine, both))
    assert len(ordinary) > 150
    assert found.keys() == ordinary.keys()
    assert [name for name in ordinary if found[name] != ordinary[name]] == []
    layouts = [layout for layout, _ in visible_results.layouts(np.zeros((1, 1)))]
    for name, shown in ordinary.items():
        if ", dense float64, " in name:
            same = [name.replace("dense float64", layout) for layout in layouts]
            assert [other for other in same if ordinary[other] != shown] == []


WIDE = {"avx2", "bmi1", "bmi2", "abm", "popcnt"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are of x86-64")
@pytest.mark.parametrize(("name", "needs"), [("avx2", WIDE), ("avx512", WIDE | {"avx512f"})])
def test_the_core_uses_what_the_processor_has_unless_told_otherwise(
    name: str, needs: set[str]
) -> None:
    flags = set(Path("/proc/cpuinfo").read_text(encoding="ascii").split())
    asked = [python(f"_core.{name}", {f"NOVIKOFF_{name.upper()}": each}) for each in ("1", "0")]
    assert asked == [str(needs <= flags), "False"]


KERNELS = """
import hashlib, numpy as np
from novikoff import Kernel
from novikoff.stream.rows import DenseRows
X = np.random.default_rng(0).normal(size=(90, 300)) * (np.arange(300) % 3 == 0)
rows = DenseRows(X)
gram = Kernel("poly", 4).gram(rows, rows.sparse(), np.arange(90))
"""


@pytest.mark.parametrize("name", ["NOVIKOFF_AVX512", "NOVIKOFF_AVX2"])
def test_kernels_have_the_same_bits_in_narrower_vectors(name: str) -> None:
    digest = "hashlib.sha256(gram.tobytes()).hexdigest()"
    assert python(digest, {name: "0"}, KERNELS) == python(digest, {}, KERNELS)


def python(expression: str, env: dict[str, str], before: str = "") -> str:
    """What another process prints."""
    code = f"from novikoff import _core\n{before}\nprint({expression})"
    command, environment = [sys.executable, "-c", code], {**os.environ, **env}
    return subprocess.check_output(command, env=environment, text=True).strip()
