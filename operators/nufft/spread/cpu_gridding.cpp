#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/spread/cpu_gridding.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace larmor::nufft {
namespace {

constexpr Index point_batch = 128;  // points whose values are gathered at a time
// A block with more than 1/crowd_pieces of the points is crowded. All crowded blocks have at most as many
// pieces.
constexpr Index crowd_pieces = 32;
// A piece of a crowded block updates each cell of its copy this often, so that adding the copy takes little
// of the time.
constexpr Index updates_a_cell = 6;
// If rounding is amplified by more than this factor, points are spread in several rounds, so that a cell of a
// copy sums about values_in_a_row values per round.
constexpr double much_amplified = 40;
constexpr Index values_in_a_row = 128;
// A line is one tile if its grid fits in half of a core's L2 cache and adding the pieces' copies takes little
// of the time.
constexpr Index line_bytes = 1 << 20;
constexpr Index points_a_cell = crowd_pieces;

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
  set_up_axes(grid, batch, samples_ > 0 ? samples_ : expected_samples);
  sorted_ =
      sort_points<T>(points, {axis_[0].place, axis_[1].place, axis_[2].place}, kernel_->kernel.width(), ctx);
  make_chunks();
  // Larger blocks have a smaller margin to add to the grid, smaller blocks balance the load of many threads.
  // Several lanes fill the caches even with single tiles.
  set_up_blocks(batch <= 1);
  make_blocks();
  most_pieces_ = most_pieces(samples_ > 0 ? samples_ : expected_samples);
}

template <typename T>
void CpuGridding<T>::set_up_axes(const std::array<Index, 3>& grid, Index batch, Index samples) {
  double tiles = 1;
  // The points of one tile stay in the caller's order.
  const bool whole = dims_ == 1 && grid[0] <= samples / points_a_cell &&
                     grid[0] * next_lanes<T>(batch) * static_cast<Index>(sizeof(C)) <= line_bytes;
  bool exact = true;
  for (int a = 0; a < 3; ++a) {
    Axis& axis = axis_[a];
    axis.grid = grid[a];
    const Index target = std::max<Index>(tile_cells[dims_ - 1], kernel_->kernel.width());
    const Index pairs = a < dims_ && !whole ? axis.grid / (2 * target) : 0;
    // An even number, so that tiles that meet across the periodic edge differ in colour.
    axis.tiles = pairs > 0 ? 2 * pairs : 1;
    axis.place = {static_cast<double>(axis.grid), static_cast<double>(axis.tiles), tiles};
    exact = exact && axis.place.exact();
    tiles *= static_cast<double>(axis.tiles);
  }
  if (!exact || tiles > static_cast<double>(most_tiles) ||
      *std::max_element(grid.begin(), grid.end()) > std::numeric_limits<std::int32_t>::max())
    throw resource_error("Nufft: a grid of {} × {} × {} cells is larger than one plan can hold", grid[0],
                         grid[1], grid[2]);
  for (Axis& axis : axis_)
    for (Index t = 0; t <= axis.tiles; ++t)
      axis.begin.push_back(static_cast<std::int32_t>(axis.place.first_cell(t)));
}

template <typename T>
void CpuGridding<T>::set_up_blocks(bool together) {
  constexpr Index tiles_together[] = {4, 2, 2}, least_blocks = 256;
  const auto blocks_of = [&](const Axis& axis) {
    return axis.tiles > 1 ? std::max<Index>(2, axis.tiles / (2 * tiles_together[dims_ - 1]) * 2) : 1;
  };
  Index blocks = 1;
  for (const Axis& axis : axis_) blocks *= blocks_of(axis);
  for (Axis& axis : axis_) {
    axis.blocks = together && blocks >= least_blocks ? blocks_of(axis) : axis.tiles;
    axis.block_cells = 1;
    for (Index b = 0; b < axis.blocks; ++b)
      axis.block_cells = std::max<Index>(axis.block_cells,
                                         axis.begin[axis.first_tile(b + 1)] - axis.begin[axis.first_tile(b)]);
  }
}

template <typename T>
void CpuGridding<T>::make_chunks() {
  // A chunk at the edge of the grid copies its tile.
  const Index chunk_points = std::max<Index>(2048, 2 * axis_[0].grid / axis_[0].tiles);
  const Index tiles = static_cast<Index>(sorted_.tile_start.size()) - 1;
  for (Index t = 0; t < tiles; ++t)
    for (Index first = sorted_.tile_start[t]; first < sorted_.tile_start[t + 1]; first += chunk_points)
      chunks_.push_back({t, first, std::min(sorted_.tile_start[t + 1], first + chunk_points)});
}

