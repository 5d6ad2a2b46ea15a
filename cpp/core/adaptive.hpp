// Adaptive weights (AROW; Crammer, Kulesza & Dredze 2009): each weight has a variance, which
// shrinks as its feature is learned from, so that the steps of rare features stay large.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/passes.hpp"

namespace novikoff {

// The step y (1 - m) / d with which an adaptive rule learns, for m = y s and d = v + r / c. `made.step`
// is y c, with the importance c, and becomes the step; `ridge` becomes r / c. A flaw if they are out of range.
[[gnu::always_inline]] inline Flaw adaptive_step(Update& made, double v, double r, double& ridge) {
  constexpr double huge = std::numeric_limits<double>::max();
  const double y = made.step < 0 ? -1.0 : 1.0;
  ridge = r / std::abs(made.step);
  if (!(ridge > 0 && ridge <= huge)) return Flaw::step;
  const double d = v + ridge;
  made.step = (y - made.score) / d;  // y (1 - m) = y - s, to the last bit
  return d <= huge && std::abs(made.step) <= huge && made.step != 0 ? Flaw::none : Flaw::value;
}

// Weights w with variances S. With m = y <w, x>, v = sum of S_j x_j^2 and d = v + r / c, where c is
// the importance of the example, learning is
//   w += y (1 - m) / d  S x,    S_j -= (S_j x_j)^2 / d.
// The latter is computed as S_j (r / c + (v - S_j x_j^2)) / d. There rounding cannot do harm: v is a
// sum of numbers from 0 on, rounded monotonically, so it is at least each of them; the quotient is
// above 0, at most 1, and 1 where x_j = 0. So S never grows; it is kept from falling below the
// least normal number. u, if there is one, accumulates (t - 1) times the update of round t.
struct Adaptive {
  double *w, *variance, *u;
  double r;
  bool eager = false;  // finds v and |x|^2 with each score: most rows are learned from
  double v = 0, square = 0;

  static constexpr Size width = 1;  // scores per row

  template <class F>
  Adaptive with(F f) const {
    return {f(w), f(variance), u ? f(u) : nullptr, r};
  }

  template <class Row>
  [[gnu::always_inline]] Flaw score(const Row& x, bool bias, double* s) {
    return eager ? x.dot_and_squares(w, variance, bias, *s, v, square) : x.dot(w, bias, *s);
  }

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, Update& made) {
    double ridge;
    if (!eager)
      if (const Flaw flaw = x.squares(variance, bias, v, square); flaw != Flaw::none) return flaw;
    made.square = square;
    if (const Flaw flaw = adaptive_step(made, v, r, ridge); flaw != Flaw::none) return flaw;
    return change(x, bias, made, v, ridge);
  }

  // The update that `made` records, of an example of importance c.
  template <class Row>
  [[gnu::always_inline]] Flaw repeat(const Row& x, bool bias, const Update& made, double c) const {
    double v, square;
    if (const Flaw flaw = x.squares(variance, bias, v, square); flaw != Flaw::none) return flaw;
    return change(x, bias, made, v, r / c);
  }

 private:
  template <class Row>
  [[gnu::always_inline]] Flaw change(const Row& x, bool bias, const Update& made, double v,
                                     double ridge) const {
    constexpr double least = std::numeric_limits<double>::min();
    const double d = v + ridge, step = made.step, late = double(made.round) - 1;
    double *const __restrict to = w, *const __restrict of = variance, *const __restrict sum = u;
    // what is added to four weights and what becomes of their variances, for four values
    struct Changed {
      Four moved, share;
    };
    const auto changed = [=](const Four& share, const Four& value) __attribute__((always_inline)) -> Changed {
      const Four a = share * value;
      const Four left = share * ((ridge + (v - a * value)) / d);
      return {step * a, left < Four{} + least ? Four{} + least : left};
    };
    if constexpr (requires { &Row::eight; }) {
      const auto four = [=](auto averaging, Size j, const Four& value) __attribute__((always_inline)) {
        Four& share = EightLanes::four(of + j);
        const Changed made = changed(share, value);
        if constexpr (averaging) EightLanes::four(sum + j) += late * made.moved;
        EightLanes::four(to + j) += made.moved;
        share = made.share;
      };
      const auto adapt = [=](auto averaging) __attribute__((always_inline)) {
        x.each_eight(bias, [=](Size j, const EightLanes& value) __attribute__((always_inline)) {
          four(averaging, j, value.low), four(averaging, j + 4, value.high);
        }, x.next_row());
      };
      sum ? adapt(std::true_type()) : adapt(std::false_type());
      return Flaw::none;
    } else {
      const auto one = [=](Size j, double value) __attribute__((always_inline)) {
        const Changed made = changed(Four{of[j]}, Four{value});
        if (sum) sum[j] += late * made.moved[0];
        to[j] += made.moved[0];
        of[j] = made.share[0];
      };
      if (bias) one(x.dim, 1.0);
      if constexpr (requires { x.index; }) {
        // Four quotients take hardly longer than one: 143 -> 130 ns for each of 400,000 rows of 63.
        return x.each_four([=](const Size (&j)[4], const Four& value) __attribute__((always_inline)) {
          const Changed made = changed(Four{of[j[0]], of[j[1]], of[j[2]], of[j[3]]}, value);
          if (sum)
            for (int q = 0; q < 4; ++q) sum[j[q]] += late * made.moved[q];
          for (int q = 0; q < 4; ++q) to[j[q]] += made.moved[q], of[j[q]] = made.share[q];
        }, one);
      } else {
        return x.each(one);
      }
    }
  }
};

