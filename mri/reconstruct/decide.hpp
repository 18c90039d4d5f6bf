#pragma once

#include <larmor/mri/reconstruct/steps/divide.hpp>

namespace larmor {

/// All that is decided before the first problem, from the selection, the options and the machine. Execution
/// decides nothing, except that memory is planned anew once the number of a field map's segments is known.
struct Decisions {
  ProblemList list;
  Division division;      ///< among ranks
  MemoryDecision memory;  ///< not decided for a rank without work
  DensityKind density = DensityKind::none;
};

/// Decides, and says so to the reporter and in the report. Where ranks solve problems together, the channels
/// become those of rank 0. Throws as reconstruct() does.
Decisions decide(const Scan& scan, Selection& selection, const ReconstructOptions& options,
                 ReconstructionReport& report, Context& ctx);

}  // namespace larmor
