"""Whether an error rate has risen: an exact test, with a bound on its false alarms."""

from __future__ import annotations

_ROUNDING = 1 + 2.0**-30  # more than the rounding of a few thousand products and sums


def rise(before: tuple[int, int], recent: tuple[int, int]) -> float:
    """The probability of so many recent mistakes, or more, if the error rate has not risen.

    Both are pairs of the number of predictions and the mistakes among them. Whoever says that the
    rate has risen if this is at most δ is wrong with probability at most δ, if there is a number r
    such that each prediction before was wrong with probability at least r, given all that came
    earlier, and each recent one with probability at most r. Nothing else is assumed: predictions
    may depend on the mistakes before, as those of a learner do.

    Proof. If all were independent with probability r, the number of recent mistakes H, given the
    sum of both, would be hypergeometric, and this is its tail (Fisher's exact test), so the claim
    holds. Otherwise draw each mistake as U ≤ p, with p its probability given the past and U fresh
    and uniform, and put Z = 1 if U ≤ r. The Z are independent with probability r; there are at
    least as many mistakes before as Z, and at most as many recent ones. The tail P(H ≥ b | a + b)
    grows with a, because H does, and falls with b, because one more mistake in all raises H by at
    most 1. So whenever it is at most δ for the mistakes, it is for the Z, which has probability at
    most δ. The order in which labels arrive does not matter if it does not depend on the examples.

    The result is rounded upwards; 1 stands for anything that says nothing.

    Reference: Fisher (1935).

    >>> rise((9, 0), (1, 1)) > 1 / 10 > rise((9, 0), (1, 1)) - 1e-9
    True
    """
    (n, a), (w, b) = before, recent
    total = a + b
    low, high = max(0, total - n), min(w, total)
    middle = min(high, max(low, (w + 1) * (total + 1) // (n + w + 2)))
    if b <= middle:
        return 1.0
    # the weights of the hypergeometric distribution, relative to its largest
    whole, tail, weight = 1.0, 0.0, 1.0
    for j in range(middle, high):
        weight *= (w - j) * (total - j) / ((j + 1) * (n - total + j + 1))
        whole += weight
        tail += weight if j + 1 >= b else 0.0
    weight = 1.0
    for j in range(middle, low, -1):
        weight *= j * (n - total + j) / ((w - j + 1) * (total - j + 1))
        whole += weight
    return min(1.0, tail / whole * _ROUNDING) or 5e-324
