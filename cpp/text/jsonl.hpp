// JSON lines: one object per line, strictly as in RFC 8259, whose values are features named by
// their keys.
#pragma once

#include <charconv>
#include <deque>
#include <string>

#include "text/lines.hpp"
#include "text/words.hpp"

namespace novikoff {

// Four hexadecimal digits at p, or -1.
inline std::int32_t read_hex(const char* p) {
  std::int32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = p[i], letter = char(c | 0x20);
    if (c >= '0' && c <= '9') code = code * 16 + (c - '0');
    else if (letter >= 'a' && letter <= 'f') code = code * 16 + (letter - 'a' + 10);
    else return -1;
  }
  return code;
}

inline void append_utf8(std::int32_t code, std::string& out) {
  const auto rest = [&out](std::int32_t bits) { out += char(0x80 | (bits & 0x3f)); };
  if (code < 0x80) out += char(code);
  else if (code < 0x800) out += char(0xc0 | code >> 6), rest(code);
  else if (code < 0x10000) out += char(0xe0 | code >> 12), rest(code >> 6), rest(code);
  else out += char(0xf0 | code >> 18), rest(code >> 12), rest(code >> 6), rest(code);
}

// Appends the character written as \uXXXX, or as a surrogate pair of these, with p at the u, and
// moves p past it. Half of a surrogate pair is refused.
inline bool read_code(const char*& p, std::string& out) {
  std::int32_t code = read_hex(p + 1);
  if (code < 0) return false;
  p += 5;
  if (code >= 0xd800 && code <= 0xdfff) {
    if (code > 0xdbff || p[0] != '\\' || p[1] != 'u') return false;
    const std::int32_t low = read_hex(p + 2);
    if (low < 0xdc00 || low > 0xdfff) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    p += 6;
  }
  append_utf8(code, out);
  return true;
}

enum class JsonString { good, control, escape };

// Appends the string at p, with p at its opening quote, and moves p past the closing one. On a flaw
// p is left at it: at a control character, such as a line end, or at a backslash.
inline JsonString read_string(const char*& p, std::string& out) {
  for (++p;;) {
    const char* const run = p;
    while (static_cast<unsigned char>(*p) >= 0x20 && *p != '"' && *p != '\\') ++p;
    out.append(run, p);
    if (*p == '"') return ++p, JsonString::good;
    if (*p != '\\') return JsonString::control;
    const char* const escape = p++;
    switch (*p) {
      case '"': case '\\': case '/': out += *p++; break;
      case 'b': out += '\b', ++p; break;
      case 'f': out += '\f', ++p; break;
      case 'n': out += '\n', ++p; break;
      case 'r': out += '\r', ++p; break;
      case 't': out += '\t', ++p; break;
      case 'u':
        if (read_code(p, out)) break;
        [[fallthrough]];
      default: p = escape; return JsonString::escape;
    }
  }
}

enum class JsonFlaw : std::int64_t {
  none, object, key, empty_key, twice, colon, comma, value, number, large, control, escape, deep,
  nested, mixed, missing, label, no_label, after, prefix, weight, no_weight, text
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// JSON's numbers are those of read_number without a leading +, leading zeros, or a point that
// lacks digits on either side.
inline JsonFlaw read_json_number(const char*& p, double& value) {
  const char *const begin = p, *q = p + (*p == '-');
  const bool zero = *q == '0';
  if (!is_digit(*q) || (zero && is_digit(q[1]))) return JsonFlaw::number;
  while (is_digit(*q)) ++q;
  if (*q == '.' && !is_digit(q[1])) return JsonFlaw::number;
  const Number read = read_number(p, value);
  const bool whole = is_blank(*p) || *p == ',' || *p == '}' || *p == ']' || ends_line(*p);
  if (whole && read == Number::good) return JsonFlaw::none;
  p = begin;
  return whole ? JsonFlaw::large : JsonFlaw::number;
}

inline bool read_literal(const char*& p, std::string_view word) {
  if (std::memcmp(p, word.data(), word.size()) != 0) return false;
  p += word.size();
  return true;
}

// A number, true or false.
inline JsonFlaw read_amount(const char*& p, double& value) {
  if (*p == '-' || is_digit(*p)) return read_json_number(p, value);
  value = 1;
  if (read_literal(p, "true")) return JsonFlaw::none;
  value = 0;
  return read_literal(p, "false") ? JsonFlaw::none : JsonFlaw::value;
}

struct JsonOptions {
  std::string_view label;  // the key of the label
  bool labelled;           // a line without one is bad
  std::string_view weight;  // the key of the importance; empty: none
  bool weighed;             // a line without one is bad
  Missing missing;         // what null means
  std::vector<std::string_view> ignored;  // the keys whose values are left out
  std::vector<std::string_view> texts;  // the keys of texts whose words are features
  TextRule rule;
};

// A number x at key c is feature c with value x; true and false are 1 and 0; a text v is feature
// c=v with value 1. A key d inside the object c is c.d. An array of texts is several features c=v,
// one of numbers is c.0, c.1 and so on. null is refused, 0, or feature c= with value 1, by the rule
// for missing values. A key may occur only once, even if c.d is written in two ways. Texts at the keys
// `options.texts` are read by words (words.hpp); those of an array are one document. What is at the keys
// `options.ignored` may be any value, and is left out.
class JsonReader {
 public:
  std::vector<std::int64_t> met_texts;  // the number of lines with a text, for each key of texts

