// Rows over the positions of names in a text, turned into rows over the columns of these names.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/passes.hpp"
#include "text/sorting.hpp"
#include "text/text.hpp"

namespace novikoff {

struct Renumbered {
  Buffer<double> values;
  Buffer<std::int32_t> indices, starts;
  std::int64_t left_out = 0;
};

// An entry of column j moves to columns[j]; without `columns` it stays. A negative column drops the
// entry. Each row is then sorted by column, and values on one column are added in their order.
// Stops at a row whose entries are not stored or belong to an earlier row, and at a column that does
// not exist or is too large.
template <class Index>
Stop renumber(const SparseRows<double, Index>& rows, const std::int64_t* columns,
              Renumbered& out) {
  out.values.reserve(rows.stored + 1);
  out.indices.reserve(rows.stored + 1);
  out.starts.reserve(rows.n + 1);
  out.starts.add(0);
  std::size_t left = rows.stored;
  std::vector<std::uint64_t> keys, spare;
  std::vector<double> row;
  for (std::size_t i = 0; i < rows.n; ++i) {
    SparseRow<double, Index> x;
    if (!rows.read(i, x) || x.size() > left) return {i, Flaw::bounds};
    left -= x.size();
    row.clear();
    keys.clear();
    bool sorted = true, fits = true;
    const Flaw flaw = x.each([&](Size given, double value) {
      const std::int64_t column = columns ? read_once(columns[given]) : std::int64_t(given);
      const auto j = std::int32_t(column);
      if (column < 0) {
        ++out.left_out;
        return;
      }
      fits &= j == column;
      const std::uint64_t key = std::uint64_t(column) << 32 | row.size();
      sorted &= keys.empty() || keys.back() < key;
      keys.push_back(key);
      row.push_back(value);
    });
    if (flaw != Flaw::none || !fits) return {i, Flaw::index};
    if (!sorted) sort_by_rank(keys, spare);
    const std::size_t begin = out.values.size;
    for (const std::uint64_t key : keys) {
      const auto j = std::int32_t(key >> 32);
      const double x = row[key & 0xffffffffu];
      if (out.indices.size > begin && out.indices.data[out.indices.size - 1] == j) {
        out.values.data[out.values.size - 1] += x;
        continue;
      }
      out.values.add(x);
      out.indices.add(j);
    }
    out.starts.add(std::int32_t(out.values.size));
  }
  return {rows.n, Flaw::none};
}

}  // namespace novikoff
