#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/quality/power_spectrum.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <cstdint>
#include <vector>

namespace LARMOR_API larmor {

/// Knowledge of an image before it is made.
struct PriorKnowledge {
  PowerSpectrumEstimate power;  ///< of the data of all its frames
  Index coils = 1;              ///< of the data
  Index frames = 1;             ///< that the data are of, those of other processes included
  double noise_variance = 0;    ///< of a sample
  bool noise_alone = false;     ///< the data hold nothing that stands out of it
  bool real = false;            ///< the unknown is real, and AᴴWA a real-linear operator
  /// Σ|m|² over the coils at each pixel of the unknown, repeated over its outer axes, in host memory; empty:
  /// each coil has an image of its own.
  View<const double> map_energy{};
  /// Processes that have other frames of the unknown; null: none. Each calls with its own.
  Communicator* others = nullptr;
};

/// The linear estimate of an image that has the least expected error (Wiener 1949): the minimum of
///   ‖√w(Ax − y)‖² + Σ_k ρ(k)/S(k) |F x|²(k)
/// with the unitary Fourier transform F, the variance ρ of the noise in a weighted sample relative to its
/// weight, and the power S that the data show the object to have at |k|. Of the noise half the variance
/// counts, the part in phase with the object: the other half hardly changes a magnitude. Density weights w
/// make the first term's curvature nearly that of the identity, so that noise and power alone say how much of
/// each frequency to keep, and
///   D Fᴴ 1/(d + ρ/S) F D
/// with the mean curvature d is a good preconditioner. D is 1 where any coil sees the object and 0 elsewhere.
template <typename T>
class LeastError {
 public:
  using C = std::complex<T>;  ///< of vectors

  /// AᴴWA and AᴴWy ≠ 0 of an unknown [outer…, (z,) y, x] with `dims` axes of space, on the context's device.
  LeastError(const LinearOperator<T>& weighted_normal, View<const C> rhs, const PriorKnowledge& known,
             int dims, Context& ctx);

  /// AᴴWA and the second term.
  const Operator<T>& normal() const { return normal_; }
  const Operator<T>& preconditioner() const { return preconditioner_; }
  /// SolverOptions::energy that leaves an error far below the one to expect.
  double negligible_energy() const { return negligible_energy_; }
  /// The error to expect of the minimum: the variance that remains, estimated from one solution for random
  /// data with the noise's power (Hutchinson 1990).
  ExpectedError expected_error(View<const C> image, Context& ctx) const;
  /// ‖√w A(x − x*)‖² to expect of the minimum, if the samples showed its error as well as they show the
  /// image: more than they do, since most of the error lies between them.
  double error_at_samples(Context& ctx) const;

 private:
  /// Random numbers in k-space with the power of the noise, and the minimum for them.
  struct Remaining {
    double variance;  // of what is not known of the object: their product
    Array<C> random, solution;
  };
  Remaining remaining(Context& ctx) const;
  Array<C> by_shell(const std::vector<std::vector<double>>& values, const Context& ctx) const;

  std::vector<std::uint16_t> shell_of_;     // each frequency of an image
  std::vector<double> noise_;               // ρ of each shell
  std::vector<std::vector<double>> power_;  // S of each outer image and shell
  Operator<T> to_kspace_, normal_, preconditioner_;
  double negligible_energy_ = 0, random_variance_ = 1, curvature_ = 0;
};

/// The data that conjugate gradients leave unexplained, from their objective: noise, what the model has
/// wrong, and at first what they have not fitted yet.
class RemainingData {
 public:
  /// data_energy: ‖√w y‖².
  explicit RemainingData(double data_energy) : energies_{data_energy} {}
  /// After each iteration, with its objective: true once, when what is left has hardly fallen for a quarter
  /// of the iterations.
  bool settles(double objective);
  /// ‖√w(Ax − y)‖² and the terms.
  double energy() const { return energies_.back(); }
  /// So much, relative to it, it may still fall by.
  static constexpr double uncertainty = 0.1;

 private:
  std::vector<double> energies_;  // before the first iteration, and after each
  bool settled_ = false;
};

/// The variance of a sample's noise where it is not known, from what conjugate gradients leave of the data:
/// they leave as large a part of the noise as of noise alone. 0 where that is next to nothing. `noise`: AᴴWn
/// for n of unit variance; energies: ‖√w y‖² and ‖√w n‖².
template <typename T>
double remaining_noise(const LinearOperator<T>& weighted_normal,
                       std::type_identity_t<View<const std::complex<T>>> rhs, double energy,
                       std::type_identity_t<View<const std::complex<T>>> noise, double noise_energy,
                       Context& ctx);

}  // namespace larmor
