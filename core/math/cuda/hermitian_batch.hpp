#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace larmor::cuda {

/// See core/hermitian_batch.hpp. Matrices that fit into `shared_bytes` are kept there.
void hermitian_eigen_batch(const std::complex<double>* matrices, std::complex<double>* vectors,
                           double* values, std::int64_t count, std::int64_t n, std::size_t shared_bytes,
                           Stream stream);

}  // namespace larmor::cuda
