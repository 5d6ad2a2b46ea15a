// Kernels of pairs of rows, and the perceptron in its dual form: a pass, sums and votes over mistakes.
//
// An inner product is summed column by column, and a score mistake by mistake, in the order of the run.
// Adding a zero changes nothing, so it does not matter whether rows are dense or sparse, how they are
// cut into blocks, or when a score is brought up to date: the bits are the same.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "core/clones.hpp"
#include "core/passes.hpp"
#include "core/rows.hpp"

namespace novikoff {

// 2^k for a whole k from -1022 to 0.
[[gnu::always_inline]] inline double power_of_two(std::int32_t k) {
  return std::bit_cast<double>(std::int64_t(1023 + k) << 52);
}

// e^x for x <= 0 by sums and products, which round alike on every machine. With x = k ln 2 + r and
// |r| < 0.35, fourteen terms of the series of e^r are enough. 2^k is multiplied in two steps, as it may
// be too small for one.
[[gnu::always_inline]] inline double exponential(double x) {
  constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33, per_ln2 = 0x1.71547652b82fep0;
  constexpr double term[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
                             1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800,
                             1.0 / 479001600, 1.0 / 6227020800};
  const double within = x > -746 ? x : -746.0;
  const auto k = std::int32_t(within * per_ln2 - 0.5), half = k / 2;
  const double r = (within - k * high) - k * low;
  double sum = 0;
  for (int n = 13; n >= 0; --n) sum = sum * r + term[n];
  return sum * power_of_two(half) * power_of_two(k - half);
}

enum class Shape : int { linear = 0, poly = 1, rbf = 2 };

// K(x, z): <x, z>, (gamma <x, z> + constant)^degree, or exp(-gamma |x - z|^2); plus 1 if there is a bias.
struct Kernel {
  Shape shape;
  int degree;
  double gamma, constant;
  bool bias;

  // Turns the inner products of a row, whose square is a, with rows of these squares into kernels.
  template <Size n>
  [[gnu::always_inline]] void apply(double (&dots)[n], double a, const double (&squares)[n]) const {
    if (shape == Shape::poly) {
      double base[n];
      for (Size q = 0; q < n; ++q) base[q] = gamma * dots[q] + constant, dots[q] = 1;
      for (int d = degree; d; d >>= 1) {
        if (d & 1)
          for (Size q = 0; q < n; ++q) dots[q] *= base[q];
        for (Size q = 0; q < n; ++q) base[q] *= base[q];
      }
    } else if (shape == Shape::rbf) {
      for (Size q = 0; q < n; ++q) {
        const double apart = (a + squares[q]) - 2 * dots[q];
        dots[q] = exponential(-gamma * (apart > 0 ? apart : 0.0));
      }
    }
    if (bias)
      for (Size q = 0; q < n; ++q) dots[q] += 1;
  }
};

// out[k - begin] = K(x_k, x_k). Stops at a row that is out of order, or whose kernel is not finite.
template <class Rows>
Stop kernel_squares(const Rows& rows, Size begin, Size end, const Kernel& kernel, double* out) {
  for (Size k = begin; k < end; ++k) {
    typename Rows::Row x;
    if (!rows.read(k, x)) return {k, Flaw::bounds};
    double square = 0;
    const Flaw flaw = x.each_in_order([&](Size, double v) { square += v * v; });
    if (flaw != Flaw::none) return {k, flaw};
    if (!(square <= std::numeric_limits<double>::max())) return {k, Flaw::value};
    double own[1] = {square};
    const double squares[1] = {square};
    kernel.apply(own, square, squares);
    if (!(own[0] <= std::numeric_limits<double>::max())) return {k, Flaw::value};
    out[k - begin] = own[0];
  }
  return {end, Flaw::none};
}

// The entries other than 0 of some rows, each row's one after the other; columns are numbered as they
// are met.
struct RowEntries {
  static constexpr Size narrow = Size(1) << 22;  // a table of more columns would take too much memory
  std::vector<std::uint32_t> place;              // 1 + the number of a column, or 0
  std::unordered_map<Size, std::uint32_t> few;   // the same for rows of more columns than that
  std::vector<std::uint32_t> column;
  std::vector<double> value, square;
  std::vector<Size> start{0};
  Size columns = 0;

  [[gnu::always_inline]] std::uint32_t at(Size j) const {
    if (!place.empty()) return place[j];
    const auto found = few.find(j);
    return found == few.end() ? 0 : found->second;
  }

