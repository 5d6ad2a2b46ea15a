// The names of hashed columns.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "text/buffer.hpp"

namespace novikoff {

// The first name that used each of 2^bits columns, of no more than `most` columns.
class SlotNames {
 public:
  SlotNames(int bits, std::size_t most)
      : columns_(std::int64_t(1) << bits), most_(most),
        has_name_((std::size_t(columns_) + page_columns - 1) / page_columns) {
    starts_.push(0);
  }

  std::size_t size() const { return starts_.size - 1; }
  std::int64_t columns() const { return columns_; }

  // Holds the name, given in parts, if its column has none.
  [[gnu::always_inline]] void meet(std::int64_t slot, std::initializer_list<std::string_view> parts) {
    if (size() >= most_) return;
    std::unique_ptr<Page>& page = has_name_[std::size_t(slot) / page_columns];
    if (!page) page = std::make_unique<Page>();
    std::uint64_t& word = word_of(*page, slot);
    if (word & bit_of(slot)) return;
    add(slot, parts);
    word |= bit_of(slot);
  }

  // Forgets all names but the first `some`; only before any is asked for.
  void keep(std::size_t some) {
    for (; size() > some; places_.pop_back()) {
      const std::int64_t slot = places_.back().first;
      word_of(*has_name_[std::size_t(slot) / page_columns], slot) &= ~bit_of(slot);
      --starts_.size;
      text_.size = std::size_t(starts_.data[starts_.size - 1]);
    }
  }

  std::optional<std::string_view> name(std::int64_t slot) const {
    sort();
    const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair(slot, std::size_t(0)));
    if (found == places_.end() || found->first != slot) return std::nullopt;
    return at(found->second);
  }

  // Calls use(slot, name) in the order of the columns, or as they were met.
  template <class Use>
  void each(Use use, bool by_column = true) const {
    if (by_column) sort();
    for (const auto& [slot, place] : places_) use(slot, at(place));
  }

 private:
  static constexpr std::size_t page_columns = 1 << 16;
  struct Page {
    std::uint64_t words[page_columns / 64] = {};
  };

  static std::uint64_t& word_of(Page& page, std::int64_t slot) {
    return page.words[std::size_t(slot) % page_columns / 64];
  }
  static std::uint64_t bit_of(std::int64_t slot) { return std::uint64_t(1) << (slot % 64); }

  std::int64_t columns_;
  std::size_t most_;
  std::vector<std::unique_ptr<Page>> has_name_;  // a bit a column; no page, no names
  // the columns with their places in the text; sorted when somebody asks
  mutable std::vector<std::pair<std::int64_t, std::size_t>> places_;
  mutable std::size_t sorted_ = 0;
  Buffer<char> text_;
  Buffer<std::int64_t> starts_;

  // Apart from `meet`, which is called for every word and mostly finds a name.
  [[gnu::noinline]] void add(std::int64_t slot, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      text_.make_room(part.size());
      if (!part.empty()) std::memcpy(text_.data + text_.size, part.data(), part.size());
      text_.size += part.size();
    }
    starts_.push(std::int64_t(text_.size));
    places_.emplace_back(slot, places_.size());
  }

  void sort() const {
    if (sorted_ < places_.size()) std::sort(places_.begin(), places_.end());
    sorted_ = places_.size();
  }
  std::string_view at(std::size_t place) const {
    const std::int64_t begin = starts_.data[place];
    return {text_.data + begin, std::size_t(starts_.data[place + 1] - begin)};
  }
};

}  // namespace novikoff
