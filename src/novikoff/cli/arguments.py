"""The arguments of a verb: from its function's signature and a table of options, and its help.

A table is what a person reads: an entry is an option, what its value is called, the range of the
value, and after two spaces or more the help, with the default in brackets if it needs words.

`getopt` splits the words; argparse cannot read `--classes -1,1`, and its help and errors differ
between versions of Python.
"""

import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from getopt import GetoptError, gnu_getopt
from itertools import chain
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from novikoff.cli.errors import fail, show
from novikoff.stream.printing import cut, quoted

WIDEST = 100
LARGEST = 2**63 - 1  # that the compiled core can count to
INDENT = 28  # of the column with the help; a longer option has its help on the next line
_ENTRY = re.compile(
    r"(?:(?P<key>\w+) = )?(?P<names>(?:--?\w[\w-]*,? ?)*)(?:(?P<low>[\d.]+)<=)?(?P<metavar>[^<\s]*)"
    r"(?:<=(?P<high>[\d.]+))?(?:<(?P<below>[\d.]+))?\s{2,}(?P<help>.*?)(?:\s\[(?P<default>.*)\])?",
    re.DOTALL,
)


def described(table: str) -> dict[str, re.Match[str]]:
    r"""The entries of a table, by the parameters that they are about.

    A parameter is called like the last name of its option, or like its argument in lower case,
    unless the entry says otherwise.

    >>> [*described("as_json = -j, --json  Print JSON.\n--rate 0<=X<1  A rate. [none]")]
    ['as_json', 'rate']
    """
    found = {}
    for text in re.split(r"\n(?=\S)", table.strip()):
        entry = _ENTRY.fullmatch(text)
        assert entry is not None, text
        last = [entry["metavar"].lower(), *entry["names"].split()][-1]
        found[entry["key"] or last.lstrip("-").replace("-", "_")] = entry
    return found


