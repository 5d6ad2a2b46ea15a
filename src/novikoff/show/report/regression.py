"""The part of a report that is about a regression: which estimates exist, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from novikoff import __version__
from novikoff.guarantees import words
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.verdict import Separation
from novikoff.show.report.html import Html, heading, paragraph, table
from novikoff.stream.printing import cut, plain, plural, short

_LISTED = 12  # columns and coefficients
_POISSON = (
    "S. Correia, P. Guimarães & T. Zylkin (2019), Verifying the existence of maximum likelihood "
    "estimates for generalized linear models, arXiv:1903.01633"
)
_OTHERS = (
    "A. Albert & J. A. Anderson (1984), On the existence of maximum likelihood estimates in "
    "logistic regression models, Biometrika 71, 1–10"
)


def separated_by(it: Certificate) -> Iterator[Html]:
    """The combination of columns that separates rows."""
    if not it.weights_by_column:
        return
    sizes = it.weights_by_column
    top, order = Decimal(max(map(abs, sizes.values()))), sorted(sizes, key=lambda j: -abs(sizes[j]))
    yield heading("By what the rows are separated")
    yield paragraph(
        f"The sum of these columns, each times its number, {words.raises(it.data.kind)}"
    )
    rows = [(cut(it.data.name(j)), short(Decimal(sizes[j]) / top)) for j in order[:_LISTED]]
    yield table(["column", "times"], rows)
    yield more(len(order) - _LISTED, "column")


def estimates(it: Certificate) -> Iterator[Html]:
    """Where each estimate goes, what to do next, and how to cite it."""
    if it.verdict == Separation.UNDECIDED:
        return
    left = it.estimable()
    fate = dict.fromkeys(left.coefficients, "finite")
    fate |= dict.fromkeys(left.absorbing, "finite without those that are not determined")
    why = "not determined by the rows that are not separated" if it.multipliers else "none"
    fate |= dict.fromkeys(left.dropped, why)
    for j, x in it.infinite.items():
        name = plain(it.data.name(j))
        rest = "; finite without the separated rows" if name in left.coefficients else ""
        fate[name] = f"{'+' if x > 0 else '−'}∞{rest}"
    rows = sorted(fate.items(), key=lambda one: ("∞" not in one[1], one[1] == "finite"))
    yield heading("Which estimates exist")
    yield table(["coefficient", "estimate"], [(cut(a), b) for a, b in rows[:_LISTED]], left=(0, 1))
    yield more(len(rows) - _LISTED, "coefficient")
    yield heading("What to do next")
    always = "a penalised likelihood (Firth 1993), whose estimates are always finite"
    if it.verdict == Separation.COMPLETE:
        yield paragraph(f"Leave out columns that separate the rows, or use {always}.")
    elif it.separated:
        rest, gone = plural(int(left.rows.sum()), "row"), plural(len(left.dropped), "coefficient")
        yield paragraph(
            f"Fit the other {rest}, without {gone}: certificate.estimable() names both in Python. "
            f"If you need numbers for what is left out, use {always}."
        )
    else:
        yield paragraph("Fit the model. If that fails, separation is not the reason.")
    yield heading("How to cite")
    cited = _POISSON if it.data.kind == "poisson" else _OTHERS
    yield paragraph(f"“{left.sentence}”")
    yield paragraph(f"{cited}. Certified by novikoff {__version__}, {it.data.fingerprint}.")


def more(left: int, noun: str) -> Html:
    """That so many are not listed."""
    if left <= 0:
        return Html()
    return paragraph(f"… and {plural(left, f'more {noun}')}, in the certificate.", class_="more")
