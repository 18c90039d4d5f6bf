#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/plan/cpu_plan.hpp>

#include <algorithm>

namespace larmor::nufft {
// Complex values of the two line buffers that a thread needs.
template <typename T>
Index CpuPlan<T>::thread_buffer_size(int lanes) const {
  if (is_long(lanes)) return std::max(long_line_.buffer_size(), real_line_.buffer_size());
  const Passes& p = passes(lanes);
  Index lines = p.x.buffer_size();
  if (dims_ > 1) lines = std::max(lines, p.y.buffer_size());
  if (dims_ > 2) lines = std::max(lines, p.z.buffer_size());
  return 2 * lines;
}

template <typename T>
std::size_t CpuPlan<T>::scratch_bytes(const Context& ctx, Index batch) const {
  std::size_t most = 0;
  for_coil_blocks<T>(batch, [&](Index, Index, int lanes) {
    const std::size_t passes_bytes = Scratch::bytes<C>({ctx.threads(), thread_buffer_size(lanes)}) +
                                     (is_real(lanes) ? Scratch::bytes<C>({real_line_.work_size()}) : 0);
    most = std::max(most, Scratch::bytes<C>({gridding_.cells() * lanes}) +
                              std::max(passes_bytes, gridding_.scratch_bytes(ctx, lanes)));
  });
  return most;
}

template <typename T>
void CpuPlan<T>::forward(const C* images, C* samples, Index batch, const T* weights, double scale,
                         Context& ctx, bool accumulate) const {
  for_coil_blocks<T>(batch, [&](Index first, Index count, int lanes) {
    Scratch scratch(ctx);
    auto grid = scratch.take<C>({gridding_.cells() * lanes});
    image_to_grid(images + first * pixels_, count, grid.data(), lanes, scale, ctx);
    gridding_.interpolate(grid.data(), samples + first * this->samples(), count, weights, lanes, ctx,
                          accumulate);
  });
}

template <typename T>
void CpuPlan<T>::adjoint(const C* samples, C* images, Index batch, const T* weights, double scale,
                         Context& ctx, bool accumulate) const {
  for_coil_blocks<T>(batch, [&](Index first, Index count, int lanes) {
    Scratch scratch(ctx);
    auto grid = scratch.take<C>({gridding_.cells() * lanes});
    gridding_.spread(samples + first * this->samples(), count, weights, grid.data(), lanes, ctx);
    grid_to_image(grid.data(), images + first * pixels_, count, lanes, scale, ctx, accumulate);
  });
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
void CpuPlan<T>::image_to_grid(const C* images, Index count, C* grid, int lanes, double scale,
                               Context& ctx) const {
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), thread_buffer_size(lanes)});
  if (is_long(lanes))
    return long_line_.to_grid(images, axis_[0].deapodise.data(), static_cast<T>(scale), grid, buffers, ctx);
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
                               bool accumulate) const {
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), thread_buffer_size(lanes)});
  if (is_real(lanes)) {
    auto work = scratch.take<C>({real_line_.work_size()});
    return real_line_.to_image(grid, axis_[0].deapodise.data(), static_cast<T>(scale), images, accumulate,
                               work, buffers, ctx);
  }
  if (is_long(lanes))
    return long_line_.to_image(grid, axis_[0].deapodise.data(), static_cast<T>(scale), images, accumulate,
                               buffers, ctx);
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

#define LARMOR_INSTANTIATE(T)                                                                     \
  template std::size_t CpuPlan<T>::scratch_bytes(const Context&, Index) const;                    \
  template void CpuPlan<T>::forward(const C*, C*, Index, const T*, double, Context&, bool) const; \
  template void CpuPlan<T>::adjoint(const C*, C*, Index, const T*, double, Context&, bool) const;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
