#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>

namespace LARMOR_API larmor {

/// Parameters of a preconditioner.
struct CirculantPreconditionerOptions {
  double lambda = 0;        ///< Tikhonov weight that the solver will use, relative to ‖A‖²
  double norm_squared = 0;  ///< ‖A‖² if lambda needs it; 0: by power iteration
  int probes = 8;           ///< applications of AᴴA for the estimate
  double floor =
      1e-2;  ///< lower bound of eigenvalues relative to the largest, which limits the noise of the estimate
};

/// An approximate inverse of AᴴA + λ‖A‖² for SolverOptions::preconditioner: the circulant operator whose
/// eigenvalues are the diagonal of AᴴA in the Fourier basis (T. Chan 1988, the nearest circulant), over the
/// last `rank` axes. The diagonal is estimated from random phases (Bekas, Kokiopoulou & Saad 2007), always
/// the same; for a circulant AᴴA it is exact. Useful for Toeplitz operators whose sampling density varies
/// widely, such as radial ones.
template <typename T>
Operator<T> circulant_preconditioner(const LinearOperator<T>& normal, int rank,
                                     const CirculantPreconditionerOptions& options, Context& ctx);

}  // namespace larmor
