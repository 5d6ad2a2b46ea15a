// JSON lines: an object a line, RFC 8259 to the letter, whose values are features named by keys.
#pragma once

#include <charconv>

#include "text/json_strings.hpp"
#include "text/lines.hpp"

namespace novikoff {

enum class JsonFlaw : std::int64_t {
  none, object, key, empty_key, twice, colon, comma, value, number, large, control, escape, deep,
  nested, mixed, missing, label, no_label, after, prefix
};

struct JsonOptions {
  std::string_view label;  // the key of the label
  bool labelled;           // a line without one is bad
  Missing missing;         // what null means
};

// A number x of key c is feature c with value x; true and false are 1 and 0; a text v is feature
// c=v with value 1. Inside an object the key is c.d; an array of texts is several features c=v, one
// of numbers is c.0, c.1 and so on. null is by the rule: refused, nothing, or feature c= with value
// 1. A key may come only once, also when c.d is written in two ways.
class JsonReader {
 public:
  JsonReader(const JsonOptions& options, Parsed<std::int32_t>& out)
      : options_(options), out_(out) {}

  // Reads one line, from p on; where there is a flaw, p is at it.
  JsonFlaw line(const char*& p) {
    skip_blanks(p);
    if (ends_line(*p)) return JsonFlaw::none;
    const char* const begin = p;
    if (*p != '{') return JsonFlaw::object;
    path_.clear();
    label_ = -1;
    if (const JsonFlaw flaw = object(p, 1); flaw != JsonFlaw::none) return flaw;
    skip_blanks(p);
    if (!ends_line(*p)) return JsonFlaw::after;
    if (options_.labelled && label_ < 0) return p = begin, JsonFlaw::no_label;
    add_example(out_, label_);
    return JsonFlaw::none;
  }

 private:
  static constexpr int deepest = 32;
  enum class Kind { unknown, numbers, texts };

  const JsonOptions options_;
  Parsed<std::int32_t>& out_;
  std::string path_;         // the keys down to where we are
  std::string text_;
  std::int32_t label_ = -1;  // of this line
  NameTable paths_;
  Buffer<std::int64_t> met_;  // the line each path was last met on

  static void skip_blanks(const char*& p) {
    while (is_blank(*p)) ++p;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  static JsonFlaw string(const char*& p, std::string& out) {
    switch (read_string(p, out)) {
      case JsonString::good: return JsonFlaw::none;
      case JsonString::control: return JsonFlaw::control;
      default: return JsonFlaw::escape;
    }
  }

  // JSON's numbers are ours, but for a + in front, zeros in front, and a point without digits on
  // both sides.
  static JsonFlaw number(const char*& p, double& value) {
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

  static bool literal(const char*& p, std::string_view word) {
    if (std::memcmp(p, word.data(), word.size()) != 0) return false;
    p += word.size();
    return true;
  }

  // A number, true or false.
  static JsonFlaw amount(const char*& p, double& value) {
    if (*p == '-' || is_digit(*p)) return number(p, value);
    value = 1;
    if (literal(p, "true")) return JsonFlaw::none;
    value = 0;
    return literal(p, "false") ? JsonFlaw::none : JsonFlaw::value;
  }

  // null, in place of the feature or features at the path.
  JsonFlaw null(const char*& p) {
    const char* const begin = p;
    if (!literal(p, "null")) return JsonFlaw::value;
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

  // A text at the path, or one of a bag of them.
  JsonFlaw text(const char*& p) {
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

  // "key": value, with p at the key's first quote and the path so far without it.
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
    return depth == 1 && path_ == options_.label ? label(p) : value(p, depth);
  }

  JsonFlaw value(const char*& p, int depth) {
    switch (*p) {
      case '{': return depth == deepest ? JsonFlaw::deep : object(p, depth + 1);
      case '[': return array(p);
      case '"': return text(p);
      case 'n': {
        const JsonFlaw flaw = null(p);
        if (flaw == JsonFlaw::none) indicate();
        return flaw;
      }
      default: {
        double value;
        const JsonFlaw flaw = amount(p, value);
        if (flaw == JsonFlaw::none) add_feature(out_, path_, value);
        return flaw;
      }
    }
  }

  // The label is a text, or a number, true or false as it is written; null and "" are no label.
  JsonFlaw label(const char*& p) {
    const char* const begin = p;
    JsonFlaw flaw = JsonFlaw::none;
    text_.clear();
    if (*p == '{' || *p == '[') return JsonFlaw::label;
    if (*p == '"') flaw = string(p, text_);
    else if (*p != 'n' || !literal(p, "null")) {
      double value;
      flaw = amount(p, value);
      text_.assign(begin, p);
    }
    if (flaw != JsonFlaw::none) return flaw;
    if (!text_.empty()) label_ = out_.label(text_, out_.lines);
    else if (options_.labelled) return p = begin, JsonFlaw::no_label;
    return JsonFlaw::none;
  }

  // [ value, ... ] with p at the bracket: texts only, or numbers only, or nothing yet but nulls,
  // whose names depend on what follows.
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
    const JsonFlaw flaw = amount(p, value);
    if (flaw != JsonFlaw::none) return flaw;
    const std::size_t size = path_.size();
    number_path(i);
    add_feature(out_, path_, value);
    path_.resize(size);
    return JsonFlaw::none;
  }
};

// Reads the lines of [p, end) into out, as far as `allowed` bad ones.
inline void parse_jsonl(const char* p, const char* end, std::size_t allowed,
                        const JsonOptions& options, Parsed<std::int32_t>& out) {
  JsonReader reader(options, out);
  each_line(p, end, allowed, out, [&reader](const char*& q, const char*& at) {
    const JsonFlaw flaw = reader.line(q);
    at = q;
    return std::int64_t(flaw);
  });
}

}  // namespace novikoff
