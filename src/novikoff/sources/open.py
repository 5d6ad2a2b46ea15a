"""Files of examples in any format: a source to iterate over, or all examples at once."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from novikoff.sources.chunks import LabelChoice, Source
from novikoff.sources.features import Features
from novikoff.sources.files.svmlight import Svmlight
from novikoff.sources.files.text import TextFiles, TextFormat
from novikoff.sources.inputs import Input, Paths, inputs_of, suffix_of
from novikoff.sources.numbered import Numbered
from novikoff.sources.read_options import Format, Missing, ReadOptions
from novikoff.stream.blocks import Block, joined
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns, rest_of
from novikoff.stream.printing import quoted
from novikoff.stream.rows import Rows, SparseRows

_SUFFIXES: dict[str, Format] = {
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), "svmlight"),
    ".vw": "vw",
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".arrows", ".feather", ".ipc"), "arrow"),
    ".npz": "npz",
    ".npy": "npy",
    ".xlsx": "csv",  # `Input` reads its first sheet as such
}
_TABLES: tuple[Format, ...] = ("csv", "parquet", "arrow", "npy")
_MAGIC: dict[bytes, Format] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"PK\x03\x04": "npz",
    b"\x93NUMPY": "npy",
}


def open_files(paths: Paths, how: ReadOptions | None = None) -> Source:
    """The examples of files, directories or patterns, to be iterated over in bounded memory."""
    how = how or ReadOptions()
    source = _opened(inputs_of(paths), how)
    if how.labelled:
        source.choice = LabelChoice(how.keep, how.one_vs_rest, wanted=not how.like_before)
    return source


def _opened(inputs: Sequence[Input], how: ReadOptions) -> Source:
    format, name = how.format or _common_format(inputs, how), inputs[0].name
    if how.expect is None:
        subject = "documents have" if format == "folders" else f"{format} has"
        if how.label is not None and format == "folders":
            words = "the label of a document is the name of its folder"
            raise BadExample(f"{name}: {subject} no columns; {words}")
        if how.label is not None and format in ("svmlight", "vw"):
            words = "every line begins with its label"
            raise BadExample(f"{name}: {subject} no column {how.label!r}; {words}")
        if how.weight is not None and format in ("svmlight", "vw", "npz", "folders"):
            raise BadExample(f"{name}: {subject} no column {how.weight!r} for the weight")
        unused = (*how.ignore, *how.categorical, *how.text)
        if unused and format not in (*_TABLES, "jsonl") and not how.like_before:
            raise BadExample(f"{name}: {subject} no columns, such as {unused[0]!r}")
    if format != "csv" and not how.like_before:
        for option in ("delimiter", "decimal", "header"):
            if getattr(how, option) is not None:
                raise BadExample(f"{name}: {format} has no {option}; it is an option for CSV")
        if how.quote == "none":
            raise BadExample(f"{name}: {format} has no quotes to switch off; only CSV has them")
    if format == "folders":
        from novikoff.sources.files.folders import Documents

        return Documents(inputs, how)
    if format == "npz" or format == "parquet" or format == "arrow" or format == "npy":
        pipe = next((one for one in inputs if one.is_pipe), None)
        if pipe is not None:
            what = "an npz or Excel file" if format == "npz" else f"{format} data"
            raise BadExample(f"{pipe.name}: {what} cannot be read from a pipe; save it in a file")
        if how.skip_bad:
            raise BadExample(f"{name}: {format} has no lines to skip")
        if format == "npz":
            from novikoff.sources.files.npz import ArrayFiles

            return ArrayFiles(inputs, labelled=how.labelled)
        from novikoff.sources.files.parquet import ArrowFiles

        return ArrowFiles(inputs, how, kind=format)
    if is_binary(inputs[0].head()):
        raise BadExample(f"{name}: this is a binary file, in none of the formats that are read")
    text = _text_format(inputs[0], format, how)
    return TextFiles(inputs, text)


def signs_of_labels(
    inputs: Sequence[Input],
    how: ReadOptions,
    classes: Sequence[str] | None = None,
    *,
    positive: str | None = None,
) -> LabelsAsSigns:
    """The two labels of these files as signs, as far as they are known beforehand."""
    is_last = how.label is None and (how.format or format_of(inputs[0])) in _TABLES
    if how.one_vs_rest is not None and classes is None:
        classes = rest_of(how.one_vs_rest), how.one_vs_rest
    return LabelsAsSigns(classes, positive=positive, is_last_column=is_last)


def _text_format(first: Input, format: Format, how: ReadOptions) -> TextFormat:
    if format == "svmlight":
        return Svmlight(how)
    if format == "vw":
        from novikoff.sources.files.vw import Vw

        return Vw(how)
    if format == "jsonl":
        from novikoff.sources.files.jsonl import JsonLines

        lines = JsonLines(how)
        if lines.label in how.ignore:
            words = f"{first.name}: key {quoted(lines.label)} is both the label and ignored"
            raise BadExample(words, Problem.LABEL_IGNORED, column=lines.label)
        return lines
    from novikoff.sources.files.csv import Table

    return Table(how, separator="\t" if suffix_of(first.path) == ".tsv" else None)


def _common_format(inputs: Sequence[Input], how: ReadOptions) -> Format:
    if any(one.folder is not None for one in inputs):
        return _folders(inputs)
    first = format_of(inputs[0], table=how.expect is not None)
    for one in inputs[1:]:
        if (other := _SUFFIXES.get(suffix_of(one.path), first)) != first:
            raise BadExample(
                f"{one.name}: this file is {other}, but {inputs[0].name} is {first}; read files of "
                "one format at a time"
            )
    return first


def _folders(inputs: Sequence[Input]) -> Format:
    within = next(one for one in inputs if one.folder is not None)
    for one in inputs:
        if one.folder is None:
            raise BadExample(
                f"{one.name}: not in a folder, but {within.name} is; give either folders of "
                "documents or data files"
            )
        if (other := _SUFFIXES.get(suffix_of(one.path))) is not None:
            raise BadExample(
                f"{one.name}: this file is {other}, not a document; name the files to read, or a "
                "pattern"
            )
    return "folders"


def format_of(one: Input, *, table: bool = False) -> Format:
    """The format of a file, by its name, else by its content; CSV, if a `table` is expected."""
    if one.folder is not None:
        return "folders"
    if suffix_of(one.path) in (".xls", ".xlsb", ".ods"):
        raise BadExample(f"{one.name}: this kind of spreadsheet is not read; save it as CSV")
    by_name = _SUFFIXES.get(suffix_of(one.path))
    if by_name is not None:
        return by_name
    head = one.head()
    for magic, format in _MAGIC.items():
        if head.startswith(magic):
            return format
    text = head.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    lines = enumerate(text.splitlines(), 1)
    i, line = next(((i, line) for i, line in lines if re.match(r"\s*[^\s#]", line)), (0, ""))
    if line.lstrip().startswith("{"):
        return "jsonl"
    if re.match(r"\s*[^\s:|]+\s+(qid|-?[0-9]+):", line):
        return "svmlight"
    if re.fullmatch(r"[^|\s]+(\|[^|\s]*)+", line):  # no label can be before the first bar
        return "csv"
    if re.match(r"[^|,;\t]*\|", line):
        return "vw"
    from novikoff.sources.files.csv import has_spaces_between_fields

    if any(mark in line for mark in ",\t;") or has_spaces_between_fields(head):
        return "csv"
    if not line:
        raise BadExample(f"{one.name}: there are no examples")
    if table or is_binary(head):  # a binary file is refused when it is opened
        return "csv"
    raise BadExample(
        f"{one.name}:{i}: {quoted(line.strip())} is not in a known format", Problem.UNKNOWN_FORMAT
    )


def is_binary(head: bytes) -> bool:
    """Whether a file that begins like this is not UTF-8 and has several control characters."""
    try:
        head.decode()
    except UnicodeDecodeError as error:  # unless its last character is cut
        controls = set(re.findall(rb"[\x01-\x08\x0e-\x1f]", head))
        return len(controls) > 2 and error.start < len(head) - 3
    return False


@dataclass(frozen=True, slots=True)
class Data:
    """The examples of files, and what the files call things."""

    block: Block  # the rows and their labels, −1 or +1
    names: tuple[str, ...] | None  # the header's, for the columns of the rows
    classes: tuple[str, ...]  # the label that became −1 and the one that became +1
    label: str | None = None  # the name or position of the label's column, or its key
    header: bool | None = None  # whether the first line of a CSV file is one
    files: tuple[str, ...] = ()  # "sha256:" and the SHA-256 of each file, if `hashed`
    skipped: tuple[str, ...] = ()  # what was wrong with the bad lines
    description: str = ""  # "CSV, comma, header, label 'kind', 5 numbers, 1 ignored (id)"
    missing: Missing = "refuse"  # what was done with missing values
    numbers: Sequence[object] | None = None  # the file's own, of columns without names
    source: TextFiles | None = field(default=None, compare=False, repr=False)  # it has lines


def read(
    paths: Paths,
    *,
    zero_based: bool | None = None,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    hashed: bool = False,
    **options: Any,
) -> Data:
    r"""All the examples of files, with their labels as −1 and +1.

    There must be two labels. Numbers come before texts; the greater label becomes +1. The first
    line that cannot be read is a `BadExample` that names it.

    Parameters
    ----------
    paths
        A file, a directory, a pattern such as "mail-*.svm", or several of them; "-" is the standard
        input. Files compressed by gzip, bzip2 or zstd are decompressed, whatever their names.
    zero_based
        svmlight: whether indices start at 0; by default, whether any of them is 0.
    classes
        The negative and the positive label; any other is then a BadExample.
    positive
        The positive label; by default the greater of the two.
    hashed
        Whether to compute the SHA-256 of the files, by which a certificate names them.
    options
        The parameters of `ReadOptions`, such as `label`, `format`, `keep`, `missing` or `ignore`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "mail.csv")
    ...     _ = file.write_text("words,links,kind\n120,0,ham\n80,7,spam\n")
    ...     data = read(file)
    >>> data.names, data.classes
    (('words', 'links'), ('ham', 'spam'))
    >>> data.block[1]
    Example(columns=array([0, 1]), values=array([80.,  7.]), label=1, importance=1.0)
    """
    given: dict[str, Any] = {k: tuple(x) if isinstance(x, list) else x for k, x in options.items()}
    how = ReadOptions(**given)
    return Scanned(
        paths, how, zero_based=zero_based, classes=classes, positive=positive, hashed=hashed
    ).whole()


class Scanned:
    """The examples of files in blocks: read once to know their columns and labels, and then again.

    In between they are kept in memory, if they have at most so many bytes. `data` is what is known
    of them, without the rows. Parameters are those of `read`. With `as_levels` the labels are any,
    numbered in order of appearance, and the classes are theirs.
    """

    def __init__(
        self,
        paths: Paths,
        how: ReadOptions,
        *,
        zero_based: bool | None = None,
        classes: Sequence[str] | None = None,
        positive: str | None = None,
        hashed: bool = False,
        as_levels: bool = False,
        most: float = math.inf,
    ) -> None:
        inputs = inputs_of(paths)
        states = [one.state() for one in inputs]
        files = tuple(f"sha256:{one.sha256()}" for one in inputs) if hashed else ()
        source = open_files(inputs, how)
        labelling: LabelsAsSigns | LabelsAsClasses = (
            LabelsAsClasses(most=None)
            if as_levels
            else signs_of_labels(inputs, how, classes, positive=positive)
        )
        self._blocks = Numbered(source, Features(), labelling)
        self._held, self.examples, size = list[Block](), 0, 0
        for block in self._blocks:
            self.examples += len(block)
            size += block.rows.nbytes
            self._held.append(block)
            if size > most and not source.is_pipe:
                self._held = []
        self.data, self.base = described(self._blocks, how, files, zero_based=zero_based)
        for one, state in zip(inputs, states, strict=True):
            one.check_unchanged(state)

    def __iter__(self) -> Iterator[Block]:
        for block in self._held or self._blocks:
            yield replace(block, rows=from_base(block.rows, self.base, self.data.block.rows.dim))

    def whole(self) -> Data:
        """All examples."""
        block = joined([*self])
        return replace(self.data, block=Block(block.rows, block.labels))


def described(
    blocks: Numbered, how: ReadOptions, files: tuple[str, ...], *, zero_based: bool | None
) -> tuple[Data, int]:
    """What is known of examples that were read, without their rows; and their lowest column."""
    source, features, table = blocks.source, blocks.features, blocks.table
    lines = source.format if isinstance(source, TextFiles) else None
    if zero_based is not None and not isinstance(lines, Svmlight):
        raise BadExample(f"{source.name}: zero_based applies to svmlight only")
    base = 0 if zero_based else features.dim - features.count  # of svmlight 1 if no index is 0
    if zero_based is False and features.dim and not base:
        raise BadExample("there is an index 0, but zero_based is False")
    dim, no, names = features.dim - base, np.zeros(1, dtype=np.int32), features.names
    data = Data(
        Block(SparseRows(np.zeros(0), no[:0], no, dim), np.zeros(0, dtype=np.int8)),
        None if table is not None and not table.has_header else names,
        blocks.labelling.classes,
        getattr(lines, "label", None) if table is None else table.label,
        table.has_header if table is not None and lines is not None else None,
        files,
        tuple(source.skipped),
        source.description,
        how.missing_rule,
        range(base, features.dim) if names is None else names,
        source if isinstance(source, TextFiles) and not source.is_pipe else None,
    )
    return data, base


def from_base(rows: Rows, base: int, dim: int) -> Rows:
    """Rows whose columns count from `base`, with 32-bit indices if they fit."""
    if not isinstance(rows, SparseRows):
        return rows
    width = np.int32 if max(dim, len(rows.values)) <= np.iinfo(np.int32).max else np.int64
    return SparseRows(
        rows.values, (rows.indices - base).astype(width), rows.starts.astype(width), dim
    )
