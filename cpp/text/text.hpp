// What the parsers share: growing arrays, the table of names, the examples read, bad lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string_view>
#include <vector>

#include "text/buffer.hpp"
#include "text/hashing.hpp"
#include "text/numbers.hpp"
#include "text/slot_names.hpp"

namespace novikoff {

// Distinct names in the order of their first use. Name k is text[starts[k], starts[k + 1]).
struct NameTable {
  Buffer<char> text;
  Buffer<std::int64_t> starts;
  Buffer<std::uint64_t> hashes;  // for the columns of names

  NameTable() : slots_(64, free_) { starts.push(0); }
  std::size_t size() const { return hashes.size; }
  std::string_view operator[](std::size_t k) const {
    return {text.data + starts.data[k], std::size_t(starts.data[k + 1] - starts.data[k])};
  }

  static constexpr std::int32_t none = -1;

  // The position of the name, or none.
  std::int32_t find(std::string_view name) const { return find(name, hash_of(name)); }
  std::int32_t find(std::string_view name, std::uint64_t hash) const { return slots_[slot_of(name, hash)]; }

  // The position of the name; a new name is added.
  std::int32_t place(std::string_view name) { return place(name, hash_of(name)); }
  std::int32_t place(std::string_view name, std::uint64_t hash) {
    const std::size_t at = slot_of(name, hash);
    if (slots_[at] != free_) return slots_[at];
    slots_[at] = add({name}, hash_name(name), hash);
    const std::int32_t k = slots_[at];
    if (2 * ++slotted_ > slots_.size()) spread();
    return k;
  }

  // Some names and their hashes, to be found or placed one after another.
  struct Several {
    static constexpr std::size_t most = 32;
    std::string_view names[most];
    std::uint64_t hashes[most];
    std::size_t size = 0;
  };
  // Hashes the names, and fetches what looking them up will read: of a large table all of it is elsewhere in
  // memory. Numbering the words and pairs of 60 MB of texts takes 0.29 s of processor time instead of 0.63.
  void expect(Several& some) const {
    std::int32_t places[Several::most];
    for (std::size_t i = 0; i < some.size; ++i) {
      some.hashes[i] = hash_of(some.names[i]);
      __builtin_prefetch(&slots_[some.hashes[i] & (slots_.size() - 1)]);
    }
    for (std::size_t i = 0; i < some.size; ++i) {
      const std::int32_t k = places[i] = slots_[some.hashes[i] & (slots_.size() - 1)];
      if (k == free_) continue;
      __builtin_prefetch(&slot_hashes_.data[k]);
      __builtin_prefetch(&starts.data[k]);
    }
    for (std::size_t i = 0; i < some.size; ++i)
      if (places[i] != free_) __builtin_prefetch(text.data + starts.data[places[i]]);
  }

  // Adds a name, given in parts, that the caller finds by other means, and returns its position.
  std::int32_t append(std::initializer_list<std::string_view> parts, std::uint64_t hash) {
    return add(parts, hash, unslotted_);
  }

  // Forgets all names but the first `some`: the others came from a bad line.
  void keep(std::size_t some) {
    while (size() > some) {
      const auto k = std::int32_t(size() - 1);
      if (const std::uint64_t hash = slot_hashes_.data[k]; hash != unslotted_) {
        std::size_t at = hash & (slots_.size() - 1);
        while (slots_[at] != k) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = free_;  // no later name was probed past the slot of the last one
        --slotted_;
      }
      --slot_hashes_.size;
      --hashes.size;
      --starts.size;
      text.size = std::size_t(starts.data[starts.size - 1]);
    }
  }

 private:
  static constexpr std::int32_t free_ = none;
  static constexpr std::uint64_t unslotted_ = 0;  // in place of the hash of an appended name
  Buffer<std::uint64_t> slot_hashes_;
  std::vector<std::int32_t> slots_;
  std::size_t slotted_ = 0;

  static std::uint64_t hash_of(std::string_view name) {
    return std::max<std::uint64_t>(1, slot_hash(name));
  }

