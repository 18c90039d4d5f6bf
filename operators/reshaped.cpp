#include <larmor/operators/reshaped.hpp>

#include <larmor/core/format_error.hpp>

namespace larmor {

template <typename T>
Reshaped<T>::Reshaped(const LinearOperator<T>& inner, const Shape& domain, const Shape& codomain)
    : OperatorOfParts<Reshaped<T>, T>(inner, domain, codomain) {
  if (domain.size() != inner.domain().size() || codomain.size() != inner.codomain().size())
    throw usage_error("Reshaped: {} maps {} to {}, which cannot become {} to {}", inner.name(),
                      inner.domain().to_string(), inner.codomain().to_string(), domain.to_string(),
                      codomain.to_string());
}

template <typename T>
OperatorPtr<T> Reshaped<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return Reshaped(this->inner().normal(options, ctx), this->domain(), this->domain()).share();
}

template <typename T>
void Reshaped<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                      Write write) const {
  const bool forward = way == Direction::forward;
  const LinearOperator<T>& inner = this->inner();
  const Shape &from = forward ? inner.domain() : inner.codomain(),
              &to = forward ? inner.codomain() : inner.domain();
  inner.apply(way, in.reshaped(from), out.reshaped(to), ctx, write);
}

template class Reshaped<float>;
template class Reshaped<double>;

}  // namespace larmor
