"""What can be wrong with the input, and the error that says so.

The cure depends on the front: a parameter in Python, an option on the command line. So an error
carries its kind of problem, which has Python's cure, and other fronts have tables of their own.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import partial
from importlib import import_module
from typing import Any, Self, TypeAlias

MOST_NAMED = 5  # columns that an error describes

_TWO_LABELS = "take one label against the rest (y == {label}; of files: pass one_vs_rest={label})"


class Problem(Enum):
    """A kind of problem and its cure in Python, in which the error's details fill the braces."""

    cure: str

    def __new__(cls, cure: str) -> Self:
        """A member of its own, though others have the same cure."""
        out = object.__new__(cls)
        out._value_, out.cure = len(cls.__members__), cure
        return out

    # labels
    THIRD_LABEL = _TWO_LABELS
    THIRD_LABEL_IN_LAST_COLUMN = (
        f"the label is the last column unless you pass label=; or {_TWO_LABELS}"
    )
    TEXTS_AS_LABELS = "the label is the last column, which holds texts: pass label="
    OTHER_LABEL = "correct it, or pass keep= with the labels to read"
    TOO_MANY_CLASSES = "if these really are classes, pass a larger most="  # details: allowed
    ONE_LABEL_IN_PIPE = "pass classes=(negative, positive)"
    TWO_LABELS_ONLY = "choose perceptron, margin, averaged, voted or adaptive"
    OTHER_LEVELS = "pass levels= with those that the rows have, each once"
    UNORDERED_LEVELS = "pass levels= in order, the least first"
    MATRIX_OF_TWO_LABELS = "pass matrix='diagonal' or multiclass='ovr'"

    # where the label is, and which format it is in
    UNKNOWN_FORMAT = "pass format="
    WRONG_LABEL_KEY = "pass label="
    LABEL_DIFFERS = "pass label="  # noqa: PIE796
    LABEL_IS_FEATURE = "pass another label="
    NO_NAMES_OF_MODEL = "if it is an example, pass header=False"  # in a first line of texts
    LABEL_IGNORED = "pass another label="  # noqa: PIE796

    # values and columns
    MISSING_VALUE = "fill it in, or pass missing='zero' or missing='indicate'"
    EMPTY_COLUMN = "pass ignore=[{column}] or missing='zero'"
    TEXT_AMONG_NUMBERS = "correct it, or pass categorical=[{column}]"
    DECIMAL_COMMA = (
        "pass decimal='comma' if it is the decimal separator; otherwise remove it from the numbers"
    )
    NOT_PLAIN_NUMBERS = (  # with a unit or with separators
        "write plain numbers, such as 1200 or 0.12, or pass ignore=[{column}] or "
        "categorical=[{column}]"
    )
    QUOTES = (
        "write a quote inside quotes twice, or pass quote='none' if quotes are ordinary characters"
    )
    DATES = "convert dates to numbers first, or pass ignore=[{column}] or categorical=[{column}]"
    UNUSABLE_COLUMN = "convert it, or pass ignore=[{column}]"  # neither numbers nor texts
    LOOKS_LIKE_TEXT = (  # texts that hardly repeat
        "pass text=[{column}] or ignore=[{column}], or categorical=[{column}] to take each value "
        "as a category"
    )
    LOOKS_LIKE_IDS = (
        "pass ignore=[{column}], or categorical=[{column}] to take each value as a category"
    )
    SEVERAL_COLUMNS = "convert them, or pass {options}"  # that cannot be features as they are
    TOO_LONG_FOR_FLOAT = "scale it; if it is an identifier, pass categorical=[{column}]"

    # reading again, and size
    READ_ONCE = "read a file, or cache the parsed data (sources.cache.Cached)"
    UNKNOWN_FEATURE_COUNT = "pass threshold=, or hash the features (hash_bits=)"
    TOO_MANY_WEIGHTS = "check the index, or hash the features (hash_bits=)"
    TOO_MANY_FOR_MATRIX = "pass matrix='diagonal'"
    TOO_MANY_WEIGHTS_FOR_CLASSES = "hash the features (hash_bits=), or learn fewer classes"


