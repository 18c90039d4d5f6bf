#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_layout.cuh>
#include <larmor/operators/nufft/spread/cuda/plane/plane_sums.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_weights.cuh>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_mma.cuh>

#include <larmor/core/cuda/launch_early.cuh>

namespace larmor::nufft::cuda {
namespace {

constexpr int sum_warps = 4;  // of a block

template <typename T>
struct SumTask {
  Points<T> points;
  int bins, more_pieces, piece;
  const Complex<T>* samples;  // [coils][sample_stride]
  std::int64_t sample_stride;
  const T* weights;
  std::int64_t coils;
  Complex<T>* sums;  // [block][piece][row][column][lane]: first pieces of all bins, then the other pieces
  Complex<T>* grid;
  PlaneKernel<T> kernel;

  __device__ std::int64_t pieces() const { return std::int64_t{bins} + more_pieces; }
};

// Slot of a bin's k-th piece, k > 0: derived from the index of its first point, divided by SumTask::piece,
// which is unique among those pieces.
template <typename T>
__device__ int place_of_piece(const SumTask<T>& task, int begin) {
  return task.bins + begin / task.piece;
}

struct Piece {
  int place = -1, begin = 0, end = 0;
};
// The piece that a warp works on. Pieces after a bin's first one come first, because their bins have the most
// points.
template <typename T>
__device__ Piece piece_of_warp(const SumTask<T>& task, int warp) {
  const int most = task.piece;
  const std::int32_t* start = task.points.bin_start;
  if (warp >= task.more_pieces) {
    const int bin = warp - task.more_pieces;
    if (bin >= task.bins) return {};
    const int begin = start[bin];
    return {bin, begin, min(begin + most, start[bin + 1])};
  }
  const int from = warp * most;
  const int bin = find_bin(start, task.bins, from);
  const int begin = start[bin] + max((from - start[bin] + most - 1) / most, 1) * most, end = start[bin + 1];
  if (begin >= min(from + most, end)) return {};
  return {place_of_piece(task, begin), begin, min(begin + most, end)};
}

// A point's value in one coil, weighted; zero where it is not active.
template <typename T>
__device__ Complex<T> value_of(const SumTask<T>& task, std::int64_t coil, std::int32_t sample, bool active) {
  if (!active || coil >= task.coils) return {0, 0};
  const Complex<T> value = task.samples[coil * task.sample_stride + sample];
  const T weight = task.weights ? task.weights[sample] : T(1);
  return {weight * value.re, weight * value.im};
}

// Double precision, one coil. The pitches below make rows start in different banks for the loads of a
// product.
template <int width, int steps>
class ProductSum {
 public:
  static constexpr int columns = plane_cells<double>(width).columns, rows = plane_cells<double>(width).rows;
  struct Memory {
    double x[columns * 32], y[rows * 40], value[2 * 40];  // [cell or part][point]
  };

  __device__ ProductSum(const SumTask<double>& task, Memory& memory)
      : task_(task), memory_(memory), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ void add(int begin, int end) {
    int next = begin + lane_;
    std::int32_t sample = next < end ? task_.points.order[next] : 0;
    for (int p = begin; p < end; p += warp_size) {
      const bool active = next < end;
      const Complex<double> value = value_of(task_, blockIdx.y, sample, active);
      const int own = active ? next : p;
      next += warp_size;
      if (next < end) sample = task_.points.order[next];
      write_weights_of_bin<width, steps, columns, rows>(task_.kernel, plane_point(task_.points, own),
                                                        {memory_.x + lane_, memory_.y + lane_}, {32, 40});
      memory_.value[lane_] = value.re;
      memory_.value[40 + lane_] = value.im;
      __syncwarp();
      for (int first = 0; first < min(end - p, warp_size); first += 8) multiply(first);
      __syncwarp();  // the next points will overwrite these
    }
  }

  __device__ void store(Complex<double>* sums) const {
    const int g = lane_ / 4, t = lane_ % 4;
#pragma unroll
    for (int i = 0; i < rows / 8; ++i)
#pragma unroll
      for (int j = 0; j < columns / 4; ++j)
        sums[(8 * i + g) * columns + 4 * j + t] = {sum_[i][j][0], sum_[i][j][1]};
  }

