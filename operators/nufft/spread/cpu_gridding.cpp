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

constexpr Index point_batch = 128;   // points whose values are gathered at a time
constexpr Index crowd_pieces = 16;   // parts that a crowded tile is split into
constexpr Index least_crowd = 8192;  // points of such a tile

// Calls use(first, count, places) for the points [begin, end) in blocks; false at a coordinate that is not
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

}  // namespace

template <typename T>
CpuGridding<T>::CpuGridding(const Points<T>& points, const std::array<Index, 3>& grid,
                            std::shared_ptr<const FittedKernel<T>> kernel, Index batch,
                            Index expected_samples, Context& ctx)
    : Interpolator<T>(points.count(), true, true),
      dims_(points.dims()),
      samples_(points.count()),
      kernel_(std::move(kernel)) {
  for (const int lanes : {1, 4, 8})
    if (lanes_used<T>(lanes, batch))
      kernels_[lanes_index(lanes)] = spread_kernels<T>(dims_, kernel_->kernel.width(), lanes);
  set_up_axes(grid);
  if (dims_ == 1) sort_points<1>(points, ctx);
  if (dims_ == 2) sort_points<2>(points, ctx);
  if (dims_ == 3) sort_points<3>(points, ctx);
  make_chunks();
  may_crowd_ = !crowded_.empty() || (samples_ == 0 && expected_samples > least_crowd);
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
void CpuGridding<T>::sort_points(const Points<T>& points, Context& ctx) {
  const PlaceAxis axes[3] = {axis_[0].place, axis_[1].place, axis_[2].place};
  const PlaceGrid grid(axes, dims, kernel_->kernel.width());
  const PlacePoints<T> place = place_points<T>(dims_);
  const Index tiles = axis_[0].tiles * axis_[1].tiles * axis_[2].tiles;
  // The parts' counts must not outweigh the points.
  const Index parts = std::clamp<Index>(samples_ / std::max<Index>(1 << 13, tiles), 1, ctx.threads());
  const auto part_begin = [&](Index part) { return samples_ * part / parts; };
  const Coordinates<T>& k = points.coordinates();

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
      if (!std::isfinite(points.coordinate(i / dims, static_cast<int>(i % dims))))
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
  const Index crowd = std::max<Index>(least_crowd, samples_ / 32);
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

template <typename T>
typename CpuGridding<T>::Region CpuGridding<T>::region(Index tile) const {
  Region region{{0, 0, 0}, {1, 1, 1}, false};
  for (int a = 0; a < dims_; ++a) {
    const Axis& axis = axis_[a];
    const auto t = static_cast<std::size_t>(tile % axis.tiles);
    tile /= axis.tiles;
    region.begin[a] = axis.begin[t];
    region.size[a] = axis.begin[t + 1] - axis.begin[t] + kernel_->kernel.width() - 1;
    if (region.begin[a] + region.size[a] > axis.grid) region.wraps = true;
  }
  return region;
}

// Values from one row of a tile's copy to the next.
template <typename T>
Index CpuGridding<T>::local_row(Index cells, int lanes) const {
  constexpr Index vector = aligned_reals<T> / 2;
  return (cells * lanes + vector - 1) / vector * vector;
}

// In three dimensions rows of a large grid fall into the same sets of the first-level cache. Interpolation of
// several lanes from a compact copy avoids that, when there are enough points to pay for it.
template <typename T>
bool CpuGridding<T>::worth_a_copy(const Region& r, Index points, int lanes) const {
  const Index width = kernel_->kernel.width();
  return dims_ == 3 && lanes > 1 && points * width * width * width > 10 * r.size[0] * r.size[1] * r.size[2];
}

// Complex values of the largest tile with its neighbourhood.
template <typename T>
Index CpuGridding<T>::region_values(int lanes) const {
  Index values = 1;
  for (int a = 0; a < dims_; ++a) {
    const Axis& axis = axis_[a];
    const Index cells = (axis.grid + axis.tiles - 1) / axis.tiles + 1 + kernel_->kernel.width() - 1;
    values *= a == 0 ? local_row(cells, lanes) : cells;
  }
  return (values + 7) / 8 * 8;
}

template <typename T>
std::size_t CpuGridding<T>::scratch_bytes(const Context& ctx, const Coils& coils) const {
  const int lanes = coils.lanes;
  std::size_t bytes = Scratch::bytes<C>({ctx.threads(), region_values(lanes) + point_batch * lanes});
  if (may_crowd_) bytes += Scratch::bytes<C>({crowd_pieces, region_values(lanes)});
  return bytes;
}

template <typename T>
SpreadTask<T> CpuGridding<T>::task(C* values) const {
  SpreadTask<T> task{};
  task.values = reinterpret_cast<T*>(values);
  task.coefficients = kernel_->polynomials.coefficients.data();
  task.degree = kernel_->polynomials.degree;
  return task;
}

// Copies a tile's neighbourhood from the periodic grid, or adds it back.
template <typename T>
void CpuGridding<T>::copy_region(const Region& region, C* grid, C* local, int lanes, bool add_to_grid) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row;
  for (Index z = 0; z < region.size[2]; ++z)
    for (Index y = 0; y < region.size[1]; ++y, local += local_row(region.size[0], lanes)) {
      const Index gz = (region.begin[2] + z) % axis_[2].grid, gy = (region.begin[1] + y) % axis_[1].grid;
      C* line = grid + gz * plane + gy * row;
      for (Index done = 0; done < region.size[0];) {
        const Index gx = (region.begin[0] + done) % axis_[0].grid;
        const Index n = std::min(region.size[0] - done, axis_[0].grid - gx);
        T* there = reinterpret_cast<T*>(line + gx * lanes);
        T* here = reinterpret_cast<T*>(local + done * lanes);
        if (add_to_grid)
          for (Index i = 0; i < 2 * n * lanes; ++i) there[i] += here[i];
        else
          std::copy_n(there, 2 * n * lanes, here);
        done += n;
      }
    }
}

// Gathers values of the points [begin, end) in batches and spreads them.
template <typename T>
void CpuGridding<T>::spread_points(const C* samples, Index count, const T* weights, Index begin, Index end,
                                   SpreadTask<T> task, int lanes) const {
  const auto& loops = kernels(lanes);
  C* values = reinterpret_cast<C*>(task.values);
  if (count < lanes) std::fill(values, values + point_batch * lanes, C(0));
  for (Index first = begin; first < end; first += point_batch) {
    task.count = std::min(point_batch, end - first);
    std::array<std::int32_t, point_batch> order;
    for (Index p = 0; p < task.count; ++p) order[p] = sample(first + p);
    // Values lie anywhere: those of the next points come into the cache while these are spread.
    const Index ahead = lanes == 1 ? std::min(end, first + 2 * point_batch) : 0;
    for (Index p = first + point_batch; p < ahead; ++p) __builtin_prefetch(samples + sample(p));
    for (Index lane = 0; lane < count; ++lane) {
      const C* in = samples + lane * samples_;
      if (weights)
        for (Index p = 0; p < task.count; ++p) values[p * lanes + lane] = in[order[p]] * weights[order[p]];
      else
        for (Index p = 0; p < task.count; ++p) values[p * lanes + lane] = in[order[p]];
    }
    task.points = record(first);
    loops.spread(task);
  }
}

template <typename T>
void CpuGridding<T>::spread(const C* values, const T* weights, C* grid, const Coils& coils,
                            Context& ctx) const {
  const int lanes = coils.lanes;
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row, local_size = region_values(lanes);
  parallel_for(ctx, cells() * lanes, Index{1} << 16,
               [&](Index begin, Index end, int) { std::fill(grid + begin, grid + end, C(0)); });
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), local_size + point_batch * lanes});

  // Points of a tile into a copy of its neighbourhood.
  const auto spread_locally = [&](const Region& r, Index begin, Index end, C* local, C* gathered) {
    auto t = task(gathered);
    t.grid = reinterpret_cast<T*>(local);
    t.row = 2 * local_row(r.size[0], lanes);
    t.plane = t.row * r.size[1];
    std::fill(t.grid, t.grid + t.plane * r.size[2], T(0));
    spread_points(values, coils.count, weights, begin, end, t, lanes);
  };

  for (const auto& tiles : colours_)
    parallel_for(ctx, static_cast<Index>(tiles.size()), 1, [&](Index i, Index, int thread) {
      C* local = buffers.slice(thread).data();
      C* gathered = local + local_size;
      const Index tile = tiles[i], begin = tile_start_[tile], end = tile_start_[tile + 1];
      const Region r = region(tile);
      if (r.wraps || (lanes == 1 && dims_ > 1)) {
        spread_locally(r, begin, end, local, gathered);
        copy_region(r, grid, local, lanes, true);
      } else {
        auto t = task(gathered);
        t.grid = reinterpret_cast<T*>(grid + r.begin[2] * plane + r.begin[1] * row + r.begin[0] * lanes);
        t.row = 2 * row;
        t.plane = 2 * plane;
        spread_points(values, coils.count, weights, begin, end, t, lanes);
      }
    });

  // Crowded tiles: every piece has a private copy; the copies are added in a fixed order.
  if (crowded_.empty()) return;
  auto pieces = scratch.take<C>({crowd_pieces, local_size});
  for (const Index tile : crowded_) {
    const Region r = region(tile);
    const Index begin = tile_start_[tile], points = tile_start_[tile + 1] - begin;
    parallel_for(ctx, crowd_pieces, 1, [&](Index piece, Index, int thread) {
      spread_locally(r, begin + points * piece / crowd_pieces, begin + points * (piece + 1) / crowd_pieces,
                     pieces.slice(piece).data(), buffers.slice(thread).data() + local_size);
    });
    for (Index piece = 0; piece < crowd_pieces; ++piece)
      copy_region(r, grid, pieces.slice(piece).data(), lanes, true);
  }
}

