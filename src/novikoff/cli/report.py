"""`novikoff report`: one page about the data of files, to read in a browser or on paper."""

import shlex
from pathlib import Path

from novikoff.cli import options
from novikoff.cli.errors import fail, show
from novikoff.cli.progress import spinner
from novikoff.guarantees.verdict import ModelName
from novikoff.guarantees.words import estimates, run_in_brief, separation
from novikoff.ledger.kernels import FileKernel
from novikoff.sources import Data
from novikoff.sources.inputs import Input, inputs_of
from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.printing import as_words, count, plain, plural

OPTIONS = """
-o, --output PAGE       Write the page to this file.
--names                 svmlight: a file with the column names, one per line.
--kernel                Learn, and decide separability, in the space of this kernel, without a
                        constant.
--passes 1<=N           Maximum number of passes of the perceptron. [1000 if the data are separable,
                        else 10]
--seed 0<=N             Random seed, for the order of rows and the held-out ones.
--top 0<=N              Number of weights to list for each label.
--mistakes 0<=N         Number of mistakes to list.
-q, --quiet             Print nothing but errors.
"""


def report(
    data: list[str],
    output: Path,
    names: Path | None = None,
    regression: ModelName = "binary",
    formula: str | None = None,
    fixed_effects: list[str] | None = None,
    kernel: FileKernel | None = None,
    degree: int | None = None,
    gamma: float | None = None,
    coef0: float | None = None,
    intercept: bool = True,
    passes: int | None = None,
    seed: int = 0,
    max_seconds: float = 60.0,
    top: int = 15,
    mistakes: int = 20,
    quiet: bool = False,
    zero_based: bool = False,
    *,
    reading: options.DataReading,
) -> None:
    """Write one page about the data: whether they are separable and why, and what was learned.

    The page is a single HTML file that needs no network. It describes the data, gives the verdict
    of `certify` with its proof, follows a run of the perceptron and its mistake bounds, lists the
    largest weights and the mistakes, and says how to make the page again. The data must fit in
    memory.

    With --formula, --fixed-effects or --model, the page is about that regression: which estimates
    exist, why, what to do next and how to cite it. With --kernel, it is about the kernel
    perceptron.

    Exit status: 0 written, 2 bad input, 130 interrupted.
    """
    options.check_output(output, "page", data)
    name = "<stdin>" if data[0] == "-" else data[0]
    asks = as_words(model=None if regression == "binary" else regression, formula=formula)
    effects = as_words(fixed_effects=fixed_effects)
    space = options.kernel_of(kernel, degree, gamma, coef0)
    if space is not None and (asks or effects):
        fail("--kernel is for two labels without a formula; leave it out, or the model")
    with spinner(f"reading {name}", quiet=quiet) as say:
        from novikoff.show import plots

        try:
            plots.new_axes()  # before the long work, not after it
        except plots.NoMatplotlib as error:
            fail(str(error))
        from novikoff.separability import certify
        from novikoff.show.report import Known, Settings, origin_of, page, regression_page

        inputs = inputs_of(data)
        many = regression != "binary"
        given, _ = reading.read_for(
            inputs, formula, fixed_effects, zero_based=zero_based, as_levels=many
        )
        how = [*as_words(zero_based=zero_based or None), *reading.words()]
        rest = as_words(
            names=names,
            passes=passes,
            seed=seed,
            max_seconds=f"{max_seconds:g}",
            top=top,
            mistakes=mistakes,
            intercept=None if intercept else False,
        )
        rest += as_words(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0)
        again = as_words(formula=formula, categorical=fixed_effects)
        command = ["novikoff", "report", *data, "-o", str(output), *asks, *effects, *rest, *how]
        origin = origin_of(
            data,
            given,
            inputs=inputs,
            format=reading.format,
            command=shlex.join(command),
            verify=shlex.join(["novikoff", "verify", "certificate.json", *data, *again, *how]),
        )
        settings = Settings(intercept, passes, seed, max_seconds, space)
        if isinstance(given, Data) and not asks and not effects:
            named = None if names is None else names_in(names, given)
            known = Known(given, settings, names=named, origin=origin, progress=say)
            say("drawing")
            text, it = page(known, top=top, mistakes=mistakes), known.certificate
            found = "not decided"
            if it is not None:
                found = "completely " * (it.verdict == "complete") + separation(it.verdict).headline
            found += "" if space is None else f" in the space of the {space}"
            ended = run_in_brief(known.run.ledger, known.run.verdict, of="rows")
            said = f"{found}; the perceptron {ended}"
        else:
            certificate = certify(
                given,
                model=regression,
                levels=options.named_classes(reading.classes, many=True) if many else None,
                fit_intercept=intercept and not effects,
                max_seconds=max_seconds,
                progress=say,
            )
            text = regression_page(certificate, given, origin, settings)
            said = f"{certificate.verdict}: {estimates(certificate.verdict).partition(':')[0]}"
    with atomic_write(output) as file:
        file.write(text.encode(errors="replace"))
    if not quiet:
        show(f"{plain(str(output))}: {said}")


def names_in(path: Path, given: Data) -> tuple[str, ...]:
    """Names for the columns of the data, from a file with one per line."""
    if given.names is not None:
        fail(f"--names {path}: the data name their columns themselves")
    lines = Input(str(path)).whole().decode(errors="replace").splitlines()
    dim = given.block.rows.dim
    if len(lines) < dim:
        fail(f"{path}: {plural(len(lines), 'name')} for {count(dim)} columns; write one per line")
    return tuple(lines[:dim])
