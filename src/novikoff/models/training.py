"""From blocks to a model: passes over data of any size, to be stopped and gone on with."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.learners.multiplicative import usual_threshold
from novikoff.learners.rule import KINDS, WINNOWS, Kind, Linear, Rule
from novikoff.ledger.ledger import Keep, Ledger
from novikoff.models.measures import ClassConfusion, Confusion, best_classes
from novikoff.models.model import Model
from novikoff.runs.cycles import Repeats
from novikoff.runs.loop import Run, play
from novikoff.sources.features import Features
from novikoff.storage.checked import Arrays, Settings
from novikoff.stream.blocks import Block
from novikoff.stream.order import block_order
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Positions

MOST_WEIGHTS = 1 << 28


class Blocks(Protocol):
    """Examples with numbered features and labels, to be met any number of times."""

    @property
    def features(self) -> Features:
        """How features became columns, as far as they have been met."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that are −1 and +1; or those of all classes met so far, in their order."""

    def __iter__(self) -> Iterator[Block]: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train.

    Parameters
    ----------
    kind
        "perceptron", "margin", "averaged" or "voted"; "winnow" (balanced), "winnow1" or "winnow2".
    passes
        How many passes to make at most; fewer when one makes no mistake or the weights repeat.
    margin
        For "margin": update when y(w·x) ≤ margin.
    bias
        Whether a constant feature 1 is folded in; "winnow1" and "winnow2" have none.
    shuffle, seed
        Whether the rows of each block come in an order drawn from the seed, the same in every pass.
    holdout
        Every so manyth example is kept out of learning.
    keep
        What the ledger keeps of a mistake; a vote always keeps "examples".
    alpha, threshold
        For the Winnows: α, by default 1.1 for "winnow" and 2 for the others; and θ, by default 0
        for "winnow". The others need it, unless features are hashed to 2^b columns: then it is
        half of that for "winnow1", and that for "winnow2".
    multiclass
        Whether any number of classes are learned jointly, as they are met: see `Joint`; not for the
        Winnows.
    """

    kind: Kind = "perceptron"
    passes: int = 1
    margin: float = 0.0
    bias: bool = True
    shuffle: bool = False
    seed: int = 0
    holdout: int | None = None
    keep: Keep = "counts"
    alpha: float | None = None
    threshold: float | None = None
    multiclass: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {self.kind!r}")
        if not isinstance(self.passes, int) or self.passes < 1:
            raise ValueError(f"passes must be a whole number from 1, not {self.passes!r}")
        if self.holdout is not None and self.holdout < 2:
            raise ValueError(f"holdout must be at least 2, not {self.holdout}")
        if self.kind == "margin" and not self.margin > 0:
            raise ValueError("a margin perceptron needs a margin above 0")
        if self.margin == math.inf:
            raise ValueError("the margin must be finite")
        if self.kind != "margin" and self.margin:
            raise ValueError(f"a margin is for the margin perceptron, not {self.kind}")
        for name in ("alpha", "threshold"):
            if self.kind not in WINNOWS and getattr(self, name) is not None:
                raise ValueError(f"{name} is for winnow, winnow1 and winnow2, not {self.kind}")
        if self.multiclass and self.kind in WINNOWS:
            raise ValueError(
                f"{self.kind} learns two labels; many at once (multiclass=, --multiclass) are "
                "learned by perceptron, margin, averaged and voted"
            )

    @property
    def order(self) -> dict[str, Any]:
        """What a model remembers of the order of its examples."""
        seed = self.seed if self.shuffle else None
        return {"shuffle": self.shuffle, "seed": seed, "holdout": self.holdout}

    def new_learner(self, hash_bits: int | None = None, *, classes: int = 0) -> Linear:
        """A learner that has met nothing yet, for features that are hashed or not.

        With `multiclass` it knows so many classes beforehand.
        """
        rule = Rule(
            self.kind,
            bias=self.bias,
            margin=self.margin,
            alpha=self.alpha,
            threshold=self.threshold,
            joint=self.multiclass,
        )
        if rule.needs_width and hash_bits is not None:
            rule = replace(rule, threshold=usual_threshold(WINNOWS[self.kind], 1 << hash_bits))
        if rule.needs_width:
            usual = "half the number of attributes" if self.kind == "winnow1" else "their number"
            raise ValueError(
                f"{self.kind} needs a threshold, usually {usual}, which is not known before the "
                "data are read: give it, or hash the attributes (--threshold, --hash-bits)"
            )
        return rule.learner(0, classes=classes)

    def new_model(self, features: Features, classes: tuple[str, ...]) -> Model:
        """A model that has learned nothing yet."""
        learner = self.new_learner(features.hash_bits, classes=len(classes))
        keep: Keep = "examples" if self.kind == "voted" else self.keep
        return Model(self.kind, learner, features, classes, learner.open_ledger(keep), self.order)


class Training:
    """A run that can be stopped after any block, saved, and gone on with, to the same last bit.

    Parameters
    ----------
    blocks
        The examples; they are iterated over once a pass.
    plan
        How to train.
    initial
        The model to go on from. If its run is unfinished, the examples and the plan must be those
        it was made with, and it goes on where it stopped; otherwise these examples follow those it
        has learned from.
    data
        What the examples are known by; an unfinished run goes on with the same only.
    after_block
        Called whenever a block has been learned from; `save` may then be called.

    Attributes
    ----------
    passes_made, position
        How many passes are over, and how many examples of the present one have been met.
    """

    def __init__(
        self,
        blocks: Blocks,
        plan: Plan,
        *,
        initial: Model | None = None,
        data: str = "",
        after_block: AfterBlock | None = None,
    ) -> None:
        self.plan, self.passes_made, self.position = plan, 0, 0
        self._blocks, self._data, self._after_block = blocks, data, after_block
        self._repeats = Repeats() if plan.passes > 1 else None
        if initial is None:
            self.model = plan.new_model(blocks.features, blocks.classes)
        elif initial.unfinished is None:
            self.model = self._follow(initial)
        else:
            self.model = self._resume(initial, initial.unfinished)
        # rows are known by their place among all examples, those of earlier data first
        self._began, self._met = self.model.examples, self._met_before(initial)

    @staticmethod
    def _met_before(initial: Model | None) -> int:
        """How many examples of these an unfinished run has met."""
        if initial is None or initial.unfinished is None:
            return 0
        return int(initial.unfinished["met"])

    def _follow(self, initial: Model) -> Model:
        if initial.kind != self.plan.kind:
            raise BadExample(f"the model is of kind {initial.kind}, not {self.plan.kind}")
        if initial.is_joint != self.plan.multiclass:
            knows = "many classes" if initial.is_joint else "two labels"
            asked = "many classes" if self.plan.multiclass else "two labels"
            raise BadExample(f"the model is of {knows}, and {asked} are to be learned")
        ledger = initial.ledger
        if self.plan.passes > 1 and ledger.open_rounds:
            ledger.close_epoch()
        return replace(initial, features=self._blocks.features, order=self.plan.order)

    def _resume(self, initial: Model, unfinished: dict[str, Any]) -> Model:
        if unfinished["passes"] != self.plan.passes or initial.order != self.plan.order:
            raise BadExample(
                "the run of this model is unfinished, and was begun with other passes, shuffling, "
                "seed or holdout; go on with the same"
            )
        if unfinished["data"] != self._data:
            raise BadExample(
                "the run of this model is unfinished, and was begun with other data or read them "
                "in another way; go on with the same, or begin anew with another file for the model"
            )
        self.passes_made, self.position = unfinished["passes_made"], unfinished["position"]
        if self._repeats is not None:
            self._repeats = Repeats.restored(unfinished["watch"], initial.watch)
            self._repeats.widen(initial.features.room, bias=initial.learner.bias)
        initial.widen(initial.features.room)
        features = self._blocks.features
        return replace(initial, features=features, unfinished=None, watch={})

    def run(self) -> Run:
        """Make the passes that are left; the model is then finished."""
        model = self.model
        run = play(
            self,
            model.learner,
            epochs=self.plan.passes - self.passes_made,
            ledger=model.ledger,
            progress=self._close_pass,
            after_block=self._close_block,
            repeats=self._repeats,
        )
        if self.plan.passes == 1:  # a stream may go on, so its pass is left open
            model.ledger.reopen_epoch()
        model.examples = self._began + self._met
        return run

    def __iter__(self) -> Iterator[Block]:
        """The blocks of the present pass that have not been met yet."""
        for number, block in enumerate(self._blocks):
            if block.first + len(block) > self.position:
                self._expect(block.rows.dim)
                self._meet_classes()
                self.model.widen(block.rows.dim)
                yield self._ordered(block, number)

    def _meet_classes(self) -> None:
        """Take over labels that were met since; a resumed run knows those of later examples."""
        if len(self._blocks.classes) > len(self.model.classes):
            self.model.classes = self._blocks.classes

    def _expect(self, dim: int) -> None:
        features = self.model.features
        classes = max(len(self.model.classes), len(self._blocks.classes))
        if self.plan.multiclass and dim * classes > MOST_WEIGHTS:
            raise BadExample(
                f"{features.count:,} features of {classes:,} classes are more weights than the "
                f"{MOST_WEIGHTS:,} there may be; hash the features to fewer (hash_bits=, "
                "--hash-bits 16), or learn fewer classes"
            )
        if dim > MOST_WEIGHTS and features.hash_bits is None:
            raise BadExample(
                f"feature {features.dim - 1:,} is the last of as many weights; if its index is no "
                "mistake, hash the features (hash_bits=, --hash-bits 22)"
            )

    def _close_block(self, block: Block) -> None:
        self.position = block.first + len(block) - self._began
        self._met = max(self._met, self.position)
        if self._after_block is not None:
            self._after_block(self)

    def _close_pass(self, _ledger: Ledger) -> None:
        self.passes_made += 1
        self.position = 0

    def _ordered(self, block: Block, number: int) -> Block:
        order: Positions | None = None
        if self.plan.shuffle:
            order = block_order(block.rows, self.plan.seed, number)
        if self.plan.holdout is not None:
            order = np.arange(len(block)) if order is None else order
            order = order[~held_out(block, self.plan.holdout)[order]]
        return replace(block, first=self._began + block.first, order=order)

    def test_held_out(self) -> Confusion | ClassConfusion | None:
        """How the model does on the examples kept out of learning; None if none were."""
        if self.plan.holdout is None:
            return None
        two, many = Confusion(), ClassConfusion()
        most = self.model.rows_at_once
        for block in self._blocks:
            kept = np.flatnonzero(held_out(block, self.plan.holdout))
            for some in (kept[k : k + most] for k in range(0, len(kept), most)):
                scores = self.model.scores(block.rows.take(some))
                if self.plan.multiclass:
                    many.count(block.codes[some], best_classes(scores))
                else:
                    two.count(block.signs[some], scores)
        return many if self.plan.multiclass else two

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as it stands, marked as unfinished."""
        settings: Settings = {}
        watch: Arrays = {}
        if self._repeats is not None:
            dim, bias = self.model.features.dim, self.model.learner.bias
            settings, watch = self._repeats.state(dim, bias=bias)
        unfinished = {
            "passes": self.plan.passes,
            "passes_made": self.passes_made,
            "position": self.position,
            "met": self._met,
            "data": self._data,
            "watch": settings,
        }
        replace(self.model, unfinished=unfinished, watch=watch).save(path)


AfterBlock: TypeAlias = Callable[[Training], None]


def held_out(block: Block, every: int) -> NDArray[np.bool_]:
    """Which rows of a block are kept out of learning: every so manyth of the whole."""
    kept: NDArray[np.bool_] = (block.first + np.arange(len(block))) % every == every - 1
    return kept
