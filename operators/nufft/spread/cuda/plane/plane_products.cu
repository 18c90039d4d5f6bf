#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_layout.cuh>
#include <larmor/operators/nufft/spread/cuda/plane/plane_products.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_weights.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_mma.cuh>

#include <larmor/core/cuda/device_attribute.cuh>

namespace larmor::nufft::cuda {
namespace {

constexpr int product_warps = 8, warp_points = 256;  // points that a warp works through

struct ProductTask {
  Points<double> points;
  const double* grid;
  double* samples;
  const double* weights;
  bool accumulate;
};

// Of one warp: weights of 32 points, [l-th cell of the point][point], so that a warp's writes meet different
// banks wherever the points lie; with these pitches its reads of a product do, too: 4 and 8 modulo 16. Once
// the sums of a point are done, they take the place of its first weights along x.
template <int W>
struct ProductMemory {
  static constexpr int x_pitch = 36, y_pitch = 40;
  double x[W * x_pitch], y[W * y_pitch];
};

template <int W>
class PlaneProducts {
  static constexpr int cells = product_cells(W), steps = cells / 4, bin_cells = product_bin(W);
  using Memory = ProductMemory<W>;

 public:
  __device__ PlaneProducts(const ProductTask& task, const double* coefficients, Memory& memory)
      : task_(task),
        coefficients_(coefficients),
        memory_(memory),
        lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  __device__ void run(std::int64_t begin, std::int64_t end) {
    const auto& points = task_.points;
    const int bins = points.bins[0] * points.bins[1];
    int bin = find_bin(points.bin_start, bins, static_cast<int>(begin)), loaded = -1;
    // What memory says of the next points is asked for while these are worked on.
    int start = start_after(points.bin_start, bins, bin);
    auto next = plane_point(points, min(begin + lane_, end - 1));
    for (std::int64_t p = begin; p < end; p += warp_size) {
      const int count = static_cast<int>(min(end - p, std::int64_t{warp_size}));
      const int own = static_cast<int>(p) + min(lane_, count - 1);
      const int mine = bins_from(points.bin_start, bins, bin, own, start);
      sample_ = points.order[own];
      cell_of_point_ = next.cell;
      write_plane_weights<double, W>(points, coefficients_, next, {memory_.x + lane_, memory_.y + lane_},
                                     {Memory::x_pitch, Memory::y_pitch});
      next = plane_point(points, min(p + warp_size + lane_, end - 1));
      start = start_after(points.bin_start, bins, __shfl_sync(whole_warp, mine, warp_size - 1));
      __syncwarp();
      // The points of one bin after another.
      const int before = __shfl_up_sync(whole_warp, mine, 1);
      unsigned starts = __ballot_sync(whole_warp, lane_ == 0 || mine != before);
      while (starts != 0) {
        const int first = __ffs(static_cast<int>(starts)) - 1;
        starts &= starts - 1;
        const int last = starts != 0 ? __ffs(static_cast<int>(starts)) - 1 : count;
        bin = __shfl_sync(whole_warp, mine, first);
        if (bin != loaded) load(loaded = bin);
        for (int slot = first; slot < last; slot += 8) multiply(slot, last);
      }
      __syncwarp();
      if (lane_ < count) store();
      __syncwarp();  // the next points take the place of these
    }
  }

 private:
  // Of one point along an axis, at every fourth of its bin's cells from `cell` on.
  struct Weights {
    const double* weights;
    int pitch, l;  // the bin's cell is the point's l-th
    __device__ Weights(const double* memory, int of_row, int cell, int point, std::uint32_t cell_of_point,
                       int axis)
        : weights(memory + point),
          pitch(of_row),
          l(cell - static_cast<int>(__shfl_sync(whole_warp, cell_of_point, point) >> (8 * axis) & 255)) {}
    __device__ double of_step(int s) const {
      return static_cast<unsigned>(l + 4 * s) < W ? weights[(l + 4 * s) * pitch] : 0.0;
    }
  };

  // The cells that the points of a bin touch. Row 8m + g of the product's left factor is part g % 2 of row 4m
  // + g/2 of cells.
  __device__ void load(int bin) {
    const auto& points = task_.points;
    const int g = lane_ / 4, t = lane_ % 4, row = bin / points.bins[0];
    const int x = (bin - row * points.bins[0]) * bin_cells + t, y = row * bin_cells + g / 2;
    const int width = points.grid[0], height = points.grid[1];
#pragma unroll
    for (int m = 0; m < steps; ++m) {
      const int at = y + 4 * m, line = at >= height ? at - height : at;
      const double* from = task_.grid + 2 * static_cast<std::int64_t>(line) * width + g % 2;
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        const int column = x + 4 * s;
        cell_[m][s] = from[2 * (column >= width ? column - width : column)];
      }
    }
  }

