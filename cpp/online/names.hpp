// The names of features and their columns, numbered as they appear or chosen by hash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "text/hashing.hpp"

namespace novikoff {

// Without `bits` a new name gets the lowest free column. With `bits` the column of a name is its
// hash mod 2^bits, and a column remembers the first name that used it. `undo` removes the names
// added since the last `settle`. Names are found by a hash of their bytes; a caller that has another
// hash at hand (Python's) can try a shortcut by that first. If memory runs out, nothing has changed.
class Names {
 public:
  using Column = std::int32_t;
  static constexpr Column none = -1;

  explicit Names(int bits = 0) : bits_(bits), slots_(bits ? 0 : 64, none), shortcuts_(256) {
    if (bits_) spans_.resize(std::size_t(1) << bits_);
  }

  int bits() const { return bits_; }
  std::size_t size() const { return named_; }             // the number of names
  // Whether the column has a settled name; with bits, any name.
  bool stays(Column j) const { return has(j) && (bits_ || std::size_t(j) < before_); }
  std::size_t columns() const { return spans_.size(); }   // all columns are below this
  bool has(Column j) const { return spans_[std::size_t(j)].size >= 0; }
  std::string_view operator[](Column j) const {
    const Span& span = spans_[std::size_t(j)];
    return {text_.data() + span.at, std::size_t(std::max<std::int64_t>(span.size, 0))};
  }

  // The column remembered for the caller's hash, if its name is this one, or `name=text`; otherwise
  // none. `expect` prefetches the entry.
  Column shortcut(std::uint64_t key, std::string_view name) const {
    const Shortcut& way = shortcuts_[key & shortcut_mask_];
    if (way.key != key || way.size != name.size()) return none;
    return same(bytes(way), name) ? way.column : none;
  }
  Column shortcut(std::uint64_t key, std::string_view name, std::string_view text) const {
    const Shortcut& way = shortcuts_[key & shortcut_mask_];
    if (way.key != key || way.size != name.size() + 1 + text.size()) return none;
    const char *const p = bytes(way), *const q = p + name.size();
    return same(p, name) && *q == '=' && same(q + 1, text) ? way.column : none;
  }
  void expect(std::uint64_t key) const {
    __builtin_prefetch(&shortcuts_[key & shortcut_mask_]);
  }
  // Remembers a shortcut; does nothing while there are names that may be undone.
  void remember(std::uint64_t key, Column j, std::string_view name) {
    if (!added_.empty() || (name.size() > sizeof Shortcut::bytes && (*this)[j] != name)) return;
    Shortcut& way = shortcuts_[key & shortcut_mask_];
    way = {key, j, std::uint32_t(name.size()), {}};
    if (name.size() <= sizeof way.bytes) std::memcpy(way.bytes, name.data(), name.size());
  }

  // The hash by which `find` and `add` look for a name.
  std::uint64_t hash(std::string_view name) const {
    return bits_ ? hash_name(name) : slot_hash(name);
  }