 private:
  // Eight points: two products of four points each; a thread has two neighbouring points.
  __device__ void multiply(int first) {
    const int g = lane_ / 4, point = first + 2 * (lane_ % 4);
    const auto load = [&](const double* row) { return *reinterpret_cast<const double2*>(row + point); };
    double2 y[rows / 8], x[columns / 4];
#pragma unroll
    for (int i = 0; i < rows / 8; ++i) y[i] = load(memory_.y + (8 * i + g) * 40);
    const double2 value = load(memory_.value + g % 2 * 40);
#pragma unroll
    for (int j = 0; j < columns / 4; ++j) {
      x[j] = load(memory_.x + (4 * j + g / 2) * 32);
      x[j].x *= value.x;
      x[j].y *= value.y;
    }
#pragma unroll
    for (int j = 0; j < columns / 4; ++j)
#pragma unroll
      for (int i = 0; i < rows / 8; ++i) multiply_add(sum_[i][j], y[i].x, x[j].x);
#pragma unroll
    for (int j = 0; j < columns / 4; ++j)
#pragma unroll
      for (int i = 0; i < rows / 8; ++i) multiply_add(sum_[i][j], y[i].y, x[j].y);
  }

  const SumTask<double>& task_;
  Memory& memory_;
  int lane_;
  double sum_[rows / 8][columns / 4][2] = {};
};

// Single precision: each thread handles every eighth column and two of its rows.
template <int width, int steps, int lanes>
class CellSum {
 public:
  static constexpr int columns = plane_cells<float>(width).columns, rows = plane_cells<float>(width).rows;
  static constexpr int pitch = 36, owned = rows * columns / warp_size;
  static_assert(columns == 8);
  struct Memory {
    float x[columns * pitch], y[rows * pitch], value[2 * lanes * pitch];
  };

  __device__ CellSum(const SumTask<float>& task, Memory& memory)
      : task_(task), memory_(memory), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ void add(int begin, int end) {
    for (int p = begin; p < end; p += warp_size) {
      const bool active = p + lane_ < end;
      const int own = active ? p + lane_ : p;
      const std::int32_t sample = task_.points.order[own];
      Complex<float> value[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l)
        value[l] = value_of(task_, std::int64_t{blockIdx.y} * lanes + l, sample, active);
      write_weights_of_bin<width, steps, columns, rows>(task_.kernel, plane_point(task_.points, own),
                                                        {memory_.x + lane_, memory_.y + lane_},
                                                        {pitch, pitch});
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        memory_.value[2 * l * pitch + lane_] = value[l].re;
        memory_.value[(2 * l + 1) * pitch + lane_] = value[l].im;
      }
      __syncwarp();
      for (int first = 0; first < min(end - p, warp_size); first += 4) add_products(first);
      __syncwarp();  // the next points will overwrite these
    }
  }

  __device__ void store(Complex<float>* sums) const {
#pragma unroll
    for (int i = 0; i < owned; ++i) {
      Complex<float>* to = sums + (i * warp_size + lane_) * lanes;
      if constexpr (lanes == 1)
        *to = sum_[i][0];
      else
#pragma unroll
        for (int l = 0; l < lanes; l += 2)
          *reinterpret_cast<float4*>(to + l) =
              make_float4(sum_[i][l].re, sum_[i][l].im, sum_[i][l + 1].re, sum_[i][l + 1].im);
    }
  }

 private:
  // Four points.
  __device__ void add_products(int first) {
    using Four = Vector<float>;
    const auto load = [&](const float* row) { return *reinterpret_cast<const Four*>(row + first); };
    const Four x = load(memory_.x + lane_ % columns * pitch);
    Four weight[owned];
#pragma unroll
    for (int i = 0; i < owned; ++i) {
      weight[i] = load(memory_.y + (lane_ / columns + i * (warp_size / columns)) * pitch);
#pragma unroll
      for (int k = 0; k < 4; ++k) weight[i].v[k] *= x.v[k];
    }
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      const Four re = load(memory_.value + 2 * l * pitch), im = load(memory_.value + (2 * l + 1) * pitch);
#pragma unroll
      for (int i = 0; i < owned; ++i)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          sum_[i][l].re += weight[i].v[k] * re.v[k];
          sum_[i][l].im += weight[i].v[k] * im.v[k];
        }
    }
  }

  const SumTask<float>& task_;
  Memory& memory_;
  int lane_;
  Complex<float> sum_[owned][lanes] = {};
};

