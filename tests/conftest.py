"""Settings for the whole suite."""

import gc
import os
import signal

import pytest
from hypothesis import settings

# scikit-learn's check of array-API input is skipped unless scipy was told to speak it.
os.environ["SCIPY_ARRAY_API"] = "1"

# A shell that puts the suite in the background makes it ignore Ctrl-C, and nohup the end of a
# terminal; some tests send these signals.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example may take depends on the machine; speed is measured in bench/. Every machine
# and every run tries the same examples; `make search` draws others, and more of them.
settings.register_profile("search", deadline=None, max_examples=100)
settings.register_profile("same", deadline=None, max_examples=24, derandomize=True)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run compare each of the simulated machines, not only two of them at once."""
    parser.addoption("--each-machine", action="store_true", help="simulate each machine alone")


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collection, which would walk through them."""
    gc.collect()
    gc.freeze()
