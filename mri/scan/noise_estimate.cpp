#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/scan/noise_at_edges.hpp>
#include <larmor/mri/scan/noise_estimate.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr Index samples_to_fit = 80'000, longest_window = 64, shortest_window = 32;
// Half the main lobe of the window, in bins, plus one.
constexpr double lobe = 5;
// Noise below this fraction of the largest sample (of its power) is rounding error, and below this fraction
// of a part's largest sample it is hidden by the window's side lobes.
constexpr double rounding = 1e-12, side_lobes = 2e-9;
constexpr Index samples_to_read = 400'000;

// One part of a readout, and its powers at frequencies that contain only noise.
struct Part {
  std::size_t readout = 0;
  Index first = 0, length = 0;  // of its kept samples
  Index lowest = 0;             // number of these frequencies, which end at length / 2
  double inner = 0, outer = 0;  // mean power of the lower and the upper half of these frequencies
  double freedom = 0;           // approximate number of independent values in it
  double largest = 0;           // power of its largest sample, all channels
  double power() const { return 0.5 * (inner + outer); }
  Index frequencies() const { return 2 * (length / 2 - lowest); }  // positive and negative frequencies
};

// A window, and the waves of all positive frequencies in it.
struct WindowedWaves {
  // Frequencies that are summed together.
  static constexpr Index together = 4;
  static_assert(longest_window / 2 % together == 0 && shortest_window / 2 % together == 0);
  Index length;
  std::vector<double> cosine, sine;  // [frequency / together][sample][frequency % together]

  explicit WindowedWaves(Index samples) : length(samples) {
    std::vector<double> window;
    double energy = 0;
    for (Index i = 0; i < length; ++i) {
      const double t = 2 * pi * static_cast<double>(i) / static_cast<double>(length);
      // The four-term Blackman-Harris window (Harris 1978).
      window.push_back(0.35875 - 0.48829 * std::cos(t) + 0.14128 * std::cos(2 * t) -
                       0.01168 * std::cos(3 * t));
      energy += window.back() * window.back();
    }
    for (double& w : window) w /= std::sqrt(energy);  // white noise keeps its variance
    for (Index first = 0; first < length / 2; first += together)
      for (Index i = 0; i < length; ++i)
        for (Index f = first; f < first + together; ++f) {
          const double t = 2 * pi * static_cast<double>(f * i % length) / static_cast<double>(length);
          cosine.push_back(window[static_cast<std::size_t>(i)] * std::cos(t));
          sine.push_back(window[static_cast<std::size_t>(i)] * std::sin(t));
        }
  }

  // use(f, sums) for the frequencies from `lowest` on, with the sums over samples times exp(2πi f t) and
  // exp(−2πi f t).
  template <typename Use>
  void sums(const std::complex<float>* samples, Index lowest, const Use& use) const {
    for (Index first = lowest / together * together; first < length / 2; first += together) {
      const double *c = cosine.data() + first * length, *s = sine.data() + first * length;
      double real_cosine[together]{}, real_sine[together]{}, imaginary_cosine[together]{},
          imaginary_sine[together]{};
      for (Index i = 0; i < length; ++i, c += together, s += together) {
        const double re = samples[i].real(), im = samples[i].imag();
        for (Index f = 0; f < together; ++f) {
          real_cosine[f] += re * c[f];
          real_sine[f] += re * s[f];
          imaginary_cosine[f] += im * c[f];
          imaginary_sine[f] += im * s[f];
        }
      }
      for (Index f = std::max<Index>(0, lowest - first); f < together; ++f)
        use(first + f,
            std::array{Complex(real_cosine[f] - imaginary_sine[f], imaginary_cosine[f] + real_sine[f]),
                       Complex(real_cosine[f] + imaginary_sine[f], imaginary_cosine[f] - real_sine[f])});
    }
  }
};

/// A range of frequencies that certainly contains the object.
enum class Support { box, ellipsoid };

// The lowest frequency, from `first` on, at which the window does not overlap the object's frequencies.
Index beyond_object(const ScanPlan& plan, std::span<const double> k, Index first, Index length,
                    Support support) {
  const Index dims = plan.dims;
  double band = 0;
  for (Index j = first + 1; j < first + length; ++j) {
    double sum = 0, square = 0;
    for (Index axis = 0; axis < dims; ++axis) {
      const double rate = 0.5 *
                          std::abs(k[static_cast<std::size_t>(j * dims + axis)] -
                                   k[static_cast<std::size_t>((j - 1) * dims + axis)]) *
                          static_cast<double>(plan.grids.recon.matrix[static_cast<std::size_t>(axis)]);
      sum += rate;
      square += rate * rate;
    }
    band = std::max(band, support == Support::box ? sum : std::sqrt(square));
  }
  return static_cast<Index>(std::ceil(band * static_cast<double>(length) + lobe - 1e-3));
}

