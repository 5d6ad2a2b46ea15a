"""What can be wrong with the input, and the error that says so.

The library says what is wrong and which kind of problem it is. What to do about it depends on the
front: `str(error)` ends with the cure in Python; the command line and the page put a cure of their
own in its place (`without_cure`, `problem`, `details`).
"""

from __future__ import annotations

from enum import StrEnum


class Problem(StrEnum):
    """A kind of problem that has a cure, which differs from front to front."""

    MISSING_VALUE = "missing value"


# What a Python user can do; `details` of the error fill the braces.
_IN_PYTHON = {
    Problem.MISSING_VALUE: "fill it in, or pass missing='zero' or missing='indicate'",
}


class BadExample(ValueError):  # noqa: N818  (it names the thing that is wrong)
    """An example that cannot be learned from, or scored; says which one and why.

    Parameters
    ----------
    without_cure
        What is wrong and where.
    problem
        The kind of problem, if there is something to be done about it.
    details
        What a cure names: the column, for example.
    """

    def __init__(self, without_cure: str, problem: Problem | None = None, **details: str) -> None:
        super().__init__(without_cure, problem, details)
        self.without_cure, self.problem, self.details = without_cure, problem, details

    def __str__(self) -> str:
        if self.problem is None:
            return self.without_cure
        return f"{self.without_cure}; {_IN_PYTHON[self.problem].format_map(self.details)}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.without_cure, self.problem, self.details)


def _rebuilt(
    kind: type[BadExample], words: str, problem: Problem | None, details: dict[str, str]
) -> BadExample:
    return kind(words, problem, **details)
