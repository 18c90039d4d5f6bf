#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/cuda/elementwise.hpp>

namespace larmor {
namespace {

constexpr Index chunk = 1 << 14;

// out = w in, or conj(w) in, element by element.
template <typename T>
void multiply(const Array<std::complex<T>>& weights, View<const std::complex<T>> in,
              View<std::complex<T>> out, bool conjugate, Write write, Context& ctx) {
  const std::complex<T>* w = weights.data();
  if constexpr (cuda::built)
    if (ctx.on_gpu())
      return cuda::multiply<T>(w, in.data(), out.data(), out.size(), conjugate, write == Write::accumulate,
                               ctx.stream());
  parallel_for(ctx, out.size(), chunk, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const std::complex<T> value = (conjugate ? std::conj(w[i]) : w[i]) * in[i];
      out[i] = write == Write::accumulate ? out[i] + value : value;
    }
  });
}

// Calls visit(small_row, large_row, first) for every row of the small array and its place in the large one;
// both are linear offsets of whole rows.
template <typename Visit>
void for_centred_rows(const Shape& small, const Shape& large, const Visit& visit) {
  const int last = small.rank() - 1;
  const Index width = small[last], rows = width > 0 ? small.size() / width : 0;
  for (Index row = 0; row < rows; ++row) {
    Index rest = row, stride = large[last], target = large[last] / 2 - width / 2;
    for (int axis = last - 1; axis >= 0; --axis) {
      target += stride * (rest % small[axis] + large[axis] / 2 - small[axis] / 2);
      stride *= large[axis];
      rest /= small[axis];
    }
    visit(row * width, target, width);
  }
}

void require_fit(const char* name, const Shape& small, const Shape& large) {
  bool fits = small.rank() == large.rank() && small.rank() > 0;
  for (int axis = 0; fits && axis < small.rank(); ++axis) fits = small[axis] <= large[axis];
  if (!fits)
    throw usage_error("{}: {} does not fit into {}; expected equal rank and no axis longer", name,
                      small.to_string(), large.to_string());
}

// Pads or crops on a GPU: both read at a constant distance.
template <typename T>
void shift_to_centre(View<const std::complex<T>> in, View<std::complex<T>> out, Context& ctx, Write write) {
  if constexpr (cuda::built) {
    cuda::Shifted map{out.shape().rank(), {}, {}, {}, false};
    for (int axis = 0; axis < map.rank; ++axis) {
      map.out[axis] = out.shape()[axis];
      map.in[axis] = in.shape()[axis];
      map.shift[axis] = in.shape()[axis] / 2 - out.shape()[axis] / 2;
    }
    cuda::shifted_copy<T>(map, in.data(), out.data(), 1, write == Write::accumulate, ctx.stream());
  }
}

template <typename T>
void pad(View<const std::complex<T>> small, View<std::complex<T>> large, Context& ctx, Write write) {
  if (ctx.on_gpu()) return shift_to_centre<T>(small, large, ctx, write);
  if (write == Write::overwrite) fill<T>(large, 0, ctx);
  for_centred_rows(small.shape(), large.shape(), [&](Index from, Index to, Index count) {
    for (Index i = 0; i < count; ++i) large[to + i] += small[from + i];
  });
}

template <typename T>
void crop(View<const std::complex<T>> large, View<std::complex<T>> small, Context& ctx, Write write) {
  if (ctx.on_gpu()) return shift_to_centre<T>(large, small, ctx, write);
  for_centred_rows(small.shape(), large.shape(), [&](Index to, Index from, Index count) {
    for (Index i = 0; i < count; ++i)
      small[to + i] = write == Write::accumulate ? small[to + i] + large[from + i] : large[from + i];
  });
}

}  // namespace

template <typename T>
void Identity<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  if (write == Write::accumulate)
    axpy<T>(1, x, y, ctx);
  else
    copy<T>(x, y, ctx);
}
template <typename T>
void Identity<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  do_apply(y, x, ctx, write);
}

template <typename T>
Diagonal<T>::Diagonal(View<const Scalar> weights) : Diagonal(clone(weights)) {}

template <typename T>
Diagonal<T>::Diagonal(Array<Scalar> weights)
    : Diagonal(std::make_shared<const Array<Scalar>>(std::move(weights))) {}

template <typename T>
Diagonal<T>::Diagonal(std::shared_ptr<const Array<Scalar>> weights)
    : OperatorBase<Diagonal<T>, T>(weights->shape(), weights->shape()), weights_(std::move(weights)) {}

template <typename T>
OperatorPtr<T> Diagonal<T>::do_normal(const NormalOptions&, Context&) const {
  const Array<Scalar> weights = copied_to(Device::cpu(), *weights_);
  Array<Scalar> squares(weights.shape());
  for (Index i = 0; i < squares.size(); ++i) squares[i] = std::norm(weights[i]);
  return Diagonal(moved_to(weights_->device(), std::move(squares))).share();
}

template <typename T>
void Diagonal<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  multiply<T>(*weights_, x, y, false, write, ctx);
}
template <typename T>
void Diagonal<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  multiply<T>(*weights_, y, x, true, write, ctx);
}

template <typename T>
Pad<T>::Pad(const Shape& domain, const Shape& codomain) : OperatorBase<Pad<T>, T>(domain, codomain) {
  require_fit("Pad", domain, codomain);
}
template <typename T>
OperatorPtr<T> Pad<T>::do_normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}
template <typename T>
void Pad<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  pad<T>(x, y, ctx, write);
}
template <typename T>
void Pad<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  crop<T>(y, x, ctx, write);
}

template <typename T>
Crop<T>::Crop(const Shape& domain, const Shape& codomain) : OperatorBase<Crop<T>, T>(domain, codomain) {
  require_fit("Crop", codomain, domain);
}
template <typename T>
void Crop<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  crop<T>(x, y, ctx, write);
}
template <typename T>
void Crop<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  pad<T>(y, x, ctx, write);
}

#define LARMOR_INSTANTIATE(T) \
  template class Identity<T>; \
  template class Diagonal<T>; \
  template class Pad<T>;      \
  template class Crop<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
