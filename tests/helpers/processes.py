"""Run code in a new Python process."""

from __future__ import annotations

import subprocess
import sys


def in_a_new_process(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()
