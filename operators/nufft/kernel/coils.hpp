#pragma once

#include <cstddef>
#include <cstdint>

namespace larmor::nufft {

/// Coils on a grid: coil c is lane c % lanes of block c / lanes. Grids are [block][z][y][x][lane]; lanes of
/// the last block without a coil are padding.
struct Coils {
  std::int64_t count;
  int lanes;
  int blocks() const { return static_cast<int>((count + lanes - 1) / lanes); }
};

/// Numbers of coils that can be processed together; other numbers are split into these, and the last part is
/// padded.
template <typename T>
inline constexpr int widest_lanes = sizeof(T) == 4 ? 8 : 4;

/// Blocks of coils per launch of a GPU's kernels: the second extent of a CUDA grid, which counts blocks or
/// their coils, is at most 65535.
inline constexpr std::int64_t most_blocks = 65535 / widest_lanes<float>;

/// Lanes of the next block when `remaining` coils are left.
template <typename T>
constexpr int next_lanes(std::int64_t remaining) {
  if (remaining <= 1) return 1;
  return remaining <= 4 ? 4 : widest_lanes<T>;
}

/// Calls body(first coil, coils, lanes) for each block of a batch.
template <typename T, typename Body>
void for_coil_blocks(std::int64_t coils, const Body& body) {
  for (std::int64_t first = 0; first < coils;) {
    const int lanes = next_lanes<T>(coils - first);
    const std::int64_t count = lanes < coils - first ? lanes : coils - first;
    body(first, count, lanes);
    first += count;
  }
}

/// True if a batch of this size, or a smaller one that the same plan serves, has blocks with this number of
/// lanes.
template <typename T>
constexpr bool lanes_used(int lanes, std::int64_t batch) {
  return lanes <= next_lanes<T>(batch);
}

/// Index of 1, 4 or 8 lanes in a table with an entry for each.
constexpr std::size_t lanes_index(int lanes) {
  return lanes == 1 ? 0 : lanes == 4 ? 1 : 2;
}

}  // namespace larmor::nufft
