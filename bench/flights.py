"""Three million flights in one pass, and the last 100,000 held out: novikoff beside its peers.

DIRECTORY holds stream/flights3m.csv.gz, US flights in order of time; the label is whether one was
late by more than 15 minutes. All learners see the same features: month, day of the month, day of
the week, origin and destination as categories; the minute of the day as a share of the day, and the
distance in thousands of miles. How late a flight was is the label, and no feature. "Wrong on the
way" is before learning from the row; novikoff's averaged learns with weights it does not predict
with, and theirs are counted. scikit-learn does not count: each thousand rows are predicted before
they are learned from, except for the average; its categories are found before, in memory, and its
perceptrons get a column of ones for the constant. Times are of whole processes, the scoring
included, once.
Run: python bench/flights.py DIRECTORY [--rows N] [--peers PYTHON]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from processes import HINGE, add_peers, has_vowpal, measure, novikoff, vowpal, vowpal_says

CATEGORIES = ("month", "day", "dow", "origin", "destination")
NUMBERS = {"minute_of_day": 1440.0, "distance": 1000.0}
HELD_OUT = 100_000

SCIKIT_LEARN = """
import sys
import numpy as np, pandas, scipy.sparse as sp
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.preprocessing import OneHotEncoder
train, test, name, out, categories, numbers = sys.argv[1:]
categories, numbers = categories.split(), numbers.split()
# rows that are sparse would have their intercept learned at a hundredth of the rate: a column of 1
plain = {"fit_intercept": False, "max_iter": 1, "tol": None}
average = {"learning_rate": "constant", "eta0": 1.0, "penalty": None, "average": True}
made = {
    "Perceptron": Perceptron(**plain),
    "averaged perceptron": SGDClassifier(loss="perceptron", **plain, **average),
    "SGDClassifier with defaults": SGDClassifier(),
}[name].set_params(shuffle=False)
def read(path):
    return pandas.read_csv(path, dtype=dict.fromkeys(categories, "str"), keep_default_na=False)
def rows(table):
    parts = [encoder.transform(table[categories]), table[numbers].to_numpy()]
    if not made.fit_intercept:
        parts.append(np.ones((len(table), 1)))
    X = sp.hstack(parts, "csr")
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
    return X
table = read(train)
encoder = OneHotEncoder(handle_unknown="ignore").fit(table[categories])
X, y, wrong = rows(table), table["label"].to_numpy(), 0
if name == "averaged perceptron":  # by parts it would not be the average that fit gives
    made.fit(X, y)
    wrong = "nan"
else:
    for at in range(0, len(y), 1000):
        part, labels = X[at : at + 1000], y[at : at + 1000]
        wrong += (made.predict(part) != labels).sum() if at else len(labels)
        made.partial_fit(part, labels, classes=[-1, 1])
