#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace larmor::cuda {

/// One plane of ESPIRiT's pixel-wise problem, in device memory. The matrix of a pixel is the trigonometric
/// polynomial of `coefficients` [entry][dy][dx] (entry: lower triangle a, b <= a) in the phases of its
/// position.
struct EspiritPlane {
  static constexpr int most_channels = 64;
  int channels, span_y, span_x;
  std::int64_t ny, nx;
  const std::complex<float>* coefficients;
  const std::complex<float>* phases_y;   ///< [y][dy]
  const std::complex<float>* phases_x;   ///< [x][dx]
  const std::complex<float>* reference;  ///< [channels]: the coil with zero phase in the maps
  int first_y, last_y, first_x, last_x;  ///< pixels inside the field of view; others stay zero
  float crop;                            ///< smallest eigenvalue of a pixel that has maps
  std::complex<float>* maps;             ///< [channels][map_stride]: this plane's part of the maps
  std::int64_t map_stride;
};
std::size_t espirit_scratch_bytes(const EspiritPlane& plane);
/// The dominant eigenvector of every pixel, by power iteration as in dominant_eigenvectors(). Every pixel of
/// the plane is written.
void espirit_plane(const EspiritPlane& plane, void* scratch, Stream stream);

}  // namespace larmor::cuda
