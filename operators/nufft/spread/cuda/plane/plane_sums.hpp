#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>

// Spreading in two dimensions, each bin once: a warp sums the cells that the points of a bin touch, and
// writes them to memory of its own; afterwards every cell of the grid is the sum of what the bins around it
// have found there. A point is looked at once, where tiles.hpp looks at it in every tile that it touches.
//
// In double precision, of one coil, the sums over the points are products of matrices: rows are weights along
// y, columns values times weights along x. In single precision threads own cells; that is for small problems,
// which wait for memory and for each other.
namespace larmor::nufft::cuda {

/// Cells along an axis that the points of a bin touch, and cells of the bin, which are as many less the
/// width, plus 1.
struct PlaneCells {
  int columns, rows;
};
/// Double precision: products have tiles of 4 columns and 8 rows, and bins at least 7 cells along both axes.
template <typename T>
constexpr PlaneCells plane_cells(int width) {
  return sizeof(T) == 8 ? PlaneCells{(width + 9) / 4 * 4, (width + 13) / 8 * 8} : PlaneCells{8, 8};
}

/// Bins with more points are worked on in pieces of so many. Where all points crowd in a few bins a warp's
/// work on a piece, and then the sum of the pieces, are in nobody's shadow: both grow with the root.
inline int piece_points(std::int64_t samples) {
  return std::max(128, (static_cast<int>(std::sqrt(2 * static_cast<double>(samples))) + 31) / 32 * 32);
}

/// True if there are kernels for that, and memory for the sums.
template <typename T>
constexpr bool can_sum_planes(int lanes, int width, std::int64_t samples, std::int64_t columns,
                              std::int64_t rows) {
  constexpr std::int64_t most_rows = 1 << 18;  // CUDA's grids are no longer along y than 65535 blocks
  return rows <= most_rows && columns * rows <= 1 << 24 && samples <= 1 << 30 &&
         (sizeof(T) == 8 ? lanes == 1 : lanes <= 4 && width <= 6);
}
/// The bins that points must lie in.
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
