#pragma once

#include <larmor/operators/linear_operator.hpp>

namespace larmor {

/// Largest eigenvalue of a positive semi-definite operator: power iteration from a fixed random vector until
/// it changes by less than `tolerance` relative, or `iterations`.
template <typename T>
double largest_eigenvalue(const LinearOperator<T>& normal, Context& ctx, int iterations = 100,
                          double tolerance = 1e-4);

}  // namespace larmor
