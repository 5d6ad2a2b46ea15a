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

#include "core/adaptive.hpp"
#include "core/clones.hpp"
#include "core/honest.hpp"

namespace novikoff {

constexpr Size classes_at_a_time = 4;

// s[b], ..., s[b + n - 1] for the n classes from b on.
template <Size n, class Row>
[[gnu::always_inline]] inline Flaw some_scores(const Row& x, const double* w, Size width, Size b,
                                               bool bias, double* s) {
  double a[n] = {};
  const auto add = [&](Size j, double value) __attribute__((always_inline)) {
    const double* at = w + j * width + b;
    for (Size q = 0; q < n; ++q) a[q] += value * at[q];
  };
  const Flaw flaw = b == 0 ? x.each_in_order(add) : x.each(add);
  if (bias) add(x.dim, 1.0);
  for (Size q = 0; q < n; ++q) s[b + q] = a[q];
  return flaw;
}

// The weights of all classes: a row has a score for each.
struct JointSum {
  const double* w;
  Size width;

  template <class Row>
  [[gnu::always_inline]] Flaw score(const Row& x, bool bias, double* s) const {
    constexpr Size many = 3 * classes_at_a_time;
    Flaw flaw = Flaw::none;
    Size b = 0;
    for (; b + many <= width && flaw == Flaw::none; b += many)
      flaw = some_scores<many>(x, w, width, b, bias, s);
    for (; b < width && flaw == Flaw::none; b += classes_at_a_time)
      flaw = some_scores<classes_at_a_time>(x, w, width, b, bias, s);
    return flaw;
  }
};

// The first class other than `one` with the highest score; -1 if there is no other class.
inline std::int32_t best_but(const double* s, Size classes, std::int32_t one) {
  std::int32_t best = -1;
  for (std::int32_t r = 0; r < std::int32_t(classes); ++r)
    if (r != one && (best < 0 || s[r] > s[best])) best = r;
  return best;
}

// w[y] += step x and w[r] -= step x.
template <class Row>
[[gnu::always_inline]] inline Flaw part_classes(const Row& x, double step, std::int32_t y,
                                                std::int32_t r, bool bias, Size width, double* w) {
  const auto change = [&](Size j, double value) __attribute__((always_inline)) {
    w[j * width + Size(y)] += step * value;
    w[j * width + Size(r)] -= step * value;
  };
  const Flaw flaw = x.each(change);
  if (bias) change(x.dim, 1.0);
  return flaw;
}

// How the perceptron learns classes jointly: w[y] += step x and w[r] -= step x.
struct JointPerceptron {
  double *w, *u;  // u, if there is one, is as in AveragedSum
  Size width;

  JointSum scorer() const { return {w, width}; }

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, std::int32_t y, std::int32_t r,
                                    Update& made) const {
    made.square = x.square(bias);
    if (u) part_classes(x, double(made.round - 1) * made.step, y, r, bias, width, u);
    return part_classes(x, made.step, y, r, bias, width, w);
  }
};

// How adaptive weights do (see core/adaptive.hpp): each weight has a variance, and with
// m = s_y - s_r, v = the sum of (S_yj + S_rj) x_j^2 and d = v + r / c, for importance c,
//   w_y += (1 - m) / d  S_y x,   w_r -= (1 - m) / d  S_r x,   S -= (S x)^2 / d for both.
struct JointAdaptive {
  double *w, *variance, *u;
  double r;
  Size width;

