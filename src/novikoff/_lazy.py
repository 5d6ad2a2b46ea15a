"""The public names of a package, listed once in its stub `__init__.pyi` and loaded on first use."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # importing typing would double the time that `import novikoff` takes
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def public_names(
    package: str,
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` for a package, read from its stub.

    Each line `from HOME import NAME as PUBLIC` of the stub makes PUBLIC an attribute of the
    package: the NAME of module HOME, or the module HOME.NAME.
    """
    module = sys.modules[package]
    loader: Any = module.__loader__  # it also reads packages inside a zip file
    homes = _homes(loader.get_data(f"{module.__file__}i").decode())

    def load(public: str) -> Any:
        if public not in homes:
            raise AttributeError(f"module {package!r} has no attribute {public!r}")
        home, name = homes[public]
        found = getattr(import_module(home), name, None) if home != package else None
        if found is None:
            found = import_module(f"{home}.{name}")
        setattr(module, public, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(module), *homes})

    return sorted(homes), load, names


def _homes(stub: str) -> dict[str, tuple[str, str]]:
    """For each public name, the module it comes from and its name there."""
    found = {}
    for line in stub.splitlines():
        match line.split():
            case ["from", home, "import", name, "as", public]:
                found[public] = home, name
    return found
