#pragma once

#include <larmor/operators/nufft/kernel/coils.hpp>

#include <cstdint>

namespace larmor::nufft::cuda {

/// Points of a plan in device memory, sorted by bins of the periodic grid (bins are numbered with x fastest;
/// the order within a bin is fixed). Passed to kernels by value. Axes in the order x, y, z; missing axes have
/// one cell and one bin. Along an axis, point p touches cells first … first + width − 1, modulo grid, with
/// first = bin·b + cell. Its weight at the l-th of them is φ(l + f − width/2), where f in [0, 1) is the
/// fraction, by the polynomials of KernelPolynomials: coefficients[(degree − n)·stride + l] belongs to u^n, u
/// = 2f − 1.
template <typename T>
struct Points {
  int dims, width;
  std::int32_t grid[3];  ///< cells per axis
  std::int32_t bin[3];   ///< cells of a bin along each axis; the last bin of an axis can be smaller
  std::int32_t bins[3];  ///< bins per axis
  std::int64_t samples;
  const std::int32_t* order;      ///< [samples]: index in the caller's order
  const std::uint32_t* cell;      ///< [samples]: first cell relative to the bin, x | y << 8 | z << 16
  const T* fraction;              ///< [dims][samples]
  const std::int32_t* bin_start;  ///< [bins + 1]
  const T* coefficients;          ///< KernelPolynomials, in device memory
  int degree, stride;
};

}  // namespace larmor::nufft::cuda
