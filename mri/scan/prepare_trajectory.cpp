#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/described_trajectory.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/scan/sample_times.hpp>
#include <larmor/mri/scan/shot_motion.hpp>
#include <larmor/mri/trajectory/readout_line.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

namespace larmor {
namespace {

using Source = TrajectoryLayout::Source;

// Calls visit(image, readout index, header) for every readout that is used.
template <typename Visit>
void for_each_readout(const Scan& scan, const ScanPlan& plan, const Visit& visit) {
  for (const PlannedImage& image : plan.images)
    for (const std::size_t index : image.readouts) visit(image, index, scan.readouts[index].header);
}

std::vector<std::size_t> selected_readouts(const ScanPlan& plan) {
  std::vector<std::size_t> selected;
  for (const PlannedImage& image : plan.images)
    selected.insert(selected.end(), image.readouts.begin(), image.readouts.end());
  std::sort(selected.begin(), selected.end());
  return selected;
}

// Assigns a column to every coordinate; returns a description of the columns.
std::string place_columns(const std::vector<TrajectoryColumn>& columns, TrajectoryLayout& layout) {
  layout.column = {-1, -1, -1};
  layout.weight_column = -1;
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += (i > 0 ? "," : "") + std::string(to_string(columns[i]));
    int* place = nullptr;
    if (columns[i] <= TrajectoryColumn::kz) place = &layout.column[static_cast<std::size_t>(columns[i])];
    if (columns[i] == TrajectoryColumn::weight) place = &layout.weight_column;
    if (columns[i] == TrajectoryColumn::time) place = &layout.time_column;
    if (place == nullptr) continue;
    if (*place >= 0)
      throw usage_error("{} appears twice among the columns", to_string(columns[i])).about("traj_layout");
    *place = static_cast<int>(i);
  }
  if (layout.column[0] < 0 || layout.column[1] < 0)
    throw usage_error("columns {}: kx and ky must be among them", text).about("traj_layout");
  return text;
}

// Columns of the stored trajectory; every imaging readout must have the same number.
int stored_columns(const Scan& scan, const ScanPlan& plan) {
  int columns = -1;
  std::size_t first = 0;
  for_each_readout(scan, plan, [&](const PlannedImage&, std::size_t index, const ReadoutHeader& header) {
    if (columns < 0) {
      columns = header.trajectory_dimensions;
      first = index;
    }
    if (header.trajectory_dimensions != columns)
      throw input_error("readout {} has {} trajectory dimensions, but readout {} has {}", index,
                        header.trajectory_dimensions, first, columns);
    const std::size_t values = std::size_t{header.samples} * header.trajectory_dimensions;
    if (scan.readouts[index].trajectory_offset + values > scan.trajectory.size())
      throw input_error(
          "readout {}: the header declares a trajectory of {}×{} values that the file does not hold", index,
          header.samples, header.trajectory_dimensions);
  });
  return columns;
}

// The distance between samples if it is constant; otherwise 0.
double even_step(const std::vector<double>& values) {
  if (values.size() < 3) return 0;
  const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  const double rounding =
      1e-3 * std::abs(step) + 1e-6 * std::max(std::abs(values.front()), std::abs(values.back()));
  for (std::size_t j = 1; j < values.size(); ++j)
    if (!(std::abs(values[j] - values[j - 1] - step) <= rounding)) return 0;
  return step;
}

// Unit of time in seconds for samples that are `step` apart; 0 if `step` is not the dwell time in s, ms or
// µs.
double time_unit(double step, double dwell_us) {
  for (const double unit : {1.0, 1e-3, 1e-6})
    if (std::abs(step * unit - 1e-6 * dwell_us) <= 1e-8 * dwell_us) return unit;
  return 0;
}

// True if the third column varies by less than rounding, compared with the largest coordinate.
bool has_constant_third(const Scan& scan, const ScanPlan& plan, const TrajectoryLayout& layout,
                        Context* workers) {
  struct Range {
    double low = INFINITY, high = -INFINITY, largest = 0;
  };
  const StoredTrajectory stored(scan, plan, layout);
  const std::vector<std::size_t> readouts = selected_readouts(plan);
  std::vector<Range> ranges(readouts.size());
  share_readouts(readouts.size(), workers, [&](std::size_t r) {
    Range range;
    for (const int column : {0, 1})
      for (const double k : stored.column(readouts[r], column))
        range.largest = std::max(range.largest, std::abs(k));
    for (const double value : stored.column(readouts[r], 2)) {
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
    ranges[r] = range;
  });
  Range all;
  for (const Range& range : ranges) {
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
    all.largest = std::max(all.largest, range.largest);
  }
  return !(all.high - all.low > 1e-6 * all.largest);
}

// Meaning of a third column that varies if z is not encoded. Weights are never negative; times increase by
// the dwell time. Values that increase uniformly in other steps may be either, unless they grow with |k|.
enum class ThirdColumn { weights, times, unclear };
ThirdColumn examine_third_column(const Scan& scan, const ScanPlan& plan, const TrajectoryLayout& layout,
                                 double& unit) {
  const StoredTrajectory stored(scan, plan, layout);
  double low = INFINITY, step = 0, ratio = 0;
  bool even = true, ramp = true;
  for_each_readout(scan, plan, [&](const PlannedImage&, std::size_t index, const ReadoutHeader&) {
    const auto x = stored.column(index, 0), y = stored.column(index, 1), values = stored.column(index, 2);
    for (std::size_t j = 0; j < values.size(); ++j) {
      low = std::min(low, values[j]);
      const double k = std::hypot(x[j], y[j]);
      if (k > 0) ratio = std::max(ratio, std::abs(values[j]) / k);
      ramp = ramp && std::abs(values[j] - ratio * k) <= 1e-2 * ratio * k + 1e-12;
    }
    const double own = even_step(values);
    if (step == 0) step = own;
    even = even && own > 0 && std::abs(own - step) <= 1e-2 * step;
  });
  unit = even ? time_unit(step, plan.imaging_dwell_us) : 0;
  if (unit > 0) return ThirdColumn::times;
  if (low < 0 || (even && !ramp)) return ThirdColumn::unclear;
  return ThirdColumn::weights;
}

// The unit, in seconds, in which the mean distance of samples is nearest to the dwell time.
double asked_time_unit(const Scan& scan, const ScanPlan& plan, const TrajectoryLayout& layout) {
  const std::size_t first = plan.images.front().readouts.front();
  const std::vector<double> times = StoredTrajectory(scan, plan, layout).column(first, layout.time_column);
  if (!(plan.imaging_dwell_us > 0) || times.size() < 2) return 1;
  const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (const double unit : {1.0, 1e-3, 1e-6}) {
    const double ratio = step * unit / (1e-6 * plan.imaging_dwell_us);
    if (ratio > 0.5 && ratio < 20) return unit;
  }
  throw input_error(
      "times of readout {} are {:g} apart, which is not the dwell time of {:g} µs in s, ms or µs; correct "
      "them, or ignore the column",
      first, step, plan.imaging_dwell_us)
      .about("traj_layout");
}

void decide_columns(const Scan& scan, const ScanPlan& plan, bool encoded_z, TrajectoryLayout& layout,
                    Context* workers) {
  const auto& asked = plan.reading.columns;
  if (!asked.empty()) {
    const std::string text = place_columns(asked, layout);
    if (static_cast<int>(asked.size()) != layout.columns)
      throw usage_error("{} names {} columns, but the trajectory has {}", text, asked.size(), layout.columns)
          .about("traj_layout");
    layout.text = "trajectory columns: " + text + " as requested";
    if (layout.time_column < 0 || !plan.reading.sample_times) return;
    layout.time_unit_s = asked_time_unit(scan, plan, layout);
    return;
  }
  if (layout.columns == 2) {
    layout.text = "trajectory columns: kx,ky";
  } else if (layout.columns == 3) {
    if (has_constant_third(scan, plan, layout, workers)) {
      layout.text = encoded_z ? "trajectory columns: kx,ky and a constant third: no z is encoded by it"
                              : "trajectory columns: kx,ky and a constant third, ignored because the encoded "
                                "matrix has one slice";
      return;
    }
    if (encoded_z) {
      layout.column[2] = 2;
      layout.text = "trajectory columns: kx,ky,kz";
      return;
    }
    double unit = 0;
    const ThirdColumn third = examine_third_column(scan, plan, layout, unit);
    if (third == ThirdColumn::times) {
      layout.time_column = 2;
      layout.time_unit_s = unit;
      layout.text = "trajectory columns: kx,ky,time (the third grows by the dwell time)";
    } else if (third == ThirdColumn::weights) {
      layout.weight_column = 2;
      layout.text =
          "trajectory columns: kx,ky,weight (the encoded matrix has one slice and the third is never "
          "negative)";
    } else {
      throw input_error(
          "trajectory has a third column that may be kz, weights or times, and the encoded matrix has one "
          "slice; give its meaning: kx,ky,kz, kx,ky,weight, kx,ky,time or kx,ky,ignore")
          .about("traj_layout");
    }
  } else {
    throw input_error(
        "trajectory has {} columns; give their meaning, for example kx,ky,kz,time or kx,ky,weight,time",
        layout.columns)
        .about("traj_layout");
  }
}

// kz of a stack from kspace_encode_step_2, unless the scan has one partition only.
void decide_stack(const Scan& scan, const ScanPlan& plan, TrajectoryLayout& layout) {
  const Encoding& encoding = scan.encodings[plan.encoding];
  const Index partitions = encoding.encoded_matrix[2];
  Index low = 65535, high = 0;
  for_each_readout(scan, plan, [&](const PlannedImage&, std::size_t, const ReadoutHeader& header) {
    low = std::min<Index>(low, header.encode_step_2);
    high = std::max<Index>(high, header.encode_step_2);
  });
  if (low == high) {
    layout.text += fmt::format("; all readouts have kspace_encode_step_2 {}: slices, not a stack", low);
    return;
  }
  const double n = static_cast<double>(partitions);
  double centre = static_cast<double>(partitions / 2);
  std::string origin = "the middle of the encoded matrix";
  if (encoding.center_step_2) {
    const double stated = *encoding.center_step_2;
    if (static_cast<double>(high) - stated <= 0.5 * n && stated - static_cast<double>(low) <= 0.5 * n) {
      centre = stated;
      origin = "the header";
    }
  }
  layout.stack = true;
  layout.stack_centre = centre;
  layout.text +=
      fmt::format("; kz from kspace_encode_step_2, centre {} of {} ({})", centre, partitions, origin);
}

// Assigns consecutive rows to readouts, starting at 0; returns the number of rows.
Index place_rows(const Scan& scan, const std::vector<std::size_t>& readouts, bool with_discarded,
                 std::vector<Index>& first) {
  Index row = 0;
  for (const std::size_t index : readouts) {
    const ReadoutHeader& header = scan.readouts[index].header;
    first[index] = row + (with_discarded ? header.discard_pre : 0);
    row += with_discarded ? Index{header.samples} : kept_samples(header);
  }
  return row;
}

}  // namespace

float largest_part(const std::complex<float>* samples, Index count) {
  // Bits of non-negative numbers have the order of the numbers, and integers are compared by vector units.
  const auto* const parts = reinterpret_cast<const float*>(samples);
  std::int32_t largest = 0;
  for (Index i = 0; i < 2 * count; ++i)
    largest = std::max(largest, std::bit_cast<std::int32_t>(parts[i]) & 0x7fffffff);
  return std::bit_cast<float>(largest);
}

float largest_part(const Scan& scan, const Readout& readout) {
  const ReadoutHeader& header = readout.header;
  const std::complex<float>* samples = scan.samples(readout) + header.discard_pre;
  float largest = 0;
  for (Index channel = 0; channel < header.active_channels; ++channel, samples += header.samples) {
    const float of_channel = largest_part(samples, kept_samples(header));
    if (!(of_channel <= largest)) largest = of_channel;
    if (!std::isfinite(largest)) break;
  }
  return largest;
}

void require_finite(const Scan& scan, std::size_t index) {
  const Readout& readout = scan.readouts[index];
  if (finite_samples(scan, readout)) return;
  const ReadoutHeader& header = readout.header;
  const std::complex<float>* samples = scan.samples(readout);
  for (Index channel = 0; channel < header.active_channels; ++channel)
    for (Index j = header.discard_pre; j < header.samples - header.discard_post; ++j) {
      const std::complex<float> value = samples[channel * header.samples + j];
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
        throw input_error(
            "{}: the data of acquisition {} are {}{:+}i at channel {}, sample {}; expected finite numbers",
            scan.source, index, value.real(), value.imag(), channel, j);
    }
}

std::vector<Index> match_rows(const Scan& scan, const ScanPlan& plan, Index rows, const char* what) {
  std::vector<Index> first(scan.readouts.size(), -1);
  const auto selected = selected_readouts(plan);
  for (const bool with_discarded : {false, true}) {
    if (place_rows(scan, plan.imaging, with_discarded, first) == rows) return first;
    if (place_rows(scan, selected, with_discarded, first) == rows) return first;
    bool all = true;
    for (const PlannedImage& image : plan.images)
      all = all && place_rows(scan, image.readouts, with_discarded, first) == rows;
    if (all) return first;
  }
  throw input_error(
      "{} has {} rows, expected one for each of the {} samples of {} imaging readouts{}", what, rows,
      place_rows(scan, plan.imaging, false, first), plan.imaging.size(),
      plan.images.size() > 1 ? fmt::format(", or for those of one of {} images", plan.images.size()) : "")
      .about(what);
}

std::vector<Index> sample_rows(const Scan& scan, const ScanPlan& plan) {
  std::vector<Index> first(scan.readouts.size(), -1);
  place_rows(scan, selected_readouts(plan), false, first);
  return first;
}

StoredTrajectory::StoredTrajectory(const Scan& scan, const ScanPlan& plan, const TrajectoryLayout& layout)
    : scan_(scan), plan_(plan), columns_(layout.columns) {
  if (layout.source == Source::external)
    rows_ = match_rows(scan, plan, plan.reading.trajectory.size() / columns_, "trajectory");
}

void StoredTrajectory::copy(std::size_t index, int column, double* to, Index step) const {
  const Readout& readout = scan_.readouts[index];
  const Index samples = kept_samples(readout.header);
  const auto from = [&](const auto* values) {
    for (Index j = 0; j < samples; ++j) to[j * step] = values[j * columns_ + column];
  };
  if (rows_.empty())
    from(scan_.trajectory.data() + readout.trajectory_offset + readout.header.discard_pre * columns_);
  else
    from(plan_.reading.trajectory.view().data() + rows_[index] * columns_);
}

std::vector<double> StoredTrajectory::column(std::size_t index, int column) const {
  std::vector<double> values(static_cast<std::size_t>(kept_samples(scan_.readouts[index].header)));
  copy(index, column, values.data(), 1);
  return values;
}

const char* to_string(TrajectoryColumn column) {
  constexpr const char* names[] = {"kx", "ky", "kz", "weight", "time", "phase", "ignore"};
  return names[static_cast<std::size_t>(column)];
}

const char* to_string(GeneratedTrajectory trajectory) {
  constexpr const char* names[] = {"none", "golden", "tiny-golden", "uniform", "cartesian"};
  return names[static_cast<std::size_t>(trajectory)];
}

TrajectoryLayout decide_layout(const Scan& scan, const ScanPlan& plan, Context* workers) {
  const ReadingOptions& options = plan.reading;
  const Encoding& encoding = scan.encodings[plan.encoding];
  const bool encoded_z = encoding.encoded_matrix[2] > 1;
  TrajectoryLayout layout;
  const bool generate = options.generate != GeneratedTrajectory::none;
  if (options.trajectory.size() > 0) {
    if (generate) throw usage_error("a trajectory is given, so none can be generated").about("generate");
    layout.source = Source::external;
    layout.columns = static_cast<int>(options.trajectory.shape()[options.trajectory.shape().rank() - 1]);
    decide_columns(scan, plan, encoded_z, layout, workers);
    layout.text += ", as given";
  } else if (generate) {
    layout.source = Source::generated;
    layout.text = std::string("trajectory generated: ") + to_string(options.generate);
    if (options.generate == GeneratedTrajectory::cartesian && describes_lobe(encoding))
      layout.text += ", along the ramps and the flat top of the gradient that the header describes";
  } else {
    layout.columns = stored_columns(scan, plan);
    if (layout.columns == 0 && encoding.trajectory_identifier == "HargreavesVDS2000") {
      layout.source = Source::generated;
      layout.text = "trajectory generated from the HargreavesVDS2000 description of the header";
    } else if (layout.columns == 0) {
      throw input_error(
          "no trajectory in the file (header says '{}'): give one, or generate one if the readouts are "
          "golden, tiny-golden or uniform spokes or cartesian lines",
          encoding.trajectory)
          .about("trajectory,generate");
    } else {
      decide_columns(scan, plan, encoded_z, layout, workers);
    }
  }
  if (encoded_z && layout.column[2] < 0) decide_stack(scan, plan, layout);
  return layout;
}

TrajectoryReader::TrajectoryReader(const Scan& scan, const ScanPlan& plan) : scan_(scan), plan_(plan) {
  const ReadingOptions& options = plan.reading;
  if (!generated()) stored_.emplace(scan, plan, plan.layout);
  if (options.weights.size() > 0) weight_rows_ = match_rows(scan, plan, options.weights.size(), "density");
  if (options.gradient_response.size() > 0) response_.emplace(options.gradient_response.view());
  if (generated()) {
    number_spokes();
    if (options.generate == GeneratedTrajectory::none) prepare_spiral();
    if (options.generate == GeneratedTrajectory::cartesian && describes_lobe(scan.encodings[plan.encoding]))
      prepare_lines();
  }
}

// A spoke's number is kspace_encode_step_1 if that distinguishes the readouts of an image, otherwise its
// place in the order of acquisition.
void TrajectoryReader::number_spokes() {
  spokes_.assign(scan_.readouts.size(), 0);
  bool distinct = true;
  for (const PlannedImage& image : plan_.images) {
    std::set<std::tuple<int, int, int, int>> seen;
    for (const std::size_t index : image.readouts) {
      const ReadoutHeader& header = scan_.readouts[index].header;
      distinct =
          distinct &&
          seen.insert({header.encode_step_1, header.encode_step_2, header.average, header.segment}).second;
    }
  }
  for (const PlannedImage& image : plan_.images) {
    std::map<int, Index> running;
    for (const std::size_t index : image.readouts) {
      const ReadoutHeader& header = scan_.readouts[index].header;
      spokes_[index] = distinct ? header.encode_step_1 : running[header.encode_step_2]++;
      spoke_count_ = std::max(spoke_count_, spokes_[index] + 1);
    }
  }
  // Spokes that are not selected also advance the angle.
  for (const std::size_t index : plan_.imaging)
    if (distinct)
      spoke_count_ = std::max<Index>(spoke_count_, scan_.readouts[index].header.encode_step_1 + 1);
}

void TrajectoryReader::prepare_spiral() {
  const Encoding& encoding = scan_.encodings[plan_.encoding];
  spiral_ = hargreaves_spiral(encoding);
  spoke_count_ = static_cast<Index>(encoding.trajectory_parameters.at("interleaves"));
}

void TrajectoryReader::prepare_lines() {
  line_ = positions_in_lobe(scan_.encodings[plan_.encoding]);
  for_each_readout(scan_, plan_, [&](const PlannedImage&, std::size_t index, const ReadoutHeader& header) {
    if (std::size_t{header.samples} != line_.size())
      throw input_error(
          "readout {} has {} samples, but the description of the echo train {}; give the "
          "trajectory",
          index, header.samples, line_.size())
          .about("trajectory");
  });
}

void TrajectoryReader::generate(std::size_t index, std::vector<double>& k) const {
  const ReadoutHeader& header = scan_.readouts[index].header;
  const std::size_t samples = static_cast<std::size_t>(kept_samples(header));
  k.assign(samples * 3, 0.0);
  if (!spiral_.empty()) {
    const double turn =
        2 * std::numbers::pi * static_cast<double>(spokes_[index]) / static_cast<double>(spoke_count_);
    const double c = std::cos(turn), s = std::sin(turn);
    for (std::size_t j = 0; j < samples; ++j) {
      const std::size_t at = 2 * (j + header.discard_pre);
      if (at >= spiral_.size()) {
        // The readout continues after the end of the spiral: outside every grid, so that the sample is
        // dropped.
        k[3 * j] = 1e6;
        continue;
      }
      const double x = spiral_[at], y = spiral_[at + 1];
      k[3 * j] = (c * x - s * y) * 0.1 * plan_.grids.encoded.pixel(0);
      k[3 * j + 1] = (s * x + c * y) * 0.1 * plan_.grids.encoded.pixel(1);
    }
    return;
  }
  // Steps of 1/FOV of the readout, in any direction: cycles per encoded pixel of x and of y.
  const Grid& encoded = plan_.grids.encoded;
  const double step = 1 / (encoded.fov_mm[0] * static_cast<double>(plan_.convention.oversampling));
  double along_x = step * encoded.pixel(0), along_y = 0, offset = 0;
  if (plan_.reading.generate == GeneratedTrajectory::cartesian) {
    const Encoding& encoding = scan_.encodings[plan_.encoding];
    const double lines = static_cast<double>(encoding.encoded_matrix[1]);
    const double centre = encoding.center_step_1 ? *encoding.center_step_1 : std::floor(lines / 2);
    offset = (header.encode_step_1 - centre) / lines;
  } else {
    RadialOptions radial;
    radial.spokes = spoke_count_;
    radial.centre_out =
        plan_.convention.zero_is_first && plan_.reading.generate == GeneratedTrajectory::uniform;
    radial.order = plan_.reading.generate == GeneratedTrajectory::golden        ? SpokeOrder::golden
                   : plan_.reading.generate == GeneratedTrajectory::tiny_golden ? SpokeOrder::tiny_golden
                                                                                : SpokeOrder::uniform;
    const double angle = spoke_angle(spokes_[index], radial);
    along_x *= std::cos(angle);
    along_y = step * encoded.pixel(1) * std::sin(angle);
  }
  std::vector<double> position = readout_line(header, plan_.convention);
  for (std::size_t j = 0; j < samples && !line_.empty(); ++j)
    position[j] = (header.has(AcquisitionFlag::reverse) ? -1 : 1) * line_[j + header.discard_pre];
  for (std::size_t j = 0; j < samples; ++j) {
    k[3 * j] = position[j] * along_x;
    k[3 * j + 1] = position[j] * along_y + offset;
  }
}

void TrajectoryReader::read_stored(std::size_t index, std::vector<double>& k,
                                   std::vector<double>& weights) const {
  const TrajectoryLayout& layout = plan_.layout;
  const ReadoutHeader& header = scan_.readouts[index].header;
  const auto samples = static_cast<std::size_t>(kept_samples(header));
  k.assign(samples * 3, 0.0);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (layout.column[axis] >= 0) stored_->copy(index, layout.column[axis], k.data() + axis, 3);
  for (std::size_t i = 0; i < k.size(); ++i)
    if (!std::isfinite(k[i]))
      throw input_error("trajectory of readout {}, sample {}: k{} is not a finite number", index,
                        i / 3 + header.discard_pre, "xyz"[i % 3]);
  if (layout.weight_column < 0) return;
  weights.resize(samples);
  stored_->copy(index, layout.weight_column, weights.data(), 1);
}

void TrajectoryReader::read(std::size_t index, std::vector<double>& k, std::vector<double>& weights) const {
  weights.clear();
  if (generated())
    generate(index, k);
  else
    read_stored(index, k, weights);
  if (!weight_rows_.empty()) {
    const double* first = plan_.reading.weights.view().data() + weight_rows_[index];
    weights.assign(first, first + kept_samples(scan_.readouts[index].header));
  }
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (!(weights[j] >= 0) || !std::isfinite(weights[j]))
      throw input_error("density weight of readout {}, sample {} is {}, expected zero or a positive number",
                        index, j, weights[j]);
}

bool TrajectoryReader::read_times(std::size_t index, std::vector<double>& times) const {
  if (generated() || plan_.layout.time_column < 0) return false;
  times = stored_->column(index, plan_.layout.time_column);
  for (double& time : times) {
    if (!std::isfinite(time)) throw input_error("a time of readout {} is not a finite number", index);
    time *= plan_.layout.time_unit_s;
  }
  return true;
}

double stack_kz(const Scan& scan, const ScanPlan& plan, std::size_t index) {
  if (!plan.layout.stack) return 0;
  const double partitions = static_cast<double>(scan.encodings[plan.encoding].encoded_matrix[2]);
  return (scan.readouts[index].header.encode_step_2 - plan.layout.stack_centre) / partitions;
}

std::vector<double> TrajectoryReader::correct(std::size_t index, std::vector<double>& k) const {
  const int dims = plan_.dims;
  const auto samples = static_cast<Index>(k.size()) / dims;
  const Grid& grid = plan_.grids.solve;
  std::vector<double> cycles;
  if (response_)
    cycles = response_->apply(k.data(), samples, dims,
                              static_cast<double>(scan_.readouts[index].header.sample_time_us),
                              {grid.pixel(0), grid.pixel(1), grid.pixel(2)});
  if (!plan_.reading.delay.zero()) apply_gradient_delay(k.data(), samples, dims, plan_.reading.delay);
  if (const View<const double> shifts = plan_.reading.readout_shifts; shifts.size() > 0)
    for (Index i = 0; i < samples * dims; ++i)
      k[static_cast<std::size_t>(i)] += shifts[static_cast<Index>(index) * dims + i % dims];
  if (const auto motion = motion_of(plan_, index))
    for (Index j = 0; j < samples; ++j) motion->turn_back(k.data() + j * dims, dims, plan_.grids.solve);
  return cycles;
}

Index TrajectoryReader::read_scaled(std::size_t index, std::vector<double>& k, std::vector<double>& weights,
                                    std::vector<char>& inside, std::vector<double>& cycles) const {
  read(index, k, weights);
  // Float coordinates of ±0.5 may lie beyond by a rounding error.
  constexpr double edge = 0.5 * (1 + 1e-5);
  const int dims = plan_.dims;
  const std::size_t samples = k.size() / 3;
  const double kz = stack_kz(scan_, plan_, index);
  double scale[3];
  for (int axis = 0; axis < 3; ++axis) {
    const bool stored = !generated() && axis < static_cast<int>(plan_.units.scale.size());
    scale[axis] = (stored ? plan_.units.scale[axis] : 1.0) * plan_.grids.k_scale[axis];
  }
  for (std::size_t j = 0; j < samples; ++j)
    for (int axis = 0; axis < dims; ++axis)
      // Packed in place: writing the row of `dims` values never passes the row of 3 that is read.
      k[j * dims + axis] =
          axis == 2 && plan_.layout.stack ? kz * plan_.grids.k_scale[2] : k[3 * j + axis] * scale[axis];
  k.resize(samples * static_cast<std::size_t>(dims));
  cycles = correct(index, k);
  inside.assign(samples, plan_.left_out.contains(index) ? 0 : 1);
  Index kept = 0;
  for (std::size_t j = 0; j < samples; ++j) {
    for (int axis = 0; axis < dims; ++axis)
      if (!(std::abs(k[j * dims + axis]) <= edge)) inside[j] = 0;
    kept += inside[j];
  }
  return kept;
}

void read_coordinates(const Scan& scan, const TrajectoryReader& reader, ScanPlan& plan, Context* workers) {
  const auto all = std::make_shared<Coordinates>(scan.readouts.size());
  for (PlannedImage& image : plan.images) {
    const std::size_t count = image.readouts.size();
    ImageCoordinates read{std::vector<Index>(count + 1), std::vector<Index>(count), {}, {}, {}, {}};
    for (std::size_t r = 0; r < count; ++r)
      read.first[r + 1] = read.first[r] + kept_samples(scan.readouts[image.readouts[r]].header);
    const Index samples = read.first.back();
    read.k = Array<double>({samples, plan.dims});
    if (reader.weighted()) read.weights = Array<double>({samples});
    if (reader.turns_samples()) read.cycles = Array<double>({samples});
    read.inside.resize(static_cast<std::size_t>(samples));
    share_readouts(count, workers, [&](std::size_t r) {
      std::vector<double> k, weights, cycles;
      std::vector<char> inside;
      read.kept[r] = reader.read_scaled(image.readouts[r], k, weights, inside, cycles);
      std::copy(k.begin(), k.end(), read.k.data() + read.first[r] * plan.dims);
      if (!read.weights.empty())
        std::copy(weights.begin(), weights.end(), read.weights.data() + read.first[r]);
      if (!read.cycles.empty()) std::copy(cycles.begin(), cycles.end(), read.cycles.data() + read.first[r]);
      std::copy(inside.begin(), inside.end(), read.inside.begin() + read.first[r]);
    });
    image.dropped = samples - std::accumulate(read.kept.begin(), read.kept.end(), Index{0});
    image.trajectory_id = all->add(image.readouts, std::move(read));
    if (!plan.reading.sample_times) continue;
    auto times = sample_times(scan, plan, image, reader);
    for (std::size_t r = 0; r < count; ++r) all->set_times(image.readouts[r], std::move(times[r]));
  }
  plan.coordinates = all;
}

}  // namespace larmor
