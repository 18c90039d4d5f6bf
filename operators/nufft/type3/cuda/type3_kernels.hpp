#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft::cuda {

/// The smallest box around points, and the first of them that has a coordinate that is not finite.
struct CoordinateBox {
  static constexpr std::int64_t none = INT64_MAX;
  double low[3], high[3];  ///< of finite coordinates; low > high where there is none
  std::int64_t not_finite;
};

/// Boxes of the parts that box_coordinates divides points into.
inline constexpr int box_parts = 264;

/// coordinates [count][dims] and parts [box_parts] in device memory; every part is written.
void box_coordinates(const double* coordinates, std::int64_t count, int dims, CoordinateBox* parts,
                     larmor::cuda::Stream stream);

/// Between a grid [block][cell][lane] and images [coil][cell]; padding lanes become zero.
template <typename T>
void grid_to_images(const std::complex<T>* grid, std::complex<T>* images, std::int64_t cells,
                    const Coils& coils, larmor::cuda::Stream stream);
template <typename T>
void images_to_grid(const std::complex<T>* images, std::complex<T>* grid, std::int64_t cells,
                    const Coils& coils, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