  template <class Rows>
  Stop gather(const Rows& rows, Size begin, Size end) {
    if (rows.dim <= narrow) place.resize(rows.dim);
    start.reserve(end - begin + 1), square.reserve(end - begin);
    for (Size k = begin; k < end; ++k) {
      typename Rows::Row x;
      if (!rows.read(k, x)) return {k, Flaw::bounds};
      double sum = 0;
      const Flaw flaw = x.each_in_order([&](Size j, double v) {
        if (v == 0) return;
        std::uint32_t& number = place.empty() ? few[j] : place[j];
        if (!number) number = std::uint32_t(++columns);
        column.push_back(number - 1);
        value.push_back(v);
        sum += v * v;
      });
      if (flaw != Flaw::none) return {k, flaw};
      if (!(sum <= std::numeric_limits<double>::max())) return {k, Flaw::value};
      square.push_back(sum);
      start.push_back(column.size());
    }
    return {end, Flaw::none};
  }
};

constexpr Size together = 16;  // stored rows multiplied at once: enough sums to hide their latency

// kernels[q] = K(row k of these, stored row q), where work[c * together + q] is the latter's column c.
NOVIKOFF_CLONES inline void multiply_entries(const RowEntries& rows, Size k, const double* work,
                                             const double (&squares)[together], const Kernel& kernel,
                                             double (&kernels)[together]) {
  double a[together] = {};
  const double* const value = rows.value.data();
  const std::uint32_t* const column = rows.column.data();
  for (Size e = rows.start[k], end = rows.start[k + 1]; e < end; ++e) {
    const double* const w = work + Size(column[e]) * together;
    for (Size q = 0; q < together; ++q) a[q] += value[e] * w[q];
  }
  kernel.apply(a, rows.square[k], squares);
  for (Size q = 0; q < together; ++q) kernels[q] = a[q];
}

// out[(k - begin) * stored.n + i] = K(stored_i, x_k) for k in [begin, end).
template <class Stored>
Stop kernel_gram(const Stored& stored, const RowEntries& rows, const Kernel& kernel, double* out) {
  std::vector<double> work(rows.columns * together);
  double squares[together] = {}, kernels[together];
  for (Size first = 0; first < stored.n; first += together) {
    const Size some = std::min(together, stored.n - first);
    std::fill(work.begin(), work.end(), 0.0);
    for (Size q = 0; q < some; ++q) {
      typename Stored::Row x;
      if (!stored.read(first + q, x)) return {first + q, Flaw::bounds};
      squares[q] = 0;
      const Flaw flaw = x.each_in_order([&](Size j, double v) {
        if (const std::uint32_t at = rows.at(j)) work[(at - 1) * together + q] = v;
        squares[q] += v * v;
      });
      if (flaw != Flaw::none) return {first + q, flaw};
    }
    for (Size k = 0; k + 1 < rows.start.size(); ++k) {
      multiply_entries(rows, k, work.data(), squares, kernel, kernels);
      std::copy(kernels, kernels + some, out + k * stored.n + first);
    }
  }
  return {stored.n, Flaw::none};
}

// s[i] += step[k] gram[i * width + example[k]] for k = since[i], since[i] + 1, ... in turn.
inline Stop kernel_sums(const double* gram, Size rows, Size width, const std::int64_t* example,
                        const double* step, Size mistakes, const std::int64_t* since, double* s) {
  for (Size i = 0; i < rows; ++i) {
    double sum = s[i];
    for (Size k = Size(since[i]); k < mistakes; ++k) {
      const auto m = Size(read_once(example[k]));
      if (m >= width) return {k, Flaw::bounds};
      sum += step[k] * gram[i * width + m];
    }
    s[i] = sum;
  }
  return {rows, Flaw::none};
}

// votes[i] = the sum over k = 0, 1, ... of survived[k] times the sign of the score of row i after k
// mistakes.
inline Stop kernel_votes(const double* gram, Size rows, Size width, const std::int64_t* example,
                         const double* step, const std::int64_t* survived, Size mistakes,
                         bool zero_is_positive, double* votes) {
  const double zero = zero_is_positive ? 1.0 : -1.0;
  for (Size i = 0; i < rows; ++i) {
    double s = 0, v = double(survived[0]) * zero;
    for (Size k = 0; k < mistakes; ++k) {
      const auto m = Size(read_once(example[k]));
      if (m >= width) return {k, Flaw::bounds};
      s += step[k] * gram[i * width + m];
      v += double(survived[k + 1]) * (s > 0 ? 1.0 : s < 0 ? -1.0 : zero);
    }
    votes[i] = v;
  }
  return {rows, Flaw::none};
}

// The pass over n rows whose kernels are gram, and whose scores by the mistakes before them are s:
//   for each i:  if y_i s_i <= threshold:  record (t, i, s_i), and s_j += step y_i gram_ij for all j.
// So s holds the scores of all rows by all mistakes in the end. If there is a u, it gets t - 1 times
// each addition, as for AveragedSum. `met` gets the score by which each row was predicted.
NOVIKOFF_CLONES inline Stop kernel_pass(const double* gram, Size n, const std::int8_t* labels,
                                        const double* importance, const Rule& rule,
                                        std::int64_t rounds, double* s, double* u, double* met,
                                        Mistakes& out) {
  constexpr double huge = std::numeric_limits<double>::max();
  for (Size i = 0; i < n; ++i) {
    const std::int64_t before = rounds + std::int64_t(i);
    met[i] = rule.unit * (u && before ? s[i] - u[i] / double(before) : s[i]);
    const int positive = labels[i] > 0;
    const double y = positive ? 1.0 : -1.0;
    if (y * s[i] > rule.threshold[positive] && y * s[i] <= huge) continue;
    if (!(std::abs(s[i]) <= huge)) return {i, Flaw::value};
    double step = y * rule.step[positive];
    if (importance) {
      step *= importance[i];
      if (step == 0) continue;
      if (!(std::abs(step) <= huge)) return {i, Flaw::step};
    }
    out.record(i, {before + 1, rule.unit * s[i], step, gram[i * n + i]});
    for (Size j = 0; j < n; ++j) s[j] += step * gram[i * n + j];
    if (!u) continue;
    const double late = double(before) * step;
    for (Size j = 0; j < n; ++j) u[j] += late * gram[i * n + j];
  }
  return {n, Flaw::none};
}

// A number below n from a seed and a count, as if drawn at random (Steele, Lea & Flood 2014, SplitMix).
inline Size drawn(std::uint64_t seed, std::uint64_t count, Size n) {
  std::uint64_t z = (seed << 32) + (count + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return Size((z ^ (z >> 31)) % n);
}

// The mistakes that are kept, oldest first, at most `budget`: their columns in gram, and their steps.
struct Budget {
  Size most;
  std::uint64_t seed, made;  // updates before this pass
  std::int64_t* column;
  double* step;
  Size count;
};

// The pass that keeps at most so many mistakes: of row i, whose kernels with the mistakes kept before
// the pass and with all rows of the pass are gram[i * width ...], its own column being width - n + i,
//   s = the sum of step gram over the mistakes kept, oldest first;
//   if y_i s <= threshold:  record (t, i, s), forget one of `most` at random, and keep i.
// Every score is summed anew, so that it does not depend on what was forgotten, nor on blocks.
inline Stop kernel_budget_pass(const double* gram, Size n, Size width, const std::int8_t* labels,
                               const double* importance, const Rule& rule, std::int64_t rounds,
                               Budget& kept, double* met, Mistakes& out) {
  constexpr double huge = std::numeric_limits<double>::max();
  for (Size i = 0; i < n; ++i) {
    double s = 0;
    for (Size m = 0; m < kept.count; ++m)
      s += kept.step[m] * gram[i * width + Size(kept.column[m])];
    met[i] = rule.unit * s;
    const int positive = labels[i] > 0;
    const double y = positive ? 1.0 : -1.0;
    if (y * s > rule.threshold[positive] && y * s <= huge) continue;
    if (!(std::abs(s) <= huge)) return {i, Flaw::value};
    double step = y * rule.step[positive];
    if (importance) {
      step *= importance[i];
      if (step == 0) continue;
      if (!(std::abs(step) <= huge)) return {i, Flaw::step};
    }
    const Size own = width - n + i;
    out.record(i, {rounds + std::int64_t(i) + 1, rule.unit * s, step, gram[i * width + own]});
    if (kept.count == kept.most) {
      const Size gone = drawn(kept.seed, kept.made, kept.most);
      std::copy(kept.column + gone + 1, kept.column + kept.count, kept.column + gone);
      std::copy(kept.step + gone + 1, kept.step + kept.count, kept.step + gone);
      --kept.count;
    }
    kept.column[kept.count] = std::int64_t(own), kept.step[kept.count] = step;
    ++kept.count, ++kept.made;
  }
  return {n, Flaw::none};
}

}  // namespace novikoff
