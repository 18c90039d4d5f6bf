#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps.hpp>

namespace LARMOR_API larmor {

// The part of reconstruct() for problems of more than one image, and of images with a field map: series of
// frames, subspaces, off-resonance.

/// Whether the options ask for it: frames, a basis, a field map, or a term that needs frames where the scan
/// has several images of a slice.
bool wants_series(const ScanPlan& plan, const ReconstructOptions& options);

/// The series that a scan would become, without data, and the memory that they need. Throws Error as
/// reconstruct_series does.
struct SeriesPreview {
  SeriesSummary summary;
  Index series = 0;  ///< how many are solved for, one after the other
  MemoryPlan memory;
};
SeriesPreview preview_series(const Scan& scan, const ScanPlan& plan, const ReconstructOptions& options,
                             Context& ctx);

/// Fills series and report of a result whose plan and channels are made. Throws Error: usage for options that
/// only single images have (gridding, replicas, density weights, uncombined coils); input as plan_series,
/// field_on_solve_grid and given_subspace; resource before allocating what does not fit the context's limit.
void reconstruct_series(Scan scan, const ReconstructOptions& options, Reconstruction& result,
                        StageClock& clock, Context& ctx);

}  // namespace larmor
