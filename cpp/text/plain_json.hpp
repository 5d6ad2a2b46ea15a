// Flat JSON objects as most programs send them, read without a copy of each name. Whoever meets
// another object reads it by other means.
//
// All functions here need `padding` zero bytes after the text.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "text/jsonl.hpp"

namespace novikoff {

// A number, true or false at its key; or a text.
struct PlainMember {
  std::string_view key, text;
  double number;
  bool is_number;
  std::uint64_t hash = 0;  // slot_hash of the key
};

class PlainJson {
 public:
  std::vector<PlainMember> members;  // of the last object

  static void skip_blanks(const char*& p) {
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') ++p;
  }

  // Moves p past this character and the blanks around it.
  static bool skip(const char*& p, char c) {
    skip_blanks(p);
    if (*p != c) return false;
    skip_blanks(++p);
    return true;
  }

  // A string of printable ASCII characters without escapes.
  static bool string(const char*& p, std::string_view& out) {
    if (*p != '"') return false;
    const char* const begin = ++p;
    while (*p >= ' ' && *p <= '~' && *p != '"' && *p != '\\') ++p;
    out = {begin, std::size_t(p - begin)};
    return *p++ == '"';
  }

  // Reads the object at p and moves p past it; false if it is not flat, if a string is not plain or
  // a key is empty, or if a key may be there twice.
  bool object(const char*& p) {
    members.clear();
    keys_.clear();
    if (*p != '{') return false;
    skip_blanks(++p);
    if (*p == '}') return ++p, true;
    for (;; skip_blanks(++p)) {
      PlainMember one{{}, {}, 1, false};
      if (!string(p, one.key) || one.key.empty() || !skip(p, ':')) return false;
      one.is_number = *p != '"';
      if (one.is_number ? read_amount(p, one.number) != JsonFlaw::none
                        : !string(p, one.text))
        return false;
      one.hash = slot_hash(one.key);
      members.push_back(one);
      keys_.push_back(one.hash);
      skip_blanks(p);
      if (*p == '}') break;
      if (*p != ',') return false;
    }
    ++p;
    return are_different();
  }

 private:
  static constexpr std::size_t few = 24;
  std::vector<std::uint64_t> keys_;

  // Whether no two of the keys are equal. Each of a few is compared with those before it: 10 take 45 ns, sorted
  // 110.
  bool are_different() {
    const std::uint64_t* const keys = keys_.data();
    const std::size_t n = keys_.size();
    if (n <= few) {
      bool twice = false;
      for (std::size_t i = 1; i < n; ++i)
        for (std::size_t k = 0; k < i; ++k) twice |= keys[k] == keys[i];
      return !twice;
    }
    std::sort(keys_.begin(), keys_.end());
    return std::adjacent_find(keys_.begin(), keys_.end()) == keys_.end();
  }
};

// {"examples": [{"features": {...}}, ...]}: the texts of the objects, the members of the largest
// one, and the length of the longest key.
struct PlainBatch {
  std::vector<std::string_view> objects;
  std::size_t most = 0, longest = 0;

  // False if one of them, or what is around it, is not plain.
  bool read(const char* p, const char* end) {
    PlainJson json;
    std::string_view key;
    if (!json.skip(p, '{') || !json.string(p, key) || key != "examples" || !json.skip(p, ':') ||
        !json.skip(p, '['))
      return false;
    do {
      if (!json.skip(p, '{') || !json.string(p, key) || key != "features" || !json.skip(p, ':'))
        return false;
      const char* const begin = p;
      if (!json.object(p)) return false;
      objects.emplace_back(begin, std::size_t(p - begin));
      most = std::max(most, json.members.size());
      for (const PlainMember& one : json.members) longest = std::max(longest, one.key.size());
      if (!json.skip(p, '}')) return false;
    } while (json.skip(p, ','));
    return json.skip(p, ']') && json.skip(p, '}') && p == end;
  }
};

}  // namespace novikoff
