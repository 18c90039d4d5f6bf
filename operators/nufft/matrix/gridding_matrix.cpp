#include <larmor/operators/nufft/matrix/gridding_matrix.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace larmor::nufft {
namespace {

// The cells that a point touches along an axis, and the kernel values there.
template <typename T>
struct Touched {
  std::int32_t cell[max_width<T>];
  T weight[max_width<T>];
};

template <typename T>
Index first_cell(double k, Index grid, const FittedKernel<T>& kernel, double* fraction) {
  const double periodic = k - std::floor(k);
  const double position = periodic * static_cast<double>(grid) - 0.5 * kernel.kernel.width();
  const double cell = std::ceil(position);
  *fraction = cell - position;
  const auto first = static_cast<Index>(cell);
  return (first % grid + grid) % grid;
}

template <typename T>
Touched<T> touched_by(double k, Index grid, const FittedKernel<T>& kernel) {
  Touched<T> result;
  double fraction = 0;
  const Index first = first_cell(k, grid, kernel, &fraction);
  const auto& p = kernel.polynomials;
  const T u = 2 * static_cast<T>(fraction) - 1;
  for (int l = 0; l < p.width; ++l) {
    T sum = p.coefficients[static_cast<std::size_t>(l)];
    for (int n = 1; n <= p.degree; ++n)
      sum = sum * u + p.coefficients[static_cast<std::size_t>(n * p.stride + l)];
    result.cell[l] = static_cast<std::int32_t>((first + l) % grid);
    result.weight[l] = sum;
  }
  return result;
}

Index power(Index base, int exponent) {
  Index result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace

template <typename T>
MatrixBytes matrix_bytes(Index samples, int dims, const GridChoice<T>& choice) {
  const auto rows = static_cast<std::size_t>(samples),
             cells = static_cast<std::size_t>(choice.grid[0] * choice.grid[1] * choice.grid[2]);
  const std::size_t entries = rows * static_cast<std::size_t>(power(choice.kernel->kernel.width(), dims)) *
                              (sizeof(std::int32_t) + sizeof(T));
  return {rows * sizeof(std::int32_t) + entries, (cells + 1) * sizeof(std::int64_t) + entries};
}

template <typename T>
std::size_t matrix_bytes_per_sample(int dims, const GridChoice<T>& choice, const PlanOptions& options) {
  const MatrixBytes none = matrix_bytes(0, dims, choice), one = matrix_bytes(1, dims, choice);
  return (options.forward ? one.rows : sizeof(std::int32_t)) +
         (options.adjoint ? one.transpose - none.transpose : 0);
}

void require_matrix_fits(std::size_t bytes, std::size_t limit) {
  if (limit == 0 || bytes <= limit) return;
  throw resource_error(
      "interpolation by a sparse matrix needs {}, and {} are allowed; use another method or a larger "
      "tolerance",
      format_bytes(bytes), format_bytes(limit));
}

template <typename T>
GriddingMatrix<T> make_gridding_matrix(View<const double> points, const std::array<Index, 3>& grid,
                                       const FittedKernel<T>& kernel) {
  const int dims = static_cast<int>(points.shape()[1]), width = kernel.polynomials.width;
  GriddingMatrix<T> matrix;
  matrix.samples = points.shape()[0];
  matrix.cells = grid[0] * grid[1] * grid[2];
  matrix.length = power(width, dims);
  if (matrix.cells > std::numeric_limits<std::int32_t>::max())
    throw usage_error(
        "Nufft: a grid of {} × {} × {} cells is larger than the columns of a sparse matrix; use "
        "another method",
        grid[0], grid[1], grid[2]);

  constexpr Index tile = 16;  // groups rows that share cells
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(matrix.samples));
  for (Index j = 0; j < matrix.samples; ++j) {
    Index cell[3] = {0, 0, 0};
    for (int a = 0; a < dims; ++a) {
      double fraction = 0;
      if (!std::isfinite(points[j * dims + a]))
        throw input_error("Nufft: the trajectory is not finite at sample {}", j);
      cell[a] = first_cell(points[j * dims + a], grid[a], kernel, &fraction);
    }
    Index key = 0;
    for (int a = dims - 1; a >= 0; --a) key = key * (grid[a] / tile + 1) + cell[a] / tile;
    keys[static_cast<std::size_t>(j)] = static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(j);
  }
  std::sort(keys.begin(), keys.end());

  matrix.order = Array<std::int32_t>({matrix.samples});
  matrix.columns = Array<std::int32_t>({matrix.samples, matrix.length});
  matrix.weights = Array<T>({matrix.samples, matrix.length});
  for (Index i = 0; i < matrix.samples; ++i) {
    const auto j = static_cast<Index>(keys[static_cast<std::size_t>(i)] & 0xffffffff);
    matrix.order[i] = static_cast<std::int32_t>(j);
    Touched<T> along[3];
    for (int a = 0; a < 3; ++a)
      if (a < dims)
        along[a] = touched_by(points[j * dims + a], grid[a], kernel);
      else
        along[a].cell[0] = 0, along[a].weight[0] = 1;
    Index e = i * matrix.length;
    for (int z = 0; z < (dims > 2 ? width : 1); ++z)
      for (int y = 0; y < (dims > 1 ? width : 1); ++y) {
        const Index row = (along[2].cell[z] * grid[1] + along[1].cell[y]) * grid[0];
        const T weight = along[2].weight[z] * along[1].weight[y];
        for (int x = 0; x < width; ++x, ++e) {
          matrix.columns[e] = static_cast<std::int32_t>(row + along[0].cell[x]);
          matrix.weights[e] = weight * along[0].weight[x];
        }
      }
  }
  return matrix;
}

template <typename T>
TransposedMatrix<T> transposed(const GriddingMatrix<T>& matrix) {
  TransposedMatrix<T> result;
  const Index entries = matrix.samples * matrix.length;
  result.start = filled<std::int64_t>({matrix.cells + 1}, 0);
  result.columns = Array<std::int32_t>({entries});
  result.weights = Array<T>({entries});
  for (const std::int32_t column : matrix.columns) ++result.start[column + 1];
  for (Index c = 0; c < matrix.cells; ++c) result.start[c + 1] += result.start[c];
  // start[c] advances to the end of row c, which is the start of the next row.
  for (Index e = 0; e < entries; ++e) {
    const std::int64_t place = result.start[matrix.columns[e]]++;
    result.columns[place] = static_cast<std::int32_t>(e / matrix.length);
    result.weights[place] = matrix.weights[e];
  }
  for (Index c = matrix.cells; c > 0; --c) result.start[c] = result.start[c - 1];
  result.start[0] = 0;
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                         \
  template GriddingMatrix<T> make_gridding_matrix<T>(View<const double>, const std::array<Index, 3>&, \
                                                     const FittedKernel<T>&);                         \
  template TransposedMatrix<T> transposed<T>(const GriddingMatrix<T>&);                               \
  template MatrixBytes matrix_bytes<T>(Index, int, const GridChoice<T>&);                             \
  template std::size_t matrix_bytes_per_sample<T>(int, const GridChoice<T>&, const PlanOptions&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
