#include <larmor/core/vectors/random_bits.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/quality/chunk_sums.hpp>
#include <larmor/mri/quality/shells.hpp>
#include <larmor/mri/reconstruct/steps/least_error.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace LARMOR_API larmor {
namespace {

// Only the part of the noise that is in phase with the object changes its magnitude.
constexpr double in_phase = 0.5;
// Squared distance from the minimum relative to the minimum's expected squared error: 6 % of an error in any
// direction adds 0.2 % to it.
constexpr double negligible = 4e-3;
// At frequencies where the object is this weak the estimate is practically zero; a larger value would only
// lose accuracy to rounding.
constexpr double most_curvature = 1e3;
// Relative accuracy with which the remaining variance is computed.
constexpr double rough = 0.1;
// Energy, relative to the noise's, that is assumed for an outer image that cannot be distinguished from
// noise.
constexpr double least_share = 0.01;
constexpr Index noise_iterations = 10, most_for_variance = 100;
// If the fit leaves less than this fraction of pure noise, there are hardly more samples than unknowns, and
// the residual gives no information about the noise.
constexpr double least_left = 0.05;

/// Energies of AᴴWy, by the images of its outer axes.
struct Energies {
  std::vector<double> outer;           // ‖b‖² of each
  double seen = 0, all = 0;            // Σ e|b|² and Σ|b|², e = Σ|m|²
  double map_energy = 1, covered = 1;  // mean of e, part of the pixels where it is not zero
};

template <typename T>
Energies energies_of(View<const std::complex<T>> rhs, Index pixels, View<const double> map_energy,
                     const Context& ctx) {
  using Sums = std::array<double, 2>;
  const Index known = map_energy.size();
  Energies result;
  for (Index first = 0; first < rhs.size(); first += pixels) {
    const Sums sums = added_up(pixels, ctx, Sums{}, [&](Index begin, Index end, Sums& chunk) {
      for (Index i = first + begin; i < first + end; ++i) {
        const double squared = std::norm(std::complex<double>(rhs[i]));
        chunk[0] += squared;
        chunk[1] += squared * (known > 0 ? map_energy[i % known] : 1);
      }
    });
    result.outer.push_back(sums[0]);
    result.all += sums[0];
    result.seen += sums[1];
  }
  if (known == 0) return result;
  const Sums maps = added_up(known, ctx, Sums{}, [&](Index begin, Index end, Sums& chunk) {
    for (Index i = begin; i < end; ++i) chunk[0] += map_energy[i], chunk[1] += map_energy[i] > 0 ? 1 : 0;
  });
  result.map_energy = maps[0] / static_cast<double>(known);
  result.covered = maps[1] / static_cast<double>(known);
  return result;
}

/// The fraction of the object's power in each outer image.
std::vector<double> shares_of(Energies& energies, double noise, const PriorKnowledge& known) {
  double sum = 0;
  for (double& energy : energies.outer) sum += energy = std::max(energy - noise, least_share * noise);
  std::array<double, 3> sums{sum, energies.seen, energies.all};
  if (known.others) known.others->all_reduce(View<double>(sums));
  energies.seen = sums[1], energies.all = sums[2];
  std::vector<double> shares;
  for (const double energy : energies.outer) shares.push_back(sums[0] > 0 ? energy / sums[0] : 0);
  return shares;
}

/// The shell of every frequency of an image.
std::vector<std::uint16_t> shells_of(const Shape& image, const PowerSpectrum& spectrum, const Context& ctx) {
  const Shells shells(image, image.rank());
  const Index width = image[image.rank() - 1];
  std::vector<std::uint16_t> result(static_cast<std::size_t>(image.size()));
  parallel_for(ctx, image.size() / width, 1, [&](Index begin, Index end, int) {
    for (Index row = begin; row < end; ++row) {
      const std::vector<double> radii = shells.radii(row);
      std::transform(radii.begin(), radii.end(), result.begin() + row * width,
                     [&](double radius) { return static_cast<std::uint16_t>(spectrum.shell(radius)); });
    }
  });
  return result;
}

}  // namespace

