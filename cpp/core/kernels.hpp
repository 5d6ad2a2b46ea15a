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
#include "core/honest.hpp"
#include "core/joint.hpp"
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

constexpr Size together = 32;  // stored rows multiplied at once: enough sums to hide their latency

// The entries other than 0 of some rows, each row's one after the other. The columns that occur are
// numbered in their order and cut into blocks, so that `together` numbers for each column of a block
// fit into the fastest cache: 18 -> 10 ns for a kernel of two images of 784 pixels, 150 of them not 0.
struct RowEntries {
  static constexpr Size narrow = Size(1) << 22;  // a table of more columns would take too much memory
  static constexpr Size block = 128, least = 12;  // columns of a block; entries that a row has in it
  std::vector<std::uint32_t> place;              // 1 + the number of a column, or 0
  std::unordered_map<Size, std::uint32_t> few;   // the same for rows of more columns than that
  std::vector<std::uint32_t> column;
  std::vector<double> value, square;
  std::vector<Size> start;  // of each row's entries in each block
  Size n = 0, columns = 0, blocks = 1;

  [[gnu::always_inline]] std::uint32_t at(Size j) const {
    if (!place.empty()) return place[j];
    const auto found = few.find(j);
    return found == few.end() ? 0 : found->second;
  }

  template <class Rows>
  Stop gather(const Rows& rows, Size begin, Size end) {
    std::vector<Size> met, last;
    Stop stop{end, Flaw::none};
    if (rows.dim <= narrow) place.resize(rows.dim);
    Size room = 0, entries = 0;  // counted first: memory that grows is slower than a second look
    for (Size k = begin; k < end; ++k) {
      typename Rows::Row x;
      if (rows.read(k, x)) room += not_zero(x);
    }
    met.resize(room), value.resize(room);
    for (Size k = begin; k < end; ++k) {
      typename Rows::Row x;
      double sum = 0;
      Size at = entries;
      Flaw flaw = Flaw::bounds;
      if (rows.read(k, x)) {
        flaw = x.each_in_order([&, columns = met.data(), values = value.data()](Size j, double v)
                                   __attribute__((always_inline)) {
          if (v == 0 || at == room) return;  // the caller may change the numbers meanwhile
          columns[at] = j, values[at++] = v;
          sum += v * v;
        });
      }
      if (flaw == Flaw::none && !(sum <= std::numeric_limits<double>::max())) flaw = Flaw::value;
      if (flaw != Flaw::none) {
        stop = {k, flaw};
        break;
      }
      entries = at;
      square.push_back(sum), last.push_back(entries);
    }
    met.resize(entries);
    n = last.size();
    number(met);
    blocks = std::max(Size(1), std::min((columns + block - 1) / block, met.size() / (least * n + 1)));
    const Size width = (columns + blocks - 1) / blocks;
    column.reserve(met.size()), start.reserve(n * blocks + 1);
    for (Size k = 0, e = 0; k < n; ++k) {
      for (Size b = 0; b < blocks; ++b) {
        start.push_back(e);
        for (; e < last[k]; ++e) {
          const std::uint32_t c = at(met[e]) - 1;
          if (c >= (b + 1) * width && b + 1 < blocks) break;
          column.push_back(c);
        }
      }
    }
    start.push_back(met.size());
    return stop;
  }

 private:
  template <class Row>
  static Size not_zero(const Row& x) {
    Size count = 0;
    for (Size k = 0, n = x.size(); k < n; ++k) count += x.x[k] != 0;
    return count;
  }

  void number(const std::vector<Size>& met) {
    if (!place.empty()) {
      for (const Size j : met) place[j] = 1;
      for (std::uint32_t& at : place)
        if (at) at = std::uint32_t(++columns);
      return;
    }
    std::vector<Size> sorted(met);
    std::sort(sorted.begin(), sorted.end());
    for (const Size j : sorted)
      if (few.try_emplace(j, columns + 1).second) ++columns;
  }
};

using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));  // four at once

#if defined(NOVIKOFF_WIDE)
using WideLanes = double __attribute__((vector_size(64), aligned(8), may_alias));

