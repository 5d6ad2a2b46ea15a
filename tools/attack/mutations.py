"""Changes to JSON, bytes and numbers: any value becomes any other that parses."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, TypeAlias

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]

WHOLE = (0, 1, -1, 2, 3, 7, 63, 64, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**12)
NUMBERS = (0.0, -0.0, 0.5, 1.5, -1.0, 1e-320, 5e-324, 1e300, 1.7e308, 9007199254740993.0)
TEXTS = (
    "",
    "0",
    "1",
    "-1",
    "00",
    "+1",
    "1_0",
    "0x10",
    "1/2",
    "1/0",
    "-0",
    "1e3",
    "nan",
    "inf",
    "0-1",
    "1-0",
    "0-0,0",
    "0,0",
    "0-1,1-2",
    "-1-1",
    "0-999999999999",
    "999999999999",
    "9" * 5000,
    "constant",
    "label",
    "x",
    "y",
    "a",
    "b",
    "a=b",
    "true",
    "complete",
    "overlap",
    "quasi-complete",
    "undecided",
    "perceptron",
    "voted",
    "averaged",
    "examples",
    "counts",
    "joint",
    "additive",
    "multiplicative",
    "refuse",
    "indicate",
    "\x00",
    "\x1b[31m",
    "a\nb",
    "é",
    "\ud800",
    "\u202e",
    " ",
    "٣",
)


def copied(value: Json) -> Json:
    """A copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def places(value: Json, at: Path = ()) -> Iterator[Path]:
    """The paths of everything inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inside:
        yield (*at, key)
        if isinstance(one, dict | list):
            yield from places(one, (*at, key))


def get(value: Json, path: Path) -> Json:
    """The value at a path."""
    for key in path:
        value = value[key]
    return value


def another(dice: Random, value: Json, pool: list[Json]) -> Json:
    """A value to put in place of this one: near it, or from elsewhere."""
    choice = dice.random()
    if choice < 0.25 and pool:
        return copied(dice.choice(pool))
    if choice < 0.3:
        return dice.choice([None, True, False, [], {}, "", 0])
    match value:
        case bool():
            return dice.choice([not value, int(value), None, "true"])
        case int():
            near = (
                value + 1,
                value - 1,
                -value,
                value * 2,
                float(value),
                str(value),
                value + 2**32,
            )
            return dice.choice([*near, *WHOLE])
        case float():
            return dice.choice([*NUMBERS, -value, value * 2, int(value) if value < 1e18 else 0])
        case str():
            return text(dice, value)
        case list():
            return _list(dice, value)
        case dict():
            return _dict(dice, value)
        case _:
            return dice.choice([*WHOLE, *TEXTS, [], {}, True])


def text(dice: Random, value: str) -> str:
    """Another text: a number in it changed, a character changed, or one from the list."""
    choice = dice.random()
    if choice < 0.3:
        return dice.choice(TEXTS)
    digits = [i for i, c in enumerate(value) if c.isdigit()]
    if choice < 0.6 and digits:
        i = dice.choice(digits)
        return value[:i] + dice.choice("0123456789") + value[i + 1 :]
    if choice < 0.7:
        return f"-{value}" if not value.startswith("-") else value[1:]
    if choice < 0.8 and value:
        i = dice.randrange(len(value))
        return value[:i] + value[i + 1 :]
    if choice < 0.9:
        i = dice.randrange(len(value) + 1)
        return value[:i] + dice.choice(",-/ 01ax\x00\n") + value[i:]
    return value + value


def _list(dice: Random, value: list[Json]) -> list[Json]:
    out = list(value)
    match dice.randrange(5):
        case 0 if out:
            del out[dice.randrange(len(out))]
        case 1 if out:
            out.insert(dice.randrange(len(out) + 1), copied(dice.choice(out)))
        case 2:
            dice.shuffle(out)
        case 3:
            out.append(dice.choice([None, 0, "x", [], {}, "0", "constant"]))
        case _:
            out.clear()
    return out


def _dict(dice: Random, value: dict[str, Json]) -> dict[str, Json]:
    out, keys = dict(value), list(value)
    match dice.randrange(5):
        case 0 if keys:
            del out[dice.choice(keys)]
        case 1 if keys:
            moved = out.pop(dice.choice(keys))
            out[dice.choice([*TEXTS, *keys])] = moved
        case 2 if len(keys) > 1:
            one, other = dice.sample(keys, 2)
            out[one], out[other] = out[other], out[one]
        case 3:
            out[dice.choice(TEXTS)] = dice.choice([1, "1", "5", None, {}, "2/3"])
        case _:
            out.clear()
    return out


def changed(dice: Random, value: dict[str, Json], *, times: int = 1) -> dict[str, Json]:
    """A copy of a JSON object with this many of its parts changed."""
    out: dict[str, Json] = copied(value)
    for _ in range(times):
        paths = list(places(out))
        if not paths:
            break
        path = dice.choice(paths)
        inside = get(out, path[:-1])
        if dice.random() < 0.05 and isinstance(inside, dict):
            del inside[path[-1]]
            continue
        pool = [get(out, dice.choice(paths)) for _ in range(3)]
        inside[path[-1]] = another(dice, inside[path[-1]], pool)
    return out


def crossed(dice: Random, one: Json, other: Json, chance: float = 0.3) -> Json:
    """A copy of one JSON value with some of its parts taken from another."""
    if dice.random() < chance:
        return copied(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return {
            key: crossed(dice, one[key], other[key], chance) if key in other else copied(one[key])
            for key in one
        }
    return copied(one)


def bytes_changed(dice: Random, data: bytes, pieces: list[bytes] | None = None) -> bytes:
    """The bytes with a few of them flipped, removed, repeated or inserted."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        i = dice.randrange(len(out) + 1)
        j = min(len(out), i + dice.choice((1, 1, 2, 4, 8, 30)))
        match dice.randrange(7):
            case 0 if i < len(out):
                out[i] ^= 1 << dice.randrange(8)
            case 1 if i < len(out):
                out[i] = dice.choice(b'\x00\xff\x7f\x80 \t\n\r,;:|"#{}[].-+eE019')
            case 2:
                del out[i:j]
            case 3:
                out[i:i] = out[i:j]
            case 4:
                out[i:i] = dice.randbytes(dice.choice((1, 2, 4, 8)))
            case 5 if pieces:
                out[i : i if dice.random() < 0.5 else j] = dice.choice(pieces)
            case _:
                del out[i:]
    return bytes(out)
