"""Every field of a stored model, one after another, with every hostile value, checksum right.

Where `stored` changes models at random, this goes through all of them: no setting and no array may
be read without a check. Using the file must give a clear error that names it, or a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attack.arena import Attack, Fault, verb
from attack.mutations import get, places
from attack.stored import DTYPES, OUTPUT, PASSES, TRAINED, packed, prepare, unpacked
from novikoff import BadModel
from novikoff.models.model import Model

Mutant: TypeAlias = tuple[str, Callable[[], bytes]]  # what is changed, and the file

REMOVED = object()

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**62, 2**63 - 1, 2**64, 0.5, -1.0, 1e308),
    *("", "x", "\x1b[31m\n", [], ["x"], [1, 2], [[]], [["x", 1]], {}, {"x": 1}),
)
NUMBERS = (0.0, -1.0, np.nan, np.inf, -np.inf, 1e308)
WHOLE = (0, -1, 1, 7, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63))


def mutants(data: bytes) -> Iterator[Mutant]:
    """The file of a model with one field of its header, or one array, changed in every way."""
    content, arrays = unpacked(data)
    for path in places(content["header"]):
        where, old = ".".join(map(str, path)), get(content["header"], path)
        near: list[Any] = [old * 2] if isinstance(old, list | str) else []
        near += [-old, old + 1] if isinstance(old, int | float) else []
        for value in (*VALUES, *near):
            what = f"{where} = {value!r:.30}"
            yield what, partial(_with_setting, data, ("header", *path), value)
        if isinstance(path[-1], str):
            yield f"no {where}", partial(_with_setting, data, ("header", *path), REMOVED)
    for i, (name, array) in enumerate(arrays):
        for how, other in others(array):
            yield f"{name}: {how}", partial(_with_array, data, i, other)
        yield f"no {name}", partial(_with_array, data, i, None)


def _with_setting(data: bytes, path: tuple[str | int, ...], value: Any) -> bytes:
    content, arrays = unpacked(data)
    inside = get(content, path[:-1])
    inside[path[-1]] = value
    if value is REMOVED:
        del inside[path[-1]]
    return packed(content, [array.tobytes() for _, array in arrays])


def _with_array(data: bytes, i: int, other: NDArray[Any] | None) -> bytes:
    content, arrays = unpacked(data)
    name, _ = arrays.pop(i)
    del content["arrays"][name]
    if other is not None:
        arrays.insert(i, (name, other))
        content["arrays"][name] = [other.dtype.str, list(other.shape)]
    return packed(content, [array.tobytes() for _, array in arrays])


def others(array: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """The array with other elements, lengths, shapes and types."""
    flat = array.reshape(-1)
    yield "empty", flat[:0]
    yield "shorter", flat[:-1]
    yield "longer", np.concatenate([flat, flat[-1:] if flat.size else np.zeros(1, flat.dtype)])
    yield "turned round", flat[::-1].reshape(array.shape)
    for shape in ((-1, 1), (1, -1)):
        yield f"of shape {shape}", flat.reshape(shape)
    for shape in ((2**40, 0), (0, 2**40)):
        yield f"of shape {shape}", np.empty(shape, array.dtype)
    for kind in DTYPES:
        if kind != array.dtype.str:
            with np.errstate(all="ignore"):
                yield f"as {kind}", array.astype(kind)
    bounds = None if array.dtype.kind == "f" else np.iinfo(array.dtype)
    for place in {0, flat.size - 1} if flat.size else ():
        for value in NUMBERS if bounds is None else WHOLE:
            if bounds is None or bounds.min <= value <= bounds.max:
                new = array.copy()
                new.reshape(-1)[place] = value
                yield f"[{place}] = {value}", new


def tried(mutant: Mutant, words: tuple[str, ...], *, verbs: bool = True) -> Exception | None:
    """What is wrong with the way a changed model is refused or used; None if nothing is.

    A model that is not refused is saved again and described, and, with `verbs`, used by others.
    """
    what, made = mutant
    Path("attempt.model").write_bytes(made())
    try:
        model = Model.load("attempt.model")
    except BadModel as error:
        if not str(error).startswith("attempt.model: ") or "\n" in str(error):
            return Fault(f"{what}: the error is {error}")
        return None
    except Exception as error:
        error.add_note(what)
        return error
    model_file, data_file = "attempt.model", words[0]
    try:
        model.save("attempt.again")
        Model.load("attempt.again")
        verb("inspect", model_file)
        if verbs:
            verb("predict", model_file, data_file)
            verb("train", data_file, "--initial", model_file, "-o", "attempt.next", "-q")
            verb("train", *words, *PASSES, *OUTPUT, "--resume")
    except Exception as error:
        error.add_note(what)
        return error
    finally:
        Path("attempt.next").unlink(missing_ok=True)
    return None


def every_field(dice: Random) -> Iterator[Exception | None]:
    """Go through the fields of one model."""
    name = dice.choice(list(TRAINED))
    original = Path(f"{name}{dice.choice(('', ' unfinished'))}.model").read_bytes()
    for mutant in mutants(original):
        yield tried(mutant, TRAINED[name])


ATTACKS = [
    Attack("fields", "each field of a model, with each hostile value", every_field, prepare, 1),
]