class Group:
    """The options of a verb that are the fields of one dataclass, under a heading of their own.

    If the model fixes what is not given (`by_model`), the help shows no defaults in words.
    """

    def __init__(self, heading: str, table: str, *, by_model: bool = False) -> None:
        self.heading, self.by_model, self.options = heading, by_model, described(table)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question about the name that is most like this one, if one is."""
    from difflib import get_close_matches

    close = get_close_matches(name, [*known], 1, cutoff=0.75)
    return f" (did you mean {close[0]}?)" if close else ""


class BadUsage(Exception):  # noqa: N818  (it names the thing that is wrong)
    """The words of a command line do not fit the verb."""


class Parameter:
    """One parameter of a verb's function, as an argument or an option of its command line.

    An argument has no `names`. The limits of a number are: at least, at most, below.
    """

    def __init__(
        self,
        found: inspect.Parameter,
        kind: Any,
        entry: re.Match[str],
        group: Group | None = None,
    ) -> None:
        about = {name: " ".join((text or "").split()) for name, text in entry.groupdict().items()}
        self.limits = [float(about[k]) if about[k] else None for k in ("low", "high", "below")]
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        if get_origin(kind) in (Union, UnionType):  # `int | None`
            kind = next(one for one in get_args(kind) if one is not NoneType)
        self.many = get_origin(kind) if get_origin(kind) in (list, tuple) else None
        self.kind = get_args(kind)[0] if self.many else kind
        self.choices = get_args(self.kind) if get_origin(self.kind) is Literal else ()
        self.is_flag = self.kind is bool
        self.name, self.group = found.name, group
        self.required = found.default is inspect.Parameter.empty
        self.default = None if self.required else found.default
        self.names = about["names"].replace(",", "").split()
        if self.is_flag and self.default is not False:  # on by default: a name to switch it off
            self.names.append(f"--no-{self.names[-1].removeprefix('--')}")
        usual = {bool: "", int: "N", float: "X", Path: "FILE"}.get(self.kind, "TEXT")
        self.metavar = about["metavar"] or "|".join(self.choices) or usual
        self.usage = " ".join([*self.names[:1], self.metavar])
        default = "" if group and group.by_model else about["default"]
        if not default and self.default not in (None, ()) and not self.is_flag:
            default = f"{self.default:g}" if self.kind is float else str(self.default)
        self.help = f"{about['help']} [{default}]" if default else about["help"]

    def range_missed(self, value: float) -> str | None:
        """The range that the number is not in, in words; None if it is fine."""
        low, high, below = self.limits
        is_low_enough = (high is None or value <= high) and (below is None or value < below)
        if is_low_enough and (low is None or value >= low):
            return None
        if low is not None and high is not None:
            return f"from {low:.10g} to {high:.10g}"
        limits = {"at least": low, "at most": high, "below": below}
        return " and ".join(f"{k} {v:.10g}" for k, v in limits.items() if v is not None)

    def value(self, name: str, text: str) -> Any:
        """The value that a text gives to the option of this name."""
        if self.choices:
            if text not in self.choices:
                one_of = ", ".join(self.choices)
                raise BadUsage(f"{name} must be one of {one_of}, not {quoted(text)}")
            return text
        if self.kind is Path and not text:
            raise BadUsage(f"{name} needs the name of a file")
        try:
            value = self.kind(text)
            text.encode(errors="surrogateescape" if self.kind is Path else "strict")
        except ValueError:
            what = {int: "a whole number", float: "a number"}.get(self.kind, "UTF-8")
            raise BadUsage(f"{name} must be {what}, not {quoted(text)}") from None
        if self.kind in (int, float):
            missed = self.range_missed(value)
            if missed is None and self.kind is int and value > LARGEST:
                missed = f"at most {LARGEST}"
            if missed is not None:
                raise BadUsage(f"{name} must be {missed}, not {cut(text)}")
        return value


class Parser:
    """The command line of a verb: the parameters of its functions, and what its help says.

    A parameter is an option if the table `options` describes it; one that is `Annotated` with a
    `Group` is a dataclass whose fields are options.
    """

    def __init__(
        self,
        functions: Sequence[Callable[..., Any]],
        options: str,
        *,
        name: str,
        example: str,
        help: str,
    ) -> None:
        self.program, self.example = f"novikoff {name}", f"novikoff {name} {example}"
        self.description = help
        known, self._parameters = described(options), list[Parameter]()
        self._groups = list[tuple[str, Any, Group]]()
        for name, (found, kind) in chain(*(_typed(each).items() for each in functions)):
            if get_origin(kind) is Annotated:
                kind, group = get_args(kind)
                self._groups.append((name, kind, group))
                fields = _typed(kind)
                self._parameters += [
                    Parameter(*fields[k], entry, group) for k, entry in group.options.items()
                ]
            elif name in known:
                self._parameters.append(Parameter(found, kind, known[name]))
        self._arguments = [one for one in self._parameters if not one.names]
        self.options = {name: one for one in self._parameters for name in one.names}

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """The values of all parameters; prints the help or an error and exits where it must."""
        try:
            given = self._options_and_arguments(words)
            missing = [one for one in self._parameters if one.required and one.name not in given]
            if missing:
                raise BadUsage(f"missing: {', '.join(one.usage for one in missing)}")
        except BadUsage as error:
            fail(f"{error}; see {self.program} --help")
        values = {one.name: given.get(one.name, one.default) for one in self._parameters}
        for name, kind, group in self._groups:
            names = [one.name for one in self._parameters if one.group is group]
            values[name] = kind(**{name: values.pop(name) for name in names})
        return values

    def _options_and_arguments(self, words: Sequence[str]) -> dict[str, Any]:
        takes_value = {name: not one.is_flag for name, one in self.options.items()}
        takes_value |= {"-h": False, "--help": False}
        short = "".join(k[1] + ":" * v for k, v in takes_value.items() if len(k) == 2)
        long = [k[2:] + "=" * v for k, v in takes_value.items() if len(k) > 2]
        try:
            options, plain = gnu_getopt(list(words), short, long)
        except GetoptError as error:
            # its own words may change
            name = f"-{error.opt}" if len(error.opt) == 1 else f"--{error.opt}"
            if name in self.options:
                takes = "takes no value" if self.options[name].is_flag else "needs a value"
                raise BadUsage(f"{name} {takes}") from None
            guess = did_you_mean(name, [*self.options, "--help"])
            raise BadUsage(f"there is no option {name}{guess}") from None
        given: dict[str, Any] = {}
        for name, text in options:
            if name in ("-h", "--help"):
                show(self.help(), end="")
                sys.exit(0)
            one = self.options[name]
            if one.is_flag:
                given[one.name] = not (name.startswith("--no-") and name == one.names[-1])
            elif text.startswith("--") or text in takes_value:
                raise BadUsage(f"{name} needs a value")
            elif one.many:
                given[one.name] = one.many([*given.get(one.name, ()), one.value(name, text)])
            else:
                given[one.name] = one.value(name, text)
        if "" in plain:
            raise BadUsage("an argument is empty")
        for one in self._arguments:
            if plain:
                given[one.name] = plain if one.many else plain.pop(0)
                plain = [] if one.many else plain
        if plain:
            raise BadUsage(f"unexpected argument {quoted(plain[0])}")
        return given

    def help(self) -> str:
        """The usage, what the verb does, its arguments and options, and an example."""
        width = max(40, min(WIDEST, shutil.get_terminal_size((WIDEST, 0)).columns))
        usage = [one.usage + " ..." * bool(one.many) for one in self._parameters if one.required]
        lines = [f"usage: {' '.join([self.program, *usage])} [options]"]
        for paragraph in self.description.split("\n\n"):
            lines += ["", *textwrap.wrap(paragraph, width, break_on_hyphens=False)]
        if self._arguments:
            lines += ["", "arguments:"]
            for one in self._arguments:
                lines += _entry(one.metavar, one.help, width)
        for group in (None, *(group for _, _, group in self._groups)):
            lines += ["", "options:" if group is None else f"{group.heading}:"]
            for one in dict.fromkeys(self.options.values()):
                if one.group is group:
                    name = f"{', '.join(one.names)} {one.metavar}".rstrip()
                    lines += _entry(name, one.help, width)
            if group is None:
                lines += _entry("-h, --help", "Show this help.", width)
        return "\n".join([*lines, "", f"Example: {self.example}", ""])


def _typed(function: Callable[..., Any]) -> dict[str, tuple[inspect.Parameter, Any]]:
    hints = get_type_hints(function, include_extras=True)
    found = inspect.signature(function).parameters
    return {name: (one, hints[name]) for name, one in found.items()}


def _entry(name: str, help: str, width: int) -> list[str]:
    """A line of the help, and those it is continued on."""
    left, space = f"  {name}", " " * INDENT
    fits = len(left) <= INDENT - 2
    first, width = left.ljust(INDENT) if fits else space, max(INDENT + 20, width)
    how: dict[str, Any] = {"initial_indent": first, "subsequent_indent": space}
    lines = textwrap.wrap(help, width, break_on_hyphens=False, **how)
    return lines if fits else [left, *lines]
