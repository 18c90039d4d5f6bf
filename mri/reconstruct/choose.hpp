#pragma once

#include <larmor/mri/reconstruct/preparation.hpp>

namespace larmor {

/// What a list of problems is solved with where it is not told: finds density, Tikhonov weight and iterations
/// for all of them from one, the first from the middle on that is more than noise, and puts them into
/// `preparation`, `report` and to the reporter. Before that, maps that several of this rank's problems share
/// are estimated, after it every rank has its part of the data and the same choice. Returns ‖A‖² of the
/// normal operator that it leaves behind in `preparation`; 0: not known.
template <typename T>
double choose(Preparation<T>& preparation, const ProblemList& own, ReconstructionReport& report,
              StageClock& clock, Context& ctx);

}  // namespace larmor
