#include <larmor/core/error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/cpu_gridding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace larmor::nufft {
namespace {

// Where a coordinate falls: the first of the `width` cells that it touches, and how far that cell's centre
// lies beyond the kernel's edge. Without calls of floor(), which the base instruction set does not have.
struct Place {
  Index cell;
  double fraction;
};
inline Place place(double k, Index grid, double half_width) {
  constexpr double rounder = 6755399441055744;  // 1.5 · 2^52: adding it rounds to an integer
  double turn = k - ((k + rounder) - rounder);
  if (std::abs(k) > 1e9) turn = std::remainder(k, 1.0);
  if (turn < 0) turn += 1;
  const double position = turn * static_cast<double>(grid) - half_width;  // > −half_width
  Index cell = static_cast<Index>(position + 16) - 16;                    // rounded down
  double fraction = static_cast<double>(cell) - position;
  if (fraction < 0) ++cell, ++fraction;
  if (cell < 0) cell += grid;
  if (cell >= grid) cell -= grid;
  return {cell, fraction};
}

}  // namespace

template <typename T>
CpuGridding<T>::CpuGridding(View<const double> points, const std::array<Index, 3>& grid,
                            std::shared_ptr<const FittedKernel<T>> kernel, Index batch, Context& ctx)
    : dims_(static_cast<int>(points.shape()[1])), samples_(points.shape()[0]), kernel_(std::move(kernel)) {
  for (int i = 0; i < 3; ++i) {
    const int lanes = i == 0 ? 1 : i == 1 ? 4 : 8;
    if (lanes_used<T>(lanes, batch)) kernels_[i] = spread_kernels<T>(dims_, kernel_->kernel.width(), lanes);
  }
  set_up_axes(grid);
  if (dims_ == 1) sort_points<1>(points, ctx);
  if (dims_ == 2) sort_points<2>(points, ctx);
  if (dims_ == 3) sort_points<3>(points, ctx);
  make_chunks();
}

template <typename T>
void CpuGridding<T>::set_up_axes(const std::array<Index, 3>& grid) {
  double tiles = 1;
  for (int a = 0; a < 3; ++a) {
    Axis& axis = axis_[a];
    axis.grid = grid[a];
    const Index target = std::max<Index>(tile_cells[dims_ - 1], kernel_->kernel.width());
    const Index pairs = a < dims_ ? axis.grid / (2 * target) : 0;
    axis.tiles = pairs > 0 ? 2 * pairs : 1;  // even, so that neighbours around the edge differ in colour
    tiles *= static_cast<double>(axis.tiles);
    axis.tiles_per_cell = static_cast<double>(axis.tiles) / static_cast<double>(axis.grid);
    axis.begin.resize(static_cast<std::size_t>(axis.tiles + 1));
    for (Index t = 0; t <= axis.tiles; ++t) {
      Index cell = t * axis.grid / axis.tiles;
      while (cell > 0 && axis.tile_of(cell - 1) >= t) --cell;
      while (cell < axis.grid && axis.tile_of(cell) < t) ++cell;
      axis.begin[static_cast<std::size_t>(t)] = cell;
    }
  }
  if (tiles > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft: a grid of {} × {} × {} cells is larger than one plan can hold", grid[0],
                      grid[1], grid[2]);
}

