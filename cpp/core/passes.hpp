// The mistake-driven pass over rows, and the scores of fixed weights, for any layout of rows.
#pragma once

#include <cmath>

#include "core/clones.hpp"
#include "core/rows.hpp"

namespace novikoff {

// The update rule: entry 0 is for label -1, entry 1 for label +1.
struct Rule {
  double threshold[2];  // update when y s <= threshold
  double step[2];       // how much of y x to add
  double unit;          // the true weights are w * unit; recorded scores are multiplied by it
  bool bias;            // the last weight belongs to a constant feature 1
};

// The mistakes, column by column; with room for one more per row of the pass.
struct Mistakes {
  std::int64_t* round;
  std::int64_t* row;
  double* score;
  double* step;
  double* square;
  Size count;
};

struct Stop {
  Size at;     // the first position not processed
  Flaw flaw;   // none: all were processed
};

// The perceptron's weights: a score is a dot product, and a mistaken row is added.
template <class Number>
struct Sum {
  Number* w;

  template <class Row>
  [[gnu::always_inline]] Flaw score(const Row& x, bool bias, Size dim, double& s) const {
    return x.dot(w, bias, dim, s);
  }

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, double step, bool bias, Size dim) const {
    x.add(step, w);
    if (bias) w[dim] += step;
    return Flaw::none;
  }
};

constexpr Size rows_ahead = 4;

// Prefetches the row four positions ahead, for orders that jump about in memory.
template <class Rows>
inline void look_ahead(const Rows& rows, const std::int64_t* order, Size k, Size end) {
  if (k + 2 * rows_ahead < end) rows.expect_outline(Size(order[k + 2 * rows_ahead]));
  if (k + rows_ahead < end) {
    const Size i = Size(order[k + rows_ahead]);
    if (i < rows.n && rows.outline(i) == Flaw::none) rows.expect(i);
  }
}

// For each position k in [begin, end), i = order[k] (or k):
//   s = the score of x_i;  if y_i s <= threshold:  learn step y_i x_i, and record (t, i, s).
// `weights` defines the score and the update: for a Sum, <w, x> and w += step y x. t counts rounds
// from `rounds` + 1. If `weighed`, the step is multiplied by importance_i, and an example whose
// step is 0 is scored but not learned from; otherwise importances are not read. A non-finite
// feature makes s non-finite whatever the weights (0 * inf is NaN), so checking s checks the data.
// Stops before the first row that it cannot use; everything before that row is learned.
template <bool weighed, class Rows, class Weights>
NOVIKOFF_CLONES Stop pass(const Rows& rows, const std::int8_t* labels, const double* importance,
                          const std::int64_t* order, Size begin, Size end, const Rule& rule,
                          std::int64_t rounds, Weights weights, Mistakes& out) {
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
    double s;
    if (const Flaw flaw = weights.score(x, rule.bias, rows.dim, s); flaw != Flaw::none)
      return {k, flaw};
    const int positive = labels[i] > 0;
    const double y = positive ? 1.0 : -1.0;
    if (y * s > rule.threshold[positive] && y * s <= huge) continue;
    if (!(std::abs(s) <= huge)) return {k, Flaw::value};

    double step = y * rule.step[positive];
    if constexpr (weighed) {
      step *= importance[i];
      if (step == 0) continue;
      if (!(std::abs(step) <= huge)) return {k, Flaw::step};
    }
    if (const Flaw flaw = weights.learn(x, step, rule.bias, rows.dim); flaw != Flaw::none)
      return {k, flaw};
    out.round[out.count] = rounds + std::int64_t(k - begin) + 1;
    out.row[out.count] = std::int64_t(i);
    out.score[out.count] = s * rule.unit;
    out.step[out.count] = step;
    out.square[out.count] = rows.square(i, rule.bias);
    ++out.count;
  }
  return {end, Flaw::none};
}

// w += step[k] x_i for each k in turn, where i = example[k]: replays the updates of a run.
template <class Rows>
NOVIKOFF_CLONES void accumulate(const Rows& rows, const std::int64_t* example, const double* step,
                                Size n, bool bias, double* w) {
  for (Size k = 0; k < n; ++k) {
    look_ahead(rows, example, k, n);
    rows.row(Size(example[k])).add(step[k], w);
    if (bias) w[rows.dim] += step[k];
  }
}

// out[k - begin] = the score of x_k for k in [begin, end), summed as in the pass.
template <class Rows, class Weights>
NOVIKOFF_CLONES Stop scores(const Rows& rows, Size begin, Size end, Weights weights, bool bias,
                            double* out) {
  for (Size k = begin; k < end; ++k) {
    if (const Flaw flaw = rows.outline(k); flaw != Flaw::none) return {k, flaw};
    const auto x = rows.row(k);
    if (const Flaw flaw = weights.score(x, bias, rows.dim, out[k - begin]); flaw != Flaw::none)
      return {k, flaw};
    if (!(std::abs(out[k - begin]) <= std::numeric_limits<double>::max())) return {k, Flaw::value};
  }
  return {end, Flaw::none};
}

}  // namespace novikoff