  JsonReader(const JsonOptions& options, Parsed<std::int32_t>& out)
      : met_texts(options.texts.size()), options_(options), out_(out) {
    for (const std::string_view key : options_.texts)
      texts_.emplace_back(std::string(key) + "=", options_.rule, out_);
  }

  // Reads one line from p on; on a flaw p is left at it.
  JsonFlaw line(const char*& p) {
    // the line before may have been bad, and its names forgotten
    if (!texts_.empty() && (!is_whole_ || out_.names.size() < names_))
      for (TextReader& one : texts_) one.keep(out_.names.size());
    const JsonFlaw flaw = whole_line(p);
    is_whole_ = flaw == JsonFlaw::none;
    names_ = out_.names.size();
    return flaw;
  }

 private:
  JsonFlaw whole_line(const char*& p) {
    skip_blanks(p);
    if (ends_line(*p)) return JsonFlaw::none;
    const char* const begin = p;
    if (*p != '{') return JsonFlaw::object;
    path_.clear();
    label_ = -1;
    weight_ = -1;
    if (const JsonFlaw flaw = object(p, 1); flaw != JsonFlaw::none) return flaw;
    skip_blanks(p);
    if (!ends_line(*p)) return JsonFlaw::after;
    if (options_.labelled && label_ < 0) return p = begin, JsonFlaw::no_label;
    if (!options_.weight.empty()) {
      if (options_.weighed && weight_ < 0) return p = begin, JsonFlaw::no_weight;
      out_.importances.push(weight_ < 0 ? 1 : weight_);
    }
    add_example(out_, label_);
    return JsonFlaw::none;
  }

  static constexpr int deepest = 32;
  enum class Kind { unknown, numbers, texts };

  const JsonOptions options_;
  Parsed<std::int32_t>& out_;
  std::string path_;         // the keys down to the current value
  std::string text_;
  std::int32_t label_ = -1;  // of this line
  double weight_ = -1;       // of this line; below 0: none
  NameTable paths_;
  Buffer<std::int64_t> met_;  // the line of each path's last use
  std::deque<TextReader> texts_;
  bool is_whole_ = true;      // whether the last line had no flaw
  std::size_t names_ = 0;     // how many names there were after it

  // The place of the path among the keys of texts, or their number.
  std::size_t text_key() const {
    return std::size_t(std::find(options_.texts.begin(), options_.texts.end(), path_) -
                       options_.texts.begin());
  }
  bool is_text_key() const { return text_key() < texts_.size(); }
  void finish_text() {
    if (const std::size_t k = text_key(); k < texts_.size()) {
      texts_[k].finish();
      ++met_texts[k];
    }
  }

  static void skip_blanks(const char*& p) {
    while (is_blank(*p)) ++p;
  }
  static JsonFlaw string(const char*& p, std::string& out) {
    switch (read_string(p, out)) {
      case JsonString::good: return JsonFlaw::none;
      case JsonString::control: return JsonFlaw::control;
      default: return JsonFlaw::escape;
    }
  }

