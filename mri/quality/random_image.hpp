#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <cstdint>
#include <vector>

namespace LARMOR_API larmor {

/// Power of an image at a distance from the centre of k-space, in shells of equal width. Distances are
/// counted in cells, as Shells does: the radius is 1 at the edge of the longest axis.
struct PowerSpectrum {
  std::vector<double> power;  ///< E|X(k)|² of each shell
  Index measured = 0;  ///< shells whose power stands out of the noise; that of the others is extrapolated

  /// Of a radius, that of its shell; beyond the last one that of the last.
  double at(double radius) const;
};

/// Gathers |samples|² by shell, from frame to frame.
class PowerSpectrumEstimate {
 public:
  /// Shells of an image of this shape, [(z,) y, x].
  explicit PowerSpectrumEstimate(const Shape& pixels);
  /// Samples [coils, samples] at `trajectory` [samples, dims] in cycles/pixel.
  void add(View<const double> trajectory, View<const std::complex<float>> samples);
  /// What all ranks have gathered, each of samples of its own.
  void add_up(Communicator& ranks);
  /// The power of a shell is the mean of |sample|² in it less `noise`, the variance of a sample's noise.
  /// Shells whose power is less than five times the spread of the mean follow the power law of those farther
  /// inside, one of exponent `steepest` at most: smooth objects fall off faster than those with edges. Nor do
  /// they have more power than their mean and twice its spread allow. Those that were not sampled have none.
  /// `measured` is 0 when there is nothing but noise.
  PowerSpectrum spectrum(double noise, double steepest = -20) const;
  /// Whether no shell stands out of noise of this variance, which need not be known better than to some
  /// percent; 0: not known, the outer half of the shells is taken for noise.
  bool noise_alone(double noise) const;

 private:
  struct Shell {
    double samples = 0, energy = 0;
  };
  std::vector<Shell> shells_;
  std::vector<double> cells_;  // along (z,) y, x; 1 along the longest
  double width_;
};

/// The image with as much power in every shell of its k-space as the spectrum says, all of `outer` together.
template <typename T>
Array<std::complex<T>> with_spectrum(View<const std::complex<T>> image, const PowerSpectrum& spectrum,
                                     int dims, Context& ctx);

/// An image of independent random phases with that power spectrum, [outer…, (z,) y, x]: `dims` axes of space,
/// all of `outer` alike; the same from the same seed on every device. On the context's device.
template <typename T>
Array<std::complex<T>> random_image(const PowerSpectrum& spectrum, const Shape& shape, int dims,
                                    std::uint64_t seed, Context& ctx);

}  // namespace larmor
