"""From raw text to a model, against HashingVectorizer + SGDClassifier(average=True).

Whole processes that read a file of messages and learn from words and pairs of words in one pass,
hashed to 2^20 columns; then the accuracy of both on the messages after the first 4,500 of the file
itself. The timed file holds texts drawn from the given messages: each goes on, word by word, as
messages of its class do, with a jump now and then, so that there are far more pairs than in the
file itself.
Run: python bench/text_features.py sms_raw.tsv.gz [--megabytes 200] [--times 3]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from processes import best_of, measure

Rows: TypeAlias = list[tuple[str, str]]

TRAINED_ON = 4_500
HOW = ["--no-header", "--label", "0", "--text", "1", "--quote", "none"]
PEER = """
import sys
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

def read(path):
    with open(path, encoding="utf-8", newline="\\n") as file:
        return zip(*(line.rstrip("\\n").split("\\t", 1) for line in file))

passes, trained, *tested = sys.argv[1:]
labels, texts = read(trained)
words = HashingVectorizer(ngram_range=(1, 2))
passes = {"max_iter": 1, "tol": None} if passes == "one" else {}
model = SGDClassifier(average=True, random_state=0, **passes).fit(words.transform(texts), labels)
for path in tested:
    labels, texts = read(path)
    print(model.score(words.transform(texts), labels))
"""


def messages(path: Path) -> Rows:
    """The label and the text of each line."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file]
    return [(label, text) for label, text in rows]


def drawn(rows: Rows, size: int) -> Iterator[str]:
    """Lines like the rows, of 10 to 300 words, until they have this many bytes."""
    dice = random.Random(0)
    follows: dict[str, dict[str, list[str]]] = {}
    words: dict[str, list[str]] = {}
    for label, text in rows:
        own = text.split()
        words.setdefault(label, []).extend(own)
        for a, b in pairwise(own):
            follows.setdefault(label, {}).setdefault(a, []).append(b)
    written = 0
    while written < size:
        label = dice.choice(sorted(words))
        word = dice.choice(words[label])
        chosen = [word]
        for _ in range(dice.randrange(10, 300)):
            after = follows[label].get(word)
            word = dice.choice(after if after and dice.random() < 0.8 else words[label])
            chosen.append(word)
        line = f"{label}\t{' '.join(chosen)}\n"
        written += len(line.encode())
        yield line


def write(path: Path, rows: Rows) -> Path:
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    return path


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("messages", type=Path, help="label TAB message on each line, gzip")
    options.add_argument("--megabytes", type=int, default=200)
    options.add_argument("--times", type=int, default=3)
    given = options.parse_args()
    rows = messages(given.messages)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        large, model = where / "large.tsv", str(where / "model")
        with large.open("w", encoding="utf-8") as file:
            file.writelines(drawn(rows, given.megabytes * 10**6))
        novikoff = [sys.executable, "-m", "novikoff", "train", "-o", model, "-q", *HOW]
        one_pass = ["--learner", "averaged", "--stream"]
        peer = [sys.executable, "-c", PEER]
        times = best_of(
            given.times,
            {
                "novikoff, hashed": [*novikoff, str(large), *one_pass, "--hash-bits", "20"],
                "novikoff, dictionary": [*novikoff, str(large), *one_pass],
                "HashingVectorizer + SGDClassifier": [*peer, "one", str(large)],
            },
        )
        slowest = times["HashingVectorizer + SGDClassifier"]
        size = f"{large.stat().st_size / 1e6:.0f} MB"
        print(f"| raw text to model, {size} | time | ratio | CPU time | ratio | MB |")
        print("|---|---|---|---|---|---|")
        for name, took in times.items():
            ratios = f"{slowest.seconds / took.seconds:.1f}×", f"{slowest.cpu / took.cpu:.1f}×"
            shown = f"{took.seconds:.2f} s | {ratios[0]} | {took.cpu:.2f} s | {ratios[1]}"
            print(f"| {name} | {shown} | {took.peak:.0f} |")
        train = write(where / "train.tsv", rows[:TRAINED_ON])
        test = write(where / "test.tsv", rows[TRAINED_ON:])
        print(
            f"\n| accuracy, {TRAINED_ON:,} messages, tested on {len(rows) - TRAINED_ON} others | |"
        )
        print("|---|---|")
        for learner in ([], ["--learner", "averaged"]):
            measure([*novikoff, str(train), *learner])
            tested = [sys.executable, "-m", "novikoff", "test", model, str(test), "--json"]
            output = measure(tested).output  # with a warning about unknown words before it
            found = json.loads(output[output.index("{") :])
            print(f"| novikoff train {' '.join(learner)} | {found['accuracy']:.2%} |")
        for passes, words in (("one", "one pass"), ("usual", "its default passes")):
            score = float(measure([*peer, passes, str(train), str(test)]).output)
            print(f"| HashingVectorizer + SGDClassifier, {words} | {score:.2%} |")


if __name__ == "__main__":
    main()
