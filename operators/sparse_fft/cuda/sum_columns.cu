#include <larmor/operators/sparse_fft/cuda/column_kernels.cuh>

#include <cuda_runtime.h>

namespace larmor::sparse_fft::cuda {
namespace {

// Each lane that sums a column handles one block of rows; all of them read the same entries, cosines and
// sines. A warp has one column, or two or four if few rows are requested. A thread block handles neighbouring
// columns, whose sums are then stored together, row by row.
constexpr int warp_lanes = 32, threads = 256;

template <typename T>
__device__ __forceinline__ void load(const T* table, T (&values)[half_block]) {
  if constexpr (sizeof(T) == 4) {
    unrolled<half_block / 4>([&](auto i) {
      const float4 four = __ldg(reinterpret_cast<const float4*>(table) + i);
      values[4 * i] = four.x, values[4 * i + 1] = four.y, values[4 * i + 2] = four.z,
                 values[4 * i + 3] = four.w;
    });
  } else {
    unrolled<half_block / 2>([&](auto i) {
      const double2 two = __ldg(reinterpret_cast<const double2*>(table) + i);
      values[2 * i] = two.x, values[2 * i + 1] = two.y;
    });
  }
}

// Several blocks on a multiprocessor hide each other's latency.
template <int lanes, typename T, typename RowIndex>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 4 : 2)
    sum_kernel(const __grid_constant__ ColumnSums<T> task, const RowIndex* __restrict__ rows) {
  constexpr int columns = threads / lanes, group_rows = lanes * block_rows;
  // Two buffers, so that a row is stored while the next one is collected.
  __shared__ Complex<T> corner[2][lanes][columns + 1];
  const int lane = static_cast<int>(threadIdx.x) % lanes, mine = static_cast<int>(threadIdx.x) / lanes;
  const std::int64_t column = std::int64_t{blockIdx.x} * columns + mine;
  const std::int64_t local = std::int64_t{blockIdx.y} * group_rows + lane * block_rows;
  const auto twice_centre = static_cast<double>(2 * (task.first + local) + block_rows - 1);
  const auto period = static_cast<double>(2 * task.columns.rows);
  const double inverse_period = 1.0 / period;

  BlockSums<T> sums;
  Complex<T> factor{1, 0};
  if (column < task.columns.active) {
    const std::uint32_t end = task.columns.start[column + 1];
    for (std::uint32_t e = task.columns.start[column]; e < end; ++e) {
      const std::int64_t r = rows[e];
      T cosines[half_block], sines[half_block];
      load(task.steps + r * block_rows, cosines);
      load(task.steps + r * block_rows + half_block, sines);
      Complex<T> phase = phase_of<T>(twice_centre, static_cast<double>(r), period, inverse_period);
      if (task.columns.real_values)
        phase = phase * task.columns.real_values[e];
      else if (task.columns.complex_values)
        phase = phase * reinterpret_cast<const Complex<T>*>(task.columns.complex_values)[e];
      sums.add(phase.re, phase.im, cosines, sines);
    }
    if (task.factor) factor = reinterpret_cast<const Complex<T>*>(task.factor)[task.columns.column[column]];
  }

  // The thread that stores handles another column and another block of rows than the one that summed.
  const int store_mine = static_cast<int>(threadIdx.x) % columns,
            store_lane = static_cast<int>(threadIdx.x) / columns;
  const std::int64_t store_column = std::int64_t{blockIdx.x} * columns + store_mine,
                     store_row = std::int64_t{blockIdx.y} * group_rows + store_lane * block_rows;
  const bool stores = store_column < task.columns.active;
  const std::int64_t at = stores ? task.columns.column[store_column] : 0;
  auto* signal = reinterpret_cast<Complex<T>*>(task.signal);
  unrolled<block_rows>([&](auto k) {
    corner[k % 2][lane][mine] = Complex<T>{sums.re(k), sums.im(k)} * factor;
    __syncthreads();
    if (stores && store_row + k < task.count)
      signal[(store_row + k) * task.pitch + at] = corner[k % 2][store_lane][store_mine];
  });
}

template <int lanes, typename T>
void launch(const ColumnSums<T>& task, Stream stream) {
  constexpr int columns = threads / lanes, group_rows = lanes * block_rows;
  const dim3 grid(static_cast<unsigned>((task.columns.active + columns - 1) / columns),
                  static_cast<unsigned>((task.count + group_rows - 1) / group_rows));
  if (task.columns.narrow_rows)
    sum_kernel<lanes, T><<<grid, threads, 0, stream>>>(task, task.columns.narrow_rows);
  else
    sum_kernel<lanes, T><<<grid, threads, 0, stream>>>(task, task.columns.wide_rows);
  larmor::cuda::check_launch("sum_columns");
}

}  // namespace

template <typename T>
void sum_columns(const ColumnSums<T>& task, Stream stream) {
  if (task.columns.active == 0 || task.count == 0) return;
  // The last group of rows should leave few threads idle.
  const auto idle = [&](int lanes) {
    const std::int64_t group = lanes * block_rows;
    return (group - task.count % group) % group;
  };
  if (8 * idle(warp_lanes) <= task.count) return launch<warp_lanes>(task, stream);
  if (8 * idle(warp_lanes / 2) <= task.count) return launch<warp_lanes / 2>(task, stream);
  launch<warp_lanes / 4>(task, stream);
}

template void sum_columns<float>(const ColumnSums<float>&, Stream);
template void sum_columns<double>(const ColumnSums<double>&, Stream);

}  // namespace larmor::sparse_fft::cuda
