#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <cstddef>

namespace larmor::nufft::cuda {

/// The arrays that sort_points fills, in device memory; Points refers to the same arrays for reading.
template <typename T>
struct SortedArrays {
  std::int32_t* order;      ///< [samples]
  std::uint32_t* cell;      ///< [samples]
  T* fraction;              ///< [dims][samples]
  std::int32_t* bin_start;  ///< [bins + 1]
};

/// Cells of a bin that are best for spreading with this many lanes: those of a tile (see spread_tile.hpp),
/// powers of two.
void choose_bins(int dims, int lanes, std::int32_t bin[3]);

/// Device memory that sort_points needs while it runs.
std::size_t sort_scratch_bytes(std::int64_t samples, std::int64_t bins);

/// Sorts points by bins, stably: within a bin they keep the caller's order. `points` gives the sizes (its
/// pointers are not read); trajectory [samples][dims] in cycles per pixel, axis x first, periodic with 1.
/// *not_finite, which the device must be able to write, becomes the first sample with a coordinate that is
/// not finite, or −1; it is not written if there are no samples.
template <typename T>
void sort_points(const double* trajectory, const Points<T>& points, const SortedArrays<T>& arrays,
                 double* not_finite, void* scratch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
