"""The command line: one file a verb, and nothing loaded before it is needed."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run `novikoff`; the version is printed without loading anything else."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without γ still gets the rest
    if sys.argv[1:] == ["--version"]:
        from novikoff import __version__

        print(f"novikoff {__version__}")
        return
    try:
        from novikoff.cli.app import app

        app()
    except KeyboardInterrupt:  # before the verb itself could answer
        print("novikoff: interrupted", file=sys.stderr)
        sys.exit(130)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # nobody reads on; typer says 1
            sys.exit(141)
        raise
