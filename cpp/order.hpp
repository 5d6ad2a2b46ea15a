// A seeded order of rows that mixes thoroughly but reads memory in runs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rows.hpp"

namespace novikoff {

// SplitMix64 (Steele, Lea & Flood 2014): small, seedable by any number, the same everywhere.
struct Dice {
  std::uint64_t state;

  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform below n, for n < 2^32: the high half of a product; bias under n / 2^32.
  Size below(Size n) { return Size((next() >> 32) * n >> 32); }
};

template <class T>
void shuffle(T* items, Size n, Dice& dice) {
  for (Size k = n; k > 1; --k) std::swap(items[k - 1], items[dice.below(k)]);
}

// Rows 0..n-1 are cut into runs of `run` neighbours and the runs shuffled; then the rows of every
// `mix` runs that now stand together are shuffled among themselves. With run = 1 and mix >= n this
// is a uniform permutation; with longer runs, neighbours in memory stay close in time.
inline void fill_order(std::int64_t* order, Size n, Size run, Size mix, std::uint64_t seed) {
  Dice dice{seed};
  std::vector<std::int64_t> first;
  first.reserve(n / run + 1);
  for (Size i = 0; i < n; i += run) first.push_back(std::int64_t(i));
  shuffle(first.data(), first.size(), dice);
  std::int64_t* out = order;
  for (Size k = 0; k < first.size(); k += mix) {
    std::int64_t* const group = out;
    for (Size r = k; r < first.size() && r < k + mix; ++r)
      for (Size i = Size(first[r]); i < n && i < Size(first[r]) + run; ++i)
        *out++ = std::int64_t(i);
    shuffle(group, Size(out - group), dice);
  }
}

}  // namespace novikoff
