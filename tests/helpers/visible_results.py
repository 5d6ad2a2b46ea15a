"""Write down what people see of novikoff, one file a result, to compare machines byte for byte.

`python visible_results.py FOLDER` runs learners on every layout of rows, certifies, and calls the
commands on files that it makes. The data come from a generator without libm, written
here, so that only novikoff is compared.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_TIMES = re.compile(r'(?m)(?<= in )[\d.,]+ (s|seconds)\b.*$|(?<=seconds": )[\d.e+-]+')


def uniform(seed: int, *shape: int) -> NDArray[np.float64]:
    """Multiples of 2^-20 between -1 and 1, from a linear congruence modulo 2^64."""
    state, out = seed * 2 + 1, []
    for _ in range(int(np.prod(shape))):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append((state >> 43) / 2**20 - 1)
    return np.array(out).reshape(shape)


def layouts(X: NDArray[np.float64]) -> Iterator[tuple[str, Any]]:
    """The same numbers, which float32 holds exactly, in every layout that the core reads."""
    for precision in (np.float32, np.float64):
        yield f"dense {precision.__name__}", X.astype(precision)
        for width in (np.int32, np.int64):
            rows = sparse.csr_array(X.astype(precision))
            rows.indices, rows.indptr = rows.indices.astype(width), rows.indptr.astype(width)
            yield f"sparse {precision.__name__} {width.__name__}", rows


def learned() -> Iterator[tuple[str, bytes]]:
    """Weights, mistakes, scores and models of the estimators."""
    from novikoff import (
        AdaptivePerceptron,
        AveragedPerceptron,
        KernelPerceptron,
        MarginPerceptron,
        Perceptron,
        VotedPerceptron,
        Winnow,
    )

    X = uniform(1, 300, 37)
    X[np.abs(X) < 0.4] = 0.0
    y = np.where(X[:, 0] + X[:, 1] - X[:, 2] + uniform(2, 300) / 4 > 0, 1, -1)
    three = np.digitize(X[:, 0] + X[:, 3], [-0.3, 0.3])
    tasks: list[tuple[str, Any, Any, Any]] = [
        ("perceptron", Perceptron(max_iter=20), X, y),
        ("averaged", AveragedPerceptron(max_iter=20), X, y),
        ("voted", VotedPerceptron(max_iter=3), X, y),
        ("margin", MarginPerceptron(max_iter=20, eta0=0.3), X, y),
        ("one against the rest", Perceptron(max_iter=5), X, three),
        ("joint", AveragedPerceptron(max_iter=5, multiclass="joint"), X, three),
        ("adaptive", AdaptivePerceptron(regularisation=0.7), X, y),
        ("adaptive, averaged", AdaptivePerceptron(average=True), X, y),
        ("adaptive, full matrix", AdaptivePerceptron(matrix="full"), X, y),
        ("adaptive, joint", AdaptivePerceptron(multiclass="joint"), X, three),
        ("winnow", Winnow(max_iter=5, alpha=1.37), X, y),
        ("winnow2", Winnow(max_iter=5, variant="winnow2", alpha=1.37), np.abs(X), y),
    ]
    for name, estimator, features, labels in tasks:
        for layout, rows in layouts(features):
            estimator.fit(rows, labels)
            scores = estimator.decision_function(rows)
            yield f"{name}, {layout}, scores", scores.tobytes()
            yield f"{name}, {layout}, weights", estimator.coef_.tobytes()
            yield f"{name}, {layout}, mistakes", str(estimator.n_mistakes_).encode()
    kernels: dict[str, Any] = {
        "rbf": KernelPerceptron(kernel="rbf", gamma="scale", max_iter=3),
        "poly": KernelPerceptron(degree=4, gamma=0.3, max_iter=3, reading="vote"),
        "budget": KernelPerceptron(kernel="rbf", budget=40, reading="final", max_iter=3),
    }
    for name, estimator in kernels.items():
        for layout, rows in layouts(X):
            scores = estimator.fit(rows, three).decision_function(rows)
            yield f"kernel, {name}, {layout}, scores", scores.tobytes()
        estimator.save(f"{name}.model")
        yield f"kernel, {name}, model", Path(f"{name}.model").read_bytes()
    names = [f"word {j}" for j in range(X.shape[1])]
    for name, estimator in (
        ("averaged", AveragedPerceptron()),
        ("adaptive", AdaptivePerceptron()),
        ("winnow", Winnow(alpha=1.37)),
    ):
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            estimator.learn_one(dict(zip(names, x, strict=True)), label, classes=[-1, 1])
        estimator.save(f"{name}.model")
        yield f"{name}, one at a time, model", Path(f"{name}.model").read_bytes()


def proved() -> Iterator[tuple[str, bytes]]:
    """Certificates, bounds and summaries."""
    from novikoff import Additive, Kernel, certify, concepts, guarantees, play, sources

    X, u = uniform(3, 200, 6), uniform(4, 6)
    side = (X * u).cumsum(axis=1)[:, -1]
    tasks = {
        "separable": (X, side > 0, 1e-6),
        "narrow": (X[:40], side[:40] > 0, 0.0),
        "overlap": (X, uniform(5, 200) > 0, None),
        "quasi-complete": (np.round(X[:, :3]), np.round(X[:, 0]) > 0, None),
    }
    for name, (rows, labels, rtol) in tasks.items():
        certificate = certify(rows, np.where(labels, 1, -1), margin_rtol=rtol)
        certificate.save(f"{name}.json")
        yield f"certificate, {name}", Path(f"{name}.json").read_bytes()
        yield f"certificate, {name}, words", str(certificate).encode()
    whole = np.round(4 * X[:60, :2])
    in_kernel = certify(whole, whole.prod(axis=1) > 0, kernel=Kernel("poly", degree=2))
    yield "certificate in a kernel's space", repr(in_kernel.to_dict()).encode()
    for noisy in (0, 20):
        y = np.where(side > 0, 1, -1)
        y[:noisy] *= -1
        block, learner = sources.block(X, y), Additive(6)
        run = play(block, learner, epochs=30)
        yield f"summary, {noisy} noisy", str(run.summary(block)).encode()
        comparator = guarantees.best_comparator(run.ledger, block)
        yield f"comparator, {noisy} noisy", repr(comparator).encode()
    stream = sources.separable(500, u, margin=0.01, seed=7)
    yield "generated points", b"".join(block.rows.values.tobytes() for block in stream)
    majority = concepts.WeightedMajority(concepts.conjunctions(7), 0.7)
    truths = uniform(8, 50, 7) > 0
    play(sources.block(truths.astype(float), np.where(truths[:, 0], 1, -1)), majority)
    yield "scores of a weighted majority", repr(list(map(majority.score, truths))).encode()


def shown() -> Iterator[tuple[str, bytes]]:
    """What the commands print and write."""
    from novikoff.cli.main import run

    X, side = uniform(6, 120, 4), uniform(7, 120)
    for name, score in (("separable", X[:, 0] - X[:, 1] + 0.25), ("overlap", X[:, 0] + side)):
        lines = [",".join(map(repr, row)) for row in X.tolist()]
        labels = np.where(score > 0, "spam", "ham").tolist()
        table = "\n".join(f"{a},{b}" for a, b in zip(lines, labels, strict=True))
        Path(f"{name}.csv").write_text(f"left,right,ı,İ,kind\n{table}\n", encoding="utf-8")
    train = "train overlap.csv -q -o"
    commands = [
        f"{train} p.model --passes 4 --holdout 5",
        f"{train} s.model --standardise --unit-length --learner averaged --interactions all",
        f"{train} w.model --learner winnow --alpha 1.3 --passes 3 --json",
        f"{train} m.model --multiclass --learner averaged --passes 3",
        f"{train} h.model --hash-bits 6 --learner voted --passes 2 --ledger",
        "test s.model separable.csv",
        "predict w.model separable.csv --print both",
        "predict h.model separable.csv --print scores",
        "inspect s.model",
        "inspect p.model --json",
        "certify separable.csv -o separable.json --margin-rtol 1e-4",
        "certify overlap.csv -o overlap.json",
        "verify separable.json separable.csv",
        "report separable.csv -o separable.html -q",
        "report overlap.csv -o overlap.html -q",
        "lab xor",
        "lab margin --plot margin.svg",
        "lab learning-rate",
        "lab mistake-bounds",
        "certify nowhere.csv",
        "train --nonsense",
    ]
    for command in commands:
        out, error = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(error), suppress(SystemExit):
            run(command.split())
        yield f"$ {command}", _without_times(f"{out.getvalue()}\n{error.getvalue()}").encode()
    for path in sorted(Path().iterdir()):
        if path.suffix in (".model", ".json", ".html", ".svg"):
            content = path.read_bytes()
            if path.suffix == ".html":
                content = _without_times(content.decode()).encode()
            yield f"file {path.name}", content


def _without_times(text: str) -> str:
    return _TIMES.sub("…", text)


def main(folder: str) -> None:
    """Write every result into the folder, under its name."""
    results = Path(folder).resolve() / "results"
    work = Path(folder).resolve() / "work"
    results.mkdir(parents=True)
    work.mkdir()
    os.chdir(work)
    for part in (learned, proved, shown):
        for name, content in part():
            (results / name.replace("/", "_")).write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
