#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// The same operator between arrays of other shapes and equal sizes: [frames, y, x] instead of a flat domain.
/// Nothing is copied.
template <typename T>
class Reshaped final : public OperatorBase<Reshaped<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) when sizes differ.
  Reshaped(const LinearOperator<T>& inner, const Shape& domain, const Shape& codomain);
  std::string name() const override { return "Reshaped"; }
  std::vector<OperatorPtr<T>> children() const override { return {inner_}; }
  std::size_t scratch_bytes(const Context& ctx) const override { return inner_->scratch_bytes(ctx); }
  std::size_t table_bytes() const override { return inner_->table_bytes(); }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;
  /// That of the inner operator, reshaped.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  OperatorPtr<T> inner_;
};

}  // namespace larmor
