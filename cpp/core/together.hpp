// Perceptrons that learn from the same sparse rows in one pass, as one class against the rest each: a row is
// read once, and the scores of all are estimated side by side.
//
// Ten passes over 11,314 rows of 144 with 20 classes take 130 ms of processor time instead of 410;
// 183 without prefetching.
#pragma once

#include "core/passes.hpp"

namespace novikoff {

constexpr Size most_together = 32;
constexpr Size together_at_once = 8;  // estimates in one vector
constexpr Size entries_ahead = 32;

// One of them: labels, rule, weights, u unless it is null (as in AveragedSum), how many rounds it has played, and
// where its mistakes go. Unless it is null, `met` is as for `pass`.
struct Member {
  const std::int8_t* labels;
  Rule rule;
  double *w, *u;
  std::int64_t rounds;
  Mistakes out;
  double* met;
};

// The weights of one of them, whose float32 copy has a number in `width`.
struct Beside : AveragedSum {
  Size width;

  template <class Row>
  [[gnu::always_inline]] Flaw learn(const Row& x, bool bias, Update& made) const {
    if (u) x.add(double(made.round - 1) * made.step, bias, u);
    return x.score_and_add(made.step, bias, w, narrow, made.score, made.square, width);
  }
};

// Where a pass stopped: before row `at`, which the first `learned` of the perceptrons have learned from.
struct StopTogether {
  Size at, learned;
};

// s and m as in `estimate`, for all perceptrons: narrow[j * 8 * eights + c] is that of perceptron c. Returns false
// if nothing is known.
//
// A product goes through at most n additions instead of n / 8 + 4. So the proof in estimates.hpp holds with d = n
// and n <= 2^19, where d u <= 1/16.
template <Size eights, class T, class I>
[[gnu::always_inline]] inline bool estimate_all(const SparseRow<T, I>& x, const float* narrow, float* s,
                                                float* m) {
  using Floats = Eight<float>;
  using Bits = Eight<std::int32_t>;
  if (x.stored > Size(1) << 19) return false;
  constexpr Size width = eights * together_at_once;
  Floats sums[eights]{}, sizes[eights]{};
  Size next = 0;
  for (Size k = 0; k < x.stored; ++k) {
    const Size j = x.column(k);
    if (j < next || j >= x.dim) [[unlikely]] return false;
    next = j + 1;
    if (k + entries_ahead < x.stored) prefetch(narrow + x.column(k + entries_ahead) * width, width * sizeof(float));
    const Floats v = Floats{} + float(x.x[k]);
    for (Size q = 0; q < eights; ++q) {
      Floats of;
      __builtin_memcpy(&of, narrow + (j * eights + q) * together_at_once, sizeof of);
      const Floats p = v * of;
      sums[q] += p;
      sizes[q] += (Floats)((Bits)p & (Bits{} + 0x7fffffff));
    }
  }
  __builtin_memcpy(s, sums, sizeof sums);
  __builtin_memcpy(m, sizes, sizeof sizes);
  return true;
}

// `pass` for each of the perceptrons, which have the rows, the order and the bias in common. `narrow` has
// narrowed(w[j]) of perceptron c at j * 8 * eights + c, and keeps it.
template <bool weighed, Size eights, class Rows>
StopTogether pass_together(const Rows& rows, const double* importance, const std::int64_t* order, Size begin,
                           Size end, bool bias, float* narrow, Member* members, Size count) {
  return on_this_processor([=, &rows]() __attribute__((always_inline)) -> StopTogether {
    constexpr Size width = eights * together_at_once;
    for (Size k = begin; k < end; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, order, k, end, i, x)) return {k, 0};
      float s[width], m[width];
      const bool known = estimate_all<eights>(x, narrow, s, m);
      const double length = double(x.stored) + 9;
      for (Size c = 0; c < count; ++c) {
        Member& one = members[c];
        const int positive = one.labels[i] > 0;
        const double y = sign_of[positive];
        double* const seen = one.met ? one.met + (k - begin) : nullptr;
        Told told = Told::nothing;
        if (known) {
          const double constant = bias ? one.w[x.dim] : 0.0;
          const Estimate near{double(s[c]) + constant, length * (3 * 0x1p-24 * double(m[c]) + 0x1p-79) +
                                                           0x1p-48 * std::abs(constant)};
          told = told_by(near, one.rule, y, one.rule.threshold[positive], seen);
        }
        if (told == Told::above) continue;
        Beside weights{{{one.w, narrow + c}, one.u}, width};
        const std::int64_t played = one.rounds + std::int64_t(k - begin);
        const Flaw flaw = learn_row<weighed>(weights, x, i, one.rule, positive, y, told, played, importance,
                                             one.out, seen);
        if (flaw != Flaw::none) return {k, c};
      }
    }
    return {end, 0};
  });
}

}  // namespace novikoff
