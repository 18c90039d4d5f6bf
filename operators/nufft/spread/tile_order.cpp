#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>
#include <larmor/operators/nufft/spread/tile_order.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

namespace larmor::nufft {
namespace {

// Calls use(first, count, places) for the points [begin, end) in blocks; returns false if a coordinate is not
// finite.
template <typename T, int dims, typename Use>
bool for_places(const Coordinates<T>& points, Index begin, Index end, const PlaceGrid& grid,
                PlacePoints<T> place, const Use& use) {
  Places<T> places;
  for (Index first = begin; first < end; first += place_block) {
    const Index count = std::min<Index>(place_block, end - first);
    if (!place(points, first, count, grid, places)) return false;
    use(first, count, places);
  }
  return true;
}

// Appends points to their tiles. slot: of each tile's next point.
template <typename T, int dims>
void put_points(Index first, Index count, const Places<T>& places, PointRecord<T, dims>* sorted,
                std::int32_t* slot, bool one_tile) {
  using Point = PointRecord<T, dims>;
  const auto put = [&](Index i, Point& point) {
    const auto cells = static_cast<std::uint32_t>(places.where[i]);
    point.sample = static_cast<std::int32_t>(first + i);
    std::memcpy(point.cells, &cells, 4);
    std::memcpy(point.fraction, places.fraction + dims * i, dims * sizeof(T));
  };
  if (one_tile) {
    for (Index i = 0; i < count; ++i) put(i, sorted[*slot + i]);
    *slot += static_cast<std::int32_t>(count);
    return;
  }
  // Computes the addresses of several points first, so that their 64-byte cache lines are fetched
  // concurrently.
  constexpr Index together = 64;
  std::array<Point*, together> to;
  for (Index begin = 0; begin < count; begin += together) {
    const Index end = std::min(count, begin + together);
    for (Index i = begin; i < end; ++i) {
      Point* point = sorted + slot[places.where[i] >> tile_shift]++;
      to[i - begin] = point;
      __builtin_prefetch(point, 1);
      if constexpr (64 % sizeof(Point) != 0) __builtin_prefetch(reinterpret_cast<char*>(point + 1) - 1, 1);
    }
    for (Index i = begin; i < end; ++i) put(i, *to[i - begin]);
  }
}

// Stable counting sort by tile, in two passes over the points: recomputing the places in the second pass is
// cheaper than storing them. The order does not depend on the number of parts.
template <typename T, int dims>
TileOrder sorted(const Points<T>& points, const std::array<PlaceAxis, 3>& axes, int width, Context& ctx) {
  const PlaceGrid grid(axes.data(), dims, width);
  const PlacePoints<T> place = place_points<T>(dims);
  const auto tiles = static_cast<Index>(axes[0].tiles * axes[1].tiles * axes[2].tiles);
  const Index samples = points.count();
  TileOrder result;
  // The parts' counts must not take more memory than the points.
  const Index parts = std::clamp<Index>(samples / std::max<Index>(1 << 13, tiles), 1, ctx.threads());
  const auto part_begin = [&](Index part) { return samples * part / parts; };
  const Coordinates<T>& k = points.coordinates();

  // Parts that shared a cache line would write it one after the other.
  constexpr Index line = 64 / sizeof(std::int32_t);
  const Index row = (tiles + line - 1) / line * line;
  Array<std::int32_t> next({parts, row});
  std::atomic<bool> finite{true};
  parallel_for(ctx, parts, 1, [&](Index part, Index, int) {
    std::int32_t* count = &next[part * row];
    std::fill(count, count + tiles, 0);
    if (tiles == 1)
      *count = static_cast<std::int32_t>(part_begin(part + 1) - part_begin(part));
    else if (!for_places<T, dims>(k, part_begin(part), part_begin(part + 1), grid, place,
                                  [&](Index, Index n, const Places<T>& places) {
                                    for (Index i = 0; i < n; ++i) ++count[places.where[i] >> tile_shift];
                                  }))
      finite = false;
  });
  const auto check = [&] {
    for (Index i = 0; !finite && i < samples * dims; ++i)
      if (!std::isfinite(points.coordinate(i / dims, static_cast<int>(i % dims))))
        throw input_error("Nufft: the trajectory is not finite at sample {}", i / dims);
  };
  check();

  result.tile_start.resize(static_cast<std::size_t>(tiles + 1));
  Index sum = 0;
  for (Index t = 0; t < tiles; ++t) {
    result.tile_start[static_cast<std::size_t>(t)] = sum;
    for (Index part = 0; part < parts; ++part)
      sum += std::exchange(next[part * row + t], static_cast<std::int32_t>(sum));
  }
  result.tile_start[static_cast<std::size_t>(tiles)] = sum;

  using Point = PointRecord<T, dims>;
  static_assert(sizeof(Point) == 8 + dims * sizeof(T));
  result.records = Array<std::byte>({samples * static_cast<Index>(sizeof(Point))});
  Point* sorted = reinterpret_cast<Point*>(result.records.data());
  parallel_for(ctx, parts, 1, [&](Index part, Index, int) {
    std::int32_t* slot = &next[part * row];
    const auto put = [&](Index first, Index n, const Places<T>& places) {
      put_points<T, dims>(first, n, places, sorted, slot, tiles == 1);
    };
    if (!for_places<T, dims>(k, part_begin(part), part_begin(part + 1), grid, place, put)) finite = false;
  });
  check();
  return result;
}

}  // namespace

template <typename T>
TileOrder sort_points(const Points<T>& points, const std::array<PlaceAxis, 3>& axes, int width,
                      Context& ctx) {
  if (points.dims() == 1) return sorted<T, 1>(points, axes, width, ctx);
  if (points.dims() == 2) return sorted<T, 2>(points, axes, width, ctx);
  return sorted<T, 3>(points, axes, width, ctx);
}

template TileOrder sort_points(const Points<float>&, const std::array<PlaceAxis, 3>&, int, Context&);
template TileOrder sort_points(const Points<double>&, const std::array<PlaceAxis, 3>&, int, Context&);

}  // namespace larmor::nufft
