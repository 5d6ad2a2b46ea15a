// The mistake-driven pass over rows, and the scores of fixed weights, for any layout of rows.
#pragma once

#include <cmath>

#include "core/clones.hpp"
#include "core/estimates.hpp"
#include "core/honest.hpp"
#include "core/rows.hpp"

namespace novikoff {

// The update rule: entry 0 is for label -1, entry 1 for label +1.
struct Rule {
  double threshold[2];  // update when y s <= threshold
  double step[2];       // how much of y x to add
  double unit;          // the true weights are w * unit; recorded scores are multiplied by it
  bool bias;            // the last weight belongs to a constant feature 1
};

// An update: in which round (from 1) it was made, the score before it, how much of x was added (or,
// for other weights than sums, what took that place), and |x|^2.
struct Update {
  std::int64_t round;
  double score, step, square;
};

// The updates, column by column; with room for one more per row of the pass.
struct Mistakes {
  std::int64_t* round;
  std::int64_t* row;
  double* score;
  double* step;
  double* square;
  Size count;

  [[gnu::always_inline]] void record(Size i, const Update& made) {
    round[count] = made.round;
    row[count] = std::int64_t(i);
    score[count] = made.score;
    step[count] = made.step;
    square[count] = made.square;
    ++count;
  }
};

struct Stop {
  Size at;     // the first position not processed
  Flaw flaw;   // none: all were processed
};

template <class Row>
concept IsSparse = requires(Row x) { x.index; };

// The perceptron's weights: a score is a dot product, and a mistaken row is added. `narrow`, unless it is
// null, is the float32 copy from which scores of sparse rows are estimated.
template <class Number>
struct Sum {
  Number* w;
  std::conditional_t<std::is_const_v<Number>, const float, float>* narrow = nullptr;

  static constexpr Size width = 1;  // scores per row

  // The same with other arrays: f of each.
  template <class F>
  Sum with(F f) const {
    return {f(w)};
  }

  template <class Row>
  [[gnu::always_inline]] Flaw score(const Row& x, bool bias, double* s) const {
    return x.dot(w, bias, *s);
  }

  // Also finds the score, if `narrow` is there.
  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, Update& made) const {
    if constexpr (IsSparse<Row>)
      if (narrow)
        return x.score_and_add(made.step, bias, w, narrow, made.score, made.square);
    return x.add_and_square(made.step, bias, w, made.square);
  }
};

// The same with u, which accumulates (t - 1) times the update of round t: the mean of the weights over
// the first t rounds is w - u / t.
struct AveragedSum : Sum<double> {
  double* u;

  template <class F>
  AveragedSum with(F f) const {
    return {{f(w)}, f(u)};
  }

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, Update& made) const {
    const double late = double(made.round - 1) * made.step;
    x.add(late, bias, u);
    return Sum::learn(x, bias, made);
  }
};

// The score s of x by the weights after `rounds` rounds; and, unless it is null, *seen, that by which x is
// predicted: of their mean if they have a u.
template <class Weights, class Row>
[[gnu::always_inline]] inline Flaw score_and_prediction(Weights& weights, const Row& x, const Rule& rule,
                                                        std::int64_t rounds, double& s, double* seen) {
  if constexpr (requires { weights.u; }) {
    if (seen && weights.u && rounds > 0) {
      double late;
      Flaw flaw;
      if constexpr (std::is_base_of_v<Sum<double>, Weights> && IsSparse<Row>) {
        flaw = x.dots(weights.w, weights.u, rule.bias, s, late);
      } else {
        flaw = weights.score(x, rule.bias, &s);
        x.dot(weights.u, rule.bias, late);
      }
      *seen = rule.unit * (s - late / double(rounds));
      return flaw;
    }
  }
  const Flaw flaw = weights.score(x, rule.bias, &s);
  if (seen) *seen = rule.unit * s;
  return flaw;
}

constexpr Size rows_ahead = 4;

// Prefetches the row four positions ahead, because an order may jump about in memory.
template <class Rows>
inline void look_ahead(const Rows& rows, const std::int64_t* order, Size k, Size end) {
  if (k + 2 * rows_ahead < end) rows.expect_outline(Size(read_once(order[k + 2 * rows_ahead])));
  if (k + rows_ahead >= end) return;
  const auto i = Size(read_once(order[k + rows_ahead]));
  typename Rows::Row x;
  if (i < rows.n && rows.read(i, x)) x.expect();
}

// Reads row i = order[k] (or k) into x; false if it is not there.
template <class Rows>
[[gnu::always_inline]] inline bool read_row(const Rows& rows, const std::int64_t* order, Size k,
                                            Size end, Size& i, typename Rows::Row& x) {
  i = k;
  if (order) {
    i = Size(read_once(order[k]));
    if (i >= rows.n) return false;
    look_ahead(rows, order, k, end);
  }
  return rows.read(i, x);
}

// What an estimate of y s tells: whether it is above the threshold, or that it is not.
enum class Told { nothing, above, below };

// Unless it is null, `met` gets a score of the same bin as that by which the row is predicted.
[[gnu::always_inline]] inline Told told_by(const Estimate& near, const Rule& rule, double y, double threshold,
                                           double* met) {
  const bool above = y * near.s - near.error > threshold;
  if (!above && !(y * near.s + near.error <= threshold)) return Told::nothing;
  if (met) {
    const double high = rule.unit * (near.s + near.error);
    if (bin_of(rule.unit * (near.s - near.error)) != bin_of(high)) return Told::nothing;
    *met = high;
  }
  return above ? Told::above : Told::below;
}

