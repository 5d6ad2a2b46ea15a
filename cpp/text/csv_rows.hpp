// Examples from the records of a table: a row of numbers each, or features with names.
#pragma once

#include "text/csv.hpp"
#include "text/utf8.hpp"

namespace novikoff {

enum class CsvKind : std::uint8_t { skip, label, number, boolean, text };
// A column: its position in a row of numbers, or what its features are called. A number is feature
// "name", a text is "name=text", and what is missing, if that is a feature, is "name=".
struct CsvColumn {
  CsvKind kind;
  std::int32_t position;
  std::string prefix;                  // "name="
  std::uint64_t hash;                  // of the prefix, as far as hash_more
  std::int32_t feature = -1, gap = -1;  // the places of "name" and "name=", once they were met

  CsvColumn(CsvKind k, std::int32_t at, std::string_view name)
      : kind(k), position(at), prefix(std::string(name) + "="), hash(hash_more(hash_start, prefix)) {}
  std::string_view name() const { return {prefix.data(), prefix.size() - 1}; }
};

inline bool says(std::string_view text, std::string_view word) {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(),
                    [](char c, char w) { return c == w || (c >= 'A' && c <= 'Z' && (c | 0x20) == w); });
}

// The usual ways to write that there is no value; the same as in Python.
inline bool is_missing(std::string_view text) {
  if (text.size() > 4) return false;
  for (const char* const word : {"", "?", "na", "n/a", "nan", "+nan", "-nan", "null"})
    if (says(text, word)) return true;
  return false;
}

inline bool is_infinite(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return says(text, "inf") || says(text, "infinity");
}

// A text of at most 15 bytes, in two words.
struct ShortText {
  std::uint64_t first = 0, second = 0;
  std::uint32_t length = 0;

  // The bytes at p before the first that marks(eight bytes) finds, if they are so few.
  template <class Marks>
  ShortText(const char* p, Marks marks) {
    std::memcpy(&first, p, 8);
    if (const std::uint64_t found = marks(first)) {
      length = std::uint32_t(std::countr_zero(found)) / 8;
      first &= below(length);
      return;
    }
    std::memcpy(&second, p + 8, 8);
    const std::uint64_t found = marks(second);
    length = 8 + (found ? std::uint32_t(std::countr_zero(found)) / 8 : 8);
    if (found) second &= below(length - 8);
  }
  ShortText() = default;
  bool operator==(const ShortText&) const = default;

 private:
  static std::uint64_t below(std::uint32_t bytes) { return (std::uint64_t(1) << (8 * bytes)) - 1; }
};

// The places of short texts met lately, by column: most texts of a table are short, and come again.
// Looking here first, instead of hashing the name, made a table of texts three times as fast.
struct ShortTexts {
  struct Entry {
    ShortText text;
    std::uint32_t column = 0;
    std::int32_t place = -1;
  };
  std::vector<Entry> entries = std::vector<Entry>(2048);

  Entry& at(const ShortText& text, std::uint32_t column) {
    return entries[((text.first ^ (text.second * 3) ^ column) * 0x9e3779b97f4a7c15u) >> 53];
  }
  void clear() { std::fill(entries.begin(), entries.end(), Entry{}); }
};

// For each record of [text, end), which ends with a line end: reads field j as columns[j] says; adds
// the example to out, as `wide` numbers if Dense (as many as columns have a position), else as named
// features. A record with a flaw leaves its BadLine only, whose `why` is flaw + 16 * column (for the
// wrong number of fields: + 16 * that number), and more than `allowed` of these end it. Blank lines are
// passed over.
template <bool Dense>
struct CsvRows {
  std::vector<CsvColumn>& columns;
  CsvReader reader;
  Missing missing;
  bool labelled;
  std::size_t wide;
  Parsed<std::int32_t>& out;
  ShortTexts lately;
  std::string name;
  std::int32_t label = -1;

