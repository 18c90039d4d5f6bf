#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// The power of an object by its distance from the centre of k-space, in shells of equal width. Distances are
/// counted in cells, as in Shells: the radius is 1 at the edge of the longest axis.
struct PowerSpectrum {
  std::vector<double> power;  ///< E|sample|² of each shell, without noise
  /// Σw²/Σw over the samples of each shell: the variance of noise in a weighted sample, relative to its
  /// weight. 1 without weights.
  std::vector<double> noise_gain;
  Index measured = 0;  ///< shells whose power exceeds the noise; the power of others is extrapolated

  /// The shell of a radius; beyond the last one the last.
  std::size_t shell(double radius) const;
};

/// Gathers |samples|² by shell, from frame to frame.
class PowerSpectrumEstimate {
 public:
  /// Shells of an image of this shape, [(z,) y, x].
  explicit PowerSpectrumEstimate(const Shape& pixels);
  /// Samples [coils, samples] at `trajectory` [samples, dims] in cycles/pixel. weights: of each sample, the
  /// same for all coils; empty: 1.
  void add(View<const double> trajectory, View<const std::complex<float>> samples, View<const double> weights,
           const Context& ctx);
  /// The sums of all ranks, each with samples of its own.
  void add_up(Communicator& ranks);
  /// The power of a shell is the mean of |sample|² in it minus `noise`, the variance of a sample's noise.
  /// Shells whose power is less than five times the uncertainty of the mean follow the power law of inner
  /// shells, limited by their mean plus twice its uncertainty. Shells without samples follow only the law.
  /// `measured` is 0 if there is only noise.
  PowerSpectrum spectrum(double noise) const;
  /// Upper bound of the samples' noise variance: the smallest mean of |sample|² over a shell, plus twice the
  /// uncertainty of that mean. Shells of zeros do not count; infinite without others.
  double most_noise() const;
  /// True if no shell exceeds noise of this variance, which need only be known to some percent; 0: unknown,
  /// the outer half of the shells is assumed to be noise.
  bool noise_alone(double noise) const;
  /// Over all samples and coils: their number, Σ|sample|² and Σw|sample|².
  double samples() const;
  double energy() const;
  double weighted_energy() const;
  /// Over all samples and coils: Σw and Σw².
  double weight() const;
  double squared_weight() const;

 private:
  struct Shell {
    double samples = 0, energy = 0, weighted_energy = 0, weight = 0, squared_weight = 0;
  };
  double sum(double Shell::*member) const;
  void add_sums(View<const double> sums);

  std::vector<Shell> shells_;
  std::vector<double> cells_;  // along (z,) y, x; 1 along the longest
  double width_;
};

}  // namespace larmor
