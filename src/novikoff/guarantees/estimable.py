"""What to do about separation: the rows and coefficients that have finite estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees.verdict import Separation
from novikoff.guarantees.words import TITLES
from novikoff.stream.printing import count, listed, plain, plural

if TYPE_CHECKING:
    from novikoff.guarantees.certificate import Certificate

_PROVED_IN = {
    "poisson": "Correia, Guimarães & Zylkin 2019",
    "ordinal": "as in Albert & Anderson 1984",
}


@dataclass(frozen=True, slots=True, eq=False)
class Estimable:
    """The part of a regression whose maximum-likelihood estimates are finite and unique.

    A fit of these `rows` with these `coefficients` converges, and the estimates of all rows tend to
    it (Albert & Anderson 1984; Correia, Guimarães & Zylkin 2019). `absorbing` coefficients stand
    for their sums with `dropped` ones, as the constant does for a reference level. `partly` counts
    the rows that are separated from some levels of a multinomial or ordinal response only: a fit
    must rule those levels out as well. `sentence` says all this in words, for a paper.
    """

    rows: NDArray[np.bool_]
    coefficients: tuple[str, ...]
    dropped: tuple[str, ...]
    absorbing: tuple[str, ...]
    partly: int
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def estimable_of(it: Certificate) -> Estimable:
    """The rows and coefficients that are left."""
    if it.data.kind == "kernel":
        raise ValueError("in the space of a kernel there are no coefficients to estimate")
    if it.verdict == Separation.UNDECIDED:
        raise ValueError("the verdict is undecided, so it is not known which estimates exist")
    data, width = it.data, it.data.columns + it.data.bias
    separated = np.zeros(data.rows, dtype=np.bool_)
    for span in it.separated:
        separated[span.start : span.stop] = True
    owner = data.example_of_each()
    n = int(owner[-1]) + 1
    ties, some = (np.bincount(owner[at], minlength=n) > 0 for at in (~separated, separated))
    stay = {*it.determined}
    shared = stay & set[int]().union(*it.complement)
    kept, absorbing, dropped = (
        tuple(plain(data.name(j)) for j in which)
        for which in (it.determined, sorted(shared), (j for j in range(width) if j not in stay))
    )
    partly = int((ties & some).sum())
    sentence = _sentence(it, n, int(ties.sum()), kept, dropped)
    if absorbing and it.separated:
        sentence = (
            f"{sentence.removesuffix('.')}, but for {listed(absorbing, 4)}, which now "
            f"{'stands' if len(absorbing) == 1 else 'stand'} for sums with dropped coefficients."
        )
    if partly:
        sentence += (
            f" For {count(partly)} of the rows that are left, some levels are ruled out in the "
            "limit; a fit must leave these out, too."
        )
    return Estimable(ties, kept, dropped, absorbing, partly, sentence)


def _sentence(
    it: Certificate, n: int, left: int, kept: tuple[str, ...], dropped: tuple[str, ...]
) -> str:
    model = f"{TITLES[it.data.kind]} model"
    cited = _PROVED_IN.get(it.data.kind, "Albert & Anderson 1984")
    if it.verdict == Separation.COMPLETE:
        return (
            f"All {count(n)} rows are completely separated ({cited}), so no coefficient of the "
            f"{model} has a finite maximum-likelihood estimate."
        )
    without = ""
    if dropped:
        which = "coefficient" if len(dropped) == 1 else f"{count(len(dropped))} coefficients"
        without = f"the {which} of {listed(dropped, 4)}"
    finite = (
        f"{plural(len(kept), 'coefficient')} have finite and unique estimates, the limit of those"
    )
    if len(kept) == 1:
        finite = "coefficient has a finite and unique estimate, the limit of that"
    if it.verdict == Separation.OVERLAP:
        given = f", without {without}, which the rows do not determine" if dropped else ""
        return (
            f"The maximum-likelihood estimates of the {model} exist for all {count(n)} rows and "
            f"are unique{given} (no separation; {cited})."
        )
    removed = f"these rows and {without}" if dropped else "these rows"
    return (
        f"{count(n - left)} of {count(n)} rows are separated ({cited}), so the maximum-likelihood "
        f"estimates of the {model} do not all exist; without {removed}, the other {finite} of all "
        "rows."
    )
