#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>

namespace LARMOR_API larmor {

template <typename T>
struct L2Options {
  double lambda = 0;
  /// x₀ of the image's shape, on the solver's device, in the image's units; null: zero.
  std::shared_ptr<const Array<std::complex<T>>> prior = nullptr;
};

/// Tikhonov's ½λ‖x − x₀‖². Throws Error (usage) when the prior has another shape than the image.
template <typename T>
Regularizer<T> l2(const ImageLayout& image, const L2Options<T>& options);

}  // namespace larmor
