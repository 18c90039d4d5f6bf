#pragma once

#include <larmor/operators/nufft/kernel/cuda/points.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <type_traits>

namespace larmor::nufft::cuda {

/// The polynomials of half of a kernel's cells as launch constants, which instructions can use without a
/// load: φ is even, so cell w − 1 − l has the polynomial of cell l with u negated. Two powers per step of
/// Horner's scheme, [cell][step][even, odd], from the highest power.
template <typename T>
struct PlaneKernel {
  static constexpr int most_steps = highest_degree / 2 + 1;
  T coefficients[8 * most_steps * 2];
};
template <typename T>
PlaneKernel<T> plane_kernel(const KernelPolynomials<T>& polynomials, int steps) {
  PlaneKernel<T> kernel{};
  for (int l = 0; 2 * l < polynomials.width; ++l)
    for (int i = 0; i < 2 * steps; ++i) {
      const int power = 2 * (steps - 1 - i / 2) + i % 2;
      if (power <= polynomials.degree)
        kernel.coefficients[l * 2 * steps + i] =
            polynomials.coefficients[(polynomials.degree - power) * polynomials.stride + l];
    }
  return kernel;
}

/// Calls work(steps) with a constant: the number that suffices for most kernels of the width, or the maximum.
template <int width, typename T, typename Work>
void with_steps(const KernelPolynomials<T>& polynomials, Work work) {
  constexpr int usual = (width + (width < 10 ? 3 : 2)) / 2, most = PlaneKernel<T>::most_steps;
  if (polynomials.degree < 2 * usual)
    work(std::integral_constant<int, usual>());
  else
    work(std::integral_constant<int, most>());
}

/// Entries of Points for one of its points.
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
/// that it touches. The kernel must have this number of steps.
template <int width, int steps, typename T>
__device__ void write_plane_weights(const PlaneKernel<T>& kernel, const PlanePoint<T>& point,
                                    T* const (&to)[2], const int (&pitch)[2]) {
  T u[2], square[2];
#pragma unroll
  for (int a = 0; a < 2; ++a) {
    u[a] = 2 * point.fraction[a] - 1;
    square[a] = u[a] * u[a];
  }
#pragma unroll
  for (int l = 0; 2 * l < width; ++l) {
    const T* c = kernel.coefficients + l * 2 * steps;
    T even[2] = {c[0], c[0]}, odd[2] = {c[1], c[1]};
#pragma unroll
    for (int k = 1; k < steps; ++k)
#pragma unroll
      for (int a = 0; a < 2; ++a) {
        even[a] = even[a] * square[a] + c[2 * k];
        odd[a] = odd[a] * square[a] + c[2 * k + 1];
      }
#pragma unroll
    for (int a = 0; a < 2; ++a) {
      to[a][l * pitch[a]] = even[a] + u[a] * odd[a];
      if (2 * l + 1 < width) to[a][(width - 1 - l) * pitch[a]] = even[a] - u[a] * odd[a];
    }
  }
}

/// Writes them to to[axis][cell · pitch[axis]] for each of the `columns` and `rows` cells that the points of
/// its bin touch: zero for those that this point does not touch.
template <int width, int steps, int columns, int rows, typename T>
__device__ void write_weights_of_bin(const PlaneKernel<T>& kernel, const PlanePoint<T>& point,
                                     T* const (&to)[2], const int (&pitch)[2]) {
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
  write_plane_weights<width, steps>(kernel, point, own, pitch);
}

}  // namespace larmor::nufft::cuda
