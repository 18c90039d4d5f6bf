#pragma once

#include <larmor/operators/nufft/spread/cuda/line/cell_sort.hpp>

#include <complex>

// Spreading of one vector in one dimension if each cell holds a few points. A thread sums the moments of a
// cell's points (see moments.hpp) in registers and computes from them the contribution to each cell that they
// touch; contributions are added from thread to thread. The cost per point does not depend on the kernel's
// width.
namespace larmor::nufft::cuda {

/// Sizes for points whose sizes and kernel are given.
template <typename T>
CellPoints<T> cell_moment_sizes(const Points<T>& points);

/// grid = Σ_p weights_p · samples_p · kernel, every cell written; the same input gives the same bits.
template <typename T>
void spread_cell_moments(const CellPoints<T>& points, const std::complex<T>* samples, const T* weights,
                         std::complex<T>* grid, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
