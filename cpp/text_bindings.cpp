// The parsers of text, for Python: bytes in, NumPy arrays out that own what the parser wrote.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/string_view.h>

#include "jsonl.hpp"
#include "renumber.hpp"
#include "svmlight.hpp"
#include "text.hpp"
#include "text_bindings.hpp"
#include "vw.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace novikoff;

template <class T>
using In = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Hands a buffer over to NumPy, without a copy.
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
static Array<T> array(Buffer<T>& buffer) {
  const std::size_t size = buffer.size;
  if (size == 0) buffer.reserve(1);
  T* const data = buffer.release();
  const nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
  return Array<T>(data, {size}, owner);
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

template <class Index>
static nb::dict examples(Parsed<Index>& parsed) {
  nb::dict out;
  out["values"] = array(parsed.values);
  out["indices"] = array(parsed.indices);
  out["starts"] = array(parsed.starts);
  out["labels"] = array(parsed.labels);
  out["label_texts"] = names(parsed.label_texts);
  out["label_lines"] = array(parsed.label_lines);
  out["names"] = names(parsed.names);
  out["bad"] = bad_lines(parsed.bad);
  out["lines"] = parsed.lines;
  return out;
}

// The text is followed by `padding` bytes more, which only make it safe to look ahead.
static const char* begin_of(const In<std::uint8_t>& text, std::size_t length) {
  if (length + padding > text.size()) throw nb::value_error("the text needs padding after it");
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

// The same for parsers that look for nothing but the end of a line, where this may be the end.
static const char* begin_of_lines(const In<std::uint8_t>& text, std::size_t length) {
  const char* const begin = begin_of(text, length);
  if (length && !ends_line(begin[length - 1]) && !ends_line(begin[length]))
    throw nb::value_error("the text needs a line's end at its end or after it");
  return begin;
}

// The importances of the examples; none if they are all 1.
static nb::object importances(Buffer<double>& written) {
  const auto is_one = [](double x) { return x == 1; };
  if (std::all_of(written.data, written.data + written.size, is_one)) return nb::none();
  return array(written).cast();
}

static Examples py_parse_vw(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                            bool labelled) {
  const char* const begin = begin_of_lines(text, length);
  Parsed<std::int32_t> parsed;
  {
    nb::gil_scoped_release unlocked;
    parse_vw(begin, begin + length, allowed, labelled, parsed);
  }
  nb::dict out = examples(parsed);
  out["importances"] = importances(parsed.importances);
  return out;
}

static Examples py_parse_jsonl(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                               std::string_view label, bool labelled, std::string_view missing) {
  const char* const begin = begin_of_lines(text, length);
  if (missing != "refuse" && missing != "zero" && missing != "indicate")
    throw nb::value_error("missing must be refuse, zero or indicate");
  const Missing rule = missing == "refuse" ? Missing::refuse
                       : missing == "zero" ? Missing::zero
                                           : Missing::indicate;
  Parsed<std::int32_t> parsed;
  {
    nb::gil_scoped_release unlocked;
    parse_jsonl(begin, begin + length, allowed, {label, labelled, rule}, parsed);
  }
  return examples(parsed);
}

static Array<std::uint64_t> py_hash_names(In<std::uint8_t> text, In<std::int64_t> starts) {
  if (starts.size() == 0) throw nb::value_error("the starts end with the end of the text");
  Buffer<std::uint64_t> hashes;
  hashes.reserve(starts.size());
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    if (starts(k) < 0 || starts(k + 1) < starts(k) || std::size_t(starts(k + 1)) > text.size())
      throw nb::value_error("a name lies outside the text");
    hashes.add(hash_name({reinterpret_cast<const char*>(text.data()) + starts(k),
                          std::size_t(starts(k + 1) - starts(k))}));
  }
  return array(hashes);
}

template <class Index>
static std::tuple<Array<double>, Array<std::int32_t>, Array<std::int32_t>, std::int64_t>
py_renumber(In<double> values, In<Index> indices, In<std::int64_t> starts,
            In<std::int64_t> columns) {
  const std::size_t n = values.size();
  constexpr auto widest = std::numeric_limits<std::int32_t>::max();
  if (indices.size() != n || starts.size() == 0 || starts(0) != 0 || n > std::size_t(widest) ||
      std::size_t(starts(starts.size() - 1)) != n)
    throw nb::value_error("one index a value is needed, and rows that hold all of them");
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    if (starts(i + 1) < starts(i)) throw nb::value_error("a row ends before it begins");
  for (std::size_t k = 0; k < n; ++k)
    if (std::size_t(indices(k)) >= columns.size()) throw nb::value_error("an index has no column");
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns(j) > widest) throw nb::value_error("a column is too large");
  Renumbered out;
  {
    nb::gil_scoped_release unlocked;
    renumber(values.data(), indices.data(), starts.data(), starts.size() - 1, columns.data(), out);
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
        "allowed"_a, "label"_a, "labelled"_a, "missing"_a,
        "The same for an object of JSON on each line: the key called label is the label; null is\n"
        "refused, zero (nothing), or indicated by a feature of its own, as missing says.");
  m.def("read_number", py_read_number, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "The number that text[:length] writes: None if none, infinity if it is too large.");
  m.def("hash_names", py_hash_names, "text"_a.noconvert(), "starts"_a.noconvert(),
        "The hash of each name text[starts[k]:starts[k + 1]].");
  m.def("renumber", py_renumber<std::int32_t>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "starts"_a.noconvert(), nb::kw_only(), "columns"_a.noconvert(),
        "Rows whose columns are columns[index], sorted along a row, equal ones added up, those below 0\n"
        "left out: values, indices, starts, and how many were left out.");
  m.def("renumber", py_renumber<std::int64_t>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "starts"_a.noconvert(), nb::kw_only(), "columns"_a.noconvert());
}
