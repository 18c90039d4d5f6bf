#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

#include <array>
#include <memory>

namespace larmor::nufft {

/// Computation of the shifts −N < Δ < N of a point-spread function. It is Hermitian, so the outermost axis
/// needs only Δ >= 0. For volumes on a CPU, the inner axes are one adjoint NUFFT of 2N shifts each.
/// Otherwise, and if memory is short, they are assembled from blocks of N shifts, each an adjoint NUFFT of
/// image size with modulated weights: for slices that takes hardly longer, and all devices make the same
/// approximations, which the fit of a calibration can amplify up to a million times. A block covers a whole
/// period of an inner axis that has one. Axes in the order x, y, z.
struct PsfBlocks {
  PsfBlocks(const ToeplitzSizes& sizes, std::size_t bytes_of_value, const Context& ctx);

  /// First shift of a block along an axis.
  Index start(Index block, int axis) const;
  /// Shape of a block's array.
  Shape shape() const;
  Index rows() const { return extent[1] * extent[2]; }

  int dims;
  std::array<Index, 3> image{1, 1, 1}, extent{1, 1, 1};
  std::array<bool, 3> halves{};  ///< an axis has blocks of Δ < 0 and Δ >= 0
  Index count = 1;               ///< number of blocks
  Index together;                ///< blocks that are transformed together
};

/// Spectra of the point-spread functions of one trajectory, by one plan. They are computed in single
/// precision if T is single and the tolerance allows it, otherwise in double.
template <typename T>
class ToeplitzSpectra {
 public:
  /// trajectory [samples, dims], on the context's device; must outlive this object.
  ToeplitzSpectra(View<const double> trajectory, const ToeplitzSizes& sizes, double tolerance, Context& ctx);

  /// With density weights (empty: 1) of any sign on the context's device, scaled so that convolution gives
  /// factor · Σ_j d_j exp(2πi k_j·Δ); its order is that of Spectrum.
  Array<T> of(View<const double> density, double factor, Context& ctx) const;

 private:
  View<const double> trajectory_;
  ToeplitzSizes sizes_;
  PsfBlocks blocks_;                           // as planned: the free memory may change later
  std::shared_ptr<const Plan<float>> single_;  // one of the two is used
  std::shared_ptr<const Plan<double>> double_;
};

/// The spectrum of the planes of volumes if the PSF is zero except at shift 0 along z. Then the spectrum is
/// constant along z, except for errors of the order of the tolerance relative to its largest value.
/// Otherwise, and for several terms, the spectra as they are.
template <typename T>
Spectra<T> by_planes_if_separate(Spectra<T> spectra, double tolerance, Context& ctx);

/// Peak bytes while a spectrum is computed, excluding the result.
template <typename T>
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, Context& ctx);

}  // namespace larmor::nufft
