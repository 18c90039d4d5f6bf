#pragma once

#include <larmor/operators/nufft/spread/cuda/line/bins.hpp>

// Spreading of one vector in one dimension where cells hold a few points each. Points are sorted by cell, as
// by bins of one cell. A thread sums the moments of a cell's points (see moments.hpp) in registers, turns
// them into the cell's part of each cell that it touches, and these parts are added from thread to thread.
// What a point costs does not depend on the kernel's width.
namespace larmor::nufft::cuda {

/// Sizes for sort_into_bins() with a cell for each bin; BinReport::crowd is then that of a
/// cell.
template <typename T>
BinnedPoints<T> cell_moment_sizes(const Points<T>& points);

/// As spread_bins(), without scratch.
template <typename T>
void spread_cell_moments(const BinnedPoints<T>& points, const std::complex<T>* samples, const T* weights,
                         std::complex<T>* grid, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
