#include <larmor/core/math/sparse_pattern.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

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

SparsePattern random_pattern(const RandomPattern& wanted) {
  if (!(wanted.density >= 0 && wanted.density <= 1))
    throw usage_error("the density of a pattern must be between 0 and 1, got {}", wanted.density);
  if (wanted.symmetric && wanted.rows != wanted.columns)
    throw usage_error("a symmetric pattern has as many rows as columns, got {} and {}", wanted.rows,
                      wanted.columns);
  SparsePattern pattern{wanted.rows, wanted.columns, {}, {}};
  check_pattern(pattern, "random pattern");

  // Places are numbered row by row, a symmetric pattern's lower triangle with its diagonal. Distinct ones are
  // drawn in sorted batches: draw what is missing, sort, drop what came twice. Beyond a half
  // the places to leave out are drawn.
  const auto n = static_cast<std::uint64_t>(wanted.rows);
  const std::uint64_t places =
      wanted.symmetric ? n * (n + 1) / 2 : n * static_cast<std::uint64_t>(wanted.columns);
  const auto count = static_cast<std::uint64_t>(std::llround(wanted.density * static_cast<double>(places)));
  const bool inverted = count > places / 2;
  const std::uint64_t draws = inverted ? places - count : count;
  std::mt19937_64 generator(wanted.seed);
  std::vector<std::uint64_t> drawn;
  while (drawn.size() < draws) {
    // No distribution of the standard library: those differ between machines. The remainder favours small
    // places by less than one part in 10⁹ for matrices that fit into memory.
    while (drawn.size() < draws) drawn.push_back(generator() % places);
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  const auto add = [&](std::uint64_t r, std::uint64_t c) {
    pattern.row.push_back(static_cast<std::uint32_t>(r));
    pattern.column.push_back(static_cast<std::uint32_t>(c));
  };
  const auto place = [&](std::uint64_t index) {
    if (!wanted.symmetric) {
      const auto columns = static_cast<std::uint64_t>(wanted.columns);
      return add(index / columns, index % columns);
    }
    // r(r + 1)/2 <= index, from the root of the quadratic, corrected for rounding
    auto r = static_cast<std::uint64_t>((std::sqrt(8 * static_cast<double>(index) + 1) - 1) / 2);
    while (r * (r + 1) / 2 > index) --r;
    while ((r + 1) * (r + 2) / 2 <= index) ++r;
    const std::uint64_t c = index - r * (r + 1) / 2;
    add(r, c);
    if (r != c) add(c, r);
  };
  if (!inverted) {
    for (const std::uint64_t index : drawn) place(index);
  } else {
    auto skipped = drawn.begin();
    for (std::uint64_t index = 0; index < places; ++index)
      if (skipped != drawn.end() && *skipped == index)
        ++skipped;
      else
        place(index);
  }
  return pattern;
}

}  // namespace larmor
