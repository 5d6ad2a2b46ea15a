// What the parsers of text share: where they write what they read, names met once, bad lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "text/hashing.hpp"
#include "text/numbers.hpp"

namespace novikoff {

// An array that grows, is not cleared, and can be handed over; `add` needs room made beforehand.
template <class T>
struct Buffer {
  T* data = nullptr;
  std::size_t size = 0, room = 0;

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data); }

  void reserve(std::size_t wanted) {
    if (wanted <= room) return;
    void* const more = std::realloc(data, wanted * sizeof(T));
    if (!more) throw std::bad_alloc();
    data = static_cast<T*>(more);
    room = wanted;
  }
  void make_room(std::size_t some) {
    if (size + some > room) reserve(std::max(size + some, 2 * room));
  }
  void add(T item) { data[size++] = item; }
  void push(T item) {
    make_room(1);
    add(item);
  }
  T* release() {
    T* const given = data;
    data = nullptr;
    size = room = 0;
    return given;
  }
};

// Names in the order they are first met, each once. Name k is text[starts[k], starts[k + 1]).
struct NameTable {
  Buffer<char> text;
  Buffer<std::int64_t> starts;
  Buffer<std::uint64_t> hashes;

  NameTable() : slots_(64, free_) { starts.push(0); }
  std::size_t size() const { return hashes.size; }
  std::string_view operator[](std::size_t k) const {
    return {text.data + starts.data[k], std::size_t(starts.data[k + 1] - starts.data[k])};
  }

  // The place of the name, given its hash; it is added if it is new.
  std::int32_t place(std::string_view name, std::uint64_t hash) {
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != free_; at = (at + 1) & (slots_.size() - 1)) {
      const auto k = std::size_t(slots_[at]);
      if (hashes.data[k] == hash && (*this)[k] == name) return slots_[at];
    }
    const auto k = std::int32_t(size());
    text.make_room(name.size());
    if (!name.empty()) std::memcpy(text.data + text.size, name.data(), name.size());
    text.size += name.size();
    starts.push(std::int64_t(text.size));
    hashes.push(hash);
    slots_[at] = k;
    if (2 * size() > slots_.size()) spread();
    return k;
  }
  std::int32_t place(std::string_view name) { return place(name, hash_name(name)); }

  // Forget all names but the first so many: those of a line that turned out to be bad.
  void keep(std::size_t some) {
    while (size() > some) {
      const auto k = std::int32_t(size() - 1);
      std::size_t at = hashes.data[k] & (slots_.size() - 1);
      while (slots_[at] != k) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = free_;  // nothing was put behind the last name, so nothing is lost from sight
      --hashes.size;
      --starts.size;
      text.size = std::size_t(starts.data[starts.size - 1]);
    }
  }

 private:
  static constexpr std::int32_t free_ = -1;
  std::vector<std::int32_t> slots_;

  void spread() {
    slots_.assign(2 * slots_.size(), free_);
    for (std::size_t k = 0; k < size(); ++k) {
      std::size_t at = hashes.data[k] & (slots_.size() - 1);
      while (slots_[at] != free_) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = std::int32_t(k);
    }
  }
};

// What becomes of a value that is missing: its line is bad, it is nothing, or a feature of its own.
enum class Missing : std::uint8_t { refuse, zero, indicate };

// A line that cannot be read: its number from 0 in the text, and where in the text it was given up,
// why (each parser has its own reasons), and where the line begins and ends.
struct BadLine {
  std::int64_t line, at, why, begin, end;
};

// The examples of a text. A line of it that cannot be read leaves nothing here but its BadLine.
template <class Index>
struct Parsed {
  Buffer<double> values;          // of all examples, one after another
  Buffer<Index> indices;          // the column of each value, or the place of its name
  Buffer<Index> starts;           // where each example begins in these, and where the last ends
  Buffer<std::int32_t> labels;    // for each example the place of its label, -1 for none
  Buffer<double> importances;     // of each example, for formats that have them
  NameTable label_texts;
  Buffer<std::int64_t> label_lines;  // the line each label was first met on, from 0
  NameTable names;                   // of features, for formats that name them
  std::vector<BadLine> bad;
  std::int64_t lines = 0;

  Parsed() { starts.push(0); }

  // Remembers the label and the line it is first met on.
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

// Between words there are blanks. A line ends with "\n", "\r\n" or "\r". The last two
// move p to the end of the line, and past it.
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
