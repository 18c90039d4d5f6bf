#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/first_model.hpp>
#include <larmor/mri/reconstruct/steps/quality.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>

namespace LARMOR_API larmor {

/// Images, and the report of their reconstruction.
struct Reconstruction {
  ImageSeries series;
  QualityMaps quality;
  Selection selection;  ///< without its coordinates, which are freed with the data
  ReconstructionReport report;
  FirstModel first_model;  ///< if OutputOptions requests it
};

/// From raw data to images, in the units of the plain Fourier sum: select, plan, load, calibrate, weigh,
/// model, solve, write back, each step a public function of a header of this folder, with its options. Takes
/// the scan, so that its data can be freed early; notes, warnings and progress go to the context's reporter.
/// Throws Error: input, usage (see options/rules.hpp), resource (not enough memory, before allocating),
/// cancelled.
Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
