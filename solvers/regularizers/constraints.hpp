#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>

namespace LARMOR_API larmor {

// Constraints on the image, as indicator functions; their λ is 1 and has no effect.

/// Every pixel is real.
template <typename T>
Regularizer<T> real_valued(const ImageLayout& image);

/// Every pixel is real and not negative.
template <typename T>
Regularizer<T> positivity(const ImageLayout& image);

}  // namespace larmor
