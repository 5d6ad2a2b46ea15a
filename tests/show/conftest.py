"""The page in a real browser: the server, and chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of `novikoff web`, with a slash at its end."""
    command = [sys.executable, "-m", "novikoff", "web", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without its sandbox: tests may run as root."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()
