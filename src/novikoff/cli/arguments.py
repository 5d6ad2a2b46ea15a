"""The arguments of a verb: read from its function's signature, parsed, and listed in its help.

argparse would do most of this, but its help and its errors differ between versions of Python; these
are the same everywhere.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

WIDEST = 100
INDENT = 28  # of the column with the help; a longer option has its help on the next line


@dataclass(frozen=True)
class Argument:
    """What the help says about a positional argument."""

    metavar: str
    help: str


class Option:
    """What the help says about an option, and which values it takes.

    Parameters
    ----------
    names
        By default the name of the parameter, as in `--skip-bad`.
    min, max, below
        The range of a number; `min` and `max` belong to it, `below` does not.
    show_default
        The default in words, where the value itself would not explain it.
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

    def range_missed(self, value: float) -> str | None:
        """The range that the number is not in, in words; None if it is fine."""
        low = self.min is not None and not value >= self.min
        high = self.max is not None and not value <= self.max
        if not (low or high or (self.below is not None and not value < self.below)):
            return None
        words = [] if self.min is None else [f"at least {self.min:g}"]
        words += [] if self.max is None else [f"at most {self.max:g}"]
        words += [] if self.below is None else [f"below {self.below:g}"]
        return " and ".join(words)


class BadUsage(Exception):  # noqa: N818
    """The words of a command line do not fit the verb."""


class Parameter:
    """One parameter of a verb's function, as an argument or an option of its command line."""

    def __init__(self, found: inspect.Parameter, hint: Any) -> None:
        kind, self.about = get_args(hint)
        if get_origin(kind) in (Union, UnionType):  # `int | None`
            kind = next(one for one in get_args(kind) if one is not NoneType)
        self.many = get_origin(kind) is list
        self.kind = get_args(kind)[0] if self.many else kind
        self.name = found.name
        self.required = found.default is inspect.Parameter.empty
        self.default = None if self.required else found.default
        self.choices = get_args(self.kind) if get_origin(self.kind) is Literal else ()
        self.is_flag = self.kind is bool

    @property
    def names(self) -> tuple[str, ...]:
        """The names of an option; a flag that is on by default has a name to switch it off."""
        names = self.about.names or (f"--{self.name.replace('_', '-')}",)
        if self.is_flag and self.default is not False:
            return (*names, f"--no-{names[-1].removeprefix('--')}")
        return tuple(names)

    @property
    def metavar(self) -> str:
        """What stands for the value in the help."""
        if self.about.metavar or self.is_flag:
            return str(self.about.metavar or "")
        return "|".join(self.choices) or {int: "N", float: "X"}.get(self.kind, "TEXT")

    @property
    def help(self) -> str:
        """What the help says, with the default."""
        if isinstance(self.about, Argument):
            return self.about.help
        words: str = self.about.help
        default = self.about.show_default
        if default is None and self.default is not None and not self.is_flag:
            default = str(self.default)
        return f"{words} [{default}]" if default else words

    def value(self, text: str) -> Any:
        """The value that a word stands for."""
        if self.choices:
            if text not in self.choices:
                raise BadUsage(f"{text!r} is not one of {', '.join(self.choices)}")
            return text
        try:
            value = self.kind(text)
        except ValueError:
            what = {int: "a whole number", float: "a number"}[self.kind]
            raise BadUsage(f"{text!r} is not {what}") from None
        if isinstance(value, int | float) and (missed := self.about.range_missed(value)):
            raise BadUsage(f"{text} is not {missed}")
        return value


