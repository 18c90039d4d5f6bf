#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_layout.cuh>
#include <larmor/operators/nufft/spread/cuda/plane/plane_products.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_weights.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_mma.cuh>

#include <larmor/core/cuda/device_attribute.cuh>

namespace larmor::nufft::cuda {
namespace {

constexpr int warp_points = 256;  // points that a warp processes
constexpr int product_warps(int width) {
  return product_cells(width) <= 12 ? 8 : 4;  // of a block
}
constexpr int product_blocks(int width) {
  return product_cells(width) <= 12 ? 3 : 16 / product_warps(width);  // of a multiprocessor
}

struct ProductTask {
  Points<double> points;
  const double* grid;
  double* samples;
  const double* weights;
  bool accumulate;
  PlaneKernel<double> kernel;
};

// Memory of one warp: weights of 32 points along both axes, [l-th cell of the point][point]. With this pitch,
// 4 modulo 16, the warp's writes and its reads for a product access different banks wherever the points are.
// Zeros before, between and after them stand for cells of a bin that a point does not touch. Once a point's
// sums are complete, they replace its first weights along x.
template <int W>
struct ProductMemory {
  static constexpr int pitch = 36, rim = product_bin(W) - 1, x = rim, y = x + W + rim, rows = y + W + rim;
  double weights[rows * pitch];
};

template <int W, int powers>  // powers: steps of the kernel's polynomials
class PlaneProducts {
  static constexpr int cells = product_cells(W), steps = cells / 4, bin_cells = product_bin(W);
  using Memory = ProductMemory<W>;
  static constexpr int pitch = Memory::pitch;

 public:
  __device__ PlaneProducts(const ProductTask& task, Memory& memory)
      : task_(task), memory_(memory), lane_(static_cast<int>(threadIdx.x % warp_size)) {
#pragma unroll
    for (int row = 0; row < Memory::rim; ++row)
#pragma unroll
      for (int from : {0, Memory::x + W, Memory::y + W}) memory_.weights[(from + row) * pitch + lane_] = 0;
  }

  __device__ void run(std::int64_t begin, std::int64_t end) {
    const auto& points = task_.points;
    const int bins = points.bins[0] * points.bins[1];
    int bin = find_bin(points.bin_start, bins, static_cast<int>(begin)), loaded = -1;
    // The next points are loaded while these are processed.
    int start = start_after(points.bin_start, bins, bin);
    auto next = plane_point(points, min(begin + lane_, end - 1));
    for (std::int64_t p = begin; p < end; p += warp_size) {
      const int count = static_cast<int>(min(end - p, std::int64_t{warp_size}));
      const int own = static_cast<int>(p) + min(lane_, count - 1);
      const int mine = bins_from(points.bin_start, bins, bin, own, start);
      sample_ = points.order[own];
      cell_of_point_ = next.cell;
      write_plane_weights<W, powers>(
          task_.kernel, next,
          {memory_.weights + Memory::x * pitch + lane_, memory_.weights + Memory::y * pitch + lane_},
          {pitch, pitch});
      next = plane_point(points, min(p + warp_size + lane_, end - 1));
      start = start_after(points.bin_start, bins, __shfl_sync(whole_warp, mine, warp_size - 1));
      __syncwarp();
      // The points of each bin in turn.
      const int before = __shfl_up_sync(whole_warp, mine, 1);
      unsigned starts = __ballot_sync(whole_warp, lane_ == 0 || mine != before);
      while (starts != 0) {
        const int first = __ffs(static_cast<int>(starts)) - 1;
        starts &= starts - 1;
        const int last = starts != 0 ? __ffs(static_cast<int>(starts)) - 1 : count;
        bin = __shfl_sync(whole_warp, mine, first);
        if (bin != loaded) {
          go_on_to(bin - loaded);
          loaded = bin;
          load();
        }
        for (int slot = first; slot < last; slot += 8) multiply(slot, last);
      }
      __syncwarp();
      if (lane_ < count) store();
      __syncwarp();  // the next points will overwrite these
    }
  }

 private:
  // Usually a nearby bin, so that no division is needed.
  __device__ void go_on_to(int bins_further) {
    const int row = task_.points.bins[0];
    bin_x_ += bins_further;
    if (bin_x_ >= row) {
      const int rows = bin_x_ < 2 * row ? 1 : bin_x_ / row;
      bin_x_ -= rows * row;
      bin_y_ += rows;
    }
  }

  // The cells that the points of a bin touch. Column 8m + g of the product's right factor is part g % 2 of
  // row 4m + g/2 of cells.
  __device__ void load() {
    const auto& points = task_.points;
    const int g = lane_ / 4, t = lane_ % 4;
    const int x = bin_x_ * bin_cells, y = bin_y_ * bin_cells;
    const int width = points.grid[0], height = points.grid[1];
    const auto line = 2 * static_cast<std::uint32_t>(width);
    if (x + cells <= width && y + cells <= height) {
      const double* from = task_.grid + ((y + g / 2) * line + 2 * static_cast<std::uint32_t>(x + t) + g % 2);
#pragma unroll
      for (int m = 0; m < steps; ++m)
#pragma unroll
        for (int s = 0; s < steps; ++s) cell_[m][s] = (from + 4 * m * line)[8 * s];
      return;
    }
#pragma unroll
    for (int m = 0; m < steps; ++m) {
      const int row = y + g / 2 + 4 * m;
      const double* from = task_.grid + ((row >= height ? row - height : row) * line + g % 2);
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        const int column = x + t + 4 * s;
        cell_[m][s] = from[2 * (column >= width ? column - width : column)];
      }
    }
  }

