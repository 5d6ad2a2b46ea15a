"""Names that an attacker chooses: names that fall into the same slots, and names that print badly.

A filter learns words that senders choose. Names found by trying the hash in `cpp/text/hashing.hpp`
share their low bits; learning them must take about as long as learning any others. Names with
escape sequences, line ends and NUL must not reach a terminal as they are.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attack.arena import Attack, Fault, verb
from novikoff import Perceptron, load
from novikoff.models.model import Model
from novikoff.sources.files.vw import Vw

LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", np.uint8)
PRIME, START = np.uint64(0x100000001B3), 0xCBF29CE484222325
SHARED_BITS, NAMES = 12, 12_000
SLOWER = 3.0  # how much longer chosen names may take than others

HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "line\nend",
    "return\rback",
    "tab\tname",
    "nul\x00name",
    "\x7f",
    "\x9b31m",
    "right\u202eleft",
    "zero\u200bwidth",
    "x" * 5000,
    "'quoted'",
    '"quoted"',
    "a=b",
    "=",
    " lead",
    "lone\udc80",
    "é",
    "<script>alert(1)</script>",
    "{braces}",
    "%s%n",
)
UNPRINTABLE = {chr(c) for c in (*range(32), *range(128, 160)) if chr(c) not in "\n\t"}


def mixed(h: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The end of the hash: SplitMix64."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


def chosen_names(count: int) -> list[str]:
    """Names whose hashes agree in their low bits."""
    out: list[str] = []
    letters, low = LETTERS.astype(np.uint64), np.uint64((1 << SHARED_BITS) - 1)
    for first in range(1000):
        prefix, h = f"{first:03}", START
        for c in prefix.encode():
            h = (h ^ c) * int(PRIME) % 2**64
        states = np.array([h], np.uint64)
        for _ in range(4):  # each name so far, followed by each letter
            states = ((states[:, None] ^ letters) * PRIME).reshape(-1)
        found = np.flatnonzero(mixed(states) & low == 0)
        places = np.stack(np.unravel_index(found, [len(letters)] * 4), -1)
        out += [prefix + bytes(row).decode() for row in LETTERS[places]]
        if len(out) >= count:
            return out[:count]
    raise AssertionError("there are enough names")


def prepare() -> None:
    """Choose the names."""
    Path("names").write_bytes(pickle.dumps(chosen_names(NAMES)))


def learning(names: list[str]) -> float:
    """How long learning these names takes, one example at a time."""
    clf = Perceptron()
    clf.learn_one({"a": 1.0}, 0)
    x = dict.fromkeys(names, 1.0)
    began = time.perf_counter()
    clf.learn_one(x, 1)
    return time.perf_counter() - began


def parsing(names: list[str]) -> float:
    """How long parsing these names takes."""
    text = b"1 | " + " ".join(names).encode() + b"\n"
    room = np.frombuffer(text + b"\n" * 16, np.uint8)
    began = time.perf_counter()
    Vw().parse(room, len(text), 0)
    return time.perf_counter() - began


def flood(dice: Random) -> Iterator[Exception | None]:
    """Learn and parse chosen names and others, and compare the times."""
    chosen = pickle.loads(Path("names").read_bytes())
    others = [f"{dice.randrange(10**7):07}" for _ in chosen]
    for what in (learning, parsing):
        # the best of a few, so that a busy machine is not taken for a slow table
        ratio = min(what(chosen) for _ in range(5)) / min(what(others) for _ in range(5))
        slow = Fault(f"{what.__name__} chosen names takes much longer", ratio=f"{ratio}")
        yield slow if ratio > SLOWER else None


def hostile_data(dice: Random) -> tuple[str, bytes]:
    """A file with hostile names of columns, features, categories or labels."""
    one, other, third = (dice.choice(HOSTILE) for _ in range(3))
    rows = [(dice.randint(-3, 3), dice.choice((one, other)), dice.choice((0, 1))) for _ in range(6)]
    rows += [(1, one, 0), (2, other, 1)]
    labels = (one, third) if dice.random() < 0.3 else ("n", "y")
    if dice.random() < 0.5:

        def cell(text: object) -> str:
            return '"' + str(text).replace('"', '""') + '"'

        head = ",".join(map(cell, (third, "c" if one == third else one, "label")))
        lines = [",".join(map(cell, (v, name, labels[y]))) for v, name, y in rows]
        return "attempt.csv", "\n".join([head, *lines, ""]).encode(errors="surrogatepass")
    lines = [json.dumps({"label": labels[y], third: v, "c": name, name: 1}) for v, name, y in rows]
    return "attempt.jsonl", "\n".join([*lines, ""]).encode()


def hostile_names(dice: Random) -> Iterator[Exception | None]:
    """Train, predict, inspect and certify with hostile names: nothing printed is obeyed."""
    file, content = hostile_data(dice)
    Path(file).write_bytes(content)
    Path("attempt.model").unlink(missing_ok=True)
    multiclass = ("--multiclass",) if dice.random() < 0.3 else ()
    commands: list[tuple[str, ...]] = [
        ("train", file, "-o", "attempt.model", *multiclass),
        ("inspect", "attempt.model", "-n", "50"),
        ("inspect", "attempt.model", "--json"),
        ("predict", "attempt.model", file),
        ("test", "attempt.model", file),
        ("certify", file, "-o", "attempt.json"),
        ("verify", "attempt.json", file),
    ]
    for words in commands:
        needed = [w for w in words[1:] if w.startswith("attempt") and w != words[-1]]
        if words[0] in ("inspect", "predict", "test", "verify") and not all(
            Path(w).exists() for w in needed
        ):
            continue
        try:
            answer = verb(*words)
        except Exception as error:
            yield error
            continue
        if answer.status == 0 and words[0] == "train":
            Model.load("attempt.model").weights.sum()
        said = answer.stdout + answer.stderr
        if UNPRINTABLE.intersection(said):
            yield Fault(f"{words[0]} prints control characters as they are", output=said)
        elif words[0] == "predict" and answer.status == 0 and answer.stdout.count("\n") != 8:
            yield Fault("predict prints other than a line for each example", output=said)
        elif len(answer.stderr) > 20_000:
            yield Fault(f"{words[0]} prints a page of errors", output=said)
        else:
            yield None
    for path in ("attempt.model", "attempt.json"):
        Path(path).unlink(missing_ok=True)


def odd_dicts(dice: Random) -> Iterator[Exception | None]:
    """Dicts with hostile names and values, one at a time: refused, or learned and saved."""
    clf = Perceptron()
    clf.learn_one({"a": 1.0}, 0)
    clf.learn_one({"a": -1.0}, 1)
    values: tuple[Any, ...] = (1, 1.0, True, "text", "\x00", None, float("nan"), 1e309, 10**400)
    for _ in range(30):
        names = dice.sample(HOSTILE, 3)
        x = {name: dice.choice(values) for name in names}
        try:
            clf.predict_one(x)
            clf.learn_one(x, dice.randrange(2))
        except (ValueError, TypeError, OverflowError) as error:
            yield None if str(error) else Fault("an error without words")
        except Exception as error:
            yield error
        else:
            yield None
    try:
        again = pickle.loads(pickle.dumps(clf))
        if dict(again.named_weights) != dict(clf.named_weights):
            yield Fault("a copy has other names")
        clf.save("attempt.model")
        load("attempt.model")
    except Exception as error:
        yield error


ATTACKS = [
    Attack("flooding", "names chosen to share a slot", flood, prepare, 0.3, 120, 1500),
    Attack("names", "hostile names of columns, categories and labels", hostile_names, share=0.5),
    Attack("dicts", "hostile names and values, one example at a time", odd_dicts, share=0.3),
]
