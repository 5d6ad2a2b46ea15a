// CSV (RFC 4180): the records of a table, and the examples made of them.
//
// A quoted field may hold separators, line ends, and doubled quotes. Blanks around a field are
// ignored. A quote inside an unquoted field is an ordinary character; in a table without quoting,
// every quote is. If the separator is a space, a run of spaces is one separator, and spaces at the end
// of a line are none.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "text/text.hpp"
#include "text/utf8.hpp"
#include "text/words.hpp"

namespace novikoff {

enum class CsvFlaw : std::int64_t {
  none,
  width,      // too few or too many fields
  number,     // not a number, in a column of numbers
  large,      // too large for float64
  missing,    // a missing value where one is required
  infinite,   // an infinity
  boolean,    // neither true nor false, in a column of these
  label,      // no label
  quote,      // text between a closing quote and the next separator
  open,       // a quote that is not closed
  not_utf8,   // bytes that are not UTF-8
  zero_byte,  // a byte 0 in a text
  weight,     // a weight that is missing, or not a number of at least 0
};

// A quote that is not closed within this many bytes is taken as stray: otherwise it would turn the
// rest of a large file into one field. Its record then ends with the line of the quote.
constexpr std::ptrdiff_t longest_quoted = std::ptrdiff_t(1) << 20;

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view trimmed(const char* begin, const char* end) {
  while (begin < end && is_space(*begin)) ++begin;
  while (begin < end && is_space(end[-1])) --end;
  return {begin, std::size_t(end - begin)};
}

// Finds the bytes that end an unquoted field, eight at a time: each sets its high bit. Only the
// lowest set bit is reliable.
struct FieldEnd {
  char separator;

  static std::uint64_t zeros(std::uint64_t word) {
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
  }
  static std::uint64_t eight_times(char c) {
    return 0x0101010101010101u * static_cast<unsigned char>(c);
  }
  std::uint64_t marks(std::uint64_t word) const {
    return zeros(word ^ eight_times(separator)) | zeros(word ^ eight_times('\n')) |
           zeros(word ^ eight_times('\r'));
  }
  bool operator()(char c) const { return c == separator || ends_line(c); }

  // The text must hold a line end.
  const char* find(const char* p) const {
    for (;; p += 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      if (const std::uint64_t found = marks(word)) return p + std::countr_zero(found) / 8;
    }
  }
};

// How the fields of a table are told apart.
struct CsvMarks {
  char separator;
  bool quotes;  // whether a field may be quoted
  bool comma = false;  // whether a decimal point is written as a comma
};

// Reads the fields of a text that ends with a line end.
struct CsvReader {
  const char* end;
  FieldEnd ends_field;
  bool quotes, comma;
  std::int64_t lines = 0;  // line ends inside quotes
  std::string unquoted;    // the last field, if it had doubled quotes

  CsvReader(const char* text_end, CsvMarks marks)
      : end(text_end), ends_field{marks.separator}, quotes(marks.quotes), comma(marks.comma) {}

  // Reads the field at p, trimmed, and moves p to the separator or line end after it; on a flaw, to
  // the end of the line.
  CsvFlaw field(const char*& p, std::string_view& text) {
    while (*p == ' ') ++p;
    if (quotes && *p == '"') return quoted(p, text);
    const char* const begin = p;
    p = ends_field.find(p);
    text = trimmed(begin, p);
    return CsvFlaw::none;
  }

  // Of a run of spaces that separates fields, moves p to the last, or to the line end after it.
  void skip_run(const char*& p) const {
    if (ends_field.separator == ' ')
      while (*p == ' ' && (p[1] == ' ' || ends_line(p[1]))) ++p;
  }

  // Whether the line at p is blank; if so, moves p to its end.
  bool blank(const char*& p) const {
    const char* q = p;
    while (is_space(*q) && (*q == ' ' || !ends_field(*q))) ++q;
    if (!ends_line(*q)) return false;
    p = q;
    return true;
  }

