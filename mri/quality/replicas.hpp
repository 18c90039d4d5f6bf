#pragma once

#include <larmor/core/context.hpp>

#include <complex>
#include <cstdint>
#include <functional>

namespace larmor {

struct ReplicaOptions {
  Index replicas = 100;    ///< relative accuracy of the noise: 1/√(4 · replicas)
  std::uint64_t seed = 1;  ///< the same seed gives the same noise everywhere
};

/// Mean and spread of a series of images that arrive one by one (Welford 1962).
class RunningVariance {
 public:
  explicit RunningVariance(const Shape& shape);
  /// In host memory.
  void add(View<const std::complex<float>> image);

  Index count() const { return count_; }
  View<const std::complex<double>> mean() const { return mean_; }
  /// √(Σ|x − mean|² / (2 (count − 1))): the standard deviation of the real and of the imaginary part, which
  /// is that of the magnitude where there is signal. Throws Error (usage) for fewer than two images.
  Array<float> deviation() const;

 private:
  Index count_ = 0;
  Array<std::complex<double>> mean_;
  Array<double> squares_;
};

/// Complex normal noise with E|n|² = 1, the same for a seed whatever the number of threads.
Array<std::complex<float>> unit_noise(const Shape& shape, std::uint64_t seed, std::uint64_t replica,
                                      Context& ctx);
/// The same into an array: the values of a longer sequence, starting at `first`.
void unit_noise(View<std::complex<float>> noise, std::uint64_t seed, std::uint64_t replica, Context& ctx,
                Index first);

/// Maps noise, which it adds to the samples, to an image in host memory: any reconstruction, linear or not.
using Reconstruct = std::function<Array<std::complex<float>>(View<const std::complex<float>>)>;

/// Pseudo replicas (Robson et al. 2008): repeats the reconstruction with unit noise of the shape of whitened
/// samples. Progress goes to the reporter as "replicas". Throws Error (usage) for fewer than 2 replicas,
/// Error (cancelled).
RunningVariance pseudo_replicas(const Shape& samples, const Reconstruct& reconstruct,
                                const ReplicaOptions& options, Context& ctx);

/// |image| / deviation, 0 where the deviation is 0.
Array<float> signal_to_noise(View<const std::complex<float>> image, View<const float> deviation);

/// deviation_accelerated / (deviation_reference · √R) (Pruessmann et al. 1999), 0 where the reference is 0. R
/// is the ratio of the numbers of samples, reference to accelerated.
Array<float> g_factor(View<const float> accelerated, View<const float> reference, double acceleration);

/// The deviation that a fully sampled Cartesian scan with whitened samples has after optimal combination of
/// the coils maps [coils, image], with a transform scaled by 1/√N: 1/√(2 Σ|m|²), 0 where the maps are 0.
Array<float> cartesian_deviation(View<const std::complex<float>> maps);

}  // namespace larmor
