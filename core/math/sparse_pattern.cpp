#include <larmor/core/math/sparse_pattern.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace larmor {

bool SparsePattern::real() const {
  return std::all_of(values.begin(), values.end(), [](const auto& value) { return value.imag() == 0; });
}

void check_pattern(const SparsePattern& pattern, const std::string& what) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (pattern.rows < 1 || pattern.columns < 1 || pattern.rows > most || pattern.columns > most)
    throw input_error("{}: {} rows and {} columns; expected 1 to {} of each", what, pattern.rows,
                      pattern.columns, most);
  if (pattern.entries() > most)
    throw input_error("{}: {} entries; expected at most {}", what, pattern.entries(), most);
  if (pattern.row.size() != pattern.column.size() ||
      (!pattern.binary() && pattern.values.size() != pattern.row.size()))
    throw input_error(
        "{}: {} row indices, {} column indices and {} values; expected as many of each, or no values", what,
        pattern.row.size(), pattern.column.size(), pattern.values.size());
  for (std::size_t i = 0; i < pattern.row.size(); ++i) {
    if (pattern.row[i] >= pattern.rows || pattern.column[i] >= pattern.columns)
      throw input_error("{}: entry {} is at row {}, column {} (from 0); expected less than {} and {}", what,
                        i, pattern.row[i], pattern.column[i], pattern.rows, pattern.columns);
    if (!pattern.binary() &&
        !(std::isfinite(pattern.values[i].real()) && std::isfinite(pattern.values[i].imag())))
      throw input_error("{}: entry {} is not a finite number", what, i);
  }
}

}  // namespace larmor
