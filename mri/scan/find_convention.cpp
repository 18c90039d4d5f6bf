#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/described_trajectory.hpp>
#include <larmor/mri/scan/find_convention.hpp>
#include <larmor/mri/scan/object_extent.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace larmor {
namespace {

using Reversed = ReadoutConvention::Reversed;

// Energy of samples by their position on a line, in steps of 1/FOV.
class EnergyProfile {
 public:
  explicit EnergyProfile(Index reach)
      : reach_(reach), energy_(static_cast<std::size_t>(2 * reach + 1), 0.0) {}

  void add(const Scan& scan, const Readout& readout, const ReadoutConvention& convention) {
    const ReadoutHeader& header = readout.header;
    const std::vector<double> line = readout_line(header, convention);
    const std::complex<float>* samples = scan.samples(readout) + header.discard_pre;
    for (Index channel = 0; channel < header.active_channels; ++channel, samples += header.samples)
      for (std::size_t j = 0; j < line.size(); ++j) {
        const double energy = std::norm(std::complex<double>(samples[j]));
        if (std::isfinite(energy))
          energy_[static_cast<std::size_t>(static_cast<Index>(line[j]) + reach_)] += energy;
      }
  }
  double at(Index position) const { return energy_[static_cast<std::size_t>(position + reach_)]; }
  Index peak() const { return std::max_element(energy_.begin(), energy_.end()) - energy_.begin() - reach_; }
  /// Largest if both kinds have their echoes at the same position.
  double agreement(const EnergyProfile& other) const {
    double sum = 0;
    for (Index p = -reach_; p <= reach_; ++p) sum += at(p) * other.at(p);
    return sum;
  }
  /// Largest if the echo is at 0.
  double symmetry() const {
    double sum = 0;
    for (Index p = -reach_; p <= reach_; ++p) sum += at(p) * at(-p);
    return sum;
  }

 private:
  Index reach_;
  std::vector<double> energy_;
};

// Readouts of the first image that were, or were not, acquired in reverse; no value: all.
EnergyProfile profile(const Scan& scan, const ScanPlan& plan, std::optional<bool> reversed,
                      const ReadoutConvention& convention) {
  Index longest = 0;
  for (const std::size_t index : plan.imaging)
    longest = std::max<Index>(longest, scan.readouts[index].header.samples);
  EnergyProfile result(longest);
  for (const std::size_t index : plan.images.front().readouts)
    if (!reversed || scan.readouts[index].header.has(AcquisitionFlag::reverse) == *reversed)
      result.add(scan, scan.readouts[index], convention);
  return result;
}

void decide_reversed(const Scan& scan, ScanPlan& plan, bool some_forward, ReadoutConvention& convention) {
  const EnergyProfile forward = profile(scan, plan, false, convention);
  double best = 0;
  const ReadoutConvention base = convention;
  for (const Reversed reversed : {Reversed::stored, Reversed::one_before, Reversed::from_end}) {
    ReadoutConvention candidate = base;
    candidate.reversed = reversed;
    const EnergyProfile backward = profile(scan, plan, true, candidate);
    const double score = some_forward ? backward.agreement(forward) : backward.symmetry();
    if (!(score > best)) continue;
    best = score;
    convention = candidate;
  }
  if (best == 0) return;
  plan.notes.push_back(fmt::format(
      "reversed readouts: according to their samples, center_sample is the index of the echo {}{}",
      to_string(convention.reversed),
      convention.reversed == Reversed::stored ? "" : "; ISMRMRD means its index in the file"));
}

// Readouts that extend several times as far as the encoded matrix are oversampled, unless the object is as
// large as their field of view.
void decide_oversampling(const Scan& scan, ScanPlan& plan, ReadoutConvention& convention) {
  const ReadoutHeader& header = scan.readouts[plan.images.front().readouts.front()].header;
  const Index echo = echo_sample(header, convention);
  const Index reach = 2 * std::max(echo, Index{header.samples} - echo), matrix = plan.grids.encoded.matrix[0];
  const Index ratio = (reach + matrix / 2) / matrix;
  if (ratio < 2 || std::abs(reach - ratio * matrix) > 2) return;
  std::vector<SeenReadout> readouts;
  for (const std::size_t index : plan.images.front().readouts)
    readouts.push_back({index, 1 / static_cast<double>(ratio)});
  if (share_beyond(scan, readouts) > object_share) return;
  convention.oversampling = ratio;
  plan.notes.push_back(
      fmt::format("readouts of {} samples are oversampled {} times, which the encoded matrix of {} does not "
                  "include: the object lies within 1/{} of their field of view",
                  header.samples, ratio, matrix, ratio));
}

// Readouts of one image whose center_sample is not that of most others of their length and direction.
void warn_of_other_centres(const Scan& scan, ScanPlan& plan) {
  Index others = 0;
  std::size_t example = 0;
  for (const PlannedImage& image : plan.images) {
    std::map<std::pair<Index, bool>, std::map<Index, std::vector<std::size_t>>> centres;
    for (const std::size_t index : image.readouts) {
      const ReadoutHeader& header = scan.readouts[index].header;
      centres[{header.samples, header.has(AcquisitionFlag::reverse)}][header.center_sample].push_back(index);
    }
    for (const auto& [kind, readouts] : centres) {
      const auto most = std::max_element(readouts.begin(), readouts.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
      });
      for (auto entry = readouts.begin(); entry != readouts.end(); ++entry)
        if (entry != most) {
          others += static_cast<Index>(entry->second.size());
          example = entry->second.front();
        }
    }
  }
  if (others > 0)
    plan.warnings.push_back(fmt::format(
        "{} readouts have another center_sample than most of their length and direction: {} in readout {}",
        others, scan.readouts[example].header.center_sample, example));
}

