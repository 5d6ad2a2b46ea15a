// Rows over the positions of names in a text, turned into rows over the columns of these names.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "text/text.hpp"

namespace novikoff {

struct Renumbered {
  Buffer<double> values;
  Buffer<std::int32_t> indices, starts;
  std::int64_t left_out = 0;
};

// Entry k of a row moves to column columns[indices[k]]; without `columns` it stays. A negative
// column drops the entry. Each row is then sorted by column, and values on one column are added in
// their order.
template <class Index>
void renumber(const double* values, const Index* indices, const Index* starts,
              std::size_t rows, const std::int64_t* columns, Renumbered& out) {
  const auto entries = std::size_t(starts[rows]);
  out.values.reserve(entries + 1);
  out.indices.reserve(entries + 1);
  out.starts.reserve(rows + 1);
  out.starts.add(0);
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::size_t i = 0; i < rows; ++i) {
    row.clear();
    bool sorted = true;
    for (auto k = std::size_t(starts[i]); k < std::size_t(starts[i + 1]); ++k) {
      const auto j = std::int32_t(columns ? columns[std::size_t(indices[k])] : indices[k]);
      if (j < 0) {
        ++out.left_out;
        continue;
      }
      sorted &= row.empty() || row.back().first < j;
      row.emplace_back(j, values[k]);
    }
    if (!sorted)
      std::stable_sort(row.begin(), row.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t begin = out.values.size;
    for (const auto& [j, x] : row) {
      if (out.indices.size > begin && out.indices.data[out.indices.size - 1] == j) {
        out.values.data[out.values.size - 1] += x;
        continue;
      }
      out.values.add(x);
      out.indices.add(j);
    }
    out.starts.add(std::int32_t(out.values.size));
  }
}

}  // namespace novikoff
