#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

namespace larmor::nufft {

/// Grid and kernel of a plan for `samples` samples: the cheapest on the context's device that reach the
/// tolerance. Throws Error (usage) as choose_grid() does.
template <typename T>
GridChoice<T> choose_plan_grid(const Shape& image, Index samples, const PlanOptions& options,
                               const Context& ctx);

}  // namespace larmor::nufft
