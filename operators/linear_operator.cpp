#include <larmor/operators/algebra.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <larmor/core/format_error.hpp>

namespace LARMOR_API larmor {
namespace {

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto* p = static_cast<const char*>(a);
  const auto* q = static_cast<const char*>(b);
  return p < q + b_bytes && q < p + a_bytes;
}

}  // namespace

template <typename T>
void LinearOperator<T>::check(const char* direction, const Shape& in_expected, View<const Scalar> in,
                              const Shape& out_expected, View<const Scalar> out, Context& ctx) const {
  if (!(in.shape() == in_expected))
    throw usage_error("{}: {} input has shape {}, expected {}", name(), direction, in.shape().to_string(),
                      in_expected.to_string());
  if (!(out.shape() == out_expected))
    throw usage_error("{}: {} output has shape {}, expected {}", name(), direction, out.shape().to_string(),
                      out_expected.to_string());
  if (!(in.device() == ctx.device()) || !(out.device() == ctx.device()))
    throw usage_error("{}: {} input on {} and output on {}, but the context computes on {}", name(),
                      direction, in.device().to_string(), out.device().to_string(), ctx.device().to_string());
  if (overlap(in.data(), in.bytes(), out.data(), out.bytes()))
    throw usage_error("{}: {} input and output overlap in memory", name(), direction);
}

template <typename T>
void LinearOperator<T>::apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  check("apply", domain_, x, codomain_, y, ctx);
  reserve(ctx);
  do_apply(x, y, ctx, write);
}

template <typename T>
void LinearOperator<T>::adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  check("adjoint", codomain_, y, domain_, x, ctx);
  reserve(ctx);
  do_adjoint(y, x, ctx, write);
}

template <typename T>
Array<std::complex<T>> LinearOperator<T>::apply(View<const Scalar> x, Context& ctx) const {
  Array<Scalar> y(codomain_, ctx.device());
  apply(x, y, ctx);
  return y;
}

template <typename T>
Array<std::complex<T>> LinearOperator<T>::adjoint(View<const Scalar> y, Context& ctx) const {
  Array<Scalar> x(domain_, ctx.device());
  adjoint(y, x, ctx);
  return x;
}

template <typename T>
Operator<T> LinearOperator<T>::normal(const NormalOptions& options, Context& ctx) const {
  return do_normal(options, ctx);
}

template <typename T>
Operator<T> LinearOperator<T>::normal(Context& ctx) const {
  return do_normal(NormalOptions{}, ctx);
}

template <typename T>
OperatorPtr<T> LinearOperator<T>::do_normal(const NormalOptions&, Context&) const {
  return Composition<T>({larmor::adjoint(*this), *this}).share();
}

template <typename T>
Operator<T> detail::weighted_operator(const LinearOperator<T>& A, View<const double> w, Context& ctx) {
  return A.do_weighted(w, ctx);
}

template <typename T>
OperatorPtr<T> LinearOperator<T>::do_weighted(View<const double> w, Context& ctx) const {
  return Composition<T>({weighted_rows<T>(codomain(), w, ctx), *this}).share();
}

template <typename T>
const LinearOperator<T>& Operator<T>::held() const {
  if (!held_) throw usage_error("Operator: it is empty; assign an operator to it first");
  return *held_;
}

template <typename T>
std::string describe(const LinearOperator<T>& root) {
  std::string text;
  walk(root, [&](const LinearOperator<T>& op, int depth) {
    text += fmt::format("{:{}}{} {} <- {}\n", "", 2 * depth, op.name(), op.codomain().to_string(),
                        op.domain().to_string());
  });
  return text;
}

#define LARMOR_INSTANTIATE(T)                                                                             \
  template class LinearOperator<T>;                                                                       \
  template class Operator<T>;                                                                             \
  template Operator<T> detail::weighted_operator(const LinearOperator<T>&, View<const double>, Context&); \
  template std::string describe<T>(const LinearOperator<T>&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
