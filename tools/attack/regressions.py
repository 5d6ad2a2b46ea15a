"""Small regressions of each model, most of them degenerate, against what is true of them.

The inequalities of a model are written out here from its definition (Albert & Anderson 1984;
Correia, Guimarães & Zylkin 2019), and `truth.circuits` tries every set of them that may cancel out,
in Fractions. The verdict of `certify` and the rows that it calls separated must be the same, both
checkers must accept its certificate, and of changed certificates only what is still true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from attack.arena import Attack, Fault
from attack.forgeries import resealed, spans
from attack.mutations import changed, copied
from attack.truth import Vector, circuits
from novikoff import BadExample, Rejected, certify
from novikoff.guarantees import check
from novikoff.separability.certifying import checked

KINDS = ("binary", "binomial", "poisson", "multinomial", "ordinal")
REGRESSIONS, FORGERIES, MOST = 20, 20, 12  # in an attempt; for each; inequalities that differ


@dataclass(frozen=True)
class Regression:
    """Rows of a model with the number of the level of each, from 0."""

    kind: str
    rows: list[list[int]]
    levels: list[int]
    constant: bool

    @property
    def inequalities(self) -> list[tuple[int, Vector]]:
        """Each row z with ⟨w,z⟩ ≥ 0 along a direction, and the example that makes it."""
        out, top = list[tuple[int, list[int]]](), max(self.levels)
        for i, (x, level) in enumerate(zip(self.rows, self.levels, strict=True)):
            one = [*x, 1] if self.constant else x
            if self.kind == "ordinal":
                unit = [[int(t == k) for t in range(top)] for k in range(top)]
                if level < top:
                    out.append((i, [*(-a for a in x), *unit[level]]))
                if level > 0:
                    out.append((i, [*x, *(-a for a in unit[level - 1])]))
            elif self.kind == "multinomial":
                for k in range(top + 1):
                    if k != level:
                        sides = [(c == level) - (c == k) for c in range(1, top + 1)]
                        out.append((i, [a * side for side in sides for a in one]))
            else:  # below: nothing was counted; above: everything; of a positive count both
                below, above = level < (1 if self.kind == "binary" else 2), level > 0
                out += [(i, [-a for a in one])] * below + [(i, one)] * above
        return [(i, tuple(map(Fraction, z))) for i, z in out]

    @property
    def truth(self) -> tuple[str, list[int]]:
        """The verdict, and the separated examples."""
        rows = self.inequalities
        different = tuple(dict.fromkeys(z for _, z in rows))
        face = {different[k] for circuit in circuits(different) for k in circuit}
        strict = [i for i, z in rows if z not in face]
        some = "quasi-complete" if strict else "overlap"
        return "complete" if len(strict) == len(rows) else some, sorted({*strict})

    @property
    def asked(self) -> tuple[Any, dict[str, Any]]:
        """The response and the options of `certify`."""
        counts = {"binomial": {"trials": 2}}.get(self.kind, {})
        model = {} if self.kind in ("binary", "binomial") else {"model": self.kind}
        return self.levels, model | counts

    @property
    def evidence(self) -> check.Evidence:
        """The examples as check.py takes them."""
        names = [str(level) for level in range(max(self.levels) + 1)]
        names = {"poisson": ["0", "positive"], "binomial": ["none", "some", "all"]}.get(
            self.kind, names
        )
        sign = {0: -1, 1: 1} if self.kind == "binary" else {k: k for k in range(9)}
        rows = [
            (sign[level], [(c, float(v)) for c, v in enumerate(x) if v])
            for level, x in zip(self.levels, self.rows, strict=True)
        ]
        return check.Evidence(rows, len(self.rows[0]), classes=tuple(names))


def drawn(dice: Random) -> Regression:
    """Few rows of small numbers: repeated, 0, on a line, with levels at random or in order."""
    while True:
        kind = dice.choice(KINDS)
        n, d, size = dice.randint(2, 6), dice.randint(1, 2), dice.choice((1, 1, 2, 3))
        rows = [[dice.randint(-size, size) for _ in range(d)] for _ in range(n)]
        if dice.random() < 0.3:
            rows[-1] = list(rows[0])
        if dice.random() < 0.2:
            rows = [[row[0]] * d for row in rows]  # aliased
        top = {"binary": 1, "poisson": 1, "binomial": 2}.get(kind) or dice.randint(1, 2)
        levels = [dice.randint(0, top) for _ in rows]
        if dice.random() < 0.5:
            levels = [max(0, min(top, row[0])) for row in rows]
        known = sorted({*levels})
        if kind in ("binary", "multinomial", "ordinal"):  # those that occur, two at least
            levels = [known.index(level) for level in levels]
        it = Regression(kind, rows, levels, dice.random() < 0.6)
        enough = len(known) > 1 or kind in ("poisson", "binomial")
        if enough and 0 < len({z for _, z in it.inequalities}) <= MOST:
            return it


def attempt(dice: Random) -> Iterator[Exception | None]:
    """Regressions, and for each changes of its certificate."""
    for _ in range(REGRESSIONS):
        it = drawn(dice)
        (y, options), (verdict, separated) = it.asked, it.truth
        found = certify(it.rows, y, fit_intercept=it.constant, **options)
        if (found.verdict, found.separated_rows.tolist()) != (verdict, separated):
            yield Fault(f"certify is wrong: {found.verdict}, not {verdict}", regression=repr(it))
            continue
        yield None
        honest = found.to_dict()
        for k in range(FORGERIES):
            wrong = copied(honest) if k == 0 else changed(dice, honest, times=dice.randint(1, 2))
            yield judged(resealed(wrong), it, honest=k == 0)


def judged(given: dict[str, Any], it: Regression, *, honest: bool) -> Exception | None:
    """What is wrong if a checker accepts what is false, or rejects the honest certificate."""
    y, options = it.asked
    verdict, separated = it.truth
    trials = options.get("trials")
    for name, ask in (
        ("check.py", lambda: check.check(given, it.evidence)),
        ("verify", lambda: checked(check.claim(given), it.rows, y, trials=trials)),
    ):
        try:
            ask()
        except (Rejected, BadExample) as reason:
            if honest:
                return Fault(f"{name} rejects an honest certificate: {reason}", it=repr(it))
            continue
        rows = [i for i, _ in it.inequalities]
        claimed = sorted({rows[k] for k in spans(given["separated"])})
        false = given["verdict"] != verdict or claimed != separated
        if false and given["verdict"] != "undecided":
            return Fault(f"{name} accepts what is false", it=repr(it), certificate=repr(given))
    return None


ATTACKS = [
    Attack(
        "regressions",
        "small regressions of each model, and changed certificates of them",
        attempt,
        share=2,
        seconds=120,
    )
]
