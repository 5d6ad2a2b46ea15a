"""Features: which column each feature of a source gets, and how its values are scaled."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.sources.chunks import Chunk, Names, separate
from novikoff.sources.interactions import Pair, with_products
from novikoff.sources.read_options import ReadOptions
from novikoff.storage.checked import Arrays, Stored
from novikoff.stream.input_problems import BadExample, Problem, why_not_a_name
from novikoff.stream.printing import quoted
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Vector
from novikoff.stream.scaling import Spread, unit_length

Kind: TypeAlias = Literal["columns", "indices", "names"]

LANES = 8
MOST_NAMES = 1 << 20  # of hashed columns
MANY_COLUMNS = 1000
MOST_WEIGHTS = 1 << 28


class Features:
    """The map from the features of a source to the columns that a learner has weights for.

    The first chunk decides its kind: a table of numbers has "columns"; svmlight has "indices",
    which are columns as written; all else has "names", which get columns in order of appearance.
    Rows have room for more columns than are in use, a multiple of eight, so that a learner that
    grows with them adds in the same order as one that was wide from the start.

    Parameters
    ----------
    hash_bits
        Give a name the column hash mod 2^bits, so that the weights never grow.
    keep_names
        With hash_bits: keep the first name of each column, of at most 2^20 columns.
    products
        Pairs of fields to multiply: see `with_products`.
    standardise
        Bring the columns to one scale, once they are measured. A column that is nonzero in at least
        half of the rows is shifted to mean 0 and divided by its standard deviation; any other is
        divided by the root mean square of its nonzero values. If the columns look like words, these
        are also multiplied by the fourth root of 1 / (the share of the rows that have the word).
        None: measure the columns, and leave it to `decide`.
    to_unit_length
        Divide each row by its length, after everything else. None: only if the columns look like
        words: more than 1,000, and most values in columns that are zero in over half of the rows.
    """

    def __init__(
        self,
        *,
        hash_bits: int | None = None,
        keep_names: bool = True,
        products: Sequence[Pair] = (),
        standardise: bool | None = False,
        to_unit_length: bool | None = False,
    ) -> None:
        if hash_bits is not None and not 3 <= hash_bits <= 31:
            raise ValueError(f"hash_bits must be from 3 to 31, not {hash_bits}")
        self.kind: Kind | None = None
        self.hash_bits, self.keep_names = hash_bits, keep_names
        self.products, self.standardise = tuple(products), standardise
        self.to_unit_length = to_unit_length
        self.idle_products = set(self.products)
        self.constant: tuple[int, ...] = ()
        self.identifiers: tuple[int, ...] = ()
        self.dates: tuple[int, ...] = ()
        self.frozen = self.seen_zero = False
        self.dim, self._lowest, self.left_out = 0, 1, 0
        self._header: tuple[str, ...] | None = None
        self._hold_no_names()
        self._scaling: tuple[Vector, Vector] | None = None

    def _hold_no_names(self) -> None:
        self._places = _core.NamePlaces()
        bits = 3 if self.hash_bits is None else self.hash_bits
        self._slot_names = _core.SlotNames(bits, MOST_NAMES)

    @classmethod
    def of(cls, names: Sequence[str], slots: Sequence[int], hash_bits: int | None = None) -> Self:
        """The map with these columns for these names (without hashing: 0, 1, 2 and so on)."""
        out, given = cls(hash_bits=hash_bits), Names.of(names)
        out.kind = "names"
        if hash_bits is None:
            out._places.place(given.text, given.starts)
            out.dim = len(out._places)
        else:
            out._slot_names.meet(np.array(slots, dtype=np.int64), given.text, given.starts)
            out.dim = 1 << hash_bits
        return out

    @classmethod
    def of_columns(
        cls,
        dim: int,
        header: Sequence[str] | None = None,
        scaling: tuple[Vector, Vector] | None = None,
    ) -> Self:
        """The map of a table of `dim` columns of numbers, with these names and this `scaling`."""
        out = cls(standardise=scaling is not None)
        out.kind, out.dim, out._scaling = "columns", dim, scaling
        out._header = None if header is None else tuple(header)
        return out

    @property
    def count(self) -> int:
        """How many features there are: indices that start at 1 leave column 0 empty."""
        return self.dim - (self.kind == "indices" and self._lowest > 0 < self.dim)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns; None if they have none."""
        if self.kind == "columns":
            return self._header
        if self.hash_bits is not None:
            return tuple(map(self.name_of, range(self.dim)))
        if self.kind == "names":
            return tuple(name.decode() for name in separate(*self._places.held()))
        return None

    @property
    def named_columns(self) -> list[tuple[str, int]]:
        """The names that are known, each with its column, by column."""
        if self.hash_bits is None:
            return [(name, j) for j, name in enumerate(self.names or ())]
        slots, text, starts = self._slot_names.held()
        texts = (name.decode() for name in separate(text, starts))
        return sorted(zip(texts, slots.tolist(), strict=True), key=lambda pair: pair[1])

    def name_of(self, column: int) -> str:
        """The name of a column; without one its index, after # if features are hashed."""
        if self.hash_bits is not None:
            held = self._slot_names[column]
            return f"#{column}" if held is None else held.decode()
        if self.kind == "names":
            return self._places[column].decode()
        return str(column) if self._header is None else self._header[column]

    def rows(self, chunk: Chunk) -> Rows:
        """The rows of the chunk over the columns of the map; a frozen map ignores new names."""
        return self.scaled(self._numbered(chunk))

    def absorb(self, later: Self) -> None:
        """Add the features that a later part of the data has, in their order."""
        if later.kind is None:
            return
        if self.kind is None:
            self.kind, self._header, self.dim = later.kind, later._header, later.dim
        if self.kind != later.kind:
            raise BadExample(f"some data have {_WORDS[self.kind]}; others {_WORDS[later.kind]}")
        if self.kind == "columns" and self.dim != later.dim:
            raise BadExample(f"there are {later.dim} columns, but there were {self.dim} before")
        self._slot_names.meet(*later._slot_names.held())
        self._places.place(*later._places.held())
        self.dim = max(self.dim, later.dim, len(self._places))
        self._lowest = min(self._lowest, later._lowest)
        self.idle_products &= later.idle_products

    @property
    def is_unmeasured(self) -> bool:
        """Whether the columns have not been measured yet, and how rows are scaled depends on it."""
        measures = self.standardise is not False and self._scaling is None
        return measures or self.to_unit_length is None

    def scaled(self, rows: Rows) -> Rows:
        """The rows, standardised and scaled; as they are while the columns are unmeasured."""
        if self.is_unmeasured:
            return rows
        if self.standardise:
            with np.errstate(over="ignore"):
                rows = self._standardised(rows)
            if not (finite := np.isfinite(rows.values).ravel()).all():
                at = int(np.argmin(finite))
                column = rows.indices[at] if isinstance(rows, SparseRows) else at % rows.dim
                raise BadExample(
                    f"feature {self.name_of(int(column))!r}: a value is too large to standardise; "
                    "scale it"
                )
        return unit_length(rows) if self.to_unit_length else rows

    def survey(self, chunks: Iterable[Chunk]) -> None:
        """Read all examples once, to learn every feature and to measure its column."""
        self.measure(self._numbered(chunk) for chunk in chunks)

    def measure(self, blocks: Iterable[Rows]) -> None:
        """Measure the columns of all rows, which are not scaled yet."""

        def checked() -> Iterator[Rows]:
            for rows in blocks:
                self.check_width()
                yield rows

        spread = Spread(checked())
        deviation, size, is_dense = spread.deviation, spread.size, spread.is_dense
        met = spread.is_constant & ((spread.nonzero > 0) | (self.kind == "columns"))
        self.constant = tuple(np.flatnonzero(met[: self.dim]).tolist())
        wild = np.flatnonzero(~np.isfinite(deviation[: self.dim]))
        if self.standardise is not False and len(wild):
            raise BadExample(
                f"feature {self.name_of(int(wild[0]))!r}: the values are too large to standardise; "
                "scale them"
            )
        in_dense, values = int(spread.nonzero[is_dense].sum()), int(spread.nonzero.sum())
        are_words = self.dim > MANY_COLUMNS and 2 * in_dense < values
        if self.standardise is not False:
            if are_words:
                size = size * np.sqrt(np.sqrt(spread.share))
            pairs = ((deviation, size), (spread.mean, np.zeros(len(size))))
            scale, shift = (np.where(is_dense, *pair)[: self.dim] for pair in pairs)
            self._scaling = scale, shift
        if self.to_unit_length is None:
            self.to_unit_length = are_words

    def decide(self, *, standardise: bool) -> None:
        """Whether to standardise the columns, which are measured, from now on."""
        self.standardise = standardise
        if not standardise:
            self._scaling = None

    def check_width(self) -> None:
        """Raise BadExample if the columns would need gigabytes of weights."""
        if self.dim > MOST_WEIGHTS and self.hash_bits is None:
            raise BadExample(
                f"feature index {self.dim - 1:,} needs more than the "
                f"{MOST_WEIGHTS:,} weights allowed",
                Problem.TOO_MANY_WEIGHTS,
            )

    def _numbered(self, chunk: Chunk) -> Rows:
        if self.products:
            chunk, counts = with_products(_named(chunk), self.products)
            self.idle_products -= {pair for pair, n in zip(self.products, counts, strict=True) if n}
        rows = chunk.rows
        kind: Kind = "names" if chunk.names is not None else "indices"
        if isinstance(rows, DenseRows):
            kind = "columns"
        if kind == "columns" and (self.kind == "names" or self.hash_bits is not None):
            chunk, kind = _named(chunk), "names"
            rows = chunk.rows
        if chunk.is_matrix and self.kind == "columns":
            kind = "columns"
        if self.kind is None and kind == "columns":
            self._header, self.dim = chunk.columns, rows.dim
        self.kind = self.kind or kind
        if kind != self.kind:
            raise BadExample(f"the model expects {_WORDS[self.kind]}; the data have {_WORDS[kind]}")
        if kind == "columns":
            return self._same_columns(rows, chunk.columns)
        sparse = rows.sparse()
        if chunk.names is not None:
            if not chunk.names.text.min(initial=1):
                raise _nul_in_name(chunk, chunk.names)
            columns = self._columns_of(chunk.names)
            if not chunk.is_hashed:
                return self._place(sparse, columns)
            if self.hash_bits is None or sparse.dim != 1 << self.hash_bits:
                raise ValueError("the features were hashed to another number of columns")
            return sparse.widened(self.room)
        if self.hash_bits is not None:
            slots = sparse.indices.astype(np.int64) & ((1 << self.hash_bits) - 1)
            used, first, which = np.unique(slots, return_index=True, return_inverse=True)
            self._name_slots(used, Names.of([str(j) for j in sparse.indices[first].tolist()]))
            return self._place(SparseRows(sparse.values, which, sparse.starts, len(used)), used)
        return self._indexed(sparse)

    def _same_columns(self, rows: Rows, columns: tuple[str, ...] | None) -> Rows:
        if rows.dim != self.dim:
            raise BadExample(f"there are {rows.dim} columns, but there were {self.dim} before")
        if columns is not None and self._header is not None and columns != self._header:
            pairs = zip(columns, self._header, strict=True)
            new, old = next((new, old) for new, old in pairs if new != old)
            raise BadExample(f"there is a column {new!r}, but it was {old!r} before")
        return rows

    def _indexed(self, rows: SparseRows) -> Rows:
        lowest = int(rows.indices.min(initial=np.iinfo(rows.indices.dtype).max))
        if not self.frozen:
            self._lowest, self.dim = min(self._lowest, lowest), max(self.dim, rows.dim)
            return rows.widened(self.room)
        self.seen_zero |= lowest == 0 < self._lowest
        if rows.dim > self.dim:
            known = rows.indices < self.dim
            self.left_out += len(known) - int(known.sum())
            rows = rows.where(known, self.dim)
        return rows.widened(self.room)

    def _columns_of(self, names: Names) -> Positions:
        if self.hash_bits is not None:
            mask = np.uint64((1 << self.hash_bits) - 1)
            slots = (names.hashes & mask).astype(np.int64)
            self._name_slots(slots, names)
            return slots
        if self.frozen:
            return self._places.find(names.text, names.starts)
        columns = self._places.place(names.text, names.starts)
        self.dim = len(self._places)
        return columns

    def _name_slots(self, slots: Positions, names: Names) -> None:
        """Remember the first name of each hashed column."""
        if self.frozen:
            return
        self.dim = 1 << (self.hash_bits or 0)
        if self.keep_names:
            self._slot_names.meet(slots, names.text, names.starts)

    def _place(self, rows: SparseRows, columns: Positions) -> SparseRows:
        values, indices, starts, left_out = _core.renumber(
            np.ascontiguousarray(rows.values, dtype=np.float64),
            np.ascontiguousarray(rows.indices),
            rows.starts.astype(rows.indices.dtype, copy=False),
            columns=columns,
        )
        self.left_out += left_out
        return SparseRows(values, indices, starts, self.room)

    def hashed_while_read(
        self, how: ReadOptions, *, named: bool = True, here: bool = True
    ) -> ReadOptions:
        """The options, with names hashed as they are read, if that gives the same rows.

        What is read `here`, by this process, leaves out the names that these features have by then.
        """
        if self.products or self.hash_bits is None or how.keep:  # what is left out has no names
            return how
        most = MOST_NAMES if named and self.keep_names else 0
        known = self._slot_names if here else None
        return replace(how, hash_bits=self.hash_bits, most_names=most, known=known)

    @property
    def room(self) -> int:
        """How many columns the rows have: those of a table, or else the next power of two."""
        if self.kind == "columns":
            return self.dim
        return max(LANES, 1 << max(0, self.dim - 1).bit_length())

    def scaling(self, width: int) -> tuple[Vector, Vector]:
        """What standardising divides so many columns by, and subtracts before: new ones stay."""
        scale, shift = np.ones(width), np.zeros(width)
        if self._scaling is not None:
            n = len(self._scaling[0])
            scale[:n], shift[:n] = self._scaling
        return scale, shift

    def _standardised(self, rows: Rows) -> Rows:
        scale, shift = self.scaling(rows.dim)
        if isinstance(rows, DenseRows):
            return DenseRows((rows.values - shift) / scale)
        moved = np.flatnonzero(shift)
        full = rows.with_columns(moved) if len(moved) else rows
        scaled = (full.values - shift[full.indices]) / scale[full.indices]
        return SparseRows(scaled, full.indices, full.starts, full.dim)

    def __getstate__(self) -> dict[str, Any]:
        held = {"_places": self._places.held(), "_slot_names": self._slot_names.held()}
        return vars(self) | held

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._hold_no_names()
        # copied, because an empty array of a pickle need not be aligned
        self._places.place(*map(np.array, state["_places"]))
        self._slot_names.meet(*map(np.array, state["_slot_names"]))

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """The settings and arrays of the map, for a model file."""
        settings: dict[str, Any] = {
            "kind": self.kind,
            "dim": self.dim,
            "hash_bits": self.hash_bits,
            "keep_names": self.keep_names,
            "products": [list(pair) for pair in self.products],
            "standardise": self.standardise,
            "to_unit_length": self.to_unit_length,
            "lowest": self._lowest,
            "header": None if self._header is None else list(self._header),
        }
        slots, text, starts = self._slot_names.held()
        if self.hash_bits is None:
            text, starts = self._places.held()
        arrays: Arrays = {"names": text, "name_starts": starts, "slots": slots}
        if self._scaling is not None:
            arrays["scale"], arrays["shift"] = self.scaling(self.dim)
        return settings, arrays

    @classmethod
    def restored(cls, settings: dict[str, Any], arrays: Arrays) -> Self:
        """The map with this state."""
        stored = Stored("map of features", settings, arrays)
        bits = None if settings.get("hash_bits") is None else stored.count("hash_bits")

        def flag(name: str) -> bool | None:  # None until the columns are measured
            return None if settings.get(name, False) is None else stored.flag(name)

        out = stored.made(
            cls,
            hash_bits=bits,
            keep_names=stored.flag("keep_names"),
            products=stored.pairs("products"),
            standardise=flag("standardise"),
            to_unit_length=flag("to_unit_length"),
        )
        if settings.get("kind") is not None:
            out.kind = stored.choice("kind", tuple(_WORDS))
        out.dim, out._lowest = stored.count("dim"), stored.count("lowest")
        if settings.get("header") is not None:
            out._header = tuple(stored.texts("header", out.dim))
        out._restore_names(stored)
        if "scale" in stored:
            scale, shift = (stored.vector(name, out.dim) for name in ("scale", "shift"))
            if not ((scale > 0) & (scale < np.inf)).all():
                stored.refuse("its scale is not finite and above 0")
            if not np.isfinite(shift).all():
                stored.refuse("its shift is not finite")
            out._scaling = scale, shift
        return out

    def _restore_names(self, stored: Stored) -> None:
        text = np.ascontiguousarray(stored.array("names", ("uint8",), (-1,)))
        starts = np.ascontiguousarray(stored.positions("name_starts", most=len(text)))
        if not len(starts) or starts[0] or starts[-1] != len(text) or (np.diff(starts) < 0).any():
            stored.refuse("its names do not follow one another")
        slots = np.ascontiguousarray(stored.positions("slots"))
        try:
            text.tobytes().decode()
        except UnicodeDecodeError:
            stored.refuse("a name is not UTF-8")
        begins = text[starts[:-1][np.diff(starts) > 0]]
        if (begins & 0xC0 == 0x80).any():  # in the middle of a character
            stored.refuse("a name is not UTF-8")
        if self.hash_bits is None:
            right = len(starts) - 1 == (self.dim if self.kind == "names" else 0)
            if right:
                self._places.place(text, starts)
                right = len(self._places) == len(starts) - 1
        else:
            right = len(slots) == len(starts) - 1
            right &= bool(((slots >= 0) & (slots < min(self.dim, 1 << self.hash_bits))).all())
            right &= self.kind in (None, "columns") or self.dim == 1 << self.hash_bits
            if right:
                self._slot_names.meet(slots, text, starts)
        if not right:
            stored.refuse("its names do not match its columns")


_WORDS: dict[Kind, str] = {
    "columns": "the columns of a table of numbers",
    "indices": "numbered features",
    "names": "named features",
}


def _nul_in_name(chunk: Chunk, names: Names) -> BadExample:
    """The error about the first name with a NUL, and the first example that has it."""
    rows = chunk.rows.sparse()
    j, text = next((j, name.decode()) for j, name in enumerate(names) if 0 in name)
    entry = int(np.argmax(rows.indices == j))
    row = chunk.first + int(np.searchsorted(rows.starts, entry, side="right")) - 1
    return BadExample(f"example {row}: feature {quoted(text)} {why_not_a_name(text)}")


def _named(chunk: Chunk) -> Chunk:
    """The chunk with names for its columns: the table's, or the indices as written."""
    if chunk.names is not None:
        return chunk
    rows = chunk.rows.sparse()
    if chunk.columns is not None:
        return replace(chunk, rows=rows, names=Names.of(chunk.columns))
    used, places = np.unique(rows.indices, return_inverse=True)
    numbered = SparseRows(
        rows.values, places.astype(np.int64), rows.starts.astype(np.int64), len(used)
    )
    return replace(chunk, rows=numbered, names=Names.of([str(j) for j in used.tolist()]))
