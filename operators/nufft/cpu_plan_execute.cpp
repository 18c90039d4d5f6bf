#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/cpu_plan.hpp>

#include <algorithm>
#include <cstring>

namespace larmor::nufft {
namespace {

constexpr Index point_batch = 128;  // points whose values are gathered at a time
constexpr Index crowd_pieces = 16;  // parts that a crowded tile is split into

}  // namespace

template <typename T>
typename CpuPlan<T>::Region CpuPlan<T>::region(Index tile) const {
  Region region{{0, 0, 0}, {1, 1, 1}, false};
  for (int a = 0; a < dims_; ++a) {
    const Axis& axis = axis_[a];
    const Index t = tile % axis.tiles;
    tile /= axis.tiles;
    region.begin[a] = axis.tile_begin(t);
    region.size[a] = axis.tile_begin(t + 1) - region.begin[a] + kernel().width() - 1;
    if (region.begin[a] + region.size[a] > axis.grid) region.wraps = true;
  }
  return region;
}

// Reals of the largest tile with its neighbourhood.
template <typename T>
Index CpuPlan<T>::region_reals(int lanes) const {
  Index cells = 1;
  for (int a = 0; a < dims_; ++a) {
    const Axis& axis = axis_[a];
    cells *= (axis.grid + axis.tiles - 1) / axis.tiles + kernel().width() - 1;
  }
  return 2 * lanes * cells;
}

// Complex values that one thread needs beside the grid: two line buffers, or a tile and gathered values.
template <typename T>
Index CpuPlan<T>::thread_buffer_size(int lanes) const {
  const Passes& p = passes(lanes);
  Index lines = p.x.buffer_size();
  if (dims_ > 1) lines = std::max(lines, p.y.buffer_size());
  if (dims_ > 2) lines = std::max(lines, p.z.buffer_size());
  const Index tiles = region_reals(lanes) / 2 + point_batch * lanes;
  return (std::max(2 * lines, tiles) + 7) / 8 * 8;
}

template <typename T>
std::size_t CpuPlan<T>::scratch_bytes(const Context& ctx, Index batch) const {
  std::size_t most = 0;
  for (Index first = 0; first < batch;) {
    const int lanes = next_lanes<T>(batch - first);
    std::size_t bytes =
        Scratch::bytes<C>({cells_ * lanes}) + Scratch::bytes<C>({ctx.threads(), thread_buffer_size(lanes)});
    if (!crowded_.empty()) bytes += Scratch::bytes<T>({crowd_pieces, region_reals(lanes)});
    most = std::max(most, bytes);
    first += lanes;
  }
  return most;
}

template <typename T>
void CpuPlan<T>::forward(const C* images, C* samples, Index batch, const T* weights, double scale,
                         Context& ctx, bool accumulate) const {
  for (Index first = 0; first < batch;) {
    const int lanes = next_lanes<T>(batch - first);
    const Index count = std::min<Index>(lanes, batch - first);
    Scratch scratch(ctx);
    auto grid = scratch.take<C>({cells_ * lanes});
    auto buffers = scratch.take<C>({ctx.threads(), thread_buffer_size(lanes)});
    image_to_grid(images + first * pixels_, count, grid.data(), lanes, scale, ctx, buffers);
    interpolate_all(grid.data(), samples + first * samples_, count, weights, lanes, ctx, buffers, accumulate);
    first += count;
  }
}

template <typename T>
void CpuPlan<T>::adjoint(const C* samples, C* images, Index batch, const T* weights, double scale,
                         Context& ctx, bool accumulate) const {
  for (Index first = 0; first < batch;) {
    const int lanes = next_lanes<T>(batch - first);
    const Index count = std::min<Index>(lanes, batch - first);
    Scratch scratch(ctx);
    auto grid = scratch.take<C>({cells_ * lanes});
    auto buffers = scratch.take<C>({ctx.threads(), thread_buffer_size(lanes)});
    spread_all(samples + first * samples_, count, weights, grid.data(), lanes, ctx, buffers);
    grid_to_image(grid.data(), images + first * pixels_, count, lanes, scale, ctx, buffers, accumulate);
    first += count;
  }
}

namespace {

// One axis of a grid: for each of `outer` images of the inner axes, gathers lines, transforms them, puts them
// back. On the way to the grid only the image part of a line is read, on the way back only it is written.
template <typename T, typename Place>
void pass(const LinePass<T>& lines, Index outer, const Place& place, Index stride, bool to_grid,
          View<std::complex<T>> buffers, Context& ctx) {
  const Index blocks = lines.blocks();
  parallel_for(ctx, outer * blocks, 4, [&](Index begin, Index end, int thread) {
    std::complex<T>* in = buffers.slice(thread).data();
    std::complex<T>* out = in + lines.buffer_size();
    for (Index task = begin; task < end; ++task) {
      const Index block = task % blocks, count = lines.count(block);
      std::complex<T>* array = place(task / blocks) + lines.first(block);
      if (to_grid)
        lines.gather_pruned(array, stride, count, in);
      else
        lines.gather(array, stride, count, in);
      lines.transform(in, out, count, to_grid ? FftSign::forward : FftSign::backward);
      if (to_grid)
        lines.scatter(out, stride, count, array);
      else
        lines.scatter_pruned(out, stride, count, array);
    }
  });
}

}  // namespace

template <typename T>
void CpuPlan<T>::image_to_grid(const C* images, Index count, C* grid, int lanes, double scale, Context& ctx,
                               View<C> buffers) const {
  const Axis &x = axis_[0], &y = axis_[1], &z = axis_[2];
  const Passes& p = passes(lanes);
  const Index row = x.grid * lanes, plane = y.grid * row, half = x.image / 2;
  const auto grid_plane = [&](Index iz) { return grid + (dims_ > 2 ? z.cell_of(iz) * plane : 0); };
  parallel_for(ctx, y.image * z.image, 8, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + p.x.buffer_size();
    for (Index r = begin; r < end; ++r) {
      const Index iy = r % y.image, iz = r / y.image;
      T factor = static_cast<T>(scale);
      if (dims_ > 1) factor *= y.deapodise[iy];
      if (dims_ > 2) factor *= z.deapodise[iz];
      for (Index lane = 0; lane < lanes; ++lane) {
        C* line = in + lane * x.grid;
        if (lane >= count) {
          std::fill(line, line + x.grid, C(0));
          continue;
        }
        const C* image = images + lane * pixels_ + r * x.image;
        for (Index i = 0; i < half; ++i) line[x.grid - half + i] = image[i] * (factor * x.deapodise[i]);
        for (Index i = half; i < x.image; ++i) line[i - half] = image[i] * (factor * x.deapodise[i]);
        std::fill(line + x.image - half, line + x.grid - half, C(0));
      }
      p.x.transform(in, out, lanes, FftSign::forward);
      p.x.scatter(out, lanes, lanes, grid_plane(iz) + (dims_ > 1 ? y.cell_of(iy) * row : 0));
    }
  });
  if (dims_ > 1) pass(p.y, z.image, grid_plane, row, true, buffers, ctx);
  if (dims_ > 2)
    pass(
        p.z, 1, [&](Index) { return grid; }, plane, true, buffers, ctx);
}

