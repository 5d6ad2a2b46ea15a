"""Separation in regressions: verdicts, time, memory and rows, beside pyfixest's own checks.

python bench/separation.py [--rows 1000000] [--levels 10000] [--points] [--panels] [--pairs]
    [--checks fe ir]

With --points it first asks about points that are close to each other, and with --panels about
panels of firms of each model. The trade-like set has effects for each exporter and year and for
each importer and year. Some have only zeros in a year, which a look at each effect finds. What
islands export to the rest is always 0, and the dummy of a customs union is 1 on zeros only, which
it takes a combination to find. Some pairs never trade: with --pairs each pair has an effect, too.
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

from novikoff import certify, regression_data, verify

FORMULA = "trade ~ distance + tariff + union | exporter^year + importer^year"


def trade(rows: int, levels: int, years: int = 20, seed: int = 0) -> pd.DataFrame:
    """Rows of trade between countries, many of them 0; `levels` are pairs of country and year."""
    dice = np.random.default_rng(seed)
    n = levels // years
    exporter, importer = dice.integers(0, n, rows), dice.integers(0, n, rows)
    islands = max(2, n // 100)  # with records of exports alone, of which none reach the rest
    importer[(exporter >= islands) & (importer < islands)] += islands
    year = dice.integers(0, years, rows)
    distance, tariff = dice.normal(size=rows), dice.normal(size=rows)
    size = np.exp(dice.normal(size=n)[exporter] + dice.normal(size=n)[importer] - 1.5)
    amount = dice.poisson(size * np.exp(-0.5 * distance - 0.2 * tariff))
    quiet = dice.random((2, n, years)) < 0.005
    amount[quiet[0, exporter, year] | quiet[1, importer, year]] = 0
    amount[(exporter < islands) & (importer >= islands)] = 0
    amount[(dice.random((n, n)) < 0.1)[exporter, importer]] = 0
    union = (dice.random(rows) < 0.001) & (amount == 0)
    columns = {"distance": distance, "tariff": tariff, "union": union * 1.0}
    who = {"exporter": exporter, "importer": importer, "year": year}
    return pd.DataFrame({"trade": amount, **columns, **who})


def points() -> None:
    """Six points on a line, apart or overlapping by 1e-3 to 5e-324, at three scales; and pairs."""
    right = undecided = 0
    gaps = [10.0**e for e in (-3, -6, -9, -12, -15, -16, -18, -30, -100, -200, -300, -320)]
    cases = [
        (np.array([-1.0, -0.5, -gap, gap, 0.5, 1.0])[:, None] * scale, [0, 0, 0, 1, 1, 1])
        for scale in (1.0, 1e6, 1e-6)
        for size in (*gaps, 5e-324)
        for gap in (size, -size)
    ]
    pairs = [(np.array([[a], [b]]), [0, 1]) for a, b in ((1e12, 1e12 + 1), (2 - 2.0**-29, 2.0))]
    start = time.perf_counter()
    for X, y in (*cases, *pairs):
        found, (low,), (high,) = certify(X, y), X[len(X) // 2 - 1], X[len(X) // 2]
        expected = "complete" if low < high else "overlap" if low > high else "quasi-complete"
        undecided += found.verdict == "undecided"
        right += found.verdict == expected and verify(found, X, y)
    seconds = time.perf_counter() - start
    words = f"{len(cases)} lines and {len(pairs)} pairs: {right} right, {undecided} undecided"
    print(f"{words}, {seconds:.1f} s\n")


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
    parser.add_argument("--points", action="store_true", help="first ask about close points")
    parser.add_argument("--panels", action="store_true", help="first ask about panels of firms")
    parser.add_argument("--pairs", action="store_true", help="with an effect for each pair")
    parser.add_argument("--checks", nargs="*", default=["fe", "ir"], help="those of pyfixest")
    given = parser.parse_args()
    if given.points:
        points()
    if given.panels:
        panels()
    frame = trade(given.rows, given.levels)
    formula = FORMULA + " + exporter^importer" * given.pairs
    data, reading = measured(lambda: regression_data(formula, frame))
    began = time.process_time()
    found, seconds = measured(lambda: certify(data, model="poisson"))
    busy = time.process_time() - began
    _, checking = measured(lambda: verify(found, data))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    separated = {*found.separated_rows.tolist()}
    levels = [len(np.unique(one)) for one in data.fixed_effects.values()]
    print(f"{given.rows:,} rows, {levels} levels: {found.verdict}, {peak:.1f} GB")
    print("\n| | seconds | processor | rows found | missed | wrong |\n|---|---|---|---|---|---|")
    print(f"| reading the formula | {reading} | | | | |")
    print(f"| certify | {seconds} | {busy:.1f} | {len(separated):,} | 0 | 0 |")
    print(f"| verify | {checking} | | | | |")
    warnings.simplefilter("ignore")
    from pyfixest.estimation.models.fepois_ import _check_for_separation

    columns = frame[["distance", "tariff", "union"]]
    effects = pd.DataFrame({k: pd.factorize(v)[0] for k, v in data.fixed_effects.items()})
    for method in given.checks:
        began = time.process_time()
        rows, seconds = measured(
            partial(
                _check_for_separation, formula, frame, frame[["trade"]], columns, effects, [method]
            )
        )
        busy = time.process_time() - began
        if rows is None:
            print(f"| pyfixest, {method!r} | {seconds} | {busy:.1f} | | | |")
            continue
        missed, wrong = separated - {*rows}, {*rows} - separated
        counts = f"{len(rows):,} | {len(missed):,} | {len(wrong):,}"
        print(f"| pyfixest, {method!r} | {seconds} | {busy:.1f} | {counts} |")
        if missed:
            in_union = int(frame.loc[sorted(missed), "union"].sum())
            words = f"{in_union:,} of the union, {len(missed) - in_union:,} others"
            print(f"| missed by {method!r}: {words} | | | | | |")


if __name__ == "__main__":
    main()
