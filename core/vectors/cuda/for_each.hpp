#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/export.hpp>

#include <cstdint>

namespace LARMOR_API larmor {
namespace cuda {

/// See core/vectors/for_each.hpp. Defined in for_each.cuh, instantiated by the CUDA source that belongs to
/// the body.
template <typename Body>
void for_each(const Body& body, std::int64_t n, Stream stream);
template <typename Body>
void for_each_in_rows(const Body& body, std::int64_t rows, std::int64_t width, Stream stream);

}  // namespace cuda
}  // namespace larmor
