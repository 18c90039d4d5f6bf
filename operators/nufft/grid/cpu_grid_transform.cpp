#include <larmor/operators/nufft/grid/cpu_grid_transform.hpp>
#include <larmor/operators/nufft/grid/padded_lines.hpp>

#include <algorithm>

namespace larmor::nufft {

template <typename T>
CpuGridTransform<T>::CpuGridTransform(const Shape& image, const GridChoice<T>& choice,
                                      const GridTransformOptions& options, const Context& ctx)
    : dims_(image.rank()), pixels_(image.size()) {
  for (int a = 0; a < dims_; ++a) {
    axis_[a].image = image[dims_ - 1 - a];
    axis_[a].grid = choice.grid[a];
    axis_[a].deapodise = choice.deapodisation(axis_[a].image, a, ctx);
  }
  for (const int lanes : {1, 4, 8}) {
    if (!lanes_used<T>(lanes, options.batch)) continue;
    if (dims_ == 1 && lanes == 1 && options.real_samples)
      real_line_ = RealLine<T>(axis_[0].image, axis_[0].grid);
    if (dims_ == 1 && LongLine<T>::wanted(axis_[0].grid)) {
      if (!is_long()) long_line_ = LongLine<T>(axis_[0].image, axis_[0].grid);
      continue;
    }
    Passes& p = passes_[lanes_index(lanes)];
    const auto line = [](const Axis& axis, Index inner) {
      return LinePass<T>(axis.grid, axis.image - axis.image / 2, axis.image / 2, inner);
    };
    p.x = line(axis_[0], dims_ > 1 ? lanes : 1);
    if (dims_ > 1) p.y = line(axis_[1], axis_[0].grid * lanes);
    if (dims_ > 2) p.z = line(axis_[2], axis_[1].grid * axis_[0].grid * lanes);
  }
}

// Complex values of a thread's two line buffers.
template <typename T>
Index CpuGridTransform<T>::thread_buffer_size(int lanes) const {
  if (is_long()) return std::max(long_line_.buffer_size(), real_line_.buffer_size());
  const Passes& p = passes(lanes);
  return 2 * std::max({p.x.buffer_size(), p.y.buffer_size(), p.z.buffer_size()});
}

template <typename T>
std::size_t CpuGridTransform<T>::scratch_bytes(const Context& ctx, const Coils& coils) const {
  return Scratch::bytes<C>({ctx.threads(), thread_buffer_size(coils.lanes)}) +
         (is_real(coils.lanes) ? Scratch::bytes<C>({real_line_.work_size()}) : 0) +
         (dims_ == 1 && coils.lanes > 1 ? Scratch::bytes<C>({coils.lanes, axis_[0].grid}) : 0);
}

template <typename T>
std::size_t CpuGridTransform<T>::table_bytes() const {
  std::size_t bytes = 0;
  for (const Axis& axis : axis_) bytes += axis.deapodise.view().bytes();
  return bytes;
}

template <typename T>
void CpuGridTransform<T>::pass_y(C* grid, int lanes, bool to_grid, View<C> buffers, Context& ctx) const {
  const Index row = axis_[0].grid * lanes, plane = axis_[1].grid * row;
  if (dims_ > 1)
    transform_padded_lines(
        passes(lanes).y, axis_[2].image, [&](Index iz) { return grid + axis_[2].cell_of(iz) * plane; }, row,
        to_grid, buffers, ctx);
}
template <typename T>
void CpuGridTransform<T>::pass_z(C* grid, int lanes, bool to_grid, View<C> buffers, Context& ctx) const {
  if (dims_ > 2)
    transform_padded_lines(
        passes(lanes).z, 1, [&](Index) { return grid; }, axis_[0].grid * axis_[1].grid * lanes, to_grid,
        buffers, ctx);
}

template <typename T>
Index CpuGridTransform<T>::row_start(Index r, int lanes) const {
  const Axis &y = axis_[1], &z = axis_[2];
  return (z.cell_of(r / y.image) * y.grid + y.cell_of(r % y.image)) * axis_[0].grid * lanes;
}
template <typename T>
T CpuGridTransform<T>::row_factor(Index r, double scale) const {
  T factor = static_cast<T>(scale);
  if (dims_ > 1) factor *= axis_[1].deapodise[r % axis_[1].image];
  if (dims_ > 2) factor *= axis_[2].deapodise[r / axis_[1].image];
  return factor;
}

// The padded line of an image row.
template <typename T>
void CpuGridTransform<T>::pad(const C* row, T factor, C* line) const {
  const Axis& x = axis_[0];
  const Index half = x.image / 2;
  for (Index i = 0; i < half; ++i) line[x.grid - half + i] = row[i] * (factor * x.deapodise[i]);
  for (Index i = half; i < x.image; ++i) line[i - half] = row[i] * (factor * x.deapodise[i]);
  std::fill(line + x.image - half, line + x.grid - half, C(0));
}
template <typename T>
void CpuGridTransform<T>::crop(const C* line, T factor, C* row, bool accumulate) const {
  const Axis& x = axis_[0];
  const Index half = x.image / 2;
  const auto store = [&](Index first, Index last, const C* values) {
    for (Index i = first; i < last; ++i) {
      const C value = values[i - first] * (factor * x.deapodise[i]);
      row[i] = accumulate ? row[i] + value : value;
    }
  };
  store(0, half, line + x.grid - half);
  store(half, x.image, line);
}

// In one dimension the lanes are transformed one by one, outside the grid: all threads work on a long line,
// and each thread on a short one.
template <typename T>
void CpuGridTransform<T>::line_to_grid(const C* images, C* grid, const Coils& coils, T scale, View<C> buffers,
                                       Scratch& scratch, Context& ctx) const {
  const Index lanes = coils.lanes, n = axis_[0].grid;
  C* lines = lanes > 1 ? scratch.take<C>({lanes, n}).data() : grid;
  for (Index lane = 0; is_long() && lane < coils.count; ++lane)
    long_line_.to_grid(images + lane * pixels_, axis_[0].deapodise.data(), scale, lines + lane * n, buffers,
                       ctx);
  if (!is_long())
    parallel_for(ctx, coils.count, 1, [&](Index lane, Index, int thread) {
      const LinePass<T>& line = passes(coils.lanes).x;
      C *in = buffers.slice(thread).data(), *out = in + line.buffer_size();
      pad(images + lane * pixels_, scale, in);
      line.transform(in, out, 1, FftSign::forward);
      std::copy_n(out, n, lines + lane * n);
    });
  if (lanes == 1) return;
  parallel_for(ctx, n, 1 << 10, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (Index lane = 0; lane < lanes; ++lane)
        grid[i * lanes + lane] = lane < coils.count ? lines[lane * n + i] : C(0);
  });
}
template <typename T>
void CpuGridTransform<T>::line_from_grid(C* grid, C* images, const Coils& coils, T scale, bool accumulate,
                                         View<C> buffers, Scratch& scratch, Context& ctx) const {
  const Index lanes = coils.lanes, n = axis_[0].grid;
  C* lines = lanes > 1 ? scratch.take<C>({lanes, n}).data() : grid;
  if (lanes > 1)
    parallel_for(ctx, n, 1 << 10, [&](Index begin, Index end, int) {
      for (Index lane = 0; lane < coils.count; ++lane)
        for (Index i = begin; i < end; ++i) lines[lane * n + i] = grid[i * lanes + lane];
    });
  for (Index lane = 0; is_long() && lane < coils.count; ++lane)
    long_line_.to_image(lines + lane * n, axis_[0].deapodise.data(), scale, images + lane * pixels_,
                        accumulate, buffers, ctx);
  if (!is_long())
    parallel_for(ctx, coils.count, 1, [&](Index lane, Index, int thread) {
      const LinePass<T>& line = passes(coils.lanes).x;
      C *in = buffers.slice(thread).data(), *out = in + line.buffer_size();
      std::copy_n(lines + lane * n, n, in);
      line.transform(in, out, 1, FftSign::backward);
      crop(out, scale, images + lane * pixels_, accumulate);
    });
}

