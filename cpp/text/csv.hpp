// Records of a table as text (RFC 4180): fields between separators, in quotes if need be.
//
// A field in quotes may hold separators and line ends, and a quote written twice. Spaces before a
// field do not count, nor do blanks around it. A quote inside a field without quotes is a character.
#pragma once

#include <string>

#include "text/text.hpp"

namespace novikoff {

enum class CsvFlaw : std::int64_t {
  none,
  width,      // too few fields or too many
  number,     // the column holds numbers, and this is none
  large,      // too large for float64
  missing,    // no value, where one is needed
  infinite,   // an infinity
  boolean,    // the column holds true and false, and this is neither
  label,      // no label
  quote,      // something between a closing quote and the next separator
  open,       // a quote that is not closed
  not_utf8,   // bytes that are no text
  zero_byte,  // a byte 0 in a text
};

// A quote not closed within so many bytes is taken to be a stray one: otherwise it would make the
// rest of a large file one field. The record then ends with the line that the quote is on.
constexpr std::ptrdiff_t longest_quoted = std::ptrdiff_t(1) << 20;

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view trimmed(const char* begin, const char* end) {
  while (begin < end && is_space(*begin)) ++begin;
  while (begin < end && is_space(end[-1])) --end;
  return {begin, std::size_t(end - begin)};
}

// Which of the next eight bytes end a field without quotes, as high bits; the lowest is exact.
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

// Reads the fields of a text that ends with a line end.
struct CsvReader {
  const char* end;
  FieldEnd ends_field;
  std::int64_t lines = 0;  // line ends met inside quotes
  std::string unquoted;    // the field last read, if it had doubled quotes

  CsvReader(const char* text_end, char separator) : end(text_end), ends_field{separator} {}

  // Reads the field at p, trimmed, and moves p to the separator or line end after it; with a flaw,
  // to the end of the line.
  CsvFlaw field(const char*& p, std::string_view& text) {
    while (*p == ' ') ++p;
    if (*p == '"') return quoted(p, text);
    const char* const begin = p;
    p = ends_field.find(p);
    text = trimmed(begin, p);
    return CsvFlaw::none;
  }

  // Whether the line at p, which is then moved to its end, is blank.
  bool blank(const char*& p) const {
    const char* q = p;
    while (is_space(*q) && !ends_field(*q)) ++q;
    if (!ends_line(*q)) return false;
    p = q;
    return true;
  }

  // Moves p past the record it is at the beginning of; false if a quote is still open at the end.
  bool skip(const char*& p) {
    std::string_view text;
    for (;;) {
      while (*p == ' ') ++p;
      const char* const begin = p;
      const CsvFlaw flaw = field(p, text);
      if (flaw == CsvFlaw::open && end - begin <= longest_quoted) return false;
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

// The length of the whole records of [text, text + length): as far as the last line end that is not
// inside quotes. What a "\r" at the end belongs to is not known yet.
inline std::size_t csv_cut(const char* text, std::size_t length, char separator) {
  const char* end = text + length;
  if (end > text && end[-1] == '\r') --end;
  while (end > text && !ends_line(end[-1])) --end;
  CsvReader reader(end, separator);
  for (const char* p = text; p < end;) {
    const void* const quote = std::memchr(p, '"', std::size_t(end - p));
    if (!quote) break;
    // lines without quotes are whole; the record to look at begins with the line of the quote
    const char* record = static_cast<const char*>(quote);
    while (record > p && !ends_line(record[-1])) --record;
    p = record;
    if (!reader.skip(p)) return std::size_t(record - text);
  }
  return std::size_t(end - text);
}

}  // namespace novikoff
