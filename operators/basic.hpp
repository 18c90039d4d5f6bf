#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// y = x
template <typename T>
class Identity final : public TwoWayOperator<Identity<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// For arrays of this shape.
  explicit Identity(const Shape& shape) : TwoWayOperator<Identity<T>, T>(shape, shape) {}
  std::string name() const override { return "Identity"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  OperatorPtr<T> do_normal(const NormalOptions&, Context&) const override { return this->share(); }
};

/// y_i = w_i x_i
template <typename T>
class Diagonal final : public TwoWayOperator<Diagonal<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// The weights are copied once, then shared.
  explicit Diagonal(View<const Scalar> weights);
  explicit Diagonal(Array<Scalar> weights);
  /// Weights that their owner may change between applications, as nonlinear models do.
  explicit Diagonal(std::shared_ptr<const Array<Scalar>> weights);
  std::string name() const override { return "Diagonal"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
  std::size_t table_bytes() const override { return weights_->view().bytes(); }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// The diagonal of |w|².
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  std::shared_ptr<const Array<Scalar>> weights_;
};

/// y = Re x, as complex numbers with zero imaginary part. Linear over the real numbers only, and its own
/// adjoint with respect to Re⟨x, y⟩: an orthogonal projection. Products with it are operators like all
/// others, except for multiples that are not real. Solvers use only real scalars, so that a right-hand side
/// that has passed through its adjoint keeps their iterates real.
template <typename T>
class RealPart final : public TwoWayOperator<RealPart<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// For arrays of this shape.
  explicit RealPart(const Shape& shape) : TwoWayOperator<RealPart<T>, T>(shape, shape) {}
  std::string name() const override { return "RealPart"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// Itself.
  OperatorPtr<T> do_normal(const NormalOptions&, Context&) const override { return this->share(); }
};

/// Multiplication of arrays of a shape by √w, on the context's device. w [samples]: of the last axes of the
/// shape, the same for all before them. Throws Error: usage for a number of weights that does not match the
/// last axes, input for negative ones and those that are not finite.
template <typename T>
Diagonal<T> weighted_rows(const Shape& shape, View<const double> w, Context& ctx);

/// Equations y = A x of a least-squares problem.
template <typename T>
struct Equations {
  Operator<T> A;
  Array<std::complex<T>> y;
};

/// √W A and √W y: min ½‖√W A x − √W y‖² is the weighted problem min ½ Σ_j w_j |(A x − y)_j|². The normal
/// operator AᴴWA is as fast as AᴴA if A starts with a Nufft. w [samples] and errors: as for weighted_rows().
/// y may be in host memory.
template <typename T>
Equations<T> weighted(const LinearOperator<T>& A, std::type_identity_t<View<const std::complex<T>>> y,
                      View<const double> w, Context& ctx);

/// Centred zero-padding: index ⌊N/2⌋ of each axis goes to index ⌊M/2⌋. Shapes of equal rank, M >= N on every
/// axis.
template <typename T>
class Pad final : public TwoWayOperator<Pad<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) for shapes that do not fit.
  Pad(const Shape& domain, const Shape& codomain);
  std::string name() const override { return "Pad"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// The identity.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;
};

}  // namespace larmor
