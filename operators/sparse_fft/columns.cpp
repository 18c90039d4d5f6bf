#include <larmor/operators/sparse_fft/columns.hpp>

#include <algorithm>
#include <numeric>

namespace larmor::sparse_fft {
namespace {

// Indices of the entries sorted by a key in [0, keys); those with equal key keep the order of `order`.
std::vector<std::uint32_t> sorted_by(const std::vector<std::uint32_t>& key, Index keys,
                                     const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place(static_cast<std::size_t>(keys) + 1, 0);
  for (const std::uint32_t k : key) ++place[k + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> sorted(order.size());
  for (const std::uint32_t i : order) sorted[place[key[i]]++] = i;
  return sorted;
}

}  // namespace

Columns make_columns(const SparsePattern& pattern) {
  check_pattern(pattern);
  std::vector<std::uint32_t> order(pattern.row.size());
  std::iota(order.begin(), order.end(), 0U);
  order = sorted_by(pattern.column, pattern.columns, sorted_by(pattern.row, pattern.rows, order));

  Columns result;
  result.rows = pattern.rows;
  result.columns = pattern.columns;
  result.real = pattern.real();
  std::uint32_t last_row = 0;
  for (const std::uint32_t i : order) {
    const std::uint32_t r = pattern.row[i], c = pattern.column[i];
    const bool new_column = result.column.empty() || result.column.back() != c;
    if (!new_column && r == last_row) {  // the same place again
      if (!pattern.binary()) result.values.back() += pattern.values[i];
      continue;
    }
    const std::size_t count = result.narrow() ? result.narrow_rows.size() : result.wide_rows.size();
    if (new_column) {
      result.column.push_back(c);
      result.start.push_back(static_cast<std::uint32_t>(count));
    }
    if (result.narrow())
      result.narrow_rows.push_back(static_cast<std::uint16_t>(r));
    else
      result.wide_rows.push_back(r);
    if (!pattern.binary()) result.values.push_back(pattern.values[i]);
    last_row = r;
  }
  result.start.push_back(
      static_cast<std::uint32_t>(result.narrow() ? result.narrow_rows.size() : result.wide_rows.size()));
  return result;
}

}  // namespace larmor::sparse_fft
