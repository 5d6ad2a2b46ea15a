// The vote of all weight vectors of a run, computed from its mistakes.
#pragma once

#include <algorithm>
#include <vector>

#include "core/rows.hpp"
#include "core/passes.hpp"

namespace novikoff {

// A run: mistake k added step[k] times stored row example[k]. The weights after mistake k lasted
// survived[k + 1] rounds, the starting weights survived[0].
struct History {
  const std::int64_t* example;
  const double* step;
  const std::int64_t* survived;
  Size mistakes, stored;
  bool zero_is_positive;
};

constexpr Size abreast = 8;  // rows voted on together: one cache line of doubles per feature

// dots[i * abreast + q] = <stored_i, row_q>, where work[j * abreast + q] is feature j of row_q.
template <class Rows>
Stop multiply(const Rows& stored, bool bias, const double* work, double* dots) {
  return on_this_processor([=, &stored]() __attribute__((always_inline)) -> Stop {
    for (Size i = 0; i < stored.n; ++i) {
      typename Rows::Row x;
      if (!stored.read(i, x)) return {i, Flaw::bounds};
      double a[abreast] = {};
      const Flaw flaw = x.each([&](Size j, double value) __attribute__((always_inline)) {
        for (Size q = 0; q < abreast; ++q) a[q] += value * work[j * abreast + q];
      });
      if (flaw != Flaw::none) return {i, flaw};
      for (Size q = 0; q < abreast; ++q) dots[i * abreast + q] = a[q] + (bias ? 1.0 : 0.0);
    }
    return {stored.n, Flaw::none};
  });
}

// votes[q] = sum over the vectors w_k of the run of survived[k] * sign(<w_k, row_q>).
inline Stop count_votes(const History& h, const double* dots, const double* start, double* votes) {
  double s[abreast], v[abreast] = {};
  const double zero = h.zero_is_positive ? 1.0 : -1.0;
  const auto poll = [&](std::int64_t survived) {
    for (Size q = 0; q < abreast; ++q)
      v[q] += double(survived) * (s[q] > 0 ? 1.0 : s[q] < 0 ? -1.0 : zero);
  };
  std::copy(start, start + abreast, s);
  poll(h.survived[0]);
  for (Size k = 0; k < h.mistakes; ++k) {
    const auto i = Size(read_once(h.example[k]));
    if (i >= h.stored) return {k, Flaw::bounds};
    for (Size q = 0; q < abreast; ++q) s[q] += h.step[k] * dots[i * abreast + q];
    poll(h.survived[k + 1]);
  }
  std::copy(v, v + abreast, votes);
  return {h.mistakes, Flaw::none};
}

}  // namespace novikoff
