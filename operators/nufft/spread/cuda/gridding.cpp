#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/cuda/vector_kernels.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/spread/cuda/gridding.hpp>
#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_products.hpp>
#include <larmor/operators/nufft/spread/cuda/plane/plane_sums.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/sort.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace larmor::nufft {
namespace {

void check_finite(std::int64_t not_finite) {
  if (not_finite >= 0) throw input_error("Nufft: the trajectory is not finite at sample {}", not_finite);
}
void check_finite(const Array<std::int64_t>& not_finite) {
  check_finite(copied_to(Device::cpu(), not_finite)[0]);
}

}  // namespace

template <typename T>
SortedPoints<T>::SortedPoints(const cuda::Points<T>& of, const std::int32_t (&bin)[3],
                              View<const double> coordinates, Context& ctx)
    : points_(of) {
  const Device device = ctx.device();
  Index bins = 1;
  for (int a = 0; a < 3; ++a) {
    points_.bin[a] = bin[a];
    points_.bins[a] = (points_.grid[a] + bin[a] - 1) / bin[a];
    bins *= points_.bins[a];
  }
  const Index samples = points_.samples;
  std::size_t bytes = 0;
  const auto take = [&](Index count, std::size_t each) {
    const std::size_t at = bytes;
    bytes += Arena::rounded(static_cast<std::size_t>(count) * each);
    return at;
  };
  const std::size_t order = take(samples, sizeof(std::int32_t)), cell = take(samples, sizeof(std::uint32_t)),
                    fraction = take(points_.dims * samples, sizeof(T)),
                    bin_start = take(bins + 1, sizeof(std::int32_t));
  tables_ = Array<std::byte>({static_cast<Index>(bytes)}, device);
  const cuda::SortedArrays<T> arrays{reinterpret_cast<std::int32_t*>(tables_.data() + order),
                                     reinterpret_cast<std::uint32_t*>(tables_.data() + cell),
                                     reinterpret_cast<T*>(tables_.data() + fraction),
                                     reinterpret_cast<std::int32_t*>(tables_.data() + bin_start)};
  points_.order = arrays.order;
  points_.cell = arrays.cell;
  points_.fraction = arrays.fraction;
  points_.bin_start = arrays.bin_start;
  Array<std::byte> scratch({static_cast<Index>(cuda::sort_scratch_bytes(samples, bins))}, device);
  cuda::sort_points<T>(coordinates.data(), points_, arrays, ctx.reduction_buffers().result_device,
                       scratch.data(), ctx.stream());
}

template <typename T>
void SortedPoints<T>::require_finite(const Context& ctx) const {
  if (points_.samples == 0) return;
  ctx.synchronize();
  check_finite(static_cast<std::int64_t>(ctx.reduction_buffers().result[0]));
}

template <typename T>
CudaGridding<T>::CudaGridding(View<const double> points, const std::array<Index, 3>& grid,
                              std::shared_ptr<const FittedKernel<T>> kernel,
                              const CudaGriddingOptions& options, Context& ctx)
    : Interpolator<T>(points.shape()[0], options.spread, options.interpolate),
      options_(options),
      kernel_(std::move(kernel)) {
  if (grid[0] * grid[1] * options.lanes > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft: a plane of {} × {} grid cells is too large for the GPU kernels; use the CPU",
                      grid[0], grid[1])
        .about("device");
  const auto& polynomials = kernel_->polynomials;
  coefficients_ = copied_to(
      ctx.device(),
      View<const T>(polynomials.coefficients.data(), {static_cast<Index>(polynomials.coefficients.size())}));
  sizes_.samples = points.shape()[0];
  sizes_.dims = static_cast<int>(points.shape()[1]);
  sizes_.width = kernel_->kernel.width();
  sizes_.coefficients = coefficients_.data();
  sizes_.degree = polynomials.degree;
  sizes_.stride = polynomials.stride;
  for (int a = 0; a < 3; ++a) sizes_.grid[a] = static_cast<int>(grid[a]);

  const auto best = [&](bool spreading) {
    return options.sorted_once ? Way::tiles
           : options.way       ? *options.way
                               : cuda::best_way<T>(spreading, counted_sizes());
  };
  if (options.interpolate) interpolating_by_ = best(false);
  if (options.spread) spreading_by_ = best(true);
  if (sizes_.dims == 1) sort_line(points, ctx);
  if (options.interpolate && !options.sorted_once) sort_for_interpolation(points, ctx);
  if (options.spread || options.sorted_once) sort_for_spreading(points, ctx);
}

