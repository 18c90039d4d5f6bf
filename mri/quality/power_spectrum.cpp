#include <larmor/core/format_error.hpp>
#include <larmor/mri/quality/chunk_sums.hpp>
#include <larmor/mri/quality/power_spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace LARMOR_API larmor {
namespace {

// Shells are as wide as two cells of k-space, at least four of them from the centre to the edge.
constexpr double least_to_edge = 4;

// Sums of each shell, in Shell's order.
constexpr std::size_t members = 5;
// Power of a shell relative to the uncertainty of its mean, above which it counts as measured.
constexpr double significance = 5;
// The power of a shell that is not measured is limited to its mean plus this many uncertainties.
constexpr double spreads = 2;
// Relative accuracy to which variances are known when looking for any signal at all.
constexpr double uncertainty = 0.03;
// Exponents of the power law: images fall off towards high frequencies, smooth ones faster than those with
// edges.
constexpr double flattest = -1, steepest = -20;

}  // namespace

std::size_t PowerSpectrum::shell(double radius) const {
  const double edge = std::sqrt(3.0);
  const auto place =
      static_cast<std::size_t>(std::min(radius, edge) / edge * static_cast<double>(power.size()));
  return std::min(place, power.size() - 1);
}

PowerSpectrumEstimate::PowerSpectrumEstimate(const Shape& pixels) {
  Index longest = 1;
  for (int axis = 0; axis < pixels.rank(); ++axis) longest = std::max(longest, pixels[axis]);
  for (int axis = 0; axis < pixels.rank(); ++axis)
    cells_.push_back(static_cast<double>(pixels[axis]) / static_cast<double>(longest));
  // Whole shells up to the corners of three axes, whatever the number of axes.
  const double to_edge = std::max(least_to_edge, static_cast<double>(longest / 4));
  const auto count = static_cast<std::size_t>(std::ceil(std::sqrt(3.0) * to_edge));
  shells_.resize(count);
  width_ = std::sqrt(3.0) / static_cast<double>(count);
}

void PowerSpectrumEstimate::add(View<const double> trajectory, View<const std::complex<float>> samples,
                                View<const double> weights, const Context& ctx) {
  const Index dims = trajectory.shape()[1], count = trajectory.shape()[0], coils = samples.shape()[0];
  if (samples.shape()[1] != count)
    throw usage_error("power spectrum: {} samples for a trajectory of {}", samples.shape()[1], count);
  if (weights.size() > 0 && weights.size() != count)
    throw usage_error("power spectrum: {} weights for a trajectory of {}", weights.size(), count);
  const bool weighted = weights.size() > 0;
  const auto shell_of = [&](Index sample) {
    double squared = 0;
    for (Index axis = 0; axis < dims; ++axis) {
      const double place =
          cells_[cells_.size() - 1 - static_cast<std::size_t>(axis)] * trajectory[sample * dims + axis];
      squared += place * place;
    }
    return std::min(static_cast<std::size_t>(2 * std::sqrt(squared) / width_), shells_.size() - 1);
  };
  const std::vector<double> nothing(members * shells_.size());
  add_sums(added_up(count, ctx, nothing, [&](Index begin, Index end, std::vector<double>& sums) {
    std::vector<double> energy(static_cast<std::size_t>(end - begin));
    for (Index c = 0; c < coils; ++c)
      for (Index j = begin; j < end; ++j)
        energy[static_cast<std::size_t>(j - begin)] +=
            std::norm(std::complex<double>(samples[c * count + j]));
    for (Index j = begin; j < end; ++j) {
      double* const shell = &sums[members * shell_of(j)];
      const double weight = weighted ? weights[j] : 1;
      const double squared = energy[static_cast<std::size_t>(j - begin)], all = static_cast<double>(coils);
      shell[0] += all, shell[1] += squared, shell[2] += weight * squared;
      shell[3] += all * weight, shell[4] += all * weight * weight;
    }
  }));
}

void PowerSpectrumEstimate::add_up(Communicator& ranks) {
  std::vector<double> sums;
  for (const Shell& shell : shells_)
    sums.insert(sums.end(),
                {shell.samples, shell.energy, shell.weighted_energy, shell.weight, shell.squared_weight});
  ranks.all_reduce(View<double>(sums));
  shells_.assign(shells_.size(), {});
  add_sums(sums);
}

