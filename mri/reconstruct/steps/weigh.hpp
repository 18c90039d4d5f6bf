#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

namespace LARMOR_API larmor {

/// The density in use, with automatic resolved.
DensityKind decide_density(const ScanPlan& plan, const ReconstructOptions& options);
/// "none", "pipe", …, "file" if the weights are the file's.
const char* density_name(const ScanPlan& plan, DensityKind density);

/// Computes the weights of a series' frames; frames with the same trajectory share the result.
/// DensityKind::none: leaves them empty. Throws Error (input) for weights of the file that are all zero, and
/// as density.hpp.
void weigh_frames(const ScanPlan& plan, const PlannedSeries& series, DensityKind density,
                  double nufft_tolerance, std::vector<PreparedImage>& frames, Context& ctx);

/// Density weights of a whole scan.
struct EstimatedDensity {
  Array<double> weights;  ///< one for every imaging sample in the file's order (dropped samples: 0), or of
                          ///< one image if all images share one trajectory
  ScanPlan plan;
};
/// The density weights of options.density (automatic: pipe), usable as PrepareOptions::weights.
EstimatedDensity estimate_density(const Scan& scan, const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
