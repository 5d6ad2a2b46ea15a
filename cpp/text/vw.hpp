// Vowpal Wabbit's text: `[label [importance [base]]] ['tag]|namespace[:scale] name[:value] ...`.
#pragma once

#include <array>
#include <cmath>
#include <string>

#include "text/lines.hpp"

namespace novikoff {

enum class VwFlaw : std::int64_t {
  none, bar, label, costs, tag, many, importance, base, name, scale, value, large, prefix
};

// The bytes that end a word: a blank, a bar, or the end of the line.
constexpr std::array<bool, 256> ends_word = [] {
  std::array<bool, 256> ends{};
  for (const unsigned char c : {' ', '\t', '|', '\n', '\r'}) ends[c] = true;
  return ends;
}();

class VwReader {
 public:
  VwReader(bool labelled, Parsed<std::int32_t>& out) : labelled_(labelled), out_(out) {}

  // Reads one line: the words before the first bar, then the namespaces.
  VwFlaw line(const char*& p, const char*& at) {
    std::int32_t label = -1;
    double importance = 1;
    skip_blanks(p);
    if (ends_line(*p)) return VwFlaw::none;
    if (const VwFlaw flaw = head(p, at, label, importance); flaw != VwFlaw::none) return flaw;
    while (*p == '|')
      if (const VwFlaw flaw = features(p, at); flaw != VwFlaw::none) return flaw;
    add_example(out_, label);
    out_.importances.push(importance);
    return VwFlaw::none;
  }

 private:
  const bool labelled_;
  Parsed<std::int32_t>& out_;
  std::string name_;

  static void skip_blanks(const char*& p) {
    while (is_blank(*p)) ++p;
  }
  static void skip_word(const char*& p) {
    while (!ends_word[static_cast<unsigned char>(*p)]) ++p;
  }
  static void skip_name(const char*& p) {
    while (!ends_word[static_cast<unsigned char>(*p)] && *p != ':') ++p;
  }
  // A number that reaches to the end of its word; moves p past it.
  static Number number(const char*& p, double& value) {
    const Number read = read_number(p, value);
    return ends_word[static_cast<unsigned char>(*p)] ? read : Number::none;
  }

  // The words before the first bar. The last is a tag if it begins with ' or touches the bar.
  VwFlaw head(const char*& p, const char*& at, std::int32_t& label, double& importance) {
    std::array<const char*, 4> words{};
    const char *last = p, *last_end = p;
    std::size_t count = 0;
    at = p;
    while (*p != '|') {
      if (ends_line(*p)) return VwFlaw::bar;
      last = p;
      if (count < words.size()) words[count] = p;
      ++count;
      skip_word(p);
      last_end = p;
      skip_blanks(p);
    }
    if (count > 0 && (last_end == p || *last == '\'')) --count;
    if (count == 0) return labelled_ ? VwFlaw::label : VwFlaw::none;
    const char* word_end = words[0];
    skip_word(word_end);
    const std::string_view text(words[0], std::size_t(word_end - words[0]));
    at = words[0];
    if (text[0] == '\'') return VwFlaw::tag;
    if (text.find(':') != text.npos) return VwFlaw::costs;
    at = words[3];
    if (count > 3) return VwFlaw::many;
    if (count > 1) {
      const char* q = at = words[1];
      if (number(q, importance) != Number::good || importance < 0) return VwFlaw::importance;
    }
    if (count > 2) {
      const char* q = at = words[2];
      double base;
      if (number(q, base) != Number::good || base != 0) return VwFlaw::base;
    }
    label = out_.label(text, out_.lines);
    return VwFlaw::none;
  }

  // A bar, the namespace that touches it, and the features up to the next bar.
  VwFlaw features(const char*& p, const char*& at) {
    const char* const space = at = ++p;
    double scale = 1;
    skip_name(p);
    name_.assign(space, p);
    if (name_.size() > longest_prefix) return VwFlaw::prefix;
    if (*p == ':') {
      if (name_.empty()) return VwFlaw::name;
      if (number(++p, scale) != Number::good) return VwFlaw::scale;
    }
    if (!name_.empty()) name_ += '^';
    const std::size_t prefix = name_.size();
    for (;;) {
      skip_blanks(p);
      if (*p == '|' || ends_line(*p)) return VwFlaw::none;
      const char* const word = at = p;
      double value = 1;
      skip_name(p);
      const std::string_view name(word, std::size_t(p - word));
      if (name.empty()) return VwFlaw::name;
      if (*p == ':') {
        const Number read = number(++p, value);
        if (read == Number::none) return VwFlaw::value;
        if (read == Number::too_large) return VwFlaw::large;
      }
      value *= scale;
      if (!std::isfinite(value)) return VwFlaw::large;
      if (prefix == 0) {
        add_feature(out_, name, value);
        continue;
      }
      name_.resize(prefix);
      name_ += name;
      add_feature(out_, name_, value);
    }
  }
};

// Reads the lines of [p, end) into out until more than `allowed` of them are bad. The name of a
// feature is namespace^name, or just name if the namespace has none; its value is multiplied by the
// scale of the namespace. If `labelled`, a line without a label is bad.
inline void parse_vw(const char* p, const char* end, std::size_t allowed, bool labelled,
                     Parsed<std::int32_t>& out) {
  VwReader reader(labelled, out);
  each_line(p, end, allowed, out, [&reader](const char*& q, const char*& at) {
    return std::int64_t(reader.line(q, at));
  });
}

}  // namespace novikoff
