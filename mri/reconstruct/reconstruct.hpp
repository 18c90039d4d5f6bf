#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/first_model.hpp>
#include <larmor/mri/reconstruct/steps/quality.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>

#include <functional>

namespace LARMOR_API larmor {

/// Images, and how they came about.
struct Reconstruction {
  ImageSeries series;
  QualityMaps quality;
  Selection selection;
  ReconstructionReport report;
  FirstModel first_model;  ///< where OutputOptions asks for it
};

/// From raw data to images, in the units of the plain Fourier sum: select, plan, load, calibrate, weigh,
/// model, solve, write back, each step a public function of a header of this folder, with its options. Takes
/// the scan, so that its data can be freed early; notes, warnings and progress go to the context's reporter.
/// Throws Error: input, usage (see options/rules.hpp), resource (not enough memory, before allocating),
/// cancelled.
/// take_device: a device that takes long to start makes the context its own in this function. It is called
/// once, when no more can be done without: the data of the first problem are prepared by then.
Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx,
                           const std::function<void()>& take_device = {});

}  // namespace larmor
