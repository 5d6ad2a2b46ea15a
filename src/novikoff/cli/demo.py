"""`novikoff demo`: a spam filter learned from its mistakes, with the proof of how few they are."""

import time
from typing import get_args

import numpy as np

from novikoff import guarantees, sources
from novikoff.guarantees.known import applicable_bound
from novikoff.guarantees.words import run_ended
from novikoff.learners.rule import Rule
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.models.measures import Confusion
from novikoff.runs.loop import play
from novikoff.stream import unit_length
from novikoff.stream.blocks import Block
from novikoff.stream.labels import predicts_positive
from novikoff.stream.printing import count, plural, share
from novikoff.stream.rows import Vector

PASSES_SHOWN = 5  # then every tenth
WORDS_SHOWN = 12


def demo(seed: int = 0) -> None:
    """Learn a spam filter from e-mail that comes with the package, and check the theorem on it."""
    began = time.perf_counter()
    block, words = sources.spamassassin()
    train, test = split(Block(unit_length(block.rows), block.labels), seed)
    print(
        f"{count(len(block))} messages, {count(int((block.labels > 0).sum()))} of them spam; "
        f"{count(len(words))} words, each message scaled to length 1.\n"
        f"Learning from {count(len(train))}; {count(len(test))} are held out.\n\n"
        "pass   mistakes"
    )
    learner = Rule("averaged").learner(len(words))
    run = play(train, learner, epochs=1000, progress=print_pass)
    ledger = run.ledger
    print(
        f"\nVerdict: {run.verdict}, after {plural(run.epochs, 'pass', 'passes')} over the "
        f"{count(len(train))} messages and {count(len(ledger))} mistakes in "
        f"{count(ledger.n_rounds)} rounds:\n{run_ended(run.verdict, of='messages')}.\n"
    )
    bound, why_not = applicable_bound(ledger, witness=find_witness(train))
    if bound is None:
        print(f"No bound: {why_not}.\n")
    else:
        ceiling = guarantees.margin_at_most(ledger)
        print(
            f"Novikoff's theorem: with the radius R = {ledger.radius:.4f} of the mistaken messages "
            f"and a separator of margin\nγ = {bound.unit_margin:.4f}, at most (R/γ)² = "
            f"{count(bound.bound)} mistakes; {count(bound.mistakes)} were made, so the bound "
            f"{'holds' if bound.holds else 'FAILS'}.\n"
            f"No separator has a margin above {ceiling.value:.4f}: the mistakes themselves prove "
            "it.\n(Both are computed in exact arithmetic.)\n"
        )
    by_weight = np.argsort(readings.weights(learner, ledger, "average")[:-1], kind="stable")
    spam, ham = by_weight[::-1][:WORDS_SHOWN], by_weight[:WORDS_SHOWN]
    print("Largest weights for spam:", ", ".join(words[j] for j in spam))
    print("Largest weights for ham: ", ", ".join(words[j] for j in ham))
    print("\nThree predictors from the same run, on the held-out messages:")
    for reading in get_args(readings.Reading):
        confusion = Confusion()
        scores = readings.scores(learner, ledger, reading, test.rows)
        confusion.count(test.signs > 0, predicts_positive(scores).astype(np.int32))
        print(
            f"  {reading:8} {count(confusion.right)} of {count(len(test))} right, "
            f"{share(confusion.accuracy)}"
        )
    print(f"\nAll of this took {time.perf_counter() - began:.1f} seconds.")


def split(block: Block, seed: int) -> tuple[Block, Block]:
    """Four fifths to learn from and one to hold out, in a random order."""
    order = np.random.default_rng(seed).permutation(len(block))
    cut = len(order) - len(order) // 5
    return block.take(order[:cut]), block.take(order[cut:])


def print_pass(ledger: Ledger) -> None:
    """One line for the pass just made, its mistakes drawn to scale."""
    passes, made = len(ledger.epoch_mistakes), ledger.epoch_mistakes[-1]
    if passes <= PASSES_SHOWN or passes % 10 == 0 or made == 0:
        bar = "█" * round(40 * made / ledger.epoch_mistakes[0])
        print(f"{passes:5}  {made:8}  {bar}")


def find_witness(train: Block) -> Vector:
    """The weights of a margin perceptron: a better witness than the run's own."""
    learner = Rule("margin", margin=16.0).learner(train.rows.dim)
    play(train, learner, epochs=5000, ledger=learner.open_ledger("counts"))
    return learner.weights
