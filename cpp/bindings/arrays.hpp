// NumPy arrays as the core reads them, rows of any layout made of them, and arguments of a pass.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/honest.hpp"
#include "core/passes.hpp"
#include "core/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace novikoff;

// An array whose numbers lie at multiples of their size; NumPy also makes others, of packed records
// and of bytes. The functions of the core do not take those.
template <class Plain>
struct Aligned : Plain {
  using Plain::Plain;
  Aligned() = default;
  explicit Aligned(const Plain& array) : Plain(array) {}

  bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(this->data()) % std::max<Size>(1, this->itemsize()) == 0;
  }
};

template <class Plain>
struct nb::detail::type_caster<Aligned<Plain>> {
  NB_TYPE_CASTER(Aligned<Plain>, make_caster<Plain>::Name)

  template <class Flags>
  bool from_python(handle src, Flags flags, cleanup_list* cleanup) noexcept {
    make_caster<Plain> plain;
    if (!plain.from_python(src, flags, cleanup)) return false;
    value = Aligned<Plain>(plain.value);
    return value.is_aligned();
  }
  static handle from_cpp(const Aligned<Plain>& array, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Plain>::from_cpp(array, policy, cleanup);
  }
};

using Array = Aligned<nb::ndarray<nb::numpy, nb::ro, nb::c_contig, nb::device::cpu>>;
template <class T>
using In = Aligned<nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
template <class T>
using Out = Aligned<nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
template <class T>
using Maybe = std::optional<T>;

using AnyRows =
    std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float, std::int32_t>,
                 SparseRows<float, std::int64_t>, SparseRows<double, std::int32_t>,
                 SparseRows<double, std::int64_t>>;

[[noreturn]] inline void refuse(const char* what) { throw nb::value_error(what); }

// Refuses a flaw that the caller of Python's side did not expect: the arrays were damaged, or
// changed while they were read.
inline void refuse(const Stop& stop) {
  if (stop.flaw == Flaw::bounds) refuse("a row lies outside the stored entries");
  if (stop.flaw == Flaw::label) refuse("a mistake names a class that does not exist");
  if (stop.flaw == Flaw::order) refuse("the columns of a row are not in increasing order");
  if (stop.flaw != Flaw::none) refuse("a row has a column that does not exist");
}

constexpr Size most_features = Size(1) << 48;  // so that sizes in bytes do not overflow

template <class T, class I>
inline AnyRows sparse_rows(const Array& values, const Array& indices, const Array& starts,
                           Size dim) {
  if (values.ndim() != 1 || indices.ndim() != 1 || starts.ndim() != 1 || starts.size() == 0)
    refuse("CSR rows need one-dimensional values, indices and starts");
  if (dim > Size(std::numeric_limits<std::make_unsigned_t<I>>::max() / 2) + 1)
    refuse("so many features need indices of 64 bits");
  const Size stored = std::min(values.size(), indices.size());
  return SparseRows<T, I>{static_cast<const T*>(values.data()),
                          static_cast<const I*>(indices.data()),
                          static_cast<const I*>(starts.data()), starts.size() - 1, dim, stored};
}

template <class T>
inline AnyRows typed_rows(const Array& values, const Maybe<Array>& indices,
                          const Maybe<Array>& starts, Size dim) {
  if (!indices || !starts) {
    if (values.ndim() != 2 || values.shape(1) != dim)
      refuse("dense rows need a two-dimensional array with one column per feature");
    return DenseRows<T>{static_cast<const T*>(values.data()), values.shape(0), dim};
  }
  const auto narrow = nb::dtype<std::int32_t>(), wide = nb::dtype<std::int64_t>();
  if (indices->dtype() == narrow && starts->dtype() == narrow)
    return sparse_rows<T, std::int32_t>(values, *indices, *starts, dim);
  if (indices->dtype() == wide && starts->dtype() == wide)
    return sparse_rows<T, std::int64_t>(values, *indices, *starts, dim);
  refuse("CSR indices and starts must both be int32 or both int64");
}

inline AnyRows any_rows(const Array& values, const Maybe<Array>& indices,
                        const Maybe<Array>& starts, Size dim) {
  if (dim > most_features) refuse("there are too many features");
  if (values.dtype() == nb::dtype<float>()) return typed_rows<float>(values, indices, starts, dim);
  if (values.dtype() == nb::dtype<double>())
    return typed_rows<double>(values, indices, starts, dim);
  refuse("values must be float32 or float64");
}

inline Size length(const AnyRows& rows) {
  return std::visit([](const auto& r) { return r.n; }, rows);
}

// Refuses a run that is too long to count further rounds.
inline std::int64_t countable(std::int64_t rounds) {
  if (rounds < 0 || rounds > std::int64_t(1) << 62) refuse("a run has from 0 to 2^62 rounds");
  return rounds;
}

// Counts of scores in an array that NumPy owns.
inline HonestScores honest_scores(const Out<std::int64_t>& counts) {
  if (counts.size() != HonestScores::size) refuse("the counts of scores have another size");
  if (counts(0) < 0 || counts(0) > std::int64_t(1) << 62) refuse("a run has from 0 to 2^62 rounds");
  return {counts.data()};
}

inline void within(Size begin, Size end, Size n) {
  if (begin > end || end > n) refuse("begin and end must lie within the rows");
}

// What every pass over labelled rows takes: checked, and handed to the core without the GIL.
template <class Label>
struct PassArguments {
  AnyRows rows;
  In<Label> labels;
  Maybe<In<double>> importances;
  Maybe<In<std::int64_t>> order;
  Size begin, end;

  // `rounds` were played before; `rooms` are the sizes of the arrays that record mistakes of `passes`.
  void check(std::int64_t rounds, std::initializer_list<Size> rooms, Size passes = 1) const {
    countable(rounds);
    within(begin, end, order ? order->size() : length(rows));
    if (labels.size() != length(rows)) refuse("one label per row is needed");
    if (importances && importances->size() != length(rows))
      refuse("one importance per row is needed");
    for (const Size room : rooms)
      if (passes == 0 || room / passes < end - begin) refuse("the records need room for a mistake on every row");
  }

  // run(rows, labels, importances, order), the last two null if there are none.
  template <class F>
  Stop learn(F run) const {
    nb::gil_scoped_release unlocked;
    return std::visit(
        [&](const auto& r) {
          return run(r, labels.data(), importances ? importances->data() : nullptr,
                     order ? order->data() : nullptr);
        },
        rows);
  }
};
