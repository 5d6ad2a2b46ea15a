"""What to do about bad input, in options of the command line.

The library says what is wrong and which kind of problem it is; Python has its own cures in
`stream/input_problems.py`. A cure is offered only if the verb at hand has every option it names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Container

from novikoff.stream.input_problems import BadExample, Problem

# The best cure first; the details of the error fill the braces.
CURES: dict[Problem, tuple[str, ...]] = {
    Problem.THIRD_LABEL: ("use --multiclass to learn them all",),
    Problem.THIRD_LABEL_IN_LAST_COLUMN: (
        "name the label's column with --label (default: the last), or use --multiclass to learn "
        "all labels",
        "name the label's column with --label (default: the last)",
    ),
    Problem.TOO_MANY_CLASSES: ("if these really are classes, raise --max-classes",),
    Problem.ONE_LABEL_IN_PIPE: ("name both labels with --classes",),
    Problem.TWO_LABELS_ONLY: ("leave out --multiclass, or choose another --learner",),
    Problem.MATRIX_OF_TWO_LABELS: ("use --matrix diagonal, or leave out --multiclass",),
    Problem.UNKNOWN_FORMAT: (
        "name the format with --format; to learn from plain text, write each example as a line "
        "like: spam | buy it now",
    ),
    Problem.WRONG_LABEL_KEY: ("name the key with --label",),
    Problem.LABEL_DIFFERS: ("name the label's column with --label",),
    Problem.LABEL_IS_FEATURE: ("name another column with --label",),
    Problem.LABEL_IGNORED: ("name another column with --label, or leave out --ignore {column}",),
    Problem.MISSING_VALUE: (
        "fill it in, or use --missing zero or --missing indicate",
        "fill it in or remove the row",
    ),
    Problem.EMPTY_COLUMN: ("use --ignore {column} or --missing zero", "remove the column"),
    Problem.TEXT_AMONG_NUMBERS: ("correct it, or use --categorical {column}", "correct it"),
    Problem.QUOTES: (
        "write a quote inside quotes twice, or use --quote none if quotes are ordinary characters",
        "write a quote inside quotes twice",
    ),
    Problem.DATES: (
        "convert dates to numbers first, or use --ignore {column} or --categorical {column}",
        "convert dates to numbers first",
    ),
    Problem.UNUSABLE_COLUMN: ("convert it, or use --ignore {column}", "convert or remove it"),
    Problem.LOOKS_LIKE_TEXT: (
        "use --text {column} or --ignore {column}, or --categorical {column} to take each value as "
        "a category",
        "remove the column",
    ),
    Problem.LOOKS_LIKE_IDS: (
        "use --ignore {column}, or --categorical {column} to take each value as a category",
        "remove the column",
    ),
    Problem.KEY_LOOKS_LIKE_TEXT: (
        "use --text {column}, or --categorical {column} to take each value as a category",
        "remove the key",
    ),
    Problem.KEY_LOOKS_LIKE_IDS: (
        "remove the key, or use --categorical {column} to take each value as a category",
        "remove the key",
    ),
    Problem.TOO_LONG_FOR_FLOAT: (
        "scale it; if it is an identifier, use --categorical {column}",
        "scale it",
    ),
    Problem.READ_ONCE: ("use --cache, or read a file", "read a file"),
    Problem.UNKNOWN_FEATURE_COUNT: ("use --threshold or --hash-bits",),
    Problem.TOO_MANY_WEIGHTS: ("check the index, or use --hash-bits 22",),
    Problem.TOO_MANY_FOR_MATRIX: ("use --matrix diagonal",),
    Problem.TOO_MANY_WEIGHTS_FOR_CLASSES: ("use --hash-bits 16, or learn fewer classes",),
}


def options_named(cure: str) -> list[str]:
    """The options that a cure names."""
    return re.findall(r"--[a-z-]+", cure)


def with_cure(error: BadExample, options: Container[str]) -> str:
    """The error and what to do about it, for a verb that has these options."""
    cures = {
        problem: cure
        for problem, alternatives in CURES.items()
        for cure in reversed(alternatives)
        if all(option in options for option in options_named(cure))
    }
    return error.with_cure(cures, shlex.quote)