const std::complex<float>* samples_of(const Scan& scan, const Part& part) {
  const Readout& readout = scan.readouts[part.readout];
  return scan.samples(readout) + readout.header.discard_pre + part.first;
}

// Computes the powers of a part.
void examine(const Scan& scan, const ScanPlan& plan, const WindowedWaves& waves, Part& part) {
  const Index step = scan.readouts[part.readout].header.samples;
  const auto* data = samples_of(scan, part);
  const Index count = part.length / 2 - part.lowest;
  Index nearer = 0, farther = 0;
  std::array<std::array<double, 2>, longest_window / 2> powers{};  // positive and negative frequencies
  for (Index c = 0; c < plan.channels; ++c)
    waves.sums(data + c * step, part.lowest, [&](Index f, const std::array<Complex, 2>& both) {
      auto& power = powers[static_cast<std::size_t>(f)];
      for (std::size_t sign = 0; sign < 2; ++sign) power[sign] += std::norm(both[sign]);
    });
  for (Index f = part.lowest; f < part.length / 2; ++f) {
    const bool far = 2 * (f - part.lowest) >= count;
    for (const double each : powers[static_cast<std::size_t>(f)]) (far ? part.outer : part.inner) += each;
    (far ? farther : nearer) += 2;
  }
  part.inner /= static_cast<double>(nearer);
  part.outer /= static_cast<double>(farther);
  for (Index j = 0; j < part.length; ++j) {
    double power = 0;
    for (Index c = 0; c < plan.channels; ++c) power += std::norm(data[c * step + j]);
    part.largest = std::max(part.largest, power);
  }
  // Neighbouring frequencies of the window share about half of their noise.
  part.freedom = static_cast<double>(nearer + farther) / 2;
}

// The mean over parts of the channels' cross spectra, [channels, channels], in the order of the parts. All
// parts share one matrix: with many channels it is larger than the samples of a part.
Array<Complex> covariance_of(const Scan& scan, const ScanPlan& plan, const std::vector<Part>& parts,
                             Context& ctx) {
  const Index channels = plan.channels;
  const WindowedWaves longest(longest_window), shortest(shortest_window);
  auto covariance = filled<Complex>({channels, channels}, 0);
  // Parts whose spectra are computed at a time, so that threads synchronise less often.
  constexpr std::size_t together = 256;
  std::array<std::vector<Complex>, together> spectra;  // [frequency][channel]
  for (std::size_t begin = 0; begin < parts.size(); begin += together) {
    const std::size_t count = std::min(together, parts.size() - begin);
    parallel_for(ctx, static_cast<Index>(count), 1, [&](Index from, Index to, int) {
      for (auto p = static_cast<std::size_t>(from); p < static_cast<std::size_t>(to); ++p) {
        const Part& part = parts[begin + p];
        const Index step = scan.readouts[part.readout].header.samples;
        spectra[p].resize(static_cast<std::size_t>(part.frequencies() * channels));
        const WindowedWaves& waves = part.length == longest_window ? longest : shortest;
        for (Index c = 0; c < channels; ++c)
          waves.sums(samples_of(scan, part) + c * step, part.lowest,
                     [&](Index f, const std::array<Complex, 2>& both) {
                       Complex* const into = spectra[p].data() + 2 * (f - part.lowest) * channels + c;
                       for (std::size_t sign = 0; sign < 2; ++sign)
                         into[static_cast<Index>(sign) * channels] =
                             plan.reading.conjugate ? std::conj(both[sign]) : both[sign];
                     });
      }
    });
    parallel_for(ctx, channels, 1, [&](Index from, Index to, int) {
      std::vector<Complex> row(static_cast<std::size_t>(channels));
      for (Index a = from; a < to; ++a)
        for (std::size_t p = 0; p < count; ++p) {
          std::fill(row.begin(), row.end(), 0);
          const Index frequencies = parts[begin + p].frequencies();
          for (Index f = 0; f < frequencies; ++f) {
            const Complex* const spectrum = spectra[p].data() + f * channels;
            const double re = spectrum[a].real(), im = spectrum[a].imag();
            for (Index b = 0; b <= a; ++b) {
              const double other_re = spectrum[b].real(), other_im = spectrum[b].imag();
              row[static_cast<std::size_t>(b)] +=
                  Complex(re * other_re + im * other_im, im * other_re - re * other_im);
            }
          }
          for (Index b = 0; b <= a; ++b)
            covariance[a * channels + b] +=
                row[static_cast<std::size_t>(b)] / static_cast<double>(frequencies);
        }
    });
  }
  for (Complex& value : covariance) value /= static_cast<double>(parts.size());
  complete(covariance);
  return covariance;
}

