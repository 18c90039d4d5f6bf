#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>

namespace LARMOR_API larmor {

/// Weight of the l1 norm of the image itself.
struct L1Options {
  double lambda = 0;
  bool joint = false;  ///< the norm over the slowest axis at each pixel: λ Σ ‖x(·, pixel)‖₂
};

/// λ‖x‖₁ of the image itself.
template <typename T>
Regularizer<T> l1(const ImageLayout& image, const L1Options& options);

}  // namespace larmor
