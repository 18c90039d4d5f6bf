#pragma once

#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>

namespace larmor::nufft::cuda {

// Passes along lines that do not fit into shared memory: by cuFFT, on the grid.

/// A cuFFT plan for lines of `length` values `stride` apart, `batch` of them at a time whose first values lie
/// `distance` apart (on a grid, 1 and: lanes along x, grid[0]·lanes along y, grid[0]·grid[1]·lanes along z),
/// with the size of its work area.
int make_long_line_plan(long long length, long long stride, long long distance, long long batch,
                        bool double_precision, std::size_t* work_bytes);
void destroy_long_line_plan(int plan) noexcept;

struct LongPlan {
  int plan;    ///< of make_long_line_plan
  void* work;  ///< device memory
  /// Of rows of one lane: a plan of `rows` that lie one after another, or 0.
  int of_rows = 0, rows = 0;
};
template <typename T>
void long_rows_forward(const RowPass<T>& pass, int length, const LongPlan& plan, larmor::cuda::Stream stream);
template <typename T>
void long_rows_backward(const RowPass<T>& pass, const LongPlan& plan, larmor::cuda::Stream stream);
/// sign −1: zeroes what is outside the window first.
template <typename T>
void long_lines(const LinePass<T>& pass, int sign, const LongPlan& plan, larmor::cuda::Stream stream);

/// Multiplies the frequencies of one-dimensional lines [block][frequency][lane] by a spectrum.
template <typename T>
void multiply_lines(std::complex<T>* grid, const T* spectrum, int length, int lanes, int blocks,
                    larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
