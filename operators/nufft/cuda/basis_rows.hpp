#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft::cuda {

// As in nufft/basis_rows.hpp, on device memory.
template <typename T>
void combine_rows(const std::complex<T>* b, const std::complex<T>* s, std::complex<T>* y, std::int64_t terms,
                  std::int64_t coils, std::int64_t samples, bool accumulate, larmor::cuda::Stream stream);
template <typename T>
void spread_rows(const std::complex<T>* b, const std::complex<T>* y, std::complex<T>* s, std::int64_t terms,
                 std::int64_t coils, std::int64_t samples, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
