#include <larmor/core/data/geometry.hpp>
#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/described_trajectory.hpp>
#include <larmor/mri/scan/find_convention.hpp>
#include <larmor/mri/scan/object_extent.hpp>
#include <larmor/mri/scan/odd_readouts.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/scan/sample_times.hpp>
#include <larmor/mri/scan/shot_motion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace larmor {
namespace {

std::string skipped_text(const std::map<std::string, Index>& skipped) {
  std::string text;
  for (const auto& [name, count] : skipped)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text;
}

std::string triple(const std::array<float, 3>& v) {
  return fmt::format("({:g}, {:g}, {:g})", v[0], v[1], v[2]);
}

// Sorts readouts into noise, skipped and imaging ones.
void sort_by_flag(const Scan& scan, const PrepareOptions& options, ScanPlan& plan) {
  if (scan.readouts.empty()) throw input_error("{}: no acquisitions in the file", scan.source);
  if (scan.encodings.empty()) throw input_error("{}: the header has no encoding", scan.source);
  std::vector<std::size_t> imaging;
  for (std::size_t index = 0; index < scan.readouts.size(); ++index) {
    const ReadoutHeader& header = scan.readouts[index].header;
    if (header.samples == 0) {
      ++plan.skipped["without samples"];
      continue;
    }
    if (header.has(AcquisitionFlag::noise) && !options.noise) plan.noise_readouts.push_back(index);
    ReadoutHeader taken = header;
    if (options.calibration_is_imaging && header.has(AcquisitionFlag::calibration))
      taken.set(AcquisitionFlag::calibration_and_imaging);
    if (const char* reason = never_imaging(taken)) {
      ++plan.skipped[reason];
      continue;
    }
    if (header.encoding_space_ref >= scan.encodings.size())
      throw input_error("readout {} refers to encoding {}, but the header has {}", index,
                        header.encoding_space_ref, scan.encodings.size());
    imaging.push_back(index);
  }
  if (const Scan* noise = options.noise) {
    for (std::size_t index = 0; index < noise->readouts.size(); ++index)
      if (noise->readouts[index].header.has(AcquisitionFlag::noise) &&
          noise->readouts[index].header.samples > 0)
        plan.noise_readouts.push_back(index);
    if (plan.noise_readouts.empty())
      throw input_error("{}: none of {} readouts is flagged as noise", noise->source, noise->readouts.size())
          .about("noise");
  }
  if (imaging.empty())
    throw input_error("none of the {} readouts is imaging data: {}", scan.readouts.size(),
                      skipped_text(plan.skipped));

  std::set<std::size_t> used;
  for (const std::size_t index : imaging) used.insert(scan.readouts[index].header.encoding_space_ref);
  plan.encoding = *used.begin();
  if (options.encoding) {
    plan.encoding = static_cast<std::size_t>(*options.encoding);
    if (!used.count(plan.encoding))
      throw usage_error("no imaging readout refers to encoding {}", *options.encoding).about("encoding");
  }
  for (const std::size_t index : imaging) {
    if (scan.readouts[index].header.encoding_space_ref == plan.encoding)
      plan.imaging.push_back(index);
    else
      ++plan.skipped[fmt::format("encoding {}", scan.readouts[index].header.encoding_space_ref)];
  }
  if (used.size() > 1 && !options.encoding)
    plan.warnings.push_back(
        fmt::format("{} encodings have imaging readouts; encoding {} is used, others on request", used.size(),
                    plan.encoding));
  if (!plan.skipped.empty())
    plan.notes.push_back("readouts that are not imaging data: " + skipped_text(plan.skipped));
}

// Lengths, channels and dwell times of the selected readouts.
void check_readouts(const Scan& scan, ScanPlan& plan) {
  std::vector<std::size_t> selected;
  for (const PlannedImage& image : plan.images)
    selected.insert(selected.end(), image.readouts.begin(), image.readouts.end());
  std::sort(selected.begin(), selected.end());
  const std::size_t first = selected.front();
  plan.channels = scan.readouts[first].header.active_channels;
  if (plan.channels < 1) throw input_error("readout {} has no active channels", first);
  for (const std::size_t index : selected) {
    const ReadoutHeader& header = scan.readouts[index].header;
    if (header.active_channels != plan.channels)
      throw input_error("mixed channel counts: readout {} has {}, but readout {} has {}", index,
                        header.active_channels, first, plan.channels);
    if (kept_samples(header) < 1)
      throw input_error("readout {}: discard_pre {} and discard_post {} leave nothing of {} samples", index,
                        header.discard_pre, header.discard_post, header.samples);
    if (!scan.has_samples(scan.readouts[index]))
      throw input_error("readout {}: the header declares {}×{} samples that the file does not hold", index,
                        header.active_channels, header.samples);
    plan.trimmed_samples += Index{header.discard_pre} + header.discard_post;
  }
  const float dwell = scan.readouts[first].header.sample_time_us;
  if (std::isfinite(dwell) && dwell > 0)
    plan.imaging_dwell_us = dwell;
  else if (dwell == 0)
    plan.notes.emplace_back("sample time: not known");
  else
    plan.warnings.push_back(
        fmt::format("sample time of readout {} is {} µs; it is treated as unknown", first, dwell));
  if (plan.trimmed_samples > 0)
    plan.notes.push_back(
        fmt::format("trimmed {} samples by discard_pre and discard_post", plan.trimmed_samples));
}

struct Selection {
  const char* name;
  const IndexRange* range;
  std::uint16_t ImageCounters::*counter;
};

// Groups the selected readouts by slice, contrast, phase, repetition and set. Indices may be any 16-bit
// numbers, so they are used as keys, never as sizes.
void group_images(const Scan& scan, const PrepareOptions& o, ScanPlan& plan) {
  const Selection selections[] = {{"slice", &o.slice, &ImageCounters::slice},
                                  {"contrast", &o.contrast, &ImageCounters::contrast},
                                  {"cardiac_phase", &o.phase, &ImageCounters::phase},
                                  {"repetition", &o.repetition, &ImageCounters::repetition},
                                  {"set", &o.set, &ImageCounters::set}};
  for (const Selection& selection : selections) {
    if (selection.range->everything()) continue;
    Index low = 65535, high = 0;
    for (const std::size_t index : plan.imaging) {
      const Index value = scan.readouts[index].header.counters.*selection.counter;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const bool beyond = selection.range->last != IndexRange{}.last && selection.range->last > high + 1;
    if (beyond || selection.range->first > high)
      throw usage_error("{} is out of range, the file has {} to {}",
                        beyond ? selection.range->last - 1 : selection.range->first, low, high)
          .about(selection.name);
  }

  std::vector<std::size_t> selected;
  std::set<int> averages;
  for (const std::size_t index : plan.imaging) {
    const ReadoutHeader& header = scan.readouts[index].header;
    const bool wanted =
        std::all_of(std::begin(selections), std::end(selections), [&](const Selection& selection) {
          return selection.range->contains(header.counters.*selection.counter);
        });
    if (!wanted) {
      ++plan.deselected_readouts;
      continue;
    }
    averages.insert(header.average);
    selected.push_back(index);
  }
  if (selected.empty())
    throw usage_error("the selection leaves none of {} imaging readouts", plan.imaging.size());
  plan.images = images_of(scan, selected);
  if (averages.size() > 1) plan.notes.push_back(fmt::format("{} averages are merged", averages.size()));
  if (plan.deselected_readouts > 0)
    plan.notes.push_back(fmt::format("{} readouts are not selected", plan.deselected_readouts));
}

// Position and directions of an image's first readout; the identity if they are unusable, such as a position
// so far away that all pixels have the same in the headers' single precision.
void place_images(const Scan& scan, ScanPlan& plan) {
  bool warned = false;
  for (PlannedImage& image : plan.images) {
    const ReadoutHeader& header = scan.readouts[image.readouts.front()].header;
    image.acquisition_time_stamp = header.acquisition_time_stamp;
    ImageGeometry& geometry = image.geometry;
    geometry.matrix = plan.grids.recon.matrix;
    geometry.fov_mm = plan.grids.recon.fov_mm;
    bool usable = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      geometry.position[axis] = header.position[axis];
      geometry.read_dir[axis] = header.read_dir[axis];
      geometry.phase_dir[axis] = header.phase_dir[axis];
      geometry.slice_dir[axis] = header.slice_dir[axis];
      const double rounding = std::numeric_limits<float>::epsilon() * std::abs(geometry.position[axis]);
      usable = usable && rounding <= plan.grids.recon.pixel(static_cast<int>(axis));
    }
    if (usable && orthonormal(geometry)) continue;
    const ImageGeometry unknown;
    geometry.read_dir = unknown.read_dir;
    geometry.phase_dir = unknown.phase_dir;
    geometry.slice_dir = unknown.slice_dir;
    if (!usable) geometry.position = unknown.position;
    geometry.orientation_known = false;
    if (!std::exchange(warned, true))
      plan.warnings.push_back(fmt::format(
          "orientation unknown: readout {} has the position {} mm and the directions {}, {}, {}; "
          "expected orthonormal directions and a position of which single precision resolves pixels",
          image.readouts.front(), triple(header.position), triple(header.read_dir), triple(header.phase_dir),
          triple(header.slice_dir)));
  }
}

// A file whose header declares Cartesian lines needs no trajectory: its lines are generated without being
// requested.
void assume_cartesian(const Scan& scan, ScanPlan& plan) {
  ReadingOptions& options = plan.reading;
  const Encoding& encoding = scan.encodings[plan.encoding];
  if (options.generate != GeneratedTrajectory::none || !options.trajectory.empty() ||
      (encoding.trajectory != "cartesian" && !describes_lobe(encoding)))
    return;
  for (const PlannedImage& image : plan.images)
    for (const std::size_t index : image.readouts)
      if (scan.readouts[index].header.trajectory_dimensions != 0) return;
  options.generate = GeneratedTrajectory::cartesian;
  plan.notes.push_back(
      fmt::format("the header says {} and no trajectory is stored: lines by "
                  "kspace_encode_step_1",
                  encoding.trajectory));
}

// True if all readouts are lines along x, possibly joined by blips: their extent along y is small compared
// with that along x.
bool readouts_along_x(const ScanPlan& plan, const TrajectoryReader& reader, Context* workers) {
  if (reader.generated()) return plan.reading.generate == GeneratedTrajectory::cartesian;
  double along_x = 0, along_y = 0;
  for (const PlannedImage& image : plan.images) {
    std::vector<std::array<double, 2>> ways(image.readouts.size());
    share_readouts(image.readouts.size(), workers, [&](std::size_t r) {
      std::vector<double> k, weights;
      reader.read(image.readouts[r], k, weights);
      for (std::size_t i = 3; i < k.size(); ++i)
        if (i % 3 < 2) ways[r][i % 3] += std::abs(k[i] - k[i - 3]);
    });
    for (const auto& way : ways) {
      along_x += way[0];
      along_y += way[1];
    }
  }
  return along_y < 0.1 * along_x;
}

// Numbers of lines and spokes beyond those of the header.
void warn_of_steps(const Scan& scan, const Encoding& encoding, ScanPlan& plan) {
  if (!encoding.last_step_1 || *encoding.last_step_1 == 0) return;
  Index beyond = 0, all = 0;
  std::size_t example = 0;
  for (const PlannedImage& image : plan.images)
    for (const std::size_t index : image.readouts) {
      ++all;
      if (scan.readouts[index].header.encode_step_1 > *encoding.last_step_1 && beyond++ == 0) example = index;
    }
  // If most of them exceed the limits, the limits are wrong.
  if (beyond > 0 && 2 * beyond < all)
    plan.warnings.push_back(fmt::format(
        "kspace_encode_step_1 of {} readouts is more than the {} of the header's limits: {} in readout {}",
        beyond, *encoding.last_step_1, scan.readouts[example].header.encode_step_1, example));
}

void describe_angles(const Encoding& encoding, ScanPlan& plan, const TrajectoryReader& reader) {
  const Index spokes = reader.spoke_count();
  plan.notes.push_back(fmt::format("{} spokes are distributed over {} degrees", spokes,
                                   plan.convention.zero_is_first ? 360 : 180));
  if (encoding.last_step_1 && *encoding.last_step_1 > 0 && Index{*encoding.last_step_1} + 1 != spokes)
    plan.warnings.push_back(fmt::format(
        "uniform angles: {} spokes are counted, but the header's limits of kspace_encoding_step_1 give {}",
        spokes, *encoding.last_step_1 + 1));
}

void find_units(TrajectoryUnits units, const Encoding& encoding, ScanPlan& plan,
                const TrajectoryReader& reader, Context* workers) {
  if (reader.generated()) return;
  const std::size_t axes = plan.grids.volume && plan.layout.column[2] >= 0 ? 3 : 2;
  std::vector<double> largest(axes, 0.0);
  UnitEvidence evidence;
  // The grid that the scanner used for scaling, regardless of the requested one.
  if (encoding.has_recon_space) {
    evidence.recon_matrix = encoding.recon_matrix;
    evidence.recon_fov_mm = encoding.recon_fov_mm;
  }
  evidence.largest_step.assign(axes, 0.0);
  evidence.dwell_us = plan.imaging_dwell_us;
  struct Reach {
    std::array<double, 3> largest{}, step{};
  };
  std::vector<std::pair<std::array<double, 3>, std::size_t>> of_readouts;
  for (const PlannedImage& image : plan.images) {
    std::vector<Reach> reaches(image.readouts.size());
    share_readouts(image.readouts.size(), workers, [&](std::size_t r) {
      std::vector<double> k, weights;
      reader.read(image.readouts[r], k, weights);
      Reach& reach = reaches[r];
      for (std::size_t i = 0; i < k.size(); i += 3)
        for (std::size_t axis = 0; axis < axes; ++axis) {
          reach.largest[axis] = std::max(reach.largest[axis], std::abs(k[i + axis]));
          if (i > 0) reach.step[axis] = std::max(reach.step[axis], std::abs(k[i + axis] - k[i - 3 + axis]));
        }
    });
    for (std::size_t r = 0; r < reaches.size(); ++r) {
      const Reach& reach = reaches[r];
      of_readouts.emplace_back(reach.largest, image.readouts[r]);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        largest[axis] = std::max(largest[axis], reach.largest[axis]);
        evidence.largest_step[axis] = std::max(evidence.largest_step[axis], reach.step[axis]);
      }
    }
  }
  plan.units = decide_units(units, largest, plan.grids.encoded.matrix, plan.grids.encoded.fov_mm, evidence);
  if (!plan.grids.fov_known && (plan.units.units == TrajectoryUnits::per_metre ||
                                plan.units.units == TrajectoryUnits::radians_per_metre))
    throw input_error("the trajectory is in {}, and arrays do not contain the field of view: give it in mm",
                      to_string(plan.units.units))
        .about("fov");
  (plan.units.doubtful ? plan.warnings : plan.notes).push_back(plan.units.text);
  std::vector<std::pair<double, std::size_t>> extents;
  for (const auto& [reach, index] : of_readouts) {
    double extent = 0;
    for (std::size_t axis = 0; axis < axes; ++axis)
      extent = std::max(extent, reach[axis] * plan.units.scale[axis]);
    extents.emplace_back(extent, index);
  }
  warn_of_long_readouts(std::move(extents), plan);
}

