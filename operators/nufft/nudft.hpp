#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>

namespace LARMOR_API larmor {

/// The exact non-uniform discrete Fourier transform, summed in double: the reference for Nufft, with the same
/// conventions (see Nufft; batch 0: no coil axis). The cost is samples × pixels. It runs on the device that
/// holds the trajectory.
template <typename T>
class Nudft final : public OperatorBase<Nudft<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Same arguments as Nufft.
  Nudft(View<const double> trajectory, const Shape& image_shape, Index batch = 0,
        View<const double> density = {}, bool scaled = true);
  std::string name() const override { return "Nudft"; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;

 private:
  void on_device(View<const Scalar> in, View<Scalar> out, bool forward, Context& ctx, Write write) const;

  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace larmor
