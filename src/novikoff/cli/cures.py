"""What to do about bad input, in options of the command line.

The library says what is wrong and which kind of problem it is; Python has its own cures in
`stream/input_problems.py`. A cure is offered only if the verb at hand has every option it names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Container

from novikoff.stream.input_problems import PYTHON_CURES, BadExample, Detail, Problem

_TWO = "use --one-vs-rest {label} for one label against the rest, or --keep for two of them"
_MANY = (
    "use --multiclass for all labels, --one-vs-rest {label} for one against the rest, or --keep "
    "for some of them"
)


def _as_options(cure: str) -> str:
    """What Python's cure is here: "pass ignore=[{column}]" is "use --ignore {column}"."""
    return re.sub(r"\b([a-z]+)=\[?'?([\w{}]+)'?\]?", r"--\1 \2", cure).replace("pass ", "use ")


# The best cure first, where it is not Python's; the details of the error fill the braces.
CURES: dict[Problem, tuple[str, ...]] = {
    **{problem: (_as_options(cure),) for problem, cure in PYTHON_CURES.items()},
    Problem.THIRD_LABEL: (_MANY, _TWO),
    Problem.THIRD_LABEL_IN_LAST_COLUMN: (
        f"name the label's column with --label (default: the last), or {_MANY}",
        f"name the label's column with --label (default: the last), or {_TWO}",
    ),
    Problem.TEXTS_AS_LABELS: (
        "the last column holds texts, so name the label's column with --label (0 is the first)",
    ),
    Problem.OTHER_LABEL: ("correct it, or name each label to read with --keep",),
    Problem.TOO_MANY_CLASSES: ("if these really are classes, raise --max-classes",),
    Problem.ONE_LABEL_IN_PIPE: ("name both labels with --classes",),
    Problem.TWO_LABELS_ONLY: ("leave out --multiclass, or choose another --learner",),
    Problem.MATRIX_OF_TWO_LABELS: ("use --matrix diagonal, or leave out --multiclass",),
    Problem.OTHER_LEVELS: ("name those that the rows have with --classes, each once",),
    Problem.UNORDERED_LEVELS: ("name them in order with --classes, the least first",),
    Problem.UNKNOWN_FORMAT: (
        "name the format with --format; to learn from plain text, write each example as a line "
        "like: spam | buy it now",
    ),
    Problem.WRONG_LABEL_KEY: ("name the key with --label",),
    Problem.LABEL_DIFFERS: ("name the label's column with --label",),
    Problem.LABEL_IS_FEATURE: ("name another column with --label",),
    Problem.NO_NAMES_OF_MODEL: ("if it is an example, use --no-header",),
    Problem.LABEL_IGNORED: ("name another column with --label, or leave out --ignore {column}",),
    Problem.TEXT_AMONG_NUMBERS: (
        "correct it (a missing value is NA, or empty), or use --categorical {column}",
    ),
    Problem.SEVERAL_COLUMNS: (
        "convert them to plain numbers, such as 1200 or 0.12, or use {options}",
    ),
    Problem.READ_ONCE: ("use --cache, or read a file", "read a file"),
    Problem.UNKNOWN_FEATURE_COUNT: ("use --threshold or --hash-bits",),
    Problem.TOO_MANY_WEIGHTS: ("check the index, or use --hash-bits 22",),
    Problem.TOO_MANY_WEIGHTS_FOR_CLASSES: ("use --hash-bits 16, or learn fewer classes",),
}


# What can be done if a model fixes which columns there are, what they hold, and the labels.
MODEL_CURES: dict[Problem, str] = {
    Problem.MISSING_VALUE: "fill it in, or use --missing zero",
    Problem.EMPTY_COLUMN: "fill it in, or use --missing zero",
    Problem.TEXT_AMONG_NUMBERS: "correct it",
    Problem.NOT_PLAIN_NUMBERS: "write plain numbers, such as 1200 or 0.12",
    Problem.DATES: "convert dates to numbers as for the model's data",
    Problem.UNUSABLE_COLUMN: "convert it",
    Problem.SEVERAL_COLUMNS: "convert them as for the model's data; empty ones: --missing zero",
    Problem.TOO_LONG_FOR_FLOAT: "scale it",
}


def options_named(cure: str) -> list[str]:
    """The options that a cure names."""
    return re.findall(r"--[a-z-]+", cure)


def _shown(detail: Detail) -> Detail:
    """A detail as a shell takes it; of several, such as "ignore=id", each is an option."""
    if isinstance(detail, tuple):
        given = (option.partition("=") for option in detail)
        return " ".join(f"--{name} {shlex.quote(value)}" for name, _, value in given)
    return shlex.quote(detail) if isinstance(detail, str) else detail


def with_cure(error: BadExample, options: Container[str], *, by_model: bool = False) -> str:
    """The error and what to do about it, for a verb with these options, and perhaps a model."""
    given = error.details.get("options")
    shown = options_named(str(_shown(given))) if given else []
    cures = {
        problem: cure
        for problem, alternatives in CURES.items()
        for cure in reversed(alternatives)
        if all(option in options for option in [*options_named(cure), *shown])
    }
    return error.with_cure(cures | MODEL_CURES if by_model else cures, _shown)
