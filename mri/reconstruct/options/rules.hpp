#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

namespace LARMOR_API larmor {

// Invalid combinations of options, in one table: every combination that reconstruct() refuses, with its
// reason. Combinations that are not in the table work.

/// Rules about options alone, checked before anything is read. Throws Error (usage).
void check_rules(const ReconstructOptions& options);
/// Rules that need the scan's headers, checked before its samples are read. Throws Error (usage).
void check_rules(const ReconstructOptions& options, const ScanPlan& plan);

}  // namespace larmor
