#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>

#include <functional>
#include <vector>

namespace larmor {

/// What is decided before the first problem of a reconstruction.
struct Beginning {
  ProblemList list;
  Division division;
  MemoryDecision memory;
  std::vector<PreparedImage> first;  ///< data of the first problem, where the device was waited for; or none
};

/// Select and plan: what the images are made of, which problems there are, whose they are and how they fit
/// into memory. Fills the selection and the report. take_device: as of reconstruct(). Throws as that does.
Beginning begin(const Scan& scan, const ReconstructOptions& options, const std::function<void()>& take_device,
                Reconstruction& result, StageClock& clock, Context& ctx);

}  // namespace larmor
