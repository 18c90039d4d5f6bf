#include <larmor/operators/reshaped.hpp>

#include <larmor/core/format_error.hpp>

namespace larmor {

template <typename T>
Reshaped<T>::Reshaped(const LinearOperator<T>& inner, const Shape& domain, const Shape& codomain)
    : OperatorBase<Reshaped<T>, T>(domain, codomain), inner_(inner.share()) {
  if (domain.size() != inner.domain().size() || codomain.size() != inner.codomain().size())
    throw usage_error("Reshaped: {} maps {} to {}, which cannot become {} to {}", inner.name(),
                      inner.domain().to_string(), inner.codomain().to_string(), domain.to_string(),
                      codomain.to_string());
}

template <typename T>
OperatorPtr<T> Reshaped<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return Reshaped(inner_->normal(options, ctx), this->domain(), this->domain()).share();
}

template <typename T>
void Reshaped<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  inner_->apply(x.reshaped(inner_->domain()), y.reshaped(inner_->codomain()), ctx, write);
}

template <typename T>
void Reshaped<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  inner_->adjoint(y.reshaped(inner_->codomain()), x.reshaped(inner_->domain()), ctx, write);
}

template class Reshaped<float>;
template class Reshaped<double>;

}  // namespace larmor
