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
__device__ int coefficient_steps(int degree) {
  return degree * static_cast<int>(sizeof(T)) / 16 + 1;
}

// For Points or other structures with a kernel: copies the coefficients of the first half of the kernel's
// cells to shared memory, from the highest power; φ is even, so cell w − 1 − l has those of cell l with u
// negated.
template <typename T, typename Points>
__device__ void load_coefficients(const Points& points, T* coefficients) {
  const int powers = coefficient_steps<T>(points.degree) * 16 / static_cast<int>(sizeof(T)),
            half = (points.width + 1) / 2;
  for (int i = threadIdx.x; i < half * powers; i += blockDim.x) {
    const int l = i / powers, r = i % powers, power = powers - 2 - (r & ~1) + r % 2;
    coefficients[i] =
        power <= points.degree ? points.coefficients[(points.degree - power) * points.stride + l] : T(0);
  }
}

}  // namespace larmor::nufft::cuda
