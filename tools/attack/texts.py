"""Data files changed in any way, through every parser and verb.

A parser must give examples or a `BadExample`; the same ones however the text is cut into pieces and
however many threads parse it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np

from attack.arena import Attack, Fault, verb
from attack.mutations import TEXTS, bytes_changed
from attack.tables import ODD
from novikoff import BadExample, _core
from novikoff.sources import LabelsAsClasses, Numbered, ReadOptions, open_files
from novikoff.sources.features import Features
from novikoff.sources.files import text as text_files
from novikoff.sources.files.jsonl import JsonLines
from novikoff.sources.files.svmlight import Svmlight
from novikoff.sources.files.text import TextFormat
from novikoff.sources.files.vw import Vw
from novikoff.sources.read_options import Format

Read: TypeAlias = list[tuple[Any, ...]] | str  # the examples, or the error

ORIGINALS: dict[Format, bytes] = {
    "svmlight": (
        b"# a comment\n+1 1:1 3:0.5 7:-2e3 # more\n-1 qid:3 2:1 4:1e-3\n1 1:3\n\n-1\n"
        b"+1 5:00012 6:.5\n-1 1:123456789012345678901234567890\n"
    ),
    "vw": (
        b"1 2.0 'tag|a x:1 y |b:0.5 u:2 v\n-1 |a x:-1 |b v:3 w\n1 |a y:2 |b u\n"
        b"-1 | z:1e3 \xc3\xa9\n"
    ),
    "jsonl": (
        b'{"label": 1, "x": 2.5, "c": "red", "ok": true, "n": null, "in": {"a": 1}}\n'
        b'{"label": "0", "x": -1e3, "c": "bl\\u00e9\\ud83d\\ude00", "ok": false}\n{"label": 1}\n'
    ),
    "csv": (
        b'x,colour,"z ""q""",kind\n1,red,2,a\n-1,blue,1e3,b\n"2","re\nd",0,a\n0,"b,lue",3,b\n'
        b"1,green,1,a\r\n.5,red,-0,b\r\n"
    ),
}
PIECES = [text.encode(errors="replace") for text in (*TEXTS, *ODD) if len(text) < 30] + [
    b"1e400",
    b"-1e-400",
    b"0.1e",
    b":",
    b"1:",
    b":1",
    b'""',
    b'"',
    b"|",
    b"||",
    b"\r",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\\u0000",
    b"\\ud800",
    b"99999999999999999999",
    b"9007199254740991",
    b"-1",
    b"2147483648:1",
    b"#",
    b"[1,[2]]",
    b"{",
    b"}",
    b"NaN",
    b"1" * 400,
]


def read(file: str, format: Format, *, threads: int, hashed: bool) -> Read:
    """The examples of a file as numbers and texts, or the words of the error."""
    how = ReadOptions(format, threads=threads, missing="zero" if hashed else "refuse", skip_bad=0)
    features = Features(hash_bits=6) if hashed else Features()
    try:
        source = open_files(file, how)
        found = []
        for block in Numbered(source, features, LabelsAsClasses(())):
            for i in range(len(block)):
                one = block[i]
                pairs = zip(one.columns.tolist(), one.values.tolist(), strict=True)
                found.append((one.label, one.importance, *pairs))
    except BadExample as error:
        return str(error)
    return found


def formats() -> dict[Format, TextFormat]:
    """A parser of each text format with one example a line."""
    return {"svmlight": Svmlight(), "vw": Vw(), "jsonl": JsonLines()}


def in_memory(dice: Random) -> Iterator[Exception | None]:
    """Change a line or a few in many ways, and parse them without a file."""
    format, parser = dice.choice(list(formats().items()))
    lines = ORIGINALS[format].splitlines(keepends=True)
    for _ in range(1000):
        at = dice.randrange(len(lines))
        text = bytes_changed(dice, b"".join(lines[at : at + dice.randint(1, 3)]), PIECES)
        try:
            fault = not_whole(parser, text)
        except Exception as error:
            Path("attempt.text").write_bytes(text)
            yield error
            continue
        if fault is not None:
            Path("attempt.text").write_bytes(text)
        yield fault


def not_whole(parser: TextFormat, text: bytes) -> Fault | None:
    """What does not hold together in the parsed text: lengths, order, numbers, places."""
    room = np.frombuffer(text + b"\n" * 16, np.uint8)
    parsed = parser.parse(room, len(text), 1000)
    values, indices, starts = parsed["values"], parsed["indices"], parsed["starts"]
    labels = parsed["labels"]
    if not len(values) == len(indices) == starts[-1] or len(starts) != len(labels) + 1:
        return Fault("parts of different lengths")
    if starts[0] != 0 or (np.diff(starts) < 0).any() or not np.isfinite(values).all():
        return Fault("rows that overlap, or a number that is not finite")
    if len(labels) and labels.max() >= len(parsed["label_lines"]):
        return Fault("a label that is not in the list")
    for _, where, why, begin, end in parsed["bad"]:
        if not 0 <= begin <= where <= end <= len(text):
            return Fault("an error outside its line")
        _, error = parser.flaw(text[begin:end], where - begin, why)
        if not str(error).strip() or "\n" in str(error):
            return Fault("an error without words, or of several lines")
    parser.chunk(parsed, str, 0)
    return None


