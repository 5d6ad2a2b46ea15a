"""A summary in plain words: one screen for a run, one line in a table for a class."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from novikoff.guarantees.comparators import LossBound

if TYPE_CHECKING:
    from novikoff.guarantees.summary import Summary

MEANING = {
    "separated": "a whole pass made no mistake, so every example is on its right side",
    "cycle": "the weights came back to where they had been, so no weights separate the data",
    "budget": "the examples or the passes allowed ran out first, which does not say whether any "
    "weights separate the data: certify(X, y) decides it",
    "interrupted": "Ctrl-C was pressed; this is about the run up to then",
}
_WIDTH, _INDENT = 100, 12


def screen(s: Summary) -> str:
    """A paragraph or more for each thing there is to know."""
    return "\n".join(
        line
        for name, *paragraphs in _paragraphs(s)
        for k, text in enumerate(paragraphs)
        for line in textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"{'' if k else name:<{_INDENT}}",
            subsequent_indent=" " * _INDENT,
            break_on_hyphens=False,
        )
    )


def table(classes: Sequence[Any], each: Sequence[Summary]) -> str:
    """A line for each class."""
    heads = ["class", "verdict", "passes", "mistakes", "at most", "R", "margin γ", "new errors"]
    lines = [heads, *(_cells(*pair) for pair in zip(classes, each, strict=True))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if j < 2 else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _paragraphs(s: Summary) -> Iterator[list[str]]:
    yield ["verdict", f"{s.verdict}: {_verdict(s)}"]
    yield ["passes", _passes(s)]
    yield ["mistakes", _mistakes(s)]
    if s.mistakes:
        yield ["radius R", f"{s.radius:.6g}: the length of the longest mistaken example"]
    yield ["margin γ", _margin(s)]
    yield ["bound", *_bound(s)]
    yield ["sandwich", *_sandwich(s)]
    yield ["new errors", _errors(s)]


def _verdict(s: Summary) -> str:
    text = MEANING[s.verdict] if s.classes is None else MEANING[s.verdict].split(":")[0]
    if s.verdict == "separated":
        if s.threshold:
            text = f"a whole pass had every example right by more than {float(s.threshold):.6g}"
        if s.separates is False:
            return f"{text}; but in exact arithmetic {_wrong(s)}"
        checked = s.separates and s.examples is not None
        return f"{text}; checked in exact arithmetic" if checked else text
    if s.cycle is not None:
        return f"{text}; λ on {_some(len(s.cycle.rows), 'row')} proves it"
    if s.separates and s.examples is not None:
        return f"{text}; but the final weights do, in exact arithmetic"
    return text


def _wrong(s: Summary) -> str:
    if s.wrong_row is None:
        return "the weights are all 0, and have nothing on either side"
    return f"row {s.wrong_row} is not on its right side"


def _passes(s: Summary) -> str:
    met = f"{_some(s.rounds, 'example')} met in all"
    if s.pass_lengths is None:
        return f"none was finished; {met}"
    low, high = s.pass_lengths
    lengths = (
        _some(high, "example") if low == high else f"{_count(low)} to {_some(high, 'example')}"
    )
    return f"{_count(s.epochs)}, of {lengths}{' each' * (low == high and s.epochs > 1)}; {met}"


def _mistakes(s: Summary) -> str:
    if s.first_pass is None or s.last_pass is None:
        text = _count(s.mistakes)
    elif s.epochs == 1 and s.first_pass == s.mistakes:
        text = f"{_count(s.mistakes)}, in the one pass"
    else:
        first, last = _count(s.first_pass), _count(s.last_pass)
        text = f"{_count(s.mistakes)}: {first} in the first pass, {last} in the last"
    if not s.right_already:
        return text
    return (
        f"{text}; {_count(s.right_already)} of them on examples that were right, "
        "but not by enough, which count as mistakes here"
    )


def _margin(s: Summary) -> str:
    low, high = s.margin.at_least_squared, s.margin.at_most_squared
    which = "mistaken examples" if s.examples is None else f"{_count(s.examples)} examples"
    if high == 0:
        why = "" if s.cycle is not None else "the mistakes add up to 0, so "
        return f"0: {why}no weights have all examples on their right sides"
    if high is None and low == 0:
        return f"not known: {s.unknown.get('margin', 'no mistake was made')}"
    if low == 0:
        return f"at most {s.margin.high:.6g}, by the mistakes; from below nothing is known"
    if s.classes is not None:
        return (
            f"{s.margin}: the most by which any weights can keep their classes ahead on all {which}"
        )
    return (
        f"{s.margin}: the most that any weights can keep all {which} away from the boundary "
        "between the classes"
    )


def _bound(s: Summary) -> Iterator[str]:
    if s.mistakes == 0:
        yield "no mistakes were made, so there is nothing to bound"
        return
    if s.bound is None:
        yield f"none: {s.unknown['bound']}"
    else:
        yield (
            f"at most {_some(s.bound.bound, 'mistake')} possible, {_count(s.mistakes)} made"
            f"{_but(s)}: {s.bound.theorem}, proved by {_prover(s)}"
        )
    if s.bound_interval is None or s.radius_squared is None:
        return
    low, high = s.bound_interval
    name = "(R/γ)²" if _is_plain(s) else "what the theorem allows"
    if high is None:
        yield f"{name} is at least {_count(low)}, if any weights separate the data at all"
    else:
        yield f"{name} is {_between(low, high)}, as far as γ is known"


def _but(s: Summary) -> str:
    if s.bound is not None and not s.bound.holds:
        return ", which is more, by rounding"
    if isinstance(s.bound, LossBound) and s.bound.bound >= s.rounds:
        return f", which says nothing of {_some(s.rounds, 'round')}"
    return ""


def _prover(s: Summary) -> str:
    if isinstance(s.bound, LossBound):
        return "the best of the run's own weights and their averages"
    return "the final weights"


def _is_plain(s: Summary) -> bool:
    """Whether the ends of the interval are those of (R/γ)² itself."""
    R2, most, least = s.radius_squared, s.margin.at_most_squared, s.margin.at_least_squared
    if R2 is None or not most:
        return False
    return s.bound_interval == (R2 // most, R2 // least if least else None)


def _sandwich(s: Summary) -> Iterator[str]:
    if s.sandwich is None:
        why = s.unknown.get("sandwich")
        yield f"none: {why}" if why else "no mistakes were made"
        return
    yield f"{s.sandwich.formula}: the bound's proof, with u = w/‖w‖ at the end"
    numbers = " ≤ ".join(f"{x:.6g}" for x in s.sandwich.numbers)
    if s.sandwich.failure is not None:
        yield f"{numbers}: {s.sandwich.failure}, by rounding"
    elif not s.sandwich.holds:
        yield f"{numbers}: it fails, by rounding"
    elif s.sandwich.followed:
        yield f"{numbers}: it holds, after each mistake"
    else:
        yield f"{numbers}: it holds after the last mistake; there are too many to follow"


def _errors(s: Summary) -> str:
    if s.error_bound is None:
        return f"not bounded: {s.unknown['error_bound']}"
    if s.error_bound.value == 1:
        return "not bounded: the first pass was too short, or had too many mistakes"
    err = "are mistaken (as counted above)" if s.right_already else "err"
    return (
        f"the weights met in the first pass, not the final ones, {err} on at most {_percent(s)} of "
        "new examples, on average, with 95% confidence, if all examples are drawn and met at random"
    )


def _cells(name: Any, s: Summary) -> list[str]:
    low, high = s.margin.low, s.margin.high
    gamma = f"{low:.3g} – {high:.3g}" if low < high else f"{low:.3g}"
    if high == math.inf:
        gamma = f"≥ {low:.3g}" if low else "?"
    return [
        textwrap.shorten(str(name), 16, placeholder="…"),
        s.verdict,
        _count(s.epochs),
        _count(s.mistakes),
        "?" if s.bound is None else _count(s.bound.bound),
        f"{s.radius:.4g}",
        gamma,
        "?" if s.error_bound is None else f"≤ {_percent(s)}",
    ]


def _percent(s: Summary) -> str:
    """The error bound, rounded upwards."""
    assert s.error_bound is not None
    return f"{math.ceil(s.error_bound.value * 1000) / 10:.1f}%"


def _count(n: int) -> str:
    return f"{n:,}" if n < 10**12 else f"{Decimal(n):.3g}"


def _some(n: int, noun: str) -> str:
    return f"{_count(n)} {noun}{'s' * (n != 1)}"


def _between(low: int, high: int) -> str:
    return _count(low) if low == high else f"between {_count(low)} and {_count(high)}"
