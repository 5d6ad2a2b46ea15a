"""Texts on the command line: words as features, tables without quotes or headers, folders."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command_line import (
    error,
    json_of,
    run,
    stdout_of,
    train_until_stopped,
    trained_model,
)
from novikoff import BadExample, load
from novikoff.models.model import Model
from novikoff.sources import ReadOptions, open_files

SPAM, HAM = (
    ["free", "money", "win", "prize", "call", "now"],
    ["see", "you", "at", "lunch", "with", "her"],
)
HOW = ["--no-header", "--label", "0", "--text", "1", "--quote", "none"]


def messages(count: int, seed: int = 0, words: int = 6) -> list[tuple[str, str]]:
    dice = random.Random(seed)
    made = []
    for _ in range(count):
        label = dice.choice(["ham", "spam"])
        own = SPAM if label == "spam" else HAM
        text = " ".join(dice.choice([*own, *own, *SPAM, *HAM]) for _ in range(words))
        made.append((label, f'{text} "{dice.randrange(99)}'))  # an odd quote in each
    return made


def table(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows))
    return path


def test_inspect_says_how_texts_are_read(tmp_path: Path) -> None:
    file, model = table(tmp_path / "t.tsv", messages(40)), tmp_path / "m"
    for options, words in (
        ([], "words and pairs of words, ln(1 + count), each text scaled to length 1"),
        (
            ["--text-grams", "characters", "--text-values", "binary", "--no-text-unit-length"],
            "3 to 5 characters within words, 0 or 1",
        ),
    ):
        stdout_of("train", file, "-o", model, *HOW, "-q", *options)
        assert f"\nTexts     1: {words}\n" in stdout_of("inspect", model)
        found = json_of("inspect", model)
        assert found["texts"] == ["1"]
        assert found["text_rule"]["grams"] == ("characters" if options else "pairs")


def test_a_model_reads_texts_as_its_training_data_were_read(tmp_path: Path) -> None:
    rows = messages(400)
    file, model = table(tmp_path / "t.tsv", rows), tmp_path / "m"
    words = stdout_of("train", file, "-o", model, *HOW, "-q", "--learner", "averaged")
    assert "CSV, tab, no header, label 0, words of 1" in words
    assert json_of("test", model, file)["accuracy"] > 0.9
    bare = tmp_path / "bare.tsv"
    bare.write_text("".join(f"{text}\n" for _, text in rows))
    labelled = stdout_of("predict", model, file)
    assert stdout_of("predict", model, bare) == labelled
    assert stdout_of("predict", model, bare.rename(tmp_path / "bare")) == labelled  # no format
    assert Model.load(model).read_options["text_rule"] == {
        "grams": "pairs",
        "values": "log",
        "unit_length": True,
    }
    largest = json_of("inspect", model)["largest_weights"]["positive"]
    assert {"1=free", "1=money", "1=prize"} & {*largest}


def test_hashed_words_keep_their_names(tmp_path: Path) -> None:
    file = table(tmp_path / "t.tsv", messages(300))
    stdout_of("train", file, "-o", tmp_path / "m", *HOW, "--hash-bits", 18, "-q")
    largest = json_of("inspect", tmp_path / "m")["largest_weights"]["positive"]
    assert {"1=free", "1=money", "1=prize"} & {*largest}
    stdout_of("train", file, "-o", tmp_path / "n", *HOW, "--hash-bits", 18, "--no-names", "-q")
    nameless = json_of("inspect", tmp_path / "n")["largest_weights"]["positive"]
    assert all(name.startswith("#") or name == "(constant)" for name in nameless)
    assert [*nameless.values()] == [*largest.values()]


@pytest.mark.parametrize(
    "how",
    [[], ["--hash-bits", 12], ["--text-grams", "characters"], ["--text-values", "counts"]],
    ids=str,
)
def test_training_on_a_and_then_on_b_is_training_on_both(tmp_path: Path, how: list[Any]) -> None:
    rows = messages(600)
    a, b = table(tmp_path / "a.tsv", rows[:250]), table(tmp_path / "b.tsv", rows[250:])
    both = table(tmp_path / "ab.tsv", rows)
    first = tmp_path / "first"
    stdout_of("train", a, "-o", first, *HOW, *how, "--stream", "--classes", "ham,spam", "-q")
    further = trained_model(tmp_path / "further", b, "--initial", first, "--stream")
    names = ["--stream", "--classes", "ham,spam"]
    assert further == trained_model(tmp_path / "whole", both, *HOW, *how, *names)


def test_an_interrupted_run_resumes_to_the_same_model(tmp_path: Path) -> None:
    file = table(tmp_path / "t.tsv", messages(12_000, words=50))  # several pieces
    how = [file, *HOW, "--stream", "--passes", 2]
    whole = trained_model(tmp_path / "whole", *how)
    stopped = tmp_path / "stopped"
    train_until_stopped(3, *how, "-o", stopped)
    assert trained_model(stopped, *how, "--resume") == whole


def test_options_for_texts_must_agree_with_the_model_trained_further(tmp_path: Path) -> None:
    file = table(tmp_path / "t.tsv", messages(50))
    stdout_of("train", file, "-o", tmp_path / "m", *HOW, "-q")
    again = ["train", file, "-o", tmp_path / "n", "--initial", tmp_path / "m", "-q"]
    stdout_of(*again, "--text", "1", "--text-grams", "pairs")
    for option, value in (("--text-grams", "words"), ("--text-values", "counts"), ("--text", "0")):
        assert error(*again, option, value).startswith(f"{option} differs from the model")
    assert error(*again, "--no-text-unit-length").startswith("--no-text-unit-length differs")


def test_a_cache_holds_texts(tmp_path: Path) -> None:
    file = table(tmp_path / "t.tsv", messages(300))
    cache = ["--cache", tmp_path / "c"]
    first = trained_model(tmp_path / "a", file, *HOW, *cache)
    assert trained_model(tmp_path / "b", file, *HOW, *cache) == first
    assert trained_model(tmp_path / "c2", file, *HOW) == first


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "parquet"])
def test_text_taken_for_categories_is_said(tmp_path: Path, kind: str) -> None:
    rows = messages(200)
    file = tmp_path / f"t.{kind}"
    if kind == "tsv":
        file.write_text("kind\tmessage\n" + "".join(f"{y}\t{x[:-4]}\n" for y, x in rows))
    elif kind == "jsonl":
        lines = [json.dumps({"kind": y, "message": x}) for y, x in rows]
        file.write_text("\n".join([*lines, ""]))
    else:
        columns = {"kind": [y for y, _ in rows], "message": [x for _, x in rows]}
        pq.write_table(pa.table(columns), file)
    words = error("train", file, "-o", tmp_path / "m", "--label", "kind", "-q")
    what = "key" if kind == "jsonl" else "column"
    assert f"{what} 'message' looks like text: 200 values" in words
    assert "use --text message" in words
    assert "--ignore message" in words
    assert not (tmp_path / "m").exists()
    for option in ("--text", "--categorical"):
        stdout_of("train", file, "-o", tmp_path / "m", "--label", "kind", option, "message", "-q")
    if kind != "tsv":  # a model reads its own data again, whatever they look like
        stdout_of("test", tmp_path / "m", file)


def test_identifiers_are_said(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("id,x,y\n" + "".join(f"u{i:04},{i % 7},{i % 2}\n" for i in range(150)))
    words = error("train", file, "-o", tmp_path / "m", "-q")
    assert "column 'id' looks like identifiers: 150 values, all different" in words
    assert words.endswith("use --ignore id, or --categorical id to take each value as a category")
    stdout_of("train", file, "-o", tmp_path / "m", "--ignore", "id", "-q")
    stdout_of("certify", file, "--ignore", "id")
    with pytest.raises(BadExample, match=r"pass ignore=\['id'\], or categorical=\['id'\]"):
        list(open_files(str(file)))


@pytest.mark.parametrize(
    "value",
    [
        lambda i: f"a few words {i % 9}",  # they repeat
        lambda i: f"{i % 11} b",
        lambda i: f"name{i % 99}",  # all but a few different
    ],
)
def test_categories_are_not_taken_for_text(tmp_path: Path, value: Callable[[int], str]) -> None:
    file = tmp_path / "t.csv"
    file.write_text("c,y\n" + "".join(f"{value(i)},{i % 2}\n" for i in range(100)))
    stdout_of("train", file, "-o", tmp_path / "m", "-q")


def test_few_values_decide_nothing(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("c,y\n" + "".join(f"all words differ {i},{i % 2}\n" for i in range(19)))
    stdout_of("train", file, "-o", tmp_path / "m", "-q")
    with file.open("a") as more:
        more.write("one more of them,0\n")
    assert "looks like text: 20 values" in error("train", file, "-o", tmp_path / "m", "-q")


@pytest.mark.parametrize("verb", ["train", "certify", "report", "test", "predict", "verify"])
def test_every_verb_that_reads_tables_knows_their_marks(tmp_path: Path, verb: str) -> None:
    file = tmp_path / "t.txt"
    file.write_text("1|5|7\n-1|4|2\n1|6|8\n-1|3|3\n")
    marks = ["--delimiter", "|", "--no-header", "--label", "0", "--quote", "none"]
    model, proof = tmp_path / "m", tmp_path / "p.json"
    stdout_of("train", file, "-o", model, *marks, "--format", "csv", "-q")
    stdout_of("certify", file, "-o", proof, *marks, "--format", "csv")
    words = {
        "train": ["train", file, "-o", tmp_path / "n", *marks, "-q"],
        "certify": ["certify", file, *marks],
        "report": ["report", file, "-o", tmp_path / "r.html", "-q", *marks],
        "test": ["test", model, file, *marks],
        "predict": ["predict", model, file, *marks],
        "verify": ["verify", proof, file, *marks],
    }[verb]
    stdout_of(*words, "--format", "csv")
    if verb in ("test", "predict"):  # the model remembers them
        stdout_of(verb, model, file, "--format", "csv")


def test_the_page_of_a_report_says_how_the_table_was_read(tmp_path: Path) -> None:
    file, page = tmp_path / "t.csv", tmp_path / "r.html"
    file.write_text("1;5\n-1;4\n1;6\n-1;3\n")
    marks = ["--delimiter", ";", "--no-header", "--quote", "none", "--label", "0"]
    stdout_of("report", file, "-o", page, "-q", *marks)
    text = page.read_text()
    assert "--no-header" in text
    assert "--quote none" in text


def test_a_header_may_be_named_or_denied(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("1,2\n3,0\n4,1\n")
    json_of("train", file, "-o", tmp_path / "m", "--header", "-q")
    assert Model.load(tmp_path / "m").features.names == ("1",)
    assert json_of("train", file, "-o", tmp_path / "m", "--multiclass", "-q")["examples"] == 3
    (tmp_path / "w.csv").write_text("u,p\nv,q\n")
    found = json_of("train", tmp_path / "w.csv", "-o", tmp_path / "m", "--no-header", "-q")
    assert (found["examples"], found["classes"]) == (2, ["p", "q"])


def test_delimiters_are_single_characters(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    for mark, name in (("\t", "tab"), ("\t", "\\t"), ("|", "|"), ("\x01", "\x01"), (":", ":")):
        file.write_text(f"a{mark}y\n1{mark}0\n2{mark}1\n")
        words = ["train", file, "-o", tmp_path / "m", "--format", "csv", "--delimiter", name]
        assert json_of(*words, "-q")["examples"] == 2
    for name in ("ab", "e", "1", '"', "-", "."):
        words = ["train", file, "-o", tmp_path / "m", "--delimiter", name]
        assert error(*words).startswith(f"--delimiter {name!r}: write tab, space, or one character")


def test_options_of_tables_do_not_apply_to_other_formats(tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text("1 1:1\n-1 2:1\n")
    train = ["train", file, "-o", tmp_path / "m", "-q"]
    assert "svmlight has no delimiter" in error(*train, "--delimiter", "tab")
    assert "svmlight has no header" in error(*train, "--no-header")
    assert "svmlight has no quotes" in error(*train, "--quote", "none")
    assert "svmlight has no columns, such as 'body'" in error(*train, "--text", "body")


def test_a_text_is_neither_the_label_nor_ignored(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("kind,text\nham,see you\nspam,win now\n")
    train = ["train", file, "-o", tmp_path / "m", "-q", "--text", "text"]
    assert "cannot be both the label and a text" in error(*train, "--label", "text")
    assert "cannot be both ignored and text" in error(*train, "--ignore", "text")
    assert json_of(*train)["classes"] == ["ham", "spam"]  # the last column that is no text
    assert "there is no column 'body'" in error(*train, "--text", "body")


def folders(root: Path, rows: list[tuple[str, str]]) -> Path:
    for i, (label, text) in enumerate(rows):
        (root / label).mkdir(parents=True, exist_ok=True)
        (root / label / f"{i:04}").write_text(text)
    return root


def test_documents_have_no_columns_and_do_not_mix_with_data_files(tmp_path: Path) -> None:
    mail = folders(tmp_path / "mail", [("ham", "see you"), ("spam", "win now")])
    (tmp_path / "t.csv").write_text("a,y\n1,0\n2,1\n")
    train = ["train", mail, "-o", tmp_path / "m", "-q"]
    words = "documents have no columns; the label of a document is the name of its folder"
    assert words in error(*train, "--label", "kind")
    assert "documents have no column 'w' for the weight" in error(*train, "--weight", "w")
    assert "documents have no columns, such as 'x'" in error(*train, "--ignore", "x")
    mixed = ["train", mail, tmp_path / "t.csv", "-o", tmp_path / "m", "-q"]
    assert error(*mixed).endswith("give either folders of documents or data files")


def test_folders_of_documents_are_classes(tmp_path: Path) -> None:
    mail = folders(tmp_path / "mail", messages(200))
    found = json_of("train", mail, "-o", tmp_path / "m", "-q")
    assert (found["data"], found["classes"]) == ("folders of documents, 200 files", ["ham", "spam"])
    assert json_of("test", tmp_path / "m", mail)["accuracy"] > 0.9
    assert "text=free" in (Model.load(tmp_path / "m").features.names or ())


def test_folders_take_turns_in_proportion(tmp_path: Path) -> None:
    rows = [*[("a", f"a{i}") for i in range(6)], *[("b", f"b{i}") for i in range(2)]]
    source = open_files(str(folders(tmp_path / "mail", rows)))
    (chunk,) = source
    found = [chunk.label_texts[k] for k in chunk.labels]
    assert found == ["a", "a", "b", "a", "a", "a", "b", "a"]
    assert [one.path[-4:] for one in source.inputs if one.folder == "a"] == [
        f"{i:04}" for i in range(6)
    ]


def test_a_model_of_folders_reads_tables_and_loose_documents(tmp_path: Path) -> None:
    rows = messages(200)
    mail = folders(tmp_path / "mail", rows)
    stdout_of("train", mail, "-o", tmp_path / "m", "-q")
    pq.write_table(
        pa.table({"text": [x for _, x in rows], "kind": [y for y, _ in rows]}),
        tmp_path / "t.parquet",
    )
    by_table = json_of("test", tmp_path / "m", tmp_path / "t.parquet", "--label", "kind")
    assert by_table["confusion"] == json_of("test", tmp_path / "m", mail)["confusion"]
    loose = tmp_path / "loose"
    loose.mkdir()
    for i, (_, text) in enumerate(rows):
        (loose / f"{i:04}.txt").write_text(text)
    answers = stdout_of("predict", tmp_path / "m", loose, "--format", "folders")
    assert answers == stdout_of("predict", tmp_path / "m", tmp_path / "t.parquet")
    assert "in no folder that labels it" in error(
        "test", tmp_path / "m", loose, "--format", "folders"
    )


def test_folders_of_data_files_and_bad_documents_are_refused(tmp_path: Path) -> None:
    mail = folders(tmp_path / "mail", messages(20))
    (mail / "ham" / "latin").write_bytes(b"caf\xe9")
    words = error("train", mail, "-o", tmp_path / "m", "-q")
    assert words.startswith(f"{mail}/ham/latin: byte 0xe9 is not UTF-8")
    answer = run("train", mail, "-o", tmp_path / "m", "-q", "--skip-bad", 1)
    assert (answer.exit_code, "skipped 1 bad line" in answer.stderr) == (0, True)
    data = tmp_path / "data"
    (data / "y=1").mkdir(parents=True)
    (data / "y=1" / "part.csv").write_text("a,y\n1,0\n")
    assert "part.csv: this file is csv, not a document" in error(
        "train", data, "-o", tmp_path / "m"
    )
    empty = tmp_path / "empty"
    (empty / "sub").mkdir(parents=True)
    assert error("train", empty, "-o", tmp_path / "m").endswith("the directory has no files")


def test_a_model_remembers_how_texts_are_read() -> None:
    how = ReadOptions(label="y", text=("a",), quote="none", delimiter="|", header=False)
    assert how.following(how.remembered(None)).text == ("a",)
    assert ReadOptions().following({}) == ReadOptions(like_before=True)


def test_a_table_among_folders_is_refused_wherever_it_comes(tmp_path: Path) -> None:
    mail, file = folders(tmp_path / "mail", messages(20)), tmp_path / "a.csv"
    file.write_text("x,y\n1,a\n2,b\n")
    for data in ([file, mail], [mail, file]):
        words = error("train", *data, "-o", tmp_path / "m", "-q")
        assert words.startswith(f"{file}: not in a folder, but {mail}/")


def test_quotes_can_be_switched_on_for_a_model_without_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("c,y\n" + 'p"p,0\nq,1\n' * 4)
    trained_model(tmp_path / "m", tmp_path / "a.csv", "--quote", "none")
    (tmp_path / "b.csv").write_text("c,y\n" + '"p""p",0\n"q",1\n' * 4)
    found = json_of("test", tmp_path / "m", tmp_path / "b.csv", "--quote", "double")
    assert found["accuracy"] == 1
    further = ["--initial", tmp_path / "m", "--quote", "double"]
    trained_model(tmp_path / "n", tmp_path / "b.csv", *further)
    assert Model.load(tmp_path / "n").features.names == ('c=p"p', "c=q")
    assert json_of("test", tmp_path / "n", tmp_path / "b.csv")["accuracy"] == 1


def test_certify_is_advised_only_for_data_that_it_can_read(tmp_path: Path) -> None:
    rows = tmp_path / "n.csv"
    rows.write_text("a,b,y\n" + "1,2,0\n2,1,1\n1,2,1\n" * 4)
    texts = table(tmp_path / "t.tsv", messages(50))
    for learner in ("adaptive", "perceptron"):
        more = ["-o", tmp_path / "m", "-q", "--learner", learner, "--passes", 2]
        assert "novikoff certify" in stdout_of("train", rows, *more)
        assert "novikoff certify" not in stdout_of("train", rows, *more, "--interactions", "all")
        assert "novikoff certify" not in stdout_of("train", texts, *more, *HOW)


@pytest.mark.parametrize("cached", [False, True])
def test_words_have_unit_length_by_default_standardised_or_not(
    cached: bool, tmp_path: Path
) -> None:
    dice = random.Random(0)
    lines = [
        f"{i % 2} " + " ".join(f"{j}:1e200" for j in sorted(dice.sample(range(1, 1500), 20)))
        for i in range(200)
    ]
    (tmp_path / "w.svm").write_text("\n".join([*lines, "1 1500:1\n"]))
    more = ["--cache", tmp_path / "c"] if cached else []
    words = ["train", tmp_path / "w.svm", "-o", tmp_path / "m", "-q", "--no-standardise", *more]
    for _ in range(2):  # the second time from the cache
        found = json_of(*words)
        assert (found["standardised"], found["unit_length"]) == (False, True)


def test_a_line_that_names_no_column_may_be_an_example(tmp_path: Path) -> None:
    data, model, lines = tmp_path / "d.csv", tmp_path / "m", tmp_path / "lines"
    data.write_text("note,k\nfree money now,spam\nlunch with you,ham\n")
    stdout_of("train", data, "-q", "-o", model, "--text", "note")
    lines.write_text("lunch with you\n")
    said = error("predict", model, lines)
    assert said.endswith("such as 'note'; if it is an example, use --no-header")
    assert stdout_of("predict", model, lines, "--no-header") == "ham\n"
    lines.write_text("note\nlunch with you\n")
    assert stdout_of("predict", model, lines) == "ham\n"
    clf: Any = load(model)
    with pytest.raises(BadExample, match="pass a list of texts or a frame"):
        clf.predict([[1.0]])
