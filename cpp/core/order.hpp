// A seeded order of rows that mixes well and still reads memory forwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/rows.hpp"

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

// Cuts the rows 0..n-1 into runs of `run` neighbours, shuffles the runs, and interleaves each `mix`
// or more consecutive runs at random, keeping the order within a run: like riffling many packs of
// cards at once. With run = 1 this is a uniform permutation. With longer runs memory is read in
// `mix` forward streams, which the processor prefetches: 150 ms, against 95 ms in file order and
// 300 ms in random order (800k sparse rows, 16 KB runs, 32 at a time).
inline void fill_order(std::int64_t* order, Size n, Size run, Size mix, std::uint64_t seed) {
  Dice dice{seed};
  std::vector<std::int64_t> first;
  first.reserve(n / run + 1);
  for (Size i = 0; i < n; i += run) first.push_back(std::int64_t(i));
  shuffle(first.data(), first.size(), dice);
  const Size packs = first.size(), deals = std::max<Size>(1, packs / mix);
  std::vector<std::int64_t> next(packs / deals + 1);
  std::int64_t* out = order;
  for (Size d = 0; d < deals; ++d) {
    const Size from = packs * d / deals, some = packs * (d + 1) / deals - from;
    std::int64_t* const dealt = out;
    for (Size r = 0; r < some; ++r) {
      next[r] = first[from + r];
      out = std::fill_n(out, std::min(run, n - Size(next[r])), std::int64_t(r));
    }
    shuffle(dealt, Size(out - dealt), dice);
    for (std::int64_t* p = dealt; p != out; ++p) *p = next[Size(*p)]++;
  }
}

}  // namespace novikoff
