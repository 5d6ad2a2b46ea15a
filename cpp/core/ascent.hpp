// Coordinate ascent on the dual of the widest-margin problem (Hildreth 1957).
#pragma once

#include <algorithm>
#include <cmath>

#include "core/passes.hpp"
#include "core/rows.hpp"

namespace novikoff {

// The weights are w = sum_i alpha_i y_i x_i with alpha >= 0; at the optimum y_i <w, x_i> >= 1 on
// every row, with equality where alpha_i > 0. For each position k in [begin, end), i = order[k]:
//   a = max(0, alpha_i + (1 - y_i <w, x_i>) / ||x_i||^2);  w += (a - alpha_i) y_i x_i;  alpha_i = a.
// `least` is the smallest y_i <w, x_i> before the update of row i.
template <class Rows>
Stop ascend(const Rows& rows, const std::int8_t* labels, const std::int64_t* order,
            Size begin, Size end, const double* squares, bool bias, double* alpha,
            double* w, double& least) {
  return on_this_processor([=, &rows, &least]() __attribute__((always_inline)) -> Stop {
    least = std::numeric_limits<double>::infinity();
    for (Size k = begin; k < end; ++k) {
      Size i;
      typename Rows::Row x;
      if (!read_row(rows, order, k, end, i, x)) return {k, Flaw::bounds};
      double s;
      x.dot(w, bias, s);  // `add` checks the columns again
      const double y = labels[i] > 0 ? 1.0 : -1.0;
      least = std::min(least, y * s);
      const double a = std::max(0.0, alpha[i] + (1.0 - y * s) / squares[i]);
      const double step = y * (a - alpha[i]);
      if (step == 0.0) continue;
      alpha[i] = a;
      if (const Flaw flaw = x.add(step, bias, w); flaw != Flaw::none) return {k, flaw};
    }
    return {end, Flaw::none};
  });
}

// out[k - begin] = ||x_k||^2 for k in [begin, end), summed in the order of the pass.
template <class Rows>
Stop squares(const Rows& rows, Size begin, Size end, bool bias, double* out) {
  return on_this_processor([=, &rows]() __attribute__((always_inline)) -> Stop {
    for (Size k = begin; k < end; ++k) {
      typename Rows::Row x;
      if (!rows.read(k, x)) return {k, Flaw::bounds};
      out[k - begin] = x.square(bias);
    }
    return {end, Flaw::none};
  });
}

}  // namespace novikoff
