// Update rules made of what Python passes: the same for whole passes and for one example at a time.
#pragma once

#include <nanobind/stl/tuple.h>

#include <limits>
#include <tuple>

#include "bindings/arrays.hpp"
#include "core/multiplicative.hpp"
#include "core/passes.hpp"

using Two = std::tuple<double, double>;  // for label -1 and for label +1

inline Rule rule_of(Two threshold, Two step, double unit, bool bias) {
  return {{std::get<0>(threshold), std::get<1>(threshold)},
          {std::get<0>(step), std::get<1>(step)},
          unit,
          bias};
}

// Adaptive weights are updated when y s < 1, that is, when it is at most this.
constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;

inline Rule adaptive_rule(Two step, bool bias) {
  return rule_of({below_one, below_one}, step, 1.0, bias);
}

inline double positive(double r) {
  if (!(r > 0 && r <= std::numeric_limits<double>::max())) refuse("r must be finite and above 0");
  return r;
}

inline Growth growth_of(double alpha, bool balanced) {
  if (!(alpha > 1 && alpha <= std::numeric_limits<double>::max()))
    refuse("the base must be a finite number above 1");
  return {alpha, balanced};
}
