#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// Entries [first, first + extent) of each axis of an image, slowest axis first.
struct ImageBox {
  Shape first, extent;
  friend bool operator==(const ImageBox& a, const ImageBox& b) {
    return a.first == b.first && a.extent == b.extent;
  }
};

/// The smallest box outside which all maps [coil, (z,) y, x], in host memory, are zero; for maps that are
/// zero everywhere, the whole image.
template <typename T>
ImageBox box_of_maps(View<const std::complex<T>> maps, const Context& ctx);

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
  /// The same maps, which are zero outside the box: normal operators skip what lies outside. Throws Error
  /// (usage) if it is not within the image.
  CoilMaps within(const ImageBox& box) const;
  /// The box given to within(), otherwise the whole image.
  const ImageBox& box() const { return box_; }
  /// The maps of coils first … first + count − 1; shared.
  CoilMaps coils(Index first, Index count) const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  std::shared_ptr<const Array<Scalar>> maps_;
  Index first_ = 0;
  ImageBox box_;
};

}  // namespace larmor
