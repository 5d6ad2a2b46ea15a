// The parsers of text: bytes in, NumPy arrays out, which own what the parser wrote.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/parts.hpp"
#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/renumber.hpp"
#include "text/svmlight.hpp"
#include "text/text.hpp"
#include "text/vw.hpp"

// Hands a buffer over to NumPy without a copy.
template <class T>
using Owned = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
static Owned<T> array(Buffer<T>& buffer) {
  const std::size_t size = buffer.size;
  if (size == 0) buffer.reserve(1);
  T* const data = buffer.release();
  const nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
  return Owned<T>(data, {size}, owner);
}

static nb::tuple names(NameTable& table) {
  Buffer<std::uint8_t> text;
  text.room = table.text.room;
  text.size = table.text.size;
  text.data = reinterpret_cast<std::uint8_t*>(table.text.release());
  return nb::make_tuple(array(text), array(table.starts), array(table.hashes));
}

static nb::list bad_lines(const std::vector<BadLine>& bad) {
  nb::list out;
  for (const BadLine& b : bad) out.append(nb::make_tuple(b.line, b.at, b.why, b.begin, b.end));
  return out;
}

using Examples = nb::typed<nb::dict, nb::str, nb::any>;

// The importances of the examples; None if all are 1.
static nb::object importances(Buffer<double>& written) {
  const auto is_one = [](double x) { return x == 1; };
  if (std::all_of(written.data, written.data + written.size, is_one)) return nb::none();
  return array(written).cast();
}

template <class Index>
static nb::dict examples(Parsed<Index>& parsed) {
  nb::dict out;
  out["values"] = array(parsed.values);
  out["indices"] = array(parsed.indices);
  out["starts"] = array(parsed.starts);
  out["labels"] = array(parsed.labels);
  out["importances"] = importances(parsed.importances);
  out["label_texts"] = names(parsed.label_texts);
  out["label_lines"] = array(parsed.label_lines);
  out["names"] = names(parsed.names);
  out["bad"] = bad_lines(parsed.bad);
  out["lines"] = parsed.lines;
  return out;
}

// The text is followed by `padding` more bytes, which make it safe to read ahead.
static const char* begin_of(const In<std::uint8_t>& text, std::size_t length) {
  if (text.size() < padding || length > text.size() - padding) throw nb::value_error("the text needs padding after it");
  return reinterpret_cast<const char*>(text.data());
}

template <class Index>
static std::optional<nb::dict> svmlight(const char* text, std::size_t length, std::size_t allowed) {
  Parsed<Index> parsed;
  Svmlight<Index> reader(parsed);
  {
    nb::gil_scoped_release unlocked;
    reader.parse(text, length, allowed);
  }
  if (!reader.fits) return std::nullopt;
  nb::dict out = examples(parsed);
  out["queries"] = reader.queries;
  out["lowest"] = reader.lowest;
  out["highest"] = reader.highest;
  return out;
}

static Examples py_parse_svmlight(In<std::uint8_t> text, std::size_t length,
                                  std::size_t allowed) {
  const char* const begin = begin_of(text, length);
  std::optional<nb::dict> out = svmlight<std::int32_t>(begin, length, allowed);
  if (!out) out = svmlight<std::int64_t>(begin, length, allowed);
  return Examples(*out);
}

// The same for parsers that stop only at a line end.
static const char* begin_of_lines(const In<std::uint8_t>& text, std::size_t length) {
  const char* const begin = begin_of(text, length);
  if (length && !ends_line(begin[length - 1]) && !ends_line(begin[length]))
    throw nb::value_error("the text needs a line's end at its end or after it");
  return begin;
}

static Examples py_parse_vw(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                            bool labelled) {
  const char* const begin = begin_of_lines(text, length);
  Parsed<std::int32_t> parsed;
  {
    nb::gil_scoped_release unlocked;
    parse_vw(begin, begin + length, allowed, labelled, parsed);
  }
  return examples(parsed);
}

static Examples py_parse_jsonl(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                               std::string_view label, bool labelled, std::string_view weight,
                               bool weighed, std::string_view missing) {
  const char* const begin = begin_of_lines(text, length);
  if (missing != "refuse" && missing != "zero" && missing != "indicate")
    throw nb::value_error("missing must be refuse, zero or indicate");
  const Missing rule = missing == "refuse" ? Missing::refuse
                       : missing == "zero" ? Missing::zero
                                           : Missing::indicate;
  Parsed<std::int32_t> parsed;
  {
    nb::gil_scoped_release unlocked;
    parse_jsonl(begin, begin + length, allowed, {label, labelled, weight, weighed, rule}, parsed);
  }
  return examples(parsed);
}