template <typename T>
void CpuGridding<T>::interpolate(const C* grid, C* values, const T* weights, const Coils& coils, Context& ctx,
                                 bool accumulate) const {
  const int lanes = coils.lanes;
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row, local_size = region_values(lanes);
  const auto& loops = kernels(lanes);
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), local_size + point_batch * lanes});
  parallel_for(ctx, static_cast<Index>(chunks_.size()), 1, [&](Index begin, Index, int thread) {
    const Chunk& chunk = chunks_[begin];
    const Region r = region(chunk.tile);
    C* local = buffers.slice(thread).data();
    C* found = local + local_size;
    auto t = task(found);
    // The kernels of both directions share one task type; interpolation only reads.
    C* whole = const_cast<C*>(grid);
    if (r.wraps || worth_a_copy(r, chunk.end - chunk.begin, lanes)) {
      copy_region(r, whole, local, lanes, false);
      t.grid = reinterpret_cast<T*>(local);
      t.row = 2 * local_row(r.size[0], lanes);
      t.plane = t.row * r.size[1];
    } else {
      t.grid = reinterpret_cast<T*>(whole + r.begin[2] * plane + r.begin[1] * row + r.begin[0] * lanes);
      t.row = 2 * row;
      t.plane = 2 * plane;
    }
    for (Index first = chunk.begin; first < chunk.end; first += point_batch) {
      t.count = std::min(point_batch, chunk.end - first);
      t.points = record(first);
      std::array<std::int32_t, point_batch> order;
      for (Index p = 0; p < t.count; ++p) {
        order[p] = sample(first + p);
        if (lanes == 1) __builtin_prefetch(values + order[p], 1);
      }
      loops.interpolate(t);
      for (Index lane = 0; lane < coils.count; ++lane) {
        C* out = values + lane * samples_;
        for (Index p = 0; p < t.count; ++p) {
          const C value = found[p * lanes + lane] * (weights ? weights[order[p]] : T(1));
          out[order[p]] = accumulate ? out[order[p]] + value : value;
        }
      }
    }
  });
}

template class CpuGridding<float>;
template class CpuGridding<double>;

}  // namespace larmor::nufft
