"""The arguments of a verb, read off its function: types from the signature, words beside them.

A command must begin at once: argparse is in the standard library, where richer libraries of this
kind took a fifth of a second to import before any work was done.

The verbs put together; only the one that is asked for is loaded.
"""

from __future__ import annotations

import argparse
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, NoReturn, get_args, get_origin, get_type_hints

from novikoff import __version__


@dataclass(frozen=True)
class Argument:
    """What is said about a positional argument."""

    metavar: str
    help: str


class Option:
    """What is said about an option, whose name is its parameter's unless other names are given.

    Parameters
    ----------
    min, max, below
        The range of a number, with its ends or, for `below`, without.
    show_default
        What to say of the default, when the default itself would not tell.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        below: float | None = None,
        show_default: str | None = None,
    ) -> None:
        self.names, self.help, self.metavar, self.show_default = names, help, metavar, show_default
        self.min, self.max, self.below = min, max, below

    def refusal(self, value: float) -> str | None:
        """Which range the number is not in."""
        low = self.min is not None and not value >= self.min
        high = self.max is not None and not value <= self.max
        if not (low or high or (self.below is not None and not value < self.below)):
            return None
        words = [] if self.min is None else [f"at least {self.min:g}"]
        words += [] if self.max is None else [f"at most {self.max:g}"]
        words += [] if self.below is None else [f"below {self.below:g}"]
        return " and ".join(words)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """End with one line on stderr, and status 2."""
        print(f"novikoff: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(2)


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        width = int(os.environ.get("COLUMNS", "0")) or None
        super().__init__(prog, max_help_position=30, width=width and min(width, 100))


def parser_of(
    function: Callable[..., Any],
    *,
    name: str,
    epilog: str,
    common: Callable[..., Any] | None = None,
) -> Parser:
    """The parser of a verb: its function's parameters are its arguments, its docstring its help.

    The parameters of `common`, options that several verbs have, come after them.
    """
    parser = Parser(
        prog=f"novikoff {name}",
        description=inspect.getdoc(function),
        epilog=epilog,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser._negative_number_matcher = re.compile("-[0-9.]")  # so that `--classes -1,1` has a value
    usage = [parser.prog]
    functions = [function] if common is None else [function, common]
    for parameter, hint in [found for one in functions for found in _parameters(one)]:
        kind, about = get_args(hint)
        if isinstance(about, Argument):
            many = get_origin(kind) is list
            parser.add_argument(
                parameter.name, metavar=about.metavar, help=about.help, nargs="+" if many else None
            )
            usage.append(about.metavar + " ..." * many)
        else:
            _add_option(parser, parameter, kind, about)
            if parameter.default is inspect.Parameter.empty:
                usage.append(f"{about.names[0]} {about.metavar}")
    parser.usage = f"{' '.join(usage)} [options]"
    return parser


def _parameters(function: Callable[..., Any]) -> list[tuple[inspect.Parameter, Any]]:
    """The parameters of a function about which something is said, each with that."""
    hints = get_type_hints(function, include_extras=True)
    found = [(one, hints[one.name]) for one in inspect.signature(function).parameters.values()]
    return [(one, hint) for one, hint in found if get_origin(hint) is Annotated]


def _add_option(
    parser: argparse.ArgumentParser, parameter: inspect.Parameter, kind: Any, about: Option
) -> None:
    names = about.names or (f"--{parameter.name.replace('_', '-')}",)
    required = parameter.default is inspect.Parameter.empty
    default = None if required else parameter.default
    kinds = [one for one in get_args(kind) if one is not NoneType]
    if isinstance(kind, UnionType):
        kind = kinds[0]
    words = about.help + _said_of_default(about, kind, default)
    given: dict[str, Any] = {"dest": parameter.name, "default": default, "help": words}
    if kind is bool:
        negated = default is not False
        parser.add_argument(
            *names, **given, action=argparse.BooleanOptionalAction if negated else "store_true"
        )
        return
    if get_origin(kind) is list:
        kind, given["action"] = get_args(kind)[0], "append"
    if issubclass(kind, Enum):
        choices = [one.value for one in kind]
        given["metavar"] = about.metavar or "|".join(choices)
    else:
        given["metavar"] = about.metavar or {int: "N", float: "X"}.get(kind, "TEXT")
    parser.add_argument(*names, **given, required=required, type=_reader(kind, about))


def _said_of_default(about: Option, kind: Any, default: Any) -> str:
    if about.show_default is not None:
        return f" [{about.show_default}]"
    if default is None or kind is bool:
        return ""
    return f" [{default.value if isinstance(default, Enum) else default}]"


def _reader(kind: type, about: Option) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            what = {int: "a whole number", float: "a number"}.get(kind)
            if what is None and issubclass(kind, Enum):
                what = f"one of {', '.join(one.value for one in kind)}"
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}") from None
        if isinstance(value, (int, float)) and (range_ := about.refusal(value)):
            raise argparse.ArgumentTypeError(f"{text} is not {range_}")
        return value

    return read


class Verb(NamedTuple):
    """Where a verb lives (a function of its own name unless said), what it does, an example."""

    summary: str
    example: str
    function: str | None = None


VERBS = {
    "demo": Verb("Learn a spam filter on mail that ships with the package.", "--seed 3"),
    "train": Verb(
        "Learn a classifier from files of any size.", "mail.svm -o mail.model --learner averaged"
    ),
    "predict": Verb("Predict the labels of examples.", "mail.model new.svm -o labels.txt"),
    "test": Verb("Compare a model's predictions with the labels.", "mail.model more.svm", "grade"),
    "inspect": Verb("Show what a model is, and its largest weights.", "mail.model -n 20"),
    "certify": Verb("Decide whether data are separable, and prove it.", "mail.svm -o mail.json"),
    "verify": Verb("Check that a certificate proves its verdict.", "mail.json mail.svm"),
    "report": Verb(
        "Write one page about data: verdict, proof, figures, weights.", "mail.csv -o report.html"
    ),
    "lab": Verb("Experiments that show the theorems; alone, it lists them.", "conjunctions"),
    "web": Verb("Open a page to place points on, and watch the perceptron learn.", "--port 0"),
}


def run(words: Sequence[str]) -> None:
    """Do what the words of a command line say; ends with SystemExit unless all went well."""
    if not words or words[0] in ("-h", "--help"):
        print(help_text(), end="")
        sys.exit(0 if words else 2)
    if words[0] == "--version":
        print(f"novikoff {__version__}")
        return
    name, *rest = words
    if name not in VERBS:
        what = "option" if name.startswith("-") else "verb"
        print(
            f"novikoff: there is no {what} {name!r}; the verbs are {', '.join(VERBS)}",
            file=sys.stderr,
        )
        sys.exit(2)
    if name == "lab":
        from novikoff.cli.lab import lab

        lab(rest)
        return

    verb = VERBS[name]
    function = getattr(import_module(f"novikoff.cli.{name}"), verb.function or name)
    parser = parser_of(function, name=name, epilog=f"Example: novikoff {name} {verb.example}")
    function(**vars(parser.parse_intermixed_args(rest)))


def help_text() -> str:
    """What `novikoff --help` prints."""
    lines = [
        "usage: novikoff VERB ...",
        "",
        "Learn linear classifiers online from their mistakes, and prove what was learned.",
        "",
        *(f"  {name:9} {verb.summary}" for name, verb in VERBS.items()),
        "",
        "  --version  Print the version and stop.",
        "  --help     This; novikoff VERB --help says more about a verb.",
        "",
        "Example: novikoff demo",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run `novikoff`; the version is printed without loading anything else."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without γ still gets the rest
    # numpy would start a thread a core for products of matrices, of which there are none here, and
    # take twice as long to load
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:  # before the verb itself could answer
        print("novikoff: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # nobody reads on
        _let_go_of_stdout()
        sys.exit(141)
    except SystemExit:
        _let_go_of_stdout()
        raise


def _let_go_of_stdout() -> None:
    """What cannot be written is not tried again when Python ends, with a status of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
