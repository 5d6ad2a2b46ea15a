"""Folders of documents: a file is an example, its words are features, its folder is its label."""

from collections.abc import Iterator, Sequence

import numpy as np

from novikoff.sources.chunks import Chunk, Source, TableColumns
from novikoff.sources.files.text import PIECE_BYTES, not_utf8
from novikoff.sources.inputs import Input, Paths
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample

FIELD = "text"  # the words of a document are features "text=word"


class Documents(Source):
    """Files of plain text in UTF-8, one document each, labelled by their folders."""

    def __init__(self, files: Paths, how: ReadOptions) -> None:
        super().__init__(files)
        self._how = how

    @property
    def table(self) -> TableColumns:
        """The columns of a table that is read alike: one, of texts."""
        return TableColumns((FIELD,), (), None, words=(FIELD,))

    def _words(self) -> list[str]:
        return ["folders of documents"]

    def _chunks(self) -> Iterator[Chunk]:
        self.done, self.skipped = 0, []
        held: list[tuple[Input, bytes]] = []
        size = 0
        for one in self.inputs:
            text = one.whole()
            self.done += one.size or 0
            if (error := self._flaw(one, text)) is not None:
                self.skip(error, allowed=self._how.skip_bad, what="bad document")
                continue
            held.append((one, text))
            size += len(text)
            if size >= PIECE_BYTES:
                yield self._chunk(held)
                held, size = [], 0
        if held:
            yield self._chunk(held)

    def _flaw(self, one: Input, text: bytes) -> BadExample | None:
        if self._how.labelled and one.folder is None:
            return BadExample(f"{one.name}: the document is in no folder that labels it")
        at, error = not_utf8(text)
        return error.at(one.name) if at >= 0 else None

    def _chunk(self, held: Sequence[tuple[Input, bytes]]) -> Chunk:
        starts = np.cumsum([0, *(len(text) for _, text in held)], dtype=np.int64)
        text = np.frombuffer(b"".join(text for _, text in held), dtype=np.uint8)
        rows, names = self._how.text_rule.rows(text, starts, FIELD)
        places: dict[str, tuple[int, str]] = {}
        labels = [
            -1 if one.folder is None else places.setdefault(one.folder, (len(places), one.name))[0]
            for one, _ in held
        ]
        return Chunk(
            rows,
            np.array(labels, dtype=np.int32),
            tuple(places),
            tuple(name for _, name in places.values()),
            names,
        )
