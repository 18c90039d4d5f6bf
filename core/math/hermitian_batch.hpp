#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// Eigenvalues and eigenvectors of many small Hermitian matrices [count, n, n], all on the context's device:
/// values [count, n] in no particular order, row i of `vectors` [count, n, n] the unit eigenvector of value
/// i. Accurate to rounding times the largest eigenvalue of each matrix; the same bits for any number of
/// threads. On a GPU, one thread block per matrix. Throws Error (internal) for shapes that do not fit.
void hermitian_eigen_batch(View<const std::complex<double>> matrices, View<std::complex<double>> vectors,
                           View<double> values, Context& ctx);

}  // namespace larmor