BITS = (3, 7, 10, 30, 53, 54, 60, 64, 66, 130)
SHAPE = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def numbers(dice: Random) -> Iterator[Exception | int | None]:
    """Numbers in decimals: those that Python reads must be read as Python reads them."""
    for _ in range(20):
        texts = [text for text in (decimal(dice) for _ in range(1000)) if isfinite(float(text))]
        line = f"1 {' '.join(f'{j}:{text}' for j, text in enumerate(texts))}\n".encode()
        room = np.frombuffer(line + b"\n" * 16, np.uint8)
        found = _core.parse_svmlight(room, length=len(line), allowed=0)["values"].tolist()
        wrong = [t for t, x in zip(texts, found, strict=False) if float(t) != x]
        if wrong or len(found) != len(texts):
            yield Fault("a number is read wrongly", text=f"{wrong[:1]} of {line!r}")
        else:
            yield len(texts)
        raw = bytes_changed(dice, decimal(dice).encode())
        one = _core.read_number(np.frombuffer(raw + b"\n" * 16, np.uint8), length=len(raw))
        if SHAPE.fullmatch(raw) and one not in (float(raw), abs(float(raw))):  # infinity: no sign
            yield Fault("a number is read wrongly", text=raw, found=repr(one))
        elif one is not None and not SHAPE.fullmatch(raw.strip()):
            yield Fault("no number is read as one", text=raw)
        else:
            yield None


def decimal(dice: Random) -> str:
    """A number in decimals: short, long, near the limits, or any float."""
    if (kind := dice.random()) < 0.3:
        text = repr(struct.unpack("<d", dice.randbytes(8))[0])
        return "0" if text in ("nan", "inf", "-inf") else text
    digits = str(dice.getrandbits(dice.choice(BITS) if kind < 0.99 else 2600))
    point = int(kind * 1000) % (len(digits) + 1)
    if kind < 0.6:
        return f"{digits[:point]}.{digits[point:]}e{dice.randint(-330, 300)}"
    return f"-{digits}" if kind < 0.8 else f"+{digits[:point]}.{digits[point:]}"


def parsers(dice: Random) -> Iterator[Exception | None]:
    """Change a text in many ways and read it, whole and in pieces."""
    format = dice.choice(list(ORIGINALS))
    original = ORIGINALS[format]
    suffix = {"svmlight": "svm"}.get(format, format)
    for _ in range(100):
        text = bytes_changed(dice, original, PIECES)
        if dice.random() < 0.2:
            text = bytes_changed(dice, text, PIECES)
        file, hashed = f"attempt.{suffix}", dice.random() < 0.5
        Path(file).write_bytes(text)
        try:
            whole = read(file, format, threads=0, hashed=hashed)
            if dice.random() < 0.2 and format != "csv":  # its first piece decides on the columns
                size, threads = dice.choice((1, 7, 16, 40, 100)), dice.choice((0, 0, 0, 2))
                with patch.object(text_files, "PIECE_BYTES", size):
                    pieces = read(file, format, threads=threads, hashed=hashed)
                if repr(pieces) != repr(whole):
                    differ = f"{size} bytes at a time:\n{pieces}\n\nwhole:\n{whole}"
                    yield Fault(f"{format}: other examples from smaller pieces", differ=differ)
                    continue
        except Exception as error:
            yield error
        else:
            yield None


def verbs(dice: Random) -> Iterator[Exception | None]:
    """Change a text in many ways and give it to the verbs."""
    format = dice.choice(list(ORIGINALS))
    suffix = {"svmlight": "svm"}.get(format, format)
    file = f"attempt.{suffix}"
    for _ in range(20):
        Path(file).write_bytes(bytes_changed(dice, ORIGINALS[format], PIECES))
        Path("attempt.model").unlink(missing_ok=True)
        extra = dice.choice(((), ("--multiclass",), ("--hash-bits", "5"), ("--skip-bad", "3")))
        words = dice.choice(
            (
                ("train", file, "-o", "attempt.model", "-q", *extra),
                ("certify", file, "--max-seconds", "5"),
                ("certify", file, "--no-intercept", "-o", "attempt.json"),
            )
        )
        try:
            if verb(*words).status == 0 and words[0] == "train":
                verb("predict", "attempt.model", file)
                verb("test", "attempt.model", file)
                verb("inspect", "attempt.model")
            elif words[-1] == "attempt.json" and Path("attempt.json").exists():
                verb("verify", "attempt.json", file)
                Path("attempt.json").unlink()
        except Exception as error:
            yield error
        else:
            yield None


ATTACKS = [
    Attack("lines", "lines of svmlight, VW and JSON, through the compiled parsers", in_memory),
    Attack("numbers", "decimals, compared with Python's reading of them", numbers, share=0.5),
    Attack("texts", "files of svmlight, VW, JSON lines and CSV, through the readers", parsers),
    Attack("verbs", "the same through train, predict, test, certify, verify", verbs),
]