  // null in place of the value at the path.
  JsonFlaw null(const char*& p) {
    const char* const begin = p;
    if (!read_literal(p, "null")) return JsonFlaw::value;
    if (options_.missing == Missing::refuse) return p = begin, JsonFlaw::missing;
    return JsonFlaw::none;
  }
  void indicate() {
    if (options_.missing != Missing::indicate) return;
    const std::size_t size = path_.size();
    path_ += '=';
    add_feature(out_, path_, 1);
    path_.resize(size);
  }

  // A text at the path, or one of an array of texts.
  JsonFlaw text(const char*& p) {
    if (const std::size_t k = text_key(); k < texts_.size()) {
      text_.clear();
      const JsonFlaw flaw = string(p, text_);
      if (flaw == JsonFlaw::none) texts_[k].add(text_);
      return flaw;
    }
    const std::size_t size = path_.size();
    path_ += '=';
    const JsonFlaw flaw = string(p, path_);
    if (flaw == JsonFlaw::none) add_feature(out_, path_, 1);
    path_.resize(size);
    return flaw;
  }

  // { "key": value, ... } with p at the brace.
  JsonFlaw object(const char*& p, int depth) {
    skip_blanks(++p);
    if (*p == '}') return ++p, JsonFlaw::none;
    const std::size_t size = path_.size();
    for (;; skip_blanks(++p)) {
      if (*p != '"') return JsonFlaw::key;
      if (depth > 1) path_ += '.';
      if (const JsonFlaw flaw = member(p, depth); flaw != JsonFlaw::none) return flaw;
      path_.resize(size);
      skip_blanks(p);
      if (*p == '}') return ++p, JsonFlaw::none;
      if (*p != ',') return JsonFlaw::comma;
    }
  }

  // "key": value, with p at the opening quote of the key and path_ still without it.
  JsonFlaw member(const char*& p, int depth) {
    const char* const key = p;
    const std::size_t size = path_.size();
    if (const JsonFlaw flaw = string(p, path_); flaw != JsonFlaw::none) return flaw;
    if (path_.size() == size) return p = key, JsonFlaw::empty_key;
    if (path_.size() > longest_prefix) return p = key, JsonFlaw::prefix;
    const auto place = std::size_t(paths_.place(path_));
    if (place == met_.size) met_.push(-1);
    if (met_.data[place] == out_.lines) return p = key, JsonFlaw::twice;
    met_.data[place] = out_.lines;
    skip_blanks(p);
    if (*p != ':') return JsonFlaw::colon;
    skip_blanks(++p);
    if (!options_.ignored.empty() &&
        std::find(options_.ignored.begin(), options_.ignored.end(), path_) != options_.ignored.end())
      return skip(p, depth);
    if (depth == 1 && path_ == options_.label) return label(p);
    if (depth == 1 && !options_.weight.empty() && path_ == options_.weight) return weight(p);
    return value(p, depth);
  }

  // Any value, of which nothing is kept.
  JsonFlaw skip(const char*& p, int depth) {
    if (*p == '{' || *p == '[') {
      if (depth == deepest) return JsonFlaw::deep;
      const char close = *p == '{' ? '}' : ']';
      skip_blanks(++p);
      if (*p == close) return ++p, JsonFlaw::none;
      for (;; skip_blanks(++p)) {
        if (close == '}') {
          if (*p != '"') return JsonFlaw::key;
          text_.clear();
          if (const JsonFlaw flaw = string(p, text_); flaw != JsonFlaw::none) return flaw;
          skip_blanks(p);
          if (*p != ':') return JsonFlaw::colon;
          skip_blanks(++p);
        }
        if (const JsonFlaw flaw = skip(p, depth + 1); flaw != JsonFlaw::none) return flaw;
        skip_blanks(p);
        if (*p == close) return ++p, JsonFlaw::none;
        if (*p != ',') return JsonFlaw::comma;
      }
    }
    text_.clear();
    if (*p == '"') return string(p, text_);
    double value;
    return *p == 'n' && read_literal(p, "null") ? JsonFlaw::none : read_amount(p, value);
  }

