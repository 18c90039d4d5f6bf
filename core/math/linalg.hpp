#pragma once

#include <larmor/core/array.hpp>

#include <complex>
#include <vector>

namespace larmor {

// Small dense matrices in double, row-major [rows, columns], for mixing channels. All functions throw Error
// (usage) for shapes that do not fit.

Array<std::complex<double>> identity_matrix(Index size);
/// a b
Array<std::complex<double>> matrix_product(View<const std::complex<double>> a,
                                           View<const std::complex<double>> b);
Array<std::complex<double>> conjugate_transpose(View<const std::complex<double>> a);
/// Throws Error (input) if `a` is singular.
Array<std::complex<double>> matrix_inverse(View<const std::complex<double>> a);

/// A Hermitian matrix as Σ λ_i v_i v_iᴴ.
struct HermitianEigen {
  std::vector<double> values;           ///< descending
  Array<std::complex<double>> vectors;  ///< row i is v_i, of unit length
};
/// Reads only the lower triangle of `a`.
HermitianEigen hermitian_eigen(View<const std::complex<double>> a);

}  // namespace larmor