// Stable counting sort by tile, in parts that do not depend on the number of threads.
template <typename T>
template <int dims>
void CpuGridding<T>::sort_points(View<const double> points, Context& ctx) {
  const double half_width = 0.5 * kernel_->kernel.width();
  const Index tiles = axis_[0].tiles * axis_[1].tiles * axis_[2].tiles;
  constexpr Index least_part = 1 << 13;
  // The parts' counts must not outweigh the points.
  const Index parts = std::clamp<Index>(samples_ / std::max(least_part, tiles), 1, 64);
  const auto part_begin = [&](Index part) { return samples_ * part / parts; };
  const double* k = points.data();

  Array<std::int32_t> tile_of_point({samples_}), start({parts, tiles});
  std::atomic<Index> bad{samples_};
  parallel_for(ctx, parts, 1, [&](Index part, Index, int) {
    std::int32_t* count = &start[part * tiles];
    std::fill(count, count + tiles, 0);
    for (Index j = part_begin(part); j < part_begin(part + 1); ++j) {
      Index tile = 0;
      for (int a = dims - 1; a >= 0; --a) {
        if (!(std::abs(k[dims * j + a]) <= std::numeric_limits<double>::max())) {
          for (Index seen = bad; j < seen && !bad.compare_exchange_weak(seen, j);) {
          }
          return;
        }
        tile =
            tile * axis_[a].tiles + axis_[a].tile_of(place(k[dims * j + a], axis_[a].grid, half_width).cell);
      }
      tile_of_point[j] = static_cast<std::int32_t>(tile);
      ++count[tile];
    }
  });
  if (bad < samples_) throw input_error("Nufft: the trajectory is not finite at sample {}", bad.load());

  tile_start_.resize(static_cast<std::size_t>(tiles + 1));
  Index sum = 0;
  for (Index t = 0; t < tiles; ++t) {
    tile_start_[static_cast<std::size_t>(t)] = sum;
    for (Index part = 0; part < parts; ++part) {
      const std::int32_t count = start[part * tiles + t];
      start[part * tiles + t] = static_cast<std::int32_t>(sum);
      sum += count;
    }
  }
  tile_start_[static_cast<std::size_t>(tiles)] = sum;

  order_ = Array<std::int32_t>({samples_});
  cell_ = Array<std::uint8_t>({samples_, 4});
  fraction_ = Array<T>({samples_, dims});
  parallel_for(ctx, parts, 1, [&](Index part, Index, int) {
    std::int32_t* next = &start[part * tiles];
    for (Index j = part_begin(part); j < part_begin(part + 1); ++j) {
      const std::int32_t tile = tile_of_point[j], p = next[tile]++;
      std::uint8_t cells[4] = {0, 0, 0, 0};
      for (int a = 0; a < dims; ++a) {
        const auto [cell, fraction] = place(k[dims * j + a], axis_[a].grid, half_width);
        const auto along = static_cast<std::size_t>(axis_[a].tile_of(cell));
        cells[a] = static_cast<std::uint8_t>(cell - axis_[a].begin[along]);
        fraction_[Index{dims} * p + a] = static_cast<T>(fraction);
      }
      order_[p] = static_cast<std::int32_t>(j);
      std::copy_n(cells, 4, &cell_[Index{4} * p]);
    }
  });
}

template <typename T>
void CpuGridding<T>::make_chunks() {
  constexpr Index chunk_points = 2048;
  // A tile with more points than this would keep one thread busy while others wait.
  const Index crowd = std::max<Index>(8192, samples_ / 32);
  const Index tiles = static_cast<Index>(tile_start_.size()) - 1;
  colours_.resize(8);
  for (Index t = 0; t < tiles; ++t) {
    const Index begin = tile_start_[t], end = tile_start_[t + 1];
    if (begin == end) continue;
    for (Index first = begin; first < end; first += chunk_points)
      chunks_.push_back({t, first, std::min(end, first + chunk_points)});
    if (end - begin > crowd) {
      crowded_.push_back(t);
      continue;
    }
    const Index x = t % axis_[0].tiles, y = t / axis_[0].tiles % axis_[1].tiles,
                z = t / (axis_[0].tiles * axis_[1].tiles);
    colours_[(z % 2) * 4 + (y % 2) * 2 + x % 2].push_back(t);
  }
  std::erase_if(colours_, [](const auto& list) { return list.empty(); });
  // Full tiles first, so that no thread is left alone with a long one.
  for (auto& list : colours_)
    std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) {
      return tile_start_[a + 1] - tile_start_[a] > tile_start_[b + 1] - tile_start_[b];
    });
}

template <typename T>
std::size_t CpuGridding<T>::table_bytes() const {
  return order_.view().bytes() + cell_.view().bytes() + fraction_.view().bytes() +
         tile_start_.size() * sizeof(Index) + chunks_.size() * sizeof(Chunk);
}

#define LARMOR_INSTANTIATE(T)                                                                    \
  template CpuGridding<T>::CpuGridding(View<const double>, const std::array<Index, 3>&,          \
                                       std::shared_ptr<const FittedKernel<T>>, Index, Context&); \
  template std::size_t CpuGridding<T>::table_bytes() const;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
