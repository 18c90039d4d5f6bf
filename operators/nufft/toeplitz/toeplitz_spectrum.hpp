#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>

#include <memory>

namespace larmor::nufft {

/// The spectrum of the PSF of a trajectory with density weights (empty: 1), scaled so that convolution gives
/// factor · Σ_j d_j exp(2πi k_j·Δ); its order is that of Spectrum. Trajectory and weights, of any sign, are
/// on the context's device. plan: of spectrum_plan(), when one serves several spectra of a trajectory; null:
/// made.
template <typename T>
Array<T> toeplitz_spectrum(View<const double> trajectory, View<const double> density, const Shape& image,
                           double tolerance, double factor, Context& ctx,
                           std::shared_ptr<const Plan<double>> plan = nullptr);
std::shared_ptr<const Plan<double>> spectrum_plan(View<const double> trajectory, const Shape& image,
                                                  double tolerance, Context& ctx);
/// Bytes in use at most while a spectrum is computed, the result not counted.
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, Context& ctx);

}  // namespace larmor::nufft
