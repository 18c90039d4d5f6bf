#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>

#include <array>
#include <memory>

namespace larmor::nufft {

/// How the shifts −N < Δ < N of a point-spread function are computed. It is Hermitian, so that the outermost
/// axis needs Δ >= 0 only. In volumes on a CPU the inner axes are one adjoint NUFFT of 2N shifts each.
/// Elsewhere, and where memory is short, they are put together from blocks of N shifts, each an adjoint NUFFT
/// of image size with modulated weights: for slices that takes hardly longer, and all devices share their
/// approximations, which the fit of a calibration amplifies up to a million times. Axes in the order x, y, z.
struct PsfBlocks {
  PsfBlocks(const Shape& image, std::size_t bytes_of_value, const Context& ctx);

  /// First shift of a block along an axis.
  Index start(Index block, int axis) const;
  /// Of a block's array.
  Shape shape() const;
  Index rows() const { return extent[1] * extent[2]; }

  int dims;
  std::array<Index, 3> image{1, 1, 1}, extent{1, 1, 1};
  Index count;     ///< blocks there are
  Index together;  ///< blocks that are transformed together
};

/// Spectra of the point-spread functions of one trajectory, by one plan. Where precision T is single and the
/// tolerance is not below what that reaches, everything is computed in it, otherwise in double.
template <typename T>
class ToeplitzSpectra {
 public:
  /// trajectory [samples, dims], on the context's device, where it stays as long as this.
  ToeplitzSpectra(View<const double> trajectory, const Shape& image, double tolerance, Context& ctx);

  /// With density weights (empty: 1) of any sign on the context's device, scaled so that convolution gives
  /// factor · Σ_j d_j exp(2πi k_j·Δ); its order is that of Spectrum.
  Array<T> of(View<const double> density, double factor, Context& ctx) const;

 private:
  View<const double> trajectory_;
  Shape image_;
  PsfBlocks blocks_;                           // as the plan has them: the memory that is left may change
  std::shared_ptr<const Plan<float>> single_;  // one of them
  std::shared_ptr<const Plan<double>> double_;
};

/// Bytes in use at most while a spectrum is computed, the result not counted.
template <typename T>
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, Context& ctx);

}  // namespace larmor::nufft
