"""A Dask cluster inside the test process, for all tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def workers() -> Iterator[Any]:
    """A client of three workers."""
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def address(workers: Any) -> str:
    """The address of its scheduler."""
    return str(workers.scheduler.address)


def lines(n: int, *, separable: bool, seed: int = 0) -> str:
    """Examples in svmlight: twelve columns of dyadic numbers, and a constant."""
    rng = np.random.default_rng(seed)
    X, u = rng.integers(-8, 9, (n, 12)) / 8, rng.normal(size=12)
    scores = X @ u
    X, scores = (
        (X[np.abs(scores) > 0.2], scores[np.abs(scores) > 0.2]) if separable else (X, scores)
    )
    y = np.where(scores > 0, 1, -1)
    if not separable:
        y[rng.random(len(y)) < 0.1] *= -1
    return "".join(
        f"{label:+d}" + "".join(f" {j}:{v}" for j, v in enumerate(x, 1) if v) + "\n"
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    )


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file that weights separate, and one that none do."""
    folder = tmp_path_factory.mktemp("data")
    out = {name: folder / f"{name}.svm" for name in ("separable", "mixed")}
    for name, path in out.items():
        path.write_text(lines(600, separable=name == "separable"))
    return out
