#pragma once

#include <larmor/core/array.hpp>

#include <complex>
#include <vector>

namespace larmor {

/// Response of the gradients to the requested waveforms: transfer functions H(f) of the axes, as a field
/// camera or a phantom measurement determines them (Vannesjo et al. 2013).
class GradientResponse {
 public:
  /// file [1 + axes, frequencies]: row 0 the frequencies in Hz, ascending, below and above 0; then one row of
  /// H for each axis x, y(, z), or a single one for all. Beyond the first and last frequency H is 0; in
  /// between it is interpolated linearly. Throws Error (input) for other shapes, values that are not finite
  /// and frequencies that are not ascending.
  explicit GradientResponse(View<const std::complex<double>> file);

  /// Moves a readout [samples][dims] (any units) with this dwell time to its true positions, in place: k is
  /// filtered with H, as its derivative is. Before the readout the trajectory is continued on a straight
  /// line, or at rest if it starts at the centre; after it, on a straight line. Throws Error (input) if the
  /// response has fewer axes than the readout.
  void apply(double* readout, Index samples, int dims, double dwell_us) const;

 private:
  std::complex<double> at(std::size_t axis, double hz) const;

  std::vector<double> hz_;
  std::vector<std::vector<std::complex<double>>> transfer_;
};

}  // namespace larmor
