"""What was acknowledged is on disk, and the journal is the model."""

from __future__ import annotations

import shlex
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from helpers.services import Local, copied, examples, late, texts
from novikoff.cli.main import run as main
from novikoff.serve import service as service_module
from novikoff.serve.journal import NAME, Damaged, Journal, Locked
from novikoff.serve.messages import encode, failed
from novikoff.serve.service import Unavailable

CLASSES = ("a", "b", "c")
MANY: dict[str, dict[str, Any]] = {
    "usual": {},
    "plain": {"learner": "perceptron", "bias": False},
    "numbers": {"learner": "perceptron"},
    "turned": {"classes": ["spam", "ham"]},
    "numbered": {"classes": ["10", "9"]},
    "kept": {"learner": "perceptron", "ledger": True},
    "margin": {"learner": "margin", "margin": 0.5},
    "hashed": {"learner": "averaged", "hash_bits": 5},
    "voted": {"learner": "voted"},
    "winnow": {"learner": "winnow2", "threshold": 3.0, "classes": ["ham", "spam"]},
    "wide": {"learner": "winnow1", "hash_bits": 6, "classes": ["ham", "spam"]},
    "jointly": {"learner": "adaptive-averaged", "multiclass": True},
    "named": {"multiclass": True, "classes": [*CLASSES]},
    "words": {"text": ["text"], "text_grams": "words", "hash_bits": 12},
    "pairs": {"learner": "perceptron", "text": ["text"], "text_unit_length": False},
    "products": {"interactions": ["w1*w2", "all"], "hash_bits": 9},
    "length": {"unit_length": True, "learner": "averaged"},
    "factors": {"class_weight": {"spam": 2.5}, "learner": "perceptron"},
    "factors of words": {"class_weight": {"ham": 3}, "text": ["text"], "unit_length": True},
    "weighed": {"weight": "w", "class_weight": {"b": 0.5}, "multiclass": True},
}


