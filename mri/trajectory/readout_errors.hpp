#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>

#include <array>
#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Errors of readouts through or from the centre of k-space, estimated from their own samples.
struct ReadoutErrors {
  GradientDelay delay;
  GradientDelay deviation;  ///< standard deviations
  Index samples = 0;        ///< used by the fit
  /// One complex factor for each readout, 1 on average (root mean square): phases and intensities that vary
  /// between readouts. 0 if the object explains less than half of a readout's energy near the centre.
  std::vector<std::complex<float>> factors;
};

/// Fits the samples around the centre of k-space: sample r of readout s and coil c is
///   factor_s · Σ_p object_c(p) exp(−2πi k_s(r; delay) · p),
/// with the places p of an object that ends within the field of view. Slices have the delays x, y and xy,
/// volumes x, y and z. Factors, delays and objects are fitted together (as images and trajectories are by
/// Ianni & Grissom 2016), by Gauss and Newton's method with the objects projected out (Golub & Pereyra 1973).
/// That has many minima: it starts from 27 places with few samples, and the ends are compared on the same
/// samples before the best is refined. Deviations come from the scatter of the readouts' contributions
/// (infinitesimal jackknife, Jaeckel 1972), and are at least the difference between two resolutions of the
/// object.
///
/// trajectory [readouts · samples_per_readout, 2 or 3] (cycles/pixel, samples in the order of acquisition),
/// samples [coils, readouts · samples_per_readout], matrix: pixels along x, y (and z). Throws Error (input,
/// about "delay") where too few samples lie around the centre, and where no delay makes the readouts agree.
ReadoutErrors estimate_readout_errors(View<const double> trajectory, View<const std::complex<float>> samples,
                                      Index samples_per_readout, const std::array<Index, 3>& matrix,
                                      Context& ctx);

}  // namespace larmor
