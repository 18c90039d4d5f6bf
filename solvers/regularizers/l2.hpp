#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

/// Tikhonov's ½λ‖x − prior‖². prior: of the image's shape, on the solver's device, in the image's units;
/// null: zero.
template <typename T>
Regularizer<T> l2(double lambda, std::shared_ptr<const Array<std::complex<T>>> prior = nullptr) {
  return {.name = "l2", .lambda = lambda, .quadratic = true, .prior = std::move(prior)};
}

}  // namespace larmor
