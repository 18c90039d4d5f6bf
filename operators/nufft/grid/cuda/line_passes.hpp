#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft::cuda {

/// The part of a periodic line that an image occupies: pixels tail … tail + head − 1 are at cells 0 … head −
/// 1, the first `tail` pixels at the last `tail` cells; the `gap` cells between are zero.
struct Window {
  int head = 1, tail = 0, gap = 0;

  /// Pixel floor(N/2) at cell 0.
  static Window centred(int image, int length) { return {image - image / 2, image / 2, length - image}; }
  /// Pixel 0 at cell 0.
  static Window first(int image, int length) { return {image, 0, length - image}; }
  constexpr bool holds(int cell) const { return cell < head || cell >= head + gap; }
  constexpr int pixel(int cell) const { return cell < head ? cell + tail : cell - head - gap; }
  constexpr int cell(int pixel) const { return pixel >= tail ? pixel - tail : pixel + head + gap; }
};

/// The part of a line's stages that a window needs.
constexpr larmor::cuda::Live live_part(const Window& window) {
  const int length = window.head + window.tail + window.gap;
  if (window.tail == 0 && 2 * window.head <= length) return larmor::cuda::Live::first_half;
  if (4 * window.head <= length && 4 * window.tail <= length) return larmor::cuda::Live::outer_quarters;
  return larmor::cuda::Live::all;
}

/// Transforms along x between images [coil][z][y][x] and those rows of a grid [block][z][y][x][lane] that
/// hold image rows.
template <typename T>
struct RowPass {
  larmor::cuda::LineFft<T> fft;
  Window window[3];                            ///< of the axes on the grid
  int image[3];                                ///< pixels
  std::int64_t row = 0, plane = 0, block = 0;  ///< distances, in values, between grid rows, planes and blocks
  Coils coils;
  std::complex<T>* images = nullptr;      ///< a single image if there are maps
  const std::complex<T>* maps = nullptr;  ///< [coil][z][y][x] or null
  std::complex<T>* grid = nullptr;
  const T* deapodise[3] = {nullptr, nullptr, nullptr};  ///< factors of the pixels of each axis, or null
  double scale = 1;
  bool accumulate = false;  ///< for the backward transform
};
/// Zero padding and forward transform; writes every cell of the rows.
template <typename T>
void rows_forward(const RowPass<T>& pass, larmor::cuda::Stream stream);
/// The adjoint of rows_forward; with maps, the sum over coils.
template <typename T>
void rows_backward(const RowPass<T>& pass, larmor::cuda::Stream stream);

/// Transforms along another axis, in place: `inner` neighbouring lines, element e of a line at e·stride, for
/// each image pixel of an outer axis and each block of coils.
template <typename T>
struct LinePass {
  larmor::cuda::LineFft<T> fft;
  Window window;  ///< the forward transform reads nothing else, the backward transform writes nothing else
  std::complex<T>* grid = nullptr;
  std::int64_t stride = 0, inner = 0;  ///< inner < 2^31
  int outer = 1;
  Window outer_window;
  std::int64_t outer_stride = 0, block = 0;
  int blocks = 1;
  /// For lines_convolve: line i is cell i / lanes, whose spectrum is the row of that number.
  const T* spectrum = nullptr;
  int lanes = 1;
};
template <typename T>
void lines_forward(const LinePass<T>& pass, larmor::cuda::Stream stream);
template <typename T>
void lines_backward(const LinePass<T>& pass, larmor::cuda::Stream stream);
/// Forward transform, product with the spectrum, backward transform; the window begins with the line.
template <typename T>
void lines_convolve(const LinePass<T>& pass, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
