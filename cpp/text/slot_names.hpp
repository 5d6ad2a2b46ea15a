// The names of hashed columns.
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "text/buffer.hpp"
#include "text/sorting.hpp"

namespace novikoff {

// The first name that used each of 2^bits columns, of no more than `most` columns. With `known`, the names
// of columns that have one there are not held: who joins the two has it already. Other threads may add
// names to `known` meanwhile.
class SlotNames {
 public:
  SlotNames(int bits, std::size_t most, const SlotNames* known = nullptr)
      : bits_(bits), columns_(std::int64_t(1) << bits), most_(most), known_(known),
        has_name_((std::size_t(columns_) + page_columns - 1) / page_columns) {
    starts_.push(0);
  }
  SlotNames(const SlotNames&) = delete;
  ~SlotNames() {
    for (const std::atomic<Page*>& page : has_name_) delete page.load(std::memory_order_relaxed);
  }

  std::size_t size() const { return starts_.size - 1; }
  int bits() const { return bits_; }
  std::int64_t columns() const { return columns_; }

  // Whether `meet` has anything to do: mostly not.
  [[gnu::always_inline]] bool lacks(std::int64_t slot) const {
    return !(known_ && known_->has(slot)) && !has(slot) && size() < most_;
  }

  // Holds the name, given in parts, if its column has none.
  void meet(std::int64_t slot, std::initializer_list<std::string_view> parts) {
    if (!lacks(slot)) return;
    add(slot, parts);
    Page* const page = page_of(slot);
    std::atomic<std::uint64_t>& word = word_of(page ? *page : *add_page(slot), slot);
    word.store(word.load(std::memory_order_relaxed) | bit_of(slot), std::memory_order_relaxed);
  }

  // Forgets all names but the first `some`; only before any is asked for.
  void keep(std::size_t some) {
    for (; size() > some; places_.pop_back()) {
      const std::int64_t slot = slot_of(places_.back());
      std::atomic<std::uint64_t>& word = word_of(*page_of(slot), slot);
      word.store(word.load(std::memory_order_relaxed) & ~bit_of(slot), std::memory_order_relaxed);
      --starts_.size;
      text_.size = std::size_t(starts_.data[starts_.size - 1]);
    }
  }

  std::optional<std::string_view> name(std::int64_t slot) const {
    sort();
    const auto found = std::lower_bound(places_.begin(), places_.end(), std::uint64_t(slot) << 32);
    if (found == places_.end() || slot_of(*found) != slot) return std::nullopt;
    return at(std::uint32_t(*found));
  }

  // Calls use(slot, name) in the order of the columns, or as they were met.
  template <class Use>
  void each(Use use, bool by_column = true) const {
    if (by_column) sort();
    for (std::size_t k = 0; k < places_.size(); ++k) {
      // in the order of the columns, the texts are all over the place
      if (k + 16 < places_.size()) __builtin_prefetch(&starts_.data[std::uint32_t(places_[k + 16])]);
      if (k + 8 < places_.size()) __builtin_prefetch(at(std::uint32_t(places_[k + 8])).data());
      use(slot_of(places_[k]), at(std::uint32_t(places_[k])));
    }
  }

 private:
  static constexpr std::size_t page_columns = 1 << 16;
  struct Page {
    std::atomic<std::uint64_t> words[page_columns / 64] = {};
  };

  Page* page_of(std::int64_t slot) const {
    return has_name_[std::size_t(slot) / page_columns].load(std::memory_order_acquire);
  }
  Page* add_page(std::int64_t slot) {
    auto page = std::make_unique<Page>();
    has_name_[std::size_t(slot) / page_columns].store(page.get(), std::memory_order_release);
    return page.release();
  }
  static std::atomic<std::uint64_t>& word_of(Page& page, std::int64_t slot) {
    return page.words[std::size_t(slot) % page_columns / 64];
  }
  bool has(std::int64_t slot) const {
    Page* const page = page_of(slot);
    return page && word_of(*page, slot).load(std::memory_order_relaxed) & bit_of(slot);
  }
  static std::uint64_t bit_of(std::int64_t slot) { return std::uint64_t(1) << (slot % 64); }

  static std::int64_t slot_of(std::uint64_t place) { return std::int64_t(place >> 32); }

  int bits_;
  std::int64_t columns_;  // at most 2^31
  std::size_t most_;
  const SlotNames* known_;
  std::vector<std::atomic<Page*>> has_name_;  // a bit a column; no page, no names
  // a column in the upper half, its place in the text in the lower; sorted when somebody asks
  mutable std::vector<std::uint64_t> places_;
  mutable std::size_t sorted_ = 0;
  Buffer<char> text_;
  Buffer<std::int64_t> starts_;

  void add(std::int64_t slot, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      text_.make_room(part.size());
      if (!part.empty()) std::memcpy(text_.data + text_.size, part.data(), part.size());
      text_.size += part.size();
    }
    starts_.push(std::int64_t(text_.size));
    places_.push_back(std::uint64_t(slot) << 32 | places_.size());
  }

  void sort() const {
    std::vector<std::uint64_t> spare;
    if (sorted_ < places_.size()) sort_by_column(places_, spare);
    sorted_ = places_.size();
  }
  std::string_view at(std::size_t place) const {
    const std::int64_t begin = starts_.data[place];
    return {text_.data + begin, std::size_t(starts_.data[place + 1] - begin)};
  }
};

}  // namespace novikoff
