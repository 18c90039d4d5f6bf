#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Coil maps go on beyond the outer faces of their voxels by this fraction of their largest field of view.
inline constexpr double maps_margin = 0.125;

/// Whether voxels of one image are those of the other, to a hundredth of them.
bool same_voxels(const ImageGeometry& one, const ImageGeometry& other);

/// Numbers on a grid. maps: coil maps, of which 0 is not known; image: any numbers.
enum class Resampled { maps, image };

/// Coil maps on one grid, to be read off elsewhere. Every channel is interpolated as a complex number by
/// cubic convolution (Keys 1981). The phase that all channels of a voxel share is arbitrary: relative to the
/// nearest voxel it is taken out, interpolated by itself and put back, and left as it is where it jumps. The
/// root sum of squares becomes that of the voxels around. Voxels that are zero in all channels are not known:
/// what is nearest to one of them is zero. Beyond the outermost voxels' centres maps go on by point
/// reflection. Numbers of an image are interpolated as they are, and do not go on beyond it.
class ResampledMaps {
 public:
  /// maps [channels, z, y, x], or the maps of slices [slices, channels, y, x], which `geometry` then has in
  /// their order and which must be parallel and evenly spaced. Throws Error (input) for slices that are not.
  ResampledMaps(View<const std::complex<float>> maps, const std::vector<ImageGeometry>& geometry,
                Context& ctx, Resampled what = Resampled::maps);

  /// By how many millimetres voxel centres of `image` lie beyond the maps' outer faces at most, along one of
  /// their axes.
  double overhang(const ImageGeometry& image) const;
  /// The largest overhang that is read off.
  double margin() const { return margin_; }
  /// Whether the voxels of `image` are voxels of the maps, to a hundredth of them.
  bool coincides(const ImageGeometry& image) const;
  /// Maps on the voxels of `image`, [channels, z, y, x]; copies where it coincides.
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
  Vec3 to_index_[3]{};      // rows: index along an axis of a place in mm from the origin
  double margin_ = 0;
  std::vector<Complex> voxels_;  // [z, y, x][channels]
  std::vector<char> state_;      // of a voxel: 0 not known, 1 known, 2 filled from neighbours
};

}  // namespace larmor
