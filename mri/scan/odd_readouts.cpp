#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/odd_readouts.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace larmor {
namespace {

// A wrong counter would produce an additional image.
void warn_of_small_images(ScanPlan& plan) {
  std::size_t most = 0;
  for (const PlannedImage& image : plan.images) most = std::max(most, image.readouts.size());
  const auto small = [&](const PlannedImage& image) { return 2 * image.readouts.size() < most; };
  const auto count = std::count_if(plan.images.begin(), plan.images.end(), small);
  if (count == 0) return;
  const PlannedImage& first = *std::find_if(plan.images.begin(), plan.images.end(), small);
  plan.warnings.push_back(fmt::format(
      "{} of {} images have less than half the readouts of others: that of readout {} has {} where others "
      "have {} (slice {}, contrast {}, phase {}, repetition {}, set {})",
      count, plan.images.size(), first.readouts.front(), first.readouts.size(), most, first.counters.slice,
      first.counters.contrast, first.counters.phase, first.counters.repetition, first.counters.set));
}

// Without counters in the file, all stored lines have the number 0.
void warn_of_uneven_lines(const Scan& scan, ScanPlan& plan) {
  Index uneven = 0;
  for (const PlannedImage& image : plan.images) {
    std::map<std::array<int, 4>, Index> measured;
    for (const std::size_t index : image.readouts) {
      const ReadoutHeader& header = scan.readouts[index].header;
      ++measured[{header.encode_step_1, header.encode_step_2, header.average, header.segment}];
    }
    Index least = std::numeric_limits<Index>::max(), most = 0;
    for (const auto& [step, times] : measured) {
      least = std::min(least, times);
      most = std::max(most, times);
    }
    const bool generated = plan.reading.generate == GeneratedTrajectory::cartesian;
    uneven += least < most || (generated && measured.size() == 1 && most > 1) ? 1 : 0;
  }
  if (uneven > 0)
    plan.warnings.push_back(
        fmt::format("in {} of {} images some lines were measured more often than others: check their numbers",
                    uneven, plan.images.size()));
}

/// "readout 5", "readouts 5, 9, 12 and 4 more"
std::string named(const std::vector<std::size_t>& readouts) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(most, readouts.size());
  std::string text =
      fmt::format("readout{} {}", readouts.size() > 1 ? "s" : "",
                  fmt::join(readouts.begin(), readouts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < readouts.size()) text += fmt::format(" and {} more", readouts.size() - shown);
  return text;
}

// A ratio of energies that neighbouring readouts, or channels of an array, do not have.
constexpr double far_off = 100;

/// Warns of readouts, if there are any; they replace {0} in the text, and far_off {1}.
void warn_of(const std::vector<std::size_t>& readouts, const char* text, std::vector<std::string>& warnings) {
  if (!readouts.empty()) warnings.push_back(fmt::format(fmt::runtime(text), named(readouts), far_off));
}

std::size_t values_of(const Readout& readout) {
  return std::size_t{readout.header.samples} * readout.header.active_channels;
}

bool all_zero(const Scan& scan, const Readout& readout) {
  const auto* const first = scan.samples(readout);
  return std::all_of(first, first + values_of(readout), [](const auto& sample) { return sample == 0.0F; });
}

/// The requested readouts of an image, if these are not all.
std::vector<std::size_t> some_of(const PlannedImage& image, const std::vector<char>& wanted) {
  std::vector<std::size_t> result;
  for (std::size_t r = 0; r < wanted.size(); ++r)
    if (wanted[r]) result.push_back(image.readouts[r]);
  if (result.size() == wanted.size()) result.clear();
  return result;
}

/// Number of samples at k = 0 that a trajectory [samples][3] only reaches by jumps: by steps longer than two
/// of the largest between its other samples.
Index zeros_beside_the_way(const std::vector<double>& k) {
  const std::size_t count = k.size() / 3;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return std::hypot(k[3 * a] - k[3 * b], k[3 * a + 1] - k[3 * b + 1], k[3 * a + 2] - k[3 * b + 2]);
  };
  const auto at_zero = [&](std::size_t j) { return k[3 * j] == 0 && k[3 * j + 1] == 0 && k[3 * j + 2] == 0; };
  double step = 0;
  for (std::size_t j = 1; j < count; ++j)
    if (!at_zero(j - 1) && !at_zero(j)) step = std::max(step, distance(j - 1, j));
  Index zeros = 0;
  for (std::size_t begin = 0, end; begin < count && step > 0; begin = end + 1) {
    for (end = begin; end < count && at_zero(end);) ++end;
    const bool jumps = (begin > 0 && distance(begin - 1, begin) > 2 * step) ||
                       (end < count && end > 0 && distance(end - 1, end) > 2 * step);
    if (end > begin && jumps) zeros += static_cast<Index>(end - begin);
  }
  return zeros;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
// far_off for neighbouring samples, which vary more: in a single channel of noise one of 40 000 is so far
// below the two samples before and after it.
constexpr double far_below = far_off * far_off;
// In fewer values than these, a rare property may be chance.
constexpr Index enough = 4;

using Run = std::array<Index, 2>;  // first sample, and the one after the last

/// Runs of samples, not all zero, that begin with a fall from the two samples before by `far_below` and end
/// with a rise by as much; at an end of the readout, runs that are as a whole so far below the two samples
/// next to them.
std::vector<Run> faint_runs(const std::vector<double>& energies) {
  const Index count = std::ssize(energies);
  const double* const e = energies.data();
  const auto before = [&](Index j) { return j < 2 ? 0 : std::min(e[j - 1], e[j - 2]); };
  const auto after = [&](Index j) { return j + 2 > count ? 0 : std::min(e[j], e[j + 1]); };
  std::vector<Run> runs;
  const auto add = [&](Index begin, Index end, double ceiling) {
    const double most = *std::max_element(e + begin, e + end);
    if (most > 0 && most * far_below < ceiling) runs.push_back({begin, end});
  };
  Index begin = -1;  // after the last fall
  bool first = true;
  for (Index j = 1; j < count; ++j) {
    if (e[j - 1] * far_below < after(j)) {
      if (begin >= 0)
        add(begin, j, infinity);
      else if (first)
        add(0, j, after(j));
      begin = -1;
      first = false;
    }
    if (e[j] * far_below < before(j)) {
      if (begin < 0) begin = j;
      first = false;
    }
  }
  if (begin >= 0) add(begin, count, before(begin));
  return runs;
}

// Relative differences of energies below this are errors of rounding.
constexpr double rounding_error = 1e-6;

/// Properties in which a readout may differ from its neighbours.
struct Look {
  std::vector<double> samples, channels;  // energies of the kept samples and of the channels
  double energy = 0;
  bool central = false;                       // it passes within one cycle per field of view of k = 0
  std::array<std::complex<float>, 8> some{};  // samples, spread over the readout
  std::complex<double> squares;               // sum of s²
  double largest = 0, loudest = 0;            // squares of the largest real or imaginary part and magnitude
  double strongest = 0;                       // energy of one sample that is not central
  Index blank = 0, kept = 0;                  // samples that are 0 in every channel, and all
  double least = infinity;                    // energy of the weakest other sample
  std::vector<Run> faint;

