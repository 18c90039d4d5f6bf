#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <complex>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace LARMOR_API larmor {

enum class Write { overwrite, accumulate };
/// A or Aᴴ.
enum class Direction { forward, adjoint };

/// Options for finding a faster form of AᴴA.
struct NormalOptions {
  enum class Toeplitz { automatic, on, off };
  Toeplitz toeplitz = Toeplitz::automatic;
  int expected_applies = 30;   ///< number of applications against which set-up cost is weighed
  std::size_t byte_limit = 0;  ///< limit of scratch and tables of the normal operator; 0: none
  friend bool operator==(const NormalOptions&, const NormalOptions&) = default;
};

template <typename T>
class LinearOperator;
template <typename T>
class Operator;
/// The nodes of a tree of operators.
template <typename T>
using OperatorPtr = std::shared_ptr<const LinearOperator<T>>;

namespace detail {
/// √W A only. Its data are √W y, which weighted() returns together with it.
template <typename T>
Operator<T> weighted_operator(const LinearOperator<T>& A, View<const double> w, Context& ctx);
}  // namespace detail

/// A linear map between complex arrays, T = float or double. Operators are values: immutable, cheap to copy
/// (they share their tables), combined with *, + and adjoint() (algebra.hpp). apply and adjoint check shape,
/// device and aliasing, then call do_apply and do_adjoint; scratch comes from the context's arena (reserved
/// on first use, or ahead with reserve()).
template <typename T>
class LinearOperator {
 public:
  using Scalar = std::complex<T>;

  virtual ~LinearOperator() = default;

  /// The shapes of x and of y = A x.
  const Shape& domain() const { return domain_; }
  const Shape& codomain() const { return codomain_; }
  /// "Nufft", "CoilMaps", … as it appears in error messages.
  virtual std::string name() const = 0;
  /// The operators this one is made of, outermost first; empty for a leaf.
  virtual std::vector<OperatorPtr<T>> children() const { return {}; }

  /// y = A x, or y += A x. Throws Error (usage) that names the operator and both shapes, or both devices, if
  /// they do not fit.
  void apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write = Write::overwrite) const;
  /// x = Aᴴ y, or x += Aᴴ y.
  void adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write = Write::overwrite) const;
  /// apply() or adjoint(), depending on the direction.
  void apply(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
             Write write = Write::overwrite) const {
    way == Direction::forward ? apply(in, out, ctx, write) : adjoint(in, out, ctx, write);
  }
  Array<Scalar> apply(View<const Scalar> x, Context& ctx) const;
  Array<Scalar> adjoint(View<const Scalar> y, Context& ctx) const;

  /// AᴴA in its fastest known form. May compute tables: call it once, before a loop.
  Operator<T> normal(const NormalOptions& options, Context& ctx) const;
  Operator<T> normal(Context& ctx) const;
  /// (A B)ᴴ(A B) in a fused form, if this operator A knows one for `inner` B; otherwise null.
  virtual OperatorPtr<T> normal_through(const LinearOperator<T>& /*inner*/, const NormalOptions&,
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
  /// An operator from arrays of one shape to arrays of another.
  LinearOperator(const Shape& domain, const Shape& codomain) : domain_(domain), codomain_(codomain) {}
  /// For constructors that know their shapes only after some work.
  void set_shapes(const Shape& domain, const Shape& codomain) {
    domain_ = domain;
    codomain_ = codomain;
  }

  /// The functions that an operator implements. Arguments have the right shapes, are on ctx.device() and do
  /// not overlap. Neither function may allocate or wait for the device; scratch is taken from ctx.arena(), at
  /// most scratch_bytes(). On a GPU the work goes to ctx.stream(). Solvers record the work of one call as a
  /// CUDA graph and replay it in later iterations (core/vectors/replay.hpp): the function itself then runs
  /// only a few times. Therefore it may not count its calls, draw random numbers or take decisions from
  /// values on the device, and every array that its kernels read must keep its address.
  virtual void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const = 0;
  virtual void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const = 0;
  /// The result of normal(); by default adjoint(A) * A.
  virtual OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const;
  /// √W A, the operator of weighted(); by default weighted_rows() * A.
  virtual OperatorPtr<T> do_weighted(View<const double> w, Context& ctx) const;

 private:
  friend class Operator<T>;
  template <typename U>
  friend Operator<U> detail::weighted_operator(const LinearOperator<U>& A, View<const double> w,
                                               Context& ctx);
  void check(const char* direction, const Shape& in_expected, View<const Scalar> in,
             const Shape& out_expected, View<const Scalar> out, Context& ctx) const;

  Shape domain_, codomain_;
};