// The quantities on which the choice of a method depends.
template <typename T>
cuda::GriddingSizes CudaGridding<T>::counted_sizes() const {
  return {sizes_.dims,
          std::max<Index>(sizes_.samples, options_.expected_samples),
          {sizes_.grid[0], sizes_.grid[1], sizes_.grid[2]},
          sizes_.width,
          options_.lanes,
          options_.coils};
}

template <typename T>
void CudaGridding<T>::sort_for_interpolation(View<const double> points, Context& ctx) {
  std::int32_t bin[3] = {1, 1, 1};
  if (interpolating_by_ == Way::plane)
    bin[0] = bin[1] = cuda::product_bin(sizes_.width);
  else if (interpolating_by_ == Way::tiles)
    cuda::preferred_bins<T>(sizes_.dims, sizes_.width, options_.lanes,
                            static_cast<std::int64_t>(larmor::cuda::shared_bytes(ctx.device().ordinal)), bin);
  else
    return;
  interpolating_ = SortedPoints<T>(sizes_, bin, points, ctx);
}

template <typename T>
void CudaGridding<T>::sort_for_spreading(View<const double> points, Context& ctx) {
  std::int32_t bin[3] = {1, 1, 1};
  if (spreading_by_ == Way::plane)
    cuda::choose_plane_bins<T>(sizes_.width, bin);
  else if (spreading_by_ == Way::tiles)
    cuda::choose_bins(sizes_.dims, options_.lanes, bin);
  else
    return;
  spreading_ = SortedPoints<T>(sizes_, bin, points, ctx);
  if (!options_.spread || spreading_by_ == Way::plane) return;
  const auto counted = counted_points();
  const std::size_t bytes = cuda::spread_tasks_bytes<T>(counted, options_.lanes);
  spread_tables_ = Array<std::byte>({static_cast<Index>(bytes)}, ctx.device());
  tasks_ = cuda::make_spread_tasks<T>(counted, options_.lanes, spread_tables_.data(), ctx.stream());
}

template <typename T>
cuda::Points<T> CudaGridding<T>::counted_points() const {
  cuda::Points<T> points = spreading_.points();
  if (points.samples == 0) points.samples = options_.expected_samples;
  return points;
}

// Methods for one dimension; they require points.
template <typename T>
void CudaGridding<T>::sort_line(View<const double> points, Context& ctx) {
  if (sizes_.samples == 0) {
    spreading_by_ = interpolating_by_ = Way::tiles;
    return;
  }
  if (spreading_by_ == Way::cells) sort_by_cell(points, ctx);
  if (spreading_by_ == Way::moments) sort_for_moments(points, ctx);
  if (interpolating_by_ == Way::in_order) place_line(points, ctx);
}

// Falls back to another method if threads would have to wait for the fullest cells.
template <typename T>
void CudaGridding<T>::sort_by_cell(View<const double> points, Context& ctx) {
  auto cells = cuda::cell_moment_sizes(sizes_);
  Array<std::byte> tables({static_cast<Index>(cuda::cell_table_bytes<T>(cells))}, ctx.device());
  Array<std::byte> scratch({static_cast<Index>(cuda::cell_sort_bytes<T>(cells))}, ctx.device());
  Array<cuda::CellReport> report({1}, ctx.device());
  cuda::sort_by_cell<T>(cells, points.data(), tables.data(), report.data(), scratch.data(), ctx.stream());
  const cuda::CellReport found = copied_to(Device::cpu(), report)[0];
  check_finite(found.not_finite);
  const Index samples = sizes_.samples;
  if (found.crowd <= 64 + 2 * (samples / sizes_.grid[0]) + samples / 4096) {
    cells_ = cells;
    spread_tables_ = std::move(tables);
    return;
  }
  // Threads wait for full tiles, too, but tiles can be divided.
  const double by_moments = cuda::gridding_cost<T>(Way::moments, true, counted_sizes()),
               by_tiles = cuda::gridding_cost<T>(Way::tiles, true, counted_sizes());
  spreading_by_ = by_moments < 2 * by_tiles ? Way::moments : Way::tiles;
}

template <typename T>
void CudaGridding<T>::place_line(View<const double> points, Context& ctx) {
  in_order_tables_ =
      Array<std::byte>({static_cast<Index>(cuda::unsorted_table_bytes<T>(sizes_.samples))}, ctx.device());
  Array<std::int64_t> not_finite({1}, ctx.device());
  in_order_ = cuda::place_in_order<T>(sizes_, points.data(), in_order_tables_.data(), not_finite.data(),
                                      ctx.stream());
  check_finite(not_finite);
}