  // Moves p past the record that begins there; false if a quote is still open at the end of the
  // text.
  bool skip(const char*& p) {
    std::string_view text;
    for (;;) {
      while (*p == ' ') ++p;
      const char* const begin = p;
      const CsvFlaw flaw = field(p, text);
      if (flaw == CsvFlaw::open && end - begin <= longest_quoted) return false;
      skip_run(p);
      if (flaw != CsvFlaw::none || *p != ends_field.separator) break;
      ++p;
    }
    skip_line_end(p, end);
    return true;
  }

 private:
  CsvFlaw quoted(const char*& p, std::string_view& text) {
    const char* const begin = p + 1;
    const char* const limit = end - p <= longest_quoted ? end : p + longest_quoted;
    const char* close = begin;
    bool doubled = false;
    for (;; close += 2, doubled = true) {
      if (close < limit)
        close = static_cast<const char*>(std::memchr(close, '"', std::size_t(limit - close)));
      if (!close || close >= limit) {
        p = begin;
        skip_to_line_end(p, end);
        text = {};
        return CsvFlaw::open;
      }
      if (close[1] != '"') break;
    }
    for (const char* q = begin; q < close; ++q)
      lines += *q == '\n' || (*q == '\r' && q[1] != '\n');
    text = trimmed(begin, close);
    if (doubled) text = with_single_quotes(text);
    p = close + 1;
    if (ends_field(*p)) return CsvFlaw::none;
    skip_to_line_end(p, end);
    return CsvFlaw::quote;
  }

  std::string_view with_single_quotes(std::string_view text) {
    unquoted.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      unquoted += text[i];
      i += text[i] == '"';
    }
    const std::size_t size = unquoted.size();
    unquoted.append(padding, '\0');
    return {unquoted.data(), size};
  }
};

// The length of the complete records of [text, text + length): up to the last line end that is not
// inside quotes. A final "\r" is left for the next part, which may begin with "\n".
inline std::size_t csv_cut(const char* text, std::size_t length, CsvMarks marks) {
  const char* end = text + length;
  if (end > text && end[-1] == '\r') --end;
  while (end > text && !ends_line(end[-1])) --end;
  CsvReader reader(end, marks);
  for (const char* p = text; marks.quotes && p < end;) {
    const void* const quote = std::memchr(p, '"', std::size_t(end - p));
    if (!quote) break;
    // lines without quotes are complete records; the next record to check begins on the quote's
    // line
    const char* record = static_cast<const char*>(quote);
    while (record > p && !ends_line(record[-1])) --record;
    p = record;
    if (!reader.skip(p)) return std::size_t(record - text);
  }
  return std::size_t(end - text);
}

enum class CsvKind : std::uint8_t { skip, label, number, boolean, text, weight, words };
// A column: its position in a row of numbers, or the names of its features. A number is feature
// "name", a text is "name=text", its words, if these are the features, are "name=word", and a missing
// value, if it is a feature, "name=".
struct CsvColumn {
  CsvKind kind;
  std::int32_t position;
  std::string prefix;                  // "name="
  std::int32_t feature = -1, gap = -1;  // the positions of "name" and "name=", once used

  CsvColumn(CsvKind k, std::int32_t at, std::string_view name)
      : kind(k), position(at), prefix(std::string(name) + "=") {}
  std::string_view name() const { return {prefix.data(), prefix.size() - 1}; }
  bool is_feature() const { return kind >= CsvKind::number && kind != CsvKind::weight; }
};

inline bool says(std::string_view text, std::string_view word) {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(),
                    [](char c, char w) { return c == w || (c >= 'A' && c <= 'Z' && (c | 0x20) == w); });
}

// The usual ways to write a missing value; the same list as in stream/number_text.py.
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

  // The bytes at p up to the first one that marks(eight bytes) finds; longer texts get length 16.
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

// A cache of short texts by column: most texts of a table are short and come again. It saves
// hashing the name and makes a table of texts three times as fast.
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

