#include <larmor/core/format_error.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/basic.hpp>

namespace LARMOR_API larmor {

template <typename T>
void detail::check_parts(const std::string& name, const std::vector<OperatorPtr<T>>& parts,
                         bool equal_domains, bool equal_codomains) {
  if (parts.empty()) throw usage_error("{}: no operators", name);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i]) throw usage_error("{}: operator {} of {} is empty", name, i + 1, parts.size());
  const LinearOperator<T>& first = *parts.front();
  for (const auto& part : parts) {
    if (equal_domains && !(part->domain() == first.domain()))
      throw usage_error("{}: {} takes {}, but {} takes {}", name, first.name(), first.domain().to_string(),
                        part->name(), part->domain().to_string());
    if (equal_codomains && !(part->codomain() == first.codomain()))
      throw usage_error("{}: {} gives {}, but {} gives {}", name, first.name(), first.codomain().to_string(),
                        part->name(), part->codomain().to_string());
  }
}

template <typename T>
Composition<T>::Composition(const std::vector<Operator<T>>& factors)
    : OperatorOfParts<Composition<T>, T>(detail::flattened<Composition<T>>(factors)) {
  detail::check_parts("Composition", this->parts_, false, false);
  for (std::size_t i = 0; i + 1 < this->parts_.size(); ++i) {
    if (!(this->parts_[i]->domain() == this->parts_[i + 1]->codomain()))
      throw usage_error("Composition: {} takes {}, but {} gives {}", this->parts_[i]->name(),
                        this->parts_[i]->domain().to_string(), this->parts_[i + 1]->name(),
                        this->parts_[i + 1]->codomain().to_string());
  }
  this->set_shapes(this->parts_.back()->domain(), this->parts_.front()->codomain());
}

template <typename T>
OperatorPtr<T> Composition<T>::do_weighted(View<const double> w, Context& ctx) const {
  std::vector<Operator<T>> factors(this->parts_.begin(), this->parts_.end());
  factors.front() = detail::weighted_operator(factors.front(), w, ctx);
  return Composition(factors).share();
}

template <typename T>
OperatorPtr<T> Composition<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  const auto& outer = this->parts_.front();
  if (this->parts_.size() == 1) return outer->normal(options, ctx);
  // Factors inside A₀ (and its fused neighbour) appear on both sides of the middle.
  const auto around = [&](std::size_t first, OperatorPtr<T> middle) -> OperatorPtr<T> {
    if (first == this->parts_.size()) return middle;
    const Operator<T> rest =
        first + 1 == this->parts_.size()
            ? this->parts_.back()
            : Composition(std::vector<Operator<T>>(this->parts_.begin() + static_cast<std::ptrdiff_t>(first),
                                                   this->parts_.end()))
                  .share();
    return Composition({larmor::adjoint(rest), std::move(middle), rest}).share();
  };
  if (auto fused = outer->normal_through(*this->parts_[1], options, ctx)) return around(2, std::move(fused));
  return around(1, outer->normal(options, ctx));
}

// Values between factors alternate between two buffers, each of the size of its largest value.
template <typename T>
std::size_t Composition<T>::scratch_bytes(const Context& ctx) const {
  std::size_t buffers[2] = {0, 0}, inner = 0;
  for (std::size_t i = 0; i + 1 < this->parts_.size(); ++i)
    buffers[i % 2] = std::max(buffers[i % 2], Scratch::bytes<Scalar>(this->parts_[i]->domain()));
  for (const auto& factor : this->parts_) inner = std::max(inner, factor->scratch_bytes(ctx));
  return buffers[0] + buffers[1] + inner;
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
void Composition<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                         Write write) const {
  Scratch scratch(ctx);
  const PingPong<T> values(this->parts_, scratch);
  const bool forward = way == Direction::forward;
  const std::size_t last = this->parts_.size() - 1;
  for (std::size_t step = 0; step < last; ++step) {
    const auto& part = this->parts_[forward ? last - step : step];
    View<Scalar> next =
        forward ? values.between(last - step - 1, part->codomain()) : values.between(step, part->domain());
    part->apply(way, in, next, ctx);
    in = next;
  }
  this->parts_[forward ? 0 : last]->apply(way, in, out, ctx, write);
}