  // Sums of the points from `slot` on, eight of them or those before `last`.
  __device__ void multiply(int slot, int last) {
    const int g = lane_ / 4, t = lane_ % 4;
    const Weights x(memory_.x, Memory::x_pitch, t, min(slot + g, warp_size - 1), cell_of_point_, 0);
    double line[steps][2] = {};
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const double weight = x.of_step(s);
#pragma unroll
      for (int m = 0; m < steps; ++m) multiply_add(line[m], cell_[m][s], weight);
    }
    double sum[2] = {};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const Weights y(memory_.y, Memory::y_pitch, g / 2, min(slot + 2 * t + k, warp_size - 1), cell_of_point_,
                      1);
#pragma unroll
      for (int m = 0; m < steps; ++m) sum[k] = fused(y.of_step(m), line[m][k], sum[k]);
    }
    // Over the rows of cells: threads whose numbers differ by 8 and 16.
    const bool upper = lane_ & 8;
    double own = (upper ? sum[1] : sum[0]) + __shfl_xor_sync(whole_warp, upper ? sum[0] : sum[1], 8);
    own += __shfl_xor_sync(whole_warp, own, 16);
    const int point = slot + 2 * t + (upper ? 1 : 0);
    __syncwarp();  // the weights that the sums replace have been read
    if (lane_ < 16 && point < last) memory_.x[g % 2 * Memory::x_pitch + point] = own;
  }

  __device__ void store() const {
    const double scale = task_.weights ? task_.weights[sample_] : 1.0;
    auto* to = reinterpret_cast<double2*>(task_.samples) + sample_;
    double2 value = {scale * memory_.x[lane_], scale * memory_.x[Memory::x_pitch + lane_]};
    if (task_.accumulate) {
      const double2 before = *to;
      value.x += before.x;
      value.y += before.y;
    }
    *to = value;
  }

  const ProductTask& task_;
  const double* coefficients_;
  Memory& memory_;
  int lane_;
  std::int32_t sample_;          // of the lane's point
  std::uint32_t cell_of_point_;  // and its first cells
  double cell_[steps][steps];
};

template <int W>
__global__ void __launch_bounds__(product_warps* warp_size, product_cells(W) <= 12 ? 3 : 2)
    plane_products(const __grid_constant__ ProductTask task) {
  extern __shared__ __align__(16) char shared[];
  auto* coefficients = reinterpret_cast<double*>(shared);
  load_coefficients(task.points, coefficients);
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  auto* memory = reinterpret_cast<ProductMemory<W>*>(coefficients + most_coefficients);
  const std::int64_t begin = (std::int64_t{blockIdx.x} * product_warps + warp) * warp_points;
  const std::int64_t end = min(begin + warp_points, task.points.samples);
  if (begin < end) PlaneProducts<W>(task, coefficients, memory[warp]).run(begin, end);
}

// The kernels for a width, found by counting up from the narrowest.
template <int W = 3>
void launch(const ProductTask& task, larmor::cuda::Stream stream) {
  if (task.points.width != W) {
    if constexpr (W < 16) launch<W + 1>(task, stream);
    return;
  }
  constexpr std::size_t bytes = most_coefficients * sizeof(double) + product_warps * sizeof(ProductMemory<W>);
  larmor::cuda::allow_shared_bytes(plane_products<W>, bytes);
  constexpr std::int64_t block_points = product_warps * warp_points;
  const auto blocks = static_cast<unsigned>((task.points.samples + block_points - 1) / block_points);
  plane_products<W><<<blocks, product_warps * warp_size, bytes, stream>>>(task);
  larmor::cuda::check_launch("plane_products");
}

}  // namespace

void interpolate_by_products(const Points<double>& points, const std::complex<double>* grid,
                             std::complex<double>* samples, const double* weights, bool accumulate,
                             larmor::cuda::Stream stream) {
  if (points.samples == 0) return;
  launch({points, reinterpret_cast<const double*>(grid), reinterpret_cast<double*>(samples), weights,
          accumulate},
         stream);
}

}  // namespace larmor::nufft::cuda
