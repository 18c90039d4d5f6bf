#pragma once

#include <larmor/operators/nufft/kernel/cuda/points.hpp>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>

namespace larmor::nufft::cuda {

/// What Points says of one of them.
template <typename T>
struct PlanePoint {
  std::uint32_t cell;
  T fraction[2];
  __device__ int first(int axis) const { return static_cast<int>(cell >> (8 * axis) & 255); }
};
template <typename T>
__device__ PlanePoint<T> plane_point(const Points<T>& points, std::int64_t p) {
  return {points.cell[p], {points.fraction[p], points.fraction[points.samples + p]}};
}

/// Writes the weights of a point along x and y to to[axis][l · pitch[axis]] for the l-th of the `width` cells
/// that it touches. coefficients: load_coefficients().
template <typename T, int width>
__device__ void write_plane_weights(const Points<T>& points, const T* coefficients,
                                    const PlanePoint<T>& point, T* const (&to)[2], const int (&pitch)[2]) {
  T u[2], square[2];
#pragma unroll
  for (int a = 0; a < 2; ++a) {
    u[a] = 2 * point.fraction[a] - 1;
    square[a] = u[a] * u[a];
  }
  constexpr int of_vector = 16 / static_cast<int>(sizeof(T));
  const int vectors = coefficient_steps<T>(points.degree);
  const auto* c = reinterpret_cast<const Vector<T>*>(coefficients);
#pragma unroll
  for (int l = 0; 2 * l < width; ++l) {
    T even[2], odd[2];
    const auto add_powers = [&](const Vector<T>& next, bool highest) {
#pragma unroll
      for (int k = 0; k < of_vector; k += 2)
#pragma unroll
        for (int a = 0; a < 2; ++a) {
          even[a] = highest && k == 0 ? next.v[0] : even[a] * square[a] + next.v[k];
          odd[a] = highest && k == 0 ? next.v[1] : odd[a] * square[a] + next.v[k + 1];
        }
    };
    add_powers(*c++, true);
#pragma unroll 2
    for (int k = 1; k < vectors; ++k) add_powers(*c++, false);
#pragma unroll
    for (int a = 0; a < 2; ++a) {
      to[a][l * pitch[a]] = even[a] + u[a] * odd[a];
      if (2 * l + 1 < width) to[a][(width - 1 - l) * pitch[a]] = even[a] - u[a] * odd[a];
    }
  }
}

/// The same to to[axis][cell · pitch[axis]] for every cell that the points of its bin touch, `columns` and
/// `rows` of them: zero where this one does not.
template <typename T, int width, int columns, int rows>
__device__ void write_weights_of_bin(const Points<T>& points, const T* coefficients,
                                     const PlanePoint<T>& point, T* const (&to)[2], const int (&pitch)[2]) {
  constexpr int cells[2] = {columns, rows};
  T* own[2];
#pragma unroll
  for (int a = 0; a < 2; ++a) {
    const int first = point.first(a);
    own[a] = to[a] + first * pitch[a];
#pragma unroll
    for (int j = 0; j < cells[a] - width; ++j)
      own[a][(j < first ? j - first : width + j - first) * pitch[a]] = 0;
  }
  write_plane_weights<T, width>(points, coefficients, point, own, pitch);
}

}  // namespace larmor::nufft::cuda
