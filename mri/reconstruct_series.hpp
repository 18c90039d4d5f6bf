#pragma once

#include <larmor/mri/reconstruct_steps.hpp>

namespace larmor {

// The part of reconstruct() for problems of more than one image, and of images with a field map: series of
// frames, subspaces, off-resonance.

/// Whether the options ask for it: frames, a basis, a field map, or a term that needs frames where the scan
/// has several images of a slice.
bool wants_series(const ScanPlan& plan, const ReconstructOptions& options);

/// Fills series and report of a result whose plan and channels are made. Throws Error: usage for options that
/// only single images have (gridding, replicas, density weights, uncombined coils); input as plan_series,
/// field_on_solve_grid and given_subspace; resource before allocating what does not fit the context's limit.
void reconstruct_series(Scan scan, const ReconstructOptions& options, Reconstruction& result,
                        StageClock& clock, Context& ctx);

}  // namespace larmor
