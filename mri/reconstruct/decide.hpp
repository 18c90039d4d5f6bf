#pragma once

#include <larmor/mri/reconstruct/steps/divide.hpp>

namespace larmor {

/// All decisions before the first problem, from the selection, the options and the machine. Execution decides
/// nothing, except that memory is planned again once the number of a field map's segments is known.
struct Decisions {
  ProblemList list;
  Division division;      ///< among ranks
  MemoryDecision memory;  ///< not decided for a rank without work
  DensityKind density = DensityKind::none;
};

/// Decides, and reports it to the reporter and in the report. If ranks solve problems together, the channels
/// become those of rank 0. Throws as reconstruct() does.
Decisions decide(const Scan& scan, Selection& selection, const ReconstructOptions& options,
                 ReconstructionReport& report, Context& ctx);

}  // namespace larmor