struct Dropped {
  Index samples = 0;
  Index readouts = 0;  // without any remaining sample
};

// The largest |k| along each axis of the samples used, cycles per recon pixel.
std::array<double, 3> reach_of(const ScanPlan& plan) {
  std::array<double, 3> reach{};
  for (const PlannedImage& image : plan.images)
    for (const std::size_t index : image.readouts) {
      if (plan.left_out.contains(index)) continue;
      const auto k = plan.at(index).k;
      for (std::size_t i = 0; i < k.size(); ++i) {
        double& farthest = reach[i % static_cast<std::size_t>(plan.dims)];
        farthest = std::max(farthest, std::abs(k[i]));
      }
    }
  return reach;
}

void report_dropped(const Scan& scan, ScanPlan& plan, const Dropped& dropped) {
  const double share = static_cast<double>(dropped.samples) / static_cast<double>(plan.total_samples());
  std::string text = fmt::format("dropped {} of {} samples ({:.2g} %) beyond ±0.5 cycles per recon pixel",
                                 dropped.samples, plan.total_samples(), 100 * share);
  // Expected for images coarser than the encoding, and for readouts that continue after the end of a spiral.
  const auto& scale = plan.grids.k_scale;
  const bool coarser = std::any_of(scale.begin(), scale.end(), [](double s) { return s > 1 + 1e-6; });
  const bool described = plan.layout.source == TrajectoryLayout::Source::generated &&
                         !scan.encodings[plan.encoding].trajectory_parameters.empty() &&
                         plan.reading.generate == GeneratedTrajectory::none;
  if (coarser || described || (share < 0.05 && dropped.readouts == 0)) {
    plan.notes.push_back(text);
    return;
  }
  const std::array<double, 3> reach = reach_of(plan);
  std::string matrix;
  for (int axis = 0; axis < plan.dims; ++axis)
    matrix += fmt::format(
        "{}{}", axis == 0 ? "" : "×",
        std::max(plan.grids.recon.matrix[axis],
                 static_cast<Index>(std::ceil(2 * reach[axis] * (1 - 1e-5) *
                                              static_cast<double>(plan.grids.recon.matrix[axis])))));
  plan.warnings.push_back(
      text + fmt::format(", {} readouts as a whole: a matrix of {} on the same field of view keeps them; if "
                         "readouts are oversampled, the encoded field of view or the units of the "
                         "trajectory are wrong",
                         dropped.readouts, matrix));
}

