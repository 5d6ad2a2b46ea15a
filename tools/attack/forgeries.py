"""Forged certificates against both checkers: none may be accepted unless it is true.

A table with known content is written to a file, certificates are made for it and for other readings
of it (a row taken as a header, rows dropped, columns renamed, permuted, repeated), and their parts
are mixed and changed in any way that parses, with a new seal. What a checker accepts is compared
with the truth about the whole file (`truth`), which knows nothing of the library.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from math import lcm
from pathlib import Path
from random import Random
from typing import Any, TypeAlias
from unittest.mock import patch

from attack.arena import Attack, Fault, verb
from attack.mutations import changed, copied, crossed
from attack.tables import Table, random_table, value
from attack.truth import Vector, circuits, dot, echelon, facts, kernel
from novikoff import BadExample, Certificate, Rejected, certify, verify
from novikoff.guarantees import check
from novikoff.guarantees.check import Evidence

Written: TypeAlias = dict[str, Any]
FORGERIES = 500  # for each table


class Lie(Exception):  # noqa: N818  (it names what the certificate does)
    """What is false in a certificate."""


def resealed(certificate: Written) -> Written:
    """The certificate with the seal that its content has."""
    rest = {key: one for key, one in certificate.items() if key != "seal"}
    return rest | {"seal": hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()}


# what a certificate claims, compared with the truth


def require(truth: bool, why: str) -> None:
    """Raise Lie unless it holds."""
    if not truth:
        raise Lie(why)


def columns_of(table: Table, at: int) -> dict[str, list[Fraction]]:
    """The features by name, or by position if the table has no header; `at` is the label."""
    found: dict[str, list[Fraction]] = {}
    texts = False
    for k in range(len(table.cells[0])):
        if k == at:
            continue
        name = str(len(found)) if table.header is None else table.header[k]
        cells = [row[k] for row in table.cells]
        numbers = [value(cell) for cell in cells]
        kept = [x for x in numbers if x is not None]
        if len(kept) == len(cells):
            require(name not in found, "two columns have the same name")
            found[name] = kept
        else:  # a column of texts: a feature for each of them
            require(not kept and "" not in cells and "NA" not in cells, "the file cannot be read")
            texts = True
            for cell in cells:
                found.setdefault(f"{name}={cell}", [Fraction(c == cell) for c in cells])
    if table.is_sparse:
        require(not texts, "the file cannot be read")
        zero = (
            {"zero": [Fraction(0)] * len(table.cells)}
            if table.is_zero_based and table.width
            else {}
        )
        return zero | dict(list(found.items())[: table.width])
    return {
        f"{texts}{name}" if texts and table.header is None else name: x for name, x in found.items()
    }


def signs(table: Table, at: int, classes: Sequence[str]) -> list[int]:
    """The sign of each row's label."""
    require(len(classes) == 2 and all(type(c) is str for c in classes), "there are not two classes")
    as_numbers = [value(c) for c in classes]
    require(
        len({c if x is None else x for c, x in zip(classes, as_numbers, strict=True)}) == 2,
        "the classes are equal",
    )
    found = []
    for row in table.cells:
        cell = row[at].strip()
        number = value(cell)
        is_class = [
            c == cell if number is None else x == number
            for c, x in zip(classes, as_numbers, strict=True)
        ]
        require(sum(is_class) == 1, "a label is not one of the classes")
        found.append(-1 if is_class[0] else 1)
    return found


def label_column(table: Table, label: str | None) -> int:
    """Where the label is that the certificate speaks of."""
    if label is None:
        return table.label
    require(not table.is_sparse, "it names a label column, and the file has none")
    if table.header is not None and label in table.header:
        require(table.header.count(label) == 1, "two columns have the label's name")
        return table.header.index(label)
    require(type(label) is str and label.isdecimal(), "there is no such label column")
    require(int(label) < len(table.cells[0]), "there is no such label column")
    return int(label)


def rows_claimed(table: Table, about: Written) -> tuple[Vector, ...]:
    """The rows z = y·x that the certificate speaks of, with all rows and columns of the file."""
    at = label_column(table, about.get("label"))
    found = columns_of(table, at)
    y = signs(table, at, about["classes"])
    names = about.get("names")
    require(names is None or table.header is not None, "it names columns, and the file does not")
    if names is not None:
        require(sorted(names) == sorted(found), "the columns are not those of the file")
        found = {name: found[name] for name in names}
    require(about["columns"] == len(found), "the number of columns is not that of the file")
    require(about["rows"] == len(y), "the number of rows is not that of the file")
    columns = [*found.values(), *([[Fraction(1)] * len(y)] if about["bias"] else [])]
    return tuple(
        tuple(s * x for x in row) for s, row in zip(y, zip(*columns, strict=True), strict=True)
    )


