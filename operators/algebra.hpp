#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <algorithm>

namespace LARMOR_API larmor {

namespace detail {
/// Throws Error (usage) if there are no parts, or if domains or codomains differ that must be equal.
template <typename T>
void check_parts(const std::string& name, const std::vector<OperatorPtr<T>>& parts, bool equal_domains,
                 bool equal_codomains);
/// The operators, with nested ones of type Whole replaced by their parts.
template <typename Whole, typename T>
std::vector<OperatorPtr<T>> flattened(const std::vector<Operator<T>>& operators) {
  std::vector<OperatorPtr<T>> flat;
  for (const OperatorPtr<T> op : operators) {
    if (dynamic_cast<const Whole*>(op.get()))
      for (const auto& part : op->children()) flat.push_back(part);
    else
      flat.push_back(op);
  }
  return flat;
}
}  // namespace detail

/// Base of operators made of others, which run one after another.
template <typename Derived, typename T, typename Base = TwoWayOperator<Derived, T>>
class OperatorOfParts : public Base {
 public:
  /// The parts, outermost first.
  std::vector<OperatorPtr<T>> children() const override { return parts_; }
  /// The maximum over the parts.
  std::size_t scratch_bytes(const Context& ctx) const override {
    std::size_t most = 0;
    for (const auto& part : parts_) most = std::max(most, part->scratch_bytes(ctx));
    return most;
  }
  /// The sum over the parts.
  std::size_t table_bytes() const override {
    std::size_t sum = 0;
    for (const auto& part : parts_) sum += part->table_bytes();
    return sum;
  }

 protected:
  /// Shares the parts.
  explicit OperatorOfParts(std::vector<OperatorPtr<T>> parts) : parts_(std::move(parts)) {}
  /// The same for values.
  explicit OperatorOfParts(const std::vector<Operator<T>>& parts) : parts_(parts.begin(), parts.end()) {}
  /// Shares the only part, with other shapes of domain and codomain.
  OperatorOfParts(const LinearOperator<T>& inner, const Shape& domain, const Shape& codomain)
      : Base(domain, codomain), parts_{inner.share()} {}
  /// The only part.
  const LinearOperator<T>& inner() const { return *parts_.front(); }
  /// The normal operator of each part.
  std::vector<Operator<T>> normals(const NormalOptions& options, Context& ctx) const {
    std::vector<Operator<T>> result;
    for (const auto& part : parts_) result.push_back(part->normal(options, ctx));
    return result;
  }

  std::vector<OperatorPtr<T>> parts_;  ///< outermost first
};

/// A₀ A₁ … Aₙ, applied from the right. Nested products are flattened, so that fused forms of neighbouring
/// factors are found.
template <typename T>
class Composition final : public OperatorOfParts<Composition<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) if neighbours' shapes do not fit.
  explicit Composition(const std::vector<Operator<T>>& factors);
  std::string name() const override { return "Composition"; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// A₀.normal_through(A₁) if A₀ knows a fused form, otherwise A₀.normal(), between the other factors'
  /// adjoints and themselves.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;
  /// A₀ weighted, with the other factors.
  OperatorPtr<T> do_weighted(View<const double> w, Context& ctx) const override;
};

/// Aᴴ as an operator.
template <typename T>
class Adjoint final : public OperatorOfParts<Adjoint<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Shares the operator.
  explicit Adjoint(const LinearOperator<T>& inner)
      : OperatorOfParts<Adjoint<T>, T>(inner, inner.codomain(), inner.domain()) {}
  std::string name() const override { return "Adjoint"; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
};

/// a A. A multiple of a multiple is simplified.
template <typename T>
class Scaled final : public OperatorOfParts<Scaled<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Shares the operator.
  Scaled(std::complex<double> factor, const LinearOperator<T>& inner);
  std::string name() const override { return "Scaled"; }
  /// |a|² times that of A.
  OperatorPtr<T> normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                Context& ctx) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// |a|² AᴴA
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  std::complex<double> factor_;
};

/// A₁ x + A₂ x + …; all with the same domain and codomain. Nested sums are flattened.
template <typename T>
class Sum final : public OperatorOfParts<Sum<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) if shapes differ.
  explicit Sum(const std::vector<Operator<T>>& terms);
  std::string name() const override { return "Sum"; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
};

/// A B
template <typename T>
Composition<T> operator*(const LinearOperator<T>& a, const LinearOperator<T>& b) {
  return Composition<T>({a, b});
}
/// a A
template <typename T>
Scaled<T> operator*(std::complex<double> factor, const LinearOperator<T>& a) {
  return Scaled<T>(factor, a);
}
/// A + B
template <typename T>
Sum<T> operator+(const LinearOperator<T>& a, const LinearOperator<T>& b) {
  return Sum<T>({a, b});
}
/// A − B
template <typename T>
Sum<T> operator-(const LinearOperator<T>& a, const LinearOperator<T>& b) {
  return Sum<T>({a, -1.0 * b});
}
/// Aᴴ; the adjoint of an adjoint is the operator itself.
template <typename T>
Operator<T> adjoint(const LinearOperator<T>& a);

}  // namespace larmor
