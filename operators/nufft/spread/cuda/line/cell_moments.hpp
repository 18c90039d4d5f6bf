#pragma once

#include <larmor/operators/nufft/spread/cuda/line/bins.hpp>

// Spreading and interpolation of one vector in one dimension where cells hold a few points each. Points are
// sorted by cell, as by bins of one cell, once for both.
//
// To spread, a thread sums the moments of a cell's points (see moments.hpp) in registers, turns them into the
// cell's part of each cell that it touches, and these parts are added from thread to thread. Interpolation is
// the adjoint: a thread makes a polynomial, a_n = Σ_l C_ln grid(cell + l), and every point of the cell is Σ_n
// a_n uⁿ. What a point costs does not depend on the kernel's width.
namespace larmor::nufft::cuda {

/// Sizes for sort_into_bins() with a cell for each bin; BinReport::crowd is then that of a
/// cell.
template <typename T>
BinnedPoints<T> cell_moment_sizes(const Points<T>& points);

/// As spread_bins(), without scratch.
template <typename T>
void spread_cell_moments(const BinnedPoints<T>& points, const std::complex<T>* samples, const T* weights,
                         std::complex<T>* grid, larmor::cuda::Stream stream);

/// samples_p = weights_p · Σ kernel · grid (or += with accumulate), in the caller's order, or in that of
/// `places` [samples] (see sample_groups.hpp), if there are any.
template <typename T>
void interpolate_cell_polynomials(const BinnedPoints<T>& points, const std::complex<T>* grid,
                                  std::complex<T>* samples, const std::uint32_t* places, const T* weights,
                                  bool accumulate, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
