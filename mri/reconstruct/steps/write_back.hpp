#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/problems.hpp>

namespace LARMOR_API larmor {

/// A solution [(coils,) (z,) y, x] on the solve grid, of any device, as an image of the plan: cropped to the
/// recon grid, in the units of the plain sum, with geometry and counters. workers: their threads share the
/// pixels.
template <typename T>
Image image_of(View<const std::complex<T>> x, const ScanPlan& plan, std::size_t image = 0,
               const Context* workers = nullptr);
template <typename T>
Image image_of(const Array<std::complex<T>>& x, const ScanPlan& plan, std::size_t image = 0) {
  return image_of<T>(x.view(), plan, image);
}

/// The last step: writes the images of a problem's solution to their positions in `series`, which has
/// ProblemList::images images. x in host memory, as PlannedProblem::unknown; combine: rss combines coils.
/// Images of windows are numbered as repetitions, of bins as phases, of a basis and of map sets as sets, of
/// bands as slices at their positions; other images keep their counters.
template <typename T>
void write_back(std::type_identity_t<View<const std::complex<T>>> x, const PlannedProblem& problem,
                const ScanPlan& plan, const ReconstructOptions& options, ImageSeries& series, Context& ctx);

}  // namespace larmor
