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

inline Growth growth_of(double alpha, bool balanced) {
  if (!(alpha > 1 && alpha <= std::numeric_limits<double>::max()))
    refuse("the base must be a finite number above 1");
  return {alpha, balanced};
}
