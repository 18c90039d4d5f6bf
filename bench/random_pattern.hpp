#pragma once

#include <larmor/core/math/sparse_pattern.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace larmor {

/// Parameters of a random pattern.
struct RandomPattern {
  Index rows = 0, columns = 0;
  double density = 0;      ///< entries over rows × columns; exact to within one pair of entries
  bool symmetric = false;  ///< (r, c) with (c, r); rows must equal columns
  unsigned seed = 1;
};
/// A binary pattern of distinct places, the same for the same seed on every machine.
inline SparsePattern random_pattern(const RandomPattern& wanted) {
  SparsePattern pattern{wanted.rows, wanted.columns, {}, {}};

  // Places are numbered row by row, for a symmetric pattern in the lower triangle with its diagonal. Distinct
  // places are drawn in sorted batches: draw the missing ones, sort, remove duplicates. For densities above a
  // half, the places to omit are drawn.
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
