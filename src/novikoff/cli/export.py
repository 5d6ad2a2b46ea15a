"""`novikoff export`: a model in a format that other programs read."""

from pathlib import Path

from novikoff.cli import options
from novikoff.cli.errors import fail
from novikoff.models.onnx_export import NotExported, to_onnx
from novikoff.storage.atomic_write import atomic_write

OPTIONS = "-o, --output FILE.onnx  Write the ONNX graph to this file."


def export(model: str, output: Path) -> None:
    """Write a model as an ONNX graph, for runtimes of other languages.

    The graph takes raw values as float64, standardises them if the model does, and gives the label
    and the score, the latter bit for bit that of `predict`. It is for linear models over
    columns of numbers, or over named features; not for hashed features, words of texts,
    interactions, examples scaled to length 1, or votes. It needs the package onnx:
    pip install 'novikoff[onnx]'.

    Exit status: 0 done, 2 not a model, or one that cannot be exported.
    """
    if output.suffix != ".onnx":
        fail(f"{output}: the name must end in .onnx, the only format")
    options.check_output(output, "graph", [model])
    try:
        graph = to_onnx(options.load_model(model))
    except NotExported as error:
        fail(f"{model}: {error}")
    with atomic_write(output) as file:
        file.write(graph)
