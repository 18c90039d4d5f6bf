#pragma once

#include <larmor/operators/nufft/spread/cuda/line/cell_sort.hpp>

#include <complex>

// Spreading in one dimension if many points share a cell. The weight of a point at the l-th cell that it
// touches is a polynomial of its fraction, Σ_n C_ln uⁿ, so the points of a cell enter the grid only through
// their moments: Σ_p v_p φ_l(u_p) = Σ_n C_ln m_n, m_n = Σ_p v_p u_pⁿ. Moments are summed in registers; the
// cost per point does not depend on the kernel's width, and values are read once.
//
// Values are in the caller's order. Points are therefore sorted by cell within runs of the caller's samples
// that fit in the L2 cache; each run has its own moments.
namespace larmor::nufft::cuda {

/// Sizes and tables, in device memory; passed to kernels by value.
template <typename T>
struct MomentPoints : CellPoints<T> {
  /// Flag in the order, beside the sample: first point of a run's cell.
  static constexpr std::uint32_t first_of_cell = 1u << 31;

  std::int64_t ranges;
  std::int32_t kept;                  ///< moments of a cell, at least degree + 1
  std::int32_t range;                 ///< points per range, which one warp sums
  const std::int32_t* slot;           ///< [runs][cells]: number of preceding cells that have points
  const std::int32_t* slot_of_range;  ///< [ranges]: slot of the range's first point
};

/// Sizes for points whose sizes and kernel are given.
template <typename T>
MomentPoints<T> moment_sizes(const Points<T>& points);

/// Device memory of the tables, and temporary memory for computing them.
template <typename T>
std::size_t moment_table_bytes(const MomentPoints<T>& sizes);
template <typename T>
std::size_t moment_sort_bytes(const MomentPoints<T>& sizes);
/// Same arguments as sort_by_cell().
template <typename T>
void sort_for_moments(MomentPoints<T>& points, const double* coordinates, void* tables, CellReport* report,
                      void* scratch, larmor::cuda::Stream stream);

template <typename T>
std::size_t moment_scratch_bytes(const MomentPoints<T>& points);
/// grid = Σ_p weights_p · samples_p · kernel, every cell written; the same input gives the same bits.
template <typename T>
void spread_by_moments(const MomentPoints<T>& points, const std::complex<T>* samples, const T* weights,
                       std::complex<T>* grid, void* scratch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
