#pragma once

#include <cstddef>
#include <cstdint>

namespace larmor::nufft {

/// A point in the order of tiles. All its data are in one place, because sorting writes to as many places as
/// there are tiles.
template <typename T, int dims>
struct PointRecord {
  std::int32_t sample;    ///< index in the caller's order
  std::uint8_t cells[4];  ///< first cell that it touches along x, y, z, counted from the tile's first; on a
                          ///< line one number of three bytes
  T fraction[dims];       ///< distance from the kernel's edge to that cell's centre, 0 … 1
};

/// Points of one tile and the part of the grid that they touch. Grid and values are interleaved: lane (coil)
/// fastest, then x. For spreading with one lane, grid, row and plane must be aligned to vectors of
/// aligned_reals.
template <typename T>
struct SpreadTask {
  T* grid;                    ///< real and imaginary parts, [z][y][x][lane]
  std::ptrdiff_t row, plane;  ///< reals from one y (z) to the next
  const void* points;         ///< PointRecord<T, dims>[count]
  T* values;                  ///< [count][2·lanes]; read by spread, written by interpolate
  std::ptrdiff_t count;
  const T* coefficients;  ///< KernelPolynomials
  int degree;
  int first_cell = 0;  ///< for one lane: offset of the tile in its row, whose start is aligned
};

/// A box of one array that is added to a box of another.
template <typename T>
struct BoxSum {
  T* to;
  const T* from;
  std::ptrdiff_t to_row, to_plane, from_row, from_plane;  ///< reals from one y (z) to the next
  std::ptrdiff_t size[3];                                 ///< reals along x, rows, planes
};

/// Reals per vector for spreading with one lane: 64 bytes at most.
template <typename T>
inline constexpr std::ptrdiff_t aligned_reals = 64 / static_cast<std::ptrdiff_t>(sizeof(T));

/// spread: grid += Σ_p weights_p · values_p. interpolate: values_p = Σ weights_p · grid. add: to += from.
template <typename T>
struct SpreadKernels {
  void (*spread)(const SpreadTask<T>&) = nullptr;
  void (*interpolate)(const SpreadTask<T>&) = nullptr;
  void (*add)(const BoxSum<T>&) = nullptr;
};

/// The kernels for this processor's best instruction set. lanes: 1, 4 or (float) 8; dims 1…3.
template <typename T>
SpreadKernels<T> spread_kernels(int dims, int width, int lanes);
/// "avx512", "avx2" or "portable"; the environment variable LARMOR_ISA can select a lower one.
const char* instruction_set();

}  // namespace larmor::nufft