PYTHON_CURES = {problem: problem.cure for problem in Problem}

Detail: TypeAlias = str | int | tuple[str, ...]
_COMMA = "decimal=['comma']", "decimal='comma'"


def _shown(detail: Detail) -> Detail:
    """A detail as Python writes it; options, such as "ignore=id", as arguments."""
    if not isinstance(detail, tuple):
        return repr(detail)
    given: dict[str, list[str]] = {}
    for option in detail:
        name, _, value = option.partition("=")
        given.setdefault(name, []).append(value)
    return ", ".join(f"{name}={values}" for name, values in given.items()).replace(*_COMMA)


class BadExample(ValueError):  # noqa: N818  (it names the thing that is wrong)
    """An example that cannot be learned from, or scored; says which one and why."""

    def __init__(
        self, without_cure: str, problem: Problem | None = None, **details: Detail
    ) -> None:
        super().__init__(without_cure, problem, details)
        self.without_cure, self.problem, self.details = without_cure, problem, details

    def with_cure(
        self, cures: Mapping[Problem, str], shown: Callable[[Detail], Detail] = _shown
    ) -> str:
        """The message with the cure of a front, if it has one, which writes a detail as `shown`."""
        if self.problem is None or self.problem not in cures:
            return self.without_cure
        filled = {name: shown(detail) for name, detail in self.details.items()}
        return f"{self.without_cure}; {cures[self.problem].format_map(filled)}".rstrip()

    def __str__(self) -> str:
        return self.with_cure(PYTHON_CURES)

    def at(self, place: str) -> Self:
        """The same error with the place where it was found in front of it."""
        return type(self)(f"{place}: {self.without_cure}", self.problem, **self.details)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.without_cure, self.problem, **self.details), ()


class ColumnProblems:
    """Problems of columns, gathered to be named all at once.

    >>> with ColumnProblems() as problems:
    ...     for name in ("id", "size", "day"):
    ...         with problems.of_column():
    ...             if name != "size":
    ...                 raise BadExample(f"{name}?", Problem.DATES, column=name)
    Traceback (most recent call last):
        ...
    novikoff.stream.input_problems.BadExample: id?; day?; convert them, or pass ignore=['id', 'day']
    """

    def __init__(self) -> None:
        self._errors: list[BadExample] = []

    @contextmanager
    def of_column(self) -> Iterator[None]:
        """Keep an error that names its column for later."""
        try:
            yield
        except BadExample as error:
            if "column" not in error.details:
                raise
            self._errors.append(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and len(self._errors) == 1:
            raise self._errors[0]
        if kind is None and self._errors:
            said = [error.without_cure for error in self._errors]
            more = [f"{len(said) - MOST_NAMED} columns more"] if len(said) > MOST_NAMED else []
            words = "; ".join([*said[:MOST_NAMED], *more])
            options = dict.fromkeys(_option(error) for error in self._errors)
            raise BadExample(words, Problem.SEVERAL_COLUMNS, options=tuple(options))


def _option(error: BadExample) -> str:
    """The option with which the column of an error can be read, or left out."""
    if error.problem is Problem.DECIMAL_COMMA:
        return "decimal=comma"
    name = "text" if error.problem is Problem.LOOKS_LIKE_TEXT else "ignore"
    return f"{name}={error.details['column']}"


@contextmanager
def naming_columns(X: Any) -> Iterator[None]:
    """Name columns in errors as a frame does, if X is one, and not by their positions."""
    try:
        yield
    except BadExample as error:
        names, column = getattr(X, "columns", None), error.details.get("column")
        if names is None or not isinstance(column, int):
            raise
        words = error.without_cure.replace(f"column {column}", f"column {list(names)[column]!r}")
        words = words.replace("contains NaN", "contains NaN or a missing value")
        raise BadExample(words, error.problem) from None


def why_not_a_name(text: str) -> str:
    """Why a text can be neither a name nor a label; '' if it can."""
    if "\0" in text:
        return "contains a NUL; remove it"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "contains half of a surrogate pair, which is not a character"
    return ""


def optional(module: str, words: str) -> Any:
    """A module that an extra installs; without it, a BadExample says so in these words."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise BadExample(words) from None