template <typename T>
void Adjoint<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                     Write write) const {
  const bool forward = way == Direction::forward;
  this->inner().apply(forward ? Direction::adjoint : Direction::forward, in, out, ctx, write);
}

template <typename T>
Scaled<T>::Scaled(std::complex<double> factor, const LinearOperator<T>& inner)
    : OperatorOfParts<Scaled<T>, T>(inner, inner.domain(), inner.codomain()), factor_(factor) {
  if (const auto* scaled = dynamic_cast<const Scaled*>(this->parts_[0].get())) {
    factor_ *= scaled->factor_;
    this->parts_ = std::vector(scaled->parts_);
  }
  // The adjoint of i·Re is Re after a multiplication by −i, not the other way round.
  if (factor_.imag() == 0) return;
  walk<T>(this->inner(), [](const LinearOperator<T>& part, int) {
    if (dynamic_cast<const RealPart<T>*>(&part))
      throw usage_error(
          "Scaled: RealPart is linear over the real numbers only, but the factor is complex; multiply by a "
          "Diagonal");
  });
}

template <typename T>
OperatorPtr<T> Scaled<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return Scaled(std::norm(factor_), this->inner().normal(options, ctx)).share();
}

template <typename T>
OperatorPtr<T> Scaled<T>::normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                         Context& ctx) const {
  const auto fused = this->inner().normal_through(inner, options, ctx);
  return fused ? Scaled(std::norm(factor_), *fused).share() : nullptr;
}

// The previous content must not be scaled: the product is computed separately first.
template <typename T>
std::size_t Scaled<T>::scratch_bytes(const Context& ctx) const {
  return std::max(Scratch::bytes<Scalar>(this->domain()), Scratch::bytes<Scalar>(this->codomain())) +
         this->inner().scratch_bytes(ctx);
}

template <typename T>
void Scaled<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  Scratch scratch(ctx);
  const View<Scalar> product = write == Write::accumulate ? scratch.take<Scalar>(out.shape()) : out;
  const auto factor = way == Direction::forward ? factor_ : std::conj(factor_);
  this->inner().apply(way, in, product, ctx);
  if (write == Write::accumulate)
    axpy<T>(factor, product, out, ctx);
  else
    scale<T>(factor, out, ctx);
}

template <typename T>
Sum<T>::Sum(const std::vector<Operator<T>>& terms)
    : OperatorOfParts<Sum<T>, T>(detail::flattened<Sum<T>>(terms)) {
  detail::check_parts("Sum", this->parts_, true, true);
  this->set_shapes(this->parts_.front()->domain(), this->parts_.front()->codomain());
}

// The first term writes as requested, the others add.
template <typename T>
void Sum<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  for (const auto& term : this->parts_) {
    term->apply(way, in, out, ctx, write);
    write = Write::accumulate;
  }
}

template <typename T>
Operator<T> adjoint(const LinearOperator<T>& a) {
  const OperatorPtr<T> shared = a.share();
  if (dynamic_cast<const Adjoint<T>*>(shared.get())) return shared->children().front();
  return std::make_shared<const Adjoint<T>>(Operator<T>(shared));
}

#define LARMOR_INSTANTIATE(T)                                                                               \
  template void detail::check_parts<T>(const std::string&, const std::vector<OperatorPtr<T>>&, bool, bool); \
  template class Composition<T>;                                                                            \
  template class Adjoint<T>;                                                                                \
  template class Scaled<T>;                                                                                 \
  template class Sum<T>;                                                                                    \
  template Operator<T> adjoint<T>(const LinearOperator<T>&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
