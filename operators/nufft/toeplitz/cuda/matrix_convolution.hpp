#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/cuda/complex_value.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft {

/// Layout of the spectra of a Hermitian matrix: the real parts of the pairs l <= m row by row, then, unless
/// all are real, the imaginary parts of the pairs l < m.
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
/// [terms][z][y][x]; the grid [coil][term][padded z][padded y][padded x] holds the coils [first, first +
/// together).
struct MatrixGrid {
  std::int64_t image[3] = {1, 1, 1}, padded[3] = {1, 1, 1};  ///< x, y, z
  std::int64_t terms = 1, coils = 1, first = 0, together = 1;
  LARMOR_HOST_DEVICE std::int64_t pixels() const { return image[0] * image[1] * image[2]; }
  LARMOR_HOST_DEVICE std::int64_t cells() const { return padded[0] * padded[1] * padded[2]; }
};

/// grid = the images, times the maps of their coils (null: without), padded with zeros; one element for each
/// cell of all images of the grid.
template <typename T>
struct PadImages {
  static constexpr const char* name = "pad images";
  MatrixGrid g;
  const ComplexValue<T>*x, *maps;
  ComplexValue<T>* grid;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t cell = i % g.cells(), image = i / g.cells();
    const std::int64_t column = cell % g.padded[0], line = cell / g.padded[0];
    const std::int64_t y = line % g.padded[1], z = line / g.padded[1];
    ComplexValue<T> value{0, 0};
    if (column < g.image[0] && y < g.image[1] && z < g.image[2]) {
      const std::int64_t pixel = (z * g.image[1] + y) * g.image[0] + column;
      const std::int64_t term = image % g.terms, coil = g.first + image / g.terms;
      value = maps ? product(maps[coil * g.pixels() + pixel], x[term * g.pixels() + pixel])
                   : x[(term * g.coils + coil) * g.pixels() + pixel];
    }
    grid[i] = value;
  }
};

/// y (+)= the images of the grid, or with maps their sum over coils with conj(maps); one element for each
/// pixel of `together` images per term, with maps of one.
template <typename T>
struct CropImages {
  static constexpr const char* name = "crop images";
  MatrixGrid g;
  const ComplexValue<T>*grid, *maps;
  ComplexValue<T>* y;
  bool accumulate;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t pixel = i % g.pixels(), image = i / g.pixels();
    const std::int64_t column = pixel % g.image[0], line = pixel / g.image[0];
    const std::int64_t cell = (line / g.image[1] * g.padded[1] + line % g.image[1]) * g.padded[0] + column;
    if (!maps) {
      const std::int64_t term = image % g.terms, c = image / g.terms;
      return put(y[(term * g.coils + g.first + c) * g.pixels() + pixel],
                 grid[(c * g.terms + term) * g.cells() + cell], accumulate);
    }
    ComplexValue<T> sum = accumulate ? y[i] : ComplexValue<T>{0, 0};
    for (std::int64_t c = 0; c < g.together; ++c)
      sum = sum + conjugate_product(maps[(g.first + c) * g.pixels() + pixel],
                                    grid[(c * g.terms + image) * g.cells() + cell]);
    y[i] = sum;
  }
};

/// out [columns][rows] = in [rows][columns], transposed
template <typename T>
struct Transpose {
  static constexpr const char* name = "transpose";
  const T* in;
  T* out;
  std::int64_t rows, columns;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = in[i % rows * columns + i / rows]; }
};

namespace cuda {

/// grid[c][l] = Σ_m Q_lm grid[c][m] at each cell
template <typename T>
void multiply_matrix(const MatrixGrid& shape, const HermitianPairs& pairs, const T* spectra,
                     std::complex<T>* grid, larmor::cuda::Stream stream);

}  // namespace cuda
}  // namespace larmor::nufft
