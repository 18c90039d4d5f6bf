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
    throw internal_error("{}: {} input has shape {}, expected {}", name(), direction, in.shape().to_string(),
                         in_expected.to_string());
  if (!(out.shape() == out_expected))
    throw internal_error("{}: {} output has shape {}, expected {}", name(), direction,
                         out.shape().to_string(), out_expected.to_string());
  if (!(in.device() == ctx.device()) || !(out.device() == ctx.device()))
    throw internal_error("{}: {} input on {} and output on {}, but the context computes on {}", name(),
                         direction, in.device().to_string(), out.device().to_string(),
                         ctx.device().to_string());
  if (overlap(in.data(), in.bytes(), out.data(), out.bytes()))
    throw internal_error("{}: {} input and output overlap in memory", name(), direction);
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
OperatorPtr<T> LinearOperator<T>::normal(const NormalOptions&, Context&) const {
  return Composition<T>({adjoint_of(*this), share()}).share();
}

template <typename T>
Composition<T>::Composition(std::vector<OperatorPtr<T>> factors) {
  for (const auto& factor : factors) {
    if (const auto* product = dynamic_cast<const Composition*>(factor.get()))
      factors_.insert(factors_.end(), product->factors_.begin(), product->factors_.end());
    else
      factors_.push_back(factor);
  }
  if (factors_.empty()) throw internal_error("Composition: no factors");
  for (std::size_t i = 0; i + 1 < factors_.size(); ++i) {
    if (!(factors_[i]->domain() == factors_[i + 1]->codomain()))
      throw internal_error("Composition: {} takes {}, but {} gives {}", factors_[i]->name(),
                           factors_[i]->domain().to_string(), factors_[i + 1]->name(),
                           factors_[i + 1]->codomain().to_string());
  }
  this->set_shapes(factors_.back()->domain(), factors_.front()->codomain());
}

template <typename T>
OperatorPtr<T> Composition<T>::normal(const NormalOptions& options, Context& ctx) const {
  const auto& outer = factors_.front();
  if (factors_.size() == 1) return outer->normal(options, ctx);
  // What lies inside of A₀ (and of its fused neighbour) stands on both sides of the middle.
  const auto around = [&](std::size_t first, OperatorPtr<T> middle) -> OperatorPtr<T> {
    if (first == factors_.size()) return middle;
    const Composition rest(
        std::vector<OperatorPtr<T>>(factors_.begin() + static_cast<std::ptrdiff_t>(first), factors_.end()));
    const LinearOperator<T>& inner =
        rest.factors_.size() == 1 ? *rest.factors_.front() : static_cast<const LinearOperator<T>&>(rest);
    return Composition({adjoint_of(inner), std::move(middle), inner.share()}).share();
  };
  if (auto fused = outer->normal_through(*factors_[1], options, ctx)) return around(2, std::move(fused));
  return around(1, outer->normal(options, ctx));
}

// Values between factors alternate between two buffers, each as large as its largest value.
template <typename T>
std::size_t Composition<T>::scratch_bytes(const Context& ctx) const {
  std::size_t buffers[2] = {0, 0}, inner = 0;
  for (std::size_t i = 0; i + 1 < factors_.size(); ++i)
    buffers[i % 2] = std::max(buffers[i % 2], Scratch::bytes<Scalar>(factors_[i]->domain()));
  for (const auto& factor : factors_) inner = std::max(inner, factor->scratch_bytes(ctx));
  return buffers[0] + buffers[1] + inner;
}

template <typename T>
std::size_t Composition<T>::table_bytes() const {
  std::size_t sum = 0;
  for (const auto& factor : factors_) sum += factor->table_bytes();
  return sum;
}

namespace {

// Two buffers that hold the values between factors in turn.
template <typename T>
struct PingPong {
  PingPong(const std::vector<OperatorPtr<T>>& factors, Scratch& scratch) {
    Index sizes[2] = {0, 0};
    for (std::size_t i = 0; i + 1 < factors.size(); ++i)
      sizes[i % 2] = std::max(sizes[i % 2], factors[i]->domain().size());
    for (int side = 0; side < 2; ++side) buffer[side] = scratch.take<std::complex<T>>({sizes[side]});
  }
  // The value between factor i and factor i + 1.
  View<std::complex<T>> between(std::size_t i, const Shape& shape) const {
    return View<std::complex<T>>(buffer[i % 2].data(), shape, buffer[i % 2].device());
  }
  View<std::complex<T>> buffer[2];
};

}  // namespace

template <typename T>
void Composition<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  Scratch scratch(ctx);
  const PingPong<T> values(factors_, scratch);
  View<const Scalar> in = x;
  for (std::size_t i = factors_.size(); i-- > 1;) {
    View<Scalar> out = values.between(i - 1, factors_[i]->codomain());
    factors_[i]->apply(in, out, ctx);
    in = out;
  }
  factors_[0]->apply(in, y, ctx, write);
}

template <typename T>
void Composition<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  Scratch scratch(ctx);
  const PingPong<T> values(factors_, scratch);
  View<const Scalar> in = y;
  for (std::size_t i = 0; i + 1 < factors_.size(); ++i) {
    View<Scalar> out = values.between(i, factors_[i]->domain());
    factors_[i]->adjoint(in, out, ctx);
    in = out;
  }
  factors_.back()->adjoint(in, x, ctx, write);
}

template <typename T>
Adjoint<T>::Adjoint(OperatorPtr<T> inner)
    : OperatorBase<Adjoint<T>, T>(inner->codomain(), inner->domain()), inner_(std::move(inner)) {}

template <typename T>
void Adjoint<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  inner_->adjoint(x, y, ctx, write);
}

template <typename T>
void Adjoint<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  inner_->apply(y, x, ctx, write);
}

template <typename T>
OperatorPtr<T> adjoint_of(const LinearOperator<T>& inner) {
  if (dynamic_cast<const Adjoint<T>*>(&inner)) return inner.children().front();
  return std::make_shared<const Adjoint<T>>(inner.share());
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

#define LARMOR_INSTANTIATE(T)                                      \
  template class LinearOperator<T>;                                \
  template class Composition<T>;                                   \
  template class Adjoint<T>;                                       \
  template OperatorPtr<T> adjoint_of<T>(const LinearOperator<T>&); \
  template std::string describe<T>(const LinearOperator<T>&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
