#pragma once

#include <larmor/core/context.hpp>
#include <larmor/mri/calibration/central_samples.hpp>

#include <complex>

namespace larmor {

/// How well one image explains two sets of samples.
struct Agreement {
  /// Of the second set's samples with which it explains both sets best; 1: they were measured alike.
  std::complex<double> factor;
  /// Energy that it leaves unexplained as they are, relative to what either set leaves where the other one is
  /// taken for 0: near 0 for two sets of the same object, ½ for sets that have nothing in common.
  double unexplained = 1;
};

/// Of samples of the same coils that one image times `maps` [coils, (z,) y, x] makes: the residual of a
/// Tikhonov solution is linear in the data, so that those of either set alone tell that of any mixture. The
/// sets must overlap in what they determine, as two sets of lines between each other do by the coils.
Agreement agreement(const CentralPart<float>& one, const CentralPart<float>& other,
                    View<const std::complex<float>> maps, Context& ctx);

}  // namespace larmor