template <typename T>
void CpuPlan<T>::grid_to_image(C* grid, C* images, Index count, int lanes, double scale, Context& ctx,
                               View<C> buffers, bool accumulate) const {
  const Axis &x = axis_[0], &y = axis_[1], &z = axis_[2];
  const Passes& p = passes(lanes);
  const Index row = x.grid * lanes, plane = y.grid * row, half = x.image / 2;
  const auto grid_plane = [&](Index iz) { return grid + (dims_ > 2 ? z.cell_of(iz) * plane : 0); };
  if (dims_ > 2)
    pass(
        p.z, 1, [&](Index) { return grid; }, plane, false, buffers, ctx);
  if (dims_ > 1) pass(p.y, z.image, grid_plane, row, false, buffers, ctx);
  parallel_for(ctx, y.image * z.image, 8, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + p.x.buffer_size();
    for (Index r = begin; r < end; ++r) {
      const Index iy = r % y.image, iz = r / y.image;
      p.x.gather(grid_plane(iz) + (dims_ > 1 ? y.cell_of(iy) * row : 0), lanes, lanes, in);
      p.x.transform(in, out, lanes, FftSign::backward);
      T factor = static_cast<T>(scale);
      if (dims_ > 1) factor *= y.deapodise[iy];
      if (dims_ > 2) factor *= z.deapodise[iz];
      for (Index lane = 0; lane < count; ++lane) {
        C* image = images + lane * pixels_ + r * x.image;
        const auto store = [&](Index first, Index last, const C* line) {
          for (Index i = first; i < last; ++i) {
            const C value = line[i - first] * (factor * x.deapodise[i]);
            image[i] = accumulate ? image[i] + value : value;
          }
        };
        store(0, half, out + (lane + 1) * x.grid - half);
        store(half, x.image, out + lane * x.grid);
      }
    }
  });
}

