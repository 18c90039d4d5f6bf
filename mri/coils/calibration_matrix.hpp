#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// Extents of a calibration region or a kernel as z, y, x; z = 1 in 2D.
struct Extents {
  Index z = 1, y = 1, x = 1;
  Index size() const { return z * y * x; }
};

/// Number of positions of a kernel in a region, along each axis.
Extents windows_of(const Extents& region, const Extents& kernel);

/// Peak memory of a CalibrationMatrix and one projection of it.
std::size_t projection_bytes(Index channels, const Extents& region, const Extents& kernel,
                             const Context& ctx);

/// ESPIRiT's calibration matrix A, whose rows are all windows of `kspace` [channels, region], each [channel,
/// kernel point]: n = channels · kernel points columns. Refers to `kspace` and the context during use.
class CalibrationMatrix {
 public:
  CalibrationMatrix(View<const std::complex<float>> kspace, const Extents& region, const Extents& kernel,
                    Context& ctx);

  /// Number of singular values that can be nonzero.
  Index rank() const;

  /// The projection onto the windows of the signal with soft edges, V diag(s²/(s² + t²)) Vᴴ, where V and s
  /// are the right singular vectors and values of A and t is `threshold` times the largest s: Hermitian [n,
  /// n], on the CPU. It is 1 − t² (AᵀA* + t²)⁻¹, which needs no singular values: by a factorisation on the
  /// CPU; on a GPU by products only, with Newton's iteration for the inverse (Schulz 1933) and the bounds t²
  /// and 1 + t² of the spectrum. Throws Error (input) if the region is all zero, not finite, or too large for
  /// the threshold.
  Array<std::complex<double>> projection(double threshold) const;

 private:
  Array<std::complex<double>> projection_of_few(double threshold) const;
  Array<std::complex<double>> device_projection(double threshold) const;

  View<const std::complex<float>> kspace_;
  Extents region_, kernel_;
  Context& ctx_;
  Index size_;
  // AᵀA*: the lower triangle, column by column, on the CPU, the complete matrix on a GPU; empty if there are
  // so few windows that AA* is smaller.
  Array<std::complex<double>> gram_;
};

}  // namespace larmor
