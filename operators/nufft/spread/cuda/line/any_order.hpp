#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/spread/cuda/points/line_points.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

// Interpolation of one vector in one dimension in the caller's order. Samples are read and written
// sequentially; their cells are gathered, from shared memory if that holds the whole grid.
namespace larmor::nufft::cuda {

/// In device memory; passed to kernels by value. `offset` is in the caller's order; there is a single run.
template <typename T>
struct UnsortedPoints : LinePoints<T> {
  const std::int32_t* cell;  ///< [samples]: the first cell that a point touches
};

/// Device memory of the tables.
template <typename T>
std::size_t unsorted_table_bytes(std::int64_t samples);
/// Computes the tables for points whose sizes and kernel are given. coordinates [samples], periodic with 1;
/// *not_finite, in device memory, becomes the first sample that is not finite, or −1.
template <typename T>
UnsortedPoints<T> place_in_order(const Points<T>& sizes, const double* coordinates, void* tables,
                                 std::int64_t* not_finite, larmor::cuda::Stream stream);

/// samples_p = weights_p · Σ kernel · grid (or += with accumulate).
template <typename T>
void interpolate_in_order(const UnsortedPoints<T>& points, const std::complex<T>* grid,
                          std::complex<T>* samples, const T* weights, bool accumulate,
                          larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
