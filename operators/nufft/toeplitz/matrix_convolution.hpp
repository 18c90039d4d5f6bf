#pragma once

#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// The kernel of several terms on a GPU, on the device of the spectra.
template <typename T>
std::shared_ptr<const ToeplitzKernel<T>> make_cuda_matrix_kernel(SharedSpectra<T> spectra, Index coils);
/// Scratch of a kernel that has not been made yet.
template <typename T>
std::size_t cuda_matrix_scratch_bytes(const Shape& image, Index terms, Index coils, const Context& ctx);

/// True if conj(b_l) b_m is real, except for rounding, at each sample for all pairs of a basis b [L][samples]
/// in host memory: then all spectra are real.
template <typename T>
bool has_real_products(View<const std::complex<T>> basis);

/// The spectra of the PSFs factor · Σ_j conj(b_lj) b_mj exp(2πi k_j·Δ) for a basis b [L][samples]. Trajectory
/// and basis are on the context's device.
template <typename T>
Spectra<T> matrix_spectra(View<const double> trajectory, View<const std::complex<T>> basis,
                          const ToeplitzSizes& sizes, double tolerance, double factor, Context& ctx);

}  // namespace larmor::nufft
