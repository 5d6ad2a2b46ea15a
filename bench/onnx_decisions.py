"""ONNX Runtime beside novikoff on 100,000 rows: which labels differ, and the time.

Three graphs of the same weights: the one that `novikoff export` writes; MatMul and Add in float64;
and ONNX's LinearClassifier, which computes in float32. Run: python bench/onnx_decisions.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from novikoff import AdaptivePerceptron, Perceptron
from novikoff.estimators.saved import to_model
from novikoff.models.onnx_export import OPSETS, to_onnx

ROWS = 100_000

onnxruntime: Any = import_module("onnxruntime")
onnx: Any = import_module("onnx")
helper, TensorProto = onnx.helper, onnx.TensorProto


def session(graph: bytes) -> Any:
    return onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])


def graph_of(nodes: list[Any], kind: int, arrays: list[Any], out: tuple[str, int]) -> bytes:
    x = helper.make_tensor_value_info("X", kind, [None, None])
    result = helper.make_tensor_value_info(*out, [None, None] if out[0] == "s" else [None])
    graph = helper.make_graph(nodes, "g", [x], [result], arrays)
    opsets = [helper.make_opsetid(*each) for each in OPSETS.items()]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return bytes(model.SerializeToString())


def matmul(clf: Any) -> Callable[[Any], Any]:
    arrays = [onnx.numpy_helper.from_array(clf.coef_.T.copy(), "w")]
    arrays.append(onnx.numpy_helper.from_array(clf.intercept_, "b"))
    nodes = [
        helper.make_node("MatMul", ["X", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["s"]),
    ]
    run = session(graph_of(nodes, TensorProto.DOUBLE, arrays, ("s", TensorProto.DOUBLE))).run
    return lambda rows: (run(None, {"X": rows})[0].ravel() >= 0).astype(np.int64)


def linear_classifier(clf: Any) -> Callable[[Any], Any]:
    node = helper.make_node(
        "LinearClassifier",
        ["X"],
        ["label", "scores"],
        domain="ai.onnx.ml",
        coefficients=np.concatenate([-clf.coef_[0], clf.coef_[0]]).tolist(),
        intercepts=[-float(clf.intercept_[0]), float(clf.intercept_[0])],
        classlabels_ints=[0, 1],
    )
    run = session(graph_of([node], TensorProto.FLOAT, [], ("label", TensorProto.INT64))).run
    return lambda rows: run(["label"], {"X": rows.astype(np.float32)})[0]


def exported(clf: Any) -> Callable[[Any], Any]:
    run = partial(session(to_onnx(to_model(clf))).run, ["label"])
    return lambda rows: run({"X": rows})[0]


def main() -> None:
    dice = np.random.default_rng(0)
    tenths = dice.integers(-2, 3, (ROWS, 20)) * 0.1
    normal = dice.normal(size=(ROWS, 100))
    sets: dict[str, tuple[Any, Any]] = {
        "tenths, 20 columns, perceptron": (tenths, Perceptron(max_iter=3, fit_intercept=False)),
        "normal, 100 columns, adaptive": (normal, AdaptivePerceptron()),
    }
    print("| data | graph | labels that differ | µs a row |\n|---|---|---|---|")
    for name, (rows, clf) in sets.items():
        y = (rows[:, :3].sum(axis=1) > 0).astype(int)
        clf.fit(rows[:5000], y[:5000])
        ways: dict[str, Callable[[Any], Any]] = {
            "novikoff itself": clf.predict,
            "novikoff export": exported(clf),
            "MatMul and Add, float64": matmul(clf),
            "LinearClassifier, float32": linear_classifier(clf),
        }
        expected = clf.predict(rows)
        for way, predict in ways.items():
            taken = []
            for _ in range(3):
                began = time.perf_counter()
                labels = predict(rows)
                taken.append(time.perf_counter() - began)
            differ = int((labels != expected).sum())
            print(f"| {name} | {way} | {differ} | {min(taken) / ROWS * 1e6:.2f} |")


if __name__ == "__main__":
    main()
