"""The verbs put together."""

from __future__ import annotations

from typing import Annotated

import typer

from novikoff import __version__
from novikoff.cli.certify import certify
from novikoff.cli.demo import demo
from novikoff.cli.inspect import inspect
from novikoff.cli.predict import predict
from novikoff.cli.test import grade
from novikoff.cli.train import train
from novikoff.cli.verify import verify

app = typer.Typer(
    name="novikoff",
    help="Learn linear classifiers online from their mistakes, and prove what was learned.",
    epilog="Example: novikoff demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"novikoff {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Learn linear classifiers online from their mistakes, and prove what was learned."""


app.command(epilog="Example: novikoff demo --seed 3")(demo)
app.command(epilog="Example: novikoff train mail.svm -o mail.model --learner averaged")(train)
app.command(epilog="Example: novikoff predict mail.model new.svm -o labels.txt")(predict)
app.command("test", epilog="Example: novikoff test mail.model held_out.svm")(grade)
app.command(epilog="Example: novikoff inspect mail.model -n 20")(inspect)
app.command(epilog="Example: novikoff certify mail.svm -o mail.json")(certify)
app.command(epilog="Example: novikoff verify mail.json mail.svm")(verify)