template <class Weights, class Row>
[[gnu::always_inline]] inline Told tell(const Weights& weights, const Row& x, const Rule& rule, double y,
                                        double threshold, double* met) {
  if constexpr (IsSparse<Row> && requires { weights.narrow; }) {
    if (!weights.narrow) return Told::nothing;
    return told_by(estimate(x, weights.w, weights.narrow, rule.bias), rule, y, threshold, met);
  }
  return Told::nothing;
}

// Learns from row i, x, of label y = +1 if `positive`, of which an estimate told what is in `told`, after so
// many `rounds`. Its importance is read if it is `weighed`.
template <bool weighed, class Weights, class Row>
[[gnu::always_inline]] inline Flaw learn_row(Weights& weights, const Row& x, Size i, const Rule& rule,
                                             int positive, double y, Told told, std::int64_t rounds,
                                             const double* importance, Mistakes& out, double* seen) {
  constexpr double huge = std::numeric_limits<double>::max();
  double s = 0;
  if (told == Told::nothing) {
    if (const Flaw flaw = score_and_prediction(weights, x, rule, rounds, s, seen); flaw != Flaw::none)
      return flaw;
    if (y * s > rule.threshold[positive] && y * s <= huge) return Flaw::none;
    if (!(std::abs(s) <= huge)) return Flaw::value;
  }
  double step = y * rule.step[positive];
  if constexpr (weighed) {
    step *= importance[i];
    if (step == 0) return Flaw::none;
    if (!(std::abs(step) <= huge)) return Flaw::step;
  }
  Update made{rounds + 1, s, step, 0};
  if (const Flaw flaw = weights.learn(x, rule.bias, made); flaw != Flaw::none) return flaw;
  made.score *= rule.unit;
  out.record(i, made);
  return Flaw::none;
}

// In a table, because a branch on a label is predicted no better than a coin: 18.5 -> 16 ms for 1,000,000
// rows of 28.
constexpr double sign_of[2] = {-1.0, 1.0};

// For each position k in [begin, end), i = order[k] (or k):
//   s = the score of x_i;  if y_i s <= threshold:  learn step y_i x_i, and record (t, i, s).
// `weights` defines the score and the update: for a Sum, <w, x> and w += step y x; others may take
// another step, and record that. t counts rounds
// from `rounds` + 1. If `weighed`, the step is multiplied by importance_i, and an example whose
// step is 0 is scored but not learned from; otherwise importances are not read. A non-finite
// feature makes s non-finite whatever the weights (0 * inf is NaN), so checking s checks the data.
// Stops before the first row that it cannot use; everything before that row is learned. Unless it is
// null, `met` gets the score by which each row was predicted before it was learned from, or one of
// the same bin. Where an estimate of s decides, s itself is found only if the row is learned from.
template <bool weighed, class Rows, class Weights>
Stop pass(const Rows& rows, const std::int8_t* labels, const double* importance,
          const std::int64_t* order, Size begin, Size end, const Rule& rule,
          std::int64_t rounds, Weights weights, Mistakes& out, double* met) {
  return on_this_processor([=, &rows, &out, start = weights]() __attribute__((always_inline)) -> Stop {
    Weights weights = start;  // some count their updates
    for (Size k = begin; k < end; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, order, k, end, i, x)) return {k, Flaw::bounds};
      const int positive = labels[i] > 0;
      const double y = sign_of[positive];
      double* const seen = met ? met + (k - begin) : nullptr;
      const Told told = tell(weights, x, rule, y, rule.threshold[positive], seen);
      if (told == Told::above) continue;
      const std::int64_t played = rounds + std::int64_t(k - begin);
      const Flaw flaw = learn_row<weighed>(weights, x, i, rule, positive, y, told, played, importance, out, seen);
      if (flaw != Flaw::none) return {k, flaw};
    }
    return {end, Flaw::none};
  });
}

// w += step[k] x_i for each k in turn, where i = example[k]: replays the updates of a run. Stops at
// a row that is not there or has a column that is not.
template <class Rows>
Stop accumulate(const Rows& rows, const std::int64_t* example, const double* step,
                Size n, bool bias, double* w) {
  return on_this_processor([=, &rows]() __attribute__((always_inline)) -> Stop {
    for (Size k = 0; k < n; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, example, k, n, i, x)) return {k, Flaw::bounds};
      if (const Flaw flaw = x.add(step[k], bias, w); flaw != Flaw::none) return {k, flaw};
    }
    return {n, Flaw::none};
  });
}

// Writes the scores of x_k for k in [begin, end), `weights.width` of each row, summed as in the pass. Where
// weights have a narrow copy, an estimate that has the sign of the score may take its place.
template <class Rows, class Weights>
Stop scores(const Rows& rows, Size begin, Size end, Weights weights, bool bias,
            double* out) {
  return on_this_processor([=, &rows, start = weights]() __attribute__((always_inline)) -> Stop {
    Weights weights = start;
    for (Size k = begin; k < end; ++k) {
      typename Rows::Row x;
      if (!rows.read(k, x)) return {k, Flaw::bounds};
      double* const s = out + (k - begin) * weights.width;
      if constexpr (IsSparse<typename Rows::Row> && requires { weights.narrow; })
        if (weights.narrow) {
          const Estimate near = estimate(x, weights.w, weights.narrow, bias);
          *s = near.s;
          if (std::abs(near.s) > near.error) continue;
        }
      if (const Flaw flaw = weights.score(x, bias, s); flaw != Flaw::none) return {k, flaw};
      for (Size r = 0; r < weights.width; ++r)
        if (!(std::abs(s[r]) <= std::numeric_limits<double>::max())) return {k, Flaw::value};
    }
    return {end, Flaw::none};
  });
}

}  // namespace novikoff
