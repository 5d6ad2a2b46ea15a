// Estimates of the scores of sparse rows, with a bound of their error: most signs need no more.
//
// An estimate is a sum of float32 products with a float32 copy of the weights, in eight lanes by
// position. So it takes vector instructions, and half the memory of the weights.
#pragma once

#include <cmath>
#include <limits>

#include "core/rows.hpp"

namespace novikoff {

// `dot` gives a score within `error` of s. If that is NaN, nothing is known.
struct Estimate {
  double s, error;
};

template <class T>
struct EightOf {
  typedef T type __attribute__((vector_size(8 * sizeof(T))));
};
template <class T>
using Eight = typename EightOf<T>::type;

// Estimates the score of x, where w are the weights and `narrow` is `narrowed` of each.
//
// Let n be the number of entries, u = 2^-24, and S the sum of |x_k w_k|. A product here is
//   p_k = x_k (1 + a) w_k (1 + b) (1 + c) + h  with  |a|, |b|, |c| <= u  and  |h| <= 2^-150 (|w_k| + 2),
// where h is what float32 loses near 0. So the |p_k - x_k w_k| add up to at most 3.1 u S + n 2^-85. A
// product goes through d <= n / 8 + 4 additions, and d u <= 1/16 as n <= 2^22. So s is within 1.1 d u P
// of the sum of the p_k, where P is that of the |p_k|; and `sizes`, which is added up in the same way, gives
// m >= P / 1.1. And S <= 1.1 P + n 2^-84. `dot` makes fewer than n + 12 additions in float64, so it is within
// (n + 12) 2^-52 S <= u S of the true sum. All in all
//   |dot - s| <= 1.1 d u P + 4.1 u S + n 2^-85 <= (1.3 d + 6) u m + n 2^-83.
// The error below is more than twice that. So it also covers the constant, whose weight b is added to s in float64
// (a rounding of 2^-53 (|s| + |b|) here and as much in `dot`), and the roundings of what is then compared.
// A number that is not finite or too large for float32 makes both sums infinite or NaN.
template <class T, class I>
[[gnu::always_inline]] inline Estimate estimate(const SparseRow<T, I>& x, const double* w,
                                                const float* narrow, bool bias) {
  using Columns = Eight<std::make_unsigned_t<I>>;
  using Floats = Eight<float>;
  using Bits = Eight<std::int32_t>;
  constexpr Estimate unknown{0, std::numeric_limits<double>::quiet_NaN()};

  const Size n = x.stored, dim = x.dim;
  const double constant = bias ? w[dim] : 0.0;
  const auto found = [&](float s, float m, double eighths) __attribute__((always_inline)) -> Estimate {
    return {double(s) + constant, (eighths + 9) * (3 * 0x1p-24 * double(m) + 0x1p-79) +
                                      0x1p-48 * std::abs(constant)};
  };
  if (n < 8) {
    const I* const index = x.index;
    float s = 0, m = 0;
    for (Size k = 0, next = 0; k < n; ++k) {
      const Size j = std::make_unsigned_t<I>(read_once(index[k]));
      if (j < next || j >= dim) [[unlikely]] return unknown;
      next = j + 1;
      const float p = float(x.x[k]) * narrow[j];
      s += p, m += std::abs(p);
    }
    return found(s, m, 0);
  }
  if (n > Size(1) << 22 || dim == 0) [[unlikely]] return unknown;
  const Columns last = Columns{} + std::make_unsigned_t<I>(dim - 1);
  const Bits number{0, 1, 2, 3, 4, 5, 6, 7};
  Columns j, after, flawed{};
  Floats sums{}, sizes{};
  const auto read = [&x](Size k, Columns& to) __attribute__((always_inline)) {
    __builtin_memcpy(&to, x.index + k, sizeof to);
  };
  // Adds the eight entries from k on, of columns j, which the columns `after` should follow.
  const auto add = [&](Size k, const Bits& mask) __attribute__((always_inline)) {
    const Columns c = j < last ? j : last;  // where a column does not exist, any weight will do
    flawed |= (c ^ j) | (Columns)((Eight<I>)after <= (Eight<I>)j);
    Eight<T> v;
    __builtin_memcpy(&v, x.x + k, sizeof v);
    const Floats of{narrow[c[0]], narrow[c[1]], narrow[c[2]], narrow[c[3]],
                    narrow[c[4]], narrow[c[5]], narrow[c[6]], narrow[c[7]]};
    const Floats p = (Floats)((Bits)(__builtin_convertvector(v, Floats) * of) & mask);
    sums += p;
    sizes += (Floats)((Bits)p & (Bits{} + 0x7fffffff));
  };
  Size k = 0;
  for (; k + 8 < n; k += 8) {
    read(k, j), read(k + 1, after);
    add(k, ~Bits{});
  }
  read(n - 8, j);  // the last eight, without those that were added before
  after = __builtin_shufflevector(j, ~Columns{} >> 1, 1, 2, 3, 4, 5, 6, 7, 8);
  add(n - 8, number >= Bits{} + int(k + 8 - n));
  std::uint64_t words[sizeof flawed / 8], any = 0;
  __builtin_memcpy(words, &flawed, sizeof flawed);
  for (const std::uint64_t word : words) any |= word;
  if (any) [[unlikely]] return unknown;
  const auto four = __builtin_shufflevector(sums, sizes, 0, 8, 1, 9, 2, 10, 3, 11) +
                    __builtin_shufflevector(sums, sizes, 4, 12, 5, 13, 6, 14, 7, 15);
  return found((four[0] + four[4]) + (four[2] + four[6]), (four[1] + four[5]) + (four[3] + four[7]),
               double(n / 8));
}

}  // namespace novikoff