  CsvRows(std::vector<CsvColumn>& table, const char* end, char separator, Missing rule,
          bool needs_label, std::size_t numbers, Parsed<std::int32_t>& parsed)
      : columns(table), reader(end, separator), missing(rule), labelled(needs_label), wide(numbers),
        out(parsed) {}

  void parse(const char* const text, std::size_t allowed) {
    const char separator = reader.ends_field.separator;
    for (const char* p = text; p < reader.end; skip_line_end(p, reader.end), ++out.lines) {
      if (reader.blank(p)) continue;
      const char *const record = p, *at = p;
      const std::size_t entries = out.values.size, known_names = out.names.size(),
                        known_labels = out.label_texts.size();
      CsvFlaw flaw = CsvFlaw::none;
      std::size_t where = 0, j = 0;
      out.values.make_room(std::max(wide, columns.size()));
      if (!Dense) out.indices.make_room(columns.size());
      label = -1;
      for (;; ++p) {
        const char* const begin = p;
        std::string_view unread;
        const bool good = flaw == CsvFlaw::none && j < columns.size();
        const CsvFlaw found = good ? take(columns[j], std::uint32_t(j), p) : reader.field(p, unread);
        const bool torn = found == CsvFlaw::quote || found == CsvFlaw::open;
        if (found != CsvFlaw::none && (flaw == CsvFlaw::none || torn)) {
          flaw = found;
          at = begin;
          where = j;
        }
        ++j;
        if (torn || *p != separator) break;
      }
      if (j != columns.size() && flaw != CsvFlaw::quote && flaw != CsvFlaw::open) {
        flaw = CsvFlaw::width;
        at = record;
        where = j;
      }
      if (flaw == CsvFlaw::none) {
        if (Dense) out.values.size += wide;
        else out.starts.push(std::int64_t(out.values.size));
        out.labels.push(label);
      } else {
        out.bad.push_back({out.lines, at - text, std::int64_t(flaw) + 16 * std::int64_t(where),
                           record - text, p - text});
        forget(entries, known_names, known_labels);
        if (out.bad.size() > allowed) return;
      }
      out.lines += reader.lines;
      reader.lines = 0;
    }
  }

 private:
  void forget(std::size_t entries, std::size_t known_names, std::size_t known_labels) {
    out.values.size = entries;
    if (!Dense) out.indices.size = entries;
    if (out.names.size() == known_names && out.label_texts.size() == known_labels) return;
    lately.clear();
    for (CsvColumn& column : columns) {
      if (column.feature >= std::int64_t(known_names)) column.feature = -1;
      if (column.gap >= std::int64_t(known_names)) column.gap = -1;
    }
    out.names.keep(known_names);
    out.forget_labels(known_labels);
  }

  CsvFlaw take(CsvColumn& column, std::uint32_t j, const char*& p) {
    if (column.kind == CsvKind::number) return take_number(column, p);
    if (column.kind == CsvKind::text || column.kind == CsvKind::label) return take_text(column, j, p);
    std::string_view text;
    if (const CsvFlaw flaw = reader.field(p, text); flaw != CsvFlaw::none) return flaw;
    if (column.kind == CsvKind::skip) return CsvFlaw::none;
    if (is_missing(text)) return gap(column);
    const bool yes = says(text, "true");
    if (!yes && !says(text, "false")) return CsvFlaw::boolean;
    add(column, yes ? 1.0 : 0.0);
    return CsvFlaw::none;
  }

  CsvFlaw take_number(CsvColumn& column, const char*& p) {
    const char* q = p;
    double value;
    while (*q == ' ') ++q;
    // a short whole number needs no look at what else a number may have: a quarter more of these
    const bool negative = *q == '-';
    const std::uint64_t digits = digits_at(q + negative);
    const unsigned n = count_digits(digits);
    if (n - 1 < 7 && reader.ends_field(q[negative + n])) {
      p = q + negative + n;
      value = double(join_digits(digits, n));
      add(column, negative ? -value : value);
      return CsvFlaw::none;
    }
    if (read_number(q, value) == Number::good && reader.ends_field(*q)) {
      p = q;
      add(column, value);
      return CsvFlaw::none;
    }
    std::string_view text;
    if (const CsvFlaw flaw = reader.field(p, text); flaw != CsvFlaw::none) return flaw;
    if (is_missing(text)) return gap(column);
    if (is_infinite(text)) return CsvFlaw::infinite;
    q = text.data();
    const Number read = read_number(q, value);
    if (read == Number::none || q != text.data() + text.size()) return CsvFlaw::number;
    if (read == Number::too_large) return CsvFlaw::large;
    add(column, value);
    return CsvFlaw::none;
  }

