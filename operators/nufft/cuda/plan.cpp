#include <larmor/core/cuda/line_fft.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/error.hpp>
#include <larmor/operators/nufft/cuda/grid_passes.hpp>
#include <larmor/operators/nufft/cuda/interpolate.hpp>
#include <larmor/operators/nufft/cuda/plan.hpp>
#include <larmor/operators/nufft/cuda/sort.hpp>
#include <larmor/operators/nufft/cuda/spread.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace larmor::nufft {
namespace {

// Coils that share a grid cell: full sectors of memory, as far as there are coils.
template <typename T>
int lanes_for(Index batch) {
  if (batch <= 1) return 1;
  return batch <= 4 || sizeof(T) == 8 ? 4 : 8;
}

// Picoseconds of an H200 for one transform of one coil, the mean of both directions; only ratios count.
// Interpolation takes a part for each point and one for each cell that it touches, spreading a part for each
// cell of a tile that a point may touch; transforms take the bytes that their passes move, at 3.6 TB/s.
// Fitted to measurements of tolerances from 1e-2 to 1e-12 (docs/performance.md).
template <typename T>
double device_cost(Index samples, const std::array<Index, 3>& grid, const Shape& image, int width,
                   int lanes) {
  const int dims = std::min(image.rank(), 3);
  const bool several = lanes > 1, single = sizeof(T) == 4;
  const double touched = std::pow(width, dims);
  const double interpolation = several  ? (dims == 2 ? 6 + 0.3 * touched : 12 + 0.33 * touched)
                               : single ? 45 + 0.36 * touched
                                        : 50 + 0.72 * touched;
  double tile = 1;
  for (int a = 0; a < dims; ++a) {
    const double cells = cuda::tile_cells(dims, lanes, a);
    tile *= (cells + width - 1) / cells;
  }
  const double per_tile = single ? (dims == 2 ? 15 : several ? 9.4 : 38) : several ? 20 : 90;
  const double points =
      static_cast<double>(samples) * 0.5 * (interpolation + per_tile * tile + (several ? 0 : 23));
  double values = 0;
  for (int a = 0; a < dims; ++a) {
    // A pass reads and writes what earlier ones have filled; the image's side of the first is small.
    double part = a == 0 ? 1 : 2;
    for (int b = 0; b < dims; ++b) part *= static_cast<double>(b <= a ? grid[b] : image[dims - 1 - b]);
    values += part;
  }
  return points + values * sizeof(std::complex<T>) / 3.6;
}

// Points sorted by bins, and where their arrays are.
template <typename T>
struct SortedPoints {
  Array<std::int32_t> order, bin_start;
  Array<std::uint32_t> cell;
  Array<T> fraction;
  cuda::Points<T> points{};

  /// points: sizes and kernel; bins of `bin` cells.
  void sort(const cuda::Points<T>& of, const std::int32_t (&bin)[3], View<const double> trajectory,
            Context& ctx);
  std::size_t bytes() const {
    return order.view().bytes() + bin_start.view().bytes() + cell.view().bytes() + fraction.view().bytes();
  }
};

template <typename T>
void SortedPoints<T>::sort(const cuda::Points<T>& of, const std::int32_t (&bin)[3],
                           View<const double> trajectory, Context& ctx) {
  const Device device = ctx.device();
  points = of;
  Index bins = 1;
  for (int a = 0; a < 3; ++a) {
    points.bin[a] = bin[a];
    points.bins[a] = (points.grid[a] + bin[a] - 1) / bin[a];
    bins *= points.bins[a];
  }
  const Index samples = points.samples;
  order = Array<std::int32_t>({samples}, device);
  cell = Array<std::uint32_t>({samples}, device);
  fraction = Array<T>({points.dims, samples}, device);
  bin_start = Array<std::int32_t>({bins + 1}, device);
  points.order = order.data();
  points.cell = cell.data();
  points.fraction = fraction.data();
  points.bin_start = bin_start.data();
  Array<std::byte> scratch({static_cast<Index>(cuda::sort_scratch_bytes(samples, bins))}, device);
  Array<std::int64_t> not_finite({1}, device);
  cuda::sort_points<T>(trajectory.data(), points,
                       {order.data(), cell.data(), fraction.data(), bin_start.data()}, not_finite.data(),
                       scratch.data(), ctx.stream());
  const auto bad = copied_to(Device::cpu(), not_finite);
  if (bad[0] >= 0) throw input_error("Nufft: the trajectory is not finite at sample {}", bad[0]);
}

}  // namespace