  // The slot of the name; if it has none, the free one that it would get.
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const {
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != free_; at = (at + 1) & (slots_.size() - 1)) {
      const auto k = std::size_t(slots_[at]);
      if (slot_hashes_.data[k] == hash && (*this)[k] == name) break;
    }
    return at;
  }

  std::int32_t add(std::initializer_list<std::string_view> parts, std::uint64_t hash,
                   std::uint64_t slot_hash) {
    const auto k = std::int32_t(size());
    for (const std::string_view part : parts) {
      text.make_room(part.size());
      if (!part.empty()) std::memcpy(text.data + text.size, part.data(), part.size());
      text.size += part.size();
    }
    starts.push(std::int64_t(text.size));
    slot_hashes_.push(slot_hash);
    hashes.push(hash);
    return k;
  }

  void spread() {
    slots_.assign(2 * slots_.size(), free_);
    for (std::size_t k = 0; k < size(); ++k) {
      if (slot_hashes_.data[k] == unslotted_) continue;
      std::size_t at = slot_hashes_.data[k] & (slots_.size() - 1);
      while (slots_[at] != free_) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = std::int32_t(k);
    }
  }
};

// The rule for a missing value: the line is bad, the value is 0, or it is a feature of its own.
enum class Missing : std::uint8_t { refuse, zero, indicate };

// A line that cannot be read: its number, counted from 0; the offset and the kind of the flaw (each
// parser has its own kinds); and the offsets of the line's begin and end.
struct BadLine {
  std::int64_t line, at, why, begin, end;
};

// The examples of a text. A line that cannot be read adds only a BadLine.
template <class Index>
struct Parsed {
  Buffer<double> values;          // of all examples, one after another
  Buffer<Index> indices;          // the column of each value, or the position of its name
  Buffer<Index> starts;           // where each example begins in these; then the end of the last
  Buffer<std::int32_t> labels;    // the position of each example's label, -1 for none
  Buffer<double> importances;     // one per example, for formats that have them
  NameTable label_texts;
  Buffer<std::int64_t> label_lines;  // the line of each label's first use, from 0
  NameTable names;                   // of features, for formats that name them
  std::optional<SlotNames> hashed;   // if names are hashed to columns at once: their names
  std::vector<BadLine> bad;
  std::int64_t lines = 0;

  Parsed() { starts.push(0); }

  // The position of a feature's name; the column if names are hashed.
  std::int32_t place(std::string_view name) {
    if (!hashed) return names.place(name);
    return place(hash_name(name), {name});
  }
  // The column of a hashed name, which is given in parts.
  std::int32_t place(std::uint64_t hash, std::initializer_list<std::string_view> parts) {
    const std::int64_t column = column_of(hash);
    hashed->meet(column, parts);
    return std::int32_t(column);
  }
  std::int64_t column_of(std::uint64_t hash) const {
    return std::int64_t(hash & std::uint64_t(hashed->columns() - 1));
  }
  // How many names of features there are; and forgets all but the first `some`.
  std::size_t known_names() const { return hashed ? hashed->size() : names.size(); }
  void forget_names(std::size_t some) {
    if (hashed) hashed->keep(some);
    else names.keep(some);
  }

  // The position of a label; a new label is added with its line.
  std::int32_t label(std::string_view text, std::int64_t line) {
    const std::int32_t known = labels.size ? labels.data[labels.size - 1] : -1;
    if (known >= 0 && label_texts[std::size_t(known)] == text) return known;
    const std::int32_t place = label_texts.place(text);
    if (std::size_t(place) == label_lines.size) label_lines.push(line);
    return place;
  }
  void forget_labels(std::size_t some) {
    label_texts.keep(some);
    label_lines.size = some;
  }
};

// Words are separated by blanks. A line ends with "\n", "\r\n" or "\r".
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool ends_line(char c) { return c == '\n' || c == '\r'; }
inline void skip_to_line_end(const char*& p, const char* end) {
  while (p < end && !ends_line(*p)) ++p;
}
inline void skip_line_end(const char*& p, const char* end) {
  if (p < end && *p == '\r') ++p, p += p < end && *p == '\n';
  else if (p < end) ++p;
}

}  // namespace novikoff
