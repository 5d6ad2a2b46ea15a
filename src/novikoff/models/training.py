"""From blocks to a model: resumable training, in passes over data of any size."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.learners.multiplicative import usual_threshold
from novikoff.learners.rule import ADAPTIVE, WINNOWS, Kind, Linear, Rule
from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.ledger import Keep, Ledger
from novikoff.models.model import Model
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.loop import Run, play
from novikoff.runs.pool import Pool, Revisit
from novikoff.sources.cache import Cached
from novikoff.sources.features import MOST_WEIGHTS, Features
from novikoff.sources.numbered import Numbered
from novikoff.sources.read_options import ReadOptions
from novikoff.sources.whole import Whole
from novikoff.storage.checked import Arrays, Settings, prefixed
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.order import LabelRuns, block_order, seeded_order
from novikoff.stream.printing import listed
from novikoff.stream.rows import SparseRows
from novikoff.stream.scaling import Spread

if TYPE_CHECKING:
    from novikoff.models.measures import Evaluation

USUAL_PASSES, MANY_EXAMPLES, PASSES_OVER_MANY = 10, 10_000, 5
MOST_TABLED = 1 << 22  # columns that are renumbered by a table
WIDE, FEWEST_MEASURED = 1000.0, 10  # scales that differ much, and by how many values they are known
FEWER_PASSES = (1, 3)  # are tried, too, if nobody says how many
MOST_COMPARED = 100_000  # examples that decide how to learn
PARTS = 5  # each is scored by weights learned from the others
USUAL_PASSES_IN_WORDS = f"{USUAL_PASSES}; {PASSES_OVER_MANY} from {MANY_EXAMPLES:,} examples"


def usual_passes(examples: int) -> int:
    """How many passes to make over data that are read whole, if nobody says."""
    return USUAL_PASSES if examples < MANY_EXAMPLES else PASSES_OVER_MANY


class Way(NamedTuple):
    """A way to learn: standardised features or not, so many passes, and the kind of learner."""

    standardised: bool
    passes: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train."""

    rule: Rule = field(default_factory=Rule)
    passes: int = 1  # at most
    shuffle: bool = False  # all examples, or, in a stream, those of each block
    seed: int = 0
    holdout: int | None = None  # hold out every N-th example
    keep: Keep = "counts"  # of a mistake; a voted model always keeps "examples"
    fewer_passes: bool = False  # make only one pass, or three, if that predicts better
    averages: bool = False  # the average of an adaptive learner's weights may predict
    revisit: Revisit | None = None  # as for `play`

    def __post_init__(self) -> None:
        kind, margin = self.rule.kind, self.rule.margin
        if not isinstance(self.passes, int) or self.passes < 1:
            raise ValueError(f"passes must be a whole number from 1, not {self.passes!r}")
        if self.holdout is not None and self.holdout < 2:
            raise ValueError(f"holdout must be at least 2, not {self.holdout}")
        if kind == "margin" and not 0 < margin < math.inf:
            raise ValueError(f"the margin must be finite and above 0, not {margin:g}")
        if kind != "margin" and margin:
            raise ValueError(f"margin applies to the learner margin only, not to {kind}")
        if self.revisit is not None and kind in ADAPTIVE:
            raise ValueError(f"revisit is for learners that separate the data, not for {kind}")
        only = {"alpha": WINNOWS, "threshold": WINNOWS, "regularisation": ADAPTIVE}
        only["matrix"] = ADAPTIVE
        for name, kinds in only.items():
            if kind not in kinds and getattr(self.rule, name) is not None:
                raise ValueError(f"{name} applies to {listed([*kinds])} only, not to {kind}")

    def order(self, *, whole: bool) -> dict[str, Any]:
        """What a model remembers of the order of its examples, read whole or as a stream."""
        seed = self.seed if self.shuffle else None
        order = {"whole": whole, "shuffle": self.shuffle, "seed": seed, "holdout": self.holdout}
        return order if self.revisit is None else order | {"revisit": self.revisit}

    def new_learner(self, hash_bits: int | None = None, *, classes: int = 0) -> Linear:
        """A new learner of `classes`, for features hashed to 2^hash_bits columns or not hashed."""
        rule = self.rule
        if rule.needs_width:
            if hash_bits is None:
                raise BadExample(
                    f"{rule.kind} needs a threshold: the default depends on the number of "
                    "features, which is unknown before the data are read",
                    Problem.UNKNOWN_FEATURE_COUNT,
                )
            rule = replace(rule, threshold=usual_threshold(WINNOWS[rule.kind], 1 << hash_bits))
        return rule.learner(0, classes=classes)

    def new_model(
        self, features: Features, classes: tuple[str, ...], *, whole: bool = False
    ) -> Model:
        """A model that has learned nothing yet."""
        learner = self.new_learner(features.hash_bits, classes=len(classes))
        learner.honest = self.rule.honest_scores()
        kind = self.rule.kind
        ledger = learner.open_ledger("examples" if kind == "voted" else self.keep)
        return Model(kind, learner, features, classes, ledger, self.order(whole=whole))