  Index values() const { return kept * std::ssize(channels); }
  // The phases are equal or opposite, as those of real values are.
  bool on_a_line() const { return std::abs(squares) >= (1 - rounding_error) * energy && values() >= enough; }
};

// All that follows from the samples alone.
Look energies_of(const Scan& scan, const Readout& readout) {
  Look look;
  look.kept = kept_samples(readout.header);
  look.samples.resize(static_cast<std::size_t>(look.kept));
  look.channels.resize(readout.header.active_channels);
  const auto* samples = scan.samples(readout) + readout.header.discard_pre;
  // Sums of every fourth sample, which do not wait for each other.
  constexpr std::size_t lanes = 4;
  double squares_re[lanes]{}, squares_im[lanes]{}, largest[lanes]{}, loudest[lanes]{};
  for (double& of_channel : look.channels) {
    double sums[lanes]{};
    const auto add = [&](std::size_t j, std::size_t lane) {
      const double re = samples[j].real(), im = samples[j].imag(), energy = re * re + im * im;
      look.samples[j] += energy;
      sums[lane] += energy;
      squares_re[lane] += re * re - im * im;
      squares_im[lane] += 2 * re * im;
      largest[lane] = std::max(largest[lane], std::max(re * re, im * im));
      loudest[lane] = std::max(loudest[lane], energy);
    };
    std::size_t j = 0;
    for (; j + lanes <= look.samples.size(); j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) add(j + lane, lane);
    for (std::size_t lane = 0; j < look.samples.size(); ++j, ++lane) add(j, lane);
    of_channel = std::accumulate(sums, sums + lanes, 0.0);
    samples += readout.header.samples;
  }
  look.squares = {std::accumulate(squares_re, squares_re + lanes, 0.0),
                  std::accumulate(squares_im, squares_im + lanes, 0.0)};
  look.largest = *std::max_element(largest, largest + lanes);
  look.loudest = *std::max_element(loudest, loudest + lanes);
  look.energy = std::accumulate(look.channels.begin(), look.channels.end(), 0.0);
  return look;
}

Look look_at(const Scan& scan, const ScanPlan& plan, std::size_t index) {
  const Readout& readout = scan.readouts[index];
  Look look = energies_of(scan, readout);
  const std::size_t values = values_of(readout);
  for (std::size_t i = 0; i < look.some.size(); ++i)
    look.some[i] = scan.samples(readout)[i * values / look.some.size()];
  look.faint = faint_runs(look.samples);
  const double* k = plan.at(index).k.data();
  for (const double energy : look.samples) {
    double square = 0;
    for (int axis = 0; axis < plan.dims; ++axis, ++k) {
      const double pixels = *k * static_cast<double>(plan.grids.recon.matrix[static_cast<std::size_t>(axis)]);
      square += pixels * pixels;
    }
    if (square <= 1)
      look.central = true;
    else
      look.strongest = std::max(look.strongest, energy);
    if (energy == 0)
      ++look.blank;
    else
      look.least = std::min(look.least, energy);
  }
  look.samples = {};
  return look;
}

bool same_samples(const Scan& scan, std::size_t a, std::size_t b) {
  const Readout &first = scan.readouts[a], &second = scan.readouts[b];
  return values_of(first) == values_of(second) &&
         std::memcmp(scan.samples(first), scan.samples(second),
                     values_of(first) * sizeof(std::complex<float>)) == 0;
}

// Three neighbouring samples of a channel of which the real or the imaginary part or the magnitude is the
// largest of the scan, unless all are. Two may be those beside the centre of k-space, without noise.
bool clipped(const Scan& scan, const Readout& readout, double largest, double loudest) {
  const auto* samples = scan.samples(readout) + readout.header.discard_pre;
  const Index count = kept_samples(readout.header);
  for (Index c = 0; c < readout.header.active_channels; ++c, samples += readout.header.samples)
    for (const int part : {0, 1, 2}) {
      Index run = 0, longest = 0, all = 0;
      for (Index j = 0; j < count; ++j) {
        const double re = samples[j].real(), im = samples[j].imag();
        const bool at_limit = part == 0   ? re * re >= (1 - rounding_error) * largest
                              : part == 1 ? im * im >= (1 - rounding_error) * largest
                                          : re * re + im * im >= (1 - rounding_error) * loudest;
        run = at_limit ? run + 1 : 0;
        longest = std::max(longest, run);
        all += at_limit;
      }
      if (longest > 2 && all < count) return true;
    }
  return false;
}

/// Values that may be no measurements.
class OddValues {
 public:
  void add(const Scan& scan, const Look& look, std::size_t readout) {
    if (!(look.energy > 0)) return;
    readouts_.push_back(readout);
    if (look.on_a_line()) on_a_line_.push_back(readout);
    largest_ = std::max(largest_, look.largest);
    loudest_ = std::max(loudest_, look.loudest);
    limits_.push_back({look.largest, look.loudest});
    compare_channels(scan, scan.readouts[readout], look);
    faint_at_.resize(std::max(faint_at_.size(), static_cast<std::size_t>(look.kept)));
    for (const auto& [begin, end] : look.faint) {
      if (faint_ == 0) first_faint_ = {readout, begin, end - 1};
      faint_ += end - begin;
      for (Index j = begin; j < end; ++j) ++faint_at_[static_cast<std::size_t>(j)];
    }
    samples_ += look.kept;
    blank_ += look.blank;
    least_ = std::min(least_, look.least);
    channels_.resize(std::max(channels_.size(), look.channels.size()));
    for (std::size_t c = 0; c < look.channels.size(); ++c) channels_[c] += look.channels[c];
  }
  /// noise: noise_energies().
  void report(const Scan& scan, const std::vector<double>& noise, ScanPlan& plan) const {
    std::vector<std::string>& warnings = plan.warnings;
    if (readouts_.empty()) return;
    if (on_a_line_.size() == readouts_.size())
      warnings.push_back("all samples are real, or have one phase: real or imaginary parts are missing");
    else
      warn_of(on_a_line_,
              "the samples of {} are real, or have one phase: real or imaginary parts are missing", warnings);
    report_clipped(scan, warnings);
    report_faint(warnings);
    std::vector<std::size_t> silent;
    for (std::size_t c = 0; c < channels_.size(); ++c)
      if (channels_[c] == 0) silent.push_back(c);
    if (!silent.empty())
      warnings.push_back(fmt::format("channels of which all samples are zero: {}", fmt::join(silent, ", ")));
    std::vector<std::size_t> copies;
    for (const auto& pair : equal_channels_) copies.push_back(pair[1]);
    if (!copies.empty())
      warnings.push_back(fmt::format("channels that are copies of others: {}; give each channel once",
                                     fmt::join(copies, ", ")));
    report_loud_channel(noise, plan);
    if (blank_ > rounded_to_zero(scan))
      warnings.push_back(
          fmt::format("{} of {} samples are zero, but others of their readouts are not: if they were not "
                      "measured, give them the density weight 0",
                      blank_, samples_));
  }

