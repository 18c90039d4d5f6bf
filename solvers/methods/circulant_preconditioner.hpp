#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>

namespace LARMOR_API larmor {

/// How a preconditioner is set up.
struct CirculantPreconditionerOptions {
  double lambda = 0;        ///< Tikhonov weight that the solver will use, relative to ‖A‖²
  double norm_squared = 0;  ///< ‖A‖² where lambda needs it; 0: by power iteration
  int probes = 8;           ///< applications of AᴴA that the estimate takes
  double floor =
      1e-2;  ///< least eigenvalue relative to the largest, so that noise of the estimate stays tame
};

/// An approximate inverse of AᴴA + λ‖A‖² for SolverOptions::preconditioner: the circulant operator whose
/// eigenvalues are the diagonal of AᴴA in the Fourier basis (T. Chan 1988, the nearest circulant), over the
/// last `rank` axes. The diagonal is estimated from random phases (Bekas, Kokiopoulou & Saad 2007), always
/// the same; for a circulant AᴴA it is exact. Pays for Toeplitz operators whose density of samples varies
/// much, such as radial ones.
template <typename T>
Operator<T> circulant_preconditioner(const LinearOperator<T>& normal, int rank,
                                     const CirculantPreconditionerOptions& options, Context& ctx);

}  // namespace larmor
