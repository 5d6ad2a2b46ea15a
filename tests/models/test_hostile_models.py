"""No model file is trusted: each field of each kind of model is checked before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from attack.arena import Arena, Attack
from attack.fields import mutants, tried
from attack.mutations import get
from attack.stored import NUMBERED, TRAINED, packed, prepare, stopped_run, unpacked
from helpers.command_line import error, stdout_of
from novikoff import BadModel, Features, Joint, sources
from novikoff.models.model import Model
from novikoff.runs.cycles import CycleSearch

IN_MEMORY = Path("/dev/shm")  # thousands of files are written


def every_field_once(_: Random) -> Iterator[Exception | None]:
    """Each change of each field, in the first kind of model that has the field."""
    seen = set[str]()
    for name, words in TRAINED.items():
        for state in ("", " unfinished"):
            for mutant in mutants(Path(f"{name}{state}.model").read_bytes()):
                if mutant[0] not in seen:
                    seen.add(mutant[0])
                    yield tried(mutant, words, verbs=False)


def test_any_value_of_any_field_of_a_model_gives_a_clear_error_or_a_result(tmp_path: Path) -> None:
    """In a process of its own with 300 MB more than it has, so that a crash or a claim shows."""
    attack = Attack("fields", "each field once", every_field_once, prepare, seconds=20)
    with TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as work:
        outcome = Arena(attack, 1, Path(work), tmp_path).run(0.01, lambda _: None)
    assert outcome.inputs > 1000
    reports = [path.read_text()[-600:] for path in tmp_path.rglob("why.txt")]
    assert not outcome.kinds, (outcome.kinds, reports)


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("classes", [1, 2], "'classes' is [1, 2], not a list of texts"),
        ("classes", ["a", "a"], "two of its labels are the same"),
        ("order", {}, "'whole' is None, not true or false"),
        ("reading", {"missing": "refuse"}, "its label is not a column"),
        ("reading", {"missing": "refuse", "label": True}, "its label is not a column"),
        ("ledger.dim", 2**31, "its learner, ledger and features differ in size"),
        ("ledger.rounds", 2**63 - 1, "'rounds' is 9223372036854775807, not a count up to 2^60"),
        ("learner.rounds", 7, "its learner and its ledger differ in the number of rounds"),
        ("features.products", [["a"]], "'products' is [['a']], not a list of pairs of texts"),
        ("learner.unit", 0.5, "its unit is 0.5, which is neither 1 nor its rate, 1.0"),
    ],
)
def test_a_setting_that_no_run_has_is_named(
    setting: str, value: object, says: str, tmp_path: Path
) -> None:
    data, path = tmp_path / "x.svm", tmp_path / "m"
    data.write_text("a 1:1 3:2\nb 2:-1\n")
    stdout_of("train", data, "-o", path, "--learner", "voted", "-q")
    content, arrays = unpacked(path.read_bytes())
    *parts, name = setting.split(".")
    get(content["header"], tuple(parts))[name] = value
    path.write_bytes(packed(content, [array.tobytes() for _, array in arrays]))
    with pytest.raises(BadModel) as refused:
        Model.load(path)
    assert str(refused.value).startswith(f"{path}: the ")
    assert str(refused.value).endswith(says)
    assert error("inspect", path).endswith(says)


def test_a_run_that_has_made_all_its_passes_is_not_unfinished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.svm").write_text(NUMBERED)
    stopped_run("x.svm", "--passes", "4", "-o", "m")
    model = Model.load("m")
    assert model.unfinished is not None
    changes: list[dict[str, Any]]
    changes = [{"passes_made": 4}, {"position": 99}, {"passes": 1}, {"watch": {}}]
    for change in changes:
        replace(model, unfinished={**model.unfinished, **change}).save("changed")
        with pytest.raises(BadModel, match="changed: the unfinished run in the file is invalid"):
            Model.load("changed")


def test_names_that_overlap_and_scales_that_are_not_positive_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"label": 1, "a": 1, "bc": 5}\n{"label": 0, "a": 3}\n')
    features = Features(standardise=True)
    features.survey(sources.open_files(tmp_path / "x.jsonl"))
    settings, arrays = features.state()
    assert Features.restored(settings, arrays).names == ("a", "bc")
    lies: dict[str, list[Any]] = {
        "name_starts": [[0, 3, 0, 3], [0, 1, 2], [1, 1, 3], [0, -1, 3], []],
        "scale": [[0.0, 1.0], [1.0, -1.0], [np.inf, 1.0], [np.nan, 1.0]],
        "names": [[255, 98, 99], [0xC3, 0xA9, 99]],  # the second name begins within "é"
    }
    for name, others in lies.items():
        for other in others:
            changed = {**arrays, name: np.array(other, dtype=arrays[name].dtype)}
            with pytest.raises(BadModel, match="the map of features in the file is invalid"):
                Features.restored(settings, changed)


def test_a_joint_learner_of_many_features_and_no_class_is_refused() -> None:
    settings, arrays = Joint(2, bias=True).state()
    with pytest.raises(BadModel, match="it has 2 features and no class"):
        Joint.restored(settings, arrays)


def test_updates_that_were_not_made_prove_no_cycle() -> None:
    """Zero times a row adds up to 0: a checkpoint that says so must not prove inseparability."""
    separable = sources.block([[1.0, 2.0], [2.0, -1.0]], [1, 1])
    search = CycleSearch()
    search.close_pass(np.zeros(2), separable)
    search.close_pass(np.zeros(2), separable)  # the weights came back: now updates are counted
    settings, arrays = search.state(2, bias=False)
    assert settings["counting"]
    arrays |= {name: np.zeros(1, np.int64) for name in ("rows", "times")}
    arrays |= {"rivals": np.array([-1]), "steps": np.ones(1)}
    with pytest.raises(BadModel, match="its updates were not made"):
        CycleSearch.restored(settings, arrays, 2).close_pass(np.zeros(2), separable)
    arrays |= {"rivals": np.array([0]), "times": np.ones(1, np.int64)}
    with pytest.raises(BadModel, match="its rivals are not all from -1 to -1"):
        CycleSearch.restored(settings, arrays, 2)
