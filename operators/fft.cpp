#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/shifted_copy.hpp>

#include <cmath>

namespace larmor {

template <typename T>
Fft<T>::Fft(const Shape& shape, int rank)
    : TwoWayOperator<Fft<T>, T>(shape, shape), rank_(rank), plan_(shape, rank) {}

template <typename T>
OperatorPtr<T> Fft<T>::do_normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}

template <typename T>
std::size_t Fft<T>::scratch_bytes(const Context& ctx) const {
  return Scratch::bytes<Scalar>(this->domain()) + plan_.scratch_bytes(ctx);
}

template <typename T>
void Fft<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  if (in.size() == 0) return;
  Scratch scratch(ctx);
  const auto buffer = scratch.take<Scalar>(this->domain());
  double size = 1;
  for (int axis = in.shape().rank() - rank_; axis < in.shape().rank(); ++axis)
    size *= static_cast<double>(in.shape()[axis]);
  copy_rolled<T>(in, buffer, rank_, true, 1, ctx, Write::overwrite);
  plan_.execute(buffer, way == Direction::forward ? FftSign::forward : FftSign::backward, ctx);
  copy_rolled<T>(buffer, out, rank_, false, 1 / std::sqrt(size), ctx, write);
}

template class Fft<float>;
template class Fft<double>;

}  // namespace larmor