  CsvFlaw take_text(CsvColumn& column, std::uint32_t j, const char*& p) {
    while (*p == ' ') ++p;
    const bool quoted = *p == '"';
    const char* const begin = p + quoted;
    const FieldEnd& ends_field = reader.ends_field;
    const ShortText text = quoted ? ShortText(begin, quote_or_line_end)
                                  : ShortText(begin, [&](auto word) { return ends_field.marks(word); });
    const char* const close = begin + text.length;
    const bool whole = !quoted || (*close == '"' && ends_field(close[1]));
    if (text.length == 0 || text.length > 15 || !whole || is_space(*begin) || is_space(close[-1])) {
      std::string_view any;
      if (const CsvFlaw flaw = reader.field(p, any); flaw != CsvFlaw::none) return flaw;
      std::int32_t place;
      const CsvFlaw flaw = place_text(column, any, place);
      if (place >= 0) add_text(column, place);
      return flaw;
    }
    p = close + quoted;
    ShortTexts::Entry& entry = lately.at(text, j);
    if (entry.text != text || entry.column != j) {
      std::int32_t place;
      const CsvFlaw flaw = place_text(column, {begin, text.length}, place);
      if (flaw != CsvFlaw::none || place < 0) return flaw;
      entry = {text, j, place};
    }
    add_text(column, entry.place);
    return CsvFlaw::none;
  }

  static std::uint64_t quote_or_line_end(std::uint64_t word) {
    return FieldEnd{'"'}.marks(word);
  }

  // The place of a label, or of the feature of a text; -1 if it is missing, which is then seen to.
  CsvFlaw place_text(CsvColumn& column, std::string_view text, std::int32_t& place) {
    place = -1;
    const bool is_label = column.kind == CsvKind::label;
    if (is_missing(text)) {
      if (is_label) return labelled ? CsvFlaw::label : CsvFlaw::none;
      return gap(column);
    }
    NameTable& table = is_label ? out.label_texts : out.names;
    const std::size_t known = table.size();
    if (is_label) {
      place = out.label(text, out.lines);
    } else {
      name.assign(column.prefix).append(text);
      place = table.place(name, hash_end(hash_more(column.hash, text)));
    }
    if (table.size() == known) return CsvFlaw::none;
    // what was met before was found to be good
    const char* const end = text.data() + text.size();
    const char* const at = first_not_utf8(text.data(), end);
    if (at == end) return CsvFlaw::none;
    return *at ? CsvFlaw::not_utf8 : CsvFlaw::zero_byte;
  }

  void add_text(const CsvColumn& column, std::int32_t place) {
    if (column.kind == CsvKind::label) label = place;
    else add_feature(place, 1.0);
  }

  CsvFlaw gap(CsvColumn& column) {
    if (missing == Missing::refuse) return CsvFlaw::missing;
    if (missing == Missing::indicate) {
      if (column.gap < 0) column.gap = out.names.place(column.prefix, hash_end(column.hash));
      add_feature(column.gap, 1.0);
    } else if (Dense) {
      add(column, 0.0);
    }
    return CsvFlaw::none;
  }

  void add(CsvColumn& column, double value) {
    if (Dense) {
      out.values.data[out.values.size + std::size_t(column.position)] = value;
      return;
    }
    if (column.feature < 0) column.feature = out.names.place(column.name());
    add_feature(column.feature, value);
  }

  void add_feature(std::int32_t place, double value) {
    out.values.add(value);
    out.indices.add(place);
  }
};

}  // namespace novikoff
