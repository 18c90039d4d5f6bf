#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/model/series.hpp>
#include <larmor/mri/reconstruct/steps/problems.hpp>

#include <functional>

namespace LARMOR_API larmor {

/// Maps in addition to the images, from pseudo replicas; empty without. Real numbers in complex pixels.
struct QualityMaps {
  ImageSeries deviation;        ///< of the noise in a magnitude image, in the units of the images
  ImageSeries signal_to_noise;  ///< |image| / deviation
  /// Noise relative to a Cartesian scan with as many samples that is fully sampled but has fewer averages (R
  /// = pixels / samples of the solve grid): the g-factor, and for trajectories also the cost of uneven
  /// sampling. With a basis every frame is compared with such a scan. Empty for nonlinear reconstructions.
  ImageSeries g_factor;
};

/// Inputs for the noise of a problem's solution.
template <typename T>
struct NoiseInput {
  const PlannedProblem& problem;
  View<const std::complex<T>> samples;  ///< of the model, in host memory, times √density
  View<const T> root_density;           ///< of every sample; empty: 1
  View<const std::complex<T>> x;        ///< the solution, in host memory
  View<const std::complex<T>> maps;     ///< for the g-factor; empty: none
  std::vector<Index> frame_samples;     ///< of one coil
  /// Maps samples in host memory to a solution there.
  std::function<Array<std::complex<T>>(Array<std::complex<T>>)> solve;
};

/// Fills the problem's entries in `quality`, which must exist.
template <typename T>
void estimate_noise(const NoiseInput<T>& input, const ScanPlan& plan, const ReconstructOptions& options,
                    QualityMaps& quality, Context& ctx);

}  // namespace larmor
