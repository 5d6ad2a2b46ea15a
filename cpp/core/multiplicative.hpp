// Winnow's weights are powers of a base: a mistake adds to the exponents, which multiplies the
// weights.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/logarithm.hpp"
#include "core/passes.hpp"

namespace novikoff {

// a^p for a > 1 by squares and square roots alone, which round alike on every machine; std::pow
// need not. Exact where p is whole and no square is rounded. Below 2^-1024 it is 0.
class Base {
  static constexpr int bits = 62, places = 52;
  double square_[bits], root_[places];  // a^1, a^2, a^4, ...; a^(1/2), a^(1/4), ...

 public:
  explicit Base(double a) {
    double b = a;
    for (double& square : square_) square = b, b *= b;
    b = a;
    for (double& root : root_) root = b = std::sqrt(b);
  }

  double operator()(double p) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double whole, part = std::modf(std::abs(p), &whole), r = 1.0;
    if (!(whole < 0x1p62)) {  // also the difference of two infinite powers, which is NaN
      r = infinity;
    } else {
      int k = 0;
      for (auto n = static_cast<std::uint64_t>(whole); n; n >>= 1, ++k)
        if (n & 1) r *= square_[k];
      // The bits of the part from the highest down, without a branch for each, which nobody can foresee:
      // dicts of 75 numbers, predicted and learned, take 0.6 of the time.
      for (auto rest = static_cast<std::uint64_t>(part * 0x1p52); rest; rest ^= std::bit_floor(rest))
        r *= root_[std::countl_zero(rest) - (64 - places)];
    }
    return p < 0 ? 1 / r : r;
  }
};

// From powers p to weights: w = a^p or, balanced, w = a^p - a^-p.
struct Growth {
  Base base;
  double log_base;
  bool balanced;

  Growth(double a, bool balanced) : base(a), log_base(natural_logarithm(a)), balanced(balanced) {}

  double weight(double p) const {
    if (!balanced) return base(p);
    // 2 sinh t by its series: the difference of two numbers near 1 would be mostly rounding error
    const double t = p * log_base, z = t * t;
    if (z < 0.25)
      return 2 * t * (1 + z / 6 * (1 + z / 20 * (1 + z / 42 * (1 + z / 72 * (1 + z / 110)))));
    const double up = base(std::abs(p));
    return std::copysign(up - 1 / up, p);
  }
};

// Winnow1, Winnow2 and balanced Winnow: s = <w, x> - threshold. A mistake adds step x to the powers
// p; if the rule `erases` and the step is negative, it sets the weights of x to 0 instead. w is
// stored beside p so that a score is one dot product. If that is not finite, some weight is too
// large for a double, and the score is computed again from the powers.
template <class Number>
class Powers {
  struct Term {
    double power, factor;
    Size at;
  };

  Number* p_;
  Number* w_;
  Growth growth_;
  double threshold_;
  bool erases_;
  std::vector<Term> terms_;

  static constexpr double huge = std::numeric_limits<double>::max();

  void place(double power, double factor) {
    if (factor != 0 && power >= -huge) terms_.push_back({power, factor, terms_.size()});
  }

  void place_weight(double power, double x) {
    if (!growth_.balanced) return place(power, x);
    if (power == 0) return;
    place(power, x);
    place(-power, -x);
  }

  // s a^power 2^scale, in two halves: a^power alone may overflow where s is small.
  double raised(double s, double power, int scale = 0) const {
    const double half = std::floor(power / 2);
    return std::ldexp(s * growth_.base(half), scale) * growth_.base(power - half);
  }

  // The sum of factor a^power over the terms, by Horner's rule from the largest power down, so that
  // after terms that cancel the smaller ones still count. Stops when the rest cannot change the
  // sum. A sum too large or too small for a double keeps its sign.
  double sum() {
    double largest = 0;
    for (const Term& t : terms_) largest = std::max(largest, std::abs(t.factor));
    int scale;
    std::frexp(largest, &scale);
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
      return a.power != b.power ? a.power > b.power : a.at < b.at;
    });
    const double enough = 0x1p64 * double(terms_.size() + 1);
    double s = 0, power = 0;
    for (const Term& t : terms_) {
      if (s != 0 && t.power < power) {
        const double grown = raised(s, power - t.power);
        if (!(std::abs(grown) <= enough)) break;
        s = grown;
      }
      power = t.power;
      s += std::ldexp(t.factor, -scale);
    }
    if (s == 0) return 0;
    const double size = raised(std::abs(s), power, scale);
    constexpr double least = std::numeric_limits<double>::min();
    return std::copysign(std::clamp(size, least, huge), s);
  }

  // The score of a row whose dot product is not finite.
  template <class Row>
  Flaw score_again(const Row& x, bool bias, double& s) {
    terms_.clear();
    double a[lanes] = {};
    bool finite = true;
    const Flaw flaw = x.each([&](Size j, double v) {
      if (v == 0) return;  // 0 times an infinite weight would be NaN
      finite &= std::abs(v) <= huge;
      a[j % lanes] += v * w_[j];
      place_weight(p_[j], v);
    });
    if (!finite || flaw != Flaw::none) return finite ? flaw : Flaw::value;
    if (bias) {
      a[x.dim % lanes] += w_[x.dim];
      place_weight(p_[x.dim], 1);
    }
    s = total(a) - threshold_;
    if (std::abs(s) <= huge) return Flaw::none;
    place(0, -threshold_);
    s = sum();
    return Flaw::none;
  }

  // Whether the power stays finite; that of an erased weight is -infinity and stays so.
  bool may_add(Size j, double by) const {
    return std::abs(by) <= huge && (p_[j] < -huge || std::abs(p_[j] + by) <= huge);
  }

  void multiply(Size j, double by) {
    p_[j] += by;
    w_[j] = growth_.weight(p_[j]);
  }

  void erase(Size j) {
    p_[j] = -std::numeric_limits<double>::infinity();
    w_[j] = 0;
  }

 public:
  Powers(Number* p, Number* w, const Growth& growth, double threshold, bool erases)
      : p_(p), w_(w), growth_(growth), threshold_(threshold), erases_(erases) {}

  static constexpr Size width = 1;

  template <class Row>
  [[gnu::always_inline]] Flaw score(const Row& x, bool bias, double* s) {
    if (const Flaw flaw = x.dot(w_, bias, *s); flaw != Flaw::none) return flaw;
    if (!growth_.balanced && x.negative()) return Flaw::sign;
    *s -= threshold_;
    return std::abs(*s) <= huge ? Flaw::none : score_again(x, bias, *s);
  }

  template <class Row>
  Flaw learn(const Row& x, bool bias, Update& made) {
    const double step = made.step;
    made.square = x.square(bias);
    if (erases_ && step < 0) {
      if (bias) erase(x.dim);
      return x.each([&](Size j, double v) {
        if (v > 0) erase(j);
      });
    }
    bool fits = !bias || may_add(x.dim, step);
    x.each([&](Size j, double v) { fits &= may_add(j, step * v); });
    if (!fits) return Flaw::value;
    if (bias) multiply(x.dim, step);
    return x.each([&](Size j, double v) {
      if (v != 0) multiply(j, step * v);
    });
  }
};

}  // namespace novikoff