template <typename T>
typename CpuGridding<T>::Block CpuGridding<T>::block(const std::array<Index, 3>& first,
                                                     const std::array<Index, 3>& last) const {
  Block block{first, last, 0};
  for (Index z = first[2]; z < last[2]; ++z)
    for (Index y = first[1]; y < last[1]; ++y) {
      const Index row = (z * axis_[1].tiles + y) * axis_[0].tiles;
      block.points += sorted_.tile_start[row + last[0]] - sorted_.tile_start[row + first[0]];
    }
  return block;
}

// A block with many of the points would keep one thread busy while others wait: the number of pieces into
// which it is split, 0 if it is not crowded.
template <typename T>
Index CpuGridding<T>::pieces_of(const Block& block) const {
  const Index share = samples_ > 0 ? block.points * crowd_pieces / samples_ : 0;
  if (share == 0) return 0;
  const Region r = region(block.first, block.last);
  Index updates = block.points, cells = updates_a_cell;
  for (int a = 0; a < dims_; ++a) updates *= kernel_->kernel.width(), cells *= r.size[a];
  return std::min(share, updates / cells);
}

// Pieces of all crowded blocks at most, wherever the points are.
template <typename T>
Index CpuGridding<T>::most_pieces(Index samples) const {
  Index updates = samples, cells = updates_a_cell;
  for (int a = 0; a < dims_; ++a) {
    const Axis& axis = axis_[a];
    Index least = axis.grid;
    for (Index t = 0; t < axis.tiles; ++t) least = std::min<Index>(least, axis.begin[t + 1] - axis.begin[t]);
    updates *= kernel_->kernel.width(), cells *= least + kernel_->kernel.width() - 1;
  }
  return std::min(crowd_pieces, updates / cells);
}

template <typename T>
void CpuGridding<T>::make_blocks() {
  // A block of several tiles with more points than `uneven` is split into single tiles.
  const Index uneven = samples_ / (2 * crowd_pieces);
  // Colours of blocks, then of tiles: two of the same colour differ in position by two or more along some
  // axis.
  colours_.resize(16);
  const auto put = [&](const Block& one, Index first_colour, Index x, Index y, Index z) {
    const Index pieces = pieces_of(one);
    for (Index piece = 0; piece < pieces; ++piece) pieces_.push_back({one, piece, pieces});
    if (pieces == 0 && one.points > 0)
      colours_[first_colour + (z % 2) * 4 + (y % 2) * 2 + x % 2].push_back(one);
  };
  const auto& [x, y, z] = axis_;
  for (Index bz = 0; bz < z.blocks; ++bz)
    for (Index by = 0; by < y.blocks; ++by)
      for (Index bx = 0; bx < x.blocks; ++bx) {
        const Block all = block({x.first_tile(bx), y.first_tile(by), z.first_tile(bz)},
                                {x.first_tile(bx + 1), y.first_tile(by + 1), z.first_tile(bz + 1)});
        if (all.points <= uneven) put(all, 0, bx, by, bz);
        for (Index tz = all.first[2]; all.points > uneven && tz < all.last[2]; ++tz)
          for (Index ty = all.first[1]; ty < all.last[1]; ++ty)
            for (Index tx = all.first[0]; tx < all.last[0]; ++tx)
              put(block({tx, ty, tz}, {tx + 1, ty + 1, tz + 1}), 8, tx, ty, tz);
      }
  std::erase_if(colours_, [](const auto& list) { return list.empty(); });
  // Full blocks come first, so that no thread is left with a long one at the end; neighbours stay together.
  const auto size = [](const Block& block) {
    return std::bit_width(static_cast<std::uint64_t>(block.points));
  };
  for (auto& list : colours_)
    std::stable_sort(list.begin(), list.end(),
                     [&](const Block& a, const Block& b) { return size(a) > size(b); });
}

template <typename T>
std::size_t CpuGridding<T>::table_bytes() const {
  return sorted_.records.view().bytes() + sorted_.tile_start.size() * sizeof(Index) +
         chunks_.size() * sizeof(Chunk);
}

