#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Coil maps are extrapolated beyond the outer faces of their voxels by this fraction of their largest field
/// of view.
inline constexpr double maps_margin = 0.125;

/// True if voxels of one image coincide with those of the other, to a hundredth of a voxel.
bool same_voxels(const ImageGeometry& one, const ImageGeometry& other);

/// Kind of numbers on a grid. maps: coil maps, of which 0 is unknown; image: any numbers.
enum class Resampled { maps, image };

/// Coil maps on one grid, for resampling to others. Every channel is interpolated as a complex number by
/// cubic convolution (Keys 1981). The phase common to all channels of a voxel is arbitrary: it is removed
/// relative to the nearest voxel, interpolated separately and restored, and left unchanged where it jumps.
/// The root sum of squares becomes that of the neighbouring voxels. Voxels that are zero in all channels are
/// unknown: positions nearest to one of them give zero. Beyond the outermost voxels' centres maps are
/// extended by point reflection. Numbers of an image are interpolated directly, and not extended.
class ResampledMaps {
 public:
  /// maps [channels, z, y, x], or the maps of slices [slices, channels, y, x], which `geometry` gives in the
  /// same order and which must be parallel and evenly spaced. Throws Error (input) for slices that are not.
  ResampledMaps(View<const std::complex<float>> maps, const std::vector<ImageGeometry>& geometry,
                Context& ctx, Resampled what = Resampled::maps);

  /// Largest distance in mm of voxel centres of `image` from the maps' outer faces, along one of their axes.
  double overhang(const ImageGeometry& image) const;
  /// The largest supported overhang.
  double margin() const { return margin_; }
  /// True if the voxels of `image` are voxels of the maps, to a hundredth of a voxel.
  bool coincides(const ImageGeometry& image) const;
  /// Maps on the voxels of `image`, [channels, z, y, x]; copied where they coincide.
  void read(const ImageGeometry& image, View<std::complex<float>> out, Context& ctx) const;

 private:
  using Complex = std::complex<float>;
  struct Affine {
    Vec3 first{};    // index of voxel (0, 0, 0)
    Vec3 step[3]{};  // change of the index along x, y, z
    Vec3 at(const Vec3& voxel) const;
  };
  class Mixture;
  Affine indices_of(const ImageGeometry& image) const;
  Index place(Index x, Index y, Index z) const { return (z * matrix_[1] + y) * matrix_[0] + x; }
  const Complex* voxel(Index at) const { return voxels_.data() + at * channels_; }
  bool known(Index at) const { return state_[static_cast<std::size_t>(at)] != 0; }
  bool measured(Index at) const { return state_[static_cast<std::size_t>(at)] == 1; }
  void fill_around();
  double interpolate(const Vec3& index, Mixture& mixture, Complex* out) const;
  void sample(const Vec3& index, Mixture& mixture, Complex* inside, Complex* mirrored, Complex* out) const;

  bool maps_;
  Index channels_ = 0;
  std::array<Index, 3> matrix_{1, 1, 1};
  Vec3 origin_{}, size_{};  // of voxel (0, 0, 0), and of a voxel, in mm
  Vec3 to_index_[3]{};      // rows: index along an axis of a position in mm from the origin
  double margin_ = 0;
  std::vector<Complex> voxels_;  // [z, y, x][channels]
  std::vector<char> state_;      // for each voxel: 0 unknown, 1 known, 2 filled from neighbours
};

}  // namespace larmor
