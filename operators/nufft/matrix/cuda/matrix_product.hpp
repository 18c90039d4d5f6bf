#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft::cuda {

/// A real sparse matrix by rows in device memory; see MatrixTask for start and length.
template <typename T>
struct DeviceMatrix {
  const T* weights = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int64_t* start = nullptr;
  std::int64_t length = 0, rows = 0;
};

/// samples[coil][order_i] = weight · Σ_k matrix_ik grid[k][lane] for each lane with a coil; or added to them.
/// samples [count][matrix.rows]; weights in the caller's order, or null. lanes: 1, 4 or 8.
template <typename T>
void multiply_to_samples(const DeviceMatrix<T>& matrix, const std::complex<T>* grid,
                         const std::int32_t* order, const T* weights, std::complex<T>* samples,
                         std::int64_t count, int lanes, bool accumulate, larmor::cuda::Stream stream);
/// grid[i][lane] = Σ_k matrix_ik values[k][lane]
template <typename T>
void multiply_to_grid(const DeviceMatrix<T>& matrix, const std::complex<T>* values, std::complex<T>* grid,
                      int lanes, larmor::cuda::Stream stream);
/// values[i][lane] = weight · samples[coil][order_i], zero for lanes without a coil.
template <typename T>
void sort_samples(const std::complex<T>* samples, std::int64_t count, std::int64_t rows,
                  const std::int32_t* order, const T* weights, std::complex<T>* values, int lanes,
                  larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