 private:
  // Channels with the same samples as a channel before them in all readouts. Channels without signal in the
  // first readout are left out: silent ones are no copies.
  void compare_channels(const Scan& scan, const Readout& readout, const Look& look) {
    const std::size_t channels = readout.header.active_channels;
    const auto* const samples = scan.samples(readout);
    const auto same = [&](std::size_t a, std::size_t b) {
      return std::memcmp(samples + a * readout.header.samples, samples + b * readout.header.samples,
                         readout.header.samples * sizeof(std::complex<float>)) == 0;
    };
    if (readouts_.size() > 1)
      std::erase_if(equal_channels_,
                    [&](const auto& pair) { return pair[1] >= channels || !same(pair[0], pair[1]); });
    else
      for (std::size_t b = 1; b < channels; ++b)
        for (std::size_t a = 0; a < b && look.channels[b] > 0; ++a)
          if (same(a, b)) {
            equal_channels_.push_back({a, b});
            break;
          }
  }
  // The noise shows the gains of the channels. Noise readouts of another scan are not here.
  void report_loud_channel(const std::vector<double>& noise, ScanPlan& plan) const {
    std::vector<double> energies = channels_;
    const bool known = noise.size() == energies.size();
    if (!known && !plan.noise_readouts.empty()) return;
    for (std::size_t c = 0; c < energies.size() && known; ++c)
      energies[c] = noise[c] > 0 ? energies[c] / noise[c] : 0;
    const double all = std::accumulate(energies.begin(), energies.end(), 0.0);
    for (std::size_t c = 0; c < energies.size(); ++c)
      if (const double others = all - energies[c]; others > 0 && energies[c] > far_off * others)
        plan.warnings.push_back(fmt::format(
            "channel {} has more than {:.0f} times the energy of all others together, {}", c, far_off,
            known ? "relative to the noise readouts: their gains may differ from those of the image"
                  : "and there is no noise readout to compare their gains"));
  }
  void report_clipped(const Scan& scan, std::vector<std::string>& warnings) const {
    std::vector<std::size_t> readouts;
    for (std::size_t r = 0; r < readouts_.size(); ++r)
      if ((limits_[r][0] >= (1 - rounding_error) * largest_ ||
           limits_[r][1] >= (1 - rounding_error) * loudest_) &&
          clipped(scan, scan.readouts[readouts_[r]], largest_, loudest_))
        readouts.push_back(readouts_[r]);
    warn_of(readouts, "neighbouring samples of {} have the largest value of the scan: they are clipped",
            warnings);
  }
  // A dead part of all readouts, or more samples than chance makes faint in a single channel.
  void report_faint(std::vector<std::string>& warnings) const {
    const Index most = faint_at_.empty() ? 0 : *std::max_element(faint_at_.begin(), faint_at_.end());
    const bool in_most = 2 * most > std::ssize(readouts_);
    if ((in_most ? most : faint_) < enough || (!in_most && 100 * faint_ < samples_)) return;
    warnings.push_back(fmt::format(
        "{} of {} samples have less than {:g} of the magnitude of those before and after them, as in "
        "readout {} from {} to {}: if they were not measured, give them the density weight 0",
        faint_, samples_, 1 / far_off, first_faint_.readout, first_faint_.begin, first_faint_.last));
  }
  // Samples that are rounded to integers have each of the eight values next to 0 about as often as 0.
  Index rounded_to_zero(const Scan& scan) const {
    Index next = 0;
    for (std::size_t r = 0; r < readouts_.size() && blank_ > 0; ++r)
      for (const double energy : energies_of(scan, scan.readouts[readouts_[r]]).samples)
        next += energy > 0 && energy <= 2 * least_;
    return next;
  }

