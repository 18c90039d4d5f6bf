#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>

namespace larmor {

/// What is decided before the first problem of a reconstruction.
struct Beginning {
  ProblemList list;
  Division division;
  MemoryDecision memory;
};

/// Select and plan: what the images are made of, which problems there are, whose they are and how they fit
/// into memory. Fills the selection and the report. Throws as
/// reconstruct() does.
Beginning begin(const Scan& scan, const ReconstructOptions& options, Reconstruction& result,
                StageClock& clock, Context& ctx);

}  // namespace larmor
