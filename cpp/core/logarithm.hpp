// The natural logarithm by additions, products and quotients alone, which round alike on every
// machine; std::log need not.
#pragma once

#include <cmath>

namespace novikoff {

// A number as the sum of two doubles, the second at most half an ulp of the first (Dekker 1971).
struct TwoDoubles {
  double high, low;

  static TwoDoubles sum(double a, double b) {
    const double s = a + b, c = s - a;
    return {s, (a - (s - c)) + (b - c)};
  }
  static TwoDoubles product(double a, double b) {
    constexpr double split = 0x1p27 + 1;
    const double p = a * b, ca = split * a, cb = split * b;
    const double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
  }

  friend TwoDoubles operator+(TwoDoubles a, TwoDoubles b) {
    const TwoDoubles s = sum(a.high, b.high);
    return sum(s.high, s.low + (a.low + b.low));
  }
  friend TwoDoubles operator*(TwoDoubles a, TwoDoubles b) {
    const TwoDoubles p = product(a.high, b.high);
    return sum(p.high, p.low + (a.high * b.low + a.low * b.high));
  }
  friend TwoDoubles operator/(TwoDoubles a, TwoDoubles b) {
    const double q = a.high / b.high;
    const TwoDoubles rest = a + b * TwoDoubles{-q, 0};
    return sum(q, (rest.high + rest.low) / b.high);
  }
};

// ln a for a finite a > 0. With a = 2^e m and 1/2 <= m^2 < 2 it is e ln 2 + 2 artanh t, where t =
// (m - 1) / (m + 1) and artanh t = t (1 + t^2/3 + t^4/5 + ...). As t^2 < 0.03, 22 terms are enough
// for some 100 bits, of which 53 are returned.
inline double natural_logarithm(double a) {
  constexpr TwoDoubles ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  int e;
  double m = std::frexp(a, &e);
  if (m * m < 0.5) m *= 2, --e;
  const TwoDoubles t = TwoDoubles{m - 1, 0} / TwoDoubles::sum(m, 1);
  const TwoDoubles square = t * t;
  TwoDoubles series{0, 0};
  for (int k = 22; k >= 0; --k)
    series = series * square + TwoDoubles{1, 0} / TwoDoubles{2.0 * k + 1, 0};
  const TwoDoubles half = t * series;
  const TwoDoubles log = ln2 * TwoDoubles{double(e), 0} + half + half;
  return log.high + log.low;
}

}  // namespace novikoff
