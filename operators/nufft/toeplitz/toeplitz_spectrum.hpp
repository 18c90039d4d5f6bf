#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>

#include <memory>

namespace larmor::nufft {

/// Spectra of the point-spread functions of one trajectory, by one plan. Where precision T is single and the
/// tolerance is not below what that reaches, everything is computed in it, otherwise in double.
template <typename T>
class ToeplitzSpectra {
 public:
  /// trajectory [samples, dims], on the context's device, where it stays as long as this. all_samples: that
  /// the plan is chosen for, where these are a part; 0: these.
  ToeplitzSpectra(View<const double> trajectory, const Shape& image, double tolerance, Context& ctx,
                  Index all_samples = 0);

  /// With density weights (empty: 1) of any sign on the context's device, scaled so that convolution gives
  /// factor · Σ_j d_j exp(2πi k_j·Δ); its order is that of Spectrum.
  Array<T> of(View<const double> density, double factor, Context& ctx) const;

 private:
  View<const double> trajectory_;
  Shape image_;
  std::shared_ptr<const Plan<float>> single_;  // one of them
  std::shared_ptr<const Plan<double>> double_;
};

/// Bytes in use at most while a spectrum is computed, the result not counted.
template <typename T>
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, Context& ctx);

}  // namespace larmor::nufft