print(wrong)
np.savetxt(out, made.decision_function(rows(read(test))))
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What a learner did: its mistakes on the way (NaN: not counted), its scores, its time."""

    name: str
    progressive: float
    scores: Path
    seconds: float


class Flights:
    """The two parts of the stream, as tables and as Vowpal Wabbit's text."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.train, self.test = folder / "train.csv", folder / "test.csv"
        self.train_vw, self.test_vw = folder / "train.vw", folder / "test.vw"

    def write(self, stream: Path, rows: int | None) -> tuple[int, NDArray[np.int64]]:
        """The parts, from the stream; how many rows the first has, and the labels of the second."""
        table = scaled(pyarrow.csv.read_csv(stream).slice(0, rows))
        train = table.slice(0, len(table) - HELD_OUT)
        test = table.slice(len(train))
        for part, csv, vw in ((train, self.train, self.train_vw), (test, self.test, self.test_vw)):
            pyarrow.csv.write_csv(part, csv, pyarrow.csv.WriteOptions(quoting_style="none"))
            with vw.open("w") as file:
                file.writelines(f"{line}\n" for line in as_vowpal(part).to_pylist())
        return len(train), test["label"].to_numpy()

    def ours(self, learner: str) -> Result:
        """One pass of novikoff, and its scores."""
        model, scores = self.folder / f"{learner}.model", self.folder / f"{learner}.txt"
        how = [word for name in CATEGORIES for word in ("--categorical", name)]
        command = novikoff("train", self.train, "-o", model, "--learner", learner, "--json", "-q")
        trained = measure([*command, "--label", "label", "--classes=-1,1", *how])
        scored = measure(novikoff("predict", model, self.test, "--print", "scores", "-o", scores))
        found = json.loads(trained.output)
        rate = found["mistakes"] / found["examples"]
        return Result(f"novikoff, {learner}", rate, scores, trained.seconds + scored.seconds)

    def vowpal(self, python: str, name: str, *words: str) -> Result:
        """One pass of Vowpal Wabbit, and its scores before they are clipped."""
        model, scores = self.folder / "vw.model", self.folder / f"{name}.txt"
        trained = measure(vowpal(python, "-d", self.train_vw, "-f", model, "--binary", *words))
        again = vowpal(python, "-t", "-i", model, "-d", self.test_vw, "-r", scores, "--quiet")
        rate = vowpal_says(trained.output, "average loss")
        return Result(
            f"Vowpal Wabbit, {name}", rate, scores, trained.seconds + measure(again).seconds
        )

    def scikit_learn(self, name: str, rows: int) -> Result:
        """One pass of scikit-learn, and its scores."""
        scores = self.folder / f"{name}.txt"
        words = (self.train, self.test, name, scores, " ".join(CATEGORIES), " ".join(NUMBERS))
        seen = measure([sys.executable, "-c", SCIKIT_LEARN, *map(str, words)])
        rate = float(seen.output.split()[-1]) / rows
        return Result(f"scikit-learn, {name}", rate, scores, seen.seconds)


def scaled(table: pa.Table) -> pa.Table:
    """The features and the label, the numbers of about the size of 1."""
    columns = {"label": table["label"], **{name: table[name] for name in CATEGORIES}}
    for name, unit in NUMBERS.items():
        columns[name] = pc.round(pc.divide(pc.cast(table[name], pa.float64()), unit), 4)
    return pa.table(columns)


def as_vowpal(table: pa.Table) -> pa.ChunkedArray:
    """Lines of Vowpal Wabbit's text with the features that novikoff makes of the table."""
    text = {name: pc.cast(table[name], pa.string()) for name in table.column_names}
    named = [pc.binary_join_element_wise(name, text[name], "=") for name in CATEGORIES]
    valued = [pc.binary_join_element_wise(name, text[name], ":") for name in NUMBERS]
    return pc.binary_join_element_wise(text["label"], "|", *named, *valued, " ")


def show(result: Result, labels: NDArray[np.int64]) -> None:
    scores = np.loadtxt(result.scores)
    right = np.mean((scores >= 0) == (labels > 0))
    area = roc_auc_score(labels, scores)
    wrong = "—" if math.isnan(result.progressive) else f"{result.progressive:.2%}"
    print(
        f"| {result.name} | {wrong} | {right:.2%} | {area:.4f} | {result.seconds:.1f} s |",
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("directory", type=Path, help="the data are in stream/ of this")
    options.add_argument("--rows", type=int, help="only the first so many, the held-out included")
    add_peers(options)
    given = options.parse_args()
    peer = given.peers if has_vowpal(given.peers) else None
    with tempfile.TemporaryDirectory() as folder:
        flights = Flights(Path(folder))
        rows, labels = flights.write(given.directory / "stream" / "flights3m.csv.gz", given.rows)
        print(f"{rows:,} rows learned from, {len(labels):,} held out\n")
        print("| learner | progressive error | held out: accuracy | ROC area | time |")
        print("|---|---|---|---|---|")
        share = max(np.mean(labels > 0), np.mean(labels < 0))
        print(f"| always the more frequent label | | {share:.2%} | 0.5 | |")
        for learner in ("perceptron", "averaged"):
            show(flights.ours(learner), labels)
        if peer is not None:
            show(flights.vowpal(peer, "hinge, plain SGD, constant rate", *HINGE), labels)
            show(flights.vowpal(peer, "with defaults"), labels)
        for name in ("Perceptron", "averaged perceptron", "SGDClassifier with defaults"):
            show(flights.scikit_learn(name, rows), labels)


if __name__ == "__main__":
    main()
