#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/transforms/wavelet_kernels.hpp>

namespace LARMOR_API larmor {

/// The wavelet, and the number of levels.
struct WaveletOptions {
  int vanishing_moments = 4;  ///< of Daubechies' wavelet, 1 to 10
  int levels = 4;             ///< at most; an axis stops when its low band is shorter than the filter
};

/// The orthogonal wavelet transform of the last `space` axes (1 to 3), for each entry of the slower ones:
/// [shape] -> [shape], with the inverse as its adjoint, ‖W‖ = 1, WᴴW = WWᴴ = 1 for every shape. Lines are
/// rings (periodic boundary). A line of odd length is transformed without its last value, which keeps its
/// place. Coefficients as Mallat orders them: of a line of n its first ⌊n/2⌋ are the low band, which the next
/// level transforms, the next ⌊n/2⌋ the high band.
template <typename T>
class Wavelet final : public TwoWayOperator<Wavelet<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Along the last `space` axes of the shape.
  Wavelet(const Shape& shape, int space, const WaveletOptions& options = {});
  std::string name() const override { return "Wavelet"; }
  std::size_t scratch_bytes(const Context& ctx) const override;

  /// The same transform for this number of arrays: [copies, shape] -> [copies, shape].
  Wavelet repeated(Index copies) const { return Wavelet(this->domain().prepend(copies), space_, options_); }

  /// Number of levels of the longest axis; 0: the transform is the identity.
  int levels() const { return static_cast<int>(passes_.size()); }
  /// Entries of the slower axes.
  Index batch() const { return extent_[0]; }
  const DetailBands& details() const { return details_; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// The identity.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  // One level: the box and the axes along which it is transformed.
  struct Level {
    std::int64_t extent[4];
    std::vector<int> axes;
  };
  template <typename Body>
  void run_level(const Level& level, const Scalar* from, Scalar* out, Scalar* other, Context& ctx) const;
  void forward(const Scalar* x, Scalar* y, Context& ctx) const;
  void inverse(const Scalar* y, Scalar* x, Context& ctx) const;

  int space_;
  WaveletOptions options_;
  std::int64_t extent_[4], stride_[4];
  WaveletPass<T> filter_{};
  std::vector<Level> passes_;
  DetailBands details_{};
};

}  // namespace larmor
