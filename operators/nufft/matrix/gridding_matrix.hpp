#pragma once

#include <larmor/core/array.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

#include <array>
#include <cstdint>

namespace larmor::nufft {

/// Interpolation from a periodic grid at points as a sparse matrix [samples, cells], on the CPU. Every row
/// has width^dims entries, so no row pointers are needed. Rows are sorted by the tile of the grid that they
/// touch first.
template <typename T>
struct GriddingMatrix {
  Index samples = 0, cells = 1, length = 1;  ///< length: entries of a row
  Array<std::int32_t> order;                 ///< [samples]: the caller's sample of row i
  Array<std::int32_t> columns;               ///< [samples][length]
  Array<T> weights;                          ///< [samples][length]
};
/// points [samples, dims], columns x, y, z, periodic with 1: 0 is the centre of cell 0. grid: x, y, z. Throws
/// Error: input for points that are not finite, usage for grids that are too large.
template <typename T>
GriddingMatrix<T> make_gridding_matrix(View<const double> points, const std::array<Index, 3>& grid,
                                       const FittedKernel<T>& kernel);

/// The transpose, by rows: [cells, samples]. Columns are rows of the original matrix.
template <typename T>
struct TransposedMatrix {
  Array<std::int64_t> start;    ///< [cells + 1]
  Array<std::int32_t> columns;  ///< ascending within a row
  Array<T> weights;
};
template <typename T>
TransposedMatrix<T> transposed(const GriddingMatrix<T>& matrix);

/// Bytes of a matrix that has not been made yet, and of its transpose.
struct MatrixBytes {
  std::size_t rows, transpose;
};
template <typename T>
MatrixBytes matrix_bytes(Index samples, int dims, const GridChoice<T>& choice);
/// Bytes per sample for the directions that the options request.
template <typename T>
std::size_t matrix_bytes_per_sample(int dims, const GridChoice<T>& choice, const PlanOptions& options);
/// Throws Error (resource) if bytes exceed a limit; 0: no limit.
void require_matrix_fits(std::size_t bytes, std::size_t limit);

}  // namespace larmor::nufft