template <typename T, int width, int steps, int lanes>
struct SumOf {
  using Type = CellSum<width, steps, lanes>;
};
template <int width, int steps, int lanes>
struct SumOf<double, width, steps, lanes> {
  using Type = ProductSum<width, steps>;
};

template <typename T, int width, int steps, int lanes>
__global__ void __launch_bounds__(sum_warps* warp_size, sizeof(T) == 8 && width > 10 ? 3 : 5)
    plane_sums(const __grid_constant__ SumTask<T> task) {
  using Sum = typename SumOf<T, width, steps, lanes>::Type;
  extern __shared__ __align__(16) char shared[];
  larmor::cuda::wait_for_earlier_kernels();
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Piece piece = piece_of_warp(task, static_cast<int>(blockIdx.x) * sum_warps + warp);
  if (piece.place < 0) return;
  Sum sum(task, reinterpret_cast<typename Sum::Memory*>(shared)[warp]);
  sum.add(piece.begin, piece.end);
  sum.store(task.sums + (blockIdx.y * task.pieces() + piece.place) * (Sum::rows * Sum::columns * lanes));
}

// The bins along an axis whose points touch a cell; those that reach it across the periodic edge come last.
struct BinsAround {
  int near_first, near_count, far_first, count, cell, period;
  __device__ BinsAround(int at, int cells, int bin, int bins, int grid)
      : near_first(at < cells ? 0 : (at - cells) / bin + 1),
        near_count(at / bin - near_first + 1),
        far_first(min((at + grid - cells) / bin + 1, bins)),
        count(near_count + bins - far_first),
        cell(at),
        period(grid) {}
  __device__ int bin(int i) const { return i < near_count ? near_first + i : far_first + i - near_count; }
  // The cell's index among those of the i-th bin.
  __device__ int place(int i, int bin_cells) const {
    return cell - bin(i) * bin_cells + (i < near_count ? 0 : period);
  }
};

constexpr int combined_values = 32, combined_rows = 8;  // of a block

// Each cell of the grid: adds the sums of its bins, piece by piece.
template <typename T, int width, int lanes>
__global__ void __launch_bounds__(combined_values* combined_rows)
    combine_plane_sums(const __grid_constant__ SumTask<T> task) {
  larmor::cuda::wait_for_earlier_kernels();
  constexpr PlaneCells sums = plane_cells<T>(width);
  constexpr int bin[2] = {sums.columns - width + 1, sums.rows - width + 1};
  const int most = task.piece;
  const auto& points = task.points;
  const int value = static_cast<int>(blockIdx.x) * combined_values + static_cast<int>(threadIdx.x),
            x = value / lanes,
            y = static_cast<int>(blockIdx.y) * combined_rows + static_cast<int>(threadIdx.y);
  if (x >= points.grid[0] || y >= points.grid[1]) return;
  const BinsAround along_x(x, sums.columns, bin[0], points.bins[0], points.grid[0]),
      along_y(y, sums.rows, bin[1], points.bins[1], points.grid[1]);
  const Complex<T>* block = task.sums + blockIdx.z * task.pieces() * (sums.rows * sums.columns * lanes);
  Complex<T> sum{0, 0};
  for (int j = 0; j < along_y.count; ++j)
    for (int i = 0; i < along_x.count; ++i) {
      const int b = along_y.bin(j) * points.bins[0] + along_x.bin(i);
      const Complex<T>* from = block +
                               (along_y.place(j, bin[1]) * sums.columns + along_x.place(i, bin[0])) * lanes +
                               value % lanes;
      const auto add = [&](int place) {
        const Complex<T> part = from[std::int64_t{place} * (sums.rows * sums.columns * lanes)];
        sum.re += part.re;
        sum.im += part.im;
      };
      add(b);
      const int end = points.bin_start[b + 1];
#pragma unroll 8
      for (int begin = points.bin_start[b] + most; begin < end; begin += most)
        add(place_of_piece(task, begin));
    }
  task.grid[((std::int64_t{blockIdx.z} * points.grid[1] + y) * points.grid[0]) * lanes + value] = sum;
}