void describe_bands(ScanPlan& plan) {
  if (plan.dims == 3)
    throw usage_error("{} bands, but the scan is three-dimensional: bands are slices", plan.bands.count)
        .about("bands");
  plan.notes.push_back(fmt::format("{} slices at a time{}{}", plan.bands.count,
                                   plan.bands.groups > 1 ? fmt::format(", {} times", plan.bands.groups) : "",
                                   plan.bands.distance_mm != 0
                                       ? fmt::format(", {:g} mm apart", plan.bands.distance_mm)
                                       : "; their distance is not known"));
}

// Counts samples beyond the recon grid's k-space.
void examine_trajectories(const Scan& scan, ScanPlan& plan) {
  Dropped dropped;
  for (const PlannedImage& image : plan.images) {
    if (image.dropped == image.samples)
      throw input_error(
          "all {} samples of an image lie outside the k-space of the recon grid; check the units of the "
          "trajectory, the field of view and the matrix",
          image.samples)
          .about("traj_units,fov,matrix");
    for (const std::size_t index : image.readouts) {
      if (plan.left_out.contains(index)) continue;
      const ReadoutCoordinates& readout = plan.at(index);
      dropped.samples += std::ssize(readout.inside) - readout.kept;
      dropped.readouts += readout.kept == 0 ? 1 : 0;
    }
  }
  if (dropped.samples > 0) report_dropped(scan, plan, dropped);
}

}  // namespace