double quantile(std::vector<double> values, double fraction) {
  const auto place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

std::vector<Part> parts_of(const Scan& scan, const ScanPlan& plan, Support support, Context& ctx) {
  const std::vector<std::size_t> chosen = some_readouts(plan, samples_to_fit);
  const WindowedWaves longest(longest_window), shortest(shortest_window);
  std::vector<std::vector<Part>> found(chosen.size());
  parallel_for(ctx, static_cast<Index>(chosen.size()), 4, [&](Index begin, Index end, int) {
    for (Index r = begin; r < end; ++r) {
      const Readout& readout = scan.readouts[chosen[static_cast<std::size_t>(r)]];
      const Index samples = kept_samples(readout.header);
      const Index length = samples >= longest_window ? longest_window : shortest_window;
      if (samples < length) continue;
      const auto k = plan.at(chosen[static_cast<std::size_t>(r)]).k;
      const WindowedWaves& waves = length == longest_window ? longest : shortest;
      for (Index first = 0; first + length <= samples; first += length / 2) {
        Part part{.readout = chosen[static_cast<std::size_t>(r)], .first = first, .length = length};
        part.lowest = beyond_object(plan, k, first, length, support);
        if (length / 2 - part.lowest < 3) continue;
        examine(scan, plan, waves, part);
        if (std::isfinite(part.power()) && part.power() > side_lobes * part.largest)
          found[static_cast<std::size_t>(r)].push_back(part);
      }
    }
  });
  std::vector<Part> parts;
  for (const auto& some : found) parts.insert(parts.end(), some.begin(), some.end());
  return parts;
}

// The square of the largest real or imaginary part of the samples of the first image.
double largest_square(const Scan& scan, const ScanPlan& plan, Context& ctx) {
  const std::vector<std::size_t>& readouts = plan.images.front().readouts;
  std::vector<float> of_readout(readouts.size());
  share_readouts(readouts.size(), &ctx,
                 [&](std::size_t r) { of_readout[r] = largest_part(scan, scan.readouts[readouts[r]]); });
  const double largest = *std::max_element(of_readout.begin(), of_readout.end());
  return largest * largest;
}

std::optional<NoiseEstimate> beyond_the_object(const Scan& scan, const ScanPlan& plan, Support support,
                                               Context& ctx) {
  std::vector<Part> parts = parts_of(scan, plan, support, ctx);
  const Index channels = plan.channels;
  if (parts.size() < 16) return std::nullopt;
  std::vector<double> powers;
  double freedom = 0;
  for (const Part& part : parts) {
    powers.push_back(part.power());
    freedom += part.freedom / static_cast<double>(parts.size());
  }
  // Channels are correlated: the number of independent values is smaller.
  const double spread = 1 / std::sqrt(freedom), quiet = quantile(powers, 0.25);
  if (!(quiet > rounding * largest_square(scan, plan, ctx))) return std::nullopt;
  if (quantile(powers, 0.02) < quiet * (1 - 4 * spread)) return std::nullopt;
  const double loudest = quiet * (1 + 7 * spread);
  const auto all = static_cast<double>(parts.size());
  std::erase_if(parts, [&](const Part& part) { return part.power() > loudest; });
  double inner = 0, outer = 0, numbers = 0;
  for (const Part& part : parts) {
    inner += part.inner;
    outer += part.outer;
    numbers += part.freedom;
  }
  const double share = static_cast<double>(parts.size()) / all;
  if (share < 0.4 || numbers < 20 * static_cast<double>(channels)) return std::nullopt;
  if (std::abs(inner / outer - 1) > 0.06 + 3 / std::sqrt(numbers)) return std::nullopt;
  return NoiseEstimate{
      covariance_of(scan, plan, parts, ctx),
      fmt::format("the imaging readouts beyond the object's frequencies ({} parts of readouts)",
                  parts.size())};
}

// Pairs of readouts acquired at the same places; no readout is in two pairs.
std::vector<std::array<std::size_t, 2>> repeated_readouts(const ScanPlan& plan) {
  using Key = std::vector<Index>;
  std::map<Key, std::size_t> waiting;
  std::vector<std::array<std::size_t, 2>> pairs;
  Index samples = 0;
  for (const PlannedImage& image : plan.images)
    for (const std::size_t index : image.readouts) {
      if (plan.left_out.contains(index)) continue;
      const auto k = plan.at(index).k;
      const auto count = std::ssize(k) / plan.dims;
      const ImageCounters& counters = image.counters;
      Key key{counters.slice, counters.contrast, counters.phase, counters.set, count};
      constexpr Index probes = 4;
      for (Index probe = 0; probe < probes; ++probe)
        for (Index axis = 0; axis < plan.dims; ++axis) {
          const Index at = (count - 1) * probe / (probes - 1) * plan.dims + axis;
          key.push_back(std::lround(1e6 * k[static_cast<std::size_t>(at)]));
        }
      const auto [place, first] = waiting.try_emplace(std::move(key), index);
      if (first) continue;
      pairs.push_back({place->second, index});
      waiting.erase(place);
      samples += count;
      if (samples >= samples_to_fit) return pairs;
    }
  return pairs;
}

std::optional<NoiseEstimate> by_repetition(const Scan& scan, const ScanPlan& plan, Context& ctx) {
  const auto pairs = repeated_readouts(plan);
  const Index channels = plan.channels;
  // Within a quarter of the distance to the edge of k-space, and outside it.
  std::array<double, 2> power{}, numbers{};
  NoiseEstimate result;
  result.covariance = filled<Complex>({channels, channels}, 0);
  std::vector<Complex> difference(static_cast<std::size_t>(channels));
  for (const auto& [one, other] : pairs) {
    const ReadoutCoordinates& places = plan.at(one);
    const Readout &first = scan.readouts[one], &second = scan.readouts[other];
    for (std::size_t j = 0; j < places.inside.size(); ++j) {
      const std::size_t far =
          largest_component(places.k.data() + j * static_cast<std::size_t>(plan.dims), plan.dims) > 0.125 ? 1
                                                                                                          : 0;
      const auto sample = [&](const Readout& readout, Index channel) {
        const Index at = channel * readout.header.samples + readout.header.discard_pre;
        return Complex(scan.samples(readout)[at + static_cast<Index>(j)]);
      };
      for (Index c = 0; c < channels; ++c) {
        const Complex value = (sample(first, c) - sample(second, c)) * std::numbers::sqrt2 * 0.5;
        difference[static_cast<std::size_t>(c)] = plan.reading.conjugate ? std::conj(value) : value;
        power[far] += std::norm(value);
      }
      numbers[far] += 1;
      for (Index a = 0; a < channels; ++a)
        for (Index b = 0; b <= a; ++b)
          result.covariance[a * channels + b] +=
              difference[static_cast<std::size_t>(a)] * std::conj(difference[static_cast<std::size_t>(b)]);
    }
  }
  const double all = numbers[0] + numbers[1];
  if (std::min(numbers[0], numbers[1]) < 20 || all < 20 * static_cast<double>(channels)) return std::nullopt;
  if (!((power[0] + power[1]) / all > rounding * largest_square(scan, plan, ctx))) return std::nullopt;
  // Motion and contrast agents change the centre of k-space.
  const double ratio = power[0] / numbers[0] / (power[1] / numbers[1]);
  if (!(std::abs(ratio - 1) < 0.06 + 3 / std::sqrt(std::min(numbers[0], numbers[1])))) return std::nullopt;
  for (Complex& value : result.covariance) value /= all;
  complete(result.covariance);
  result.source = fmt::format("differences of repeated imaging readouts ({} pairs)", pairs.size());
  return result;
}

}  // namespace

std::vector<std::size_t> some_readouts(const ScanPlan& plan, Index samples) {
  std::vector<std::size_t> all;
  for (const PlannedImage& image : plan.images)
    std::copy_if(image.readouts.begin(), image.readouts.end(), std::back_inserter(all),
                 [&](std::size_t index) { return !plan.left_out.contains(index); });
  const double stride =
      std::max(1.0, static_cast<double>(plan.total_samples()) / static_cast<double>(samples));
  std::vector<std::size_t> chosen;
  for (double place = 0; place < static_cast<double>(all.size()); place += stride)
    chosen.push_back(all[static_cast<std::size_t>(place)]);
  return chosen;
}

std::optional<NoiseEstimate> estimate_noise(const Scan& scan, const ScanPlan& plan, Context& ctx) {
  for (const Support support : {Support::box, Support::ellipsoid})
    if (auto found = beyond_the_object(scan, plan, support, ctx)) return found;
  if (auto found = by_repetition(scan, plan, ctx)) return found;
  return noise_at_edges(scan, plan, some_readouts(plan, samples_to_read),
                        rounding * largest_square(scan, plan, ctx));
}

}  // namespace larmor