template <typename T>
struct CudaPlan<T>::Tables {
  Index samples = 0, pixels = 1, cells = 1, blocks = 1;
  int lanes = 1;
  GridChoice<T> choice;
  Array<T> constants;
  Array<std::byte> line_tables[3], spread_tables;
  std::size_t long_work_bytes = 0;
  // Spreading wants small bins, interpolation large ones; with little memory both take the small ones.
  SortedPoints<T> spreading, interpolating;
  bool forward = true, adjoint = true, sorted_once = false;
  cuda::Points<T> points{};  // sizes and kernel
  cuda::GridPasses<T> passes;
  cuda::SpreadTasks tasks{};

  Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() {
    for (const int plan : passes.long_plan)
      if (plan != 0) cuda::destroy_long_line_plan(plan);
  }

  /// Coils of the largest part of a batch that is worked on at once.
  cuda::Coils part(Index batch) const { return {std::min<Index>(batch, blocks * lanes), lanes}; }
  Index grid_values(const cuda::Coils& coils) const { return cells * lanes * coils.blocks(); }

  void set_up_axes(const Shape& image, const Device& device);
  void sort(View<const double> trajectory, Context& ctx);
};

// Kernel coefficients and deapodisation of all axes in one array; tables of the line transforms.
template <typename T>
void CudaPlan<T>::Tables::set_up_axes(const Shape& image, const Device& device) {
  const int dims = image.rank();
  std::vector<T> values = choice.kernel->polynomials.coefficients;
  std::array<std::size_t, 3> start{};
  for (int a = 0; a < dims; ++a) {
    start[a] = values.size();
    const auto factors = choice.deapodisation(image[dims - 1 - a], a);
    values.insert(values.end(), factors.begin(), factors.end());
  }
  constants = copied_to(device, View<const T>(values.data(), {static_cast<Index>(values.size())}));

  points.dims = passes.dims = dims;
  points.width = choice.kernel->kernel.width();
  points.coefficients = constants.data();
  points.degree = choice.kernel->polynomials.degree;
  points.stride = choice.kernel->polynomials.stride;
  for (int a = 0; a < 3; ++a) {
    const Index length = choice.grid[a];
    points.grid[a] = passes.grid[a] = static_cast<int>(length);
    passes.image[a] = a < dims ? static_cast<int>(image[dims - 1 - a]) : 1;
    if (a >= dims) continue;
    passes.deapodise[a] = constants.data() + start[a];
    if (length > larmor::cuda::longest_line) {
      std::size_t work = 0;
      const Index inner = lanes * (a > 0 ? choice.grid[0] : 1) * (a > 1 ? choice.grid[1] : 1);
      passes.long_plan[a] = cuda::make_long_line_plan(length, inner, inner, sizeof(T) == 8, &work);
      long_work_bytes = std::max(long_work_bytes, work);
      continue;
    }
    int same = 0;
    while (choice.grid[same] != length) ++same;
    if (same == a) {
      const std::size_t bytes = larmor::cuda::line_table_bytes<T>(passes.grid[a]);
      Array<std::byte> tables({static_cast<Index>(bytes)});
      larmor::cuda::fill_line_tables<T>(passes.grid[a], tables.data());
      line_tables[a] = moved_to(device, std::move(tables));
    }
    passes.line[a] = larmor::cuda::line_fft<T>(passes.grid[a], line_tables[same].data());
  }
}

template <typename T>
void CudaPlan<T>::Tables::sort(View<const double> trajectory, Context& ctx) {
  points.samples = samples;
  std::int32_t bin[3] = {1, 1, 1};
  if (forward && !sorted_once) {
    const std::size_t shared = larmor::cuda::shared_bytes(ctx.device().ordinal);
    cuda::preferred_bins<T>(points.dims, points.width, lanes, static_cast<std::int64_t>(shared), bin);
    interpolating.sort(points, bin, trajectory, ctx);
  }
  if (!adjoint && !sorted_once) return;
  cuda::choose_bins(points.dims, lanes, bin);
  spreading.sort(points, bin, trajectory, ctx);
  if (!adjoint) return;
  spread_tables = Array<std::byte>({static_cast<Index>(cuda::spread_tasks_bytes<T>(spreading.points, lanes))},
                                   ctx.device());
  tasks = cuda::make_spread_tasks<T>(spreading.points, lanes, spread_tables.data(), ctx.stream());
}

