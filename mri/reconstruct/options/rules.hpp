#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

namespace LARMOR_API larmor {

// What does not go together, in one table: every combination of options that reconstruct() refuses, with its
// reason. What is not in the table works.

/// Rules that options alone can break: before anything is read. Throws Error (usage).
void check_rules(const ReconstructOptions& options);
/// Rules that need to know the scan's headers: before its samples are read. Throws Error (usage).
void check_rules(const ReconstructOptions& options, const ScanPlan& plan);

}  // namespace larmor