// Copies a tile's neighbourhood from the periodic grid, or adds it back.
template <typename T>
void CpuPlan<T>::copy_region(const Region& region, C* grid, C* local, int lanes, bool add_to_grid) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row;
  for (Index z = 0; z < region.size[2]; ++z)
    for (Index y = 0; y < region.size[1]; ++y) {
      const Index gz = (region.begin[2] + z) % axis_[2].grid, gy = (region.begin[1] + y) % axis_[1].grid;
      C* line = grid + gz * plane + gy * row;
      for (Index done = 0; done < region.size[0];) {
        const Index gx = (region.begin[0] + done) % axis_[0].grid;
        const Index n = std::min(region.size[0] - done, axis_[0].grid - gx);
        C* to = line + gx * lanes;
        if (add_to_grid)
          for (Index i = 0; i < n * lanes; ++i) to[i] += local[i];
        else
          std::copy_n(to, n * lanes, local);
        local += n * lanes;
        done += n;
      }
    }
}

// Gathers values of the points [begin, end) in batches and spreads them.
template <typename T>
void CpuPlan<T>::spread_points(const C* samples, Index count, const T* weights, Index begin, Index end,
                               SpreadTask<T> task, int lanes) const {
  const auto& kernels = passes(lanes).kernels;
  C* values = reinterpret_cast<C*>(task.values);
  if (count < lanes) std::fill(values, values + point_batch * lanes, C(0));
  for (Index first = begin; first < end; first += point_batch) {
    task.points = std::min(point_batch, end - first);
    const std::int32_t* order = order_.data() + first;
    for (Index lane = 0; lane < count; ++lane) {
      const C* in = samples + lane * samples_;
      if (weights)
        for (Index p = 0; p < task.points; ++p) values[p * lanes + lane] = in[order[p]] * weights[order[p]];
      else
        for (Index p = 0; p < task.points; ++p) values[p * lanes + lane] = in[order[p]];
    }
    task.cells = cell_.data() + 4 * first;
    task.fractions = fraction_.data() + dims_ * first;
    kernels.spread(task);
  }
}

