"""Checked loading: stored settings and arrays, each verified before it is used.

The compiled core trusts its arrays, so they are checked here.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.storage.file_format import BadModel
from novikoff.stream.printing import cut
from novikoff.stream.rows import Positions, Vector

Settings: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, NDArray[Any]]
Choice = TypeVar("Choice", bound=str)
T = TypeVar("T")

_MOST = 1 << 60  # of a count; the core counts to 2^62, so that it can go on
_ANY = -1  # any length


def prefixed(parts: Mapping[str, Mapping[str, NDArray[Any]]]) -> Arrays:
    """The arrays of all parts, under names that begin with their part's name and a dot."""
    return {f"{name}.{key}": a for name, arrays in parts.items() for key, a in arrays.items()}


def with_prefix(name: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays that `prefixed` renamed, under their own names."""
    start = f"{name}."
    return {key.removeprefix(start): a for key, a in arrays.items() if key.startswith(start)}


class Stored:
    """Settings and arrays of `what`, as read from a file; an unexpected one is a BadModel."""

    def __init__(
        self, what: str, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        self._what, self._settings, self._arrays = what, settings, arrays

    def __contains__(self, array: str) -> bool:
        return array in self._arrays

    def flag(self, name: str) -> bool:
        """A setting that is true or false."""
        return bool(self._setting(name, bool, "true or false"))

    def count(self, name: str) -> int:
        """A setting that is a count."""
        count = int(self._setting(name, int, "a count"))
        if not 0 <= count <= _MOST:
            self._refuse(name, count, "a count up to 2^60")
        return count

    def number(self, name: str) -> float:
        """A setting that is a float."""
        return float(self._setting(name, float, "a number"))

    def choice(self, name: str, choices: Sequence[Choice]) -> Choice:
        """A setting that is one of these words."""
        found = self._settings.get(name)
        for choice in choices:
            if choice == found:
                return choice
        return self._refuse(name, found, f"one of {', '.join(choices)}")

    def text(self, name: str) -> str:
        """A setting that is a text."""
        return str(self._setting(name, str, "a text"))

    def texts(self, name: str, length: int | None = None) -> list[str]:
        """A setting that is a list of texts, `length` of them if given."""
        found = list(self._setting(name, list, "a list of texts"))
        if any(type(one) is not str for one in found) or length not in (None, len(found)):
            self._refuse(name, found, "a list of texts" if length is None else f"{length} texts")
        return found

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """A setting that is a list of pairs of texts."""
        found = list(self._setting(name, list, "a list of pairs of texts"))
        for one in found:
            if not (type(one) is list and [type(text) for text in one] == [str, str]):
                self._refuse(name, found, "a list of pairs of texts")
        return [(first, second) for first, second in found]

    def settings(self, name: str) -> Settings:
        """Settings inside these."""
        return dict(self._setting(name, dict, "settings"))

    def vector(self, name: str, length: int = _ANY, *, least: float = -math.inf) -> Vector:
        """An array of floats, `length` of them if given, none of them less than `least`."""
        vector = self.array(name, ("float64",), (length,))
        if len(vector) and not vector.min() >= least:
            self.refuse(f"its {name} are not all from {least:g} on")
        return vector

    def positions(self, name: str, length: int = _ANY, *, most: int = _MOST) -> Positions:
        """An array of integers from 0 to `most`, `length` of them if given."""
        return self._up_to(most, name, "int64", length)

    def codes(self, name: str, length: int, below: int) -> NDArray[np.int32]:
        """An array of class numbers, each less than `below`."""
        return self._up_to(below - 1, name, "int32", length)

    def _up_to(self, most: int, name: str, dtype: str, length: int) -> NDArray[Any]:
        array = self.array(name, (dtype,), (length,))
        if len(array) and not 0 <= array.min() <= array.max() <= most:
            self.refuse(f"its {name} are not all from 0 to {most}")
        return array

    def array(self, name: str, dtypes: Sequence[str], shape: tuple[int, ...]) -> NDArray[Any]:
        """An array of one of these dtypes and of this shape, in which −1 is any length."""
        array = self._arrays.get(name)
        if array is None:
            raise BadModel(f"the {self._what} in the file has no {name!r}")
        if array.dtype not in [np.dtype(kind) for kind in dtypes]:
            self._refuse(name, array.dtype, " or ".join(dtypes))
        lengths = tuple(n if wanted == _ANY else wanted for wanted, n in zip(shape, array.shape))  # noqa: B905
        if array.shape != lengths or len(shape) != array.ndim:
            self._refuse(name, array.shape, f"of shape {shape}".replace(str(_ANY), "any"))
        if array.dtype.kind == "f" and array.size and np.isnan(array.min()):
            self.refuse(f"its {name} are not all numbers")
        return array

    def made(self, make: Callable[..., T], *args: Any, **settings: Any) -> T:
        """What `make` makes of these; a ValueError becomes a BadModel."""
        try:
            return make(*args, **settings)
        except ValueError as error:
            self.refuse(str(error))

    def refuse(self, why: str) -> NoReturn:
        """Raise BadModel for the object as a whole."""
        raise BadModel(f"the {self._what} in the file is invalid: {why}")

    def _setting(self, name: str, kind: type, words: str) -> Any:
        found = self._settings.get(name)
        return found if type(found) is kind else self._refuse(name, found, words)

    def _refuse(self, name: str, found: object, words: str) -> NoReturn:
        self.refuse(f"{name!r} is {cut(repr(found))}, not {words}")