template <typename T>
Array<std::complex<T>> LeastError<T>::by_shell(const std::vector<std::vector<double>>& values,
                                               const Context& ctx) const {
  const Index pixels = static_cast<Index>(shell_of_.size());
  Array<C> result(to_kspace_.codomain());
  parallel_for(ctx, pixels, chunk_size, [&](Index begin, Index end, int) {
    for (std::size_t i = 0; i < values.size(); ++i)
      for (Index p = begin; p < end; ++p)
        result[static_cast<Index>(i) * pixels + p] =
            static_cast<T>(values[i][shell_of_[static_cast<std::size_t>(p)]]);
  });
  return result;
}

template <typename T>
LeastError<T>::LeastError(const LinearOperator<T>& weighted_normal, View<const C> rhs,
                          const PriorKnowledge& known, int dims, Context& ctx) {
  const Shape shape = rhs.shape(), one = shape.drop_front(shape.rank() - dims);
  const Index pixels = one.size();
  const double noise = in_phase * known.noise_variance, frames = static_cast<double>(known.frames),
               coils = static_cast<double>(known.coils);
  const Context host = ctx.host();
  Energies energies = energies_of<T>(copied_to(Device::cpu(), rhs), pixels, known.map_energy, host);
  const std::vector<double> shares = shares_of(
      energies, known.noise_variance * known.power.squared_weight() / coils / frames * energies.map_energy,
      known);
  const double seen = energies.covered * (energies.all > 0 ? energies.seen / energies.all : 1);

  const Fft<T> fft(shape, dims);
  to_kspace_ = fft;
  if (const Index mapped = known.map_energy.size(); mapped > 0) {
    Array<C> mask(shape);
    parallel_for(host, mask.size(), chunk_size, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) mask[i] = known.map_energy[i % mapped] > 0 ? 1 : 0;
    });
    to_kspace_ = fft * Diagonal<T>(moved_to(ctx.device(), std::move(mask)));
  }
  if (known.real) to_kspace_ = to_kspace_ * RealPart<T>(shape);
  // If random numbers in k-space give a real image, it has half of their variance.
  random_variance_ = known.real ? 2 : 1;
  const PowerSpectrum spectrum = known.power.spectrum(known.noise_variance);
  shell_of_ = shells_of(one, spectrum, host);
  for (const double gain : spectrum.noise_gain) noise_.push_back(noise * gain);
  const double curvature = curvature_ =
      dot<T>(rhs, weighted_normal.apply(rhs, ctx), ctx).real() / squared_norm<T>(rhs, ctx);
  std::vector<std::vector<double>> terms, inverses;
  for (const double share : shares) {
    auto &power = power_.emplace_back(), &term = terms.emplace_back(), &inverse = inverses.emplace_back();
    for (std::size_t s = 0; s < noise_.size(); ++s) {
      power.push_back(spectrum.power[s] * coils * frames * share / seen);
      // If nothing is known about the object's power, it is assumed to equal the noise in the image.
      const double ratio = known.noise_alone || spectrum.measured == 0 ? curvature
                           : noise_[s] > 0                             ? noise_[s] / power[s]
                                                                       : 0;
      term.push_back(std::min(ratio, most_curvature * curvature));
      inverse.push_back(1 / (curvature + term[s]));
    }
  }
  // The variance of the minimum's error, if all curvatures were equal to the mean.
  std::vector<double> of_shell(noise_.size());
  for (const auto& inverse : inverses)
    for (std::size_t s = 0; s < of_shell.size(); ++s) of_shell[s] += noise_[s] * curvature * inverse[s];
  double variance = added_up(pixels, host, std::array<double, 1>{}, [&](Index begin, Index end, auto& chunk) {
    for (Index p = begin; p < end; ++p) chunk[0] += of_shell[shell_of_[static_cast<std::size_t>(p)]];
  })[0];
  if (known.others) variance = known.others->all_reduce(variance);
  const double signal = known.power.weighted_energy() - known.noise_variance * known.power.weight();
  expected_energy_ = std::min(1.0, energies.covered * variance / std::max(signal, variance));
  negligible_energy_ = negligible * expected_energy_;
  const auto in_kspace = [&](const std::vector<std::vector<double>>& values) {
    const Diagonal<T> diagonal(moved_to(ctx.device(), by_shell(values, host)));
    return Composition<T>(std::vector<Operator<T>>{Adjoint<T>(to_kspace_), diagonal, to_kspace_});
  };
  normal_ = Sum<T>(std::vector<Operator<T>>{weighted_normal, in_kspace(terms)});
  preconditioner_ = in_kspace(inverses);
}

