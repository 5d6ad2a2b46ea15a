"""What holds for every format with one example a line: Vowpal Wabbit's text and JSON lines."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.text_lines import JSON_BENDS, VW_BENDS, json_lines, vw_lines
from helpers.text_parsers import (
    LINE_ENDS,
    Refusal,
    garbled,
    in_pieces,
    parse,
    parsed_values,
    read,
    read_line,
)
from novikoff.sources.files.jsonl import JsonLines
from novikoff.sources.files.vw import Vw
from novikoff.sources.read_options import ReadOptions


class Case(NamedTuple):
    format: Vw | JsonLines
    good: str  # an example with one feature, {}
    bad: list[str]
    lines: st.SearchStrategy[str]
    bends: str

    @property
    def texts(self) -> st.SearchStrategy[list[str]]:
        """Lines that are good, garbled or bad."""
        garbled_lines = garbled(self.lines, self.bends)
        return st.lists(self.lines | garbled_lines | st.sampled_from(self.bad), max_size=8)


VW = Case(Vw(), "1 | {}", ["1 2:3 4:5", "1 | a:x", "1 | :3"], vw_lines(), VW_BENDS)
JSON = Case(
    JsonLines(),
    '{{"label": 1, "{}": 1}}',
    ["[1, 2]", "{", '{"a": 1,}', '{"a": NaN}', '{"a": 1} {'],
    json_lines(),
    JSON_BENDS,
)
each_format = pytest.mark.parametrize("case", [VW, JSON], ids=["vw", "jsonl"])


@each_format
@pytest.mark.parametrize("text", ["", "\n", "  \n\t\r\n\r"])
def test_blank_lines_are_skipped(case: Case, text: str) -> None:
    assert read(case.format, text) == ([], [])


@each_format
@given(text=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(case: Case, text: bytes) -> None:
    examples, refusals = read(case.format, text)
    lines = re.split(rb"\r\n|\r|\n", text)
    assert len(examples) + len(refusals) == sum(bool(line.strip(b" \t")) for line in lines)


@each_format
@given(data=st.data(), end=st.sampled_from(LINE_ENDS), size=st.integers(1, 40))
def test_where_a_text_is_cut_does_not_matter(
    case: Case, data: st.DataObject, end: str, size: int
) -> None:
    text = end.join(data.draw(case.texts)).encode()
    format = type(case.format)(ReadOptions(labelled=False))
    assert in_pieces(format, text, size) == read(format, text)[0]


@each_format
@given(data=st.data(), labelled=st.booleans())
def test_a_bad_line_leaves_no_trace(case: Case, data: st.DataObject, labelled: bool) -> None:
    format, some = type(case.format)(ReadOptions(labelled=labelled)), data.draw(case.texts)
    good = [line for line in some if not isinstance(read_line(format, line), Refusal)]
    whole, clean = (parse(format, "\n".join(part).encode()) for part in (some, good))
    assert parsed_values(whole) == parsed_values(clean)
    assert len(whole["bad"]) == len(some) - len(good)


@each_format
def test_it_stops_when_more_lines_are_bad_than_allowed(case: Case) -> None:
    a, b, c = map(case.good.format, "abc")
    parsed = parse(case.format, "\n".join([a, "{", b, "{", c]).encode(), allowed=1)
    assert [line for line, *_ in parsed["bad"]] == [1, 3]
    assert len(parsed["labels"]) == 2
