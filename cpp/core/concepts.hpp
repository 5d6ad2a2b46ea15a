// The answers of every concept of a family on one example, one bit each; and sets of concepts as
// bits.
#pragma once

#include <bit>
#include <cstdint>

#include "core/clones.hpp"
#include "core/rows.hpp"

namespace novikoff {

using Word = std::uint64_t;
constexpr Size word_bits = 64;

inline Word low_bits(Size n) { return n >= word_bits ? ~Word(0) : (Word(1) << n) - 1; }

// Appends bits to words; all bits from the first written one on must be 0.
struct BitWriter {
  Word* words;
  Size used;  // bits of the current word

  // Appends the lowest n <= 64 bits; the others must be 0.
  void put(Word bits, Size n) {
    *words |= bits << used;
    used += n;
    if (used >= word_bits) {
      used -= word_bits;
      ++words;
      if (used) *words |= bits >> (n - used);
    }
  }
  void fill(bool bit, Size n) {
    for (; n >= word_bits; n -= word_bits) put(bit ? ~Word(0) : 0, word_bits);
    if (n) put(bit ? low_bits(n) : 0, n);
  }
  void copy(const Word* from, Size n) {
    for (; n >= word_bits; n -= word_bits) put(*from++, word_bits);
    if (n) put(*from & low_bits(n), n);
  }
};

// A concept is a set of k of n literals: variables, or negated ones where `signs` has a bit. Its
// answer is table[number of literals that are true]. A conjunction has the table 0...01, a
// disjunction 01...1, a parity 0101..., "at least r" zeros and then ones. Bit 0 of `signs` belongs
// to the smallest variable of the set; variables from the 65th on are never negated. Sets are
// ordered by their largest variable, then by the next: if all but the smallest are fixed, the
// answers are a run of the example's own bits.
struct Subsets {
  const Word* x[2];           // the example, and its complement
  const bool* table;          // k + 1 answers
  const std::uint64_t* ways;  // ways[j * (rest + 1) + m - j]: m choose j, where m - j <= rest
  Size rest;                  // n - k
  Word signs;

  bool is(Size variable, Size place) const {
    const bool turned = place < word_bits && (signs >> place & 1);
    return x[turned][variable / word_bits] >> (variable % word_bits) & 1;
  }

  // Appends the answers for all ways to choose k more literals among the first `below` variables,
  // when `so_far` of those chosen already are true.
  void evaluate(Size k, Size below, Size so_far, BitWriter& out) const {
    Size same = 1;
    while (same <= k && table[so_far + same] == table[so_far]) ++same;
    if (same > k) return out.fill(table[so_far], ways[k * (rest + 1) + below - k]);
    if (k == 1) return out.copy(x[(signs & 1) ^ !table[so_far + 1]], below);
    for (Size c = k - 1; c < below; ++c) evaluate(k - 1, c, so_far + is(c, k - 1), out);
  }
};

// The number of bits that are set in both.
inline std::uint64_t count_both(const Word* a, const Word* b, Size n) {
  return on_this_processor([=]() __attribute__((always_inline)) -> std::uint64_t {
    std::uint64_t count = 0;
    for (Size i = 0; i < n; ++i) count += std::uint64_t(std::popcount(a[i] & b[i]));
    return count;
  });
}

// Clears the bits of a that are not set in b; if `on` is false, those that are.
inline void keep(Word* a, const Word* b, Size n, bool on) {
  on_this_processor([=]() __attribute__((always_inline)) {
    const Word turned = on ? 0 : ~Word(0);
    for (Size i = 0; i < n; ++i) a[i] &= b[i] ^ turned;
  });
}

// Writes the positions of the set bits, in order, as far as `room`; returns how many were written.
inline Size places(const Word* a, Size n, std::int64_t* out, Size room) {
  Size count = 0;
  for (Size i = 0; i < n; ++i)
    for (Word left = a[i]; left && count < room; left &= left - 1)
      out[count++] = std::int64_t(i * word_bits + Size(std::countr_zero(left)));
  return count;
}

}  // namespace novikoff