template <typename T>
void CpuGridTransform<T>::to_grid(const C* images, C* grid, const Coils& coils, double scale,
                                  Context& ctx) const {
  const int lanes = coils.lanes;
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), thread_buffer_size(lanes)});
  if (dims_ == 1) return line_to_grid(images, grid, coils, static_cast<T>(scale), buffers, scratch, ctx);
  const Axis& x = axis_[0];
  const LinePass<T>& rows = passes(lanes).x;
  parallel_for(ctx, axis_[1].image * axis_[2].image, 8, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + rows.buffer_size();
    for (Index r = begin; r < end; ++r) {
      for (Index lane = 0; lane < lanes; ++lane) {
        C* line = in + lane * x.grid;
        if (lane < coils.count)
          pad(images + lane * pixels_ + r * x.image, row_factor(r, scale), line);
        else
          std::fill(line, line + x.grid, C(0));
      }
      rows.transform(in, out, lanes, FftSign::forward);
      rows.scatter(out, lanes, lanes, grid + row_start(r, lanes));
    }
  });
  pass_y(grid, lanes, true, buffers, ctx);
  pass_z(grid, lanes, true, buffers, ctx);
}

template <typename T>
void CpuGridTransform<T>::from_grid(C* grid, C* images, const Coils& coils, double scale, Context& ctx,
                                    bool accumulate) const {
  const int lanes = coils.lanes;
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), thread_buffer_size(lanes)});
  const Axis& x = axis_[0];
  if (is_real(lanes)) {
    const auto work = scratch.take<C>({real_line_.work_size()});
    return real_line_.to_image(grid, x.deapodise.data(), static_cast<T>(scale), images, accumulate, work,
                               buffers, ctx);
  }
  if (dims_ == 1)
    return line_from_grid(grid, images, coils, static_cast<T>(scale), accumulate, buffers, scratch, ctx);
  pass_z(grid, lanes, false, buffers, ctx);
  pass_y(grid, lanes, false, buffers, ctx);
  const LinePass<T>& rows = passes(lanes).x;
  parallel_for(ctx, axis_[1].image * axis_[2].image, 8, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + rows.buffer_size();
    for (Index r = begin; r < end; ++r) {
      rows.gather(grid + row_start(r, lanes), lanes, lanes, in);
      rows.transform(in, out, lanes, FftSign::backward);
      for (Index lane = 0; lane < coils.count; ++lane)
        crop(out + lane * x.grid, row_factor(r, scale), images + lane * pixels_ + r * x.image, accumulate);
    }
  });
}

template class CpuGridTransform<float>;
template class CpuGridTransform<double>;

}  // namespace larmor::nufft
