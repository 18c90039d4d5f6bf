#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/field_map.hpp>
#include <larmor/core/export.hpp>

#include <complex>

namespace LARMOR_API larmor {

// Off-resonance and decay during the readout:
//   s_j = Σ_x ρ(x) exp(−2πi k_j·x) exp(−(r(x) + 2πi f(x)) t_j),
// f in Hz, r = R2* in 1/s, t_j in seconds from the echo. The last factor is approximated by a few time
// segments,
//   exp(−(r + 2πi f) t_j) ≈ Σ_l B[j,l] C_l(x),
// so that BasisNufft with the basis B does the work on the images C_l ρ (Sutton et al. 2003). For the error
// in the least-squares sense the best B and C of a given rank are singular vectors; with the frequencies
// taken about the middle of their band, B is real up to one phase per sample, which the normal operator does
// not see: its spectra are real.

/// Accuracy with which readouts are divided in time.
struct SegmentOptions {
  /// Acceptable error, relative to the signal: root mean square over samples and over pixels, half of them
  /// with the frequencies of the field map and half spread evenly over its band.
  double accuracy = 1e-3;
  Index segments = 0;  ///< their number; 0: the smallest that reaches the accuracy
};

/// An approximation of the phase that off-resonance adds, as a sum of images times functions of time.
struct TimeSegments {
  Array<std::complex<double>> basis;  ///< B [samples, segments], real but for a factor exp(−2πi f₀ t_j)
  Array<std::complex<float>> images;  ///< C [segments, (z,) y, x]
  double centre_hz = 0;               ///< f₀, the middle of the band
  double expected_error = 0;          ///< that of SegmentOptions::accuracy, from the singular values
  /// Number of terms of the sum.
  Index count() const { return images.shape()[0]; }
};

/// Time segments of a field map for samples at `times` [samples] in seconds. Throws Error: input for values
/// that are not finite, weights that are all zero, maps of other shapes; usage if more segments would be
/// needed than BasisNufft supports.
TimeSegments time_segments(const FieldMap& field, View<const double> times, const SegmentOptions& options,
                           Context& ctx);

/// Error of the approximation.
struct SegmentError {
  double rms = 0;  ///< over the evaluated pixels and samples, relative to the signal
  double max = 0;  ///< the largest root mean square over samples of one pixel
};
/// Compares the segments with exact exponentials, at up to `pixels` pixels of positive weight and `targets`
/// samples.
SegmentError segment_error(const TimeSegments& segments, const FieldMap& field, View<const double> times,
                           Index pixels = 1000, Index targets = 1000);

/// Basis [samples, K, S] of a subspace [samples, K] with time segments [samples, S]: their products.
Array<std::complex<double>> product_basis(View<const std::complex<double>> subspace,
                                          View<const std::complex<double>> segments);

}  // namespace larmor