// What multiply_entries does, with eight numbers at once: a pass over 20,000 images takes 15 % less. GCC
// cuts vectors to fit the function in which they are written, so this one has a loop of its own.
NOVIKOFF_WIDEST inline void multiply_entries_wide(const RowEntries& rows, Size block, const double* work,
                                                  double* sums) {
  static_assert(together == 32);
  const double* const value = rows.value.data();
  const std::uint32_t* const column = rows.column.data();
  for (Size k = 0; k < rows.n; ++k) {
    auto* const to = reinterpret_cast<WideLanes*>(sums + k * together);
    WideLanes a = to[0], b = to[1], c = to[2], d = to[3];
    const Size* const start = rows.start.data() + k * rows.blocks + block;
    for (Size e = start[0], end = start[1]; e < end; ++e) {
      const auto* const w = reinterpret_cast<const WideLanes*>(work + Size(column[e]) * together);
      const double v = value[e];
      a += v * w[0], b += v * w[1], c += v * w[2], d += v * w[3];
    }
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
  }
}
#endif

// sums[k * together + q] += the product of row k of these with stored row q in one block, where
// work[c * together + q] is the latter's column c.
inline void multiply_entries(const RowEntries& rows, Size block, const double* work, double* sums) {
#if defined(NOVIKOFF_WIDE)
  if (widest) return multiply_entries_wide(rows, block, work, sums);
#endif
  on_this_processor([=, &rows]() __attribute__((always_inline)) {
    constexpr Size vectors = together / 4;
    const double* const value = rows.value.data();
    const std::uint32_t* const column = rows.column.data();
    for (Size k = 0; k < rows.n; ++k) {
      Lanes a[vectors];
      auto* const to = reinterpret_cast<Lanes*>(sums + k * together);
#pragma GCC unroll 8
      for (Size q = 0; q < vectors; ++q) a[q] = to[q];
      const Size* const start = rows.start.data() + k * rows.blocks + block;
      for (Size e = start[0], end = start[1]; e < end; ++e) {
        const auto* const w = reinterpret_cast<const Lanes*>(work + Size(column[e]) * together);
        const double v = value[e];
#pragma GCC unroll 8
        for (Size q = 0; q < vectors; ++q) a[q] += v * w[q];
      }
#pragma GCC unroll 8
      for (Size q = 0; q < vectors; ++q) to[q] = a[q];
    }
  });
}

// Turns the inner products of all rows with stored rows of these squares into kernels, and turns the
// table round: tile[q * rows.n + k] is the kernel of row k with stored row q. Eight rows are turned at a
// time, so that what is read again is in the fastest cache.
inline void apply_kernel(const RowEntries& rows, const Kernel& kernel,
                         const double (&squares)[together], double* sums, double* tile) {
  on_this_processor([=, &rows, &kernel, &squares]() __attribute__((always_inline)) {
    constexpr Size turned = 8;
    const Size n = rows.n;
    for (Size first = 0; first < n; first += turned) {
      const Size end = std::min(n, first + turned);
      for (Size k = first; k < end; ++k)
        kernel.apply(reinterpret_cast<double(&)[together]>(sums[k * together]), rows.square[k], squares);
      for (Size q = 0; q < together; ++q)
        for (Size k = first; k < end; ++k) tile[q * n + k] = sums[k * together + q];
    }
  });
}