  struct FaintRun {
    std::size_t readout = 0;
    Index begin = 0, last = 0;
  };
  std::vector<std::size_t> readouts_, on_a_line_;
  std::vector<std::array<double, 2>> limits_;  // largest and loudest of each readout
  double largest_ = 0, loudest_ = 0;
  std::vector<std::array<std::size_t, 2>> equal_channels_;
  FaintRun first_faint_;
  Index faint_ = 0;
  std::vector<Index> faint_at_;  // readouts, by sample
  Index samples_ = 0, blank_ = 0;
  double least_ = infinity;
  std::vector<double> channels_;
};

/// Readouts that differ from the others of their image.
class OddReadouts {
 public:
  /// noise: mean energy of a value, 0 if it is not known.
  explicit OddReadouts(double noise) : noise_(noise) {}

  /// The readouts of an image, in the order of acquisition.
  void add(const Scan& scan, const std::vector<Look>& looks, const std::vector<std::size_t>& readouts) {
    double energy = 0;
    for (const Look& look : looks) energy += look.energy;
    for (std::size_t r = 0; r < readouts.size(); ++r) {
      if (looks[r].strongest > energy - looks[r].strongest) spiky_.push_back(readouts[r]);
      if (looks[r].energy * far_off < noise_ * static_cast<double>(looks[r].values()))
        without_noise_.push_back(readouts[r]);
      if (repeats(scan, looks[r], readouts[r])) repeated_.push_back(readouts[r]);
    }
    compare_neighbours(looks, readouts);
    compare_all(looks, readouts);
  }
  void report(std::vector<std::string>& warnings) {
    warn_of(repeated_, "the samples of {} are also those of another readout, and are used nevertheless",
            warnings);
    warn_of(
        loud_or_faint_,
        "the energy of {0} is more than {1:.0f} times above or below that of the readouts before and after",
        warnings);
    warn_of(without_noise_,
            "the energy of {0} is more than {1:.0f} times below that of the noise readouts: leave out what "
            "was not measured",
            warnings);
    std::set<std::size_t> known(loud_or_faint_.begin(), loud_or_faint_.end());
    known.insert(without_noise_.begin(), without_noise_.end());
    std::erase_if(faint_, [&](std::size_t index) { return known.contains(index); });
    std::sort(faint_.begin(), faint_.end());
    warn_of(faint_,
            "the energy of {0} is more than {1:.0f} times below that of all other readouts of the image",
            warnings);
    warn_of(spiky_,
            "one sample of {}, away from the centre of k-space, has more energy than all others of the image "
            "together",
            warnings);
  }

