#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// Centred, unitary discrete Fourier transform over the last `rank` axes, batched over the others:
///   X(k) = 1/√N Σ_x ρ(x) exp(−2πi k·x/N), pixel and frequency 0 at index ⌊N/2⌋ of each axis.
template <typename T>
class Fft final : public TwoWayOperator<Fft<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// For arrays of this shape; throws Error if they have fewer axes than `rank`.
  Fft(const Shape& shape, int rank);
  std::string name() const override { return "Fft"; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// The identity.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  int rank_;
  FftPlan<T> plan_;
};

}  // namespace larmor
