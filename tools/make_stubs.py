"""Write the type stubs of the compiled module: python tools/make_stubs.py [PATH]."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

TARGET = Path(__file__).parents[1] / "src" / "novikoff" / "_core.pyi"


def generate() -> str:
    """The stubs as they should be: nanobind's, with arrays of any dtype said to be so."""
    stubs = StubGen(importlib.import_module("novikoff._core"))
    stubs.put(importlib.import_module("novikoff._core"))
    text = str(stubs.get()).replace("NDArray,", "NDArray[Any],")
    for value in ("True", "False"):  # which of them depends on the processor
        for name in ("avx2", "avx512"):
            text = text.replace(f"{name}: bool = {value}", f"{name}: bool")
    needs_any = "import Annotated, Any" not in text
    return text.replace("import Annotated", "import Annotated, Any") if needs_any else text


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(generate(), encoding="utf-8")
