#pragma once

#include <larmor/core/context.hpp>

namespace larmor {

struct KspacePreconditionerOptions {
  double lambda = 0;        ///< Tikhonov weight that the solver will use, relative to ‖A‖²
  double norm_squared = 0;  ///< ‖A‖², needed with lambda
  double nufft_tolerance = 1e-3;
};

/// The diagonal P that is nearest to the inverse of G = AAᴴ + λ‖A‖², in the sense of least ‖P G − 1‖ summed
/// over all entries: P_i = G_ii / Σ_j |G_ij|² (Ong, Uecker & Lustig 2020, eq. 12 and 15), for the model A of
/// sense_model with these maps [coil, (z,) y, x], on the context's device. Result [coil, samples], real,
/// there too: SolverOptions::sample_preconditioner. Takes coils² Fourier transforms and coils + 1 non-uniform
/// ones of a twice larger grid. Throws Error: input for maps that are 0 everywhere, usage for options out of
/// range.
template <typename T>
Array<std::complex<T>> kspace_preconditioner(View<const double> trajectory,
                                             std::type_identity_t<View<const std::complex<T>>> maps,
                                             const KspacePreconditionerOptions& options, Context& ctx);

}  // namespace larmor
