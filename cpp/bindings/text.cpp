// The parsers of text: bytes in, NumPy arrays out, which own what the parser wrote.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/parts.hpp"

#include <cstring>
#include <memory>
#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/plain_json.hpp"
#include "text/renumber.hpp"
#include "text/svmlight.hpp"
#include "text/text.hpp"
#include "text/slot_names.hpp"
#include "text/vw.hpp"

// Hands a buffer over to NumPy without a copy.
template <class T>
using Owned = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
static Owned<T> array(Buffer<T>& buffer) {
  const std::size_t size = buffer.size;
  if (size == 0) buffer.reserve(1);
  auto own = std::make_unique<Buffer<T>>();
  own->swap(buffer);
  T* const data = own->data;
  const nb::capsule owner(own.get(), [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
  own.release();
  return Owned<T>(data, {size}, owner);
}

static nb::tuple names(NameTable& table) {
  Buffer<std::uint8_t> text;
  text.room = table.text.room;
  text.size = table.text.size;
  text.data = reinterpret_cast<std::uint8_t*>(table.text.release());
  return nb::make_tuple(array(text), array(table.starts), array(table.hashes));
}

// The names of hashed columns as they were met; the columns are the lowest bits of their hashes.
static nb::tuple names(const SlotNames& hashed) {
  Buffer<std::uint8_t> text;
  Buffer<std::int64_t> starts;
  Buffer<std::uint64_t> hashes;
  starts.push(0);
  hashed.each(
      [&](std::int64_t slot, std::string_view name) {
        text.make_room(name.size() + 1);
        std::memcpy(text.data + text.size, name.data(), name.size());
        text.size += name.size();
        starts.push(std::int64_t(text.size));
        hashes.push(std::uint64_t(slot));
      },
      false);
  return nb::make_tuple(array(text), array(starts), array(hashes));
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
  out["names"] = parsed.hashed ? names(*parsed.hashed) : names(parsed.names);
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

// Calls use(name) for each name text[starts[k], starts[k + 1]).
template <class Use>
static void each_name(const In<std::uint8_t>& text, const In<std::int64_t>& starts, Use use) {
  if (starts.size() == 0) throw std::invalid_argument("the starts end with the end of the text");
  std::int64_t from = read_once(starts(0));
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const std::int64_t to = read_once(starts(k + 1));
    if (from < 0 || to < from || std::size_t(to) > text.size())
      throw std::invalid_argument("a name lies outside the text");
    use(std::string_view{reinterpret_cast<const char*>(text.data()) + from, std::size_t(to - from)});
    from = to;
  }
}

static nb::bytes as_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

struct PySlotNames : SlotNames {
  PySlotNames(int bits, std::size_t most) : SlotNames(bits >= 0 && bits <= 31 ? bits : 0, most) {
    if (bits < 0 || bits > 31) throw nb::value_error("bits must be from 0 to 31");
  }

  void meet(In<std::int64_t> slots, In<std::uint8_t> text, In<std::int64_t> starts) {
    if (slots.size() + 1 != starts.size()) throw nb::value_error("one column per name is needed");
    std::size_t k = 0;
    each_name(text, starts, [&](std::string_view name) {
      const std::int64_t slot = read_once(slots(k++));
      if (slot < 0 || slot >= columns()) throw nb::value_error("there is no such column");
      SlotNames::meet(slot, {name});
    });
  }
  std::tuple<Owned<std::int64_t>, Owned<std::uint8_t>, Owned<std::int64_t>> held() const {
    Buffer<std::int64_t> slots, starts;
    Buffer<std::uint8_t> text;
    starts.push(0);
    each([&](std::int64_t slot, std::string_view name) {
      slots.push(slot);
      text.make_room(name.size());
      if (!name.empty()) std::memcpy(text.data + text.size, name.data(), name.size());
      text.size += name.size();
      starts.push(std::int64_t(text.size));
    });
    return {array(slots), array(text), array(starts)};
  }
  std::optional<nb::bytes> name(std::int64_t slot) const {
    const std::optional<std::string_view> held = SlotNames::name(slot);
    if (!held) return std::nullopt;
    return as_bytes(*held);
  }
};

// Lets the names be hashed to 2^bits columns, unless bits are 0.
static void hash(Parsed<std::int32_t>& parsed, int bits, std::size_t most_names,
                 const SlotNames* known) {
  if (bits < 0 || bits > 31) throw nb::value_error("bits must be from 0 to 31");
  if (!bits) return;
  parsed.hashed.emplace(bits, most_names, known);
  if (known && known->columns() != parsed.hashed->columns())
    throw nb::value_error("the known names are those of as many columns");
}

// Sorts the columns of each row, and adds up the values of equal ones.
static void put_in_order(Parsed<std::int32_t>& parsed) {
  const std::size_t n = parsed.starts.size - 1, stored = parsed.values.size;
  const SparseRows<double, std::int32_t> rows{parsed.values.data, parsed.indices.data,
                                              parsed.starts.data, n,
                                              std::size_t(parsed.hashed->columns()), stored};
  const auto in_order = [&](std::size_t i) {
    const auto *const from = parsed.indices.data + parsed.starts.data[i],
               *const to = parsed.indices.data + parsed.starts.data[i + 1];
    return std::adjacent_find(from, to, std::greater_equal<>()) == to;
  };
  std::size_t i = 0;
  while (i < n && in_order(i)) ++i;
  if (i == n) return;
  Renumbered out;
  renumber(rows, nullptr, out);
  parsed.values.swap(out.values);
  parsed.indices.swap(out.indices);
  parsed.starts.swap(out.starts);
}

static Examples py_parse_vw(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                            bool labelled, int bits, std::size_t most_names,
                            const PySlotNames* known) {
  const char* const begin = begin_of_lines(text, length);
  Parsed<std::int32_t> parsed;
  hash(parsed, bits, most_names, known);
  {
    nb::gil_scoped_release unlocked;
    parse_vw(begin, begin + length, allowed, labelled, parsed);
    if (bits) put_in_order(parsed);
  }
  return examples(parsed);
}

// Which parts of a text are features, what the value of a part is, and whether these have length 1.
using RuleNumbers = std::tuple<std::uint8_t, std::uint8_t, bool>;
static TextRule rule_of(const RuleNumbers& numbers) {
  const auto [grams, amount, unit_length] = numbers;
  if (grams > std::uint8_t(Grams::characters) || amount > std::uint8_t(Amount::log))
    throw nb::value_error("no such rule for texts");
  return {Grams(grams), Amount(amount), unit_length};
}

static Examples py_parse_jsonl(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                               std::string_view label, bool labelled, std::string_view weight,
                               bool weighed, std::string_view missing,
                               const std::vector<std::string_view>& ignored,
                               const std::vector<std::string_view>& texts,
                               const RuleNumbers& rule_numbers) {
  const char* const begin = begin_of_lines(text, length);
  if (missing != "refuse" && missing != "zero" && missing != "indicate")
    throw nb::value_error("missing must be refuse, zero or indicate");
  const Missing rule = missing == "refuse" ? Missing::refuse
                       : missing == "zero" ? Missing::zero
                                           : Missing::indicate;
  const JsonOptions options{label, labelled, weight, weighed, rule, ignored, texts,
                            rule_of(rule_numbers)};
  Parsed<std::int32_t> parsed;
  std::vector<std::int64_t> met;
  {
    nb::gil_scoped_release unlocked;
    met = parse_jsonl(begin, begin + length, allowed, options, parsed);
  }
  nb::dict out = examples(parsed);
  out["texts"] = met;
  return out;
}

static nb::object py_plain_batch(const nb::bytes& body) {
  std::string text;
  PlainBatch batch;
  {
    nb::gil_scoped_release unlocked;
    text.reserve(body.size() + padding);
    text.assign(body.c_str(), body.size()).append(padding, '\0');
    if (!batch.read(text.data(), text.data() + body.size())) batch.objects.clear();
  }
  if (batch.objects.empty()) return nb::none();
  nb::list out;
  for (const std::string_view one : batch.objects) out.append(nb::bytes(one.data(), one.size()));
  return nb::make_tuple(out, batch.most, batch.longest);
}

static Examples py_parse_texts(In<std::uint8_t> text, In<std::int64_t> starts, std::string_view prefix,
                               const RuleNumbers& rule_numbers) {
  Parsed<std::int32_t> parsed;
  TextReader reader(prefix, rule_of(rule_numbers), parsed);
  {
    nb::gil_scoped_release unlocked;
    each_name(text, starts, [&](std::string_view one) {
      reader.add(one);
      reader.finish();
      add_example(parsed, -1);
    });
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

static CsvMarks marks_of(std::string_view text, bool quotes, bool comma = false) {
  if (text.size() != 1 || text[0] == '"' || ends_line(text[0]))
    throw nb::value_error("a separator is one byte, and no quote or line end");
  return {text[0], quotes, comma};
}

static std::size_t py_csv_cut(In<std::uint8_t> text, std::size_t length, std::string_view separator,
                              bool quotes) {
  const char* const begin = begin_of(text, length);
  const CsvMarks marks = marks_of(separator, quotes);
  nb::gil_scoped_release unlocked;
  return csv_cut(begin, length, marks);
}

static nb::typed<nb::list, nb::any> py_csv_records(In<std::uint8_t> text, std::size_t length, std::string_view separator,
                               bool quotes, std::size_t most) {
  Buffer<char> own;
  const auto given = std::ptrdiff_t(length);
  const char* const begin = ended(begin_of(text, length), length, own);
  CsvReader reader(begin + length, marks_of(separator, quotes));
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
        reader.skip_run(p);
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
static nb::dict csv_rows(const char* text, std::size_t length, std::size_t allowed, CsvMarks marks,
                         std::vector<CsvColumn>& columns, Missing missing, const TextRule& rule,
                         bool labelled, std::size_t wide, int bits, std::size_t most_names,
                         const SlotNames* known) {
  Parsed<std::int32_t> parsed;
  hash(parsed, bits, most_names, known);
  {
    nb::gil_scoped_release unlocked;
    Buffer<char> own;
    const char* const begin = ended(text, length, own);
    CsvRows<Dense> rows(columns, begin + length, marks, missing, rule, labelled, wide, parsed);
    rows.parse(begin, allowed);
    if (bits) put_in_order(parsed);
  }
  return examples(parsed);
}

static nb::typed<nb::dict, nb::str, nb::any> py_parse_csv(In<std::uint8_t> text, std::size_t length, std::size_t allowed,
                             std::string_view separator, bool quotes, bool decimal_comma,
                             In<std::uint8_t> kinds,
                             In<std::int32_t> positions, const std::vector<nb::bytes>& names,
                             std::uint8_t missing, bool labelled, const RuleNumbers& rule_numbers,
                             int bits, std::size_t most_names, const PySlotNames* known) {
  const char* const begin = begin_of(text, length);
  const CsvMarks marks = marks_of(separator, quotes, decimal_comma);
  if (kinds.size() == 0 || kinds.size() != positions.size() || kinds.size() != names.size())
    throw nb::value_error("a kind, a position and a name are needed for each column");
  if (missing > std::uint8_t(Missing::indicate)) throw nb::value_error("no such rule for gaps");
  bool dense = Missing(missing) != Missing::indicate;
  std::size_t wide = 0;
  std::vector<CsvColumn> columns;
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    if (kinds(j) > std::uint8_t(CsvKind::words)) throw nb::value_error("no such kind of column");
    columns.emplace_back(CsvKind(kinds(j)), positions(j),
                         std::string_view(names[j].c_str(), names[j].size()));
    dense &= columns[j].kind != CsvKind::text && columns[j].kind != CsvKind::words;
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
  return rows(begin, length, allowed, marks, columns, Missing(missing), rule_of(rule_numbers),
              labelled, wide, dense ? 0 : bits, most_names, known);
}

static Owned<std::uint64_t> py_hash_names(In<std::uint8_t> text, In<std::int64_t> starts) {
  Buffer<std::uint64_t> hashes;
  hashes.reserve(starts.size());
  each_name(text, starts, [&](std::string_view name) { hashes.add(hash_name(name)); });
  return array(hashes);
}

using HeldNames = std::tuple<Owned<std::uint8_t>, Owned<std::int64_t>>;

// The columns of names, in the order of their first use.
class NamePlaces {
 public:
  std::size_t size() const { return table_.size(); }
  Owned<std::int64_t> find(In<std::uint8_t> text, In<std::int64_t> starts) const {
    return each(text, starts, [this](auto name, auto hash) { return table_.find(name, hash); });
  }
  Owned<std::int64_t> place(In<std::uint8_t> text, In<std::int64_t> starts) {
    return each(text, starts, [this](auto name, auto hash) { return table_.place(name, hash); });
  }
  HeldNames held() const {
    Buffer<std::uint8_t> text;
    Buffer<std::int64_t> starts;
    text.reserve(table_.text.size + 1);
    for (std::size_t i = 0; i < table_.text.size; ++i) text.add(std::uint8_t(table_.text.data[i]));
    starts.reserve(size() + 1);
    for (std::size_t k = 0; k <= size(); ++k) starts.add(table_.starts.data[k]);
    return {array(text), array(starts)};
  }
  nb::bytes name(std::size_t column) const {
    if (column >= size()) throw nb::index_error("there is no such column");
    return as_bytes(table_[column]);
  }

 private:
  NameTable table_;

  // What column(name, hash) gives for each name, in turn.
  template <class Column>
  Owned<std::int64_t> each(const In<std::uint8_t>& text, const In<std::int64_t>& starts, Column column) const {
    Buffer<std::int64_t> out;
    out.reserve(starts.size());
    NameTable::Several some;
    const auto flush = [&] {
      table_.expect(some);
      for (std::size_t i = 0; i < some.size; ++i) out.add(column(some.names[i], some.hashes[i]));
      some.size = 0;
    };
    each_name(text, starts, [&](std::string_view name) {
      some.names[some.size++] = name;
      if (some.size == some.most) flush();
    });
    flush();
    return array(out);
  }
};

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
  nb::class_<PySlotNames>(m, "SlotNames", "The first name that used each of 2^bits columns.")
      .def(nb::init<int, std::size_t>(), "bits"_a, "most"_a,
           "No more than `most` names are held.")
      .def("__len__", &PySlotNames::size)
      .def("meet", &PySlotNames::meet, "slots"_a.noconvert(), "text"_a.noconvert(),
           "starts"_a.noconvert(), "Hold each name whose column has none.")
      .def("held", &PySlotNames::held, "The columns with a name in order, and the names.")
      .def("__getitem__", &PySlotNames::name, "slot"_a, "The name of a column; None if none is held.");
  m.def("parse_svmlight", py_parse_svmlight, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "allowed"_a,
        "The examples of text[:length], and the lines that cannot be read: it stops when these are\n"
        "more than allowed. The text needs 16 bytes more after its length.");
  m.def("parse_vw", py_parse_vw, "text"_a.noconvert(), nb::kw_only(), "length"_a, "allowed"_a,
        "labelled"_a, "bits"_a = 0, "most_names"_a = 0, "known"_a.none() = nb::none(),
        "The same for Vowpal Wabbit's text, which ends with a line's end or right before one. If\n"
        "labelled, a line without a label is bad. With bits, names are hashed to 2^bits columns, and\n"
        "those of columns that have a name among the known ones are left out of names.");
  m.def("parse_jsonl", py_parse_jsonl, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "allowed"_a, "label"_a, "labelled"_a, "weight"_a, "weighed"_a, "missing"_a,
        "ignored"_a, "texts"_a, "rule"_a,
        "The same for an object of JSON on each line: the key called label is the label, and the one\n"
        "called weight, if that is not empty, the importance, which each line must have if weighed;\n"
        "null is refused, zero (nothing), or indicated by a feature of its own, as missing says;\n"
        "whatever is at the keys ignored is left out, and texts at the keys texts are read by words,\n"
        "as the rule says.");
  m.def("plain_batch", py_plain_batch, "body"_a,
        nb::sig("def plain_batch(body: bytes) -> tuple[list[bytes], int, int] | None"),
        "The objects of {\"examples\": [{\"features\": {...}}, ...]}, the members of the largest one, and\n"
        "the length of the longest key; None if one is not plain: flat, with keys and texts of\n"
        "printable ASCII characters without escapes, and no key twice.");
  m.def("parse_texts", py_parse_texts, "text"_a.noconvert(), "starts"_a.noconvert(), nb::kw_only(),
        "prefix"_a, "rule"_a,
        "The words of each text[starts[k]:starts[k + 1]], in UTF-8, as features whose names begin\n"
        "with the prefix. The rule: 0 for words, 1 for pairs, 2 for characters; 0 for counts, 1 for\n"
        "ones, 2 for logarithms; whether the features of a text have length 1.");
  m.def("csv_cut", py_csv_cut, "text"_a.noconvert(), nb::kw_only(), "length"_a, "separator"_a,
        "quotes"_a,
        "The number of bytes of text[:length] that are whole records of a table; if the separator is\n"
        "a space, a run of spaces is one.");
  m.def("csv_records", py_csv_records, "text"_a.noconvert(), nb::kw_only(), "length"_a,
        "separator"_a, "quotes"_a, "most"_a,
        "The first records of a table: of each the line it begins on and the one after it, from 0,\n"
        "where it ends, its fields, and what is wrong with its quotes (0: nothing).");
  m.def("parse_csv", py_parse_csv, "text"_a.noconvert(), nb::kw_only(), "length"_a, "allowed"_a,
        "separator"_a, "quotes"_a, "decimal_comma"_a, "kinds"_a.noconvert(),
        "positions"_a.noconvert(), "names"_a, "missing"_a, "labelled"_a, "rule"_a, "bits"_a, "most_names"_a,
        "known"_a.none() = nb::none(),
        "The examples of a table without its header: rows of numbers, each at its column's position,\n"
        "or named features if a column holds texts or what is missing is to be a feature. The rule\n"
        "is that of parse_texts. With bits, names are hashed to 2^bits columns at once: the rows are\n"
        "over these, in order, and names are the first ones of their columns, with these as hashes,\n"
        "but for columns that have a name among the known ones.");
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
  nb::class_<NamePlaces>(m, "NamePlaces", "The columns of names: 0, 1, 2 and so on, as they appear.")
      .def(nb::init<>())
      .def("__len__", &NamePlaces::size)
      .def("find", &NamePlaces::find, "text"_a.noconvert(), "starts"_a.noconvert(),
           "The column of each name text[starts[k]:starts[k + 1]]; -1 if it has none.")
      .def("place", &NamePlaces::place, "text"_a.noconvert(), "starts"_a.noconvert(),
           "The same, but new names get the next columns.")
      .def("held", &NamePlaces::held, "The names in the order of their columns: text and starts.")
      .def("__getitem__", &NamePlaces::name, "column"_a, "The name of a column.");
}