  // Sums of up to eight points from `slot` on, before `last`. Threads 4g … 4g + 3 hold the weights and sums
  // of the g-th point: thread 4g + t holds every fourth row, starting at t.
  __device__ void multiply(int slot, int last) {
    const int t = lane_ % 4, point = min(slot + lane_ / 4, warp_size - 1);
    const std::uint32_t first = __shfl_sync(whole_warp, cell_of_point_, point);
    const auto weights = [&](int row, std::uint32_t of_axis) {
      return memory_.weights + (row + t - static_cast<int>(of_axis & 255)) * pitch + point;
    };
    const double *x = weights(Memory::x, first), *y = weights(Memory::y, first >> 8);
    double line[steps][2] = {};
#pragma unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
      for (int m = 0; m < steps; ++m) multiply_add(line[m], x[4 * s * pitch], cell_[m][s]);
    double sum[2] = {};
#pragma unroll
    for (int m = 0; m < steps; ++m)
#pragma unroll
      for (int part = 0; part < 2; ++part) sum[part] = fused(y[4 * m * pitch], line[m][part], sum[part]);
    const bool odd = lane_ & 1;
    double own = (odd ? sum[1] : sum[0]) + __shfl_xor_sync(whole_warp, odd ? sum[0] : sum[1], 1);
    own += __shfl_xor_sync(whole_warp, own, 2);
    __syncwarp();  // the weights that the sums overwrite have been read
    if (t < 2 && slot + lane_ / 4 < last) memory_.weights[(Memory::x + t) * pitch + point] = own;
  }

  __device__ void store() const {
    const double scale = task_.weights ? task_.weights[sample_] : 1.0;
    auto* to = reinterpret_cast<double2*>(task_.samples) + sample_;
    const double* sums = memory_.weights + Memory::x * pitch + lane_;
    double2 value = {scale * sums[0], scale * sums[pitch]};
    if (task_.accumulate) {
      const double2 before = *to;
      value.x += before.x;
      value.y += before.y;
    }
    *to = value;
  }

  const ProductTask& task_;
  Memory& memory_;
  int lane_;
  std::int32_t sample_;          // of this lane's point
  std::uint32_t cell_of_point_;  // and its first cells
  int bin_x_ = -1, bin_y_ = 0;   // of the cells
  double cell_[steps][steps];
};

template <int W, int powers>
__global__ void __launch_bounds__(product_warps(W) * warp_size, product_blocks(W))
    plane_products(const __grid_constant__ ProductTask task) {
  extern __shared__ __align__(16) char shared[];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  auto* memory = reinterpret_cast<ProductMemory<W>*>(shared);
  const std::int64_t begin = (std::int64_t{blockIdx.x} * product_warps(W) + warp) * warp_points;
  const std::int64_t end = min(begin + warp_points, task.points.samples);
  if (begin < end) PlaneProducts<W, powers>(task, memory[warp]).run(begin, end);
}

// The kernels for a width, found by counting up from the narrowest.
template <int W = 3>
void launch(const ProductTask& task, const KernelPolynomials<double>& polynomials,
            larmor::cuda::Stream stream) {
  if (task.points.width != W) {
    if constexpr (W < 16) launch<W + 1>(task, polynomials, stream);
    return;
  }
  with_steps<W>(polynomials, [&](auto powers) {
    constexpr int warps = product_warps(W);
    constexpr std::size_t bytes = warps * sizeof(ProductMemory<W>);
    larmor::cuda::allow_shared_bytes(plane_products<W, powers>, bytes);
    constexpr std::int64_t block_points = warps * warp_points;
    const auto blocks = static_cast<unsigned>((task.points.samples + block_points - 1) / block_points);
    ProductTask of_steps = task;
    of_steps.kernel = plane_kernel(polynomials, powers);
    plane_products<W, powers><<<blocks, warps * warp_size, bytes, stream>>>(of_steps);
    larmor::cuda::check_launch("plane_products");
  });
}

}  // namespace

void interpolate_by_products(const Points<double>& points, const KernelPolynomials<double>& polynomials,
                             const std::complex<double>* grid, std::complex<double>* samples,
                             const double* weights, bool accumulate, larmor::cuda::Stream stream) {
  if (points.samples == 0) return;
  launch({points,
          reinterpret_cast<const double*>(grid),
          reinterpret_cast<double*>(samples),
          weights,
          accumulate,
          {}},
         polynomials, stream);
}

}  // namespace larmor::nufft::cuda
