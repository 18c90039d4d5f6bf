#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::cuda {

// Vector operations on device memory; see core/vectors/vector_ops.hpp for their definitions.

/// True if the kernels of this library have code for the current device.
bool kernels_fit_device();

/// Buffers of a context's reductions: partial sums on the device, results where the host can read them.
struct ReductionBuffers {
  static constexpr int most_pairs = 6, most_blocks = 264;
  double* partial = nullptr;          ///< device, [most_pairs][most_blocks][2]
  unsigned* finished = nullptr;       ///< device, [most_pairs], zero between reductions
  volatile double* result = nullptr;  ///< page-locked host memory, [most_pairs][2]
  double* result_device = nullptr;    ///< the same, as addressed by the device
};
ReductionBuffers make_reduction_buffers();
void free_reduction_buffers(const ReductionBuffers& buffers) noexcept;

template <typename T>
struct DotOperands {
  const std::complex<T>* x[ReductionBuffers::most_pairs];
  const std::complex<T>* y[ReductionBuffers::most_pairs];
};
/// result[i] = Σ conj(x_i) y_i in double, in an order that depends only on n; read it after a
/// synchronisation.
template <typename T>
void dots(const DotOperands<T>& operands, int pairs, std::int64_t n, const ReductionBuffers& buffers,
          Stream stream);
/// result[0] = max |x|², infinite when an element is NaN
template <typename T>
void max_square(const std::complex<T>* x, std::int64_t n, const ReductionBuffers& buffers, Stream stream);

/// y = a x + b y; b = 0 overwrites y without reading it.
template <typename T>
void combine(std::complex<double> a, const std::complex<T>* x, std::complex<double> b, std::complex<T>* y,
             std::int64_t n, Stream stream);

/// Up to 6 vectors with real factors.
template <typename T>
struct LinearTerms {
  const std::complex<T>* x[6];
  T factor[6];
};
/// out = Σ factor_i x_i over the first `count` terms; out may be one of them.
template <typename T>
void combine(const LinearTerms<T>& terms, int count, std::complex<T>* out, std::int64_t n, Stream stream);
template <typename T>
void fill(std::complex<T>* x, std::complex<double> value, std::int64_t n, Stream stream);

}  // namespace larmor::cuda
