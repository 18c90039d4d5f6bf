#pragma once

#include <cuda_runtime.h>

// The kernel's polynomials in shared memory, for kernels that evaluate them for each point (see Points).
namespace larmor::nufft::cuda {

template <typename T>
struct alignas(16) Vector {
  T v[16 / sizeof(T)];
};
template <typename T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

constexpr int most_coefficients = 8 * 20;  // of half the cells, for degrees up to 19

// Steps of Horner's scheme, each with a vector of coefficients.
template <typename T>
__host__ __device__ constexpr int coefficient_steps(int degree) {
  return degree * static_cast<int>(sizeof(T)) / 16 + 1;
}

// Number of coefficients in shared memory.
template <typename T>
__host__ __device__ constexpr int coefficient_count(int width, int degree) {
  return (width + 1) / 2 * coefficient_steps<T>(degree) * 16 / static_cast<int>(sizeof(T));
}

// For Points or other structures with a kernel: copies the coefficients of the first half of the kernel's
// cells to shared memory, from the highest power; φ is even, so cell w − 1 − l has those of cell l with u
// negated.
template <typename T, typename Points>
__device__ void load_coefficients(const Points& points, T* coefficients) {
  const int powers = coefficient_steps<T>(points.degree) * 16 / static_cast<int>(sizeof(T)),
            count = coefficient_count<T>(points.width, points.degree);
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const int l = i / powers, r = i % powers, power = powers - 2 - (r & ~1) + r % 2;
    coefficients[i] =
        power <= points.degree ? points.coefficients[(points.degree - power) * points.stride + l] : T(0);
  }
}

// Calls put(axis, l, weight) for the cells of a point at u along each axis. If `parts` threads share a point,
// thread `part` handles every parts-th cell of the first half, from cell `part` on, and their mirror images.
template <int width, int parts = 1, int dims, typename T, typename Put>
__device__ void evaluate_kernel(const T* coefficients, int degree, const T (&u)[dims], const Put& put,
                                int part = 0) {
  constexpr int per_vector = 16 / static_cast<int>(sizeof(T));
  const int steps = coefficient_steps<T>(degree);
  const auto* c = reinterpret_cast<const Vector<T>*>(coefficients) + part * steps;
  T square[dims];
#pragma unroll
  for (int a = 0; a < dims; ++a) square[a] = u[a] * u[a];
#pragma unroll
  for (int first = 0; 2 * first < width; first += parts) {
    const int l = first + part;
    if (parts > 1 && 2 * l >= width) break;
    T even[dims], odd[dims];
    const auto add_powers = [&](const Vector<T>& next, bool begin) {
#pragma unroll
      for (int k = 0; k < per_vector; k += 2)
#pragma unroll
        for (int a = 0; a < dims; ++a) {
          even[a] = begin && k == 0 ? next.v[0] : even[a] * square[a] + next.v[k];
          odd[a] = begin && k == 0 ? next.v[1] : odd[a] * square[a] + next.v[k + 1];
        }
    };
    add_powers(*c++, true);
#pragma unroll 2
    for (int k = 1; k < steps; ++k) add_powers(*c++, false);
    c += (parts - 1) * steps;
#pragma unroll
    for (int a = 0; a < dims; ++a) {
      put(a, l, even[a] + u[a] * odd[a]);
      if (2 * l + 1 < width) put(a, width - 1 - l, even[a] - u[a] * odd[a]);
    }
  }
}

}  // namespace larmor::nufft::cuda