// Calls use(m, some, tile) for some stored rows which[m], which[m + 1], ... at a time (or stored rows m,
// m + 1, ... without `which`), where tile[q * rows.n + k] = K(row k of these, stored row which[m + q]).
template <class Stored, class Use>
Stop kernel_tiles(const Stored& stored, const std::int64_t* which, Size width, const RowEntries& rows,
                  const Kernel& kernel, Use use) {
  // vectors that begin with a line of the cache are read in 14 -> 10 ns a kernel
  std::vector<Line> room((rows.columns + 2 * rows.n) * together / Line::doubles);
  double* const work = reinterpret_cast<double*>(room.data());  // which may be null
  double* const sums = work + rows.columns * together;
  double* const tile = sums + rows.n * together;
  double squares[together] = {};
  for (Size m = 0; m < width; m += together) {
    const Size some = std::min(together, width - m);
    const auto spread = [&](bool clear) -> Stop {
      for (Size q = 0; q < some; ++q) {
        Size i;
        typename Stored::Row x;
        if (!read_row(stored, which, m + q, width, i, x)) return {m + q, Flaw::bounds};
        double sum = 0;
        const Flaw flaw = x.each_in_order([&](Size j, double v) {
          if (const std::uint32_t at = rows.at(j)) work[(at - 1) * together + q] = clear ? 0 : v;
          sum += v * v;
        });
        if (flaw != Flaw::none) return {m + q, flaw};
        squares[q] = sum;
      }
      return {width, Flaw::none};
    };
    if (const Stop stop = spread(false); stop.flaw != Flaw::none) return stop;
    std::fill(sums, sums + rows.n * together, 0.0);
    for (Size b = 0; b < rows.blocks; ++b) multiply_entries(rows, b, work, sums);
    apply_kernel(rows, kernel, squares, sums, tile);
    if (const Stop stop = use(m, some, tile); stop.flaw != Flaw::none) return stop;
    spread(true);
  }
  return {width, Flaw::none};
}

// out[m * stride + first + k] = K(row k of these, stored row which[m]), or stored row m without `which`.
template <class Stored>
Stop kernel_gram(const Stored& stored, const std::int64_t* which, Size width, const RowEntries& rows,
                 const Kernel& kernel, Size stride, Size first, double* out) {
  return kernel_tiles(stored, which, width, rows, kernel, [=, n = rows.n](Size m, Size some, const double* tile) {
    for (Size q = 0; q < some; ++q) std::copy_n(tile + q * n, n, out + (m + q) * stride + first);
    return Stop{width, Flaw::none};
  });
}

// Mistakes in the order of the run, each on a row of a Gram matrix, with a step for a column of scores.
struct Added {
  const std::int64_t *example, *column;
  const double* step;
  Size mistakes;
};

// s[column[k] * stride + i] += step[k] gram[(example[k] - first) * n + i] for k = begin, begin + 1, ... in
// turn, for all n rows i, until an example is not below first + width; returns that k.
inline Stop kernel_sums(const double* gram, Size n, Size first, Size width, const Added& made, Size begin,
                        Size columns, Size stride, double* s) {
  return on_this_processor([=, &made]() __attribute__((always_inline)) -> Stop {
    for (Size k = begin; k < made.mistakes; ++k) {
      const auto m = Size(read_once(made.example[k])), c = Size(read_once(made.column[k]));
      if (m < first || c >= columns) return {k, Flaw::bounds};
      if (m - first >= width) return {k, Flaw::none};
      const double* const of = gram + (m - first) * n;
      double* const to = s + c * stride;
      const double a = made.step[k];
      for (Size i = 0; i < n; ++i) to[i] += a * of[i];
    }
    return {made.mistakes, Flaw::none};
  });
}

// The same with the kernels of stored rows and these rows, which are computed on the way; the examples
// of mistakes do not decrease. Kernels are not written to memory: 21 -> 12 ns for each of 225 million.
template <class Stored>
Stop kernel_scores(const Stored& stored, const std::int64_t* which, Size width, const RowEntries& rows,
                   const Kernel& kernel, const Added (&made)[2], Size columns, Size stride,
                   double* const (&s)[2]) {
  Size at[2] = {};
  const auto add = [&](Size m, Size some, const double* tile) {
    Stop stop{0, Flaw::none};
    for (int t = 0; t < 2 && stop.flaw == Flaw::none; ++t) {
      if (!s[t]) continue;
      stop = kernel_sums(tile, rows.n, m, some, made[t], at[t], columns, stride, s[t]);
      at[t] = stop.at;
    }
    return stop;
  };
  const Stop stop = kernel_tiles(stored, which, width, rows, kernel, add);
  const bool left = (s[0] && at[0] < made[0].mistakes) || (s[1] && at[1] < made[1].mistakes);
  return left && stop.flaw == Flaw::none ? Stop{width, Flaw::bounds} : stop;
}

