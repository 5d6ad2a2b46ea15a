// The parsers of text, for Python: bytes in, NumPy arrays out that own what the parser wrote.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include "jsonl.hpp"
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
static nb::object array(Buffer<T>& buffer) {
  const std::size_t size = buffer.size;
  if (size == 0) buffer.reserve(1);
  T* const data = buffer.release();
  const nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner).cast();
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
static nb::object svmlight(const char* text, std::size_t length, std::size_t allowed) {
  Parsed<Index> parsed;
  Svmlight<Index> reader(parsed);
  {
    nb::gil_scoped_release unlocked;
    reader.parse(text, length, allowed);
  }
  if (!reader.fits) return nb::none();
  nb::dict out = examples(parsed);
  out["queries"] = reader.queries;
  out["lowest"] = reader.lowest;
  out["highest"] = reader.highest;
  return out;
}

static nb::object py_parse_svmlight(In<std::uint8_t> text, std::size_t length,
                                    std::size_t allowed) {
  const char* const begin = begin_of(text, length);
  nb::object narrow = svmlight<std::int32_t>(begin, length, allowed);
  return narrow.is_none() ? svmlight<std::int64_t>(begin, length, allowed) : narrow;
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
  return array(written);
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

static nb::object py_hash_names(In<std::uint8_t> text, In<std::int64_t> starts) {
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

// Columns become columns[column], those below 0 are left out, and each row is sorted by them; values
// on one column are added up in the order they stand. Also says how many were left out.
template <class Index>
static nb::tuple renumber(In<double> values, In<Index> indices, In<std::int64_t> starts,
                          In<std::int64_t> columns) {
  const std::size_t n = values.size();
  if (indices.size() != n || starts.size() == 0 || starts(0) != 0 ||
      std::size_t(starts(starts.size() - 1)) != n)
    throw nb::value_error("one index a value is needed, and rows that hold all of them");
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    if (starts(i + 1) < starts(i)) throw nb::value_error("a row ends before it begins");
  for (std::size_t k = 0; k < n; ++k)
    if (std::size_t(indices(k)) >= columns.size()) throw nb::value_error("an index has no column");
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns(j) > std::numeric_limits<std::int32_t>::max())
      throw nb::value_error("a column is too large");
  Buffer<double> out_values;
  Buffer<std::int32_t> out_indices, out_starts;
  std::size_t left_out = 0;
  {
    nb::gil_scoped_release unlocked;
    out_values.reserve(n + 1);
    out_indices.reserve(n + 1);
    out_starts.reserve(starts.size());
    out_starts.add(0);
    std::vector<std::pair<std::int32_t, double>> row;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      row.clear();
      bool sorted = true;
      for (auto k = std::size_t(starts(i)); k < std::size_t(starts(i + 1)); ++k) {
        const auto j = std::int32_t(columns(std::size_t(indices(k))));
        if (j < 0) {
          ++left_out;
          continue;
        }
        sorted &= row.empty() || row.back().first < j;
        row.emplace_back(j, values(k));
      }
      if (!sorted)
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [j, x] : row) {
        const std::size_t size = out_indices.size;
        if (size > std::size_t(out_starts.data[i]) && out_indices.data[size - 1] == j) {
          out_values.data[size - 1] += x;
          continue;
        }
        out_values.add(x);
        out_indices.add(j);
      }
      out_starts.add(std::int32_t(out_values.size));
    }
  }
  return nb::make_tuple(array(out_values), array(out_indices), array(out_starts), left_out);
}

static nb::object py_read_number(In<std::uint8_t> text, std::size_t length) {
  const char* p = begin_of(text, length);
  const char* const end = p + length;
  double value;
  const Number read = read_number(p, value);
  if (read == Number::none || p != end) return nb::none();
  return nb::float_(read == Number::good ? value : std::numeric_limits<double>::infinity());
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
  m.def("renumber", renumber<std::int32_t>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "starts"_a.noconvert(), nb::kw_only(), "columns"_a.noconvert(),
        "Rows whose columns are columns[index], sorted along a row, equal ones added up, those below 0\n"
        "left out: values, indices, starts, and how many were left out.");
  m.def("renumber", renumber<std::int64_t>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "starts"_a.noconvert(), nb::kw_only(), "columns"_a.noconvert());
}
