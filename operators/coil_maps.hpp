#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// Multiplies an image by coil sensitivity maps: y[c] = m[c] x. domain [(z,) y, x], codomain [coil, (z,) y,
/// x].
template <typename T>
class CoilMaps final : public TwoWayOperator<CoilMaps<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// maps [coil, (z,) y, x]; copied once, then shared.
  explicit CoilMaps(View<const Scalar> maps);
  explicit CoilMaps(Array<Scalar> maps);
  /// Maps that their owner may change between applications, as nonlinear models do.
  explicit CoilMaps(std::shared_ptr<const Array<Scalar>> maps);
  std::string name() const override { return "CoilMaps"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
  std::size_t table_bytes() const override;
  View<const Scalar> maps() const { return maps_->view().slices(first_, this->codomain()[0]); }
  Placement placement() const { return maps_->placement(); }
  /// The maps of coils first … first + count − 1; shared.
  CoilMaps coils(Index first, Index count) const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  std::shared_ptr<const Array<Scalar>> maps_;
  Index first_ = 0;
};

}  // namespace larmor
