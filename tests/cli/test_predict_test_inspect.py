"""`novikoff predict`, `test` and `inspect`: what a model says of new examples, and of itself."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import contents, error, json_of, run, stdout_of, trained_model
from novikoff.models.model import Model

MAIL = "kind,words,links,lang\nham,20,0,en\nspam,3,9,de\nspam,1,5,en\nham,30,1,de\nham,9,1,en\n"


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """A model of a table with texts, whose label is its first column."""
    (tmp_path / "mail.csv").write_text(MAIL)
    trained_model(tmp_path / "mail", tmp_path / "mail.csv", "--label", "kind", "--until-separated")
    return tmp_path / "mail"


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """A model of svmlight that uses columns 1 to 3."""
    (tmp_path / "x.svm").write_text("1 1:0.1 3:2\n-1 2:0.3\n1 1:0.7\n-1 2:0.1 3:-1\n")
    trained_model(tmp_path / "x", tmp_path / "x.svm", "--passes", 3, "--no-standardise")
    return tmp_path / "x"


def rewritten(folder: Path, text: str) -> Path:
    file = folder / "new.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "text",
    [
        "words,links,lang\n20,0,en\n3,9,de\n",
        "lang,links,words\nen,0,20\nde,9,3\n",
        "lang,more,links,words,kind\nen,x,0,20,?\nde,2020-01-01,9,3,nobody\n",
    ],
    ids=["without the label", "in another order", "with more columns and unknown labels"],
)
def test_columns_are_found_by_name(text: str, mail: Path, tmp_path: Path) -> None:
    expected = stdout_of("predict", mail, tmp_path / "mail.csv", "--print", "both").splitlines()[:2]
    answer = run("predict", mail, rewritten(tmp_path, text), "--print", "both")
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert answer.stdout.splitlines() == expected


def test_every_column_of_the_model_must_be_there(mail: Path, tmp_path: Path) -> None:
    file = rewritten(tmp_path, "words,lang\n20,en\n")
    assert error("predict", mail, file).startswith(f"{file}: there is no column 'links', which ")


def test_unknown_categories_are_ignored_with_a_warning(mail: Path, tmp_path: Path) -> None:
    file = rewritten(tmp_path, "words,links,lang\n20,0,fr\n3,9,xx\n3,9,de\n")
    answer = run("predict", mail, file)
    assert answer.stdout.splitlines() == ["ham", "spam", "spam"]
    assert answer.stderr == "novikoff: ignored 2 feature values unknown to the model\n"
    file.write_text("kind,words,links,lang\nham,20,0,fr\nspam,3,9,de\n")
    answer = run("test", mail, file, "--json")
    assert json.loads(answer.stdout)["unknown_feature_values"] == 1
    assert answer.stderr == "novikoff: ignored 1 feature value unknown to the model\n"


def test_unknown_indices_are_ignored_with_a_warning(numbered: Path, tmp_path: Path) -> None:
    (tmp_path / "new.svm").write_text("1 1:0.1 3:2 900000:5\n-1 2:0.3 7:1 12:4\n")
    answer = run("predict", numbered, tmp_path / "new.svm", "--print", "scores")
    old = stdout_of("predict", numbered, tmp_path / "x.svm", "--print", "scores").splitlines()
    assert answer.stdout.splitlines() == old[:2]
    assert answer.stderr == "novikoff: ignored 3 feature values unknown to the model\n"


def test_scores_are_exact(numbered: Path, tmp_path: Path) -> None:
    weights = Model.load(numbered).weights
    rows = np.array([[0, 0.1, 0, 2, 1], [0, 0, 0.3, 0, 1], [0, 0.7, 0, 0, 1], [0, 0, 0.1, -1, 1]])
    lines = stdout_of("predict", numbered, tmp_path / "x.svm", "--print", "scores").splitlines()
    assert lines == [repr(float(s)) for s in map(float, lines)]
    for line, row in zip(lines, rows, strict=True):
        exact = sum(Fraction(w) * Fraction(x) for w, x in zip(weights, row, strict=True))
        assert float(line) == pytest.approx(float(exact), rel=1e-15)


def test_predictions_to_a_file_are_those_on_the_screen(mail: Path, tmp_path: Path) -> None:
    printed = stdout_of("predict", mail, tmp_path / "mail.csv")
    assert printed == "ham\nspam\nspam\nham\nham\n"
    (tmp_path / "out").write_text("old")
    assert stdout_of("predict", mail, tmp_path / "mail.csv", "-o", tmp_path / "out") == ""
    assert (tmp_path / "out").read_text() == printed


def test_predictions_of_several_files_come_in_their_order(mail: Path, tmp_path: Path) -> None:
    a = rewritten(tmp_path, "words,links,lang\n3,9,de\n")
    (tmp_path / "b.csv").write_text("words,links,lang\n20,0,en\n")
    assert stdout_of("predict", mail, a, tmp_path / "b.csv") == "spam\nham\n"
    assert stdout_of("predict", mail, tmp_path / "b.csv", a) == "ham\nspam\n"


def test_no_examples_have_no_predictions(numbered: Path, tmp_path: Path) -> None:
    (tmp_path / "none.svm").write_text("")
    assert stdout_of("predict", numbered, tmp_path / "none.svm") == ""
    assert error("test", numbered, tmp_path / "none.svm").endswith(
        "none.svm: there are no examples"
    )


def test_the_printed_result_agrees_with_the_json(mail: Path, tmp_path: Path) -> None:
    file = rewritten(tmp_path, MAIL.replace("spam,3", "ham,3") + "spam,40,1,en\nspam,40,0,en\n")
    found = json_of("test", mail, file)
    assert found["confusion"] == {"ham": {"ham": 3, "spam": 1}, "spam": {"ham": 2, "spam": 1}}
    assert (found["examples"], found["mistakes"], found["accuracy"]) == (7, 3, 4 / 7)
    scores = stdout_of("predict", mail, file, "--print", "scores").split()
    ham, spam = ([float(s) for s, k in zip(scores, "hhshhss", strict=True) if k == c] for c in "hs")
    right = sum((s > h) + 0.5 * (s == h) for s in spam for h in ham)
    assert found["roc_area"] == right / (len(spam) * len(ham))
    lines = stdout_of("test", mail, file).splitlines()
    assert lines[0].startswith("Data      CSV, comma, header, label 'kind'")
    assert lines[1:6] == [
        "Accuracy  57.14%: 4 of 7 examples right",
        "Baseline  57.14% by always predicting ham",
        "Mistakes  3",
        "Positive  spam: precision 50.00%, recall 33.33%, F1 40.00%",
        f"ROC area  {found['roc_area']:.4f}",
    ]
    assert found["baseline"] == {"label": "ham", "accuracy": 4 / 7}
    assert found["classes"]["spam"]["f1"] == 0.4
    loss, error = found["log_loss"], found["calibration_error"]
    assert lines[6] == f"Log loss  {loss:.4f}, calibration error {error:.4f}"
    assert [line.split() for line in lines[8:]] == [
        ["label", "predicted", "ham", "predicted", "spam"],
        ["ham", "3", "1"],
        ["spam", "2", "1"],
    ]


def test_the_curves_are_drawn_on_request(mail: Path, tmp_path: Path) -> None:
    file = rewritten(tmp_path, MAIL)
    for name in ("roc", "precision-recall"):
        stdout_of("test", mail, file, f"--{name}", tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").read_text().startswith("<?xml")
    assert error("test", mail, file, "--roc", tmp_path / "x.gif").endswith(".png, .svg or .pdf")
    many = tmp_path / "many"
    stdout_of("train", file, "-o", many, "--label", "kind", "--multiclass", "-q")
    says = error("test", many, file, "--precision-recall", tmp_path / "x.svg")
    assert says == "--precision-recall: the curve is for models of two labels"


def test_one_label_alone_has_no_roc_area(mail: Path, tmp_path: Path) -> None:
    file = rewritten(tmp_path, "kind,words,links,lang\nham,20,0,en\n")
    assert json_of("test", mail, file)["roc_area"] is None
    assert "ROC area  undefined: only one label\n" in stdout_of("test", mail, file)


def test_written_weights_are_exact(mail: Path, tmp_path: Path) -> None:
    trained_model(tmp_path / "a", tmp_path / "mail.csv", "--label", "kind", "--learner", "averaged")
    stdout_of("inspect", tmp_path / "a", "--weights", tmp_path / "w.csv")
    rows = list(csv.reader((tmp_path / "w.csv").read_text().splitlines()))
    assert rows[0] == ["feature", "weight"]
    model = Model.load(tmp_path / "a")
    names = model.features.names
    assert names is not None
    expected = dict(zip([*names, "(constant)"], model.weights.tolist(), strict=True))
    found = {name: float(weight) for name, weight in rows[1:]}
    assert found == {n: w for n, w in expected.items() if w or n == "(constant)"}
    assert mail.exists()


def test_names_with_commas_quotes_and_line_breaks_are_written_as_csv(tmp_path: Path) -> None:
    names = ["a,b", 'say "x"', "two\nlines", "é=ü"]
    examples = [{"label": i % 2, name: i + 1} for i, name in enumerate(names)]
    file = tmp_path / "x.jsonl"
    file.write_text("".join(json.dumps(e) + "\n" for e in examples))
    trained_model(tmp_path / "m", file, "--no-bias", "--until-separated")
    stdout_of("inspect", tmp_path / "m", "--weights", tmp_path / "w.csv")
    with (tmp_path / "w.csv").open(newline="") as table:
        assert [row[0] for row in csv.reader(table)] == ["feature", *names]


def test_inspect_prints_what_its_json_has(mail: Path) -> None:
    found, screen = json_of("inspect", mail), stdout_of("inspect", mail)
    assert (found["kind"], found["classes"], found["examples"]) == (
        "perceptron",
        ["ham", "spam"],
        5,
    )
    assert not found["unfinished"]
    assert f"Mistakes  {found['mistakes']} in {found['rounds']} rounds" in screen
    assert "Labels    spam is +1, ham is -1\n" in screen
    for name, weight in found["largest_weights"]["positive"].items():
        assert weight > 0
        assert any(line.split() == [name, f"{weight:+.6g}"] for line in screen.splitlines())
    few = json_of("inspect", mail, "-n", 1)["largest_weights"]
    assert [len(few["positive"]), len(few["negative"])] == [1, 1]
    assert few["positive"] == dict([max(found["largest_weights"]["positive"].items(), key=value)])


def value(pair: tuple[str, float]) -> float:
    return pair[1]


def test_a_vote_has_no_weights_to_write(numbered: Path, tmp_path: Path) -> None:
    trained_model(tmp_path / "v", tmp_path / "x.svm", "--learner", "voted")
    before = contents(tmp_path)
    assert "a voted model has no single weights" in error(
        "inspect", tmp_path / "v", "--weights", tmp_path / "w"
    )
    assert contents(tmp_path) == before
    assert "Votes     " in stdout_of("inspect", tmp_path / "v")
    scores = stdout_of("predict", tmp_path / "v", tmp_path / "x.svm", "--print", "scores").split()
    assert all(-1 <= float(s) <= 1 for s in scores)
    assert numbered.exists()


def test_json_lines_are_read_as_the_model_was_trained(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"kind": "a", "x": 1, "y": null}\n{"kind": "b", "x": -1, "y": 2}\n')
    words = ["--label", "kind", "--missing", "zero", "--until-separated"]
    trained_model(tmp_path / "m", file, *words)
    answer = run("predict", tmp_path / "m", file)
    assert (answer.stdout, answer.stderr) == ("a\nb\n", "")
    assert json_of("test", tmp_path / "m", file)["mistakes"] == 0


def test_inspect_shows_a_kept_ledger(tmp_path: Path) -> None:
    data = tmp_path / "mail.csv"
    data.write_text("words,links,kind\n120,0,ham\n80,7,spam\n90,8,spam\n200,1,ham\n")
    how = ["--learner", "perceptron", "--stream"]
    stdout_of("train", data, "-o", tmp_path / "kept", "--ledger", *how)
    stdout_of("train", data, "-o", tmp_path / "counts", *how)
    screen = stdout_of("inspect", tmp_path / "kept", "--mistakes", "2")
    lines = screen.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("First 2 of "))
    assert lines[at + 1].split() == ["mistake", "round", "row", "label", "score", "step"]
    assert lines[at + 2].split()[:4] == ["1", "1", "0", "-1"]
    assert len(lines) == at + 4
    kept = json_of("inspect", tmp_path / "kept", "--mistakes", "1")["first_mistakes"]
    assert [(m["number"], m["row"], m["label"]) for m in kept] == [(1, 0, -1)]
    words = error("inspect", tmp_path / "counts", "--mistakes", "1")
    assert words == f"--mistakes: {tmp_path / 'counts'} kept counts only; train it with --ledger"