template <typename T>
CudaPlan<T>::CudaPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                      Context& ctx) {
  auto tables = std::make_unique<Tables>();
  Tables& t = *tables;
  t.samples = trajectory.shape()[0];
  t.pixels = image.size();
  t.forward = options.forward;
  t.adjoint = options.adjoint;
  t.sorted_once = options.small_grid;
  t.lanes = options.small_grid ? 1 : lanes_for<T>(options.batch);
  const Index expected = options.samples > 0 ? options.samples : t.samples;
  t.choice =
      choose_grid<T>(image, options,
                     {[](Index n) { return Index{larmor::cuda::fast_line_length(static_cast<int>(n))}; },
                      [&](const std::array<Index, 3>& grid, int width) {
                        return device_cost<T>(expected, grid, image, width, t.lanes);
                      }});
  for (const Index length : t.choice.grid) t.cells *= length;
  if (t.choice.grid[0] * t.choice.grid[1] * t.lanes > std::numeric_limits<std::int32_t>::max())
    throw usage_error(
        "Nufft: a plane of {} × {} grid cells is larger than the GPU's kernels count; use --device cpu",
        t.choice.grid[0], t.choice.grid[1]);
  // As many blocks of coils at a time as fit into a quarter of the memory.
  const std::size_t block_bytes = static_cast<std::size_t>(t.cells * t.lanes) * sizeof(C);
  const Index needed = (std::max<Index>(1, options.batch) + t.lanes - 1) / t.lanes;
  t.blocks = std::clamp<Index>(static_cast<Index>(ctx.memory_limit() / 4 / block_bytes), 1, needed);
  t.set_up_axes(image, ctx.device());
  t.sort(trajectory, ctx);
  tables_ = std::move(tables);
}

template <typename T>
CudaPlan<T>::~CudaPlan() = default;

template <typename T>
std::size_t CudaPlan<T>::scratch_bytes(const Context&, Index batch) const {
  const Tables& t = *tables_;
  const cuda::Coils coils = t.part(batch);
  const std::size_t spread =
      t.adjoint ? cuda::spread_scratch_bytes<T>(t.spreading.points, t.tasks, coils) : 0;
  return Scratch::bytes<C>({t.grid_values(coils)}) + Arena::rounded(spread) +
         Arena::rounded(t.long_work_bytes);
}

template <typename T>
void CudaPlan<T>::forward(const C* images, C* samples, Index batch, const T* weights, double scale,
                          Context& ctx, bool accumulate) const {
  const Tables& t = *tables_;
  if (!t.forward) throw internal_error("Nufft: this plan was made for the adjoint alone");
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({t.grid_values(t.part(batch))});
  auto passes = t.passes;
  passes.long_work = scratch.take<std::byte>({static_cast<Index>(t.long_work_bytes)}).data();
  for (Index first = 0; first < batch; first += t.blocks * t.lanes) {
    const cuda::Coils coils = t.part(batch - first);
    cuda::image_to_grid<T>(passes, images + first * t.pixels, nullptr, grid.data(), coils, scale,
                           ctx.stream());
    cuda::interpolate<T>(t.sorted_once ? t.spreading.points : t.interpolating.points, grid.data(),
                         samples + first * t.samples, t.samples, weights, coils, accumulate, ctx.stream());
  }
}

template <typename T>
void CudaPlan<T>::adjoint(const C* samples, C* images, Index batch, const T* weights, double scale,
                          Context& ctx, bool accumulate) const {
  const Tables& t = *tables_;
  if (!t.adjoint) throw internal_error("Nufft: this plan was made for the forward transform alone");
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({t.grid_values(t.part(batch))});
  const auto work = scratch.take<std::byte>(
      {static_cast<Index>(cuda::spread_scratch_bytes<T>(t.spreading.points, t.tasks, t.part(batch)))});
  auto passes = t.passes;
  passes.long_work = scratch.take<std::byte>({static_cast<Index>(t.long_work_bytes)}).data();
  for (Index first = 0; first < batch; first += t.blocks * t.lanes) {
    const cuda::Coils coils = t.part(batch - first);
    cuda::spread<T>(t.spreading.points, t.tasks, samples + first * t.samples, t.samples, weights, grid.data(),
                    coils, work.data(), ctx.stream());
    cuda::grid_to_image<T>(passes, grid.data(), nullptr, images + first * t.pixels, coils, scale, accumulate,
                           ctx.stream());
  }
}

template <typename T>
std::size_t CudaPlan<T>::table_bytes() const {
  const Tables& t = *tables_;
  return t.spreading.bytes() + t.interpolating.bytes() + t.constants.view().bytes() +
         t.spread_tables.view().bytes();
}
template <typename T>
Index CudaPlan<T>::samples() const {
  return tables_->samples;
}
template <typename T>
double CudaPlan<T>::oversampling() const {
  return tables_->choice.oversampling;
}
template <typename T>
const Kernel& CudaPlan<T>::kernel() const {
  return tables_->choice.kernel->kernel;
}

template class CudaPlan<float>;
template class CudaPlan<double>;

}  // namespace larmor::nufft