 private:
  bool repeats(const Scan& scan, const Look& look, std::size_t readout) {
    std::array<std::uint32_t, 16> key{};
    std::memcpy(key.data(), look.some.data(), sizeof key);
    const auto [other, first] = seen_.try_emplace(key, readout);
    return !first && other->second != readout && look.energy > 0 &&
           same_samples(scan, other->second, readout);
  }
  // Readouts through the centre of k-space have about the energies of their neighbours.
  void compare_neighbours(const std::vector<Look>& looks, const std::vector<std::size_t>& readouts) {
    if (looks.size() < 3) return;
    const std::size_t last = looks.size() - 1;
    for (std::size_t r = 0; r <= last; ++r) {
      const Look &before = looks[r == 0 ? 2 : r - 1], &after = looks[r == last ? last - 2 : r + 1];
      if (!looks[r].central || !before.central || !after.central) continue;
      if (looks[r].energy > far_off * std::max(before.energy, after.energy) ||
          looks[r].energy * far_off < std::min(before.energy, after.energy))
        loud_or_faint_.push_back(readouts[r]);
    }
  }
  // Readouts, fewer than half, may be far below all others. Without noise, lines at the beginning and the end
  // of a scan of a smooth object are.
  void compare_all(const std::vector<Look>& looks, const std::vector<std::size_t>& readouts) {
    std::vector<std::pair<double, std::size_t>> energies;
    for (std::size_t r = 0; r < looks.size(); ++r)
      if (looks[r].energy > 0 && looks[r].values() >= enough) energies.emplace_back(looks[r].energy, r);
    std::sort(energies.begin(), energies.end());
    std::size_t below = energies.size() / 2;
    while (below > 0 &&
           (2 * below == energies.size() || !(energies[below].first > far_off * energies[below - 1].first)))
      --below;
    if (below == 0) return;
    std::size_t first = looks.size(), last = 0;  // of those that are not
    for (std::size_t i = below; i < energies.size(); ++i) {
      first = std::min(first, energies[i].second);
      last = std::max(last, energies[i].second);
    }
    for (std::size_t i = 0; i < below; ++i)
      if (const std::size_t r = energies[i].second; first < r && r < last) faint_.push_back(readouts[r]);
  }

