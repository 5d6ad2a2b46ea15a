"""Numbered sources: reading ahead until both labels are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import error, json_of
from novikoff.sources import LabelsAsSigns, Numbered, open_files
from novikoff.sources import numbered as numbering
from novikoff.sources.features import Features
from novikoff.sources.files import text as pieces


def test_looking_for_the_second_label_does_not_hold_examples_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 256)
    monkeypatch.setattr(numbering, "HELD_AT_MOST", 1000)
    text = "b 1:1 2:3\n" * 300 + "a 1:2\n"
    (tmp_path / "x.svm").write_text(text)
    source = open_files(tmp_path / "x.svm")
    stream = Numbered(source, Features(), LabelsAsSigns())
    assert stream.classes == ("a", "b")
    assert not stream._held
    assert sum(len(block) for block in stream) == 301
    words = error("train", "-", "-o", tmp_path / "m", "-q", "--format", "svmlight", input=text)
    assert words == (
        "<stdin>: only one label so far, and a pipe is read once; name both labels with --classes"
    )
    more = ["--format", "svmlight", "--classes", "a,b"]
    assert json_of("train", "-", "-o", tmp_path / "m", "-q", *more, input=text)["examples"] == 301