def spans(text: str) -> list[int]:
    """The numbers written as "0-3,7"."""
    pieces = [piece.split("-") for piece in text.split(",") if piece]
    return [k for ends in pieces for k in range(int(ends[0]), int(ends[-1]) + 1)]


def whole(text: str) -> Fraction:
    """A number written p or p/q, in decimals or hexadecimals."""
    above, _, below = text.partition("/")
    return Fraction(int(above, 0), int(below or "1", 0))


def vector(written: dict[str, str], d: int, length: int) -> list[Fraction]:
    """The vector that {"3": "5", "constant": "-2"} stands for."""
    v = [Fraction(0)] * length
    for place, x in written.items():
        v[d if place == "constant" else int(place)] += whole(x)
    return v


def check_truth(it: Written, z: tuple[Vector, ...], *, columns_known: bool = True) -> None:
    """Raise Lie if anything in an accepted certificate is false for these rows z = y·x."""
    true, about, margin = facts(z), it["data"], it["margin"]
    d, length, n = about["columns"], len(z[0]), len(z)
    decided = it["verdict"] != "undecided"
    require(not decided or it["verdict"] == true.verdict, "the verdict is false")
    require(whole(it["radius_squared"]) == true.radius_squared, "the radius is false")
    low, high = margin["at_least_squared"], margin["at_most_squared"]
    require(whole(low) <= true.margin_squared, "the margin is smaller than it says")
    require(high is None or true.margin_squared <= whole(high), "the margin is larger than it says")
    if decided:
        separated = sorted({*range(n)} - true.face)
        require(spans(it["separated"]) == separated, "the separated rows are others")
        on_face = [[z[i][j] for j in it["estimable"]] for i in sorted(true.face)]
        rank = len(echelon([z[i] for i in sorted(true.face)])[1])
        found = len(echelon(on_face)[1]) if it["estimable"] else 0
        if it["verdict"] != "complete" and columns_known:
            require(rank == found == len(it["estimable"]), "the estimable columns are others")
    times = [Fraction(0)] * n
    for place, x in it["multipliers"].items():
        times[int(place)] += whole(x)
    require(all(t >= 0 for t in times), "a multiplier is negative")
    for column in zip(*z, strict=True):
        require(dot(times, column) == 0, "the multiplied rows do not sum to 0")
    if it.get("aliases_looked_for", "aliases" in it):
        require(len(it["aliases"]) == length - true.rank, "the aliases are not all of them")
    if not columns_known:
        return
    w = vector(it["weights"], d, length)
    require(all(dot(w, row) >= 0 for row in z), "the weights have a row on their wrong side")
    if it["verdict"] == "complete":
        least = min(dot(w, row) for row in z)
        require(least > 0, "the weights do not separate the rows")
        require(whole(low) == least**2 / dot(w, w), "the margin of the weights is another")
    for alias in it.get("aliases", []):
        v = vector(alias, d, length)
        require(any(v) and all(dot(v, row) == 0 for row in z), "an alias is false")


def is_false(it: Written, table: Table) -> str | None:
    """What is false in a certificate that was accepted for this table; None if nothing is."""
    try:
        about = it["data"]
        files = about.get("files", [])
        digest = f"sha256:{hashlib.sha256(table.content).hexdigest()}"
        require(files in ([], [digest]), "it names other files")
        at = label_column(table, about.get("label"))
        others = (c for row in table.cells for k, c in enumerate(row) if k != at)
        nameless = about.get("names") is None
        texts = any(value(cell) is None for cell in others)
        check_truth(it, rows_claimed(table, about), columns_known=not (nameless and texts))
    except Lie as lie:
        return str(lie)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        return f"a part of it means nothing ({type(error).__name__})"
    return None


# the two checkers


