#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>

namespace larmor::nufft {

/// A plan with interpolation and spreading precomputed as a sparse matrix: more memory and set-up than
/// make_plan(), and applies that only read it. Both directions are stored by rows, unless the plan is for one
/// (PlanOptions::forward, adjoint) or both exceed byte_limit (0: none): then, on a CPU, one matrix serves
/// both. Throws like make_plan(), and Error (resource) when the least that serves exceeds the limit.
template <typename T>
std::shared_ptr<const Plan<T>> make_matrix_plan(View<const double> trajectory, const Shape& image,
                                                const PlanOptions& options, std::size_t byte_limit,
                                                Context& ctx);
/// The grid that such a plan takes where the oversampling is left open, and the bytes of its matrix,
/// everything stored.
template <typename T>
GridChoice<T> choose_matrix_grid(const Shape& image, Index samples, const PlanOptions& options,
                                 const Context& ctx);
template <typename T>
std::size_t matrix_bytes(Index samples, const GridChoice<T>& choice, int dims, const PlanOptions& options);

/// Throws that error.
[[noreturn]] void refuse_matrix(std::size_t bytes, std::size_t limit);

}  // namespace larmor::nufft