  JsonFlaw value(const char*& p, int depth) {
    if (*p != '[' && *p != '"' && *p != 'n' && is_text_key()) return JsonFlaw::text;
    switch (*p) {
      case '{': return depth == deepest ? JsonFlaw::deep : object(p, depth + 1);
      case '[':
      case '"': {
        const JsonFlaw flaw = *p == '[' ? array(p) : text(p);
        if (flaw == JsonFlaw::none) finish_text();
        return flaw;
      }
      case 'n': {
        const JsonFlaw flaw = null(p);
        if (flaw == JsonFlaw::none) indicate();
        return flaw;
      }
      default: {
        double value;
        const JsonFlaw flaw = read_amount(p, value);
        if (flaw == JsonFlaw::none) add_feature(out_, path_, value);
        return flaw;
      }
    }
  }

  // The label is a text, or a number, true or false as written; null and "" are no label.
  JsonFlaw label(const char*& p) {
    const char* const begin = p;
    JsonFlaw flaw = JsonFlaw::none;
    text_.clear();
    if (*p == '{' || *p == '[') return JsonFlaw::label;
    if (*p == '"') flaw = string(p, text_);
    else if (*p != 'n' || !read_literal(p, "null")) {
      double value;
      flaw = read_amount(p, value);
      text_.assign(begin, p);
    }
    if (flaw != JsonFlaw::none) return flaw;
    if (!text_.empty()) label_ = out_.label(text_, out_.lines);
    else if (options_.labelled) return p = begin, JsonFlaw::no_label;
    return JsonFlaw::none;
  }

  // The weight is a number of at least 0.
  JsonFlaw weight(const char*& p) {
    const char* const begin = p;
    if (*p != '-' && !is_digit(*p)) return JsonFlaw::weight;
    if (const JsonFlaw flaw = read_json_number(p, weight_); flaw != JsonFlaw::none) return flaw;
    return weight_ >= 0 ? JsonFlaw::none : (p = begin, JsonFlaw::weight);
  }

  // [ value, ... ] with p at the bracket: texts only, or numbers only. The names of leading nulls
  // depend on what follows.
  JsonFlaw array(const char*& p) {
    skip_blanks(++p);
    if (*p == ']') return ++p, JsonFlaw::none;
    Kind kind = Kind::unknown;
    std::size_t i = 0, nulls = 0;
    for (;; skip_blanks(++p), ++i) {
      JsonFlaw flaw;
      if (*p == '{' || *p == '[') return JsonFlaw::nested;
      if (*p == 'n') {
        flaw = null(p);
        if (kind == Kind::unknown) ++nulls;
        else indicate(kind, i);
      } else {
        const Kind own = *p == '"' ? Kind::texts : Kind::numbers;
        if (kind != Kind::unknown && kind != own) return JsonFlaw::mixed;
        if (own == Kind::numbers && is_text_key()) return JsonFlaw::text;
        kind = own;
        for (std::size_t k = 0; k < nulls; ++k) indicate(kind, k);
        nulls = 0;
        flaw = kind == Kind::texts ? text(p) : element(p, i);
      }
      if (flaw != JsonFlaw::none) return flaw;
      skip_blanks(p);
      if (*p == ']') break;
      if (*p != ',') return JsonFlaw::comma;
    }
    for (std::size_t k = 0; k < nulls; ++k) indicate(kind, k);
    return ++p, JsonFlaw::none;
  }
  void number_path(std::size_t i) {
    char digits[20];
    path_ += '.';
    path_.append(digits, std::to_chars(digits, digits + sizeof digits, i).ptr);
  }
  void indicate(Kind kind, std::size_t i) {
    const std::size_t size = path_.size();
    if (kind != Kind::texts) number_path(i);
    indicate();
    path_.resize(size);
  }
  JsonFlaw element(const char*& p, std::size_t i) {
    double value;
    const JsonFlaw flaw = read_amount(p, value);
    if (flaw != JsonFlaw::none) return flaw;
    const std::size_t size = path_.size();
    number_path(i);
    add_feature(out_, path_, value);
    path_.resize(size);
    return JsonFlaw::none;
  }
};

// Reads the lines of [p, end) into out until more than `allowed` of them are bad. Returns how many
// lines had a text, for each key of texts.
inline std::vector<std::int64_t> parse_jsonl(const char* p, const char* end, std::size_t allowed,
                        const JsonOptions& options, Parsed<std::int32_t>& out) {
  JsonReader reader(options, out);
  each_line(p, end, allowed, out, [&reader](const char*& q, const char*& at) {
    const JsonFlaw flaw = reader.line(q);
    at = q;
    return std::int64_t(flaw);
  });
  return reader.met_texts;
}

}  // namespace novikoff