@pytest.mark.parametrize("settings", MANY.values(), ids=MANY.keys())
def test_the_model_is_the_file_that_train_writes_of_the_exported_examples(
    settings: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local = Local(tmp_path / "service")
    labels = CLASSES if settings.get("multiclass") else ("ham", "spam")
    labels = ("9", "10") if settings in (MANY["numbers"], MANY["numbered"]) else labels
    some = texts(60) if "text" in settings else examples(60, labels)
    assert local.create(**settings) == 200
    late(local, some)
    weights = [(k % 3 / 2,) if "weight" in settings else () for k in range(20)]
    local.do("learn", [(*pair, *weight) for pair, weight in zip(some[:20], weights, strict=True)])
    model = local.model()
    local.close()
    path = tmp_path / "examples.jsonl"
    main(["journal", "export", str(tmp_path / "service"), "-o", str(path)])
    options = shlex.split(capsys.readouterr().err)[2:]
    main(["train", str(path), "-o", str(tmp_path / "model"), "-q", *options])
    assert (tmp_path / "model").read_bytes() == model


def test_a_model_that_begins_with_a_file_goes_on_to_the_bits_of_one_that_learned_all(
    tmp_path: Path,
) -> None:
    some, local = texts(80), Local(tmp_path / "service")
    for name in ("all", "half"):
        local.create(name, text=["text"])
    local.do("learn", some, "all")
    local.do("learn", some[:40], "half")
    assert local.create("rest", local.model("half")) == 200
    local.do("learn", some[40:], "rest")
    assert local.model("rest") == local.model("all")
    local.close()


@pytest.mark.parametrize(
    "options",
    [["--standardise"], ["--interactions", "all", "--unit-length"], ["--class-weight", "ham=2"]],
    ids=lambda words: words[0],
)
def test_a_model_of_train_goes_on_in_the_service_as_with_train(
    options: list[str], tmp_path: Path
) -> None:
    some = [({f"w{k % 7}": k / 3, f"v{k % 5}": 1}, "ham" if k % 3 else "spam") for k in range(40)]
    for name, part in (("a", some[:30]), ("b", some[30:])):
        lines = [encode({"label": y} | x) for x, y in part]
        (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(lines))
    first, then = tmp_path / "first", tmp_path / "then"
    main(["train", str(tmp_path / "a.jsonl"), "-o", str(first), "-q", "--stream", *options])
    more = ["--stream", "--initial", str(first)]
    main(["train", str(tmp_path / "b.jsonl"), "-o", str(then), "-q", *more])
    local = Local(tmp_path / "service")
    assert local.create("m", first.read_bytes()) == 200
    late(local, some[30:], wait=0)
    assert local.model() == then.read_bytes()
    local.close()
    again = Local(tmp_path / "service")
    assert again.model() == then.read_bytes()
    again.close()


@pytest.mark.parametrize("every", [10**9, 20], ids=["no snapshot", "snapshots"])
def test_after_a_crash_everything_is_as_it_was(
    every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "SNAPSHOT_EVERY", every)
    some, local = examples(80), Local(tmp_path / "service")
    local.create(window=10, max_waiting=50)
    late(local, some)
    named = local.do("predict", [(x, f"mail {k}") for k, (x, _) in enumerate(some[:9])])
    ended = local.do("drop", [81, 82, 3, 999])
    told = local.do("reveal", [(83, "spam"), (83, "ham"), (1, some[0][1]), (81, "ham")])
    crashed = Local(copied(tmp_path / "service", tmp_path / "crashed"))
    for again in (local, crashed):
        before = again.service.models["m"].summary()
        assert again.do("predict", [(x, f"mail {k}") for k, (x, _) in enumerate(some[:9])]) == named
        assert again.do("drop", [81, 82, 3, 999]) == ended
        found = again.do("reveal", [(83, "spam"), (83, "ham"), (1, some[0][1]), (81, "ham")])
        assert found == told
        assert again.service.models["m"].summary() == before
    assert crashed.model() == local.model()
    more = [(x, None) for x, _ in examples(20, seed=5)]
    assert crashed.do("predict", more) == local.do("predict", more)
    assert [one.get("error", {}).get("status") for one in told] == [None, 409, None, 410]
    assert [one.get("error", {}).get("status") for one in ended] == [None, None, 409, 404]
    local.close()
    crashed.close()
    with Journal(tmp_path / "crashed", to_read=True) as journal:
        models, compared = service_module.verify(journal)
    assert models["m"].protocol.labelled == local.service.models["m"].protocol.labelled
    assert compared >= (2 if every == 20 else 1)


def test_a_request_with_a_known_key_is_answered_as_before_and_does_nothing(tmp_path: Path) -> None:
    some, local = examples(10), Local(tmp_path)
    local.create()
    found = local.do("learn", some, key="k", digest=b"1")
    crashed = Local(copied(tmp_path, tmp_path.parent / "crashed"))
    for one in (local, crashed):
        assert one.do("learn", some, key="k", digest=b"1") == found
        assert one.do("learn", some, key="k", digest=b"2")["status"] == 422
        assert one.service.models["m"].protocol.labelled == 10
        one.close()


def test_a_full_disk_acknowledges_nothing_and_recovers(tmp_path: Path) -> None:
    some, local = examples(200), Local(tmp_path)
    local.create()
    local.do("learn", some[:50])
    base = local.service.journal._base
    (pages,) = base.execute("PRAGMA page_count").fetchone()
    base.execute(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(Unavailable, match="full"):
        local.do("learn", some)
    assert local.service.models["m"].protocol.labelled == 50
    assert local.service.probe() is None or "full" in str(local.service.fault)
    base.execute("PRAGMA max_page_count=1000000")
    local.do("learn", some[50:])
    assert local.service.fault is None
    alone = Local(tmp_path.parent / "alone")
    alone.create()
    alone.do("learn", some)
    assert alone.model() == local.model()
    for one in (alone, local):
        one.close()


def test_a_journal_that_was_cut_is_a_beginning_of_what_was_written_or_is_refused(
    tmp_path: Path,
) -> None:
    some, local = examples(60), Local(tmp_path / "service")
    local.create()
    models = {0: b""}
    for k in range(0, 60, 6):
        local.do("learn", some[k : k + 6])
        models[k + 6] = local.model() if k else b""
    for file in (NAME, f"{NAME}-wal"):
        whole = (tmp_path / "service" / file).read_bytes()
        for size in {*range(0, len(whole), len(whole) // 5), len(whole) - 1}:
            cut = copied(tmp_path / "service", tmp_path / f"{file} {size}")
            (cut / file).write_bytes(whole[:size])
            try:
                found = Local(cut)
            except Damaged:
                continue
            labelled = sum(one.protocol.labelled for one in found.service.models.values())
            assert labelled in models
            if labelled > 6:
                assert found.model() == models[labelled]
            found.close()
    local.close()


@pytest.mark.parametrize("column", ["body", "chain", "kind", "model"])
def test_a_changed_event_is_found(column: str, tmp_path: Path) -> None:
    local = Local(tmp_path)
    local.create()
    for k in range(4):
        local.do("learn", examples(3, seed=k))
    local.close()
    change = {
        "body": "cast(replace(body, 'ham', 'hxm') AS BLOB)",
        "chain": "zeroblob(32)",
        "kind": "'drop'",
    }
    with sqlite3.connect(tmp_path / NAME) as base:
        base.execute(f"UPDATE events SET {column}={change.get(column, 'model+1')} WHERE seq=3")
    base.close()
    with Journal(tmp_path, to_read=True) as journal, pytest.raises(Damaged, match="event 3"):
        service_module.verify(journal)


def test_a_journal_is_verified_from_its_snapshots_and_all_hashes_with_it(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(service_module, "SNAPSHOT_EVERY", 50)
    local, replayed = Local(tmp_path), list[int]()
    for name in ("m", "n"):
        local.create(name)
        local.do("learn", examples(9), name)
    local.service.submit(service_module.Work("m", "delete")).result()
    local.create("m")
    for k in range(12):
        local.do("learn", examples(9, seed=k))
    expected = local.model("m"), local.model("n")
    local.close()
    apply = service_module.apply

    def count(event: Any, *more: Any) -> Any:
        replayed.append(event.seq)
        return apply(event, *more)

    monkeypatch.setattr(service_module, "apply", count)
    with Journal(tmp_path, to_read=True) as journal:
        service_module.verify(journal)
        assert len(replayed) == journal.seq
        replayed.clear()
        models, compared = service_module.verify(journal, from_snapshots=True)
        older = {one.model: one.seq for one in reversed(journal.snapshots())}
        assert len(replayed) == 1 + journal.seq - older[6]  # event 4 is the other model's
        assert min(one for one in replayed if one != 4) > older[6] > 6
        assert compared == 2
    assert (models["m"].model_file(), models["n"].model_file()) == expected
    with sqlite3.connect(tmp_path / NAME) as base:
        base.execute("UPDATE events SET kind='drop' WHERE seq=2")
    base.close()
    with Journal(tmp_path, to_read=True) as journal, pytest.raises(Damaged, match="event 2"):
        service_module.verify(journal, from_snapshots=True)


def test_a_snapshot_that_is_not_the_model_of_its_events_is_found(tmp_path: Path) -> None:
    local = Local(tmp_path)
    local.create()
    local.do("learn", examples(9))
    local.close()
    with sqlite3.connect(tmp_path / NAME) as base:
        base.execute("UPDATE snapshots SET state=substr(state, 1, 99) WHERE state<>''")
    base.close()
    with Journal(tmp_path, to_read=True) as journal, pytest.raises(Damaged, match="another model"):
        service_module.verify(journal)


def test_a_second_process_on_the_folder_is_refused(tmp_path: Path) -> None:
    local = Local(tmp_path)
    with pytest.raises(Locked):
        Journal(tmp_path)
    local.close()
    Journal(tmp_path).close()


def test_a_journal_of_another_format_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    local = Local(tmp_path)
    local.create()
    local.close()
    for number, opens in ((99, False), (99, False), (1, True)):  # what is refused keeps no lock
        with sqlite3.connect(tmp_path / NAME) as base:
            base.execute("UPDATE about SET value=? WHERE name='format'", (number,))
        base.close()
        before = (tmp_path / NAME).read_bytes()
        if opens:
            Journal(tmp_path).close()
        else:
            with pytest.raises(Damaged, match="not a journal of this version"):
                Journal(tmp_path)
            assert (tmp_path / NAME).read_bytes() == before


def test_a_backup_of_a_running_service_can_be_served_and_verified(tmp_path: Path) -> None:
    local = Local(tmp_path / "service")
    local.create()
    local.do("learn", examples(30))
    main(["journal", "backup", str(tmp_path / "service"), "-o", str(tmp_path / "copy")])
    restored = Local(tmp_path / "copy")
    assert restored.model() == local.model()
    for one in (restored, local):
        one.do("learn", examples(30, seed=3))
    assert restored.model() == local.model()
    for one in (restored, local):
        one.close()
    main(["journal", "verify", str(tmp_path / "copy")])


def test_a_compacted_journal_goes_on_as_if_nothing_was_removed(tmp_path: Path) -> None:
    local = Local(tmp_path / "service")
    local.create()
    local.create("empty")
    late(local, examples(60))
    told = local.do("reveal", [(1, "ham"), (1, "spam")])
    whole = Local(copied(tmp_path / "service", tmp_path / "whole"))
    local.close()
    main(["journal", "compact", str(tmp_path / "service")])
    local = Local(tmp_path / "service")
    assert local.service.replayed == 0
    assert local.do("reveal", [(1, "ham"), (1, "spam")]) == told
    for one in (local, whole):
        one.do("learn", examples(20, seed=4))
    assert local.model() == whole.model()
    assert sorted(local.service.models) == ["empty", "m"]
    for one in (local, whole):
        one.close()
    main(["journal", "compact", str(tmp_path / "service"), "--answers"])
    main(["journal", "verify", str(tmp_path / "service")])
    with pytest.raises(SystemExit):
        main(["journal", "export", str(tmp_path / "service"), "--model", "m"])
    local = Local(tmp_path / "service")
    assert local.do("reveal", [(1, "ham")])[0]["error"]["status"] == 410
    local.close()


@pytest.mark.parametrize("settings", [{}, {"multiclass": True}, {"interactions": ["all"]}])
def test_a_model_that_met_one_label_is_compacted_and_goes_on(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    local, alone = Local(tmp_path / "service"), Local(tmp_path / "alone")
    some = examples(12)
    for one in (local, alone):
        one.create(**settings)
        one.do("learn", [(x, "spam") for x, _ in some])
    local.close()
    main(["journal", "compact", str(tmp_path / "service")])
    local = Local(tmp_path / "service")
    assert local.service.replayed == 0
    for one in (local, alone):
        one.do("learn", some)
    assert local.model() == alone.model()
    for one in (local, alone):
        one.close()


def test_the_oldest_prediction_is_dropped_or_learned_with_the_label_of_the_overdue(
    tmp_path: Path,
) -> None:
    local, some = Local(tmp_path), examples(6)
    local.create("drops", max_waiting=4)
    local.create("learns", max_waiting=4, overdue_label="ham")
    for name in ("drops", "learns"):
        local.do("predict", [(x, None) for x, _ in some], name)
    drops, learns = (local.service.models[name].protocol for name in ("drops", "learns"))
    assert (drops.waiting, drops.dropped, drops.labelled) == (4, 2, 0)
    assert (learns.waiting, learns.dropped, learns.labelled) == (4, 0, 2)
    statuses = [
        [one.get("error", {}).get("status") for one in found]
        for found in (
            local.do("reveal", [(1, "ham"), (2, "spam")], name) for name in ("drops", "learns")
        )
    ]
    assert statuses == [[410, 410], [None, 409]]
    local.close()


def test_a_model_of_the_name_of_a_deleted_one_has_none_of_its_tickets_or_keys(
    tmp_path: Path,
) -> None:
    local, some = Local(tmp_path), examples(6)
    local.create()
    local.do("predict", [(some[0][0], "mine")], key="k", digest=b"1")
    local.service.submit(service_module.Work("m", "delete")).result()
    local.create()
    found = local.do("predict", [(some[1][0], "mine")], key="k", digest=b"2")
    assert found[0]["ticket"] == "4:1"
    local.close()
    again = Local(tmp_path)
    assert [*again.service.models] == ["m"]
    assert again.service.models["m"].protocol.asked == 1
    again.close()


def test_after_an_unexpected_error_nothing_is_answered_until_a_start_replays_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = Local(tmp_path)
    local.create()
    local.do("learn", examples(5))
    with monkeypatch.context() as patch:
        patch.setattr("novikoff.online.delayed_labels.Protocol.tell", lambda *_, **__: 1 / 0)
        with pytest.raises(Unavailable, match="ZeroDivisionError"):
            local.do("learn", examples(3, seed=2))
    with pytest.raises(Unavailable):
        local.do("learn", examples(3, seed=2))
    local.close()
    again = Local(tmp_path)
    assert again.service.models["m"].protocol.labelled == 8  # they were written
    again.close()


PLAIN = [
    "{}",
    '{"a": 1}',
    ' { "a" : 1.5 , "b":true,"c" : false } ',
    '{"a":-0.0,"b":1e-5,"c":-2.5E+3,"d":0.1234567890123456789,"e":18446744073709551617}',
    '{"a=x":2,"a":"x","b":"","c":"two words"}',
    '{"w1":1,"w2":2,"w3":3,"w4":4,"w5":5,"w6":6,"w7":7,"w8":8,"w9":9}',
]
ODD = [
    '{"a": 1, "a": 2}',
    '{"a": "x", "a": "y"}',
    r'{"l\u0061bel": 1}',
    '{"label": 1}',
    '{"a": null}',
    '{"a": {"b": 1}, "c": [1, 2]}',
    '{"é": 1, "a": "ü"}',
    '{"": 1}',
    '{"a": 1e999}',
    '{"a": 1}, "text": "b"',
    "3",
    "[]",
    "null",
]


@pytest.mark.parametrize("hash_bits", [None, 3], ids=["names", "hashed"])
def test_a_batch_is_answered_and_learned_like_its_examples_one_by_one(
    hash_bits: int | None, tmp_path: Path
) -> None:
    local = Local(tmp_path)
    for name in ("together", "alone"):
        local.create(name, hash_bits=hash_bits)
        local.do("learn", [({"a": 1, "w2": 1}, "ham"), ({"b": 1, "w3": -1}, "spam")], name)
    for sent in (PLAIN, *([one, '{"b":1}'] for one in ODD)):
        each = [f'{{"features":{one}}}' for one in sent]
        together = local.send("together", "predict", f'{{"examples":[{",".join(each)}]}}')
        alone = [local.send("alone", "predict", one) for one in each]
        found = [one.get("error", one) for one in together.get("results", [together])]
        assert [_but_ids(one) for one in found] == [_but_ids(one) for one in alone]
        tickets = [one["round"] for one in found if "round" in one]
        for name in ("together", "alone"):
            local.do("reveal", [(n, ("ham", "spam")[n % 2]) for n in tickets], name)
        assert local.model("together") == local.model("alone")
    local.close()


def _but_ids(one: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on the model's number and on where in the body the example is."""
    shown = {name: value for name, value in one.items() if name != "ticket"}
    return shown | {"detail": one["detail"].partition(" (byte")[0]} if "detail" in one else shown


def test_a_batch_that_waits_is_the_same_after_a_start_and_can_be_explained(tmp_path: Path) -> None:
    local = Local(tmp_path / "service")
    local.create()
    local.do("learn", [({"a": 1}, "ham"), ({"b": 1}, "spam")])
    local.do("predict", [({"a": 2, "b": "x"},), ({"b": 3},)])
    waiting = local.service.models["m"].protocol
    assert isinstance(waiting.example(3), bytes)
    explained = local.service.models["m"].explain("1:4")
    crashed = Local(copied(tmp_path / "service", tmp_path / "crashed"))
    local.close()
    again = Local(tmp_path / "service")
    for one in (crashed, again):
        served = one.service.models["m"]
        assert served.explain("1:4") == explained
        assert served.protocol.tickets == waiting.tickets
        one.do("reveal", [(3, "ham"), (4, "ham")])
    assert crashed.model() == again.model()
    with Journal(tmp_path / "service", to_read=True) as journal:
        assert service_module.verify(journal)[1] >= 1
    crashed.close()
    again.close()


def test_other_labels_than_before_are_noticed_without_labels(tmp_path: Path) -> None:
    local = Local(tmp_path)
    local.create(window=20)
    served = local.service.models["m"]
    local.do("predict", [({"a": 1}, None)] * 30)  # there is no prediction yet
    local.do("learn", [({"a": 1}, "ham"), ({"b": 1}, "spam")])
    half = [({"a": 1}, None), ({"b": 1}, None)]
    local.do("predict", half * 10)
    assert served.label_shift is None
    local.do("predict", half * 10)
    assert served.label_shift == 0
    for _ in range(19):
        local.do("predict", half[:1])
    assert served.label_shift == 0
    local.do("predict", half[:1])
    assert served.label_shift == served.summary()["label_shift"] == 0.5
    local.do("predict", half * 10)  # of 60 before, 40 were ham
    assert served.label_shift == pytest.approx(2 / 3 - 1 / 2)
    local.close()


def test_a_batch_of_which_a_part_was_refused_is_replayed_without_that_part(tmp_path: Path) -> None:
    some, local = [({"a": k}, None) for k in range(3)], Local(tmp_path / "service")
    local.create()
    refused = {1: failed(422, "limit exceeded", "it is too large")}
    found = local.do("predict", some, key="k", digest=b"1", refused=refused)
    assert [one.get("round") for one in found] == [1, None, 2]
    crashed = Local(copied(tmp_path / "service", tmp_path / "crashed"))
    assert crashed.do("predict", some, key="k", digest=b"1") == found
    assert (
        crashed.service.models["m"].protocol.tickets == local.service.models["m"].protocol.tickets
    )
    local.close()
    crashed.close()
