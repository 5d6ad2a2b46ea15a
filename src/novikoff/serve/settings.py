"""The settings of a model: options of `train`, and how long predictions wait for their labels."""

from __future__ import annotations

import shlex
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.saved import of_model
from novikoff.learners.rule import Kind, Rule
from novikoff.models.training import Plan
from novikoff.serve.limits import Limits
from novikoff.sources.features import Features
from novikoff.sources.interactions import field_pairs
from novikoff.sources.read_options import Grams, ReadOptions, TextRule, TextValues
from novikoff.stream.labels import LabelsAsClasses, in_order
from novikoff.stream.printing import as_words

USUAL_WAITING = 100_000
_OF_THE_PROTOCOL = ("window", "max_waiting", "overdue_label", "max_classes")


class Settings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The settings of a model: the options of `novikoff train` that a stream of examples can have.

    Attributes
    ----------
    weight
        The key under which files have weights: then labels may come with a weight.
    text
        The features whose texts are read as words; {"text": ...} needs "text" here.
    window
        How many labels the recent error rate and the drift test look back.
    max_waiting, overdue_label
        How many predictions may wait for their labels. One more ends the wait of the oldest: it is
        dropped, or learned with this label.
    """

    learner: Kind = "adaptive"
    margin: float | None = None
    regularisation: float | None = None
    alpha: float | None = None
    threshold: float | None = None
    bias: bool = True
    hash_bits: Annotated[int, Meta(ge=3, le=31)] | None = None
    interactions: list[str] = []
    unit_length: bool = False
    multiclass: bool = False
    classes: Annotated[list[str], Meta(min_length=2)] | None = None
    max_classes: Annotated[int, Meta(ge=2)] | None = None
    class_weight: dict[str, Annotated[float, Meta(gt=0)]] = {}
    weight: Annotated[str, Meta(min_length=1)] | None = None
    ledger: bool = False
    text: list[str] = []
    text_grams: Grams = "pairs"
    text_values: TextValues = "log"
    text_unit_length: bool = True
    window: Annotated[int, Meta(ge=1)] = 1000
    max_waiting: Annotated[int, Meta(ge=1)] | None = None
    overdue_label: str | None = None

    @property
    def text_rule(self) -> TextRule:
        """How a text becomes features."""
        return TextRule(self.text_grams, self.text_values, self.text_unit_length)

    @property
    def read_options(self) -> ReadOptions:
        """How `train` reads the exported examples."""
        return ReadOptions(
            text=tuple(self.text),
            text_rule=self.text_rule,
            weight=self.weight,
            class_weights=self.class_weight,
        )

    def estimator(self) -> LinearClassifier:
        """A new estimator that learns what `train` would with these options."""
        margin = float(self.learner == "margin") if self.margin is None else self.margin
        rule = Rule(
            self.learner,
            bias=self.bias,
            margin=margin,
            regularisation=self.regularisation,
            alpha=self.alpha,
            threshold=self.threshold,
            joint=self.multiclass,
        )
        if not self.multiclass and self.classes is not None and len(self.classes) != 2:
            raise ValueError("more than two classes need multiclass")
        plan = Plan(rule, keep="examples" if self.ledger else "counts")
        products = field_pairs(self.interactions)
        if products or self.unit_length:
            features = Features(
                hash_bits=self.hash_bits, products=products, to_unit_length=self.unit_length
            )
            model = plan.new_model(features, ())
            if self.hash_bits is not None:
                features.dim = 1 << self.hash_bits
                for one in (model.learner, model.ledger):
                    one.widen(features.dim)
            model.read_options = self.read_options.remembered(None)
            return of_model(model)
        few = None if self.hash_bits is None else 3  # room for the weights is made when it learns
        made = of_model(plan.new_model(Features.of((), (), few), ()))
        return type(made)(**made.get_params() | {"hash_bits": self.hash_bits})

    def train_options(self) -> str:
        """The options with which `novikoff train` learns the same model from the same examples."""
        given = msgspec.to_builtins(self)
        given = {k: x for k, x in given.items() if k not in ("learner", *_OF_THE_PROTOCOL)}
        if self.classes is not None:  # of two, the greater is positive
            given["classes"] = ",".join(self.classes if self.multiclass else in_order(self.classes))
        if self.class_weight:
            given["class_weight"] = [f"{c}={factor!r}" for c, factor in self.class_weight.items()]
        return shlex.join(["--stream", "--learner", self.learner, *as_words(**given)])


@lru_cache(4096)
def label_text(label: str | float | bool) -> str:
    """A label as `train` writes it; BadExample if it is not one."""
    if not isinstance(label, str):
        label = msgspec.json.encode(label).decode()
    return LabelsAsClasses([label]).classes[0]


def checked(settings: Settings, limits: Limits) -> Settings:
    """The settings with labels as `train` writes them and limits; an error if they do not fit."""
    settings.estimator()
    most = max(2, limits.max_weights >> (settings.hash_bits or 0))
    every: dict[str, Any] = {
        "max_waiting": settings.max_waiting or min(USUAL_WAITING, limits.max_waiting),
        "max_classes": settings.max_classes or min(limits.max_classes, most),
    }
    if settings.classes is not None:
        every["classes"] = list(LabelsAsClasses(settings.classes).classes)
    every["class_weight"] = {label_text(k): v for k, v in settings.class_weight.items()}
    if settings.overdue_label is not None:
        every["overdue_label"] = label_text(settings.overdue_label)
    return msgspec.structs.replace(settings, **every)
