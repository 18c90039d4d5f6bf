#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/cuda/host_device.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft {

/// Places of the spectra of a Hermitian matrix in their table: the real parts of the pairs l <= m row by row,
/// then, unless all are real, the imaginary parts of the pairs l < m.
struct HermitianPairs {
  std::int64_t size = 1;
  bool real = true;
  LARMOR_HOST_DEVICE constexpr std::int64_t real_part(std::int64_t l, std::int64_t m) const {
    return l * size - l * (l - 1) / 2 + m - l;
  }
  LARMOR_HOST_DEVICE constexpr std::int64_t imaginary_part(std::int64_t l, std::int64_t m) const {
    return size * (size + 1) / 2 + real_part(l, m) - l - 1;
  }
  LARMOR_HOST_DEVICE constexpr std::int64_t count() const {
    return real ? size * (size + 1) / 2 : size * size;
  }
};

/// Images and grids of a matrix convolution: images x [terms][coils][z][y][x] or, with maps [coils][z][y][x],
/// [terms][z][y][x]; the grid [coil][term][padded z][padded y][padded x] holds the coils
/// [first, first + together).
struct MatrixGrid {
  std::int64_t image[3] = {1, 1, 1}, padded[3] = {1, 1, 1};  ///< x, y, z
  std::int64_t terms = 1, coils = 1, first = 0, together = 1;
  LARMOR_HOST_DEVICE std::int64_t pixels() const { return image[0] * image[1] * image[2]; }
  LARMOR_HOST_DEVICE std::int64_t cells() const { return padded[0] * padded[1] * padded[2]; }
};

namespace cuda {

// The steps of nufft/matrix_convolution.cpp on device memory.

/// grid = the images, times their coils' maps (null: without), zero beyond them
template <typename T>
void pad_images(const MatrixGrid& shape, const std::complex<T>* x, const std::complex<T>* maps,
                std::complex<T>* grid, larmor::cuda::Stream stream);
/// grid[c][l] = Σ_m Q_lm grid[c][m] at each cell
template <typename T>
void multiply_matrix(const MatrixGrid& shape, const HermitianPairs& pairs, const T* spectra,
                     std::complex<T>* grid, larmor::cuda::Stream stream);
/// y (+)= the images of the grid; with maps summed over coils with conj(maps)
template <typename T>
void crop_images(const MatrixGrid& shape, const std::complex<T>* grid, const std::complex<T>* maps,
                 std::complex<T>* y, bool accumulate, larmor::cuda::Stream stream);
/// out [columns][rows] = in [rows][columns], transposed
template <typename T>
void transpose(const T* in, T* out, std::int64_t rows, std::int64_t columns, larmor::cuda::Stream stream);

}  // namespace cuda
}  // namespace larmor::nufft
