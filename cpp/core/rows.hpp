// A row, dense or CSR: its dot product with a weight vector, its addition to one, its squared norm.
//
// A sum has eight lanes, lane = column mod 8, and the lanes are added in one fixed tree. The lane
// depends on the column alone, and adding a zero changes nothing. So a row gives the same bits
// whether it is dense or sparse, whether its constant feature is a real column or implied, and on
// every instruction set. (Eight lanes reach the speed of memory on dense rows: 9.7 GB/s on 20k x
// 4096 float32, as sixteen do, and cost less on narrow rows: 25 ms against 39 ms on 2M x 28.)
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace novikoff {

using Size = std::size_t;
constexpr Size lanes = 8;
constexpr Size far_ahead = 2048;  // bytes: how far ahead memory is prefetched

inline double total(const double (&a)[lanes]) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

inline void prefetch(const void* from, Size bytes) {
  constexpr Size line = 64;
  const char* p = static_cast<const char*>(from);
  for (Size k = 0; k < bytes && k < far_ahead; k += line) __builtin_prefetch(p + k);
}

// Reads a number of an array that another thread may be writing. The compiler may not read it a
// second time, so the number that was checked is the number that is used.
template <class T>
[[gnu::always_inline]] inline T read_once(const T& number) {
  return __atomic_load_n(&number, __ATOMIC_RELAXED);
}

// The weight in float32, if that is within 2^-24 of it, relatively, and at most 2^64; NaN otherwise.
[[gnu::always_inline]] inline float narrowed(double w) {
  const double size = std::abs(w);
  const bool fits = (size >= 0x1p-100) & (size <= 0x1p64);
  return fits | (size == 0) ? float(w) : std::numeric_limits<float>::quiet_NaN();
}

enum class Flaw : int {
  none = 0, bounds = 1, index = 2, order = 3, value = 4, step = 5, label = 6, sign = 7
};

// Whether any of the numbers is below 0.
template <class T>
[[gnu::always_inline]] inline bool any_negative(const T* x, Size n) {
  bool found = false;
  for (Size k = 0; k < n; ++k) found |= x[k] < 0;
  return found;
}

template <class T>
struct DenseRow {
  const T* x;
  Size dim;

  Size size() const { return dim; }  // the number of stored entries
  void expect() const { prefetch(x, dim * sizeof(T)); }

  // A dense row cannot be malformed.
  [[gnu::always_inline]] Flaw dot(const double* w, bool bias, double& s) const {
    double a[lanes] = {};
    Size j = 0;
    for (; j + lanes <= dim; j += lanes) {
      __builtin_prefetch(x + j + far_ahead / sizeof(T));  // 56 -> 45 ms on 2M x 28 float64
      for (Size q = 0; q < lanes; ++q) a[q] += double(x[j + q]) * w[j + q];
    }
    for (Size q = 0; j + q < dim; ++q) a[q] += double(x[j + q]) * w[j + q];
    if (bias) a[dim % lanes] += w[dim];
    s = total(a);
    return Flaw::none;
  }

  [[gnu::always_inline]] Flaw add(double step, bool bias, double* w) const {
    for (Size j = 0; j < dim; ++j) w[j] += step * double(x[j]);
    if (bias) w[dim] += step;
    return Flaw::none;
  }

  [[gnu::always_inline]] bool negative() const { return any_negative(x, dim); }

  [[gnu::always_inline]] double square(bool bias) const {
    double a[lanes] = {};
    Size j = 0;
    for (; j + lanes <= dim; j += lanes)
      for (Size q = 0; q < lanes; ++q) a[q] += double(x[j + q]) * double(x[j + q]);
    for (Size q = 0; j + q < dim; ++q) a[q] += double(x[j + q]) * double(x[j + q]);
    if (bias) a[dim % lanes] += 1.0;
    return total(a);
  }

  // w += step x, and the squared norm of x.
  [[gnu::always_inline]] Flaw add_and_square(double step, bool bias, double* w,
                                             double& norm) const {
    add(step, bias, w);
    norm = square(bias);
    return Flaw::none;
  }

  // weighted = the sum of by_j x_j^2, and plain = that of x_j^2.
  [[gnu::always_inline]] Flaw squares(const double* by, bool bias, double& weighted,
                                      double& plain) const {
    double a[lanes] = {}, b[lanes] = {};
    const auto add = [&](Size j, Size q) __attribute__((always_inline)) {
      const double v = double(x[j + q]);
      a[q] += by[j + q] * v * v;
      b[q] += v * v;
    };
    Size j = 0;
    for (; j + lanes <= dim; j += lanes)
      for (Size q = 0; q < lanes; ++q) add(j, q);
    for (Size q = 0; j + q < dim; ++q) add(j, q);
    if (bias) a[dim % lanes] += by[dim], b[dim % lanes] += 1.0;
    weighted = total(a), plain = total(b);
    return Flaw::none;
  }

  // The score and the same.
  [[gnu::always_inline]] Flaw dot_and_squares(const double* w, const double* by, bool bias, double& s,
                                              double& weighted, double& plain) const {
    dot(w, bias, s);
    return squares(by, bias, weighted, plain);
  }

  template <class F>
  [[gnu::always_inline]] Flaw each(F f) const {
    for (Size j = 0; j < dim; ++j) f(j, double(x[j]));
    return Flaw::none;
  }
  template <class F>
  [[gnu::always_inline]] Flaw each_in_order(F f) const {
    return each(f);
  }
};

using Four = double __attribute__((vector_size(32)));
using FourBits = std::int64_t __attribute__((vector_size(32)));

// A line of the cache.
struct alignas(64) Line {
  static constexpr Size doubles = 8;
  double of[doubles];
};

// Eight neighbouring numbers, one for each lane.
struct EightLanes {
  Four low, high;

  [[gnu::always_inline]] static Four& four(double* at) {  // at a multiple of 32 bytes
    return *static_cast<Four*>(static_cast<void*>(at));
  }
  [[gnu::always_inline]] static EightLanes at(const double* from) {
    return {four(const_cast<double*>(from)), four(const_cast<double*>(from + 4))};
  }
  [[gnu::always_inline]] void add_product(const EightLanes& a, const EightLanes& b) {
    low += a.low * b.low, high += a.high * b.high;
  }
  [[gnu::always_inline]] double sum() const {
    const Four t = low + high;
    return (t[0] + t[2]) + (t[1] + t[3]);
  }
};

// What follows the last multiple of eight columns of a row: the bits to keep of what is read there, and
// the bits of the constant, in its lane.
struct Tail {
  FourBits low, high, low_constant, high_constant;

  Tail(Size columns, bool bias) {
    const auto bit = std::bit_cast<std::int64_t>(1.0);
    const auto number = std::int64_t(columns);
    const FourBits low_lanes{0, 1, 2, 3}, high_lanes{4, 5, 6, 7};
    low = low_lanes < number, high = high_lanes < number;
    low_constant = (low_lanes == number) & (bias ? bit : 0);
    high_constant = (high_lanes == number) & (bias ? bit : 0);
  }
  [[gnu::always_inline]] EightLanes of(const EightLanes& read) const {
    return {(Four)(((FourBits)read.low & low) | low_constant),
            (Four)(((FourBits)read.high & high) | high_constant)};
  }
};

// A dense row whose weights are padded: they begin at a multiple of 64 bytes, and after the last of them
// zeros follow up to a multiple of eight. So the sums of narrow rows stay in registers too, the constant in
// its lane, and what one row stores the next can load at once.
template <class T>
struct PaddedRow : DenseRow<T> {
  using DenseRow<T>::x, DenseRow<T>::dim;
  const Tail* tail;

  // Calls use(j, eight) for the columns j, j + 1, ... of each multiple j of eight; after the last column
  // come the constant 1, if `bias`, and zeros. Prefetches so many numbers ahead.
  template <class F>
  [[gnu::always_inline]] void each_eight(bool bias, F use, Size ahead = far_ahead / sizeof(T)) const {
    Size j = 0;
    for (; j + lanes <= dim; j += lanes) {
      __builtin_prefetch(x + j + ahead);
      use(j, eight(x + j));
    }
    if (j != dim + bias) use(j, tail->of(eight(x + j)));
  }
  // Numbers from a number to the same one of the next row, which comes from memory while this row is
  // learned from: on 15,000 rows of 4096 float64, adaptive 36 -> 26 ms.
  [[gnu::always_inline]] Size next_row() const { return std::max(dim, far_ahead / sizeof(T)); }

  // Spelt out, because GCC 12 converts a vector of four floats in halves, through memory.
  [[gnu::always_inline]] static EightLanes eight(const T* from) {
    return {Four{double(from[0]), double(from[1]), double(from[2]), double(from[3])},
            Four{double(from[4]), double(from[5]), double(from[6]), double(from[7])}};
  }

  [[gnu::always_inline]] Flaw dot(const double* w, bool bias, double& s) const {
    EightLanes a{};
    each_eight(bias, [&](Size j, const EightLanes& v) __attribute__((always_inline)) {
      a.add_product(v, EightLanes::at(w + j));
    });
    s = a.sum();
    return Flaw::none;
  }

  [[gnu::always_inline]] Flaw squares(const double* by, bool bias, double& weighted,
                                      double& plain) const {
    double s;
    return dot_and_squares(by, by, bias, s, weighted, plain);
  }

  // The score and the same, in one loop.
  [[gnu::always_inline]] Flaw dot_and_squares(const double* w, const double* by, bool bias, double& s,
                                              double& weighted, double& plain) const {
    EightLanes a{}, b{}, c{};
    each_eight(bias, [&](Size j, const EightLanes& v) __attribute__((always_inline)) {
      const EightLanes of = EightLanes::at(by + j);
      a.add_product(v, EightLanes::at(w + j));
      b.add_product({of.low * v.low, of.high * v.high}, v);
      c.add_product(v, v);
    });
    s = a.sum(), weighted = b.sum(), plain = c.sum();
    return Flaw::none;
  }

  [[gnu::always_inline]] Flaw add(double step, bool bias, double* w) const {
    each_eight(bias, [&](Size j, const EightLanes& v) __attribute__((always_inline)) {
      EightLanes::four(w + j) += step * v.low, EightLanes::four(w + j + 4) += step * v.high;
    }, next_row());
    return Flaw::none;
  }

  [[gnu::always_inline]] Flaw add_and_square(double step, bool bias, double* w,
                                             double& norm) const {
    EightLanes c{};
    each_eight(bias, [&](Size j, const EightLanes& v) __attribute__((always_inline)) {
      EightLanes::four(w + j) += step * v.low, EightLanes::four(w + j + 4) += step * v.high;
      c.add_product(v, v);
    }, next_row());
    norm = c.sum();
    return Flaw::none;
  }
};

// Every loop checks each column where it uses it, because the caller may change the arrays at any
// time: 97 -> 104 ms on 800k rows of 75.
template <class T, class I>
struct SparseRow {
  const T* x;
  const I* index;
  Size stored, dim;

  Size size() const { return stored; }
  void expect() const {
    prefetch(x, stored * sizeof(T));
    prefetch(index, stored * sizeof(I));
  }
  // A negative index becomes a large column, not below dim: 2^31 columns are the most that 32 bits
  // may number.
  [[gnu::always_inline]] Size column(Size k) const {
    return std::make_unsigned_t<I>(read_once(index[k]));
  }

  [[gnu::always_inline]] Flaw dot(const double* w, bool bias, double& s) const {
    double a[lanes] = {};
    const Flaw flaw = each_in_order([&](Size j, double v) __attribute__((always_inline)) {
      a[j % lanes] += v * w[j];
    });
    if (bias) a[dim % lanes] += w[dim];
    s = total(a);
    return flaw;
  }

  // The dot products with two vectors, in one loop: reading and learning 60 MB of texts, where the scores of
  // the mean are counted, takes 1.16 s of processor time instead of 1.24.
  [[gnu::always_inline]] Flaw dots(const double* w, const double* u, bool bias, double& s, double& t) const {
    double a[lanes] = {}, b[lanes] = {};
    const Flaw flaw = each_in_order([&](Size j, double v) __attribute__((always_inline)) {
      a[j % lanes] += v * w[j];
      b[j % lanes] += v * u[j];
    });
    if (bias) a[dim % lanes] += w[dim], b[dim % lanes] += u[dim];
    s = total(a), t = total(b);
    return flaw;
  }

  [[gnu::always_inline]] Flaw add(double step, bool bias, double* w) const {
    const Flaw flaw = each([&](Size j, double v) __attribute__((always_inline)) { w[j] += step * v; });
    if (bias && flaw == Flaw::none) w[dim] += step;
    return flaw;
  }

  [[gnu::always_inline]] bool negative() const { return any_negative(x, stored); }

  // A column decides only the lane, so it needs no check.
  [[gnu::always_inline]] double square(bool bias) const {
    double a[lanes] = {};
    for (Size k = 0; k < stored; ++k) a[column(k) % lanes] += double(x[k]) * double(x[k]);
    if (bias) a[dim % lanes] += 1.0;
    return total(a);
  }

  // Both in one loop: 57 -> 54 ms for a pass over 400k rows of 63 with a quarter of mistakes.
  [[gnu::always_inline]] Flaw add_and_square(double step, bool bias, double* w,
                                             double& norm) const {
    double a[lanes] = {};
    const Flaw flaw = each([&](Size j, double v) __attribute__((always_inline)) {
      a[j % lanes] += v * v;
      w[j] += step * v;
    });
    if (bias) a[dim % lanes] += 1.0, w[dim] += step;
    norm = total(a);
    return flaw;
  }

  // The score, then the same; `narrow`, which has a number in `apart`, stays the float32 copy of w.
  [[gnu::always_inline]] Flaw score_and_add(double step, bool bias, double* w, float* narrow, double& s,
                                            double& norm, Size apart = 1) const {
    double a[lanes] = {}, b[lanes] = {};
    const Flaw flaw = each([&](Size j, double v) __attribute__((always_inline)) {
      a[j % lanes] += v * w[j];
      b[j % lanes] += v * v;
      w[j] += step * v;
      narrow[j * apart] = narrowed(w[j]);
    });
    if (bias) a[dim % lanes] += w[dim], b[dim % lanes] += 1.0, w[dim] += step;
    s = total(a), norm = total(b);
    return flaw;
  }

  [[gnu::always_inline]] Flaw squares(const double* by, bool bias, double& weighted,
                                      double& plain) const {
    double a[lanes] = {}, b[lanes] = {};
    const Flaw flaw = each([&](Size j, double v) __attribute__((always_inline)) {
      a[j % lanes] += by[j] * v * v;
      b[j % lanes] += v * v;
    });
    if (bias) a[dim % lanes] += by[dim], b[dim % lanes] += 1.0;
    weighted = total(a), plain = total(b);
    return flaw;
  }

  // The score and the same, in one loop.
  [[gnu::always_inline]] Flaw dot_and_squares(const double* w, const double* by, bool bias, double& s,
                                              double& weighted, double& plain) const {
    double a[lanes] = {}, b[lanes] = {}, c[lanes] = {};
    const Flaw flaw = each_in_order([&](Size j, double v) __attribute__((always_inline)) {
      const Size q = j % lanes;
      a[q] += v * w[j];
      b[q] += by[j] * v * v;
      c[q] += v * v;
    });
    const Size q = dim % lanes;
    if (bias) a[q] += w[dim], b[q] += by[dim], c[q] += 1.0;
    s = total(a), weighted = total(b), plain = total(c);
    return flaw;
  }

  // Visits the entries up to the first whose column is out of range.
  template <class F>
  [[gnu::always_inline]] Flaw each(F f) const {
    for (Size k = 0; k < stored; ++k) {
      const Size j = column(k);
      if (j >= dim) [[unlikely]] return Flaw::index;
      f(j, double(x[k]));
    }
    return Flaw::none;
  }
  // The same, with four entries at a time, whose columns must differ; the last ones come alone.
  template <class F, class One>
  [[gnu::always_inline]] Flaw each_four(F four, One one) const {
    Size k = 0;
    for (; k + 4 <= stored; k += 4) {
      const Size j[4] = {column(k), column(k + 1), column(k + 2), column(k + 3)};
      if (std::max({j[0], j[1], j[2], j[3]}) >= dim) [[unlikely]] break;
      four(j, Four{double(x[k]), double(x[k + 1]), double(x[k + 2]), double(x[k + 3])});
    }
    return SparseRow{x + k, index + k, stored - k, dim}.each(one);
  }
  // As `each`; checks that each column is above the one before it.
  template <class F>
  [[gnu::always_inline]] Flaw each_in_order(F f) const {
    bool unsorted = false;
    std::int64_t last = -1;
    for (Size k = 0; k < stored; ++k) {
      const Size j = column(k);
      if (j >= dim) [[unlikely]] return Flaw::index;
      unsorted |= static_cast<std::int64_t>(j) <= last;
      last = static_cast<std::int64_t>(j);
      f(j, double(x[k]));
    }
    return unsorted ? Flaw::order : Flaw::none;
  }
};

template <class T>
struct DenseRows {
  using Row = DenseRow<T>;
  const T* values;
  Size n, dim;

  // Reads row i < n into x.
  [[gnu::always_inline]] bool read(Size i, Row& x) const {
    x = {values + i * dim, dim};
    return true;
  }
  void expect_outline(Size) const {}
};

// The last rows are a copy, because what lies behind a row is read too. So no row asks where the array ends,
// and no call interrupts the sums: with that and the masks of a tail, passes over 1,000,000 rows of 28 float32
// take 13 ms instead of 19, adaptive 22 instead of 31. (A copy of the last columns of each row costs 23 ns.)
template <class T>
struct PaddedRows {
  using Row = PaddedRow<T>;
  const T* values;
  Size n, dim, copied;
  std::vector<T> end;
  Tail tail;

  PaddedRows(const DenseRows<T>& rows, bool bias)
      : values(rows.values), n(rows.n), dim(rows.dim), copied(std::min(n, dim ? lanes / dim + 1 : n)),
        end(values + (n - copied) * dim, values + n * dim), tail(dim % lanes, bias) {
    end.resize(end.size() + lanes);
  }
  [[gnu::always_inline]] bool read(Size i, Row& x) const {
    x = {{i + copied < n ? values + i * dim : end.data() + (i + copied - n) * dim, dim}, &tail};
    return true;
  }
  void expect_outline(Size) const {}
};
template <class T>
inline PaddedRows<T> padded(const DenseRows<T>& rows, bool bias) {
  return {rows, bias};
}

template <class T, class I>
struct SparseRows {
  using Row = SparseRow<T, I>;
  const T* values;
  const I* indices;
  const I* starts;
  Size n, dim, stored;

  // Reads row i < n into x; false if it does not lie within the stored entries.
  [[gnu::always_inline]] bool read(Size i, Row& x) const {
    const I from = read_once(starts[i]), to = read_once(starts[i + 1]);
    if (Size(from) > Size(to) || Size(to) > stored) return false;  // a negative one is very large
    x = {values + from, indices + from, Size(to) - Size(from), dim};
    return true;
  }
  void expect_outline(Size i) const {
    if (i < n) __builtin_prefetch(starts + i);
  }
};

}  // namespace novikoff
