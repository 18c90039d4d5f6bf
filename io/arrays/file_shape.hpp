#pragma once

#include <larmor/core/shape.hpp>

#include <span>
#include <string>

namespace larmor {

/// The shape of an array in a file, slowest axis first. Throws Error (input) for an axis shorter than 1, more
/// axes than a Shape has, and more than 1e15 elements, so that sizes in bytes do not overflow. `name` is for
/// messages.
Shape file_shape(std::span<const Index> extents, const std::string& name);

}  // namespace larmor
