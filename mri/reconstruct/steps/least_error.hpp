#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/quality/power_spectrum.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <cstdint>
#include <vector>

namespace LARMOR_API larmor {

/// Information about an image before it is reconstructed.
struct PriorKnowledge {
  PowerSpectrumEstimate power;  ///< of the data of all frames
  Index coils = 1;              ///< of the data
  Index frames = 1;             ///< number of frames of the data, including those of other processes
  double noise_variance = 0;    ///< noise variance of a sample
  bool noise_alone = false;     ///< the data contain no signal above the noise
  bool real = false;            ///< the unknown is real, and AᴴWA a real-linear operator
  /// Σ|m|² over the coils at each pixel of the unknown, repeated over its outer axes, in host memory; empty:
  /// each coil has its own image.
  View<const double> map_energy{};
  /// Processes that have the other frames of the unknown; null: none. Each calls with its own frames.
  Communicator* others = nullptr;
};

/// The linear estimate of an image with the least expected error (Wiener 1949): the minimum of
///     ‖√w(Ax − y)‖² + Σ_k ρ(k)/S(k) |F x|²(k)
/// with the unitary Fourier transform F, the variance ρ of the noise in a weighted sample relative to its
/// weight, and the object's power S at |k|, estimated from the data. Half of the noise's variance counts, the
/// part in phase with the object: the other half hardly changes a magnitude. With density weights w the first
/// term's curvature is nearly that of the identity, so that noise and power alone determine how much of each
/// frequency is kept, and D Fᴴ 1/(d + ρ/S) F D with the mean curvature d is a good preconditioner. D is 1
/// where any coil is sensitive and 0 elsewhere.
template <typename T>
class LeastError {
 public:
  using C = std::complex<T>;  ///< of vectors

  /// AᴴWA and AᴴWy ≠ 0 of an unknown [outer…, (z,) y, x] with `dims` spatial axes, on the context's device.
  LeastError(const LinearOperator<T>& weighted_normal, View<const C> rhs, const PriorKnowledge& known,
             int dims, Context& ctx);

  /// AᴴWA and the second term.
  const Operator<T>& normal() const { return normal_; }
  const Operator<T>& preconditioner() const { return preconditioner_; }
  /// SolverOptions::energy at which the remaining error is far below the expected one.
  double negligible_energy() const { return negligible_energy_; }
  /// SolverResult::energy at which the remaining error is as large as the expected one.
  double expected_energy() const { return expected_energy_; }
  /// Expected error of the minimum: the remaining variance, estimated from one solution for random data with
  /// the noise's power (Hutchinson 1990).
  ExpectedError expected_error(View<const C> image, Context& ctx) const;
  /// Expected ‖√w A(x − x*)‖² of the minimum, assuming that the samples reveal its error as well as they
  /// reveal the image: an upper bound, because most of the error is between the samples.
  double error_at_samples(Context& ctx) const;

 private:
  /// Random numbers in k-space with the power of the noise, and the minimum for these.
  struct Remaining {
    double variance;  // the part of the object that is not known: their product
    Array<C> random, solution;
  };
  Remaining remaining(Context& ctx) const;
  Array<C> by_shell(const std::vector<std::vector<double>>& values, const Context& ctx) const;

  std::vector<std::uint16_t> shell_of_;     // each frequency of an image
  std::vector<double> noise_;               // ρ of each shell
  std::vector<std::vector<double>> power_;  // S of each outer image and shell
  Operator<T> to_kspace_, normal_, preconditioner_;
  double negligible_energy_ = 0, expected_energy_ = 0, random_variance_ = 1, curvature_ = 0;
};

/// Tracks the data that conjugate gradients leave unexplained, from their objective: noise, errors of the
/// model, and at first the part that has not been fitted yet.
class RemainingData {
 public:
  /// data_energy: ‖√w y‖².
  explicit RemainingData(double data_energy) : energies_{data_energy} {}
  /// To be called after each iteration, with its objective. Returns true once: when the residual has hardly
  /// decreased during a quarter of the iterations.
  bool settles(double objective);
  /// ‖√w(Ax − y)‖² and the terms.
  double energy() const { return energies_.back(); }
  /// Limit of the further decrease of the residual, relative to it.
  static constexpr double uncertainty = 0.1;

 private:
  std::vector<double> energies_;  // before the first iteration, and after each
  bool settled_ = false;
};

/// Estimate of an unknown noise variance of a sample, from the residual of conjugate gradients: they leave
/// the same fraction of the noise in the data as of pure noise. 0 if that fraction is nearly zero. `noise`:
/// AᴴWn for n of unit variance; energies: ‖√w y‖² and ‖√w n‖².
template <typename T>
double remaining_noise(const LinearOperator<T>& weighted_normal,
                       std::type_identity_t<View<const std::complex<T>>> rhs, double energy,
                       std::type_identity_t<View<const std::complex<T>>> noise, double noise_energy,
                       Context& ctx);

}  // namespace larmor
