"""Interactions: products of features, in slices and counted by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.command_line import run
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training
from novikoff.sources import LabelsAsSigns, Numbered, numbered, open_files
from novikoff.sources.features import Features
from novikoff.sources.interactions import ALL, Pair, in_slices, with_products
from novikoff.stream.rows import join


@pytest.mark.parametrize("most", [1, 10, 100, 10**6])
def test_products_do_not_depend_on_slices(tmp_path: Path, most: int) -> None:
    rng = np.random.default_rng(0)
    lines = [
        " ".join(["1", *(f"{j}:{rng.integers(1, 9)}" for j in sorted(rng.choice(20, k, False)))])
        for k in rng.integers(0, 7, 50)
    ]
    (tmp_path / "x.svm").write_text("\n".join(lines))
    (chunk,) = open_files(tmp_path / "x.svm")
    whole, parted = Features(products=[ALL]), Features(products=[ALL])
    slices = list(in_slices(chunk, most))
    assert [part.first for part in slices] == np.cumsum([0, *map(len, slices)])[:-1].tolist()
    a = whole.rows(chunk).sparse()
    b = join([parted.rows(part).sparse().widened(whole.room) for part in slices]).sparse()
    names_a, names_b = whole.names, parted.names
    assert names_a is not None
    assert names_b is not None
    for i in range(len(chunk)):
        (ja, xa), (jb, xb) = a.row(i), b.row(i)
        assert dict(zip((names_a[j] for j in ja), xa.tolist(), strict=True)) == dict(
            zip((names_b[j] for j in jb), xb.tolist(), strict=True)
        )
    assert most == 1 or all(
        sum(len(part.rows.row(i)[0]) ** 2 for i in range(len(part))) <= most or len(part) == 1
        for part in slices
    )


def test_products_are_counted_by_pair(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"label":1,"a":1,"b":"u","c":2}\n{"label":0,"a":2,"b":"v"}\n'
    )
    (chunk,) = open_files(tmp_path / "x.jsonl")
    assert with_products(chunk, [("a", "b"), ("a", "nope"), ("b", "c")])[1] == [2, 0, 1]
    answer = run("train", tmp_path / "x.jsonl", "-o", tmp_path / "m", "-q", "--interactions", "a*x")
    assert answer.stderr == (
        "novikoff: --interactions a*x: no example has features of both fields\n"
    )


Row = tuple[int, tuple[tuple[str, int], ...]]
FIELDS = ["a", "b", "a^u", "a^v", "b^u", "c"]
ROWS = st.lists(
    st.tuples(
        st.sampled_from([-1, 1]),
        st.lists(
            st.tuples(st.sampled_from(FIELDS), st.integers(-2, 2)),
            max_size=4,
            unique_by=lambda f: f[0],
        ).map(tuple),
    ),
    min_size=2,
    max_size=8,
)


def write_vw(path: Path, rows: Sequence[Row]) -> None:
    lines = [f"{y} | " + " ".join(f"{name}:{x}" for name, x in row) for y, row in rows]
    path.write_text("\n".join([*lines, ""]))


def write_svmlight(path: Path, rows: Sequence[Row]) -> None:
    indexed = [(y, sorted((FIELDS.index(name) + 1, x) for name, x in row)) for y, row in rows]
    lines = [f"{y} " + " ".join(f"{j}:{x}" for j, x in row) for y, row in indexed]
    path.write_text("\n".join([*lines, ""]))


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    lines = [
        ",".join([*(str(dict(row).get(name, 0)) for name in FIELDS), str(y)]) for y, row in rows
    ]
    path.write_text("\n".join([",".join([*FIELDS, "y"]), *lines, ""]))


WRITERS: dict[str, Callable[[Path, Sequence[Row]], None]] = {
    "vw": write_vw,
    "svm": write_svmlight,
    "csv": write_csv,
}


def trained(
    paths: list[Path], features: Features, passes: int = 1, initial: Model | None = None
) -> bytes:
    """The bytes of the model that learned from these files."""
    features = features if initial is None else initial.features
    blocks = Numbered(open_files(paths), features, LabelsAsSigns(("-1", "1")))
    training = Training(blocks, Plan(passes=passes), initial=initial)
    training.run()
    training.save(out := paths[0].with_name("model"))
    return out.read_bytes()


@given(
    rows=ROWS,
    cut=st.integers(1, 7),
    pairs=st.lists(
        st.sampled_from([ALL, ("a", "b"), ("b", "a"), ("a", "a")]), min_size=1, max_size=2
    ),
    bits=st.none() | st.just(3),
    most=st.sampled_from([1, 4, 10**6]),
)
@settings(max_examples=25)
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_then_b_is_ab_however_products_are_made(
    tmp_path_factory: pytest.TempPathFactory,
    suffix: str,
    rows: list[Row],
    cut: int,
    pairs: list[Pair],
    bits: int | None,
    most: int,
) -> None:
    folder = tmp_path_factory.mktemp("ab")
    assume(cut < len(rows))
    write = WRITERS[suffix]
    if suffix == "svm":  # its fields are numbers
        pairs = [pair if pair == ALL else ("1", "2") for pair in pairs]
    a, b, ab = (folder / f"{name}.{suffix}" for name in ("a", "b", "ab"))
    write(a, rows[:cut])
    write(b, rows[cut:])
    write(ab, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbered, "in_slices", lambda chunk: in_slices(chunk, most))
        patch.setattr("os.fsync", lambda handle: None)
        whole = trained([ab], Features(products=pairs, hash_bits=bits))
        assert trained([a, b], Features(products=pairs, hash_bits=bits)) == whole
        trained([a], Features(products=pairs, hash_bits=bits))
        assert trained([b], Features(), initial=Model.load(folder / "model")) == whole


def test_columns_of_zeros_are_features_too(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,c,y\n0,2,3,1\n")
    (chunk,) = open_files(tmp_path / "x.csv")
    features = Features(products=[ALL])
    assert features.rows(chunk).sparse().row(0)[0].tolist() == [1, 2, 3]
    assert features.names == ("a", "b", "c", "b*c")
