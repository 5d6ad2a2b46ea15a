"""A linear model as an ONNX graph in float64, which adds in the same order as the compiled core.

A product of matrices would not do: ONNX Runtime fuses its multiplications and additions, so a score
of 0 can become 1e-17, and runtimes choose the order of sums. Here the products are added in eight
lanes, column mod 8, by a cumulative sum, and the lanes in the core's order. So scores are the same
bits, and decisions the same, unless the learning rate is not 1, which a file holds multiplied out.
"""

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from novikoff.learners import Dual, Multiplicative
from novikoff.ledger.weights import LANES
from novikoff.models.model import Model
from novikoff.stream.labels import as_values, in_order

OPSETS = {"": 17, "ai.onnx.ml": 3}
_IR_VERSION = 8


class NotExported(ValueError):  # noqa: N818  (it says what is not possible)
    """The model cannot be written as an ONNX graph of standard operators."""


def to_onnx(model: Model) -> bytes:
    """The model as the bytes of an ONNX file.

    The input is X, a matrix of float64, if the features are columns or indices. If they are names,
    there are four: names (texts) and values (float64) of all features of all examples, `examples`,
    the number of the example that each belongs to, and `count`, how many examples there are. The
    outputs are `label` and `score`, of many classes a column each.
    """
    _refuse(model)
    try:
        onnx = import_module("onnx")
    except ImportError:
        raise NotExported("onnx is not installed; pip install 'novikoff[onnx]'") from None
    graph = _Graph(onnx)
    features, room = model.features, model.features.room
    if features.kind == "names":
        x, inputs = graph.from_names(features.names or (), room)
    else:
        inputs = [graph.input("X", "DOUBLE", [None, features.dim])]
        x = graph.node("Pad", "X", graph.array([0, 0, 0, room - features.dim]))
    if features.standardise:
        scale, shift = features.scaling(room)
        x = graph.node("Div", graph.node("Sub", x, graph.array(shift)), graph.array(scale))
    table = model.weights if model.has_many_classes else model.weights[None]
    scores = [graph.score(x, w, model, room) for w in table]
    outputs = [graph.decide(scores, model)]
    if model.has_many_classes:
        graph.node("Concat", *scores, out="score", axis=1)
        outputs.append(graph.input("score", "DOUBLE", [None, len(table)]))
    else:
        graph.node("Reshape", scores[0], graph.array([-1]), out="score")
        outputs.append(graph.input("score", "DOUBLE", [None]))
    about = {"classes": list(model.classes), "features": list(features.names or ())}
    return graph.packed(inputs, outputs, {k: json.dumps(v) for k, v in about.items()})


def _refuse(model: Model) -> None:
    features = model.features
    reasons = {
        "a vote of many weight vectors is not linear; train an averaged model": (
            model.kind == "voted"
        ),
        "a kernel has no weights of features; train without one": isinstance(model.learner, Dual),
        "its features are the words of texts; count them yourself, and train on counts by name": (
            bool(model.read_options.get("words"))
        ),
        "its features are hashed, and ONNX has no such hash; train without hashing": (
            features.hash_bits is not None
        ),
        "its features include interactions; write the products into the data, and train on those": (
            bool(features.products)
        ),
        "its examples are scaled to length 1; train without that, or on rows of that length": (
            bool(features.to_unit_length)
        ),
        "it has learned no feature": features.dim == 0,
    }
    if apply := [reason for reason, applies in reasons.items() if applies]:
        raise NotExported(f"not exported: {'; and '.join(apply)}")


