#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/transforms/blocks.hpp>

namespace LARMOR_API larmor {

BlockGrid block_grid(const Shape& shape, int space, Index size) {
  if (space < 1 || space > 3 || shape.rank() < space || shape.size() == 0 || size < 0)
    throw usage_error("Blocks: blocks of {} along {} axes of an array of shape {}, expected 1 to 3 axes",
                      size, space, shape.to_string());
  BlockGrid grid{1, {}, {}, {}, {}};
  for (int axis = 0; axis < shape.rank() - space; ++axis) grid.batch *= shape[axis];
  for (int a = 0; a < 3; ++a) {
    const Index extent = a < 3 - space ? 1 : shape[shape.rank() - 3 + a];
    grid.extent[a] = extent;
    grid.size[a] = size == 0 ? extent : std::min(size, extent);
    grid.count[a] = (extent + grid.size[a] - 1) / grid.size[a];
  }
  return grid;
}

template <typename T>
void gather_blocks(const BlockGrid& grid, const std::complex<T>* image, std::complex<T>* blocks, Context& ctx,
                   Write write) {
  for_each_in_rows(
      ctx, grid.values() / grid.size[2], grid.size[2],
      GatherBlocks<T>{grid, complex_values(image), complex_values(blocks), write == Write::accumulate});
}
template <typename T>
void scatter_blocks(const BlockGrid& grid, const std::complex<T>* blocks, std::complex<T>* image,
                    Context& ctx, Write write) {
  for_each_in_rows(
      ctx, grid.batch * grid.extent[0] * grid.extent[1], grid.extent[2],
      ScatterBlocks<T>{grid, complex_values(blocks), complex_values(image), write == Write::accumulate});
}

template <typename T>
Blocks<T>::Blocks(const Shape& shape, int space, Index size, const std::array<Index, 3>& shift)
    : grid_(block_grid(shape, space, size)) {
  for (std::size_t a = 0; a < 3; ++a)
    grid_.shift[a] = (shift[a] % grid_.extent[a] + grid_.extent[a]) % grid_.extent[a];
  this->set_shapes(shape, {grid_.blocks(), grid_.batch, grid_.pixels()});
}
template <typename T>
OperatorPtr<T> Blocks<T>::do_normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}
template <typename T>
void Blocks<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  const auto copy = way == Direction::forward ? gather_blocks<T> : scatter_blocks<T>;
  copy(grid_, in.data(), out.data(), ctx, write);
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template void gather_blocks(const BlockGrid&, const std::complex<T>*, std::complex<T>*, Context&, Write);  \
  template void scatter_blocks(const BlockGrid&, const std::complex<T>*, std::complex<T>*, Context&, Write); \
  template class Blocks<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
