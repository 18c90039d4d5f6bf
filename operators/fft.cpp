#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/cuda/elementwise.hpp>
#include <larmor/operators/fft.hpp>

#include <cmath>

namespace larmor {

template <typename T>
Fft<T>::Fft(const Shape& shape, int rank)
    : OperatorBase<Fft<T>, T>(shape, shape), rank_(rank), plan_(shape, rank) {}

template <typename T>
OperatorPtr<T> Fft<T>::do_normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}

template <typename T>
std::size_t Fft<T>::scratch_bytes(const Context& ctx) const {
  return Scratch::bytes<Scalar>(this->domain()) + plan_.scratch_bytes(ctx);
}

namespace {

// Calls visit(from, to, count) for runs of elements: index i of each of the last `rank` axes goes to
// (i − ⌊N/2⌋) mod N when `to_origin`, and back otherwise.
template <typename Visit>
void for_rolled_rows(const Shape& shape, int rank, bool to_origin, Context& ctx, const Visit& visit) {
  const int last = shape.rank() - 1;
  const Index width = shape[last], rows = shape.size() / width;
  const auto shift = [&](Index extent) { return to_origin ? extent / 2 : extent - extent / 2; };
  parallel_for(ctx, rows, 64, [&](Index begin, Index end, int) {
    for (Index row = begin; row < end; ++row) {
      Index rest = row, target = 0, stride = 1;
      for (int axis = last - 1; axis >= 0; --axis) {
        const Index extent = shape[axis], i = rest % extent;
        rest /= extent;
        target += stride * (axis > last - rank ? (i + extent - shift(extent)) % extent : i);
        stride *= extent;
      }
      const Index s = shift(width) % width;
      visit(row * width + s, target * width, width - s);
      if (s > 0) visit(row * width, target * width + width - s, s);
    }
  });
}

// The same on a GPU: out = factor · in, rolled.
template <typename T>
void roll(View<const std::complex<T>> in, View<std::complex<T>> out, int rank, bool to_origin, double factor,
          Write write, Context& ctx) {
  if constexpr (cuda::built) {
    cuda::Shifted map{in.shape().rank(), {}, {}, {}, true};
    for (int axis = 0; axis < map.rank; ++axis) {
      const Index extent = in.shape()[axis];
      map.out[axis] = map.in[axis] = extent;
      if (axis >= map.rank - rank) map.shift[axis] = to_origin ? extent / 2 : extent - extent / 2;
    }
    cuda::shifted_copy<T>(map, in.data(), out.data(), factor, write == Write::accumulate, ctx.stream());
  }
}

}  // namespace

template <typename T>
void Fft<T>::transform(View<const Scalar> in, View<Scalar> out, FftSign sign, Context& ctx,
                       Write write) const {
  if (in.size() == 0) return;
  Scratch scratch(ctx);
  const auto buffer = scratch.take<Scalar>(this->domain());
  double size = 1;
  for (int axis = in.shape().rank() - rank_; axis < in.shape().rank(); ++axis)
    size *= static_cast<double>(in.shape()[axis]);
  const double norm = 1 / std::sqrt(size);
  if (ctx.on_gpu()) {
    roll<T>(in, buffer, rank_, true, 1, Write::overwrite, ctx);
    plan_.execute(buffer, sign, ctx);
    roll<T>(buffer, out, rank_, false, norm, write, ctx);
    return;
  }
  for_rolled_rows(this->domain(), rank_, true, ctx, [&](Index from, Index to, Index count) {
    std::copy_n(in.data() + from, count, buffer.data() + to);
  });
  plan_.execute(buffer, sign, ctx);
  const T factor = static_cast<T>(norm);
  for_rolled_rows(this->domain(), rank_, false, ctx, [&](Index from, Index to, Index count) {
    for (Index i = 0; i < count; ++i) {
      const Scalar value = buffer[from + i] * factor;
      out[to + i] = write == Write::accumulate ? out[to + i] + value : value;
    }
  });
}

template <typename T>
void Fft<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  transform(x, y, FftSign::forward, ctx, write);
}

template <typename T>
void Fft<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  transform(y, x, FftSign::backward, ctx, write);
}

template class Fft<float>;
template class Fft<double>;

}  // namespace larmor