template <typename T>
typename CpuGridding<T>::Region CpuGridding<T>::region(const std::array<Index, 3>& first,
                                                       const std::array<Index, 3>& last) const {
  Region region{{0, 0, 0}, {1, 1, 1}, false};
  for (int a = 0; a < dims_; ++a) {
    const Axis& axis = axis_[a];
    region.begin[a] = axis.begin[first[a]];
    region.size[a] = axis.begin[last[a]] - axis.begin[first[a]] + kernel_->kernel.width() - 1;
    if (region.begin[a] + region.size[a] > axis.grid) region.wraps = true;
  }
  return region;
}
template <typename T>
typename CpuGridding<T>::Region CpuGridding<T>::region(Index tile) const {
  const Index nx = axis_[0].tiles, ny = axis_[1].tiles;
  const Index x = tile % nx, y = tile / nx % ny, z = tile / (nx * ny);
  return region({x, y, z}, {x + 1, y + 1, z + 1});
}

// Distance in values between the rows of a tile's copy.
template <typename T>
Index CpuGridding<T>::local_row(Index cells, int lanes) const {
  constexpr Index vector = aligned_reals<T> / 2;
  return (cells * lanes + vector - 1) / vector * vector;
}

// In three dimensions, rows of a large grid map to the same sets of the L1 cache. With several lanes, a
// compact copy avoids that if there are enough points to pay for it.
template <typename T>
bool CpuGridding<T>::worth_a_copy(const Region& r, Index points, int lanes) const {
  const Index width = kernel_->kernel.width();
  return dims_ == 3 && lanes > 1 && points * width * width * width > 10 * r.size[0] * r.size[1] * r.size[2];
}

template <typename T>
Index CpuGridding<T>::rounds(const Region& r, Index points) const {
  if (sizeof(T) == sizeof(double) || std::pow(kernel_->amplification, dims_) < much_amplified) return 1;
  Index cells = values_in_a_row;
  for (int a = 0; a < dims_; ++a) points *= kernel_->kernel.width(), cells *= r.size[a];
  return std::max<Index>(1, points / cells);
}

// Complex values of the largest block with its margin.
template <typename T>
Index CpuGridding<T>::region_values(int lanes) const {
  Index values = 1;
  for (int a = 0; a < dims_; ++a) {
    const Index cells = axis_[a].block_cells + kernel_->kernel.width() - 1;
    values *= a == 0 ? local_row(cells, lanes) : cells;
  }
  return (values + 7) / 8 * 8;
}

template <typename T>
std::size_t CpuGridding<T>::scratch_bytes(const Context& ctx, const Coils& coils) const {
  const Index local = region_values(coils.lanes);
  return Scratch::bytes<C>({ctx.threads(), local + point_batch * coils.lanes}) +
         Scratch::bytes<C>({most_pieces_, local});
}

template <typename T>
SpreadTask<T> CpuGridding<T>::task(C* values) const {
  SpreadTask<T> task{};
  task.values = reinterpret_cast<T*>(values);
  task.coefficients = kernel_->polynomials.coefficients.data();
  task.degree = kernel_->polynomials.degree;
  return task;
}

// Calls use(first value of the grid, first value of the copy, cells along each axis) for the parts into which
// the periodic edges of the grid divide a region.
template <typename T>
template <typename Use>
void CpuGridding<T>::for_boxes(const Region& r, int lanes, const Use& use) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row, local = local_row(r.size[0], lanes);
  const auto parts = [&](int a, const auto& body) {
    for (Index done = 0, n = 0; done < r.size[a]; done += n) {
      const Index cell = (r.begin[a] + done) % axis_[a].grid;
      n = std::min(r.size[a] - done, axis_[a].grid - cell);
      body(cell, done, n);
    }
  };
  parts(2, [&](Index gz, Index z, Index nz) {
    parts(1, [&](Index gy, Index y, Index ny) {
      parts(0, [&](Index gx, Index x, Index nx) {
        use(gz * plane + gy * row + gx * lanes, (z * r.size[1] + y) * local + x * lanes,
            std::array<Index, 3>{nx, ny, nz});
      });
    });
  });
}

// Copies a tile with its margin.
template <typename T>
void CpuGridding<T>::copy_region(const Region& r, const C* grid, C* local, int lanes) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row;
  const Index local_step = local_row(r.size[0], lanes);
  for_boxes(r, lanes, [&](Index from, Index to, const std::array<Index, 3>& cells) {
    for (Index z = 0; z < cells[2]; ++z)
      for (Index y = 0; y < cells[1]; ++y)
        std::copy_n(grid + from + z * plane + y * row, cells[0] * lanes,
                    local + to + (z * r.size[1] + y) * local_step);
  });
}

