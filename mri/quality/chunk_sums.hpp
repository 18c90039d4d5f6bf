#pragma once

#include <larmor/core/parallel.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace larmor {

/// Values that a thread takes at a time.
inline constexpr Index chunk_size = 1 << 14;

/// Sums over [0, count), to the same bits for any number of threads: add(begin, end, sums) adds the values of
/// a chunk to sums, which begin as `zero`, a range of numbers.
template <typename Sums, typename Add>
Sums added_up(Index count, const Context& ctx, const Sums& zero, const Add& add) {
  std::vector<Sums> chunks(static_cast<std::size_t>((count + chunk_size - 1) / chunk_size), zero);
  parallel_for(ctx, count, chunk_size, [&](Index begin, Index end, int) {
    add(begin, end, chunks[static_cast<std::size_t>(begin / chunk_size)]);
  });
  Sums all = zero;
  for (const Sums& chunk : chunks)
    std::transform(all.begin(), all.end(), chunk.begin(), all.begin(), std::plus());
  return all;
}

}  // namespace larmor