def by_script(table: Table) -> tuple[bool, str]:
    """Whether check.py accepts the certificate in attempt.json, and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["check.py", "attempt.json", table.file, *table.flags]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = check.main()
    said = out.getvalue() + err.getvalue()
    if "Traceback" in said:
        raise Fault("check.py printed a traceback", output=said)
    return status == 0 or "facts hold" in said, said


def by_verb(table: Table) -> tuple[bool, str]:
    """Whether `novikoff verify` accepts it, and what it prints."""
    answer = verb("verify", "attempt.json", table.file, *table.flags)
    return answer.status == 0 or "facts hold" in answer.stdout, answer.stdout + answer.stderr


def by_library(it: Written, table: Table) -> bool:
    """Whether `novikoff.verify` accepts it for the numbers of the table."""
    X = [
        [float(value(c) or 0) for k, c in enumerate(row) if k != table.label] for row in table.cells
    ]
    y = [row[table.label] for row in table.cells]
    try:
        return verify(Certificate.from_dict(it), X, y)
    except (Rejected, BadExample):
        return False


# the forgeries


def honest(table: Table) -> Written | None:
    """The certificate of the file, which both checkers must accept; None if it is not readable."""
    answer = verb("certify", table.file, "-o", "attempt.json", *table.flags)
    if answer.status == 2:
        return None
    it: Written = json.loads(Path("attempt.json").read_text())
    lie = is_false(it, table)
    if lie is not None:
        raise Fault(f"certify is wrong: {lie}")
    accepted, said = by_verb(table)
    if not accepted:
        raise Fault("verify rejects an honest certificate", output=said)
    has_texts = any(
        value(c) is None for row in table.cells for k, c in enumerate(row) if k != table.label
    )
    accepted, said = by_script(table)
    if not accepted and not has_texts:
        raise Fault("check.py rejects an honest certificate", output=said)
    return it


def other_readings(dice: Random, table: Table) -> Iterator[Written]:
    """Certificates of tables that a checker might take this one for."""
    rows = [list(row) for row in table.cells]
    header, at = table.header, table.label
    if header is not None and dice.random() < 0.2:  # the header as a row
        rows, header = [list(header), *rows], None
    elif dice.random() < 0.4:  # a row as the header
        header = tuple(rows.pop(0))
    match dice.randrange(7):
        case 0:
            del rows[dice.randrange(len(rows))]
        case 1:
            dice.shuffle(rows)
        case 2:
            rows.append(dice.choice(rows))
        case 3:
            at = dice.randrange(len(rows[0]) if rows else 1)
    if len(rows) < 1:
        return
    places = [k for k in range(len(rows[0])) if k != at]
    match dice.randrange(5):
        case 0:
            dice.shuffle(places)
        case 1:
            places.insert(0, dice.choice(places))
            places += [places[0]] * dice.randrange(3)
        case 2 if len(places) > 1:
            places.pop()
    X = [[float(value(row[k]) or 0) for k in places] for row in rows]
    y = [row[at] for row in rows]
    names = None if header is None else [header[k] for k in places]
    label = dice.choice([None, str(at), at if header is None else header[at]])
    try:
        found = certify(X, y, fit_intercept=dice.random() < 0.7)
        classes = found.data.classes
        if dice.random() < 0.3:
            classes = (classes[1], classes[0])
        it = found.to_dict()
        label = None if label is None else str(label)
        it["data"] |= {"names": names, "label": label, "classes": list(classes)}
        yield resealed(it)
    except (BadExample, ValueError):
        return


def invented(dice: Random, true: Written, z: tuple[Vector, ...]) -> Written:
    """A certificate whose proof is made up, and whose other numbers follow from the proof.

    The weights, multipliers and complement are random, or true of these rows; what a checker
    recomputes from them is right, so only the argument itself can be refused.
    """
    about, n, length = true["data"], len(z), len(z[0])
    d = about["columns"]
    sums = [sum(column, Fraction(0)) for column in zip(*z, strict=True)]
    few = [Fraction(dice.choice((0, 0, 1, -1, 2, 3, -5))) for _ in range(length)]
    w = dice.choice(([Fraction(0)] * length, vector(true["weights"], d, length), sums, few))
    sides = [dot(w, row) for row in z]
    outside = [i for i in range(n) if sides[i] > 0]
    inside = [i for i in range(n) if i not in outside]
    times = [Fraction(0)] * n
    known = circuits(z)
    for circuit in dice.sample(known, dice.randint(0, min(3, len(known)))):
        times = [t + circuit.get(i, 0) for i, t in enumerate(times)]
    if dice.random() < 0.1:
        times[dice.randrange(n)] += dice.choice((1, -1))
    rows = [z[i] for i in inside] if dice.random() < 0.6 else [z[i] for i in range(n) if times[i]]
    complement = kernel(list(zip(*rows, strict=True))) if rows else []
    if dice.random() < 0.3:
        complement = [*complement, [Fraction(dice.randint(-1, 1)) for _ in range(length)]][-length:]
    if dice.random() < 0.2 and complement:
        del complement[dice.randrange(len(complement))]
    used = {j for i in range(n) if times[i] for j in range(length) if z[i][j]}
    if dice.random() < 0.7:
        complement = [
            [x if j in used else Fraction(0) for j, x in enumerate(v)] for v in complement
        ]
    verdict = dice.choice(("complete", "quasi-complete", "overlap", "undecided"))
    if dice.random() < 0.6:
        verdict = "complete" if not inside else "quasi-complete" if outside else "overlap"
    hull = {i: dice.randint(1, 3) for i in dice.sample(range(n), dice.randint(1, n))}
    hull = {} if any(times) or dice.random() < 0.3 else hull
    average = [sum((k * z[i][j] for i, k in hull.items()), Fraction(0)) for j in range(length)]
    high = dot(average, average) / sum(hull.values()) ** 2 if hull else Fraction(0)
    low = min(sides) ** 2 / dot(w, w) if verdict == "complete" and any(w) and min(sides) > 0 else 0
    out: Written = copied(true) | {
        "verdict": verdict,
        "weights": written(w, d),
        "multipliers": written(times),
        "separated": in_spans(outside),
        "radius_squared": str(max(dot(row, row) for row in z)),
        "margin": {
            "at_least_squared": str(low),
            "at_most_squared": None if not hull and not any(times) else str(high),
            "hull": {str(i): str(k) for i, k in sorted(hull.items())},
        },
    }
    found = [v for v in (written(v, d) for v in complement) if v]
    if "span" in out:
        out["span"] = {"columns": in_spans(sorted(used - {d})), "complement": found}
    else:
        out["complement"] = found
    rest = [z[i] for i in inside]
    columns = [[row[j] for j in sorted(used)] for row in rest]
    places = [sorted(used)[k] for k in echelon(columns)[1]] if rest and used else []
    out["estimable"] = places if verdict in ("quasi-complete", "overlap") else []
    return out


def written(v: Sequence[Fraction], constant: int = -1) -> dict[str, str]:
    """A vector as a certificate writes it, times a positive number that makes it whole."""
    below = lcm(*(x.denominator for x in v))
    return {
        "constant" if j == constant else str(j): str(int(x * below)) for j, x in enumerate(v) if x
    }


def in_spans(numbers: Sequence[int]) -> str:
    """Increasing numbers as "0-3,7"."""
    ends: list[list[int]] = []
    for k in numbers:
        if ends and ends[-1][1] == k - 1:
            ends[-1][1] = k
        else:
            ends.append([k, k])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ends)


def attempt(dice: Random) -> Iterator[Exception | None]:
    """Forge certificates for one table."""
    table = random_table(dice)
    for old in Path().glob("attempt*"):
        old.unlink()
    Path(table.file).write_bytes(table.content)
    true = honest(table)
    yield None
    pool = [] if true is None else [true]
    for _ in range(8):
        pool += other_readings(dice, table)
    z = None if true is None else rows_claimed(table, true["data"])
    data = evidence(table)
    for k in range(FORGERIES if pool else 0):
        it = pool[k] if k < len(pool) else crossed(dice, dice.choice(pool), dice.choice(pool), 0.15)
        if true is not None and z is not None and dice.random() < 0.3:
            it = invented(dice, true, z)
        elif k >= len(pool):
            it = changed(dice, it, times=dice.choice((0, 1, 1, 1, 2, 3)))
            if true is not None and "data" in it and dice.random() < 0.3:
                it["data"] = true["data"]
        it = resealed(it) if dice.random() < 0.98 else it
        try:
            judged(dice, it, table, data, all_ways=k < len(pool))
        except Exception as error:
            yield error
        else:
            yield None


def judged(
    dice: Random, it: Written, table: Table, data: Evidence | None, *, all_ways: bool
) -> None:
    """Show a certificate to the checkers; a Fault if one of them accepts what is false."""
    answers = []
    if data is None or all_ways or dice.random() < 0.1:
        Path("attempt.json").write_text(json.dumps(it))
        answers.append(("check.py", *by_script(table)))
    else:
        answers.append(("check.py", *by_function(it, data)))
    if all_ways or dice.random() < (0.3 if answers[0][1] else 0.03):
        Path("attempt.json").write_text(json.dumps(it))
        answers.append(("verify", *by_verb(table)))
    for checker, accepted, said in answers:
        if accepted and (lie := is_false(it, table)) is not None:
            Path("attempt.json").write_text(json.dumps(it))
            raise Fault(f"{checker} accepts: {lie}", output=said)
    if dice.random() < 0.02:
        by_library(it, table)


def evidence(table: Table) -> Evidence | None:
    """The data as check.py reads them, to be checked against many certificates."""
    at = dict(zip(table.flags[::2], table.flags[1::2], strict=False)).get("--label")
    try:
        found = check.read([table.file], at, zero_based=table.is_zero_based)
        return replace(found, examples=[(y, list(row)) for y, row in found.examples])
    except (Rejected, csv.Error):
        return None


def by_function(it: Written, data: Evidence) -> tuple[bool, str]:
    """Whether the function that check.py calls accepts a certificate."""
    try:
        check.check(it, data)
    except Rejected as reason:
        return False, str(reason)
    return True, ""


ATTACKS = [
    Attack(
        "certificates",
        "forged certificates, against `verify` and check.py",
        attempt,
        share=3,
        seconds=60,
    )
]
