#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/quality/random_image.hpp>
#include <larmor/mri/quality/replicas.hpp>
#include <larmor/mri/quality/shells.hpp>
#include <larmor/operators/fft.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Shells are as wide as two cells of k-space, at least four of them from the centre to the edge.
constexpr double least_to_edge = 4;

// Power of a shell relative to the spread of its mean, from which on it is measured.
constexpr double significance = 5;
// A shell that is not measured has no more power than its mean and so many spreads of it.
constexpr double spreads = 2;
// Where the question is whether there is any signal, variances are not known better than to this part.
constexpr double uncertainty = 0.03;
// Images fall off towards high frequencies.
constexpr double flattest = -1;

// Pixels that a thread takes at a time.
constexpr Index grain = 1 << 12;

}  // namespace

double PowerSpectrum::at(double radius) const {
  const double edge = std::sqrt(3.0);
  const auto shell =
      static_cast<std::size_t>(std::min(radius, edge) / edge * static_cast<double>(power.size()));
  return power[std::min(shell, power.size() - 1)];
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

void PowerSpectrumEstimate::add(View<const double> trajectory, View<const std::complex<float>> samples) {
  const Index dims = trajectory.shape()[1], count = trajectory.shape()[0], coils = samples.shape()[0];
  if (samples.shape()[1] != count)
    throw usage_error("power spectrum: {} samples for a trajectory of {}", samples.shape()[1], count);
  for (Index j = 0; j < count; ++j) {
    double squared = 0;
    for (Index axis = 0; axis < dims; ++axis)
      squared += std::pow(
          cells_[cells_.size() - 1 - static_cast<std::size_t>(axis)] * trajectory[j * dims + axis], 2);
    const auto place = static_cast<std::size_t>(2 * std::sqrt(squared) / width_);
    Shell& shell = shells_[std::min(place, shells_.size() - 1)];
    for (Index c = 0; c < coils; ++c) shell.energy += std::norm(std::complex<double>(samples[c * count + j]));
    shell.samples += static_cast<double>(coils);
  }
}

void PowerSpectrumEstimate::add_up(Communicator& ranks) {
  std::vector<double> sums;
  for (const Shell& shell : shells_) sums.insert(sums.end(), {shell.samples, shell.energy});
  ranks.all_reduce(View<double>(sums));
  for (std::size_t i = 0; i < shells_.size(); ++i) shells_[i] = {sums[2 * i], sums[2 * i + 1]};
}

PowerSpectrum PowerSpectrumEstimate::spectrum(double noise, double steepest) const {
  PowerSpectrum result;
  result.power.assign(shells_.size(), 0.0);
  for (std::size_t i = 0; i < shells_.size(); ++i) {
    const Shell& shell = shells_[i];
    if (shell.samples == 0) break;
    const double power = shell.energy / shell.samples - noise;
    if (!(power > significance * noise / std::sqrt(shell.samples)) || !(power > 0)) break;
    result.power[i] = power;
    ++result.measured;
  }
  if (result.measured == 0) return result;
  // The line through (log radius, log power) of the outer two thirds of what was measured.
  const auto end = static_cast<std::size_t>(result.measured), begin = end / 3;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  const auto log_radius = [&](std::size_t i) { return std::log((static_cast<double>(i) + 0.5) * width_); };
  for (std::size_t i = begin; i < end; ++i) {
    const double u = log_radius(i), v = std::log(result.power[i]);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  const double spread = n * xx - x * x;
  const double slope =
      std::clamp(spread > 0 ? (n * xy - x * y) / spread : 0.5 * (steepest + flattest), steepest, flattest);
  for (std::size_t i = end; i < shells_.size(); ++i) {
    const Shell& shell = shells_[i];
    if (shell.samples == 0) continue;
    const double most =
        std::max(shell.energy / shell.samples - noise, 0.0) + spreads * noise / std::sqrt(shell.samples);
    const double law = std::exp(y / n + slope * (log_radius(i) - x / n));
    result.power[i] = noise > 0 ? std::min(law, most) : law;
  }
  return result;
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

template <typename T>
Array<std::complex<T>> random_image(const PowerSpectrum& spectrum, const Shape& shape, int dims,
                                    std::uint64_t seed, Context& ctx) {
  Context host = ctx.host();
  auto spectral = converted<std::complex<T>>(unit_noise(shape, seed, 0, host).view());
  const Shape pixels = shape.drop_front(shape.rank() - dims);
  const Shells shells(pixels, dims);
  const Index all = spectral.size(), one = pixels.size();
  parallel_for(ctx, one, grain, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      const T amplitude = static_cast<T>(std::sqrt(spectrum.at(shells.radius(p))));
      for (Index i = p; i < all; i += one) spectral[i] *= amplitude;
    }
  });
  return Fft<T>(shape, dims).adjoint(moved_to(ctx.device(), std::move(spectral)), ctx);
}

template <typename T>
Array<std::complex<T>> with_spectrum(View<const std::complex<T>> image, const PowerSpectrum& spectrum,
                                     int dims, Context& ctx) {
  const Fft<T> fft(image.shape(), dims);
  Array<std::complex<T>> spectral = moved_to(Device::cpu(), fft.apply(image, ctx));
  const Shells shells(image.shape(), dims);
  struct Powers {
    double there = 0, wanted = 0;
  };
  std::vector<Powers> powers(static_cast<std::size_t>(shells.count()));
  const Index all = spectral.size();
  const auto shell_of = shells.of_all(ctx);
  std::vector<double> wanted(shell_of.size());
  parallel_for(ctx, all, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) wanted[static_cast<std::size_t>(i)] = spectrum.at(shells.radius(i));
  });
  for (Index i = 0; i < all; ++i) {
    Powers& sums = powers[static_cast<std::size_t>(shell_of[static_cast<std::size_t>(i)])];
    sums.there += std::norm(std::complex<double>(spectral[i]));
    sums.wanted += wanted[static_cast<std::size_t>(i)];
  }
  parallel_for(ctx, all, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const Powers& sums = powers[static_cast<std::size_t>(shell_of[static_cast<std::size_t>(i)])];
      spectral[i] *= static_cast<T>(sums.there > 0 ? std::sqrt(sums.wanted / sums.there) : 0);
    }
  });
  return fft.adjoint(moved_to(ctx.device(), std::move(spectral)), ctx);
}

template Array<std::complex<float>> with_spectrum<float>(View<const std::complex<float>>,
                                                         const PowerSpectrum&, int, Context&);
template Array<std::complex<double>> with_spectrum<double>(View<const std::complex<double>>,
                                                           const PowerSpectrum&, int, Context&);
template Array<std::complex<float>> random_image<float>(const PowerSpectrum&, const Shape&, int,
                                                        std::uint64_t, Context&);
template Array<std::complex<double>> random_image<double>(const PowerSpectrum&, const Shape&, int,
                                                          std::uint64_t, Context&);

}  // namespace larmor
