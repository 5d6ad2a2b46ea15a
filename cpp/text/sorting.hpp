// Entries of a row in the order of their columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "online/ranks.hpp"

namespace novikoff {

// Sorts keys, each a column in the upper half and a position in the lower, that come in the order of
// their positions. Byte by byte, the least first: words and pairs of texts are renumbered in 0.6 of the
// time that std::sort takes.
inline void sort_by_column(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare) {
  if (keys.size() < 64) return std::sort(keys.begin(), keys.end());
  std::uint64_t used = 0;
  for (const std::uint64_t key : keys) used |= key;
  spare.resize(keys.size());
  for (int shift = 32; shift < 64 && used >> shift; shift += 8) {
    std::uint32_t starts[257] = {};
    for (const std::uint64_t key : keys) ++starts[(key >> shift & 0xff) + 1];
    for (int digit = 0; digit < 256; ++digit) starts[digit + 1] += starts[digit];
    for (const std::uint64_t key : keys) spare[starts[key >> shift & 0xff]++] = key;
    keys.swap(spare);
  }
}

// The same, by ranks if the keys are few and no column comes twice: 75 entries a row of Vowpal Wabbit's
// text are sorted in half of the time.
inline void sort_by_rank(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare) {
  constexpr std::size_t most = 5 * ranks_at_a_time;
  const std::size_t n = keys.size();
  if (n > most) return sort_by_column(keys, spare);
  std::int32_t columns[most] = {}, ranks[most];
  std::size_t sum = 0;
  for (std::size_t k = 0; k < n; ++k) columns[k] = std::int32_t(keys[k] >> 32);
  find_ranks(columns, n, ranks);
  for (std::size_t k = 0; k < n; ++k) sum += std::size_t(ranks[k]);
  if (sum != n * (n - 1) / 2) return sort_by_column(keys, spare);
  spare.resize(n);
  for (std::size_t k = 0; k < n; ++k) spare[std::size_t(ranks[k])] = keys[k];
  keys.swap(spare);
}

}  // namespace novikoff