template <typename T>
void CudaGridding<T>::sort_for_moments(View<const double> points, Context& ctx) {
  moments_ = cuda::moment_sizes<T>(sizes_);
  spread_tables_ =
      Array<std::byte>({static_cast<Index>(cuda::moment_table_bytes<T>(moments_))}, ctx.device());
  Array<std::byte> scratch({static_cast<Index>(cuda::moment_sort_bytes<T>(moments_))}, ctx.device());
  Array<cuda::CellReport> report({1}, ctx.device());
  cuda::sort_for_moments<T>(moments_, points.data(), spread_tables_.data(), report.data(), scratch.data(),
                            ctx.stream());
  check_finite(copied_to(Device::cpu(), report)[0].not_finite);
}

template <typename T>
void CudaGridding<T>::spread(const C* values, const T* weights, C* grid, const Coils& coils,
                             Context& ctx) const {
  Scratch scratch(ctx);
  const auto work = scratch.take<std::byte>({static_cast<Index>(scratch_bytes(ctx, coils))});
  const auto for_coils = [&](const auto& spread_coil) {
    for (Index c = 0; c < coils.count; ++c)
      spread_coil(values + c * sizes_.samples, grid + c * sizes_.grid[0]);
  };
  switch (spreading_by_) {
    case Way::cells:
      return for_coils([&](const C* from, C* to) {
        cuda::spread_cell_moments<T>(cells_, from, weights, to, ctx.stream());
      });
    case Way::moments:
      return for_coils([&](const C* from, C* to) {
        cuda::spread_by_moments<T>(moments_, from, weights, to, work.data(), ctx.stream());
      });
    case Way::plane:
      return cuda::spread_plane_sums<T>(spreading_.points(), kernel_->polynomials, values, sizes_.samples,
                                        weights, grid, coils, work.data(), ctx.stream());
    default:
      return cuda::spread<T>(spreading_.points(), tasks_, values, sizes_.samples, weights, grid, coils,
                             work.data(), ctx.stream());
  }
}

template <typename T>
void CudaGridding<T>::interpolate(const C* grid, C* values, const T* weights, const Coils& coils,
                                  Context& ctx, bool accumulate) const {
  const auto for_coils = [&](const auto& interpolate_coil) {
    for (Index c = 0; c < coils.count; ++c)
      interpolate_coil(grid + c * sizes_.grid[0] * Index{sizes_.grid[1]}, values + c * sizes_.samples);
  };
  if (interpolating_by_ == Way::in_order)
    return for_coils([&](const C* from, C* to) {
      cuda::interpolate_in_order<T>(in_order_, from, to, weights, accumulate, ctx.stream());
    });
  if constexpr (sizeof(T) == 8)
    if (interpolating_by_ == Way::plane)
      return for_coils([&](const C* from, C* to) {
        cuda::interpolate_by_products(interpolating_.points(), kernel_->polynomials, from, to, weights,
                                      accumulate, ctx.stream());
      });
  const auto& sorted = options_.sorted_once ? spreading_ : interpolating_;
  cuda::interpolate<T>(sorted.points(), grid, values, sizes_.samples, weights, coils, accumulate,
                       ctx.stream());
}

template <typename T>
std::size_t CudaGridding<T>::scratch_bytes(const Context&, const Coils& coils) const {
  if (!options_.spread || spreading_by_ == Way::cells) return 0;
  return Arena::rounded(spreading_by_ == Way::moments ? cuda::moment_scratch_bytes<T>(moments_)
                        : spreading_by_ == Way::plane
                            ? cuda::plane_sums_bytes<T>(counted_points(), coils)
                            : cuda::spread_scratch_bytes<T>(counted_points(), tasks_, coils));
}

template <typename T>
std::size_t CudaGridding<T>::table_bytes() const {
  return spreading_.bytes() + interpolating_.bytes() + coefficients_.view().bytes() +
         spread_tables_.view().bytes() + in_order_tables_.view().bytes();
}

// Bytes of a point's entries in each sort order that is kept.
template <typename T>
std::size_t CudaGridding<T>::bytes_per_sample() const {
  const std::size_t point =
      sizeof(std::int32_t) + sizeof(std::uint32_t) + static_cast<std::size_t>(sizes_.dims) * sizeof(T);
  return !options_.sorted_once && options_.spread && options_.interpolate ? 2 * point : point;
}

// Both sort orders contain the same points, so checking one suffices.
template <typename T>
void CudaGridding<T>::require_finite(const Context& ctx) const {
  (spreading_.points().samples > 0 ? spreading_ : interpolating_).require_finite(ctx);
}

template class SortedPoints<float>;
template class SortedPoints<double>;
template class CudaGridding<float>;
template class CudaGridding<double>;

}  // namespace larmor::nufft
