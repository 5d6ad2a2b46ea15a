// Elimination modulo a prime, for the ranks and the dependent columns of matrices of integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/rows.hpp"

namespace novikoff {

// Numbers below p = 2^63 - 25, so that 2^63 is 25 modulo p.
struct Modular {
  static constexpr std::uint64_t prime = (std::uint64_t(1) << 63) - 25;

  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t low = (std::uint64_t(1) << 63) - 1;
    auto x = (unsigned __int128)(a) * b;
    x = (x & low) + (x >> 63) * 25;
    const auto y = std::uint64_t(x & low) + std::uint64_t(x >> 63) * 25;
    return y >= prime ? y - prime : y;
  }

  static std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a >= b ? a - b : a + prime - b; }

  static std::uint64_t inverse(std::uint64_t a) {
    std::uint64_t out = 1;
    for (std::uint64_t left = prime - 2; left; left >>= 1, a = product(a, a))
      if (left & 1) out = product(out, a);
    return out;
  }
};

// Brings a matrix of numbers from 0 to p - 1 into reduced row echelon form: row k begins with a 1 in
// column pivots[k], where all other rows have 0. Returns the rank.
inline Size echelon(std::int64_t* matrix, Size rows, Size columns, std::int64_t* pivots) {
  Size rank = 0;
  std::vector<Size> some;  // the columns in which the pivot's row is not 0
  const auto at = [=](Size i, Size j) -> std::int64_t& { return matrix[i * columns + j]; };
  for (Size j = 0; j < columns && rank < rows; ++j) {
    Size k = rank;
    while (k < rows && !at(k, j)) ++k;
    if (k == rows) continue;
    if (k != rank) std::swap_ranges(&at(k, 0), &at(k, 0) + columns, &at(rank, 0));
    const std::uint64_t by = Modular::inverse(std::uint64_t(at(rank, j)));
    some.clear();
    for (Size c = j; c < columns; ++c) {
      std::int64_t& x = at(rank, c);
      if (!x) continue;
      x = std::int64_t(Modular::product(std::uint64_t(x), by));
      some.push_back(c);
    }
    for (Size i = 0; i < rows; ++i) {
      const auto times = std::uint64_t(at(i, j));
      if (i == rank || !times) continue;
      for (const Size c : some) {
        const std::uint64_t less = Modular::product(std::uint64_t(at(rank, c)), times);
        at(i, c) = std::int64_t(Modular::difference(std::uint64_t(at(i, c)), less));
      }
    }
    pivots[rank++] = std::int64_t(j);
  }
  return rank;
}

}  // namespace novikoff
