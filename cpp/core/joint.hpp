// Many classes learned jointly: one weight vector per class, the mistake-driven pass, and the
// votes.
//
// Weights are stored by feature, w[j * width + r] for class r, so that a row reads each of its
// features once for all classes. `width` is the number of classes rounded up to a multiple of four;
// the weights of the unused classes stay 0. A score is summed in the order of the columns, the
// constant last, so that it has the same bits for dense and sparse rows and for any number of
// allocated features.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/clones.hpp"
#include "core/passes.hpp"

namespace novikoff {

constexpr Size classes_at_a_time = 4;

// s[b], ..., s[b + n - 1] for the n classes from b on.
template <Size n, class Row>
[[gnu::always_inline]] inline void class_scores(const Row& x, const double* w, Size width, Size b,
                                                const double* constant, double* s) {
  double a[n] = {};
  x.each([&](Size j, double value) __attribute__((always_inline)) {
    const double* at = w + j * width + b;
    for (Size q = 0; q < n; ++q) a[q] += value * at[q];
  });
  if (constant)
    for (Size q = 0; q < n; ++q) a[q] += constant[b + q];
  for (Size q = 0; q < n; ++q) s[b + q] = a[q];
}

// The scores of x for all classes; the row must have been checked.
template <class Row>
[[gnu::always_inline]] inline void class_scores(const Row& x, const double* w, Size width,
                                                const double* constant, double* s) {
  Size b = 0;
  for (; b + 3 * classes_at_a_time <= width; b += 3 * classes_at_a_time)
    class_scores<3 * classes_at_a_time>(x, w, width, b, constant, s);
  for (; b < width; b += classes_at_a_time)
    class_scores<classes_at_a_time>(x, w, width, b, constant, s);
}

template <class T>
inline Flaw flaw_of(const DenseRow<T>&, Size) {
  return Flaw::none;
}

template <class T, class I>
inline Flaw flaw_of(const SparseRow<T, I>& x, Size dim) {
  bool unsorted = false;
  std::int64_t last = -1;
  for (Size k = 0; k < x.n; ++k) {
    const auto j = static_cast<Size>(x.index[k]);  // a negative index becomes very large
    if (j >= dim) return Flaw::index;
    unsorted |= static_cast<std::int64_t>(j) <= last;
    last = static_cast<std::int64_t>(j);
  }
  return unsorted ? Flaw::order : Flaw::none;
}

// The first class other than `one` with the highest score; -1 if there is no other class.
inline std::int32_t best_but(const double* s, Size classes, std::int32_t one) {
  std::int32_t best = -1;
  for (std::int32_t r = 0; r < std::int32_t(classes); ++r)
    if (r != one && (best < 0 || s[r] > s[best])) best = r;
  return best;
}

// w[y] += step x and w[r] -= step x.
template <class Row>
[[gnu::always_inline]] inline void part_classes(const Row& x, double step, std::int32_t y,
                                                std::int32_t r, bool bias, Size dim, Size width,
                                                double* w) {
  const auto change = [&](Size j, double value) __attribute__((always_inline)) {
    w[j * width + Size(y)] += step * value;
    w[j * width + Size(r)] -= step * value;
  };
  x.each(change);
  if (bias) change(dim, 1.0);
}

struct JointRule {
  double threshold;    // update when s_y - s_r <= threshold
  const double* step;  // how much of x to add, for each class that y may be
  double unit;         // the true weights are w * unit; recorded scores are multiplied by it
  bool bias;           // the last weights belong to a constant feature 1
};

// The mistakes, each with the right class and the rival that scored too high.
struct JointMistakes : Mistakes {
  std::int32_t* right;
  std::int32_t* rival;
};

// For each position k in [begin, end), i = order[k] (or k), y = labels[i]:
//   s_c = <w_c, x_i> for each class met so far;  r = the first of the others with the highest s;
//   if s_y - s_r <= threshold:  w_y += step x_i, w_r -= step x_i, and record (t, i, s_y - s_r, y, r).
// `classes` counts the classes met. A class met for the first time has weights 0; while there is
// only one class there is no rival and nothing to learn. Importances, flaws and stopping are as in
// `pass`. `s` has room for `width` scores.
template <bool weighed, class Rows>
NOVIKOFF_CLONES Stop joint_pass(const Rows& rows, const std::int32_t* labels,
                                const double* importance, const std::int64_t* order, Size begin,
                                Size end, const JointRule& rule, std::int64_t rounds, Size width,
                                Size& classes, double* w, double* s, JointMistakes& out) {
  constexpr double huge = std::numeric_limits<double>::max();
  for (Size k = begin; k < end; ++k) {
    Size i = k;
    if (order) {
      i = Size(order[k]);
      if (i >= rows.n) return {k, Flaw::bounds};
      look_ahead(rows, order, k, end);
    }
    if (const Flaw flaw = rows.outline(i); flaw != Flaw::none) return {k, flaw};
    const auto x = rows.row(i);
    if (const Flaw flaw = flaw_of(x, rows.dim); flaw != Flaw::none) return {k, flaw};
    const std::int32_t y = labels[i];
    if (y < 0 || Size(y) >= width) return {k, Flaw::label};
    class_scores(x, w, width, rule.bias ? w + rows.dim * width : nullptr, s);
    for (Size r = 0; r < width; ++r)  // a non-finite feature makes every score non-finite
      if (!(std::abs(s[r]) <= huge)) return {k, Flaw::value};
    const Size met = std::max(classes, Size(y) + 1);
    const std::int32_t r = best_but(s, met, y);
    const double ahead = r < 0 ? huge : s[y] - s[r];
    if (!(std::abs(ahead) <= huge)) return {k, Flaw::value};

    double step = rule.step[y];
    if constexpr (weighed) {
      step *= importance[i];
      if (!(std::abs(step) <= huge)) return {k, Flaw::step};
    }
    classes = met;
    if (r < 0 || ahead > rule.threshold || step == 0) continue;
    part_classes(x, step, y, r, rule.bias, rows.dim, width, w);
    out.round[out.count] = rounds + std::int64_t(k - begin) + 1;
    out.row[out.count] = std::int64_t(i);
    out.score[out.count] = ahead * rule.unit;
    out.step[out.count] = step;
    out.square[out.count] = rows.square(i, rule.bias);
    out.right[out.count] = y;
    out.rival[out.count] = r;
    ++out.count;
  }
  return {end, Flaw::none};
}

// w[right[k]] += step[k] x_i, w[rival[k]] -= step[k] x_i for each k in turn, where i = example[k].
template <class Rows>
NOVIKOFF_CLONES void joint_accumulate(const Rows& rows, const std::int64_t* example,
                                      const double* step, const std::int32_t* right,
                                      const std::int32_t* rival, Size n, bool bias, Size width,
                                      double* w) {
  for (Size k = 0; k < n; ++k) {
    look_ahead(rows, example, k, n);
    part_classes(rows.row(Size(example[k])), step[k], right[k], rival[k], bias, rows.dim, width, w);
  }
}

// out[(k - begin) * width ...] = the scores of x_k for k in [begin, end), summed as in the pass.
template <class Rows>
NOVIKOFF_CLONES Stop joint_scores(const Rows& rows, Size begin, Size end, bool bias, Size width,
                                  const double* w, double* out) {
  for (Size k = begin; k < end; ++k) {
    if (const Flaw flaw = rows.outline(k); flaw != Flaw::none) return {k, flaw};
    const auto x = rows.row(k);
    if (const Flaw flaw = flaw_of(x, rows.dim); flaw != Flaw::none) return {k, flaw};
    double* s = out + (k - begin) * width;
    class_scores(x, w, width, bias ? w + rows.dim * width : nullptr, s);
    for (Size r = 0; r < width; ++r)
      if (!(std::abs(s[r]) <= std::numeric_limits<double>::max())) return {k, Flaw::value};
  }
  return {end, Flaw::none};
}

// A run: mistake k added step[k] times stored row example[k] to class right[k] and subtracted it
// from class rival[k]. The weights after mistake k lasted survived[k + 1] rounds, the starting
// weights survived[0].
struct JointHistory {
  const std::int64_t* example;
  const double* step;
  const std::int32_t* right;
  const std::int32_t* rival;
  const std::int64_t* survived;
  Size mistakes;
  Size classes;
};

// votes[r] = the number of rounds in which class r had the highest score for one row (the first
// class in a tie). dots[i * stride] = <stored_i, row>; s = the scores at the start, overwritten.
inline void count_class_votes(const JointHistory& h, const double* dots, Size stride, double* s,
                              double* votes) {
  for (Size r = 0; r < h.classes; ++r) votes[r] = 0;
  Size best = 0;
  const auto search = [&] {
    best = 0;
    for (Size r = 1; r < h.classes; ++r)
      if (s[r] > s[best]) best = r;
  };
  search();
  votes[best] += double(h.survived[0]);
  for (Size k = 0; k < h.mistakes; ++k) {
    const double d = h.step[k] * dots[Size(h.example[k]) * stride];
    s[h.right[k]] += d;
    s[h.rival[k]] -= d;
    if (d != 0) search();
    votes[best] += double(h.survived[k + 1]);
  }
}

}  // namespace novikoff