class Training:
    """A run that can be stopped after any block, saved, and resumed to the same last bit.

    Each pass iterates over the `blocks` once. The `initial` model is trained further; if its run is
    unfinished, the blocks, the plan and `data`, a fingerprint of the examples, must be those of
    that run, which then resumes where it stopped. The model remembers `how` the examples are read,
    if they come from a file.
    """

    is_exchange: bool = False  # as `play` reads it

    def __init__(
        self,
        blocks: Numbered | Cached | Whole,
        plan: Plan,
        *,
        how: ReadOptions | None = None,
        initial: Model | None = None,
        data: str = "",
    ) -> None:
        self.plan, self.passes_made, self.position = plan, 0, 0
        self._blocks, self._how, self._data = blocks, how, data
        self._is_whole = isinstance(blocks, Whole)
        self.label_runs = blocks.label_runs if isinstance(blocks, Whole) else LabelRuns()
        self._watches_labels = not self._is_whole
        self._order = plan.order(whole=self._is_whole)
        if isinstance(blocks, Whole) and plan.shuffle and initial is not None:
            blocks.shuffle(plan.seed)
        self._is_finished = False
        self.compared: dict[Way, float] = {}  # the share of mistakes of each way
        self.widest: tuple[int, int, float] | None = None  # columns of very different scales
        self.pool = None if plan.revisit is None else Pool()
        self._cycles = CycleSearch() if self._watches else None
        self._met = 0  # how many different examples of these were seen
        if initial is None:
            self.model = plan.new_model(blocks.features, blocks.classes, whole=self._is_whole)
        elif initial.unfinished is None:
            self.model = self._follow(initial)
        else:
            self.model = self._resume(initial, initial.unfinished)
        self._is_new = initial is None
        # a row is known by its place among all examples, those of earlier data first
        self._earlier = self.model.examples

    def _follow(self, initial: Model) -> Model:
        rule = self.plan.rule
        if initial.kind != rule.kind:
            raise BadExample(f"the initial model's learner is {initial.kind}, not {rule.kind}")
        if initial.others:
            raise BadExample(
                "the initial model learned each class against the rest; train it further in Python"
            )
        if initial.is_joint != rule.joint:
            has, new = ("any number of classes", "two labels")[:: 1 if initial.is_joint else -1]
            raise BadExample(f"the initial model has {has}, and the plan {new}")
        if not self._is_open and initial.ledger.open_rounds:
            initial.ledger.close_epoch()
        return replace(initial, features=self._blocks.features, order=self._order)

    @property
    def _is_open(self) -> bool:
        """Whether later data may belong to the same pass: a stream may go on."""
        return not self._watches and not self._is_whole

    @property
    def is_revisiting(self) -> bool:
        """Whether the rows mistaken so far are visited, not all data."""
        return self.pool is not None and self.pool.is_open

    @property
    def _watches(self) -> bool:
        """Whether examples come more than once, so that weights may repeat."""
        return self.plan.passes > 1 or self.plan.revisit is not None

    def _resume(self, initial: Model, unfinished: dict[str, Any]) -> Model:
        if self.plan.fewer_passes and unfinished["passes"] in FEWER_PASSES:
            self._make(unfinished["passes"])
        if unfinished["passes"] != self.plan.passes or initial.order != self._order:
            raise BadExample(
                "the number of passes, the shuffling, the seed, the holdout, the revisiting or the "
                "way of reading (whole or as a stream) differs from those of the interrupted run"
            )
        if unfinished["data"] != self._data:
            raise BadExample("the data or reading options differ from those of the interrupted run")
        self.passes_made, self.position = unfinished["passes_made"], unfinished["position"]
        self._met = int(unfinished["met"])
        if self._cycles is not None:
            self._cycles = initial.restored_search() or self._cycles
            self._cycles.widen(initial.features.room, bias=initial.learner.bias)
        self.pool = initial.restored_pool()
        initial.widen(initial.features.room)
        return replace(initial, features=self._blocks.features, unfinished=None, watch={})

    def prepare(self) -> None:
        """Decide how data that are read whole are learned, and score them for probabilities.

        Each half of the examples is scored by weights learned from the other, in all ways that are
        open: whether to standardise the features, how many passes to make, and whether the average
        of the weights predicts. The one with the fewest mistakes is kept. In this way each fifth is
        scored by weights learned from the others: more examples, so more like the final weights.
        """
        whole, features = self._blocks, self._blocks.features
        if not (isinstance(whole, Whole) and self._is_new):
            return
        self._is_new = False
        plan, kinds, some = self.plan, [self.plan.rule.kind], whole.some(MOST_COMPARED)
        is_open = features.standardise is None
        if not is_open and not plan.fewer_passes and self.model.learner.honest is None:
            if plan.shuffle:
                whole.shuffle(plan.seed)
            return  # nothing is to be decided, and votes have no probabilities
        if plan.shuffle:
            some = replace(some, order=seeded_order(some.rows, plan.seed))
        if plan.averages:
            kinds.append("adaptive-averaged")
        most = min(plan.passes, usual_passes(len(some)))
        fewer = [n for n in FEWER_PASSES if n < most] if plan.fewer_passes else []
        ways = [(passes, kind) for passes in (*fewer, most) for kind in kinds]
        found: dict[Way, HonestScores] = {}
        for standardise in (True, False) if is_open else (bool(features.standardise),):
            scaled = some
            if is_open:
                features.standardise = standardise
                scaled = replace(some, rows=features.scaled(some.rows))
            found |= self._by_parts(scaled, [Way(standardise, *way) for way in ways], 2)
        best = min(found, key=lambda way: (found[way].wrong, -way.passes))  # the first of equals
        self.compared = {way: one.share_wrong(joint=plan.rule.joint) for way, one in found.items()}
        if is_open:
            features.decide(standardise=best.standardised)
            whole.scale()
        if self.model.learner.honest is not None:
            some = replace(some, rows=whole.some(MOST_COMPARED).rows)
            found |= self._by_parts(some, [best], PARTS)
        if plan.shuffle:
            whole.shuffle(plan.seed)
        if plan.fewer_passes:
            self._make(best.passes)
        if best.kind != plan.rule.kind:
            self.plan = replace(self.plan, rule=replace(plan.rule, kind=best.kind))
            self.model = self.plan.new_model(features, whole.classes, whole=True)
        if self.model.learner.honest is not None and found[best].examples:
            self.model.learner.honest = found[best]
            self.model.learner.honest.is_open = False

    def _make(self, passes: int) -> None:
        """Make so many passes."""
        self.plan = replace(self.plan, passes=passes)
        self._cycles = CycleSearch() if self._watches else None

    def _by_parts(self, some: Block, ways: list[Way], parts: int) -> dict[Way, HonestScores]:
        """The scores of each part by weights learned from the others, in ways of more passes."""
        plan = replace(self.plan, rule=replace(self.plan.rule, kind=ways[-1].kind))
        order = np.arange(len(some)) if some.order is None else some.order
        if plan.holdout is not None:
            order = order[~held_out(some, plan.holdout)[order]]
        found = {way: HonestScores() for way in ways}
        for part in range(min(parts, len(order))) if len(order) > 1 else ():
            model = plan.new_model(self._blocks.features, self._blocks.classes, whole=True)
            model.learner.honest = None
            model.widen(some.rows.dim)
            learned = replace(some, order=np.delete(order, slice(part, None, parts)))
            rest, made = some.take(order[part::parts]), 0
            for way, honest in found.items():
                if way.passes > made:
                    play(learned, model.learner, epochs=way.passes - made, ledger=model.ledger)
                    made = way.passes
                model.kind = way.kind
                try:
                    scores = model.scores(rest.rows)
                except BadExample:  # learning names the row by its place in the data
                    play(rest, model.learner, epochs=1, ledger=model.ledger)
                    raise
                honest.include(scores, rest.codes, rest.importances)
        return found

    def run(self, after_block: Callable[[Training], None] | None = None) -> Run:
        """Make the remaining passes; `after_block`, called after each block, may call `save`."""
        self.prepare()
        model = self.model
        model.cycled = ()

        def close_block(block: Block) -> None:
            if not self.is_revisiting:
                self.position = block.first + len(block.labels) - self._earlier
                self._met = max(self._met, self.position)
            if after_block is not None:
                after_block(self)

        honest = model.learner.honest

        def close_pass(_ledger: Ledger) -> None:
            self.passes_made += 1
            self.position = 0
            if honest is not None:  # from now on the examples are not new
                honest.is_open = False

        if honest is not None:
            by_parts = self._is_whole and not self._earlier and honest.examples > 0
            honest.is_open = self.passes_made == 0 and not by_parts and not self.is_exchange

        run = play(
            self,
            model.learner,
            epochs=self.plan.passes - self.passes_made + self.is_revisiting,
            ledger=model.ledger,
            progress=close_pass,
            after_block=close_block,
            cycles=self._cycles,
            revisit=self.pool,
        )
        if self._is_open:
            model.ledger.reopen_epoch()
        model.examples = self._earlier + self._met
        model.cycled = (0,) if run.verdict == "cycle" else ()
        self._is_finished = True
        return run

    def __iter__(self) -> Iterator[Block]:
        """The blocks of the current pass that are still to come."""
        for number, block in enumerate(self._blocks):
            order = None
            if self.plan.shuffle and not self._is_whole:
                order = block_order(block.rows, self.plan.seed, number)
            if self._watches_labels and number == 0 and not self.model.features.standardise:
                self.widest = _widest(block)
            if self._watches_labels:
                self.label_runs.add(block.labels if order is None else block.labels[order])
            if block.first + len(block.labels) > self.position:
                if self.plan.rule.joint:
                    seen = self._blocks.classes
                    if len(seen) > len(self.model.classes):  # a resumed run knows more
                        self.model.classes = seen
                self._check_size(block.rows.dim)
                self.model.widen(block.rows.dim)
                if self.plan.holdout is not None:
                    order = np.arange(len(block)) if order is None else order
                    order = order[~held_out(block, self.plan.holdout)[order]]
                yield replace(block, first=self._earlier + block.first, order=order)
        self._watches_labels = False

    def _check_size(self, dim: int) -> None:
        features, classes = self.model.features, len(self.model.classes)
        if self.plan.rule.joint and dim * classes > MOST_WEIGHTS:
            raise BadExample(
                f"{features.count:,} features and {classes:,} classes need more than the "
                f"{MOST_WEIGHTS:,} weights allowed",
                Problem.TOO_MANY_WEIGHTS_FOR_CLASSES,
            )
        features.check_width()

    def test_held_out(self) -> Evaluation | None:
        """How the model predicts the held-out examples; None without a holdout."""
        if self.plan.holdout is None:
            return None
        from novikoff.models.measures import Judge

        judge, most = Judge(many=self.plan.rule.joint), self.model.rows_at_once
        for block in self._blocks:
            rows = np.flatnonzero(held_out(block, self.plan.holdout))
            for some in (rows[k : k + most] for k in range(0, len(rows), most)):
                scores = self.model.scores(block.rows.take(some))
                is_probable = self.model.gives_probabilities
                chances = self.model.probabilities(scores) if is_probable else None
                predicted = self.model.predicted(scores)
                judge.add(block.labels[some], scores, predicted, chances)
        return judge.evaluation(self.model.classes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as it stands, marked as unfinished until the run has ended."""
        if self._how is not None:
            self.model.read_options = self._how.remembered(self._blocks.table)
        if self._is_finished:
            self.model.save(path)
            return
        self._blocks.check_unchanged()
        settings: Settings = {}
        watch: Arrays = {}
        if self._cycles is not None:
            dim, bias = self.model.features.dim, self.model.learner.bias
            settings, watch = self._cycles.state(dim, bias=bias)
        unfinished = {
            "passes": self.plan.passes,
            "passes_made": self.passes_made,
            "position": self.position,
            "met": self._met,
            "data": self._data,
            "watch": settings,
        }
        if self.pool is not None:
            unfinished["pool"], rows = self.pool.state(self.model.features.dim)
            watch |= prefixed({"pool": rows})
        replace(self.model, unfinished=unfinished, watch=watch).save(path)


def _widest(block: Block) -> tuple[int, int, float] | None:
    """The columns of the smallest and largest values of the first rows, if they differ much."""
    rows = block.rows.take(np.arange(min(len(block), 1000)))
    columns = np.arange(rows.dim)
    if isinstance(rows, SparseRows):  # measure only the columns that they have
        columns = np.sort(rows.indices)  # np.unique is slower, and loads the masked arrays
        columns = columns[np.diff(columns, prepend=-1) > 0]
        if rows.dim <= MOST_TABLED:  # 300,000 entries: 38 → 3 ms
            place = np.empty(rows.dim, dtype=rows.indices.dtype)
            place[columns] = np.arange(len(columns))
            places = place[rows.indices]
        else:
            places = np.searchsorted(columns, rows.indices).astype(rows.indices.dtype)
        rows = SparseRows(rows.values, places, rows.starts, len(columns))
    spread = Spread([rows])
    size = np.where(spread.nonzero >= FEWEST_MEASURED, spread.size, np.nan)
    if np.isnan(size).all():
        return None
    low, high = int(np.nanargmin(size)), int(np.nanargmax(size))
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = float(size[high] / size[low])
    return (int(columns[low]), int(columns[high]), ratio) if ratio > WIDE else None


def held_out(block: Block, every: int) -> NDArray[np.bool_]:
    """Which rows of a block are held out: every N-th of all examples."""
    rows: NDArray[np.bool_] = block.positions(np.arange(len(block))) % every == every - 1
    return rows
