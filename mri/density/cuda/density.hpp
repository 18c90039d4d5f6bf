#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::cuda {

/// One step of Pipe and Menon's iteration: density_j /= max(Re convolved_j / pixels, least)^power; weights_j
/// gets the result.
void divide_by_convolved(const std::complex<float>* convolved, double pixels, double least, double power,
                         double* density, std::complex<float>* weights, std::int64_t samples, Stream stream);

}  // namespace larmor::cuda
