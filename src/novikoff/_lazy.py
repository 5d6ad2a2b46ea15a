"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loader(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """What a package needs as its `__getattr__`.

    Parameters
    ----------
    homes
        For each name the module it lives in, or the module that it is.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        found = getattr(home, name, home)
        setattr(sys.modules[package], name, found)
        return found

    return load
