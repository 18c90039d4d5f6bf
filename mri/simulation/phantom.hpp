#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>
#include <vector>

namespace LARMOR_API larmor {

struct PhantomSpectrum;

/// One part of a phantom. Lengths are fractions of the field of view, the centre of the image is 0, edges
/// ±0.5.
struct PhantomPart {
  enum class Kind {
    ellipsoid,  ///< constant inside; radii are the semi-axes
    gaussian    ///< intensity · exp(−½ Σ (x/radius)²)
  };
  Kind kind = Kind::ellipsoid;
  std::complex<double> intensity = 1;          ///< parts add up
  std::array<double, 3> centre{0, 0, 0};       ///< x, y, z
  std::array<double, 3> radii{0.1, 0.1, 0.1};  ///< x, y, z before the turn; z is unused in 2D
  double angle = 0;                            ///< turn about z, radians, from x to y
};

/// A complex exponential a·exp(2πi f·x), x in fractions of the field of view.
struct SensitivityTerm {
  std::complex<double> amplitude = 1;
  std::array<double, 3> frequency{0, 0, 0};  ///< cycles per field of view; x, y, z
};
/// A coil's sensitivity as a sum of few exponentials: its k-space is a sum of shifted phantom transforms.
using CoilSensitivity = std::vector<SensitivityTerm>;

/// An object whose Fourier transform is a closed form (Koay et al. 2007 for ellipsoids), seen by coils that
/// keep it closed-form (Guerquin-Kern et al. 2012). dims is 2 or 3. Arrays are on the CPU; the work is done
/// on the context's device.
class Phantom {
 public:
  /// The parts of the object, whose sum it is, and its coils.
  Phantom(int dims, const std::vector<PhantomPart>& parts, std::vector<CoilSensitivity> coils);

  /// 2 or 3, and the number of coils.
  int dims() const { return dims_; }
  Index coils() const { return static_cast<Index>(coils_.size()); }
  const std::vector<PhantomPart>& parts() const { return parts_; }
  const std::vector<CoilSensitivity>& sensitivities() const { return coils_; }

  /// ∫ρ(x) c(x) exp(−2πi k·x) dx with x in pixels of image_shape, which the plain sum over pixels
  /// approximates. trajectory [samples, dims] in cycles/pixel; result [coils, samples].
  Array<std::complex<double>> kspace(View<const double> trajectory, const Shape& image_shape,
                                     Context& ctx) const;

  /// The sensitivities normalised to root-sum-of-squares 1: the true maps of a reconstruction. [coils,
  /// image_shape].
  Array<std::complex<float>> maps(const Shape& image_shape, Context& ctx) const;
  /// The image of a perfect scan with this matrix: the inverse transforms of the closed-form coil k-space on
  /// the Cartesian grid, combined with maps(): Σ conj(m_c) I_c. Result image_shape.
  Array<std::complex<float>> truth(const Shape& image_shape, Context& ctx) const;

 private:
  /// One distinct exponential of the coils, and its amplitude in each coil.
  struct Exponential {
    std::array<double, 3> frequency;
    std::vector<std::complex<double>> amplitudes;  // of every coil
  };
  struct OnDevice;
  OnDevice on(const Context& ctx) const;
  PhantomSpectrum spectrum(const OnDevice& there, const Shape& image_shape,
                           const std::array<double, 3>& frequency) const;
  Array<std::complex<float>> maps(const OnDevice& there, const Shape& image_shape, Context& ctx) const;
  void require_shape(const Shape& image_shape) const;

  int dims_;
  std::vector<PhantomPart> parts_;
  std::vector<CoilSensitivity> coils_;
  std::vector<Exponential> exponentials_;
};

/// A head in the manner of Shepp and Logan with the contrast of an MR image, 2D or 3D: skull, brain,
/// ventricles, lesions; largest value 1.
std::vector<PhantomPart> head_phantom(int dims);

/// A thin slice at the height z, a fraction of the field of view, as a two-dimensional object.
std::vector<PhantomPart> slice_of(const std::vector<PhantomPart>& volume, double z);
/// The part of the object that is in this slice, for the coils' arrangement.
std::vector<CoilSensitivity> slice_of(const std::vector<CoilSensitivity>& coils, double z);

/// Smooth sensitivities of coils around the object: raised cosines towards each coil with a phase ramp
/// across. In 2D on a circle, in 3D spread over a sphere. One coil: constant 1.
std::vector<CoilSensitivity> coil_ring(int dims, Index coils);

}  // namespace larmor
