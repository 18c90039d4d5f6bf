#pragma once

#include <larmor/operators/nufft/spread/cuda/line/cell_sort.hpp>

#include <complex>

// Spreading in one dimension where many points share a cell. The weight of a point at the l-th cell that it
// touches is a polynomial of its fraction, Σ_n C_ln uⁿ, so that the points of a cell enter the grid through
// their moments alone: Σ_p v_p φ_l(u_p) = Σ_n C_ln m_n, m_n = Σ_p v_p u_pⁿ. Moments are summed in registers;
// what a point costs does not depend on the kernel's width, and its values are read once.
//
// Values lie in the caller's order. Points are therefore sorted by cell within runs of the caller's samples
// that the second-level cache holds; each run has moments of its own.
namespace larmor::nufft::cuda {

/// Sizes and tables, in device memory; passed to kernels by value.
template <typename T>
struct MomentPoints : CellPoints<T> {
  /// In the order, beside the sample: the first point of a run's cell.
  static constexpr std::uint32_t first_of_cell = 1u << 31;

  std::int64_t ranges;
  std::int32_t kept;                  ///< moments of a cell, at least degree + 1
  std::int32_t range;                 ///< points that a warp sums
  const std::int32_t* slot;           ///< [runs][cells]: how many cells before it have points
  const std::int32_t* slot_of_range;  ///< [ranges]: of the first point
};

/// Sizes for points whose sizes and kernel are given.
template <typename T>
MomentPoints<T> moment_sizes(const Points<T>& points);

/// Device memory of the tables, and what finding them needs beside it.
template <typename T>
std::size_t moment_table_bytes(const MomentPoints<T>& sizes);
template <typename T>
std::size_t moment_sort_bytes(const MomentPoints<T>& sizes);
/// As sort_by_cell().
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
