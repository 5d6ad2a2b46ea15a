"""The parsers on mutated texts, under the sanitizers: a short run of tests/fuzz/fuzz.cpp."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "tests" / "fuzz" / "fuzz.cpp"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or ""
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.mark.skipif(not COMPILER, reason="there is no C++ compiler")
def test_mutated_texts_neither_crash_nor_break_what_must_hold(tmp_path: Path) -> None:
    def build(*what: str) -> subprocess.CompletedProcess[str]:
        command = [COMPILER, "-std=c++20", "-O1", f"-I{ROOT}/cpp", *SANITIZERS, *what]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    (tmp_path / "empty.cpp").write_text("int main() {}")
    if build("empty.cpp").returncode:
        pytest.skip("the compiler has no sanitizers")
    built = build("-DNOVIKOFF_FUZZ_MAIN", str(SOURCE), "-o", "fuzz")
    assert built.returncode == 0, built.stderr
    run = subprocess.run([tmp_path / "fuzz", "2000"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "2000 inputs\n"