template <typename T>
void CpuPlan<T>::spread_all(const C* samples, Index count, const T* weights, C* grid, int lanes, Context& ctx,
                            View<C> buffers) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row,
              region_values = region_reals(lanes) / 2;
  parallel_for(ctx, cells_ * lanes, Index{1} << 16,
               [&](Index begin, Index end, int) { std::fill(grid + begin, grid + end, C(0)); });

  // A task that works in its own copy of a tile's neighbourhood.
  const auto local_task = [&](const Region& r, C* local, C* values) {
    const Index local_row = r.size[0] * lanes;
    std::fill(local, local + r.size[2] * r.size[1] * local_row, C(0));
    return SpreadTask<T>{reinterpret_cast<T*>(local),
                         2 * local_row,
                         2 * local_row * r.size[1],
                         nullptr,
                         nullptr,
                         reinterpret_cast<T*>(values),
                         0,
                         kernel_->polynomials.coefficients.data(),
                         kernel_->polynomials.degree};
  };

  for (const auto& tiles : colours_) {
    parallel_for(ctx, static_cast<Index>(tiles.size()), 1, [&](Index begin, Index end, int thread) {
      C* local = buffers.slice(thread).data();
      C* values = local + region_values;
      for (Index i = begin; i < end; ++i) {
        const Index tile = tiles[i];
        const Region r = region(tile);
        if (r.wraps) {
          spread_points(samples, count, weights, tile_start_[tile], tile_start_[tile + 1],
                        local_task(r, local, values), lanes);
          copy_region(r, grid, local, lanes, true);
        } else {
          C* start = grid + r.begin[2] * plane + r.begin[1] * row + r.begin[0] * lanes;
          spread_points(samples, count, weights, tile_start_[tile], tile_start_[tile + 1],
                        {reinterpret_cast<T*>(start), 2 * row, 2 * plane, nullptr, nullptr,
                         reinterpret_cast<T*>(values), 0, kernel_->polynomials.coefficients.data(),
                         kernel_->polynomials.degree},
                        lanes);
        }
      }
    });
  }

  // Crowded tiles: every piece has a private copy; the copies are added in a fixed order.
  if (crowded_.empty()) return;
  Scratch scratch(ctx);
  auto pieces = scratch.take<T>({crowd_pieces, region_reals(lanes)});
  for (const Index tile : crowded_) {
    const Region r = region(tile);
    const Index begin = tile_start_[tile], points = tile_start_[tile + 1] - begin;
    parallel_for(ctx, crowd_pieces, 1, [&](Index piece, Index, int thread) {
      C* values = buffers.slice(thread).data() + region_values;
      C* local = reinterpret_cast<C*>(pieces.slice(piece).data());
      spread_points(samples, count, weights, begin + points * piece / crowd_pieces,
                    begin + points * (piece + 1) / crowd_pieces, local_task(r, local, values), lanes);
    });
    for (Index piece = 0; piece < crowd_pieces; ++piece)
      copy_region(r, grid, reinterpret_cast<C*>(pieces.slice(piece).data()), lanes, true);
  }
}

template <typename T>
void CpuPlan<T>::interpolate_all(const C* grid, C* samples, Index count, const T* weights, int lanes,
                                 Context& ctx, View<C> buffers, bool accumulate) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row,
              region_values = region_reals(lanes) / 2;
  const auto& kernels = passes(lanes).kernels;
  parallel_for(ctx, static_cast<Index>(chunks_.size()), 1, [&](Index begin, Index, int thread) {
    const Chunk& chunk = chunks_[begin];
    const Region r = region(chunk.tile);
    C* local = buffers.slice(thread).data();
    C* values = local + region_values;
    SpreadTask<T> task{nullptr,
                       2 * row,
                       2 * plane,
                       nullptr,
                       nullptr,
                       reinterpret_cast<T*>(values),
                       0,
                       kernel_->polynomials.coefficients.data(),
                       kernel_->polynomials.degree};
    C* whole =
        const_cast<C*>(grid);  // the kernels of both directions share one task type; interpolation only reads
    if (r.wraps) {
      copy_region(r, whole, local, lanes, false);
      task.grid = reinterpret_cast<T*>(local);
      task.row = 2 * r.size[0] * lanes;
      task.plane = task.row * r.size[1];
    } else {
      task.grid = reinterpret_cast<T*>(whole + r.begin[2] * plane + r.begin[1] * row + r.begin[0] * lanes);
    }
    for (Index first = chunk.begin; first < chunk.end; first += point_batch) {
      task.points = std::min(point_batch, chunk.end - first);
      task.cells = cell_.data() + 4 * first;
      task.fractions = fraction_.data() + dims_ * first;
      kernels.interpolate(task);
      const std::int32_t* order = order_.data() + first;
      for (Index lane = 0; lane < count; ++lane) {
        C* out = samples + lane * samples_;
        for (Index p = 0; p < task.points; ++p) {
          const C value = values[p * lanes + lane] * (weights ? weights[order[p]] : T(1));
          out[order[p]] = accumulate ? out[order[p]] + value : value;
        }
      }
    }
  });
}

#define LARMOR_INSTANTIATE(T)                                                                     \
  template std::size_t CpuPlan<T>::scratch_bytes(const Context&, Index) const;                    \
  template void CpuPlan<T>::forward(const C*, C*, Index, const T*, double, Context&, bool) const; \
  template void CpuPlan<T>::adjoint(const C*, C*, Index, const T*, double, Context&, bool) const;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
