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
  const T* in;  ///< real and imaginary parts, [column][lane]
  T* out;       ///< [row][lane]
};

/// out_i = Σ_k weight_ik in_k
template <typename T>
using MatrixProduct = void (*)(const MatrixTask<T>&);
/// For this processor's best instruction set; lanes: 1, 4 or 8.
template <typename T>
MatrixProduct<T> matrix_product(int lanes);

}  // namespace larmor::nufft