Index ScanPlan::total_samples() const {
  Index sum = 0;
  for (const PlannedImage& image : images) sum += image.samples;
  return sum;
}

Index ScanPlan::dropped_samples() const {
  Index sum = 0;
  for (const PlannedImage& image : images) sum += image.dropped;
  return sum;
}

std::vector<PlannedImage> images_of(const Scan& scan, const std::vector<std::size_t>& readouts) {
  std::map<ImageCounters, PlannedImage> images;
  for (const std::size_t index : readouts) {
    const ReadoutHeader& header = scan.readouts[index].header;
    PlannedImage& image = images[header.counters];
    image.counters = header.counters;
    image.readouts.push_back(index);
    image.samples += kept_samples(header);
  }
  std::vector<PlannedImage> result;
  for (auto& [counters, image] : images) result.push_back(std::move(image));
  return result;
}

ScanPlan plan_scan(const Scan& scan, const PrepareOptions& options, Context* workers) {
  ScanPlan plan;
  plan.reading = options;
  plan.warnings = scan.warnings;
  plan.place_known = scan.place_known;
  sort_by_flag(scan, options, plan);
  group_images(scan, options, plan);
  check_readouts(scan, plan);
  plan.bands = plan_bands(scan, scan.encodings[plan.encoding], plan.imaging, options.bands);

  assume_cartesian(scan, plan);
  plan.layout = decide_layout(scan, plan, workers);
  plan.notes.push_back(plan.layout.text);
  const Encoding& encoding = scan.encodings[plan.encoding];
  const Index recon_z = options.grid.matrix.size() > 2 ? options.grid.matrix[2] : encoding.recon_matrix[2];
  const bool volume =
      plan.layout.stack || (plan.layout.column[2] >= 0 && (encoding.encoded_matrix[2] > 1 || recon_z > 1));
  plan.dims = volume ? 3 : 2;
  require_motion(plan);
  if (plan.bands.several()) describe_bands(plan);
  const TrajectoryReader reader(scan, plan);
  plan.lines = readouts_along_x(plan, reader, workers);
  warn_of_counters(scan, plan);
  plan.grids = plan_grids(encoding, volume, plan.layout.stack, plan.lines, options.grid);
  plan.notes.insert(plan.notes.end(), plan.grids.notes.begin(), plan.grids.notes.end());
  plan.warnings.insert(plan.warnings.end(), plan.grids.warnings.begin(), plan.grids.warnings.end());

  const bool along_z = plan.dims == 3 && !plan.layout.stack;
  (along_z ? plan.reading.delay.z : plan.reading.delay.xy) += options.third_delay;
  if (options.third_delay != 0)
    plan.notes.push_back(along_z ? "gradient delay: readouts move along z, the third value is z's"
                                 : "gradient delay: readouts stay in a plane, the third value is that of xy");
  if (plan.layout.source == TrajectoryLayout::Source::generated)
    plan.convention = find_readout_convention(scan, plan);
  if (plan.reading.generate != GeneratedTrajectory::none) warn_of_steps(scan, encoding, plan);
  if (plan.reading.generate == GeneratedTrajectory::uniform) describe_angles(encoding, plan, reader);
  find_units(options.units, encoding, plan, reader, workers);
  if (options.leave_out_empty) leave_out_empty_readouts(scan, reader, workers, plan);
  read_coordinates(scan, reader, plan, workers);
  examine_trajectories(scan, plan);
  if (options.grid.solve_fov == 0) fit_solve_grid(scan, plan);
  if (options.sample_times) describe_times(scan, plan, reader);
  place_images(scan, plan);
  plan.notes.push_back(options.apply_fov_shift
                           ? "field-of-view shift: applied from the readouts' positions"
                           : "field-of-view shift: none, assuming that the scanner has applied it");
  if (options.conjugate) plan.notes.push_back("samples are conjugated");
  return plan;
}

}  // namespace larmor