// The same with a full matrix S, n by n for n weights: p = S x, v = <p, x>,
//   w += y (1 - m) / d  p,    S_ij -= p_i p_j / d.
// p_i is summed in the order of the columns, the constant last, and p_i p_j has the same bits as
// p_j p_i, so S stays symmetric to the bit. Rounding may make v negative, which then counts as 0,
// and a variance is kept from falling below the least normal number. `product` has room for p.
struct AdaptiveMatrix {
  double *w, *variance, *u, *product;
  double r;
  Size n;

  static constexpr Size width = 1;

  template <class Row>
  [[gnu::always_inline]] Flaw score(const Row& x, bool bias, double* s) const {
    return x.dot(w, bias, *s);
  }

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, Update& made) const {
    double v, ridge;
    if (const Flaw flaw = multiply(x, bias, v); flaw != Flaw::none) return flaw;
    made.square = x.square(bias);
    if (const Flaw flaw = adaptive_step(made, v, r, ridge); flaw != Flaw::none) return flaw;
    change(made, v + ridge);
    return Flaw::none;
  }

  template <class Row>
  [[gnu::always_inline]] Flaw repeat(const Row& x, bool bias, const Update& made, double c) const {
    double v;
    if (const Flaw flaw = multiply(x, bias, v); flaw != Flaw::none) return flaw;
    change(made, v + r / c);
    return Flaw::none;
  }

 private:
  template <class Row>
  [[gnu::always_inline]] Flaw multiply(const Row& x, bool bias, double& v) const {
    double* const __restrict to = product;
    std::fill_n(to, n, 0.0);
    const auto add = [&](Size j, double value) __attribute__((always_inline)) {
      const double* const __restrict of = variance + j * n;
      if (value != 0)
        for (Size i = 0; i < n; ++i) to[i] += of[i] * value;
    };
    const Flaw flaw = x.each(add);
    if (flaw != Flaw::none) return flaw;
    if (bias) add(x.dim, 1.0);
    double sum;
    x.dot(product, bias, sum);
    v = std::max(sum, 0.0);
    return Flaw::none;
  }

  [[gnu::always_inline]] void change(const Update& made, double d) const {
    constexpr double least = std::numeric_limits<double>::min();
    const double step = made.step, late = double(made.round) - 1, beta = 1 / d;
    const double* const __restrict by = product;
    for (Size i = 0; i < n; ++i) w[i] += step * by[i];
    if (u)
      for (Size i = 0; i < n; ++i) u[i] += late * (step * by[i]);
    for (Size i = 0; i < n; ++i) {
      const double own = by[i];
      double* const __restrict to = variance + i * n;
      if (own == 0) continue;
      for (Size j = 0; j < n; ++j) to[j] -= beta * (own * by[j]);
      to[i] = std::max(to[i], least);
    }
  }
};

// Repeats the updates of a run, in turn: update k was of row example[k], with importance[k].
template <class Rows, class Weights>
Stop adapt_again(const Rows& rows, const std::int64_t* example,
                 const std::int64_t* round, const double* step,
                 const double* importance, Size n, bool bias, Weights weights) {
  return on_this_processor([=, &rows]() __attribute__((always_inline)) -> Stop {
    for (Size k = 0; k < n; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, example, k, n, i, x)) return {k, Flaw::bounds};
      const Update made{round[k], 0, step[k], 0};
      if (const Flaw flaw = weights.repeat(x, bias, made, importance[k]); flaw != Flaw::none)
        return {k, flaw};
    }
    return {n, Flaw::none};
  });
}

}  // namespace novikoff
