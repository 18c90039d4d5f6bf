#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/vector_ops.hpp>

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

enum class Write { overwrite, accumulate };

/// What A.normal() may do to find a faster form of AᴴA.
struct NormalOptions {
  enum class Toeplitz { automatic, on, off };
  Toeplitz toeplitz = Toeplitz::automatic;
  int expected_applies = 30;   ///< set-up cost is weighed against this many applies
  std::size_t byte_limit = 0;  ///< scratch and tables of the normal operator; 0: no limit
  friend bool operator==(const NormalOptions&, const NormalOptions&) = default;
};

template <typename T>
class LinearOperator;
template <typename T>
using OperatorPtr = std::shared_ptr<const LinearOperator<T>>;

/// A linear map between complex arrays, T = float or double.
/// Operators are values: immutable, cheap to copy (they share their tables), multiplied with *.
/// apply and adjoint check shape, device and aliasing, then call do_apply / do_adjoint, which neither
/// allocate nor synchronise; scratch comes from the context's arena (reserved on first use, or ahead with
/// reserve()).
template <typename T>
class LinearOperator {
 public:
  using Scalar = std::complex<T>;

  virtual ~LinearOperator() = default;

  const Shape& domain() const { return domain_; }
  const Shape& codomain() const { return codomain_; }
  /// "Nufft", "CoilMaps", … as it appears in error messages.
  virtual std::string name() const = 0;
  /// The operators this one is made of, outermost first; empty for a leaf.
  virtual std::vector<OperatorPtr<T>> children() const { return {}; }

  /// y = A x, or y += A x. Throws Error (internal) that names the operator and both shapes when they do not
  /// fit.
  void apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write = Write::overwrite) const;
  /// x = Aᴴ y, or x += Aᴴ y.
  void adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write = Write::overwrite) const;
  Array<Scalar> apply(View<const Scalar> x, Context& ctx) const;
  Array<Scalar> adjoint(View<const Scalar> y, Context& ctx) const;

  /// AᴴA in its fastest known form; by default adjoint_of(A) * A. May compute tables: call it once, before a
  /// loop.
  virtual OperatorPtr<T> normal(const NormalOptions& options, Context& ctx) const;
  OperatorPtr<T> normal(Context& ctx) const { return normal(NormalOptions{}, ctx); }
  /// (A B)ᴴ(A B) in a fused form, when this operator A knows one for `inner` B; otherwise null.
  virtual OperatorPtr<T> normal_through(const LinearOperator& /*inner*/, const NormalOptions&,
                                        Context&) const {
    return nullptr;
  }

  /// Bytes of arena that apply or adjoint needs, the larger of the two, children included.
  virtual std::size_t scratch_bytes(const Context& ctx) const = 0;
  /// Bytes of tables that this operator keeps (maps, PSF, sorted points), children included.
  virtual std::size_t table_bytes() const { return 0; }
  /// Reserves the arena for this operator.
  void reserve(Context& ctx) const { ctx.arena().reserve(scratch_bytes(ctx)); }

  /// A shared copy; cheap, because tables are shared.
  virtual OperatorPtr<T> share() const = 0;

 protected:
  LinearOperator() = default;
  LinearOperator(const Shape& domain, const Shape& codomain) : domain_(domain), codomain_(codomain) {}
  /// For constructors that know their shapes only after some work.
  void set_shapes(const Shape& domain, const Shape& codomain) {
    domain_ = domain;
    codomain_ = codomain;
  }

  virtual void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const = 0;
  virtual void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const = 0;

 private:
  void check(const char* direction, const Shape& in_expected, View<const Scalar> in,
             const Shape& out_expected, View<const Scalar> out, Context& ctx) const;

  Shape domain_, codomain_;
};

/// Base of a concrete operator: gives it share().
template <typename Derived, typename T>
class OperatorBase : public LinearOperator<T> {
 public:
  using LinearOperator<T>::LinearOperator;
  OperatorPtr<T> share() const override {
    return std::make_shared<const Derived>(static_cast<const Derived&>(*this));
  }
};

/// A₀ A₁ … Aₙ, applied from the right. Nested products are flattened, so that a factor meets its neighbour.
template <typename T>
class Composition final : public OperatorBase<Composition<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (internal) when neighbours' shapes do not fit.
  explicit Composition(std::vector<OperatorPtr<T>> factors);
  std::string name() const override { return "Composition"; }
  std::vector<OperatorPtr<T>> children() const override { return factors_; }
  /// A₀.normal_through(A₁) when A₀ knows a fused form, else A₀.normal(), between the other factors' adjoints
  /// and themselves.
  OperatorPtr<T> normal(const NormalOptions& options, Context& ctx) const override;
  using LinearOperator<T>::normal;
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;

 private:
  std::vector<OperatorPtr<T>> factors_;
};

/// Aᴴ as an operator.
template <typename T>
class Adjoint final : public OperatorBase<Adjoint<T>, T> {
 public:
  using Scalar = std::complex<T>;
  explicit Adjoint(OperatorPtr<T> inner);
  std::string name() const override { return "Adjoint"; }
  std::vector<OperatorPtr<T>> children() const override { return {inner_}; }
  std::size_t scratch_bytes(const Context& ctx) const override { return inner_->scratch_bytes(ctx); }
  std::size_t table_bytes() const override { return inner_->table_bytes(); }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;

 private:
  OperatorPtr<T> inner_;
};

template <typename T>
OperatorPtr<T> adjoint_of(const LinearOperator<T>& inner);

/// A B
template <typename T>
Composition<T> operator*(const LinearOperator<T>& a, const LinearOperator<T>& b) {
  return Composition<T>({a.share(), b.share()});
}

/// Calls visit(operator, depth) for an operator and everything it is made of.
template <typename T, typename Visit>
void walk(const LinearOperator<T>& root, const Visit& visit, int depth = 0) {
  visit(root, depth);
  for (const auto& child : root.children()) walk(*child, visit, depth + 1);
}
/// The tree of names, one line each, indented.
template <typename T>
std::string describe(const LinearOperator<T>& root);

}  // namespace larmor
