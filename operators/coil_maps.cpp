#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/elementwise_kernels.hpp>

namespace larmor {

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
}

template <typename T>
CoilMaps<T> CoilMaps<T>::coils(Index first, Index count) const {
  if (first < 0 || count < 1 || first + count > this->codomain()[0])
    throw usage_error("CoilMaps: coils {} to {} of {}", first, first + count - 1, this->codomain()[0]);
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

template class CoilMaps<float>;
template class CoilMaps<double>;

}  // namespace larmor