class _Graph:
    """The nodes and constants of a graph; each operation returns the name of its result."""

    def __init__(self, onnx: Any) -> None:
        self._onnx, self._nodes, self._arrays = onnx, list[Any](), list[Any]()

    def node(self, kind: str, *inputs: str, out: str = "", domain: str = "", **about: Any) -> str:
        out = out or f"n{len(self._nodes)}"
        made = self._onnx.helper.make_node(kind, inputs, [out], domain=domain, **about)
        self._nodes.append(made)
        return out

    def array(self, values: Any) -> str:
        name, array = f"c{len(self._arrays)}", np.asarray(values)
        if array.dtype.kind == "U":
            array = array.astype(object)
        self._arrays.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def input(self, name: str, kind: str, shape: Sequence[int | None]) -> Any:
        kinds = self._onnx.TensorProto
        return self._onnx.helper.make_tensor_value_info(name, getattr(kinds, kind), shape)

    def from_names(self, names: Sequence[str], room: int) -> tuple[str, list[Any]]:
        """Rows of `room` columns from names and values; unknown names go to one column more."""
        inputs = [
            self.input("names", "STRING", [None]),
            self.input("values", "DOUBLE", [None]),
            self.input("examples", "INT64", [None]),
            self.input("count", "INT64", [1]),
        ]
        columns = self.node(
            "LabelEncoder",
            "names",
            domain="ai.onnx.ml",
            keys_strings=list(names),
            values_int64s=list(range(len(names))),
            default_int64=room,
        )
        width = self.array([room + 1])
        begins = self.node("Mul", "examples", width)
        zero = self._onnx.numpy_helper.from_array(np.zeros(1), "zero")
        empty = self.node("ConstantOfShape", self.node("Mul", "count", width), value=zero)
        places = self.node("Add", begins, columns)
        filled = self.node("ScatterElements", empty, places, "values", axis=0)
        whole = self.node("Reshape", filled, self.array([-1, room + 1]))
        return self.node("Slice", whole, *map(self.array, ([0], [room], [1]))), inputs

    def score(self, x: str, w: Any, model: Model, room: int) -> str:
        """The score of each row, added up as the core does it."""
        dim, learner = model.features.dim, model.learner
        weights = np.zeros(room)
        weights[:dim] = w[:dim]
        products = self.node("Mul", x, self.array(weights))
        if learner.bias:
            one = self.node("Slice", products, *map(self.array, ([0], [1], [1])))
            zero = self.node("Mul", one, self.array(0.0))  # a column of zeros, as long as the rows
            constant = self.node("Add", zero, self.array(float(w[-1])))
            products = self.node("Concat", products, constant, axis=1)
        width = room + learner.bias
        lanes = 1 if model.is_joint else LANES  # classes that learn jointly add column by column
        steps = -(-width // lanes)
        products = self.node("Pad", products, self.array([0, 0, 0, steps * lanes - width]))
        parted = self.node("Reshape", products, self.array([-1, steps, lanes]))
        turned = self.node("Transpose", parted, perm=[1, 0, 2])
        sums = self.node("CumSum", turned, self.array(0))
        total = self.node("Gather", sums, self.array(steps - 1), axis=0)
        while lanes > 1:
            lanes //= 2
            low, high = (
                self.node("Slice", total, *map(self.array, ([a], [a + lanes], [1])))
                for a in (0, lanes)
            )
            total = self.node("Add", low, high)
        if isinstance(learner, Multiplicative):
            total = self.node("Sub", total, self.array(learner.threshold))
        return total

    def decide(self, scores: Sequence[str], model: Model) -> Any:
        """The predicted label, as `Model.predicted` decides."""
        values = as_values(model.classes) if model.labels is None else model.labels
        are_whole = all(type(value) is int for value in values)
        labels = dict(zip(model.classes, values if are_whole else model.classes, strict=True))
        order = in_order(model.classes) if model.has_many_classes else list(model.classes)
        shown = self.array([labels[text] for text in order])
        if model.has_many_classes:
            each = [scores[model.classes.index(text)] for text in order]
            best = self.node("ArgMax", self.node("Concat", *each, axis=1), axis=1, keepdims=0)
        else:
            flat = self.node("Reshape", scores[0], self.array([-1]))
            zero = self.array(0.0)
            if model.learner.zero_is_positive:
                sign = self.node("Not", self.node("Less", flat, zero))
            else:
                sign = self.node("Greater", flat, zero)
            best = self.node("Cast", sign, to=self._onnx.TensorProto.INT64)
        self.node("Gather", shown, best, out="label")
        return self.input("label", "INT64" if are_whole else "STRING", [None])

    def packed(self, inputs: Sequence[Any], outputs: Sequence[Any], about: dict[str, str]) -> bytes:
        helper = self._onnx.helper
        graph = helper.make_graph(self._nodes, "novikoff", inputs, outputs, self._arrays)
        opsets = [helper.make_opsetid(*each) for each in OPSETS.items()]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="novikoff"
        )
        helper.set_model_props(model, about)
        self._onnx.checker.check_model(model)
        return bytes(model.SerializeToString())
