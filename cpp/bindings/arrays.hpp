// NumPy arrays as the core reads them, and rows of any layout made of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "core/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace novikoff;

using Array = nb::ndarray<nb::numpy, nb::ro, nb::c_contig, nb::device::cpu>;
template <class T>
using In = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Maybe = std::optional<T>;

using AnyRows =
    std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float, std::int32_t>,
                 SparseRows<float, std::int64_t>, SparseRows<double, std::int32_t>,
                 SparseRows<double, std::int64_t>>;

[[noreturn]] inline void refuse(const char* what) { throw nb::value_error(what); }

template <class T, class I>
inline AnyRows sparse_rows(const Array& values, const Array& indices, const Array& starts,
                           Size dim) {
  if (values.ndim() != 1 || indices.ndim() != 1 || starts.ndim() != 1 || starts.size() == 0)
    refuse("CSR rows need one-dimensional values, indices and starts");
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
  if (values.dtype() == nb::dtype<float>()) return typed_rows<float>(values, indices, starts, dim);
  if (values.dtype() == nb::dtype<double>())
    return typed_rows<double>(values, indices, starts, dim);
  refuse("values must be float32 or float64");
}

inline Size length(const AnyRows& rows) {
  return std::visit([](const auto& r) { return r.n; }, rows);
}

inline void within(Size begin, Size end, Size n) {
  if (begin > end || end > n) refuse("begin and end must lie within the rows");
}