// E[v vᴴ] = ρ for v = √ρ ε, and ρ(AᴴWA + ρ/S)⁻¹ is the covariance of the object given the data.
template <typename T>
typename LeastError<T>::Remaining LeastError<T>::remaining(Context& ctx) const {
  const Context host = ctx.host();
  std::vector<double> deviation;
  for (const double noise : noise_) deviation.push_back(std::sqrt(random_variance_ * noise));
  Array<C> random = by_shell({power_.size(), deviation}, host);
  parallel_for(host, random.size(), chunk_size, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) random[i] *= random_sign<T>(static_cast<std::uint64_t>(i));
  });
  auto solved = conjugate_gradient<T>(
      Problem<T>{normal_, to_kspace_.adjoint(copied_to(ctx.device(), random), ctx)},
      {.iterations = most_for_variance, .energy = rough, .preconditioner = preconditioner_}, ctx);
  const double variance = solved.history.empty() ? 0 : -2 * solved.history.back().objective;
  return {variance, std::move(random), std::move(solved.x)};
}

template <typename T>
double LeastError<T>::error_at_samples(Context& ctx) const {
  return curvature_ * remaining(ctx).variance / in_phase;
}

template <typename T>
ExpectedError LeastError<T>::expected_error(View<const C> image, Context& ctx) const {
  const Context host = ctx.host();
  const auto [variance, random, solution] = remaining(ctx);
  ExpectedError result;
  if (!(variance > 0)) return result;
  result.error = std::sqrt(variance / (squared_norm<T>(image, ctx) + variance));

  const Array<C> spectral = copied_to(Device::cpu(), to_kspace_.apply(solution, ctx));
  const auto pixels = static_cast<Index>(shell_of_.size());
  std::vector<ShellTransfer> transfer(noise_.size());
  for (std::size_t image_of = 0; image_of < power_.size(); ++image_of) {
    const Index first = static_cast<Index>(image_of) * pixels;
    const auto sums = added_up(pixels, host, std::vector<double>(2 * noise_.size()),
                               [&](Index begin, Index end, std::vector<double>& chunk) {
                                 for (Index p = begin; p < end; ++p) {
                                   const std::size_t shell = shell_of_[static_cast<std::size_t>(p)];
                                   const std::complex<double> v(random[first + p]), z(spectral[first + p]);
                                   chunk[2 * shell] += power_[image_of][shell];
                                   chunk[2 * shell + 1] += (std::conj(v) * z).real();
                                 }
                               });
    for (std::size_t s = 0; s < transfer.size(); ++s) {
      transfer[s].power += sums[2 * s];
      transfer[s].common += sums[2 * s] - sums[2 * s + 1];
    }
  }
  result.transfer = transfer_of_shells(transfer, static_cast<double>(noise_.size()) / std::sqrt(3.0));
  return result;
}

bool RemainingData::settles(double objective) {
  energies_.push_back(2 * objective);
  const std::size_t done = energies_.size() - 1, back = std::max<std::size_t>(2, done / 4);
  if (settled_ || done <= back || !(energies_[done - back] - energy() < uncertainty * energy())) return false;
  return settled_ = true;
}

template <typename T>
double remaining_noise(const LinearOperator<T>& weighted_normal,
                       std::type_identity_t<View<const std::complex<T>>> rhs, double energy,
                       std::type_identity_t<View<const std::complex<T>>> noise, double noise_energy,
                       Context& ctx) {
  const auto left = [&](View<const std::complex<T>> b, double all) {
    const auto solved = conjugate_gradient<T>(Problem<T>{weighted_normal, copied_to(ctx.device(), b)},
                                              {.iterations = noise_iterations}, ctx);
    return solved.history.empty() ? all : std::max(0.0, all + 2 * solved.history.back().objective);
  };
  const double of_noise = left(noise, noise_energy);
  return of_noise > least_left * noise_energy ? left(rhs, energy) / of_noise : 0;
}

#define LARMOR_INSTANTIATE(T)                                                                       \
  template class LeastError<T>;                                                                     \
  template double remaining_noise<T>(const LinearOperator<T>&, View<const std::complex<T>>, double, \
                                     View<const std::complex<T>>, double, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
