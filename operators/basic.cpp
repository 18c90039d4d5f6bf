#include <larmor/core/parallel.hpp>
#include <larmor/operators/basic.hpp>

namespace larmor {
namespace {

constexpr Index chunk = 1 << 14;

// out_i = f(i), or out_i += f(i).
template <typename T, typename F>
void write_elements(View<std::complex<T>> out, Write write, Context& ctx, const F& f) {
  parallel_for(ctx, out.size(), chunk, [&](Index begin, Index end, int) {
    if (write == Write::accumulate)
      for (Index i = begin; i < end; ++i) out[i] += f(i);
    else
      for (Index i = begin; i < end; ++i) out[i] = f(i);
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
    throw internal_error("{}: {} does not fit into {}; expected equal rank and no axis longer", name,
                         small.to_string(), large.to_string());
}

template <typename T>
void pad(View<const std::complex<T>> small, View<std::complex<T>> large, Context& ctx, Write write) {
  if (write == Write::overwrite) fill<T>(large, 0, ctx);
  for_centred_rows(small.shape(), large.shape(), [&](Index from, Index to, Index count) {
    for (Index i = 0; i < count; ++i) large[to + i] += small[from + i];
  });
}

template <typename T>
void crop(View<const std::complex<T>> large, View<std::complex<T>> small, Write write) {
  for_centred_rows(small.shape(), large.shape(), [&](Index to, Index from, Index count) {
    for (Index i = 0; i < count; ++i)
      small[to + i] = write == Write::accumulate ? small[to + i] + large[from + i] : large[from + i];
  });
}

}  // namespace

template <typename T>
void Identity<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  write_elements<T>(y, write, ctx, [&](Index i) { return x[i]; });
}
template <typename T>
void Identity<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  do_apply(y, x, ctx, write);
}

template <typename T>
Diagonal<T>::Diagonal(View<const Scalar> weights) : Diagonal(clone(weights)) {}

template <typename T>
Diagonal<T>::Diagonal(Array<Scalar> weights)
    : OperatorBase<Diagonal<T>, T>(weights.shape(), weights.shape()),
      weights_(std::make_shared<const Array<Scalar>>(std::move(weights))) {}

template <typename T>
OperatorPtr<T> Diagonal<T>::normal(const NormalOptions&, Context&) const {
  Array<Scalar> squares(weights_->shape());
  for (Index i = 0; i < squares.size(); ++i) squares[i] = std::norm((*weights_)[i]);
  return Diagonal(std::move(squares)).share();
}

template <typename T>
void Diagonal<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const Scalar* w = weights_->data();
  write_elements<T>(y, write, ctx, [&](Index i) { return w[i] * x[i]; });
}
template <typename T>
void Diagonal<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  const Scalar* w = weights_->data();
  write_elements<T>(x, write, ctx, [&](Index i) { return std::conj(w[i]) * y[i]; });
}

template <typename T>
Pad<T>::Pad(const Shape& domain, const Shape& codomain) : OperatorBase<Pad<T>, T>(domain, codomain) {
  require_fit("Pad", domain, codomain);
}
template <typename T>
OperatorPtr<T> Pad<T>::normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}
template <typename T>
void Pad<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  pad<T>(x, y, ctx, write);
}
template <typename T>
void Pad<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context&, Write write) const {
  crop<T>(y, x, write);
}

template <typename T>
Crop<T>::Crop(const Shape& domain, const Shape& codomain) : OperatorBase<Crop<T>, T>(domain, codomain) {
  require_fit("Crop", codomain, domain);
}
template <typename T>
void Crop<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context&, Write write) const {
  crop<T>(x, y, write);
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
