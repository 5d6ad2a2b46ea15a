"""`novikoff journal`: check, export, compact or copy the journal of a service."""

from __future__ import annotations

import hashlib
import sys
from contextlib import nullcontext
from pathlib import Path

from novikoff.cli.errors import fail, needing, show
from novikoff.cli.serve import NEEDED
from novikoff.stream.printing import plural

ACTIONS = ("verify", "export", "compact", "backup")
OPTIONS = """
ACTION                  verify, export, compact or backup.
folder = DIR            Folder of the service.
-o, --output            export: write the examples to this file; backup: to this new folder.
--model                 export: the model, if there are several.
--answers               compact: also remove stored answers, which repeated requests would get.
--from-snapshots        verify: replay from the older of the two snapshots of each model only; the
                        hashes of all events are compared all the same.
"""


def journal(
    action: str,
    folder: str,
    output: Path | None = None,
    model: str | None = None,
    answers: bool = False,
    from_snapshots: bool = False,
) -> None:
    """Check, export, compact or copy the journal of a service.

    verify replays all events and compares the models with the snapshots, byte by byte. export
    writes the examples that a model learned from as JSON lines, and prints the options with which
    novikoff train makes the same model from them. compact removes events that are in snapshots:
    then they can be neither verified nor exported. backup writes a copy, which can be served.

    verify, export and backup also work while the service runs.

    Exit status: 0 done, 1 the journal is damaged, 2 bad input, or a library is missing.
    """
    if action not in ACTIONS:
        fail(f"there is no action {action!r}; the actions are {', '.join(ACTIONS)}")
    if action == "backup" and (output is None or output.exists()):
        fail("backup needs the name of a new folder: -o FOLDER")
    with needing("the service", "serve", *NEEDED):
        from novikoff.serve import service
        from novikoff.serve.journal import Damaged, Journal, Locked
        from novikoff.serve.served import name_of
    try:
        if action == "compact":
            removed = service.compact(Path(folder), answers=answers)
            show(
                f"{plural(removed, 'event was', 'events were')} removed; the snapshots replace them"
            )
            return
        with Journal(Path(folder), to_read=True) as source:
            if action == "verify":
                models, compared = service.verify(source, from_snapshots=from_snapshots)
                same = plural(compared, "snapshot is the same", "snapshots are the same")
                show(f"{plural(source.seq, 'event')}, unchanged; {same}")
                for name, served in models.items():
                    protocol = served.protocol
                    shown = "no model yet"
                    if len(getattr(served.learner, "classes_", ())) > 1:
                        shown = f"sha256 {hashlib.sha256(served.model_file()).hexdigest()}"
                    show(f"{name}: {protocol!r}, {shown}")
            elif action == "backup":
                assert output is not None
                source.backup(output)
            else:
                known = [name_of(one.about) for one in source.snapshots()]
                if model is None and len(set(known)) != 1:
                    fail(f"choose a --model: {', '.join(sorted({*known})) or 'there is none'}")
                with (
                    nullcontext(sys.stdout.buffer) if output is None else output.open("wb") as file
                ):
                    served = service.export(source, model or known[0], file.write)
                print(f"novikoff train {served.settings.train_options()}", file=sys.stderr)
    except (Locked, ValueError) as error:
        fail(str(error))
    except Damaged as error:
        fail(str(error), 1)