template <typename T>
void CpuGridding<T>::add_region(const Region& r, const C* local, C* grid, int lanes) const {
  const Index row = 2 * axis_[0].grid * lanes, local_step = 2 * local_row(r.size[0], lanes);
  for_boxes(r, lanes, [&](Index to, Index from, const std::array<Index, 3>& cells) {
    kernels(lanes).add({reinterpret_cast<T*>(grid + to),
                        reinterpret_cast<const T*>(local + from),
                        row,
                        axis_[1].grid * row,
                        local_step,
                        r.size[1] * local_step,
                        {2 * cells[0] * lanes, cells[1], cells[2]}});
  });
}

// Adds copies of a region to the cells [begin, end) of the grid.
template <typename T>
void CpuGridding<T>::add_part(const Region& r, const View<const C>& copies, C* grid, Index begin, Index end,
                              int lanes) const {
  const Axis &x = axis_[0], &y = axis_[1];
  const Index local_step = local_row(r.size[0], lanes);
  // Calls use(first cell, end, distance to the same cells of the copy) for each turn of the copy around the
  // grid.
  const auto turns = [&](int a, Index first, Index last, const auto& use) {
    for (Index shift = -r.begin[a]; first + shift < r.size[a]; shift += axis_[a].grid) {
      const Index from = std::max(first, -shift), to = std::min(last, r.size[a] - shift);
      if (from < to) use(from, to, shift);
    }
  };
  for (Index row = begin / x.grid; row * x.grid < end; ++row) {
    const Index row_begin = row * x.grid, cell_y = row % y.grid, cell_z = row / y.grid;
    turns(2, cell_z, cell_z + 1, [&](Index, Index, Index dz) {
      turns(1, cell_y, cell_y + 1, [&](Index, Index, Index dy) {
        turns(0, std::max<Index>(0, begin - row_begin), std::min(x.grid, end - row_begin),
              [&](Index from, Index to, Index dx) {
                for (Index copy = 0; copy < copies.shape()[0]; ++copy) {
                  const C* in =
                      copies.slice(copy).data() + ((cell_z + dz) * r.size[1] + cell_y + dy) * local_step;
                  kernels(lanes).add({reinterpret_cast<T*>(grid + (row_begin + from) * lanes),
                                      reinterpret_cast<const T*>(in + (from + dx) * lanes),
                                      0,
                                      0,
                                      0,
                                      0,
                                      {2 * (to - from) * lanes, 1, 1}});
                }
              });
      });
    });
  }
}

template <typename T>
void CpuGridding<T>::add_copies(const View<const C>& copies, C* grid, int lanes, Context& ctx) const {
  parallel_for(ctx, cells(), Index{1} << 10, [&](Index begin, Index end, int) {
    for (Index i = 0; i < copies.shape()[0]; i += pieces_[i].pieces) {
      const auto& [block, piece, pieces] = pieces_[i];
      add_part(region(block.first, block.last), copies.slices(i, pieces), grid, begin, end, lanes);
    }
  });
}