  double noise_;
  std::vector<std::size_t> repeated_, loud_or_faint_, spiky_, without_noise_, faint_;
  std::map<std::array<std::uint32_t, 16>, std::size_t> seen_;
};

// Mean energy of a sample of each channel in the scan's own noise readouts; none if it has none.
std::vector<double> noise_energies(const Scan& scan, const ScanPlan& plan) {
  std::vector<double> sums;
  double samples = 0;
  for (const std::size_t index : plan.noise_readouts) {
    if (index >= scan.readouts.size() || !scan.readouts[index].header.has(AcquisitionFlag::noise)) return {};
    // Whitening refuses these.
    if (kept_samples(scan.readouts[index].header) < 1 || !scan.has_samples(scan.readouts[index])) return {};
    const Look look = energies_of(scan, scan.readouts[index]);
    sums.resize(std::max(sums.size(), look.channels.size()));
    for (std::size_t c = 0; c < look.channels.size(); ++c) sums[c] += look.channels[c];
    samples += static_cast<double>(look.kept);
  }
  for (double& sum : sums) sum /= samples;
  return sums;
}

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void warn_of_counters(const Scan& scan, ScanPlan& plan) {
  warn_of_small_images(plan);
  if (plan.lines) warn_of_uneven_lines(scan, plan);
}

void warn_of_long_readouts(std::vector<std::pair<double, std::size_t>> extents, ScanPlan& plan) {
  std::sort(extents.begin(), extents.end());
  // A readout of an image with another resolution would reach twice as far, or be one of many.
  constexpr double farther = 2;
  std::vector<std::size_t> longer;
  for (std::size_t r = extents.size(); r > extents.size() / 2 + 1 && longer.empty(); --r)
    if (extents[r - 1].first > farther * extents[r - 2].first)
      for (std::size_t each = r - 1; each < extents.size(); ++each) longer.push_back(extents[each].second);
  if (longer.empty()) return;
  std::sort(longer.begin(), longer.end());
  plan.warnings.push_back(
      fmt::format("the coordinates of {} reach more than {:g} times as far as those of all other readouts: "
                  "these may be wrong, and the units and the field of view that were found with them",
                  named(longer), farther));
}

void leave_out_empty_readouts(const Scan& scan, const TrajectoryReader& reader, Context* workers,
                              ScanPlan& plan) {
  std::vector<std::size_t> without_trajectory, without_samples, with_zeros;
  Index zeros = 0;
  for (const PlannedImage& image : plan.images) {
    const std::size_t count = image.readouts.size();
    std::vector<char> resting(count, 0), still(count, 0), silent(count, 0);
    std::vector<Index> astray(count, 0);
    share_readouts(count, workers, [&](std::size_t r) {
      const std::size_t index = image.readouts[r];
      silent[r] = all_zero(scan, scan.readouts[index]);
      if (reader.generated()) return;
      std::vector<double> k, weights;
      reader.read(index, k, weights);
      resting[r] = std::all_of(k.begin(), k.end(), [](double value) { return value == 0; });
      astray[r] = zeros_beside_the_way(k);
      still[r] = std::equal(k.begin() + std::min<std::ptrdiff_t>(3, std::ssize(k)), k.end(), k.begin());
    });
    // If all readouts are points of k-space, one of them may be the centre.
    if (std::find(still.begin(), still.end(), 0) != still.end())
      for (const std::size_t index : some_of(image, resting)) without_trajectory.push_back(index);
    for (const std::size_t index : some_of(image, silent)) without_samples.push_back(index);
    for (std::size_t r = 0; r < count; ++r) {
      zeros += astray[r];
      if (astray[r] > 0) with_zeros.push_back(image.readouts[r]);
    }
  }
  if (zeros > 0)
    plan.warnings.push_back(
        fmt::format("{} samples of {} have the coordinates 0 far from those beside them: if these were not "
                    "recorded, give the samples the density weight 0",
                    zeros, named(with_zeros)));
  warn_of(without_trajectory, "left out: {}, whose trajectory is zero at every sample", plan.warnings);
  warn_of(without_samples, "left out: {}, whose samples are all zero", plan.warnings);
  plan.left_out.insert(without_trajectory.begin(), without_trajectory.end());
  plan.left_out.insert(without_samples.begin(), without_samples.end());
}

void report_odd_readouts(const Scan& scan, Context& workers, ScanPlan& plan) {
  const std::vector<double> noise = noise_energies(scan, plan);
  OddReadouts readouts(mean_of(noise));
  OddValues values;
  for (const PlannedImage& image : plan.images) {
    std::vector<std::size_t> used;
    std::copy_if(image.readouts.begin(), image.readouts.end(), std::back_inserter(used),
                 [&](std::size_t index) { return !plan.left_out.contains(index); });
    std::vector<Look> looks(used.size());
    share_readouts(used.size(), &workers, [&](std::size_t r) { looks[r] = look_at(scan, plan, used[r]); });
    for (std::size_t r = 0; r < used.size(); ++r) values.add(scan, looks[r], used[r]);
    readouts.add(scan, looks, used);
  }
  readouts.report(plan.warnings);
  values.report(scan, noise, plan);
}

}  // namespace larmor