// Spokes of all directions have their maximum at the centre of k-space. Lines may have their echo slightly
// elsewhere, which is a phase of the image.
void warn_of_echo(const Scan& scan, ScanPlan& plan, const ReadoutConvention& convention) {
  constexpr double stronger = 1.1;
  const EnergyProfile energy = profile(scan, plan, {}, convention);
  const Index peak = energy.peak();
  const Index samples = scan.readouts[plan.images.front().readouts.front()].header.samples;
  const Index allowed = plan.reading.generate == GeneratedTrajectory::cartesian ? samples / 8 : 0;
  if (std::abs(peak) <= allowed || !(energy.at(peak) > stronger * energy.at(0))) return;
  plan.warnings.push_back(
      fmt::format("readouts have their maximum {} sample(s) {} center_sample: check the position of the echo "
                  "and the gradient delays",
                  std::abs(peak), peak > 0 ? "behind" : "before"));
}

}  // namespace

ReadoutConvention find_readout_convention(const Scan& scan, ScanPlan& plan) {
  // Their positions do not depend on center_sample.
  if (plan.reading.generate == GeneratedTrajectory::cartesian &&
      describes_lobe(scan.encodings[plan.encoding]))
    return {};
  bool forward = false, reversed = false, zero = false;
  Index beyond = 0;
  for (const std::size_t index : plan.images.front().readouts) {
    const ReadoutHeader& header = scan.readouts[index].header;
    (header.has(AcquisitionFlag::reverse) ? reversed : forward) = true;
    zero = zero || (header.center_sample == 0 && header.samples > 1);
    beyond += header.center_sample >= header.samples ? 1 : 0;
  }
  if (beyond > 0)
    plan.warnings.push_back(fmt::format(
        "center_sample of {} readouts lies beyond their samples: the middle sample is used", beyond));
  warn_of_other_centres(scan, plan);
  ReadoutConvention convention;
  if (zero) {
    // Centre-out spokes have their maximum at their start, in either order of storage.
    ReadoutConvention first{.zero_is_first = true};
    const ReadoutHeader& header = scan.readouts[plan.images.front().readouts.front()].header;
    const EnergyProfile energy = profile(scan, plan, !forward, first);
    const Index peak = energy.peak(), middle = header.samples / 2;
    convention.zero_is_first = std::abs(peak) < header.samples / 4 && energy.at(peak) > 2 * energy.at(middle);
    plan.notes.push_back(convention.zero_is_first
                             ? "readouts begin at the centre of k-space: center_sample is 0, and samples are "
                               "largest there"
                             : "center_sample is 0, but samples are not largest there: the middle is taken");
  }
  if (reversed) decide_reversed(scan, plan, forward, convention);
  warn_of_echo(scan, plan, convention);
  decide_oversampling(scan, plan, convention);
  return convention;
}

}  // namespace larmor
