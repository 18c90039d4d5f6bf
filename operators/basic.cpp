#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/elementwise_kernels.hpp>
#include <larmor/operators/shifted_copy.hpp>

#include <cmath>

namespace LARMOR_API larmor {
namespace {

void require_fit(const char* name, const Shape& small, const Shape& large) {
  bool fits = small.rank() == large.rank() && small.rank() > 0;
  for (int axis = 0; fits && axis < small.rank(); ++axis) fits = small[axis] <= large[axis];
  if (!fits)
    throw usage_error("{}: {} does not fit into {}; expected equal rank and no axis longer", name,
                      small.to_string(), large.to_string());
}

}  // namespace

template <typename T>
void Identity<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  if (write == Write::accumulate)
    axpy<T>(1, in, out, ctx);
  else
    copy<T>(in, out, ctx);
}

template <typename T>
Diagonal<T>::Diagonal(View<const Scalar> weights) : Diagonal(clone(weights)) {}

template <typename T>
Diagonal<T>::Diagonal(Array<Scalar> weights)
    : Diagonal(std::make_shared<const Array<Scalar>>(std::move(weights))) {}

template <typename T>
Diagonal<T>::Diagonal(std::shared_ptr<const Array<Scalar>> weights)
    : TwoWayOperator<Diagonal<T>, T>(weights->shape(), weights->shape()), weights_(std::move(weights)) {}

template <typename T>
Diagonal<T> weighted_rows(const Shape& shape, View<const double> w, Context& ctx) {
  Index samples = 1;
  for (int axis = shape.rank() - 1; axis >= 0 && samples != w.size(); --axis) samples *= shape[axis];
  if (samples != w.size() || samples == 0)
    throw usage_error("{} weights for samples {}, expected as many as the last axes have", w.size(),
                      shape.to_string());
  const Array<double> given = copied_to(Device::cpu(), w);
  Array<std::complex<T>> roots(shape);
  for (Index j = 0; j < roots.size(); ++j) {
    const double weight = given[j % samples];
    if (!(weight >= 0) || !std::isfinite(weight))
      throw input_error("weight {} is {}, expected a finite number that is not negative", j % samples,
                        weight);
    roots[j] = static_cast<T>(std::sqrt(weight));
  }
  return Diagonal<T>(moved_to(ctx.device(), std::move(roots)));
}

template <typename T>
Equations<T> weighted(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                      View<const double> w, Context& ctx) {
  return {detail::weighted_operator(A, w, ctx),
          weighted_rows<T>(A.codomain(), w, ctx).apply(copied_to(ctx.device(), y), ctx)};
}
template Equations<float> weighted(const LinearOperator<float>&, View<const std::complex<float>>,
                                   View<const double>, Context&);
template Equations<double> weighted(const LinearOperator<double>&, View<const std::complex<double>>,
                                    View<const double>, Context&);

template Diagonal<float> weighted_rows(const Shape&, View<const double>, Context&);
template Diagonal<double> weighted_rows(const Shape&, View<const double>, Context&);

template <typename T>
OperatorPtr<T> Diagonal<T>::do_normal(const NormalOptions&, Context&) const {
  const Array<Scalar> weights = copied_to(Device::cpu(), *weights_);
  Array<Scalar> squares(weights.shape());
  for (Index i = 0; i < squares.size(); ++i) squares[i] = std::norm(weights[i]);
  return Diagonal(moved_to(weights_->device(), std::move(squares))).share();
}

template <typename T>
void Diagonal<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                      Write write) const {
  for_each(ctx, out.size(),
           Multiply<T>{complex_values(weights_->data()), complex_values(in.data()),
                       complex_values(out.data()), way == Direction::adjoint, write == Write::accumulate});
}

template <typename T>
void RealPart<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  for_each(
      ctx, out.size(),
      TakeRealPart<T>{complex_values(in.data()), complex_values(out.data()), write == Write::accumulate});
}

template <typename T>
Pad<T>::Pad(const Shape& domain, const Shape& codomain) : TwoWayOperator<Pad<T>, T>(domain, codomain) {
  require_fit("Pad", domain, codomain);
}
template <typename T>
OperatorPtr<T> Pad<T>::do_normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}
template <typename T>
void Pad<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  copy_centred<T>(in, out, ctx, write);
}

#define LARMOR_INSTANTIATE(T) \
  template class Identity<T>; \
  template class Diagonal<T>; \
  template class RealPart<T>; \
  template class Pad<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
