#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Off-resonance in Hz of every slice or volume of a scan, from its contrasts as reconstructed by
/// reconstruct() with these options, see field_of_echoes(). echo_times_ms: of each contrast. The images have
/// their position; their numbers are real. Throws Error: input for a scan of one contrast, usage for numbers
/// of echo times that do not fit and if a slice has several images of one contrast.
ImageSeries estimate_field_map(Scan scan, const ReconstructOptions& options,
                               const std::vector<double>& echo_times_ms, Context& ctx);

}  // namespace larmor
