"""Estimators and files there and back: the same bytes, predictions and further learning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers.dict_streams import stream
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    BadModel,
    MarginPerceptron,
    Perceptron,
    TextFeatures,
    VotedPerceptron,
    Winnow,
    load,
    save,
)
from novikoff.cli.main import run as main
from novikoff.storage import file_format as storage
from novikoff.stream.labels import written

DICE = np.random.default_rng(7)
X = DICE.normal(size=(60, 5))
TWO = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.1 * DICE.normal(size=60), 1, 0)
THREE = np.array(["a", "b", "c"])[np.clip(X[:, 0] * 1.5 + 1, 0, 2.9).astype(int)]
FRAME = pd.DataFrame(X, columns=["age", "height", "weight", "dose", "score"])
DICTS = [x for x, _ in stream(5, 60)]
LABELS = [y for _, y in stream(5, 60)]

FITTED: dict[str, tuple[Any, Any, Any]] = {
    "rows": (Perceptron(max_iter=5), X, TWO),
    "rows of float32": (Perceptron(max_iter=5), X.astype(np.float32), TWO),
    "sparse rows": (AveragedPerceptron(), csr_matrix(np.where(X > 0, X, 0)), TWO),
    "frame": (AdaptivePerceptron(), FRAME, TWO),
    "truth values": (Perceptron(max_iter=5), X, TWO == 1),
    "texts like numbers": (Perceptron(max_iter=5), X, TWO.astype(str)),
    "texts": (Perceptron(max_iter=5), X, np.where(TWO, "yes", "no")),
    "floats": (Perceptron(max_iter=5), X, np.where(TWO, 2.0, -1.0)),
    "one against the rest": (AdaptivePerceptron(multiclass="ovr"), FRAME, THREE),
    "jointly by default": (AdaptivePerceptron(), FRAME, THREE),
    "averages against the rest": (AveragedPerceptron(), X, THREE),
    "votes against the rest": (VotedPerceptron(max_iter=2), X, THREE),
    "jointly": (AdaptivePerceptron(multiclass="joint"), X, THREE),
    "joint perceptron": (Perceptron(multiclass="joint", max_iter=3), X, THREE),
    "voted": (VotedPerceptron(max_iter=3), X, TWO),
    "margin": (MarginPerceptron(margin=0.5, max_iter=4, eta0=0.3), X, TWO),
    "full matrix": (AdaptivePerceptron(matrix="full", regularisation=0.5), X, TWO),
    "averaged adaptive": (AdaptivePerceptron(average=True, fit_intercept=False), X, TWO),
    "winnow": (Winnow(max_iter=4), X, TWO),
    "winnow2": (Winnow(variant="winnow2", max_iter=4), abs(X), TWO),
    "weighted classes": (Perceptron(class_weight={0: 2.0, 1: 0.5}, max_iter=3), X, TWO),
    "balanced classes": (AdaptivePerceptron(class_weight="balanced"), X, THREE),
    "negative ties": (  # the first row has score 0
        Perceptron(ties="negative", max_iter=3, keep="positions", fit_intercept=False),
        np.where(np.arange(60)[:, None] > 0, X, 0.0),
        TWO,
    ),
    "another order": (Perceptron(shuffle=False, max_iter=3, random_state=5), X, TWO),
}


def names(labels: Any) -> list[str]:
    return [written(label) for label in np.asarray(labels).tolist()]


def same(one: Any, other: Any, X: Any) -> None:
    assert type(one) is type(other)
    assert one.get_params() == other.get_params()
    assert one.classes_.tolist() == other.classes_.tolist()
    assert (one.decision_function(X) == other.decision_function(X)).all()
    assert one.predict(X).tolist() == other.predict(X).tolist()
    assert (one.coef_ == other.coef_).all()
    assert one.verdict_ == other.verdict_
    assert one.n_mistakes_ == other.n_mistakes_
    if one.gives_probabilities:
        assert (one.predict_proba(X) == other.predict_proba(X)).all()


def table(path: Path, X: Any, y: Any) -> Path:
    if isinstance(X, pd.DataFrame):
        path = path.with_suffix(".parquet")
        X.assign(y=y).sample(frac=1, axis=1, random_state=0).to_parquet(path)
    else:
        path = path.with_suffix(".npz")
        if hasattr(X, "tocsr"):
            parts = {name: getattr(X, name) for name in ("data", "indices", "indptr", "shape")}
            np.savez(path, **parts, format=np.array(b"csr"), y=np.array(y))
        else:
            np.savez(path, X=X, y=np.array(y))
    return path


def said(screen: Any, *words: Any) -> list[str]:
    screen.readouterr()
    main([*map(str, words)])
    return list(screen.readouterr().out.splitlines())


@pytest.mark.parametrize("kind", FITTED)
def test_a_fitted_estimator_goes_to_the_command_line_and_comes_back(
    kind: str, tmp_path: Path, capsys: Any
) -> None:
    made, rows, y = FITTED[kind]
    clf = type(made)(**made.get_params()).fit(rows, y)
    clf.save(tmp_path / "m")
    data = table(tmp_path / "data", rows, names(y))
    predicted = said(capsys, "predict", tmp_path / "m", data)
    assert predicted == names(clf.predict(rows))
    scores = said(capsys, "predict", tmp_path / "m", data, "--print", "scores")
    ours = clf.decision_function(rows).reshape(len(y), -1)
    assert [[*map(float, line.split("\t"))] for line in scores] == ours.tolist()
    screen = "\n".join(said(capsys, "inspect", tmp_path / "m"))
    if "rest" in kind:
        assert f"Mistakes  {clf.n_mistakes_} in " in screen
        with pytest.raises(SystemExit):
            main(["train", str(data), "-o", str(tmp_path / "n"), "--initial", str(tmp_path / "m")])
        assert "each class was learned against the rest" in capsys.readouterr().err
    again = load(tmp_path / "m")
    same(clf, again, rows)
    again.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
    for one in (clf, again):
        one.partial_fit(rows[:30], y[:30])
    same(clf, again, rows)
    clf.save(tmp_path / "m")
    again.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


ONE_BY_ONE: dict[str, Any] = {
    "names": Perceptron(),
    "counts": AveragedPerceptron(keep="counts"),
    "hashed": AdaptivePerceptron(hash_bits=4),
    "voted": VotedPerceptron(),
    "jointly": AveragedPerceptron(multiclass="joint"),
}


@pytest.mark.parametrize("kind", ONE_BY_ONE)
def test_a_stream_of_dicts_is_continued_by_either(kind: str, tmp_path: Path, capsys: Any) -> None:
    made, m, n = ONE_BY_ONE[kind], tmp_path / "m", tmp_path / "n"
    some = [(x, str(y)) for x, y in stream(5, 60, classes=4 if kind == "jointly" else 2)]
    some = [(x, y) for x, y in some if "from=x.com" not in x]
    whole, clf = (type(made)(**made.get_params()) for _ in range(2))
    for x, y in some:
        whole.learn_one(x, y)
    for x, y in some[:20]:
        clf.learn_one(x, y)
    clf.save(m)
    lines = tmp_path / "more.jsonl"
    lines.write_text("\n".join(json.dumps({"label": y, **x}) for x, y in some[20:40]))
    said(capsys, "train", lines, "-q", "--initial", m, "-o", n)
    again: Any = load(n)
    assert said(capsys, "predict", n, lines) == names(again.predict([x for x, _ in some[20:40]]))
    again.learn_many([x for x, _ in some[40:50]], [y for _, y in some[40:50]])
    for x, y in some[50:]:
        again.learn_one(x, y)
    same(whole, again, [x for x, _ in some])
    whole.save(m)
    again.save(n)
    assert m.read_bytes() == n.read_bytes()
    if len(again.classes_) == 2:
        assert dict(whole.named_weights) == dict(again.named_weights)


def mails(folder: Path) -> Path:
    for k, text in enumerate(["free money now", "see you at lunch", "win money", "lunch at one"]):
        path = folder / ("ham" if k % 2 else "spam") / f"{k}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


PEOPLE = pd.DataFrame(
    {
        "age": DICE.integers(20, 80, 80),
        "town": DICE.choice(["Ayr", "Bute", "Cupar"], 80),
        "zip": DICE.choice([101, 202, 303], 80),
        "note": DICE.choice(["tea with milk", "black tea", "no tea, coffee please"], 80),
    }
)
DRINKS = np.where(PEOPLE["note"].str.contains("coffee") ^ (PEOPLE["age"] > 70), "coffee", "tea")
KINDS = np.where(PEOPLE["age"] > 60, "old", DRINKS)
NUMBERS = PEOPLE[["age", "zip"]]

TRAINED: dict[str, tuple[Any, Any, list[str]]] = {
    "standardised": (NUMBERS, DRINKS, ["--standardise"]),
    "as usual": (NUMBERS, DRINKS, []),
    "as they are": (NUMBERS, DRINKS, ["--no-standardise"]),
    "interactions": (NUMBERS, DRINKS, ["--interactions", "all"]),
    "categories": (PEOPLE.drop(columns="note"), DRINKS, ["--categorical", "zip"]),
    "words": (PEOPLE, DRINKS, ["--text", "note", "--text-grams", "words"]),
    "hashed words": (PEOPLE, DRINKS, ["--text", "note", "--hash-bits", "6"]),
    "without names": (PEOPLE, DRINKS, ["--text", "note", "--hash-bits", "6", "--no-names"]),
    "unit length": (PEOPLE, DRINKS, ["--text", "note", "--unit-length"]),
    "many classes": (PEOPLE, KINDS, ["--text", "note", "--multiclass"]),
    "weighted": (NUMBERS, DRINKS, ["--class-weight", "tea=3"]),
    "ledger": (NUMBERS, DRINKS, ["--learner", "averaged", "--ledger"]),
    "voted": (NUMBERS, DRINKS, ["--learner", "voted", "--passes", "3"]),
    "against the rest": (PEOPLE.drop(columns="note"), KINDS, ["--one-vs-rest", "tea"]),
    "classes turned": (NUMBERS, DRINKS, ["--classes", "tea,coffee"]),
    "stream": (PEOPLE, DRINKS, ["--text", "note", "--stream"]),
}


@pytest.mark.parametrize("kind", TRAINED)
def test_a_model_of_the_command_line_is_an_estimator(
    kind: str, tmp_path: Path, capsys: Any
) -> None:
    frame, y, options = TRAINED[kind]
    data, m, n = tmp_path / "data.csv", tmp_path / "m", tmp_path / "n"
    frame.assign(drink=y).to_csv(data, index=False)
    said(capsys, "train", data, "-o", m, "-q", *options)
    clf: Any = load(m)
    clf.save(n)
    assert m.read_bytes() == n.read_bytes()
    predicted = said(capsys, "predict", m, data)
    assert predicted == clf.predict(frame).tolist()
    assert predicted == clf.predict(frame.assign(drink=y)[["drink", *frame.columns[::-1]]]).tolist()
    assert predicted == clf.predict(pl.from_pandas(frame)).tolist()
    dicts = frame.to_dict("records")
    assert predicted == clf.predict(dicts).tolist()
    assert predicted[:3] == [clf.predict_one(x) for x in dicts[:3]]
    assert (
        clf.decision_function(frame[:1]).ravel().tolist()
        == np.ravel(
            [*np.atleast_1d(list(clf.decision_one(dicts[0]).values()))]
            if kind == "many classes"
            else clf.decision_one(dicts[0])
        ).tolist()
    )
    if clf.gives_probabilities:
        first = said(capsys, "predict", m, data, "--probabilities")[0]
        chances = clf.predict_proba(frame)[0].tolist()
        order = [*clf.predict_proba_one(dicts[0]).values()]
        assert order == chances
        if kind != "many classes":
            assert float(first) == chances[1]
    frame.assign(drink=y)[:25].to_csv(tmp_path / "more.csv", index=False)
    said(capsys, "train", tmp_path / "more.csv", "-q", "--initial", m, "-o", n, "--stream")
    clf.partial_fit(frame[:10], y[:10])
    clf.learn_many(dicts[10:20], y[10:20])
    for k in range(20, 25):
        clf.learn_one(dicts[k], y[k])
    clf.save(m)
    assert m.read_bytes() == n.read_bytes()


def test_a_model_of_documents_takes_texts(tmp_path: Path, capsys: Any) -> None:
    said(capsys, "train", mails(tmp_path / "mail"), "-q", "-o", tmp_path / "m")
    clf: Any = load(tmp_path / "m")
    texts = ["free money", "lunch with you"]
    for given in (texts, np.array(texts), pd.Series(texts), pl.Series(texts)):
        assert clf.predict(given).tolist() == ["spam", "ham"]
    assert clf.predict_one("free money") == clf.predict_one({"text": "free money"}) == "spam"
    assert clf.named_weights["text=money"] > 0 > clf.named_weights["text=lunch"]
    clf.learn_one("quarterly report", "ham")
    assert "text=quarterly" in clf.named_weights
    clf.save(tmp_path / "n")
    again: Any = load(tmp_path / "n")
    assert again.predict_one("quarterly") == "ham"


def test_numbered_features_of_svmlight_are_columns(tmp_path: Path, capsys: Any) -> None:
    data = tmp_path / "data.svm"
    data.write_text("1 0:1 3:2.5\n-1 1:1\n1 0:2 2:1\n-1 1:3 3:1\n")
    said(capsys, "train", data, "-q", "--stream", "-o", tmp_path / "m")
    clf: Any = load(tmp_path / "m")
    rows = csr_matrix([[1, 0, 0, 2.5], [0, 1, 0, 0], [2, 0, 1, 0], [0, 3, 0, 1]])
    assert said(capsys, "predict", tmp_path / "m", data) == names(clf.predict(rows))
    clf.save(tmp_path / "n")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    assert clf.classes_.tolist() == [-1, 1]
    with pytest.raises(ValueError, match="expects numbered features; the data have named"):
        clf.predict([{"a": 1}])


def test_nested_dicts_are_read_as_json_lines_are(tmp_path: Path, capsys: Any) -> None:
    data = tmp_path / "data.jsonl"
    xs: list[dict[str, Any]] = [
        {"a": {"b": k % 3}, "tags": ["x", "y"][: k % 2 + 1]} for k in range(9)
    ]
    lines = [{"label": "xy"[k % 2], **x} for k, x in enumerate(xs)]
    data.write_text("\n".join(map(json.dumps, lines)))
    said(capsys, "train", data, "-q", "--missing", "zero", "-o", tmp_path / "m")
    clf: Any = load(tmp_path / "m")
    assert said(capsys, "predict", tmp_path / "m", data) == clf.predict(xs).tolist()
    assert sorted(clf.named_weights) == ["a.b", "tags=x", "tags=y"]


@pytest.mark.parametrize(("first", "second"), [(True, False), ("spam", "ham"), ("a", "b"), (0, 1)])
def test_an_estimator_that_has_seen_one_label_goes_on_after_its_file(
    first: Any, second: Any, tmp_path: Path
) -> None:
    clf = AdaptivePerceptron()
    clf.learn_one({"a": 1}, first)
    clf.save(tmp_path / "m")
    again: Any = load(tmp_path / "m")
    assert (again.predict_one({"a": -1}), [*again.classes_]) == (first, [first])
    for one in (clf, again):
        one.learn_one({"a": -2, "b": 1}, second)
        one.save(tmp_path / str(one is clf))
    assert (tmp_path / "True").read_bytes() == (tmp_path / "False").read_bytes()


def test_an_estimator_that_makes_no_file_says_why(tmp_path: Path) -> None:
    clf, path = Perceptron(), tmp_path / "m"
    with pytest.raises(AttributeError, match="has not learned from anything yet"):
        clf.save(path)
    forgetful = Perceptron(max_names=12, keep="counts")
    forgetful.learn_many(DICTS, LABELS)
    with pytest.raises(ValueError, match="max_names forgets"):
        forgetful.save(path)
    mixed = Perceptron(max_iter=2).fit(FRAME, TWO)
    mixed.learn_one({"another": 1.0}, 1)
    with pytest.raises(ValueError, match="fitted on a frame and then met other names"):
        mixed.save(path)
    assert not path.exists()


def test_an_error_of_a_loaded_estimator_names_the_row_and_the_column(tmp_path: Path) -> None:
    PEOPLE[["age", "town"]].assign(y=DRINKS).to_csv(tmp_path / "d.csv", index=False)
    main(["train", str(tmp_path / "d.csv"), "-q", "-o", str(tmp_path / "m")])
    clf: Any = load(tmp_path / "m")
    for bad, words in (
        ([{"age": 3, "town": "Ayr"}, {"age": 3}], "X: row 1: column 'town': the value is missing$"),
        (PEOPLE[["age"]], "there is no column 'town', which the model was trained on"),
        (
            PEOPLE.assign(age="old"),
            "column 'age' holds texts, but the model was trained on numbers",
        ),
        (X, "trained on named features; pass a list of dicts or a frame"),
        ([], "X holds no examples"),
    ):
        with pytest.raises(ValueError, match=words):
            clf.predict(bad)


def test_a_new_fit_reads_rows_again(tmp_path: Path) -> None:
    NUMBERS.assign(y=DRINKS).to_csv(tmp_path / "d.csv", index=False)
    main(["train", str(tmp_path / "d.csv"), "-q", "-o", str(tmp_path / "m")])
    clf = load(tmp_path / "m").fit(X, TWO)
    assert clf.coef_.shape == (1, 5)
    assert clf.predict(X).shape == (60,)


def test_parameters_that_do_not_match_the_learner_are_refused(tmp_path: Path) -> None:
    from novikoff.models.model import Model

    clf = Perceptron(max_iter=3).fit(X, TWO)
    clf.save(tmp_path / "m")
    for bad, words in {
        "eta0": "do not match its learner",
        "max_iter": "max_iter must be",
        "nonsense": "has no parameter",
        "max_names": "do not match its learner",
        "keep": "keep must be",
        "class_weight": "m",
    }.items():
        model = Model.load(tmp_path / "m")
        model.parameters = {bad: [1] if bad == "class_weight" else 0.5}
        model.save(tmp_path / "bad")
        with pytest.raises(BadModel, match=words):
            load(tmp_path / "bad")


def test_a_cycle_is_remembered_until_more_is_learned(tmp_path: Path, capsys: Any) -> None:
    corners, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    file, data = tmp_path / "m", tmp_path / "xor.csv"
    data.write_text("".join(f"{a},{b},{y}\n" for (a, b), y in zip(corners, xor, strict=True)))
    words = f"train {data} -o {file} --learner perceptron --passes 50 --json"
    main(words.split())
    assert json.loads(capsys.readouterr().out)["verdict"] == load(file).verdict_ == "cycle"
    Perceptron(shuffle=False).fit(corners, xor).save(file)
    again = load(file)
    assert again.verdict_ == "cycle"
    assert "no weights separate" in str(again.runs_[0].summary())
    header, arrays = storage.load(file, kind="model")
    storage.save(file, header | {"cycled": [1]}, arrays, kind="model")
    with pytest.raises(BadModel, match="ended in a cycle are wrong"):
        load(file)
    assert again.partial_fit(corners, xor).verdict_ == "budget"


def test_of_several_runs_those_that_ended_in_a_cycle_are_remembered(tmp_path: Path) -> None:
    clf = Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1], [9, 9]], [*"abbac"])
    clf.save(tmp_path / "m")
    assert [run.verdict for run in load(tmp_path / "m").runs_] == [r.verdict for r in clf.runs_]
    assert {run.verdict for run in clf.runs_} == {"cycle", "separated"}


NOTES = [f"{'tea' if y else 'coffee'} at {i % 7}" for i, y in enumerate(TWO)]
PIPELINES: dict[str, tuple[Any, Any]] = {
    "rows": (make_pipeline(StandardScaler(), AveragedPerceptron()), X),
    "frame": (make_pipeline(StandardScaler(), "passthrough", Perceptron(max_iter=5)), FRAME),
    "not centred": (make_pipeline(StandardScaler(with_mean=False), AdaptivePerceptron()), X),
    "not scaled": (make_pipeline(StandardScaler(with_std=False), Perceptron(max_iter=5)), X),
    "hashed texts": (make_pipeline(TextFeatures(hash_bits=10), AdaptivePerceptron()), NOTES),
    "texts": (
        make_pipeline(TextFeatures("note", grams="words", hash_bits=None), Perceptron()),
        NOTES,
    ),
}


@pytest.mark.parametrize("kind", PIPELINES)
def test_a_pipeline_is_one_file_with_the_same_scores(
    kind: str, tmp_path: Path, capsys: Any
) -> None:
    unfitted, examples = PIPELINES[kind]
    pipeline = clone(unfitted).fit(examples, TWO)
    save(pipeline, tmp_path / "m")
    again = load(tmp_path / "m")
    assert (again.decision_function(examples) == pipeline.decision_function(examples)).all()
    again.save(tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()
    frame = FRAME if isinstance(examples, pd.DataFrame) else pd.DataFrame(examples)
    named = isinstance(examples, pd.DataFrame | list)
    if isinstance(examples, list):
        frame.columns = [pipeline[0].field]
    frame.to_csv(tmp_path / "d.csv", index=False, header=named)
    main(f"predict {tmp_path / 'm'} {tmp_path / 'd.csv'} --print scores".split())
    scores = [float(line) for line in capsys.readouterr().out.split()]
    assert scores == pipeline.decision_function(examples).tolist()


def test_a_pipeline_that_makes_no_file_says_why(tmp_path: Path) -> None:
    save(Perceptron(max_iter=5).fit(X, TWO), tmp_path / "m")
    steps = StandardScaler(), Perceptron(max_iter=5)
    with pytest.raises(ValueError, match="not PCA; pickle the pipeline"):
        save(make_pipeline(PCA(), steps[1]).fit(X, TWO), tmp_path / "m")
    with pytest.raises(ValueError, match="not StandardScaler and TextFeatures"):
        save(make_pipeline(steps[0], TextFeatures(), steps[1]), tmp_path / "m")
    fitted = make_pipeline(*steps).fit(X, TWO)
    save(fitted, tmp_path / "m")
    with pytest.raises(ValueError, match="not StandardScaler and a loaded estimator"):
        save(make_pipeline(fitted[0], load(tmp_path / "m")), tmp_path / "n")
    with pytest.raises(TypeError, match="PCA is not an estimator of novikoff; pickle it"):
        save(PCA(), tmp_path / "m")
    with pytest.raises(AttributeError, match="this Perceptron has not learned"):
        save(make_pipeline(StandardScaler(), Perceptron()), tmp_path / "m")


def test_of_a_search_the_best_estimator_is_saved(tmp_path: Path) -> None:
    search = GridSearchCV(make_pipeline(StandardScaler(), AveragedPerceptron()), {}).fit(X, TWO)
    save(search, tmp_path / "m")
    assert (load(tmp_path / "m").predict(X) == search.predict(X)).all()
