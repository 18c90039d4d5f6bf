#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/spread/cpu_gridding.hpp>
#include <larmor/operators/nufft/spread/place.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace larmor::nufft {
namespace {

// Calls use(first, count, places) for the points [begin, end) in blocks; false at a coordinate that is not
// finite.
template <typename T, int dims, typename Use>
bool for_places(const double* points, Index begin, Index end, const PlaceGrid& grid, PlacePoints<T> place,
                const Use& use) {
  Places<T> places;
  for (Index first = begin; first < end; first += place_block) {
    const Index count = std::min<Index>(place_block, end - first);
    if (!place(points + dims * first, count, grid, places)) return false;
    use(first, count, places);
  }
  return true;
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
  bool exact = true;
  for (int a = 0; a < 3; ++a) {
    Axis& axis = axis_[a];
    axis.grid = grid[a];
    const Index target = std::max<Index>(tile_cells[dims_ - 1], kernel_->kernel.width());
    const Index pairs = a < dims_ ? axis.grid / (2 * target) : 0;
    axis.tiles = pairs > 0 ? 2 * pairs : 1;  // even, so that neighbours around the edge differ in colour
    axis.place = {static_cast<double>(axis.grid), static_cast<double>(axis.tiles), tiles};
    exact = exact && axis.place.exact();
    tiles *= static_cast<double>(axis.tiles);
    axis.begin.resize(static_cast<std::size_t>(axis.tiles + 1));
    for (Index t = 0; t <= axis.tiles; ++t)
      axis.begin[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(axis.place.first_cell(t));
  }
  if (!exact || tiles > static_cast<double>(most_tiles) ||
      *std::max_element(grid.begin(), grid.end()) > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft: a grid of {} × {} × {} cells is larger than one plan can hold", grid[0],
                      grid[1], grid[2]);
}

// Stable counting sort by tile, in two passes over the points; what the first finds is cheaper to find again
// than to keep. The parts change nothing in the order.
template <typename T>
template <int dims>
void CpuGridding<T>::sort_points(View<const double> points, Context& ctx) {
  const PlaceAxis axes[3] = {axis_[0].place, axis_[1].place, axis_[2].place};
  const PlaceGrid grid(axes, dims, kernel_->kernel.width());
  const PlacePoints<T> place = place_points<T>(dims_);
  const Index tiles = axis_[0].tiles * axis_[1].tiles * axis_[2].tiles;
  // The parts' counts must not outweigh the points.
  const Index parts = std::clamp<Index>(samples_ / std::max<Index>(1 << 13, tiles), 1, ctx.threads());
  const auto part_begin = [&](Index part) { return samples_ * part / parts; };
  const double* k = points.data();

  Array<std::int32_t> next({parts, tiles});
  std::atomic<bool> finite{true};
  parallel_for(ctx, parts, 1, [&](Index part, Index, int) {
    std::int32_t* count = &next[part * tiles];
    std::fill(count, count + tiles, 0);
    if (!for_places<T, dims>(k, part_begin(part), part_begin(part + 1), grid, place,
                             [&](Index, Index n, const Places<T>& places) {
                               for (Index i = 0; i < n; ++i) ++count[places.where[i] >> tile_shift];
                             }))
      finite = false;
  });
  if (!finite)
    for (Index i = 0; i < samples_ * dims; ++i)
      if (!std::isfinite(k[i]))
        throw input_error("Nufft: the trajectory is not finite at sample {}", i / dims);

  tile_start_.resize(static_cast<std::size_t>(tiles + 1));
  Index sum = 0;
  for (Index t = 0; t < tiles; ++t) {
    tile_start_[static_cast<std::size_t>(t)] = sum;
    for (Index part = 0; part < parts; ++part)
      sum += std::exchange(next[part * tiles + t], static_cast<std::int32_t>(sum));
  }
  tile_start_[static_cast<std::size_t>(tiles)] = sum;

  using Point = PointRecord<T, dims>;
  static_assert(sizeof(Point) == 8 + dims * sizeof(T));
  points_ = Array<std::byte>({samples_ * record_bytes()});
  Point* sorted = reinterpret_cast<Point*>(points_.data());
  parallel_for(ctx, parts, 1, [&](Index part, Index, int) {
    std::int32_t* slot = &next[part * tiles];
    // Places of some points first, so that memory fetches all of their lines, of 64 bytes, at a time.
    constexpr Index together = 64;
    std::array<Point*, together> to;
    for_places<T, dims>(k, part_begin(part), part_begin(part + 1), grid, place,
                        [&](Index first, Index n, const Places<T>& places) {
                          for (Index begin = 0; begin < n; begin += together) {
                            const Index end = std::min(n, begin + together);
                            for (Index i = begin; i < end; ++i) {
                              Point* point = sorted + slot[places.where[i] >> tile_shift]++;
                              to[i - begin] = point;
                              __builtin_prefetch(point, 1);
                              if constexpr (64 % sizeof(Point) != 0)
                                __builtin_prefetch(reinterpret_cast<char*>(point + 1) - 1, 1);
                            }
                            for (Index i = begin; i < end; ++i) {
                              Point& point = *to[i - begin];
                              const auto cells = static_cast<std::uint32_t>(places.where[i]);
                              point.sample = static_cast<std::int32_t>(first + i);
                              std::memcpy(point.cells, &cells, 4);
                              std::memcpy(point.fraction, places.fraction + dims * i, dims * sizeof(T));
                            }
                          }
                        });
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
  return points_.view().bytes() + tile_start_.size() * sizeof(Index) + chunks_.size() * sizeof(Chunk);
}

#define LARMOR_INSTANTIATE(T)                                                                    \
  template CpuGridding<T>::CpuGridding(View<const double>, const std::array<Index, 3>&,          \
                                       std::shared_ptr<const FittedKernel<T>>, Index, Context&); \
  template std::size_t CpuGridding<T>::table_bytes() const;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
