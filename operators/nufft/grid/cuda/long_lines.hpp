#pragma once

#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>

namespace larmor::nufft::cuda {

// Transforms by cuFFT, on the grid, along lines that do not fit into shared memory.

/// A cuFFT plan, with the size of its work area, for lines of `length` values, `stride` apart. `batch` lines
/// are transformed at a time; their first values are `distance` apart (1 on a grid). Lanes are transformed
/// together along x, grid[0]·lanes lines along y, grid[0]·grid[1]·lanes lines along z.
int make_long_line_plan(long long length, long long stride, long long distance, long long batch,
                        bool double_precision, std::size_t* work_bytes);
void destroy_long_line_plan(int plan) noexcept;

struct LongPlan {
  int plan;    ///< from make_long_line_plan
  void* work;  ///< device memory
  /// For rows of one lane: a plan for `rows` contiguous rows, or 0.
  int of_rows = 0, rows = 0;
};
template <typename T>
void long_rows_forward(const RowPass<T>& pass, int length, const LongPlan& plan, larmor::cuda::Stream stream);
template <typename T>
void long_rows_backward(const RowPass<T>& pass, const LongPlan& plan, larmor::cuda::Stream stream);
/// sign −1: first sets everything outside the window to zero.
template <typename T>
void long_lines(const LinePass<T>& pass, int sign, const LongPlan& plan, larmor::cuda::Stream stream);

/// Multiplies the frequencies of one-dimensional lines [block][frequency][lane] by a spectrum.
template <typename T>
void multiply_lines(std::complex<T>* grid, const T* spectrum, int length, int lanes, int blocks,
                    larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
