"""`novikoff certify`: whether the data of a file are separable, with a proof."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

from novikoff.cli import options
from novikoff.cli.errors import fail_on_cluster, show, warn
from novikoff.cli.progress import spinner
from novikoff.guarantees.verdict import ModelName
from novikoff.ledger.kernels import FileKernel
from novikoff.sources.inputs import parts_in_place

OPTIONS = """
-o, --output CERT       Write the certificate to this file.
as_json = --json        Print the certificate as JSON.
--kernel                Decide separability in the space of this kernel, without a constant. All
                        pairs of rows must fit into half of the memory.
--margin-rtol 0<=X<1    Narrow the interval for the best margin to this relative width. [0.01 if the
                        data are small and the interval is wide]
"""


def certify(
    data: list[str],
    output: Path | None = None,
    as_json: bool = False,
    regression: ModelName = "binary",
    formula: str | None = None,
    fixed_effects: list[str] | None = None,
    kernel: FileKernel | None = None,
    degree: int | None = None,
    gamma: float | None = None,
    coef0: float | None = None,
    intercept: bool = True,
    margin_rtol: float | None = None,
    max_seconds: float = math.inf,
    zero_based: bool = False,
    cluster: str | None = None,
    shards: int | None = None,
    *,
    reading: options.DataReading,
) -> None:
    """Decide whether the data are separable, and prove it.

    The verdict is complete, quasi-complete or overlap; `novikoff verify` checks the proof.

    Exit status: 0 decided, 1 undecided, 2 bad input, 130 interrupted.
    """
    if output is not None:
        options.check_output(output, "certificate", data, instead="--json")
    from novikoff import separability

    space = options.kernel_of(kernel, degree, gamma, coef0)
    many, name = regression != "binary", "<stdin>" if data[0] == "-" else data[0]
    if cluster is not None:
        off = {"--formula": formula is not None, "--kernel": space is not None}
        off |= {"--margin-rtol": margin_rtol is not None}
        fail_on_cluster(off)
    levels = options.named_classes(reading.classes, many=many)
    with spinner(f"reading {name}") as say:
        try:
            if cluster is None:
                given, description = reading.read_for(
                    data, formula, fixed_effects, zero_based=zero_based, as_levels=many
                )
                found = separability.certify(
                    given,
                    model=regression,
                    levels=levels if many else None,
                    kernel=space,
                    fit_intercept=intercept and not fixed_effects and space is None,
                    margin_rtol=margin_rtol,
                    max_seconds=max_seconds,
                    progress=say,
                )
            else:
                with options.on_cluster(cluster) as workers:
                    from novikoff.cluster import certifying

                    how = reading.how()
                    categorical = (*how.categorical, *(fixed_effects or ()))
                    found, source = certifying.certify(
                        workers,
                        parts_in_place(data),
                        replace(how, categorical=categorical),
                        model=regression,
                        classes=levels,
                        positive=reading.positive,
                        zero_based=zero_based or None,
                        shards=shards,
                        bias=intercept and not fixed_effects,
                        max_seconds=max_seconds,
                        progress=say,
                    )
                description = source.description
                options.warn_of_skipped_lines(source.skipped)
            status = 1 if found.verdict == "undecided" else 0
        except separability.Stopped as stopped:
            found, status = stopped.certificate, 130
    if output is not None:
        found.save(output)
    if status == 130:
        where = "" if output is None else f" and saved in {output}"
        warn(f"interrupted; this much is known{where}:")
    words = f"{found}\n  {'read':14}  {description}"
    show(json.dumps(found.to_dict(), indent=1) if as_json else words)
    sys.exit(status)
