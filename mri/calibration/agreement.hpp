#pragma once

#include <larmor/core/context.hpp>
#include <larmor/mri/calibration/central_samples.hpp>

#include <complex>

namespace larmor {

/// Agreement of two sets of samples with one image.
struct Agreement {
  /// Factor of the second set's samples with which one image explains both sets best; 1: they were measured
  /// alike.
  std::complex<double> factor;
  /// Energy left unexplained without a factor, relative to that left if either set is replaced by 0: near 0
  /// for two sets of the same object, ½ for unrelated sets.
  double unexplained = 1;
};

/// For samples of the same coils that one image times `maps` [coils, (z,) y, x] explains: the residual of a
/// Tikhonov solution is linear in the data, so that those of each set alone give that of any mixture. The
/// sets must overlap in the information they give, as two sets of interleaved lines do through the coils.
Agreement agreement(const CentralPart& one, const CentralPart& other, View<const std::complex<float>> maps,
                    Context& ctx);

}  // namespace larmor
