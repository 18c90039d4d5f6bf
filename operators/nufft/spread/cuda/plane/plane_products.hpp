#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <complex>

// Interpolation in two dimensions if many points share small bins. The points of a bin touch the same few
// cells, so their sums along x are a matrix product: rows are points, columns real and imaginary parts of the
// cells' rows. A warp keeps the cells of a bin in registers and computes the products on the double-precision
// tensor cores; only the weights along y remain to be applied per point.
namespace larmor::nufft::cuda {

/// Cells along an axis that the points of a bin touch: a multiple of 4, for the products.
constexpr int product_cells(int width) {
  return (width + 5) / 4 * 4;
}
/// Cells of such a bin along an axis: 3 to 6.
constexpr int product_bin(int width) {
  return product_cells(width) - width + 1;
}

/// Points must be sorted into bins of product_bin(width) cells along both axes; polynomials are the kernel's.
/// Otherwise as interpolate().
void interpolate_by_products(const Points<double>& points, const KernelPolynomials<double>& polynomials,
                             const std::complex<double>* grid, std::complex<double>* samples,
                             const double* weights, bool accumulate, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
