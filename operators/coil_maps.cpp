#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/elementwise_kernels.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace LARMOR_API larmor {

template <typename T>
ImageBox box_of_maps(View<const std::complex<T>> maps, const Context& ctx) {
  const Shape image = maps.shape().drop_front(1);
  if (image.size() == 0) return {image, image};
  const int rank = image.rank();
  const Index width = image[rank - 1], rows = image.size() / width, coils = maps.shape()[0];
  struct Range {
    Index first, last;
  };
  // For each row of all coils together.
  std::vector<Range> ranges(static_cast<std::size_t>(rows), {width, 0});
  parallel_for(ctx, rows, 8, [&](Index begin, Index end, int) {
    for (Index row = begin; row < end; ++row) {
      auto& [first, last] = ranges[static_cast<std::size_t>(row)];
      for (Index c = 0; c < coils; ++c) {
        const std::complex<T>* line = maps.data() + (c * rows + row) * width;
        for (Index x = 0; x < first; ++x)
          if (line[x] != std::complex<T>(0)) first = x;
        for (Index x = width; x > last; --x)
          if (line[x - 1] != std::complex<T>(0)) last = x;
      }
    }
  });
  std::array<Range, Shape::max_rank> found;
  found.fill({std::numeric_limits<Index>::max(), 0});
  for (Index row = 0; row < rows; ++row) {
    const Range range = ranges[static_cast<std::size_t>(row)];
    if (range.first >= range.last) continue;
    const auto add = [&](int axis, Range more) {
      Range& all = found[static_cast<std::size_t>(axis)];
      all = {std::min(all.first, more.first), std::max(all.last, more.last)};
    };
    add(rank - 1, range);
    Index rest = row;
    for (int axis = rank - 2; axis >= 0; --axis, rest /= image[axis + 1])
      add(axis, {rest % image[axis], rest % image[axis] + 1});
  }
  ImageBox box{image, image};
  for (int axis = 0; axis < rank; ++axis) {
    const Range range = found[static_cast<std::size_t>(axis)];
    const bool empty = range.first >= range.last;
    box.first[axis] = empty ? 0 : range.first;
    if (!empty) box.extent[axis] = range.last - range.first;
  }
  return box;
}

template <typename T>
CoilMaps<T>::CoilMaps(View<const Scalar> maps) : CoilMaps(clone(maps)) {}

template <typename T>
CoilMaps<T>::CoilMaps(Array<Scalar> maps)
    : CoilMaps(std::make_shared<const Array<Scalar>>(std::move(maps))) {}

template <typename T>
CoilMaps<T>::CoilMaps(std::shared_ptr<const Array<Scalar>> maps) : maps_(std::move(maps)) {
  const Shape& shape = maps_->shape();
  if (shape.rank() < 2)
    throw usage_error("CoilMaps: maps of shape {}, expected [coil, (z,) y, x]", shape.to_string());
  this->set_shapes(shape.drop_front(1), shape);
  box_.extent = box_.first = this->domain();
  for (int axis = 0; axis < box_.first.rank(); ++axis) box_.first[axis] = 0;
}

template <typename T>
CoilMaps<T> CoilMaps<T>::within(const ImageBox& box) const {
  const Shape& image = this->domain();
  bool inside = box.first.rank() == image.rank() && box.extent.rank() == image.rank();
  for (int axis = 0; inside && axis < image.rank(); ++axis)
    inside =
        box.first[axis] >= 0 && box.extent[axis] > 0 && box.first[axis] + box.extent[axis] <= image[axis];
  if (!inside)
    throw usage_error("CoilMaps: a box of {} that starts at {} exceeds the image of {}",
                      box.extent.to_string(), box.first.to_string(), image.to_string());
  CoilMaps part(*this);
  part.box_ = box;
  return part;
}

template <typename T>
CoilMaps<T> CoilMaps<T>::coils(Index first, Index count) const {
  if (first < 0 || count < 1 || first + count > this->codomain()[0])
    throw usage_error("CoilMaps: coils {} to {} requested, there are {}", first, first + count - 1,
                      this->codomain()[0]);
  CoilMaps part(*this);
  part.first_ = first_ + first;
  part.set_shapes(this->domain(), this->domain().prepend(count));
  return part;
}

template <typename T>
std::size_t CoilMaps<T>::table_bytes() const {
  return maps().bytes();
}

template <typename T>
void CoilMaps<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                      Write write) const {
  const auto *all = complex_values(maps().data()), *from = complex_values(in.data());
  auto* to = complex_values(out.data());
  const Index pixels = this->domain().size(), coils = this->codomain()[0];
  const bool add = write == Write::accumulate;
  if (way == Direction::forward)
    for_each(ctx, pixels, MultiplyMaps<T>{all, from, to, pixels, coils, add});
  else
    for_each(ctx, pixels, CombineCoils<T>{all, from, to, pixels, coils, add});
}

template ImageBox box_of_maps(View<const std::complex<float>>, const Context&);
template ImageBox box_of_maps(View<const std::complex<double>>, const Context&);
template class CoilMaps<float>;
template class CoilMaps<double>;

}  // namespace larmor
