#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/type3/type3_kernels.hpp>

namespace larmor::nufft::cuda {

/// Boxes of the parts into which box_coordinates divides the points.
inline constexpr int box_parts = 264;

/// coordinates [count][dims] and parts [box_parts] in device memory; every part is written.
void box_coordinates(const double* coordinates, std::int64_t count, int dims, CoordinateBox* parts,
                     larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
