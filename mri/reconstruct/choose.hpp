#pragma once

#include <larmor/mri/reconstruct/preparation.hpp>

namespace larmor {

/// What a list of problems is solved with where it is not told: finds density, Tikhonov weight and iterations
/// for all of them from one, the first from the middle on that is more than noise, and puts them into
/// `preparation`, `report` and to the reporter.
template <typename T>
void choose(Preparation<T>& preparation, ReconstructionReport& report, StageClock& clock, Context& ctx);

}  // namespace larmor
