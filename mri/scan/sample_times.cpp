#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/described_trajectory.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/scan/sample_times.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace larmor {
namespace {

// Start and end of a readout, and the distance between its last samples; k in the units of the file.
struct Ends {
  Vec3 first{}, last{};
  double step = 0;
};

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Ends ends_of(const TrajectoryReader& reader, std::size_t index) {
  std::vector<double> k, weights;
  reader.read(index, k, weights);
  const auto at = [&](std::size_t sample) {
    return Vec3{k[3 * sample], k[3 * sample + 1], k[3 * sample + 2]};
  };
  const std::size_t samples = k.size() / 3;
  Ends ends{at(0), at(samples - 1), 0};
  if (samples > 1) ends.step = distance(at(samples - 2), ends.last);
  return ends;
}

bool same_steps(const ReadoutHeader& a, const ReadoutHeader& b) {
  return a.encode_step_1 == b.encode_step_1 && a.encode_step_2 == b.encode_step_2 && a.average == b.average;
}

// The excitation of a line, apart from the counters of images.
using Shot = std::tuple<int, int, int>;

Shot shot_of(const ReadoutHeader& header) {
  return {header.segment, header.encode_step_2, header.average};
}

double cosine(const Ends& a, const Ends& b) {
  double along = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    along += (a.last[axis] - a.first[axis]) * (b.last[axis] - b.first[axis]);
  return along / (distance(a.first, a.last) * distance(b.first, b.last));
}

// Readouts in the order of the file, and properties of their timing.
struct Train {
  bool echo_train = false;      // lines in alternating directions after one excitation
  std::vector<char> continues;  // by readout of the image: it continues the previous one
};

Train train_of(const Scan& scan, const ScanPlan& plan, const PlannedImage& image,
               const TrajectoryReader& reader) {
  struct Lines {
    Ends first;
    Index count = 0;
  };
  Train train;
  train.continues.assign(image.readouts.size(), 0);
  bool reversed = false;
  Index alternating = 0, others = 0;
  std::map<Shot, Lines> shots;
  Ends before;
  for (std::size_t r = 0; r < image.readouts.size(); ++r) {
    const ReadoutHeader& header = scan.readouts[image.readouts[r]].header;
    const Ends ends = ends_of(reader, image.readouts[r]);
    reversed = reversed || header.has(AcquisitionFlag::reverse);
    if (r > 0) {
      const ReadoutHeader& previous = scan.readouts[image.readouts[r - 1]].header;
      const double gap = distance(before.last, ends.first);
      const bool touches = !reader.generated() && gap > 0 && gap <= 1.5 * std::max(before.step, ends.step);
      train.continues[r] =
          same_steps(header, previous) && (header.segment == previous.segment + 1 || touches) ? 1 : 0;
    }
    Lines& lines = shots[shot_of(header)];
    if (lines.count == 0)
      lines.first = ends;
    else
      (cosine(lines.first, ends) * (lines.count % 2 == 1 ? -1 : 1) > 0.99 ? alternating : others) += 1;
    ++lines.count;
    before = ends;
  }
  train.echo_train = scan.encodings[plan.encoding].trajectory == "epi" || reversed ||
                     (alternating > 2 && alternating > 9 * others);
  return train;
}

// By readout of the image: its position in its echo train, 0 for the line at the centre of k-space.
std::vector<Index> places_in_train(const Scan& scan, const ScanPlan& plan, const PlannedImage& image) {
  std::map<Shot, Index> next;
  const Encoding& encoding = scan.encodings[plan.encoding];
  const Index centre =
      encoding.center_step_1 ? Index{*encoding.center_step_1} : encoding.encoded_matrix[1] / 2;
  std::vector<Index> places;
  Index least = std::numeric_limits<Index>::max(), at_centre = 0;
  for (const std::size_t index : image.readouts) {
    const ReadoutHeader& header = scan.readouts[index].header;
    const Index place = next[shot_of(header)]++;
    places.push_back(place);
    const Index offset = std::abs(Index{header.encode_step_1} - centre);
    if (offset < least) {
      least = offset;
      at_centre = place;
    }
  }
  for (Index& place : places) place -= at_centre;
  return places;
}

bool has_times(const ScanPlan& plan) {
  return plan.layout.time_column >= 0 && plan.layout.source != TrajectoryLayout::Source::generated;
}

}  // namespace

std::vector<std::vector<double>> sample_times(const Scan& scan, const ScanPlan& plan,
                                              const PlannedImage& image, const TrajectoryReader& reader) {
  std::vector<std::vector<double>> times(image.readouts.size());
  if (has_times(plan)) {
    for (std::size_t r = 0; r < times.size(); ++r) reader.read_times(image.readouts[r], times[r]);
    return times;
  }
  if (!(plan.imaging_dwell_us > 0))
    throw input_error("a field map needs the sample time of the readouts, which is unknown");
  const Train train = train_of(scan, plan, image, reader);
  const double spacing_ms = echo_spacing_ms(scan, scan.encodings[plan.encoding]);
  const bool spaced = train.echo_train && spacing_ms > 0;
  const std::vector<Index> places =
      spaced ? places_in_train(scan, plan, image) : std::vector<Index>(times.size(), 0);
  double end = 0;
  for (std::size_t r = 0; r < times.size(); ++r) {
    const ReadoutHeader& header = scan.readouts[image.readouts[r]].header;
    const double own = static_cast<double>(header.sample_time_us);
    const double dwell = 1e-6 * (std::isfinite(own) && own > 0 ? own : plan.imaging_dwell_us);
    const Index echo =
        reader.generated() ? echo_sample(header, plan.convention) : Index{header.center_sample};
    double start = -dwell * static_cast<double>(echo);
    if (train.continues[r] != 0 && !spaced) start = end;
    start += 1e-3 * spacing_ms * static_cast<double>(places[r]);
    times[r].resize(static_cast<std::size_t>(kept_samples(header)));
    for (std::size_t j = 0; j < times[r].size(); ++j)
      times[r][j] = start + dwell * static_cast<double>(header.discard_pre + static_cast<Index>(j));
    end = start + dwell * header.samples;
  }
  return times;
}

void describe_times(const Scan& scan, ScanPlan& plan, const TrajectoryReader& reader) {
  if (has_times(plan)) {
    plan.notes.emplace_back("times of samples: from the trajectory's column");
    return;
  }
  const Train train = train_of(scan, plan, plan.images.front(), reader);
  const auto continued = std::count(train.continues.begin(), train.continues.end(), 1);
  const double spacing_ms = echo_spacing_ms(scan, scan.encodings[plan.encoding]);
  if (train.echo_train && spacing_ms > 0)
    plan.notes.push_back(fmt::format(
        "times of samples: lines of an echo train, {:g} ms apart as the header says", spacing_ms));
  else if (train.echo_train)
    plan.warnings.emplace_back(
        "times from line to line of the echo train are not known: the header has no echo_spacing, and the "
        "trajectory no column of times; the field map corrects within lines only");
  else
    plan.notes.push_back(
        continued > 0
            ? fmt::format("times of samples count from each echo; {} readouts continue the previous one",
                          continued)
            : "times of samples: from each readout's echo on");
}

}  // namespace larmor
