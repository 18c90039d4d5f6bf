#pragma once

#include <cstddef>
#include <cstdint>

namespace larmor::nufft {

/// A point in the order of tiles, all of it in one place: sorting writes to as many places as there are
/// tiles.
template <typename T, int dims>
struct PointRecord {
  std::int32_t sample;    ///< index in the caller's order
  std::uint8_t cells[4];  ///< first cell that it touches along x, y, z, counted from the tile's first
  T fraction[dims];       ///< how far that cell's centre lies beyond the kernel's edge, 0 … 1
};

/// Points of one tile and the part of the grid that they touch. Grid and values are interleaved: lane (coil)
/// fastest, then x. Spreading of one lane wants grid, row and plane aligned to vectors of aligned_reals.
template <typename T>
struct SpreadTask {
  T* grid;                    ///< real and imaginary parts, [z][y][x][lane]
  std::ptrdiff_t row, plane;  ///< reals from one y (z) to the next
  const void* points;         ///< PointRecord<T, dims>[count]
  T* values;                  ///< [count][2·lanes]; read by spread, written by interpolate
  std::ptrdiff_t count;
  const T* coefficients;  ///< KernelPolynomials
  int degree;
  int first_cell = 0;  ///< one lane: of the tile, in its row, which starts aligned
};

/// A box of one array that is added to a box of another.
template <typename T>
struct BoxSum {
  T* to;
  const T* from;
  std::ptrdiff_t to_row, to_plane, from_row, from_plane;  ///< reals from one y (z) to the next
  std::ptrdiff_t size[3];                                 ///< reals along x, rows, planes
};

/// Reals of a vector that spreading of one lane works with: 64 bytes at most.
template <typename T>
inline constexpr std::ptrdiff_t aligned_reals = 64 / static_cast<std::ptrdiff_t>(sizeof(T));

/// spread: grid += Σ_p weights_p · values_p. interpolate: values_p = Σ weights_p · grid. add: to += from.
template <typename T>
struct SpreadKernels {
  void (*spread)(const SpreadTask<T>&) = nullptr;
  void (*interpolate)(const SpreadTask<T>&) = nullptr;
  void (*add)(const BoxSum<T>&) = nullptr;
};

/// The kernels for the best instruction set of this processor. lanes: 1, 4 or (float) 8; dims 1…3.
template <typename T>
SpreadKernels<T> spread_kernels(int dims, int width, int lanes);
/// "avx512", "avx2" or "portable"; the environment variable LARMOR_ISA can ask for a lesser one.
const char* instruction_set();

}  // namespace larmor::nufft