/// Any operator as a value: it shares the one it was made from, and behaves like it. A default-constructed
/// one is empty and may only be tested and assigned to.
template <typename T>
class Operator final : public LinearOperator<T> {
 public:
  using Scalar = std::complex<T>;
  Operator() = default;
  /// Shares an operator.
  Operator(const LinearOperator<T>& shared) : Operator(shared.share()) {}
  /// The operator that the pointer holds; null: none.
  template <typename Held>
  requires std::convertible_to<std::shared_ptr<Held>, OperatorPtr<T>> Operator(std::shared_ptr<Held> held)
      : held_(std::move(held)) {
    if (held_) this->set_shapes(held_->domain(), held_->codomain());
  }
  /// True if there is an operator.
  explicit operator bool() const { return held_ != nullptr; }
  /// The operator as a shared pointer.
  operator OperatorPtr<T>() const { return held_; }

  std::string name() const override { return held().name(); }
  std::vector<OperatorPtr<T>> children() const override { return held().children(); }
  OperatorPtr<T> normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                Context& ctx) const override {
    return held().normal_through(inner, options, ctx);
  }
  std::size_t scratch_bytes(const Context& ctx) const override { return held().scratch_bytes(ctx); }
  std::size_t table_bytes() const override { return held().table_bytes(); }
  /// A shared copy of the derived operator.
  OperatorPtr<T> share() const override { return held_; }
  /// The operator itself. Throws Error (usage) if it is empty.
  const LinearOperator<T>& held() const;

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override {
    held().do_apply(x, y, ctx, write);
  }
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override {
    held().do_adjoint(y, x, ctx, write);
  }
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override {
    return held().do_normal(options, ctx);
  }
  OperatorPtr<T> do_weighted(View<const double> w, Context& ctx) const override {
    return held().do_weighted(w, ctx);
  }

 private:
  OperatorPtr<T> held_;
};

/// Base class of a concrete operator: implements share().
template <typename Derived, typename T>
class OperatorBase : public LinearOperator<T> {
 public:
  using LinearOperator<T>::LinearOperator;
  /// A shared copy of the derived operator.
  OperatorPtr<T> share() const override {
    constexpr bool copies = std::is_copy_constructible_v<Derived>;
    static_assert(copies,
                  "an operator is copied when it is shared: hold a table as std::shared_ptr<const Array<…>>, "
                  "not as an Array, which cannot be copied");
    if constexpr (copies) return std::make_shared<const Derived>(static_cast<const Derived&>(*this));
  }
};

/// Base class of an operator that implements both directions as one function.
template <typename Derived, typename T>
class TwoWayOperator : public OperatorBase<Derived, T> {
 public:
  using Scalar = std::complex<T>;
  using OperatorBase<Derived, T>::OperatorBase;

 protected:
  /// do_apply or do_adjoint.
  virtual void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                   Write write) const = 0;
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const final {
    run(Direction::forward, x, y, ctx, write);
  }
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const final {
    run(Direction::adjoint, y, x, ctx, write);
  }
};

/// Calls visit(operator, depth) for an operator and all its children.
template <typename T, typename Visit>
void walk(const LinearOperator<T>& root, const Visit& visit, int depth = 0) {
  if (const auto* handle = dynamic_cast<const Operator<T>*>(&root)) return walk(handle->held(), visit, depth);
  visit(root, depth);
  for (const auto& child : root.children()) walk(*child, visit, depth + 1);
}
/// The tree of names, one per line, indented.
template <typename T>
std::string describe(const LinearOperator<T>& root);

}  // namespace larmor
