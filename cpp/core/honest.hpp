// How often each score was met before its example was learned from: what probabilities rest on.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/rows.hpp"

namespace novikoff {

// Scores in bins by their leading bits: sign, exponent from -64 to 63, and four bits after the
// point, in the order of the scores. Smaller and larger ones are in the bins at the ends of that
// range; 0 is in the first bin above 0.
constexpr int bits_after_point = 4;
constexpr Size bins_of_sign = Size(128) << bits_after_point, score_bins = 2 * bins_of_sign;

[[gnu::always_inline]] inline Size bin_of(double s) {
  constexpr std::int64_t smallest = std::int64_t(1023 - 64) << bits_after_point;
  constexpr auto most = std::int64_t(bins_of_sign) - 1;
  const auto bits = std::bit_cast<std::int64_t>(s + 0.0);  // -0 is 0
  const std::int64_t leading = (bits & std::numeric_limits<std::int64_t>::max()) >> (52 - bits_after_point);
  const std::int64_t size = std::clamp(leading - smallest, std::int64_t(0), most);
  return Size(std::int64_t(bins_of_sign) + (size ^ (bits >> 63)));  // ~size below 0, without a branch
}

// The middle of the scores of a bin.
inline double middle_of(Size bin) {
  constexpr std::int64_t smallest = std::int64_t(1023 - 64) << bits_after_point;
  const bool negative = bin < bins_of_sign;
  const Size size = negative ? bins_of_sign - 1 - bin : bin - bins_of_sign;
  const auto edge = [](std::int64_t leading) {
    return std::bit_cast<double>(leading << (52 - bits_after_point));
  };
  const std::int64_t leading = smallest + std::int64_t(size);
  const double middle = (edge(leading) + edge(leading + 1)) / 2;
  return negative ? -middle : middle;
}

// An importance in units of 2^-16, at most 2^30: sums of whole numbers do not depend on the order.
inline std::int64_t in_units(double importance) {
  if (importance == 1) return 1 << 16;
  return std::int64_t(std::min(importance, 0x1p30) * 0x1p16 + 0.5);
}

// Counts of scores by label, in an array of `size` numbers: the number of examples met; the counts
// of the examples from number 2^(k-1) to 2^k - 1; and those from 2^k on, where 2^k is the largest
// power of two that is at most the number of examples. So the counts are those of the last half of
// the examples at least, and of three quarters at most. Early scores are those of weights that had
// hardly learned.
struct HonestScores {
  std::int64_t* data;

  static constexpr Size size = 1 + 4 * score_bins;

  std::int64_t* later() const { return data + 1 + 2 * score_bins; }

  // The next example comes.
  void next() const {
    const std::int64_t number = ++data[0];
    if ((number & (number - 1)) != 0) return;
    std::memcpy(data + 1, later(), 2 * score_bins * sizeof *data);
    std::memset(later(), 0, 2 * score_bins * sizeof *data);
  }

  // Counts a score of the example; sums stay at most 2^62.
  void count(double s, bool positive, std::int64_t units) const {
    std::int64_t& sum = later()[2 * bin_of(s) + positive];
    sum = std::min(sum + units, std::int64_t(1) << 62);
  }

  // The same as `meet` for each of n scores of importance 1. It takes 3 ns for each, `meet` 30.
  template <class Positive>
  void meet_all(const double* met, Size n, Positive positive) const {
    constexpr std::int64_t unit = 1 << 16;
    for (Size k = 0; k < n;) {
      meet(met[k], positive(k), 1.0);
      const auto number = std::uint64_t(data[0]);
      const auto left = Size(std::bit_ceil(number + 1) - 1 - number);  // until a power of two
      const Size end = k + 1 + std::min(left, n - k - 1);
      std::int64_t* const sums = later();
      data[0] += std::int64_t(end - k - 1);
      for (++k; k < end; ++k) sums[2 * bin_of(met[k]) + positive(k)] += unit;
    }
  }

  // Counts the score of the next example, unless it has no importance.
  void meet(double s, bool positive, double importance) const {
    const std::int64_t units = in_units(importance);
    if (units == 0) return;
    next();
    count(s, positive, units);
  }

  // The same for the rows order[k] (or k) from `begin` to `end`, whose scores are met[k - begin].
  void meet_rows(const double* met, Size begin, Size end, const std::int8_t* labels,
                 const double* importances, const std::int64_t* order, Size rows) const {
    const Size n = end - begin;
    if (!order && !importances)
      return meet_all(met, n, [at = labels + begin](Size k) { return at[k] > 0; });
    // the order was checked by the pass, but its owner may have changed it since
    const auto row = [=](Size k) {
      return order ? std::min(Size(read_once(order[begin + k])), rows - 1) : begin + k;
    };
    if (!importances) return meet_all(met, n, [=](Size k) { return labels[row(k)] > 0; });
    for (Size k = 0; k < n; ++k) {
      const Size i = row(k);
      meet(met[k], labels[i] > 0, importances[i]);
    }
  }

  // Counts the lead of each class over its best rival, for the next example, of class y.
  void meet_classes(const double* s, Size classes, Size y, double unit,
                    double importance) const {
    const std::int64_t units = in_units(importance);
    if (units == 0 || classes < 2) return;
    next();
    count_classes(s, classes, y, unit, units);
  }

  // Counts n scores of weights that had learned all they could, so that none is left out; or the
  // leads of `classes` classes for each of n examples, if there are any.
  void include(const double* s, Size n, Size classes, const std::int32_t* labels,
               const double* importances) const {
    for (Size k = 0; k < n; ++k) {
      const double importance = importances ? importances[k] : 1.0;
      const std::int64_t units = importance > 0 ? in_units(importance) : 0;
      if (units == 0 || classes == 1) continue;
      ++data[0];
      if (classes)
        count_classes(s + k * classes, classes, Size(labels[k]), 1.0, units);
      else
        count(s[k], labels[k] > 0, units);
    }
  }

 private:
  void count_classes(const double* s, Size classes, Size y, double unit, std::int64_t units) const {
    Size best = 0;
    for (Size r = 1; r < classes; ++r)
      if (s[r] > s[best]) best = r;
    double second = -std::numeric_limits<double>::infinity();
    for (Size r = 0; r < classes; ++r)
      if (r != best) second = std::max(second, s[r]);
    for (Size r = 0; r < classes; ++r)
      count((s[r] - (r == best ? second : s[best])) * unit, r == y, units);
  }
};

}  // namespace novikoff