// The text with a line end at its end: itself if it has one, otherwise a copy in `own`.
static const char* ended(const char* text, std::size_t& length, Buffer<char>& own) {
  if (length == 0 || ends_line(text[length - 1])) return text;
  own.reserve(length + 1 + padding);
  std::memcpy(own.data, text, length);
  std::memset(own.data + length, 0, 1 + padding);
  own.data[length++] = '\n';
  return own.data;
}

static char separator_of(std::string_view text) {
  if (text.size() != 1 || text[0] == '"' || text[0] == ' ' || ends_line(text[0]))
    throw nb::value_error("a separator is one byte, and no quote, space or line end");
  return text[0];
}

static std::size_t py_csv_cut(In<std::uint8_t> text, std::size_t length, std::string_view separator) {
  const char* const begin = begin_of(text, length);
  const char mark = separator_of(separator);
  nb::gil_scoped_release unlocked;
  return csv_cut(begin, length, mark);
}

static nb::typed<nb::list, nb::any> py_csv_records(In<std::uint8_t> text, std::size_t length, std::string_view separator,
                               std::size_t most) {
  Buffer<char> own;
  const auto given = std::ptrdiff_t(length);
  const char* const begin = ended(begin_of(text, length), length, own);
  CsvReader reader(begin + length, separator_of(separator));
  nb::list out;
  std::int64_t line = 0;
  for (const char* p = begin; p < reader.end && out.size() < most; ++line) {
    if (!reader.blank(p)) {
      nb::list fields;
      CsvFlaw flaw;
      for (;; ++p) {
        std::string_view field;
        flaw = reader.field(p, field);
        fields.append(nb::bytes(field.data(), field.size()));
        if (flaw != CsvFlaw::none || *p != reader.ends_field.separator) break;
      }
      const std::int64_t first = line;
      line += reader.lines;
      reader.lines = 0;
      const char* after = p;
      skip_line_end(after, reader.end);
      out.append(nb::make_tuple(first, line + 1, std::min(after - begin, given), fields,
                                std::int64_t(flaw)));
    }
    skip_line_end(p, reader.end);
  }
  return out;
}

template <bool Dense>
static nb::dict csv_rows(const char* text, std::size_t length, std::size_t allowed, char separator,
                         std::vector<CsvColumn>& columns, Missing missing, bool labelled,
                         std::size_t wide) {
  Parsed<std::int32_t> parsed;
  {
    nb::gil_scoped_release unlocked;
    Buffer<char> own;
    const char* const begin = ended(text, length, own);
    CsvRows<Dense> rows(columns, begin + length, separator, missing, labelled, wide, parsed);
    rows.parse(begin, allowed);
  }
  return examples(parsed);
}

static nb::typed<nb::dict, nb::str, nb::any> py_parse_csv(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                             std::string_view separator, In<std::uint8_t> kinds,
                             In<std::int32_t> positions, const std::vector<nb::bytes>& names,
                             std::uint8_t missing, bool labelled) {
  const char* const begin = begin_of(text, length);
  const char mark = separator_of(separator);
  if (kinds.size() == 0 || kinds.size() != positions.size() || kinds.size() != names.size())
    throw nb::value_error("a kind, a position and a name are needed for each column");
  if (missing > std::uint8_t(Missing::indicate)) throw nb::value_error("no such rule for gaps");
  bool dense = Missing(missing) != Missing::indicate;
  std::size_t wide = 0;
  std::vector<CsvColumn> columns;
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    if (kinds(j) > std::uint8_t(CsvKind::weight)) throw nb::value_error("no such kind of column");
    columns.emplace_back(CsvKind(kinds(j)), positions(j),
                         std::string_view(names[j].c_str(), names[j].size()));
    dense &= columns[j].kind != CsvKind::text;
    wide += columns[j].is_feature();
  }
  std::vector<bool> filled(wide, false);
  for (const CsvColumn& column : columns) {
    if (!column.is_feature() || !dense) continue;
    if (std::size_t(column.position) >= wide || filled[std::size_t(column.position)])
      throw nb::value_error("each number needs a position of its own in the row");
    filled[std::size_t(column.position)] = true;
  }
  const auto rows = dense ? csv_rows<true> : csv_rows<false>;
  return rows(begin, length, allowed, mark, columns, Missing(missing), labelled, wide);
}