// votes[i] = the sum over k = 0, 1, ... of survived[k] times the sign of the score s[i] of row i after
// k mistakes; s starts at 0.
inline Stop kernel_votes(const double* gram, Size n, Size width, const std::int64_t* example,
                         const double* step, const std::int64_t* survived, Size mistakes,
                         bool zero_is_positive, double* s, double* votes) {
  return on_this_processor([=]() __attribute__((always_inline)) -> Stop {
    const double zero = zero_is_positive ? 1.0 : -1.0;
    for (Size i = 0; i < n; ++i) votes[i] = double(survived[0]) * zero;
    for (Size k = 0; k < mistakes; ++k) {
      const auto m = Size(read_once(example[k]));
      if (m >= width) return {k, Flaw::bounds};
      const double* const of = gram + m * n;
      const double a = step[k], lasted = double(survived[k + 1]);
      for (Size i = 0; i < n; ++i) {
        s[i] += a * of[i];
        votes[i] += lasted * (s[i] > 0 ? 1.0 : s[i] < 0 ? -1.0 : zero);
      }
    }
    return {mistakes, Flaw::none};
  });
}

// The pass over n rows whose kernels are gram, and whose scores by the mistakes before them are s:
//   for each i:  if y_i s_i <= threshold:  record (t, i, s_i), and s_j += step y_i gram_ij for all j.
// So s holds the scores of all rows by all mistakes in the end. If there is a u, it gets t - 1 times
// each addition, as for AveragedSum. `met` gets the score by which each row was predicted.
inline Stop kernel_pass(const double* gram, Size n, const std::int8_t* labels, const double* importance,
                        const Rule& rule, std::int64_t rounds, double* s, double* u, double* met,
                        Mistakes& out) {
  return on_this_processor([=, &out]() __attribute__((always_inline)) -> Stop {
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
  });
}

// The same for many classes, learned as joint_pass learns them: s[c * n + i] is the score of row i for
// class c, of which there is room for `width`, and u is laid out alike. `own` has room for 2 width.
inline Stop kernel_joint_pass(const double* gram, Size n, const std::int32_t* labels,
                              const double* importance, const JointRule& rule, std::int64_t rounds,
                              Size width, Size& classes, double* s, double* u, double* own,
                              JointMistakes& out, HonestScores honest) {
  return on_this_processor([=, &classes, &out]() __attribute__((always_inline)) -> Stop {
    constexpr double huge = std::numeric_limits<double>::max();
    for (Size i = 0; i < n; ++i) {
      const std::int32_t y = read_once(labels[i]);
      if (Size(y) >= width) return {i, Flaw::label};
      const Size met = std::max(classes, Size(y) + 1);
      for (Size c = 0; c < met; ++c) {
        own[c] = s[c * n + i];
        if (!(std::abs(own[c]) <= huge)) return {i, Flaw::value};
      }
      const std::int32_t r = best_but(own, met, y);
      const double ahead = r < 0 ? huge : own[y] - own[r];
      if (!(std::abs(ahead) <= huge)) return {i, Flaw::value};
      const double step = rule.step[y] * (importance ? importance[i] : 1.0);
      if (!(std::abs(step) <= huge)) return {i, Flaw::step};
      classes = met;
      const std::int64_t before = rounds + std::int64_t(i);
      if (honest.data) {
        double* const mean = own + width;
        for (Size c = 0; c < met; ++c)
          mean[c] = u && before ? own[c] - u[c * n + i] / double(before) : own[c];
        honest.meet_classes(mean, met, Size(y), rule.unit, importance ? importance[i] : 1.0);
      }
      if (r < 0 || ahead > rule.threshold || step == 0) continue;
      out.right[out.count] = y;
      out.rival[out.count] = r;
      out.record(i, {before + 1, rule.unit * ahead, step, gram[i * n + i]});
      const auto add = [&](double* to, double a) {
        for (Size j = 0; j < n; ++j) to[j] += a * gram[i * n + j];
      };
      const double late = double(before) * step;
      add(s + Size(y) * n, step), add(s + Size(r) * n, -step);
      if (u) add(u + Size(y) * n, late), add(u + Size(r) * n, -late);
    }
    return {n, Flaw::none};
  });
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
// the pass and with all rows of the pass are gram[... * n + i], its own column being width - n + i,
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
      s += kept.step[m] * gram[Size(kept.column[m]) * n + i];
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
    out.record(i, {rounds + std::int64_t(i) + 1, rule.unit * s, step, gram[own * n + i]});
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
