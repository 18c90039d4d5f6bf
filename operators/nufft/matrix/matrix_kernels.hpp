#pragma once

#include <cstddef>
#include <cstdint>

namespace larmor::nufft {

/// Rows of a real sparse matrix and the complex vectors that it multiplies, lane (coil) fastest. Row i has
/// the entries start[i] … start[i + 1] − 1, or, without start, i·length … (i + 1)·length − 1; columns count
/// from 0.
template <typename T>
struct MatrixTask {
  const T* weights;
  const std::int32_t* columns;
  const std::int64_t* start;
  std::int64_t length, rows;
  const T* in;  ///< real and imaginary parts, [column][lane]; of scatter: [row][lane]
  T* out;       ///< [row][lane]; of scatter: [column][lane]
};

/// gather: out_i = Σ_k weight_ik in_k. scatter: out_k += Σ_i weight_ik in_i.
template <typename T>
struct MatrixKernels {
  void (*gather)(const MatrixTask<T>&) = nullptr;
  void (*scatter)(const MatrixTask<T>&) = nullptr;
};
/// For this processor's best instruction set; lanes: 1, 4 or 8.
template <typename T>
MatrixKernels<T> matrix_kernels(int lanes);

}  // namespace larmor::nufft
