"""The command line of a verb: read from a signature, the same on every version of Python."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Literal

import pytest

from helpers.command_line import error
from novikoff.cli.arguments import Parser

TABLE = """
FIRST               The first file.
FILES               More files.
-o, --output FILE   Where to write.
-n, --count 1<=N<=9
                    How many.
--rate X<1          A rate. [none]
--colour            A colour.
names = --name      A name. Repeatable.
--bias              A constant,
                    or none.
as_json = -j, --json  Print JSON.
"""


def toy(
    first: str,
    files: list[str],
    output: Path,
    count: int = 3,
    rate: float | None = None,
    colour: Literal["red", "green"] = "red",
    names: list[str] | None = None,
    bias: bool = True,
    as_json: bool = False,
    ignored: Any = None,
) -> None:
    """Do something with files, and describe it in a sentence that does not fit on one narrow line.

    A second paragraph.
    """


PARSER = Parser([toy], TABLE, name="toy", example="a b -o c", help=inspect.getdoc(toy) or "")


def parsed(line: str) -> dict[str, Any]:
    return PARSER.parse(line.split())


def test_values_come_from_words_in_any_order() -> None:
    expected = {
        "first": "a",
        "files": ["b", "c"],
        "output": Path("out"),
        "count": 4,
        "rate": -0.5,
        "colour": "green",
        "names": ["x", "-y"],
        "bias": False,
        "as_json": True,
    }
    for line in (
        "a b c -o out -n 4 --rate -0.5 --colour green --name x --name=-y --no-bias --json",
        "--json --no-bias --name x --name=-y a --rate=-.5 -n4 b -oout --colour=green c",
        "--bias --no-bias --json --name x --name=-y -n 9 -n 4 --rate -.5 --colour green"
        " -o out -- a b c",
        "a b c --name x --name=-y --no-bias --rate -.5 --col green -jn4 -oout",
        "a b c --name x --name=-y --no-bias --rate -.5 --colour green -n 4 -jo out",
    ):
        assert parsed(line) == expected
    defaults = parsed("- -o x -- -1")
    assert (defaults["first"], defaults["files"], defaults["count"]) == ("-", ["-1"], 3)
    assert (defaults["rate"], defaults["names"], defaults["bias"]) == (None, None, True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "missing: FIRST, FILES, -o FILE"),
        ("a b", "missing: -o FILE"),
        ("a -o x", "missing: FILES"),
        ("a b -o", "-o needs a value"),
        ("a b -o --json", "-o needs a value"),
        ("a b -o -n 3", "-o needs a value"),
        ("a b -o x --cuont 3", "there is no option --cuont (did you mean --count?)"),
        ("a b -o x -z", "there is no option -z"),
        ("a b -o x --json=yes", "--json takes no value"),
        ("a b -o x -n 0", "-n must be from 1 to 9, not 0"),
        ("a b -o x -n 1.5", "-n must be a whole number, not '1.5'"),
        ("a b -o x --rate nan", "--rate must be below 1, not nan"),
        ("a b -o x --colour blue", "--colour must be one of red, green, not 'blue'"),
    ],
)
def test_bad_usage_is_one_line(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parsed(line)
    assert end.value.code == 2
    assert capsys.readouterr().err == f"novikoff: {words}; see novikoff toy --help\n"


def test_the_help_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "64")
    assert (
        PARSER.help()
        == """\
usage: novikoff toy FIRST FILES ... -o FILE [options]

Do something with files, and describe it in a sentence that does
not fit on one narrow line.

A second paragraph.

arguments:
  FIRST                     The first file.
  FILES                     More files.

options:
  -o, --output FILE         Where to write.
  -n, --count N             How many. [3]
  --rate X                  A rate. [none]
  --colour red|green        A colour. [red]
  --name TEXT               A name. Repeatable.
  --bias, --no-bias         A constant, or none.
  -j, --json                Print JSON.
  -h, --help                Show this help.

Example: novikoff toy a b -o c
"""
    )
    for columns in ("1", "x", "", "1000"):
        monkeypatch.setenv("COLUMNS", columns)
        assert max(map(len, PARSER.help().splitlines())) <= 100


def test_an_unexpected_argument_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    def one(data: str) -> None:
        """Read a file."""

    with pytest.raises(SystemExit):
        Parser([one], "DATA  A file.", name="one", example="x", help="Read a file.").parse(
            ["a", "b"]
        )
    assert capsys.readouterr().err.startswith("novikoff: unexpected argument 'b'; see")


def test_a_verb_that_is_misspelt_is_guessed() -> None:
    assert "there is no verb 'trian' (did you mean train?)" in error("trian", "x.csv")