// Five numbers of each shell.
void PowerSpectrumEstimate::add_sums(View<const double> sums) {
  for (std::size_t i = 0; i < shells_.size(); ++i) {
    const double* const of = sums.data() + members * i;
    Shell& shell = shells_[i];
    shell.samples += of[0], shell.energy += of[1], shell.weighted_energy += of[2];
    shell.weight += of[3], shell.squared_weight += of[4];
  }
}

double PowerSpectrumEstimate::sum(double Shell::*member) const {
  double sum = 0;
  for (const Shell& shell : shells_) sum += shell.*member;
  return sum;
}
double PowerSpectrumEstimate::samples() const {
  return sum(&Shell::samples);
}
double PowerSpectrumEstimate::energy() const {
  return sum(&Shell::energy);
}
double PowerSpectrumEstimate::weighted_energy() const {
  return sum(&Shell::weighted_energy);
}
double PowerSpectrumEstimate::weight() const {
  return sum(&Shell::weight);
}
double PowerSpectrumEstimate::squared_weight() const {
  return sum(&Shell::squared_weight);
}

PowerSpectrum PowerSpectrumEstimate::spectrum(double noise) const {
  PowerSpectrum result;
  result.power.assign(shells_.size(), 0.0);
  // Shells without samples have the gain of the next inner one.
  const double mean = weight() > 0 ? squared_weight() / weight() : 1;
  for (const Shell& shell : shells_) {
    const double before = result.noise_gain.empty() ? mean : result.noise_gain.back();
    result.noise_gain.push_back(shell.weight > 0 ? shell.squared_weight / shell.weight : before);
  }
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < shells_.size(); ++i) {
    const Shell& shell = shells_[i];
    if (shell.samples == 0) continue;
    const double power = shell.energy / shell.samples - noise;
    if (!(power > significance * noise / std::sqrt(shell.samples)) || !(power > 0)) break;
    // Shells without samples farther inside have the power of this one.
    for (std::size_t j = measured.empty() ? 0 : measured.back() + 1; j <= i; ++j) result.power[j] = power;
    measured.push_back(i);
  }
  result.measured = static_cast<Index>(measured.size());
  if (measured.empty()) return result;
  // The line through (log radius, log power) of the outer two thirds of what was measured.
  const std::size_t end = measured.back() + 1;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  const auto log_radius = [&](std::size_t i) { return std::log((static_cast<double>(i) + 0.5) * width_); };
  for (std::size_t m = measured.size() / 3; m < measured.size(); ++m) {
    const double u = log_radius(measured[m]), v = std::log(result.power[measured[m]]);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  const double spread = n * xx - x * x;
  const double slope =
      std::clamp(spread > 0 ? (n * xy - x * y) / spread : 0.5 * (steepest + flattest), steepest, flattest);
  for (std::size_t i = end; i < shells_.size(); ++i) {
    const Shell& shell = shells_[i];
    const double law = std::exp(y / n + slope * (log_radius(i) - x / n));
    result.power[i] = law;
    if (shell.samples == 0 || !(noise > 0)) continue;
    const double most =
        std::max(shell.energy / shell.samples - noise, 0.0) + spreads * noise / std::sqrt(shell.samples);
    result.power[i] = std::min(law, most);
  }
  return result;
}

double PowerSpectrumEstimate::most_noise() const {
  double most = std::numeric_limits<double>::infinity();
  for (const Shell& shell : shells_)
    if (shell.energy > 0)
      most = std::min(most, shell.energy / shell.samples * (1 + spreads / std::sqrt(shell.samples)));
  return most;
}

bool PowerSpectrumEstimate::noise_alone(double noise) const {
  const auto sampled =
      std::find_if(shells_.rbegin(), shells_.rend(), [](const Shell& shell) { return shell.samples > 0; });
  if (!(noise > 0)) {
    Shell outer;
    for (auto shell = shells_.begin() + (shells_.rend() - sampled) / 2; shell != shells_.end(); ++shell)
      outer.samples += shell->samples, outer.energy += shell->energy;
    noise = outer.samples > 0 ? outer.energy / outer.samples : 0;
  }
  return std::none_of(shells_.begin(), shells_.end(), [&](const Shell& shell) {
    return shell.energy >
           noise * (shell.samples * (1 + uncertainty) + significance * std::sqrt(shell.samples));
  });
}

}  // namespace larmor