// The kernels for a width, found by counting up from the narrowest.
template <typename T, int lanes, int width = 3>
void launch(const SumTask<T>& task, const KernelPolynomials<T>& polynomials, int blocks,
            larmor::cuda::Stream stream) {
  constexpr int widest = sizeof(T) == 8 ? 16 : 6;
  if (task.points.width != width) {
    if constexpr (width < widest) launch<T, lanes, width + 1>(task, polynomials, blocks, stream);
    return;
  }
  with_steps<width>(polynomials, [&](auto steps) {
    using Sum = typename SumOf<T, width, steps, lanes>::Type;
    constexpr std::size_t bytes = sum_warps * sizeof(typename Sum::Memory);
    larmor::cuda::allow_shared_bytes(plane_sums<T, width, steps, lanes>, bytes);
    const dim3 groups((task.bins + task.more_pieces + sum_warps - 1) / sum_warps, blocks);
    SumTask<T> of_steps = task;
    of_steps.kernel = plane_kernel(polynomials, steps);
    larmor::cuda::check_launch("plane_sums",
                               larmor::cuda::launch_early(plane_sums<T, width, steps, lanes>, groups,
                                                          sum_warps * warp_size, bytes, stream, of_steps));
  });
  const dim3 combined((task.points.grid[0] * lanes + combined_values - 1) / combined_values,
                      (task.points.grid[1] + combined_rows - 1) / combined_rows, blocks);
  larmor::cuda::check_launch(
      "combine_plane_sums",
      larmor::cuda::launch_early(combine_plane_sums<T, width, lanes>, combined,
                                 dim3(combined_values, combined_rows), 0, stream, task));
}

template <typename T>
int more_pieces_of(const Points<T>& points) {
  const int piece = piece_points(points.samples);
  return static_cast<int>((points.samples + piece - 1) / piece);
}

}  // namespace

template <typename T>
std::size_t plane_sums_bytes(const Points<T>& points, const Coils& coils) {
  const PlaneCells sums = plane_cells<T>(points.width);
  const std::int64_t pieces = std::int64_t{points.bins[0]} * points.bins[1] + more_pieces_of(points);
  return static_cast<std::size_t>(pieces * coils.blocks() * coils.lanes * sums.columns * sums.rows) *
         sizeof(Complex<T>);
}

template <typename T>
void spread_plane_sums(const Points<T>& points, const KernelPolynomials<T>& polynomials,
                       const std::complex<T>* samples, std::int64_t sample_stride, const T* weights,
                       std::complex<T>* grid, const Coils& coils, void* scratch,
                       larmor::cuda::Stream stream) {
  const SumTask<T> task{points,
                        points.bins[0] * points.bins[1],
                        more_pieces_of(points),
                        piece_points(points.samples),
                        reinterpret_cast<const Complex<T>*>(samples),
                        sample_stride,
                        weights,
                        coils.count,
                        static_cast<Complex<T>*>(scratch),
                        reinterpret_cast<Complex<T>*>(grid),
                        {}};
  if (coils.lanes == 1)
    launch<T, 1>(task, polynomials, coils.blocks(), stream);
  else if constexpr (sizeof(T) == 4)
    coils.lanes == 2 ? launch<T, 2>(task, polynomials, coils.blocks(), stream)
                     : launch<T, 4>(task, polynomials, coils.blocks(), stream);
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template std::size_t plane_sums_bytes(const Points<T>&, const Coils&);                                 \
  template void spread_plane_sums(const Points<T>&, const KernelPolynomials<T>&, const std::complex<T>*, \
                                  std::int64_t, const T*, std::complex<T>*, const Coils&, void*,         \
                                  larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