// For each record of [text, end), whose last byte is a line end: reads field j as columns[j] says
// and appends the example to out, as `wide` numbers if Dense (one per column with a position), else
// as named features. A record with a flaw adds only a BadLine, whose `why` is flaw + 16 * column
// (for the wrong number of fields, + 16 * that number); after more than `allowed` of these reading
// stops. Blank lines are skipped.
template <bool Dense>
struct CsvRows {
  std::vector<CsvColumn>& columns;
  CsvReader reader;
  Missing missing;
  bool labelled;
  std::size_t wide;
  Parsed<std::int32_t>& out;
  ShortTexts lately;
  std::deque<TextReader> texts;  // of the columns of words
  std::vector<TextReader*> text_of;
  std::string name;
  std::int32_t label = -1;
  const bool weighed;  // whether a column holds weights
  double weight = 1;

  CsvRows(std::vector<CsvColumn>& table, const char* end, CsvMarks marks, Missing rule,
          const TextRule& text_rule, bool needs_label, std::size_t numbers,
          Parsed<std::int32_t>& parsed)
      : columns(table), reader(end, marks), missing(rule), labelled(needs_label), wide(numbers),
        out(parsed),
        weighed(std::any_of(table.begin(), table.end(), [](const CsvColumn& column) {
          return column.kind == CsvKind::weight;
        })) {
    for (const CsvColumn& column : columns)
      text_of.push_back(column.kind == CsvKind::words
                            ? &texts.emplace_back(column.prefix, text_rule, out)
                            : nullptr);
  }

