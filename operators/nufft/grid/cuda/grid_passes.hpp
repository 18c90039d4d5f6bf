#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace larmor::nufft::cuda {

/// What turns images into Fourier values on a periodic grid and back; axes in the order x, y, z, those that
/// the problem lacks of length 1. Image pixel floor(N/2) lies at cell 0.
/// Axes take a plan of make_long_line_plan() where there is one, and must beyond longest_line; others a line
/// transform.
template <typename T>
struct GridPasses {
  int dims = 1;
  int image[3] = {1, 1, 1}, grid[3] = {1, 1, 1};
  const T* deapodise[3] = {nullptr, nullptr, nullptr};  ///< [image[axis]], device memory
  larmor::cuda::LineFft<T> line[3];
  int long_plan[3] = {0, 0, 0};  ///< cufftHandle
  void* long_work = nullptr;     ///< device memory, the largest work area of the plans
};

/// grid = transform, exp(−2πi…), of the padded scale · deapodise · image of each coil; every cell is written,
/// padding lanes with zeros. images [coil][z][y][x]; with maps [coil][z][y][x], one image, multiplied by each
/// coil's map. Only lines that can be other than zero are transformed.
template <typename T>
void image_to_grid(const GridPasses<T>& passes, const std::complex<T>* images, const std::complex<T>* maps,
                   std::complex<T>* grid, const Coils& coils, double scale, larmor::cuda::Stream stream);
/// The adjoint, exp(+2πi…), unscaled but for `scale`; the grid is overwritten. With maps: the sum over coils
/// of conj(map) · image, in a fixed order.
template <typename T>
void grid_to_image(const GridPasses<T>& passes, std::complex<T>* grid, const std::complex<T>* maps,
                   std::complex<T>* images, const Coils& coils, double scale, bool accumulate,
                   larmor::cuda::Stream stream);

/// A cuFFT plan for lines of `length` values `stride` apart, `batch` neighbours at a time (on a grid: lanes
/// along x, grid[0]·lanes along y, grid[0]·grid[1]·lanes along z), with the size of its work area.
int make_long_line_plan(long long length, long long stride, long long batch, bool double_precision,
                        std::size_t* work_bytes);
void destroy_long_line_plan(int plan) noexcept;

}  // namespace larmor::nufft::cuda