static Owned<std::uint64_t> py_hash_names(In<std::uint8_t> text, In<std::int64_t> starts) {
  if (starts.size() == 0) throw nb::value_error("the starts end with the end of the text");
  Buffer<std::uint64_t> hashes;
  hashes.reserve(starts.size());
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const std::int64_t from = read_once(starts(k)), to = read_once(starts(k + 1));
    if (from < 0 || to < from || std::size_t(to) > text.size())
      throw nb::value_error("a name lies outside the text");
    hashes.add(hash_name({reinterpret_cast<const char*>(text.data()) + from, std::size_t(to - from)}));
  }
  return array(hashes);
}

template <class Index>
static std::tuple<Owned<double>, Owned<std::int32_t>, Owned<std::int32_t>, std::int64_t>
py_renumber(In<double> values, In<Index> indices, In<Index> starts,
            std::optional<In<std::int64_t>> columns) {
  constexpr auto widest = std::size_t(std::numeric_limits<std::int32_t>::max());
  if (indices.size() != values.size() || starts.size() == 0 || values.size() > widest)
    throw nb::value_error("one index per value and the start of each row are needed");
  Renumbered out;
  {
    nb::gil_scoped_release unlocked;
    const SparseRows<double, Index> rows{values.data(), indices.data(), starts.data(),
                                         starts.size() - 1, columns ? columns->size() : widest,
                                         values.size()};
    refuse(renumber(rows, columns ? columns->data() : nullptr, out));
  }
  return {array(out.values), array(out.indices), array(out.starts), out.left_out};
}

static std::optional<double> py_read_number(In<std::uint8_t> text, std::size_t length) {
  const char* p = begin_of(text, length);
  const char* const end = p + length;
  double value;
  const Number read = read_number(p, value);
  if (read == Number::none || p != end) return std::nullopt;
  return read == Number::good ? value : std::numeric_limits<double>::infinity();
}

void bind_text(nb::module_& m) {
  m.def("parse_svmlight", py_parse_svmlight, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "allowed"_a,
        "The examples of text[:length], and the lines that cannot be read: it stops when these are\n"
        "more than allowed. The text needs 16 bytes more after its length.");
  m.def("parse_vw", py_parse_vw, "text"_a.noconvert(), nb::kw_only(), "length"_a, "allowed"_a,
        "labelled"_a,
        "The same for Vowpal Wabbit's text, which ends with a line's end or right before one. If\n"
        "labelled, a line without a label is bad.");
  m.def("parse_jsonl", py_parse_jsonl, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "allowed"_a, "label"_a, "labelled"_a, "weight"_a, "weighed"_a, "missing"_a,
        "The same for an object of JSON on each line: the key called label is the label, and the one\n"
        "called weight, if that is not empty, the importance, which each line must have if weighed;\n"
        "null is refused, zero (nothing), or indicated by a feature of its own, as missing says.");
  m.def("csv_cut", py_csv_cut, "text"_a.noconvert(), nb::kw_only(), "length"_a, "separator"_a,
        "The number of bytes of text[:length] that are whole records of a table.");
  m.def("csv_records", py_csv_records, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "separator"_a, "most"_a,
        "The first records of a table: of each the line it begins on and the one after it, from 0,\n"
        "where it ends, its fields, and what is wrong with its quotes (0: nothing).");
  m.def("parse_csv", py_parse_csv, "text"_a.noconvert(), nb::kw_only(), "length"_a, "allowed"_a,
        "separator"_a, "kinds"_a.noconvert(), "positions"_a.noconvert(), "names"_a, "missing"_a,
        "labelled"_a,
        "The examples of a table without its header: rows of numbers, each at its column's position,\n"
        "or named features if a column holds texts or what is missing is to be a feature.");
  m.def("read_number", py_read_number, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "The number that text[:length] writes: None if none, infinity if it is too large.");
  m.def("hash_names", py_hash_names, "text"_a.noconvert(), "starts"_a.noconvert(),
        "The hash of each name text[starts[k]:starts[k + 1]].");
  m.def("renumber", py_renumber<std::int32_t>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "starts"_a.noconvert(), nb::kw_only(), "columns"_a.noconvert().none(),
        "Rows whose columns are columns[index], or the index itself, sorted along a row, equal ones added up, those below 0\n"
        "left out: values, indices, starts, and how many were left out.");
  m.def("renumber", py_renumber<std::int64_t>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "starts"_a.noconvert(), nb::kw_only(), "columns"_a.noconvert().none());
}
