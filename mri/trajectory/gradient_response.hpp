#pragma once

#include <larmor/core/array.hpp>

#include <array>
#include <complex>
#include <vector>

namespace larmor {

/// Response of the gradients to the requested waveforms: transfer functions H(f), as a field camera or a
/// phantom measurement determines them (Vannesjo et al. 2013).
class GradientResponse {
 public:
  /// file [rows, frequencies]: row 0 the frequencies in Hz, ascending, below and above 0; then one row of H
  /// for each axis x, y(, z), or a single one for all; or twelve rows with cross terms: for each of the
  /// gradients x, y, z the uniform field it causes (B0, in m: T per T/m) and the gradients along x, y and z.
  /// Beyond the first and last frequency H is 0; in between it is interpolated linearly. Throws Error (input)
  /// for other shapes, values that are not finite and frequencies that are not ascending.
  explicit GradientResponse(View<const std::complex<double>> file);

  /// True if samples get a phase too.
  bool crosses() const { return crosses_; }
  /// Moves a readout [samples][dims] with this dwell time to its true positions, in place: k is filtered with
  /// H, as its derivative is. Before the readout the trajectory is continued on a straight line, or at rest
  /// if it starts at the centre; after it, on a straight line. With cross terms, k is in cycles/pixel of
  /// pixels of these lengths in mm, and the result is the phase of every sample by the uniform field, in
  /// cycles: samples are the object's times exp(−2πi · cycles). Otherwise the result is empty. Throws Error
  /// (input) if the response has fewer axes than the readout.
  std::vector<double> apply(double* readout, Index samples, int dims, double dwell_us,
                            const std::array<double, 3>& pixel_mm = {1, 1, 1}) const;

 private:
  std::complex<double> at(std::size_t row, double hz) const;

  std::vector<double> hz_;
  std::vector<std::vector<std::complex<double>>> transfer_;
  bool crosses_ = false;
};

}  // namespace larmor
