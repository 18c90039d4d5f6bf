#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace LARMOR_API larmor {

/// Options of a Nufft.
struct NufftOptions {
  /// Acceptable relative l2 error against exact sums: 1e-1 … 1e-6 in float, 1e-1 … 1e-12 in double.
  double tolerance = 1e-3;
  /// Number of coils; 0: no coil axis in domain and codomain.
  Index batch = 0;
  /// Oversampling factor of the grid, 1.15 … 2.5; 0: chosen by a cost model.
  double oversampling = 0;
  /// Choose the smallest grid that reaches the tolerance instead of the fastest one: for limited memory.
  bool small_grid = false;
  /// Ortho scaling 1/√N (N the number of image pixels); otherwise plain sums.
  bool scaled = true;
  NufftMethod method = NufftMethod::gridding;
  /// Directions that will be used: tables of the other direction are not kept.
  bool forward = true, adjoint = true;
  /// Promise that samples given to adjoint() are real: imaginary parts must be 0, otherwise the result is
  /// meaningless. A CPU then transforms half a line in one dimension without coils, and mirrors the image,
  /// which is Hermitian; elsewhere it changes nothing. Such an operator is linear over real numbers only, so
  /// that forward must be false.
  bool real_samples = false;
  /// Size limit of the matrix in bytes, beyond which there is a resource error; 0: none.
  std::size_t matrix_byte_limit = 0;
};

template <typename T>
class Toeplitz;

/// Non-uniform Fourier transform of images to samples:
///   s_j = √d_j / √N  Σ_x ρ(x) exp(−2πi k_j·x),  x integer pixels from −⌊N/2⌋, k in cycles/pixel (x, y, z
///   columns).
/// domain [(batch,) (z,) (y,) x], codomain [(batch,) samples]. The density d (quadrature weights, >= 0;
/// empty: 1) is part of the operator, so that its normal operator stays a Toeplitz operator.
template <typename T>
class Nufft final : public TwoWayOperator<Nufft<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// trajectory [samples, dims], dims = image_shape.rank() in 1…3, any real numbers (periodic with 1).
  /// Throws Error: usage for tolerances out of reach (the message names the best reachable value), input for
  /// coordinates that are not finite.
  Nufft(View<const double> trajectory, const Shape& image_shape, const NufftOptions& options, Context& ctx);
  Nufft(View<const double> trajectory, View<const double> density, const Shape& image_shape,
        const NufftOptions& options, Context& ctx);

  std::string name() const override { return "Nufft"; }
  OperatorPtr<T> normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                Context& ctx) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// Both for a transform of `samples` samples that has not been made yet.
  static std::size_t scratch_bytes(const Shape& image_shape, Index samples, const NufftOptions& options,
                                   Context& ctx);
  static std::size_t table_bytes(const Shape& image_shape, Index samples, const NufftOptions& options,
                                 bool density, Context& ctx);

  /// The same transform for another number of coils; tables are shared.
  Nufft with_batch(Index batch) const;

  /// Requested values, and those chosen by the plan.
  double tolerance() const;
  NufftMethod method() const;
  double oversampling() const;
  int kernel_width() const;
  /// Relative l2 error of the forward transform of random data against exact sums at `targets` samples.
  double measured_error(Context& ctx, Index targets = 1000) const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;
  /// The same transform with the density multiplied by w; its plan is shared.
  OperatorPtr<T> do_weighted(View<const double> w, Context& ctx) const override;

 private:
  // For the image or a part of it. more_bytes: additional memory of a fused form, beyond the convolution's.
  std::optional<Toeplitz<T>> toeplitz(const Shape& image, const NormalOptions& options,
                                      std::size_t more_bytes, Context& ctx) const;
  void set_batch(Index batch);
  Index images() const { return std::max<Index>(1, batch_); }

  struct State;
  std::shared_ptr<const State> state_;
  Index batch_ = 0;
};

}  // namespace larmor
