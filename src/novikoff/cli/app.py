"""The verbs put together; only the one that is asked for is loaded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from novikoff import __version__


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
    from novikoff.cli.arguments import parser_of

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