  void parse(const char* const text, std::size_t allowed) {
    const char separator = reader.ends_field.separator;
    for (const char* p = text; p < reader.end; skip_line_end(p, reader.end), ++out.lines) {
      if (reader.blank(p)) continue;
      const char *const record = p, *at = p;
      const std::size_t entries = out.values.size, known_names = out.known_names(),
                        known_labels = out.label_texts.size();
      CsvFlaw flaw = CsvFlaw::none;
      std::size_t where = 0, j = 0;
      out.values.make_room(std::max(wide, columns.size()));
      if (!Dense) out.indices.make_room(columns.size());
      label = -1;
      weight = 1;
      for (;; ++p) {
        const char* const begin = p;
        std::string_view unread;
        const bool good = flaw == CsvFlaw::none && j < columns.size();
        const CsvFlaw found = good ? take(columns[j], std::uint32_t(j), p) : reader.field(p, unread);
        const bool torn = found == CsvFlaw::quote || found == CsvFlaw::open;
        reader.skip_run(p);
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
        if (weighed) out.importances.push(weight);
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
    if (out.known_names() == known_names && out.label_texts.size() == known_labels) return;
    lately.clear();
    for (CsvColumn& column : columns) {
      if (out.hashed || column.feature >= std::int64_t(known_names)) column.feature = -1;
      if (out.hashed || column.gap >= std::int64_t(known_names)) column.gap = -1;
    }
    for (TextReader& one : texts) one.keep(known_names);
    out.forget_names(known_names);
    out.forget_labels(known_labels);
  }

  CsvFlaw take(CsvColumn& column, std::uint32_t j, const char*& p) {
    if (column.kind == CsvKind::number) return take_number(column, p);
    if (column.kind == CsvKind::words) return take_words(*text_of[j], p);
    if (column.kind == CsvKind::text || column.kind == CsvKind::label) return take_text(column, j, p);
    std::string_view text;
    if (const CsvFlaw flaw = reader.field(p, text); flaw != CsvFlaw::none) return flaw;
    if (column.kind == CsvKind::skip) return CsvFlaw::none;
    if (column.kind == CsvKind::weight) return take_weight(text);
    if (is_missing(text)) return gap(column);
    const bool yes = says(text, "true");
    if (!yes && !says(text, "false")) return CsvFlaw::boolean;
    add(column, yes ? 1.0 : 0.0);
    return CsvFlaw::none;
  }

  CsvFlaw take_weight(std::string_view text) {
    return read_whole(text, weight) == Number::good && weight >= 0 ? CsvFlaw::none : CsvFlaw::weight;
  }

  // The number that a whole field writes.
  Number read_whole(std::string_view text, double& value) {
    if (reader.comma && text.find_first_of(".,") != text.npos) {
      if (text.find('.') != text.npos) return Number::none;
      name.assign(text).append(padding, '\0');
      std::replace(name.begin(), name.end(), ',', '.');
      text = std::string_view(name.data(), text.size());
    }
    const char* q = text.data();
    const Number read = read_number(q, value);
    return q == text.data() + text.size() ? read : Number::none;
  }

  CsvFlaw take_number(CsvColumn& column, const char*& p) {
    const char* q = p;
    double value;
    while (*q == ' ') ++q;
    // a short path for short whole numbers: a quarter faster on these
    const bool negative = *q == '-';
    const std::uint64_t digits = digits_at(q + negative);
    const unsigned n = count_digits(digits);
    if (n - 1 < 7 && reader.ends_field(q[negative + n])) {
      p = q + negative + n;
      value = double(join_digits(digits, n));
      add(column, negative ? -value : value);
      return CsvFlaw::none;
    }
    if (!reader.comma && read_number(q, value) == Number::good && reader.ends_field(*q)) {
      p = q;
      add(column, value);
      return CsvFlaw::none;
    }
    std::string_view text;
    if (const CsvFlaw flaw = reader.field(p, text); flaw != CsvFlaw::none) return flaw;
    if (is_missing(text)) return gap(column);
    if (is_infinite(text)) return CsvFlaw::infinite;
    const Number read = read_whole(text, value);
    if (read == Number::none) return CsvFlaw::number;
    if (read == Number::too_large) return CsvFlaw::large;
    add(column, value);
    return CsvFlaw::none;
  }

  CsvFlaw take_text(CsvColumn& column, std::uint32_t j, const char*& p) {
    while (*p == ' ') ++p;
    const bool quoted = reader.quotes && *p == '"';
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

  CsvFlaw take_words(TextReader& words, const char*& p) {
    std::string_view text;
    if (const CsvFlaw flaw = reader.field(p, text); flaw != CsvFlaw::none) return flaw;
    if (const CsvFlaw flaw = strange(text); flaw != CsvFlaw::none) return flaw;
    words.add(text);
    words.finish(columns.size());
    return CsvFlaw::none;
  }

  static CsvFlaw strange(std::string_view text) {
    const char* const end = text.data() + text.size();
    const char* const at = first_not_utf8(text.data(), end);
    if (at == end) return CsvFlaw::none;
    return *at ? CsvFlaw::not_utf8 : CsvFlaw::zero_byte;
  }

  static std::uint64_t quote_or_line_end(std::uint64_t word) {
    return FieldEnd{'"'}.marks(word);
  }

  // The position of a label, or of a text's feature; -1 for a missing value, which is handled here.
  CsvFlaw place_text(CsvColumn& column, std::string_view text, std::int32_t& place) {
    place = -1;
    const bool is_label = column.kind == CsvKind::label;
    if (is_missing(text)) {
      if (is_label) return labelled ? CsvFlaw::label : CsvFlaw::none;
      return gap(column);
    }
    const NameTable& table = is_label ? out.label_texts : out.names;
    const std::size_t known = table.size();
    if (is_label) {
      place = out.label(text, out.lines);
    } else {
      name.assign(column.prefix).append(text);
      place = out.place(name);
    }
    // a text in the table has been checked already
    const bool is_known = table.size() == known && (is_label || !out.hashed);
    return is_known ? CsvFlaw::none : strange(text);
  }

  void add_text(const CsvColumn& column, std::int32_t place) {
    if (column.kind == CsvKind::label) label = place;
    else add_feature(place, 1.0);
  }

  CsvFlaw gap(CsvColumn& column) {
    if (missing == Missing::refuse) return CsvFlaw::missing;
    if (missing == Missing::indicate) {
      if (column.gap < 0) column.gap = out.place(column.prefix);
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
    if (column.feature < 0) column.feature = out.place(column.name());
    add_feature(column.feature, value);
  }

  void add_feature(std::int32_t place, double value) {
    out.values.add(value);
    out.indices.add(place);
  }
};

}  // namespace novikoff
