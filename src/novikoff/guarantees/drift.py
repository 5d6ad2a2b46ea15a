"""Whether an error rate has risen: an exact test, with a bound on its false alarms."""

from __future__ import annotations

_ROUNDING = 1 + 2.0**-30  # more than the rounding of a few thousand products and sums


def rise(before: tuple[int, int], recent: tuple[int, int]) -> float:
    """The probability of so many recent mistakes, or more, if the error rate has not risen.

    Both are pairs of the number of predictions and the mistakes among them. Predictions may depend
    on the mistakes before, as those of a learner do: docs/proofs.md has what is assumed. The result
    is rounded upwards; 1 stands for anything that says nothing. Reference: Fisher (1935).
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
