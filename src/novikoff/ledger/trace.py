"""The trace of a run: a line for each mistake, with the example and the weights after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from novikoff.ledger.kernels import dense
from novikoff.stream.printing import short

if TYPE_CHECKING:
    from novikoff.ledger.ledger import Ledger

MOST_NUMBERS = 20_000_000  # in a table
_LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}"})


def heads(ledger: Ledger, names: Sequence[str] | None, *, weights: bool) -> list[str]:
    """The names of the columns of `lines`."""
    sides = ["class", "rival"] if ledger.is_joint else ["label"]
    found = ["mistake", "round", "row", *sides, "score", "step"]
    if not weights or ledger.rule == "concepts":  # which has hypotheses, not weights
        return found
    given = [str(j) for j in range(ledger.dim)] if names is None else list(names)
    if len(given) != ledger.dim:
        raise ValueError(f"{len(given)} names for {ledger.dim} features")
    w = "exponent" if ledger.rule == "multiplicative" else "w"
    constant = [w + "[constant]"] * ledger.bias
    return [*found, *(f"x[{a}]" for a in given), *(f"{w}[{a}]" for a in given), *constant]


def lines(ledger: Ledger, *, weights: bool) -> Iterator[list[Any]]:
    """The numbers of each mistake; with `weights` also its example and the weights after it."""
    from novikoff.ledger.readings import trajectory

    ledger = ledger.snapshot()
    made = ledger.mistakes
    sides = [ledger.classes, ledger.rivals] if ledger.is_joint else [ledger.labels]
    columns = [made.rounds, made.rows, *sides, made.scores, made.steps * ledger.unit]
    numbers = zip(range(1, len(made) + 1), *(c.tolist() for c in columns), strict=True)
    if not weights or ledger.rule == "concepts":
        yield from map(list, numbers)
    elif len(made):
        X, example = dense(ledger.examples), ledger.example
        for line, i, moment in zip(numbers, example, trajectory(ledger), strict=True):
            yield [*line, *X[i].tolist(), *moment.weights.tolist()]


def expect_room(ledger: Ledger, *, weights: bool) -> None:
    """Raise ValueError if the table would have too many numbers."""
    width = 6 + weights * 2 * ledger.dim
    if len(ledger) * width > MOST_NUMBERS:
        cure = "; pass weights=False" if weights else ""
        raise ValueError(
            f"{len(ledger):,} mistakes with {width:,} numbers each are too many for a table{cure}"
        )


def latex(ledger: Ledger, names: Sequence[str] | None, *, weights: bool) -> str:
    """The trace as a tabular of LaTeX, with vectors in brackets."""
    weights = weights and ledger.rule != "concepts"
    sides = ["class", "rival"] if ledger.is_joint else ["$y$"]
    winnow = ledger.rule == "multiplicative"
    score = r"$\langle w,x\rangle$" + r"$-\theta$" * winnow
    top = ["mistake", "round", "row", *sides, score, "step"]
    if weights:
        given = ", ".join(names).translate(_LATEX) if names is not None else ""
        brackets = f" ({given})" if given else ""
        top += [f"$x${brackets}", f"{'exponents of ' * winnow}$w${brackets} after"]
        top += ["$b$ after"] * ledger.bias
    plain, d = 5 + len(sides), ledger.dim
    body = []
    for line in lines(ledger, weights=weights):
        cells = [_number(value) for value in line[:plain]]
        if weights:
            vectors = line[plain : plain + d], line[plain + d : plain + 2 * d]
            cells += [f"$({', '.join(map(_bare, vector))})$" for vector in vectors]
            cells += map(_number, line[plain + 2 * d :])
        body.append(" & ".join(cells) + r" \\")
    spec = "r" * plain + ("ll" + "r" * ledger.bias) * weights
    parts = [rf"\begin{{tabular}}{{{spec}}}", " & ".join(top) + r" \\ \hline"]
    return "\n".join([*parts, *body, r"\end{tabular}"]) + "\n"


def few(ledger: Ledger, most: int) -> list[list[str]]:
    """The heads and first lines of the trace as texts, without the weights."""
    first = islice(lines(ledger, weights=False), most)
    return [heads(ledger, None, weights=False), *([_bare(v) for v in line] for line in first)]


def _bare(value: Any) -> str:
    return str(value) if isinstance(value, int) else short(value, 6).replace("−", "-")


def _number(value: Any) -> str:
    return f"${_bare(value)}$"
