#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>

namespace larmor::nufft::cuda {

/// The plan of make_matrix_plan() on a CUDA device; trajectory on the CPU.
template <typename T>
std::shared_ptr<const Plan<T>> make_matrix_plan(View<const double> trajectory, const Shape& image,
                                                const PlanOptions& options, GridChoice<T> choice,
                                                std::size_t byte_limit, Context& ctx);

}  // namespace larmor::nufft::cuda
