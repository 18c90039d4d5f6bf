#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/spread/cuda/points/line_points.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

// Spreading one vector in one dimension, by blocks of threads that own neighbouring bins of four cells of
// the grid. Points are sorted by bins. A block evaluates the kernel once for each point; then the threads
// that own a bin go through the points around it and add up its cells in registers, in a fixed order.
//
// Values lie in the caller's order. Where bins hold many points, these are sorted within runs of the
// caller's samples that the second-level cache holds; each run has a grid of its own, and these are added.
namespace larmor::nufft::cuda {

/// Sizes and tables, in device memory; passed to kernels by value.
template <typename T>
struct BinnedPoints : LinePoints<T> {
  static constexpr int bin_shift = 2, bin_cells = 1 << bin_shift;
  /// Bits of a sample's number; those above hold its first cell modulo 32.
  static constexpr int index_bits = 27;

  std::int32_t sort_shift = bin_shift;  ///< points are sorted by first cell >> sort_shift
  std::int32_t bins;
  std::int32_t threads_of_bin;  ///< a power of two
  std::int32_t tile_bins;       ///< that a block of threads owns
  std::int32_t tiles;           ///< of a run
  const std::uint32_t* order;   ///< [samples]: sample | first cell % 32 << index_bits
  const std::int32_t* start;    ///< [runs · bins + 1]
};

/// Whether the sizes are those that this method knows.
constexpr bool bins_suit(std::int64_t samples, std::int64_t cells) {
  return samples > 0 && samples < std::int64_t{1} << BinnedPoints<float>::index_bits && cells >= 64;
}

/// Sizes for points whose sizes and kernel are given.
template <typename T>
BinnedPoints<T> bin_sizes(const Points<T>& points);

/// Device memory of the tables, and what finding them needs beside it.
template <typename T>
std::size_t bin_table_bytes(const BinnedPoints<T>& sizes);
template <typename T>
std::size_t bin_sort_bytes(const BinnedPoints<T>& sizes);

/// What a sort found, in device memory.
struct BinReport {
  std::int64_t not_finite;  ///< the first sample that is not finite, or −1
  std::int64_t crowd;       ///< most points of a tile
};

/// Sorts points and returns them with their tables. coordinates [samples], periodic with 1. Waits for the
/// device where the bins are many.
template <typename T>
BinnedPoints<T> sort_into_bins(const BinnedPoints<T>& sizes, const double* coordinates, void* tables,
                               BinReport* report, void* scratch, larmor::cuda::Stream stream);

template <typename T>
std::size_t bin_scratch_bytes(const BinnedPoints<T>& points);
/// grid = Σ_p weights_p · samples_p · kernel, every cell written; the same input gives the same bits.
template <typename T>
void spread_bins(const BinnedPoints<T>& points, const std::complex<T>* samples, const T* weights,
                 std::complex<T>* grid, void* scratch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
