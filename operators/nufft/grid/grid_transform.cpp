#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/grid/grid_transform.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

#include <algorithm>

namespace larmor::nufft {
namespace {

std::size_t lanes_index(int lanes) {
  return lanes == 1 ? 0 : lanes == 4 ? 1 : 2;
}

}  // namespace

template <typename T>
GridTransform<T>::GridTransform(const Shape& image, const GridChoice<T>& choice, Index batch,
                                const Context& ctx)
    : dims_(image.rank()), cells_(choice.grid[0] * choice.grid[1] * choice.grid[2]), pixels_(image.size()) {
  for (int a = 0; a < dims_; ++a) {
    axis_[a].image = image[dims_ - 1 - a];
    axis_[a].grid = choice.grid[a];
    axis_[a].deapodise = choice.deapodisation(axis_[a].image, a, ctx);
  }
  for (const int lanes : {1, 4, 8}) {
    if (!lanes_used<T>(lanes, batch)) continue;
    Index inner = lanes;
    for (int a = 0; a < dims_; ++a) {
      const Axis& axis = axis_[a];
      auto& lines = lines_[lanes_index(lanes)][a];
      lines = LinePass<T>(axis.grid, axis.image - axis.image / 2, axis.image / 2, inner);
      buffer_size_ = std::max(buffer_size_, lines.buffer_size());
      inner *= axis.grid;
    }
  }
}

template <typename T>
std::size_t GridTransform<T>::scratch_bytes(const Context& ctx) const {
  return Scratch::bytes<C>({ctx.threads(), 2, buffer_size_});
}

// Lines along an axis, in place, for those places on the slower axes that image pixels lie at: the others are
// zero on the way to the grid and not wanted on the way back.
template <typename T>
void GridTransform<T>::transform_axis(int axis, C* grid, int lanes, FftSign sign, Context& ctx) const {
  const LinePass<T>& lines = lines_[lanes_index(lanes)][static_cast<std::size_t>(axis)];
  Index stride = lanes;
  for (int a = 0; a < axis; ++a) stride *= axis_[a].grid;
  const Index image = stride * axis_[axis].grid, blocks = lines.blocks();
  const Index middle = axis < 1 ? axis_[1].image : 1, outer = axis < 2 ? axis_[2].image : 1;
  const bool to_grid = sign == FftSign::forward;
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), 2, buffer_size_});
  parallel_for(ctx, outer * middle * blocks, 4, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + buffer_size_;
    for (Index task = begin; task < end; ++task) {
      const Index block = task % blocks, count = lines.count(block);
      const Index y = task / blocks % middle, z = task / blocks / middle;
      Index place = 0;
      if (axis == 0) place += axis_[1].cell_of(y) * image;
      if (axis < 2) place += axis_[2].cell_of(z) * image * (axis == 0 ? axis_[1].grid : 1);
      C* array = grid + place + lines.first(block);
      if (to_grid)
        lines.gather_pruned(array, stride, count, in);
      else
        lines.gather(array, stride, count, in);
      lines.transform(in, out, count, sign);
      if (to_grid)
        lines.scatter(out, stride, count, array);
      else
        lines.scatter_pruned(out, stride, count, array);
    }
  });
}

template <typename T>
void GridTransform<T>::to_grid(const C* images, Index count, C* grid, int lanes, double scale,
                               Context& ctx) const {
  const Axis &x = axis_[0], &y = axis_[1], &z = axis_[2];
  parallel_for(ctx, y.image * z.image, 8, [&](Index begin, Index end, int) {
    for (Index r = begin; r < end; ++r) {
      const Index iy = r % y.image, iz = r / y.image;
      T factor = static_cast<T>(scale);
      if (dims_ > 1) factor *= y.deapodise[iy];
      if (dims_ > 2) factor *= z.deapodise[iz];
      C* line = grid + (z.cell_of(iz) * y.grid + y.cell_of(iy)) * x.grid * lanes;
      for (Index lane = 0; lane < lanes; ++lane) {
        const C* row = images + lane * pixels_ + r * x.image;
        for (Index i = 0; i < x.image; ++i)
          line[x.cell_of(i) * lanes + lane] = lane < count ? row[i] * (factor * x.deapodise[i]) : C(0);
      }
    }
  });
  for (int axis = 0; axis < dims_; ++axis) transform_axis(axis, grid, lanes, FftSign::forward, ctx);
}

template <typename T>
void GridTransform<T>::from_grid(C* grid, C* images, Index count, int lanes, double scale, Context& ctx,
                                 bool accumulate) const {
  for (int axis = dims_ - 1; axis >= 0; --axis) transform_axis(axis, grid, lanes, FftSign::backward, ctx);
  const Axis &x = axis_[0], &y = axis_[1], &z = axis_[2];
  parallel_for(ctx, y.image * z.image, 8, [&](Index begin, Index end, int) {
    for (Index r = begin; r < end; ++r) {
      const Index iy = r % y.image, iz = r / y.image;
      T factor = static_cast<T>(scale);
      if (dims_ > 1) factor *= y.deapodise[iy];
      if (dims_ > 2) factor *= z.deapodise[iz];
      const C* line = grid + (z.cell_of(iz) * y.grid + y.cell_of(iy)) * x.grid * lanes;
      for (Index lane = 0; lane < count; ++lane) {
        C* row = images + lane * pixels_ + r * x.image;
        for (Index i = 0; i < x.image; ++i) {
          const C value = line[x.cell_of(i) * lanes + lane] * (factor * x.deapodise[i]);
          row[i] = accumulate ? row[i] + value : value;
        }
      }
    }
  });
}

template class GridTransform<float>;
template class GridTransform<double>;

}  // namespace larmor::nufft
