#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/math/linalg.hpp>

#include <complex>

namespace larmor {

/// Covariance of the receiver noise, Ψ = N Nᴴ / (M − 1), from noise [channels, samples]. Result [channels,
/// channels]. Throws Error (input) if there are fewer than 2 samples per channel or values are not finite.
/// workers: their threads share the samples.
Array<std::complex<double>> noise_covariance(View<const std::complex<float>> noise,
                                             const Context* workers = nullptr);

/// W = L⁻¹ √bandwidth_factor with Ψ = L Lᴴ, so that samples W y have unit complex noise variance, E|n|² = 1,
/// and no correlation between channels. bandwidth_factor = dt_acq / dt_noise · rBW converts the noise scan's
/// variance to that of the imaging readouts; 1 if a dwell time is missing. covariance [channels, channels].
/// Throws Error (input) naming the channel if the covariance is singular or not positive definite.
Array<std::complex<double>> whitening_matrix(View<const std::complex<double>> covariance,
                                             double bandwidth_factor);

/// out[i] = Σ_j matrix[i, j] in[j] for channel-slowest arrays: in [channels, …], out [matrix rows, …] with
/// the same trailing extents, both on the context's device. `out` must not overlap `in`. Throws Error (usage)
/// if the shapes do not fit.
void apply_channel_matrix(View<const std::complex<double>> matrix, View<const std::complex<float>> in,
                          View<std::complex<float>> out, Context& ctx);
/// The same into a new array.
Array<std::complex<float>> apply_channel_matrix(View<const std::complex<double>> matrix,
                                                View<const std::complex<float>> in, Context& ctx);

}  // namespace larmor