  JointSum scorer() const { return {w, width}; }

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, std::int32_t right,
                                    std::int32_t rival, Update& made) const {
    double v, ridge;
    if (const Flaw flaw = weigh(x, bias, right, rival, v); flaw != Flaw::none) return flaw;
    made.square = x.square(bias);
    if (const Flaw flaw = adaptive_step(made, v, r, ridge); flaw != Flaw::none) return flaw;
    return change(x, bias, right, rival, made, v, ridge);
  }

  template <class Row>
  [[gnu::always_inline]] Flaw repeat(const Row& x, bool bias, std::int32_t right,
                                     std::int32_t rival, const Update& made, double c) const {
    double v;
    if (const Flaw flaw = weigh(x, bias, right, rival, v); flaw != Flaw::none) return flaw;
    return change(x, bias, right, rival, made, v, r / c);
  }

 private:
  template <class Row>
  [[gnu::always_inline]] Flaw weigh(const Row& x, bool bias, std::int32_t right,
                                    std::int32_t rival, double& v) const {
    double sum = 0;
    const auto add = [&](Size j, double value) __attribute__((always_inline)) {
      const double* const of = variance + j * width;
      sum += (of[right] + of[rival]) * value * value;
    };
    const Flaw flaw = x.each(add);
    if (bias) add(x.dim, 1.0);
    v = sum;
    return flaw;
  }

  template <class Row>
  [[gnu::always_inline]] Flaw change(const Row& x, bool bias, std::int32_t right,
                                     std::int32_t rival, const Update& made, double v,
                                     double ridge) const {
    constexpr double least = std::numeric_limits<double>::min();
    const double d = v + ridge, late = double(made.round) - 1;
    const auto adapt = [&](Size at, double step, double value) __attribute__((always_inline)) {
      const double a = variance[at] * value;
      w[at] += step * a;
      if (u) u[at] += late * (step * a);
      variance[at] = std::max(variance[at] * ((ridge + (v - a * value)) / d), least);
    };
    const auto adapt_both = [&](Size j, double value) __attribute__((always_inline)) {
      adapt(j * width + Size(right), made.step, value);
      adapt(j * width + Size(rival), -made.step, value);
    };
    if (bias) adapt_both(x.dim, 1.0);
    return x.each(adapt_both);
  }
};

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
//   if s_y - s_r <= threshold:  learn step x_i for y, against r, and record (t, i, s_y - s_r, y, r).
// `weights` define the update: for the perceptron, w_y += step x_i and w_r -= step x_i.
// `classes` counts the classes met. A class met for the first time has weights 0; while there is
// only one class there is no rival and nothing to learn. Importances, flaws and stopping are as in
// `pass`. `s` has room for twice `width` scores. If `honest` has an array, it counts the leads of all
// classes before x_i was learned from, by the mean of the weights if these have a u.
template <bool weighed, class Rows, class Weights>
Stop joint_pass(const Rows& rows, const std::int32_t* labels,
                const double* importance, const std::int64_t* order, Size begin,
                Size end, const JointRule& rule, std::int64_t rounds,
                Size& classes, Weights weights, double* s, JointMistakes& out,
                HonestScores honest) {
  return on_this_processor([=, &rows, &classes, &out]() __attribute__((always_inline)) -> Stop {
    const Size width = weights.width;
    constexpr double huge = std::numeric_limits<double>::max();
    for (Size k = begin; k < end; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, order, k, end, i, x)) return {k, Flaw::bounds};
      if (const Flaw flaw = weights.scorer().score(x, rule.bias, s); flaw != Flaw::none)
        return {k, flaw};
      const std::int32_t y = read_once(labels[i]);
      if (Size(y) >= width) return {k, Flaw::label};
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
      double* predicting = s;
      const std::int64_t before = rounds + std::int64_t(k - begin);
      if (honest.data && weights.u && before > 0) {
        predicting = s + width;
        JointSum{weights.u, width}.score(x, rule.bias, predicting);
        for (Size c = 0; c < width; ++c) predicting[c] = s[c] - predicting[c] / double(before);
      }
      const auto accept = [&] {
        classes = met;
        if (honest.data)
          honest.meet_classes(predicting, met, Size(y), rule.unit, weighed ? importance[i] : 1.0);
      };
      if (r < 0 || ahead > rule.threshold || step == 0) {
        accept();
        continue;
      }
      Update made{before + 1, ahead, step, 0};
      if (const Flaw flaw = weights.learn(x, rule.bias, y, r, made); flaw != Flaw::none)
        return {k, flaw};
      accept();
      made.score *= rule.unit;
      out.right[out.count] = y;
      out.rival[out.count] = r;
      out.record(i, made);
    }
    return {end, Flaw::none};
  });
}

// w[right[k]] += step[k] x_i, w[rival[k]] -= step[k] x_i for each k in turn, where i = example[k].
// Stops at a row, column or class that is not there.
template <class Rows>
Stop joint_accumulate(const Rows& rows, const std::int64_t* example,
                      const double* step, const std::int32_t* right,
                      const std::int32_t* rival, Size n, bool bias, Size width,
                      double* w) {
  return on_this_processor([=, &rows]() __attribute__((always_inline)) -> Stop {
    for (Size k = 0; k < n; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, example, k, n, i, x)) return {k, Flaw::bounds};
      const std::int32_t y = read_once(right[k]), r = read_once(rival[k]);
      if (Size(y) >= width || Size(r) >= width) return {k, Flaw::label};
      if (const Flaw flaw = part_classes(x, step[k], y, r, bias, width, w); flaw != Flaw::none)
        return {k, flaw};
    }
    return {n, Flaw::none};
  });
}

// Repeats the updates that joint_pass recorded with adaptive weights, in turn.
template <class Rows>
Stop joint_adapt_again(const Rows& rows, const std::int64_t* example,
                       const std::int64_t* round, const double* step,
                       const double* importance, const std::int32_t* right,
                       const std::int32_t* rival, Size n, bool bias,
                       JointAdaptive weights) {
  return on_this_processor([=, &rows]() __attribute__((always_inline)) -> Stop {
    for (Size k = 0; k < n; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, example, k, n, i, x)) return {k, Flaw::bounds};
      const std::int32_t y = read_once(right[k]), r = read_once(rival[k]);
      if (Size(y) >= weights.width || Size(r) >= weights.width) return {k, Flaw::label};
      const Update made{round[k], 0, step[k], 0};
      if (const Flaw flaw = weights.repeat(x, bias, y, r, made, importance[k]); flaw != Flaw::none)
        return {k, flaw};
    }
    return {n, Flaw::none};
  });
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
  Size mistakes, stored, classes;
};

// votes[r] = the number of rounds in which class r had the highest score for one row (the first
// class in a tie). dots[i * stride] = <stored_i, row>; s = the scores at the start, overwritten.
inline Stop count_class_votes(const JointHistory& h, const double* dots, Size stride, double* s,
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
    const auto i = Size(read_once(h.example[k]));
    const auto y = Size(read_once(h.right[k])), r = Size(read_once(h.rival[k]));
    if (i >= h.stored) return {k, Flaw::bounds};
    if (y >= h.classes || r >= h.classes) return {k, Flaw::label};
    const double d = h.step[k] * dots[i * stride];
    s[y] += d;
    s[r] -= d;
    if (d != 0) search();
    votes[best] += double(h.survived[k + 1]);
  }
  return {h.mistakes, Flaw::none};
}

}  // namespace novikoff
