#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::cuda {

/// out[i, p] = Σ_j matrix[i, j] in[j, p] for p < length, all in device memory; normalised: every pixel then
/// has root-sum-of-squares 1 over i, or 0.
void apply_channel_matrix(const std::complex<float>* matrix, std::int64_t rows, std::int64_t columns,
                          const std::complex<float>* in, std::complex<float>* out, std::int64_t length,
                          bool normalised, Stream stream);

}  // namespace larmor::cuda
