"""What `novikoff train` is to do: which model it goes on from, how it learns, what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from novikoff.cli.common import fail

if TYPE_CHECKING:
    from novikoff.model import Kind, Model
    from novikoff.training import Plan


def starting_model(output: Path, initial: Path | None, *, resume: bool) -> Model | None:
    """The model to go on from, if any: an unfinished one where the new one will be comes first."""
    from novikoff.model import Model
    from novikoff.storage import is_stored

    there = output.exists() and (resume or output.stat().st_size > 0)
    if there and not resume and not is_stored(output):
        fail(f"{output}: this is no model; name another file for it, or remove this one")
    if there and not resume and output != initial and Model.load(output).unfinished is not None:
        fail(f"{output}: a run is unfinished there; go on with it (--resume), or remove it")
    if resume and there:
        found = Model.load(output)
        if found.unfinished is None:
            fail(f"{output}: its run is finished, there is nothing to resume; to go on, --initial")
        return found
    if initial is None:
        return None
    found = Model.load(initial)
    if found.unfinished is not None:
        fail(f"{initial}: its run is unfinished; finish it first, with -o {initial} --resume")
    return found


def planned(
    start: Model | None,
    *,
    kind: Kind | None,
    margin: float | None,
    alpha: float | None,
    threshold: float | None,
    bias: bool | None,
    hash_bits: int | None,
    multiclass: bool,
    **rest: Any,
) -> Plan:
    """How to train; a model that is gone on from says what kind it is."""
    from novikoff.training import Plan

    if start is not None:
        if kind is not None and kind != start.kind:
            fail(f"the model to go on from is of kind {start.kind}, not {kind}")
        asked = {"margin": margin, "alpha": alpha, "threshold": threshold}
        began = {name: getattr(start.learner, name, None) for name in asked}
        for name, value in asked.items():
            if value is not None and value != began[name]:
                has = f"no {name}" if began[name] is None else f"{name} {began[name]:g}"
                fail(f"the model to go on from has {has}, not {value:g}")
        if bias is not None and bias != start.learner.bias:
            fail(f"the model to go on from has {'a' if start.learner.bias else 'no'} constant")
        if multiclass and not start.is_joint:
            fail("the model to go on from knows two labels: --multiclass begins with a new one")
        multiclass = start.is_joint
        margin, alpha, threshold = began.values()
        kind, bias = start.kind, start.learner.bias
    kind = kind or "perceptron"
    if bias and kind in ("winnow1", "winnow2"):
        fail(f"--bias: {kind} has a threshold and no constant")
    if margin is None:
        margin = 1.0 if kind == "margin" else 0.0
    try:
        plan = Plan(
            kind,
            margin=margin,
            alpha=alpha,
            threshold=threshold,
            bias=bias is not False,
            multiclass=multiclass,
            **rest,
        )
        plan.new_learner(hash_bits)
    except ValueError as error:
        fail(str(error))
    return plan


def refuse_changes(
    start: Model, changes: dict[str, Any], plan: Plan, classes: tuple[str, ...] | None
) -> None:
    """A model that is gone on from keeps its features, its labels and what its ledger keeps."""
    from novikoff.features import Features

    for name, option in _CHANGES.items():
        if changes[name] not in (getattr(Features(), name), getattr(start.features, name)):
            fail(f"the model to go on from was begun otherwise: {option} cannot be changed")
    if classes is not None and classes != start.classes:
        known = start.classes if len(start.classes) <= 10 else (*start.classes[:10], "...")
        fail(f"the labels of the model to go on from are {','.join(known)}: see --classes")
    if plan.keep != "counts" and start.ledger.keep == "counts":
        fail("the model to go on from was begun without --ledger")


_CHANGES = {
    "hash_bits": "--hash-bits",
    "keep_names": "--no-names",
    "products": "--interactions",
    "standardise": "--standardise",
    "to_unit_length": "--unit-length",
}


def refuse_to_read_again(plan: Plan, cache: Path | None, *, standardise: bool) -> None:
    """What needs data twice cannot have them from a pipe; to be said before the first pass."""
    if standardise:
        fail("--standardise reads the data twice, and a pipe can be read only once; save it first")
    if cache is None and plan.passes > 1:
        fail("more passes than one need --cache, or a file: a pipe can be read only once")
    if cache is None and plan.holdout is not None:
        fail("--holdout needs --cache, or a file: a pipe can be read only once")


def pairs(interactions: list[str]) -> tuple[tuple[str, str], ...]:
    """`A*B` as two fields, and `all` as any two features."""
    from novikoff.products import ALL

    out = []
    for text in interactions:
        left, mark, right = text.partition("*")
        if text != "all" and not (mark and left and right):
            fail(f"--interactions {text!r} is not A*B, the names of two fields, nor all")
        out.append(ALL if text == "all" else (left, right))
    return tuple(out)