  // The column of the name, or none. With bits every name has a column.
  Column find(std::string_view name, std::uint64_t hash) const {
    if (bits_) return Column(hash & (spans_.size() - 1));
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at] != none; at = (at + 1) & mask) {
      const Column j = slots_[at];
      if (hashes_[std::size_t(j)] == hash && (*this)[j] == name) return j;
    }
    return none;
  }

  // Adds a new name and returns its column; with bits, the column may have a name already.
  Column add(std::string_view name, std::uint64_t hash) {
    Column j = none;
    if (bits_) {
      j = Column(hash & (spans_.size() - 1));
      if (has(j)) return j;
    }
    make_room(name.size());
    if (!bits_) {
      if (free_.empty()) {
        j = Column(spans_.size());
        spans_.emplace_back();
        hashes_.push_back(0);
      } else {
        std::pop_heap(free_.begin(), free_.end(), std::greater<>());
        j = free_.back();
        free_.pop_back();
        used_again_ = true;
      }
    }
    added_.push_back(j);
    name_column(j, name, hash);
    return j;
  }

  std::size_t settled() const { return named_ - added_.size(); }  // the number of settled names
  void settle() { added_.clear(), used_again_ = false, before_ = spans_.size(); }

  // Removes the names added since the last `settle`, the last first.
  void undo() {
    for (; !added_.empty(); added_.pop_back()) {
      const auto j = std::size_t(added_.back());
      text_.resize(std::size_t(spans_[j].at));
      if (!bits_ && !used_again_) leave(added_.back());
      spans_[j] = {};
      --named_;
      if (bits_) continue;
      if (j >= before_) {
        spans_.pop_back();
        hashes_.pop_back();
      } else {
        release(Column(j));
      }
    }
    if (used_again_) spread();
    settle();
  }

  // Restores a saved name in its column. Columns must come in increasing order; skipped ones are
  // free.
  void put(Column j, std::string_view name) {
    if (!bits_) lengthen(std::size_t(j));
    make_room(name.size());
    if (!bits_) {
      spans_.emplace_back();
      hashes_.push_back(0);
    }
    name_column(j, name, hash(name));
    before_ = spans_.size();
  }

  // Makes at least this many columns; the new ones are free.
  void lengthen(std::size_t columns) {
    grow(spans_, columns);
    grow(hashes_, columns);
    grow(free_, columns);
    while (spans_.size() < columns) {
      release(Column(spans_.size()));
      spans_.emplace_back();
      hashes_.push_back(0);
    }
    before_ = spans_.size();
  }

  // Makes room for `forget`, which then cannot fail.
  void make_room_to_forget() { kept_.reserve(text_.size()); }

  // Forgets the names of these columns and frees the columns for others.
  void forget(const std::vector<Column>& columns) {
    make_room_to_forget();
    for (const Column j : columns) {
      spans_[std::size_t(j)] = {};
      release(j);
      --named_;
    }
    for (Span& span : spans_) {
      if (span.size < 0) continue;
      const auto at = std::int64_t(kept_.size());
      kept_.insert(kept_.end(), text_.begin() + span.at, text_.begin() + span.at + span.size);
      span.at = at;
    }
    text_.swap(kept_);
    kept_.clear();
    spread();
    shortcuts_.assign(shortcuts_.size(), {});
  }

 private:
  static constexpr std::size_t most_shortcuts = std::size_t(1) << 19;
  struct Span {
    std::int64_t at = 0, size = -1;  // below 0: no name
  };
  struct Shortcut {
    std::uint64_t key = 0;
    Column column = none;
    std::uint32_t size = ~std::uint32_t(0);
    char bytes[16] = {};  // a short name; longer ones are in text_
  };

  int bits_;
  std::vector<char> text_, kept_;       // kept_ is empty outside of `forget`
  std::vector<Span> spans_;             // the name of each column, within text_
  std::vector<std::uint64_t> hashes_;   // of each column's name, for its slot
  std::vector<Column> slots_;           // from hashes to columns, by open addressing
  std::vector<Shortcut> shortcuts_;
  std::size_t shortcut_mask_ = shortcuts_.size() - 1;
  std::vector<Column> free_;            // columns without a name; a heap, the lowest first
  std::vector<Column> added_;           // since the last settle
  bool used_again_ = false;             // whether one of these was a freed column
  std::size_t before_ = 0;              // the number of columns at the last settle
  std::size_t named_ = 0;

  template <class Word>
  static bool ends_alike(const char* p, const char* q, std::size_t n) {
    Word a, b, c, d;
    std::memcpy(&a, p, sizeof a);
    std::memcpy(&b, q, sizeof b);
    std::memcpy(&c, p + n - sizeof c, sizeof c);
    std::memcpy(&d, q + n - sizeof d, sizeof d);
    return a == b && c == d;
  }

  // Whether p holds these bytes. Most names are too short to be worth a call of memcmp.
  static bool same(const char* p, std::string_view bytes) {
    const std::size_t n = bytes.size();
    const char* const q = bytes.data();
    if (n > 16) return std::memcmp(p, q, n) == 0;
    if (n >= 8) return ends_alike<std::uint64_t>(p, q, n);
    if (n >= 4) return ends_alike<std::uint32_t>(p, q, n);
    if (n >= 2) return ends_alike<std::uint16_t>(p, q, n);
    return n == 0 || *p == *q;
  }

  const char* bytes(const Shortcut& way) const {
    return way.size <= sizeof way.bytes ? way.bytes : (*this)[way.column].data();
  }

  template <class T>
  static void grow(std::vector<T>& items, std::size_t wanted) {
    if (wanted > items.capacity()) items.reserve(std::max(wanted, 2 * items.capacity()));
  }

  // Makes room for one more name, and for `undo` to free its column: nothing after this can fail.
  void make_room(std::size_t bytes) {
    grow(text_, text_.size() + bytes);
    grow(added_, added_.size() + 1);
    if (2 * (named_ + 1) > shortcuts_.size() && shortcuts_.size() < most_shortcuts) {
      std::vector<Shortcut>(2 * shortcuts_.size()).swap(shortcuts_);
      shortcut_mask_ = shortcuts_.size() - 1;
    }
    if (bits_) return;
    grow(spans_, spans_.size() + 1);
    grow(hashes_, spans_.size() + 1);
    grow(free_, spans_.size() + 1);
    if (2 * (named_ + 1) > slots_.size()) {
      std::vector<Column>(2 * slots_.size(), none).swap(slots_);
      spread();
    }
  }
  void name_column(Column j, std::string_view name, std::uint64_t hash) {
    spans_[std::size_t(j)] = {std::int64_t(text_.size()), std::int64_t(name.size())};
    text_.insert(text_.end(), name.begin(), name.end());
    ++named_;
    if (bits_) return;
    hashes_[std::size_t(j)] = hash;
    enter(j);
  }
  void release(Column j) {
    free_.push_back(j);
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
  }
  void enter(Column j) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hashes_[std::size_t(j)] & mask;
    while (slots_[at] != none) at = (at + 1) & mask;
    slots_[at] = j;
  }
  // Only for the column entered last: no later entry was probed past its slot.
  void leave(Column j) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hashes_[std::size_t(j)] & mask;
    while (slots_[at] != j) at = (at + 1) & mask;
    slots_[at] = none;
  }
  void spread() {
    std::fill(slots_.begin(), slots_.end(), none);
    for (std::size_t j = 0; j < spans_.size(); ++j)
      if (spans_[j].size >= 0) enter(Column(j));
  }
};

}  // namespace novikoff