class Parser:
    """The command line of a verb: its function's parameters, and its docstring as help.

    The parameters of `common`, options that several verbs have, come after those of the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str,
        example: str,
        common: Callable[..., Any] | None = None,
    ) -> None:
        self.program, self.example = f"novikoff {name}", f"novikoff {name} {example}"
        self.description = inspect.getdoc(function) or ""
        functions = [function] if common is None else [function, common]
        found = [one for each in functions for one in _parameters(each)]
        self._parameters = found
        self.arguments = [one for one in found if isinstance(one.about, Argument)]
        self.options = {
            name: one for one in found if isinstance(one.about, Option) for name in one.names
        }

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """The values of all parameters; prints the help or an error and exits where it must."""
        try:
            return self._parsed(list(words))
        except BadUsage as error:
            self.fail(str(error))

    def fail(self, words: str) -> NoReturn:
        """Exit with one line on stderr that points to the help."""
        print(f"novikoff: {words}; see {self.program} --help", file=sys.stderr)
        sys.exit(2)

    def _parsed(self, words: list[str]) -> dict[str, Any]:
        given: dict[str, Any] = {}
        plain: list[str] = []
        while words:
            word = words.pop(0)
            if word == "--":
                plain += words
                break
            if not _is_option(word):
                plain.append(word)
                continue
            if word in ("-h", "--help"):
                print(self.help(), end="")
                sys.exit(0)
            self._take_option(word, words, given)
        given |= self._positional(plain)
        missing = [one for one in self._parameters if one.required and one.name not in given]
        if missing:
            named = [
                one.metavar if one in self.arguments else f"{one.names[0]} {one.metavar}"
                for one in missing
            ]
            raise BadUsage(f"missing: {', '.join(named)}")
        return {one.name: given.get(one.name, one.default) for one in self._parameters}

    def _take_option(self, word: str, words: list[str], given: dict[str, Any]) -> None:
        name, mark, text = word.partition("=")
        if not word.startswith("--") and len(word) > 2:  # `-n20`
            name, mark, text = word[:2], "=", word[2:]
        option = self.options.get(name)
        if option is None:
            close = get_close_matches(name, [*self.options, "--help"], 1, cutoff=0.75)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise BadUsage(f"there is no option {name}{hint}")
        if option.is_flag:
            if mark:
                raise BadUsage(f"{name} takes no value")
            given[option.name] = not (name.startswith("--no-") and name == option.names[-1])
            return
        if not mark:
            if not words or _is_option(words[0]):
                raise BadUsage(f"{name} needs a value")
            text = words.pop(0)
        try:
            value = option.value(text)
        except BadUsage as error:
            raise BadUsage(f"{name}: {error}") from None
        if option.many:
            given.setdefault(option.name, []).append(value)
        else:
            given[option.name] = value

    def _positional(self, words: list[str]) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for one in self.arguments:
            if words:
                given[one.name] = words if one.many else words.pop(0)
                words = [] if one.many else words
        if words:
            raise BadUsage(f"unexpected argument {words[0]!r}")
        return given

    def help(self) -> str:
        """The usage, what the verb does, its arguments and options, and an example."""
        width = max(40, min(WIDEST, shutil.get_terminal_size((WIDEST, 0)).columns))
        usage = [one.metavar + " ..." * one.many for one in self.arguments]
        options = [one for one in self._parameters if one not in self.arguments]
        usage += [f"{one.names[0]} {one.metavar}" for one in options if one.required]
        lines = [f"usage: {' '.join([self.program, *usage])} [options]"]
        for paragraph in self.description.split("\n\n"):
            lines += ["", *textwrap.wrap(paragraph, width, break_on_hyphens=False)]
        if self.arguments:
            lines += ["", "arguments:"]
            for one in self.arguments:
                lines += _entry(one.metavar, one.help, width)
        lines += ["", "options:"]
        for one in options:
            lines += _entry(f"{', '.join(one.names)} {one.metavar}".rstrip(), one.help, width)
        lines += _entry("-h, --help", "Show this help.", width)
        return "\n".join([*lines, "", f"Example: {self.example}", ""])


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    for found in inspect.signature(function).parameters.values():
        if get_origin(hints[found.name]) is Annotated:
            yield Parameter(found, hints[found.name])


def _is_option(word: str) -> bool:
    """Whether a word is an option; `-` is the standard input, and `-1,1` a value."""
    return re.match(r"-[^0-9.]", word) is not None


def _entry(name: str, help: str, width: int) -> list[str]:
    """A line of the help, and those it is continued on."""
    left = f"  {name}"
    words = textwrap.wrap(help, max(20, width - INDENT), break_on_hyphens=False)
    if len(left) > INDENT - 2:
        return [left, *(" " * INDENT + line for line in words)]
    return [left.ljust(INDENT) + words[0], *(" " * INDENT + line for line in words[1:])]
