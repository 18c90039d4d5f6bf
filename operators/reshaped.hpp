#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// The same operator between arrays of other shapes and equal sizes: [frames, y, x] instead of a flat domain.
/// Nothing is copied.
template <typename T>
class Reshaped final : public OperatorOfParts<Reshaped<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) if sizes differ.
  Reshaped(const LinearOperator<T>& inner, const Shape& domain, const Shape& codomain);
  std::string name() const override { return "Reshaped"; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// The normal operator of the inner operator, reshaped.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;
};

}  // namespace larmor
