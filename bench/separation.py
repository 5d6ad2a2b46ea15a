"""Separation in regressions with fixed effects: time and rows, beside pyfixest's own checks.

python bench/separation.py [--rows 1000000] [--levels 10000] [--panels]

With --panels it first asks about panels of firms of each model. The trade-like set has exporter
and importer effects. Some levels have only zeros, which a look at each effect finds; some levels
are linked to the rest by zeros alone, and the dummy of a customs union is 1 on zeros only, which it
takes a combination to find.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from novikoff import certify, certify_formula, regression_data, verify

FORMULA = "trade ~ distance + tariff + union | exporter + importer"


def trade(rows: int, levels: int, seed: int = 0) -> pd.DataFrame:
    """Rows of trade between exporters and importers, many of them 0."""
    dice = np.random.default_rng(seed)
    exporter, importer = dice.integers(0, levels, rows), dice.integers(0, levels, rows)
    distance, tariff = dice.normal(size=rows), dice.normal(size=rows)
    size = np.exp(dice.normal(size=levels)[exporter] + dice.normal(size=levels)[importer] - 1.5)
    amount = dice.poisson(size * np.exp(-0.5 * distance - 0.2 * tariff))
    quiet = levels // 200
    amount[(exporter < quiet) | (importer < quiet)] = 0
    island = (exporter >= levels - quiet) & (importer < levels - quiet)
    mainland = (exporter < levels - quiet) & (importer >= levels - quiet)
    amount[island | mainland] = 0  # islands trade with one another only
    union = (dice.random(rows) < 0.001) & (amount == 0)
    columns = {"distance": distance, "tariff": tariff, "union": union * 1.0}
    return pd.DataFrame({"trade": amount, **columns, "exporter": exporter, "importer": importer})


def panel(
    rows: int, firms: int, levels: int, years: int = 0, seed: int = 0
) -> tuple[pd.DataFrame, Any, list[str]]:
    """Rows of firms, perhaps of years too, and a response of so many levels."""
    dice = np.random.default_rng(seed)
    frame = pd.DataFrame(dice.normal(size=(rows, 3)), columns=["x", "z", "w"])
    frame["firm"] = dice.integers(0, firms, rows)
    effects = ["firm"]
    if years:
        frame["year"], effects = dice.integers(0, years, rows), ["firm", "year"]
    scores = frame[["x", "z", "w"]].to_numpy() @ dice.normal(size=(3, levels))
    scores += dice.normal(size=(firms, levels))[frame.firm] + dice.gumbel(size=(rows, levels))
    return frame, scores.argmax(axis=1), effects


PANELS: list[tuple[str, Any, tuple[int, int, int, int]]] = [
    ("logit, 20,000 × 1,000 firms", "binary", (20_000, 1000, 2, 0)),
    ("logit, 50,000 × 2,000 firms", "binary", (50_000, 2000, 2, 0)),
    ("logit, 50,000 × 2,000 firms and 20 years", "binary", (50_000, 2000, 2, 20)),
    ("Poisson, 50,000 × 1,000 firms and 20 years", "poisson", (50_000, 1000, 3, 20)),
    ("Poisson, 100,000 × 4,000 firms and 20 years", "poisson", (100_000, 4000, 3, 20)),
    ("ordinal, 5 levels, 20,000 × 1,000 firms", "ordinal", (20_000, 1000, 5, 0)),
    ("multinomial, 4 levels, 20,000 × 1,000 firms", "multinomial", (20_000, 1000, 4, 0)),
    ("multinomial, 16 levels, 20,000 × 1,000 firms", "multinomial", (20_000, 1000, 16, 0)),
]


def panels() -> None:
    """A line for each panel."""
    print("| panel | seconds | processor | verify | verdict | rows |\n|---|---|---|---|---|---|")
    for name, model, shape in PANELS:
        X, y, effects = panel(*shape)
        began = time.process_time()
        found, seconds = measured(
            partial(certify, X, y, model=model, fixed_effects=effects, max_seconds=300)
        )
        busy = time.process_time() - began
        _, checking = measured(partial(verify, found, X, y, fixed_effects=effects))
        separated = f"{len(found.separated_rows):,}"
        print(
            f"| {name} | {seconds} | {busy:.1f} | {checking} | {found.verdict} | {separated} |",
            flush=True,
        )


def measured(run: Callable[[], Any]) -> tuple[Any, str]:
    start = time.perf_counter()
    try:
        found = run()
    except Exception as error:  # a table says so
        return None, f"{type(error).__name__} after {time.perf_counter() - start:.1f}"
    return found, f"{time.perf_counter() - start:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--levels", type=int, default=10_000)
    parser.add_argument("--panels", action="store_true", help="first ask about panels of firms")
    given = parser.parse_args()
    if given.panels:
        panels()
    frame = trade(given.rows, given.levels)
    data, reading = measured(lambda: regression_data(FORMULA, frame))
    found, seconds = measured(lambda: certify_formula(FORMULA, frame, model="poisson"))
    _, checking = measured(lambda: verify(found, data))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    separated = {*found.separated_rows.tolist()}
    print(f"{given.rows:,} rows, 2 × {given.levels:,} levels: {found.verdict}, {peak:.1f} GB")
    print("\n| | seconds | rows found | missed | wrong |\n|---|---|---|---|---|")
    print(f"| certify_formula (reading {reading}) | {seconds} | {len(separated):,} | 0 | 0 |")
    print(f"| verify | {checking} | | | |")
    warnings.simplefilter("ignore")
    from pyfixest.estimation.models.fepois_ import _check_for_separation

    columns = frame[["distance", "tariff", "union"]]
    effects = frame[["exporter", "importer"]]
    for method in ("fe", "ir"):
        rows, seconds = measured(
            partial(
                _check_for_separation, FORMULA, frame, frame[["trade"]], columns, effects, [method]
            )
        )
        if rows is None:
            print(f"| pyfixest, {method!r} | {seconds} | | | |")
            continue
        missed, wrong = len(separated - {*rows}), len({*rows} - separated)
        print(f"| pyfixest, {method!r} | {seconds} | {len(rows):,} | {missed:,} | {wrong:,} |")


if __name__ == "__main__":
    main()
