#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>

// Spreading in two dimensions that processes each bin once: a warp sums the cells that the points of a bin
// touch and writes them to its own memory; then every cell of the grid is the sum over the bins around it. A
// point is processed once, whereas tiles.hpp processes it for every tile that it touches.
//
// In double precision and for one coil, the sums over points are matrix products: rows are weights along y,
// columns are values times weights along x. In single precision each thread handles some cells; this is for
// small problems, whose time is latency.
namespace larmor::nufft::cuda {

/// Number of cells along an axis that the points of a bin touch: the bin has this number less the width, plus
/// 1.
struct PlaneCells {
  int columns, rows;
};
/// Double precision: products have tiles of 4 columns and 8 rows, and bins have at least 7 cells along both
/// axes.
template <typename T>
constexpr PlaneCells plane_cells(int width) {
  return sizeof(T) == 8 ? PlaneCells{(width + 9) / 4 * 4, (width + 13) / 8 * 8} : PlaneCells{8, 8};
}

/// Bins with more points are split into pieces of this size. If all points are clustered in a few bins,
/// neither a warp's work on a piece nor the sum over the pieces overlaps with other work; with this size both
/// grow with the square root of the points.
inline int piece_points(std::int64_t samples) {
  return std::max(128, (static_cast<int>(std::sqrt(2 * static_cast<double>(samples))) + 31) / 32 * 32);
}

/// True if there are kernels for these sizes and memory for the sums.
template <typename T>
constexpr bool can_sum_planes(int lanes, int width, std::int64_t samples, std::int64_t columns,
                              std::int64_t rows) {
  constexpr std::int64_t most_rows = 1 << 18;  // CUDA limits a grid to 65535 blocks along y
  return rows <= most_rows && columns * rows <= 1 << 24 && samples <= 1 << 30 &&
         (sizeof(T) == 8 ? lanes == 1 : lanes <= 4 && width <= 6);
}
/// The bins into which points must be sorted.
template <typename T>
constexpr void choose_plane_bins(int width, std::int32_t bin[3]) {
  const PlaneCells sums = plane_cells<T>(width);
  bin[0] = sums.columns - width + 1;
  bin[1] = sums.rows - width + 1;
  bin[2] = 1;
}

/// As spread() in tiles/spread.hpp; polynomials are the kernel's.
template <typename T>
std::size_t plane_sums_bytes(const Points<T>& points, const Coils& coils);
template <typename T>
void spread_plane_sums(const Points<T>& points, const KernelPolynomials<T>& polynomials,
                       const std::complex<T>* samples, std::int64_t sample_stride, const T* weights,
                       std::complex<T>* grid, const Coils& coils, void* scratch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