// Gathers and spreads the values of points [begin, end) in batches. next: the first point after them.
template <typename T>
void CpuGridding<T>::spread_points(const C* samples, Index count, const T* weights, Index begin, Index end,
                                   Index next, SpreadTask<T> task, int lanes) const {
  const auto& loops = kernels(lanes);
  C* values = reinterpret_cast<C*>(task.values);
  if (count < lanes) std::fill(values, values + point_batch * lanes, C(0));
  for (Index first = begin; first < end; first += point_batch) {
    task.count = std::min(point_batch, end - first);
    std::array<std::int32_t, point_batch> order;
    for (Index p = 0; p < task.count; ++p) order[p] = sample(first + p);
    // Values are at arbitrary addresses: those of the next points are prefetched while these are spread.
    const bool more = first + point_batch < end;
    const Index ahead = more ? first + point_batch : next;
    const Index last = std::min(more ? end : samples_, ahead + std::min(point_batch, end - begin));
    for (Index p = ahead; p < last; ++p)
      for (Index lane = 0; lane < count; ++lane)
        __builtin_prefetch(samples + lane * samples_ + sample(p), 0, 2);
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

// Spreads one of `pieces` parts of a block's points. task: where the block starts. following: the first point
// after the block.
template <typename T>
void CpuGridding<T>::spread_block(const Block& block, const C* samples, Index count, const T* weights,
                                  Index piece, Index pieces, Index following, const SpreadTask<T>& task,
                                  int lanes) const {
  const auto cells = [&](int a, Index tile) -> Index {
    return axis_[a].begin[tile] - axis_[a].begin[block.first[a]];
  };
  const auto row_of = [&](Index y, Index z) { return (z * axis_[1].tiles + y) * axis_[0].tiles; };
  for (Index z = block.first[2]; z < block.last[2]; ++z)
    for (Index y = block.first[1]; y < block.last[1]; ++y) {
      const Index row = row_of(y, z);
      const Index next_row = y + 1 < block.last[1]   ? row_of(y + 1, z)
                             : z + 1 < block.last[2] ? row_of(block.first[1], z + 1)
                                                     : -1;
      const Index after_row = next_row < 0 ? following : sorted_.tile_start[next_row + block.first[0]];
      for (Index x = block.first[0]; x < block.last[0]; ++x) {
        const Index begin = sorted_.tile_start[row + x], end = sorted_.tile_start[row + x + 1];
        SpreadTask<T> t = task;
        t.grid += cells(2, z) * task.plane + cells(1, y) * task.row;
        if (lanes == 1)
          t.first_cell = static_cast<int>(cells(0, x));
        else
          t.grid += 2 * lanes * cells(0, x);
        spread_points(samples, count, weights, begin + (end - begin) * piece / pieces,
                      begin + (end - begin) * (piece + 1) / pieces, x + 1 < block.last[0] ? end : after_row,
                      t, lanes);
      }
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

  // Spreads the points of a block into a copy of its region.
  const auto spread_locally = [&](const Block& block, const Region& r, Index piece, Index pieces,
                                  Index following, C* local, C* gathered) {
    auto t = task(gathered);
    t.grid = reinterpret_cast<T*>(local);
    t.row = 2 * local_row(r.size[0], lanes);
    t.plane = t.row * r.size[1];
    std::fill(t.grid, t.grid + t.plane * r.size[2], T(0));
    spread_block(block, values, coils.count, weights, piece, pieces, following, t, lanes);
  };

  for (const auto& blocks : colours_) {
    const auto count = static_cast<Index>(blocks.size());
    parallel_for(ctx, count, std::clamp<Index>(count / 256, 1, 8), [&](Index begin, Index end, int thread) {
      C* local = buffers.slice(thread).data();
      C* gathered = local + local_size;
      for (Index i = begin; i < end; ++i) {
        const Block& block = blocks[i];
        const Index following = i + 1 < end ? first_point(blocks[i + 1]) : samples_;
        const Region r = region(block.first, block.last);
        if (r.wraps || lanes == 1 || worth_a_copy(r, block.points, lanes)) {
          for (Index round = 0, all = rounds(r, block.points); round < all; ++round) {
            spread_locally(block, r, round, all, following, local, gathered);
            add_region(r, local, grid, lanes);
          }
        } else {
          auto t = task(gathered);
          t.grid = reinterpret_cast<T*>(grid + r.begin[2] * plane + r.begin[1] * row + r.begin[0] * lanes);
          t.row = 2 * row;
          t.plane = 2 * plane;
          spread_block(block, values, coils.count, weights, 0, 1, following, t, lanes);
        }
      }
    });
  }

  // Crowded blocks: every piece has a private copy; the copies are added in a fixed order.
  if (pieces_.empty()) return;
  auto copies = scratch.take<C>({static_cast<Index>(pieces_.size()), local_size});
  parallel_for(ctx, static_cast<Index>(pieces_.size()), 1, [&](Index i, Index, int thread) {
    const auto& [block, piece, of] = pieces_[i];
    const Region r = region(block.first, block.last);
    const Index count = rounds(r, block.points / of);
    const Index size = local_row(r.size[0], lanes) * r.size[1] * r.size[2];
    C *const local = buffers.slice(thread).data(), *const sum = copies.slice(i).data();
    for (Index round = 0; round < count; ++round) {
      spread_locally(block, r, piece * count + round, of * count, samples_, round == 0 ? sum : local,
                     local + local_size);
      for (Index v = 0; round > 0 && v < size; ++v) sum[v] += local[v];
    }
  });
  add_copies(copies, grid, lanes, ctx);
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
      copy_region(r, grid, local, lanes);
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
        for (Index lane = 0; lane < coils.count; ++lane)
          __builtin_prefetch(values + lane * samples_ + order[p], 1);
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
