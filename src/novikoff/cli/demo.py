"""`novikoff demo`: a spam filter learned from its mistakes, with the proof of how few they are."""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np

from novikoff import guarantees, sources
from novikoff.cli.main import Option
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Vector, dots
from novikoff.stream.scaling import unit_length

EPOCHS_SHOWN = 5  # then every tenth


def demo(
    seed: Annotated[int, Option(min=0, help="Draws the held-out messages and the order.")] = 0,
) -> None:
    """Learn a spam filter on mail that ships with the package; check it against the theorem."""
    began = time.perf_counter()
    block, words = sources.spamassassin()
    train, test = split(Block(unit_length(block.rows), block.labels), seed)
    spam = int((block.labels > 0).sum())
    print(
        f"{len(block):,} messages, {spam:,} of them spam; {len(words):,} words, each message "
        f"scaled to length 1.\nLearning from {len(train):,}; {len(test):,} are held out.\n\n"
        "epoch  mistakes"
    )
    learner = Additive(len(words), bias=True, averaging=True)
    run = play(train, learner, epochs=1000, progress=print_epoch)
    ledger = run.ledger
    clean = "no mistake" if run.verdict == "separated" else f"{ledger.epoch_mistakes[-1]} mistakes"
    print(
        f"\nVerdict: {run.verdict}. Pass {run.epochs} over the {len(train):,} messages made "
        f"{clean};\n{len(ledger):,} mistakes were made in {ledger.n_rounds:,} rounds.\n"
    )
    print_bound(train, ledger)
    print_words(learner.average[:-1], words)
    print_readings(test, learner, ledger)
    print(f"\nAll of this took {time.perf_counter() - began:.1f} seconds.")


def split(block: Block, seed: int) -> tuple[Block, Block]:
    """Four fifths to learn from and one to hold out, in a random order."""
    order = np.random.default_rng(seed).permutation(len(block))
    cut = len(order) - len(order) // 5
    train, test = (
        Block(block.rows.take(part), block.labels[part]) for part in (order[:cut], order[cut:])
    )
    return train, test


def print_epoch(ledger: Ledger) -> None:
    """One line for the pass just made, its mistakes drawn to scale."""
    epoch, made = len(ledger.epoch_mistakes), ledger.epoch_mistakes[-1]
    if epoch <= EPOCHS_SHOWN or epoch % 10 == 0 or made == 0:
        bar = "█" * round(40 * made / ledger.epoch_mistakes[0])
        print(f"{epoch:5}  {made:8}  {bar}")


def find_witness(train: Block) -> Vector:
    """The weights of a perceptron that insists on a margin: a better witness than the run's own."""
    careful = Additive(train.rows.dim, bias=True, margin=16.0)
    play(train, careful, epochs=5000, ledger=careful.open_ledger("counts"))
    return careful.weights


def print_bound(train: Block, ledger: Ledger) -> None:
    """Novikoff's bound, and what the mistakes say of the best margin."""
    witness = find_witness(train)
    ceiling = guarantees.margin_at_most(ledger)
    if guarantees.achieved_margin(witness, train).smallest <= 0:
        print("No witness for the bound was found.\n")
        return
    bound = guarantees.novikoff(ledger, witness)
    print(
        f"Novikoff's theorem: with radius R = {ledger.radius:.4f} and a separator of margin "
        f"{bound.unit_margin:.4f},\nat most (R/γ)² = {bound.bound:,} mistakes; {bound.mistakes:,} "
        f"were made: the bound {'holds' if bound.holds else 'FAILS'}.\n"
        f"No separator has a margin above {ceiling.value:.4f}: the mistakes themselves prove it.\n"
        "(Both computed in exact arithmetic.)\n"
    )


def print_words(weights: Vector, words: list[str], most: int = 12) -> None:
    """The words with the largest and the smallest weights."""
    by_weight = np.argsort(weights, kind="stable")
    print("Most telling of spam: ", ", ".join(words[j] for j in by_weight[::-1][:most]))
    print("Most telling of ham:  ", ", ".join(words[j] for j in by_weight[:most]))


def print_readings(test: Block, learner: Additive, ledger: Ledger) -> None:
    """How many held-out messages each reading of the run gets right."""
    scores = {
        "final weights": learner.scores(test.rows),
        "average": dots(test.rows, learner.average, bias=True),
        "vote": readings.vote(ledger, test.rows),
    }
    print("\nThree readings of the same run, on the held-out messages:")
    for name, score in scores.items():
        right = int(((score >= 0) == (test.labels > 0)).sum())
        print(f"  {name:14} {right:,} of {len(test):,} right, {right / len(test):.2%}")
