#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/calibration_plan.hpp>
#include <larmor/mri/scan/odd_readouts.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {
namespace {

bool flagged(const ReadoutHeader& header) {
  return header.has(AcquisitionFlag::calibration) || header.has(AcquisitionFlag::calibration_and_imaging);
}

// Readouts with a further purpose, such as navigators, are not used for calibration.
bool nothing_else(const ReadoutHeader& header) {
  return std::none_of(std::begin(never_imaging_flags), std::end(never_imaging_flags), [&](const auto& entry) {
    return entry.first != AcquisitionFlag::calibration && header.has(entry.first);
  });
}

// The reader of files does not check the number of samples of readouts that are not imaging data.
bool usable(const Scan& scan, const ScanPlan& plan, std::size_t index) {
  const Readout& readout = scan.readouts[index];
  const ReadoutHeader& header = readout.header;
  const std::size_t coordinates = std::size_t{header.samples} * header.trajectory_dimensions;
  if (header.active_channels != plan.channels || kept_samples(header) < 1 ||
      header.encoding_space_ref >= scan.encodings.size() || !scan.has_samples(readout) ||
      readout.trajectory_offset + coordinates > scan.trajectory.size())
    return false;
  const auto* k = scan.trajectory.data() + readout.trajectory_offset;
  return finite_samples(scan, readout) &&
         std::all_of(k + header.discard_pre * header.trajectory_dimensions,
                     k + (header.samples - header.discard_post) * header.trajectory_dimensions,
                     [](float value) { return std::isfinite(value); });
}

// Converts k to cycles per encoded pixel of another encoding, instead of the plan's.
void take_encoding(const Scan& scan, std::size_t encoding, ScanPlan& plan) {
  if (encoding == plan.encoding) return;
  const Encoding& own = scan.encodings[encoding];
  const Grid before = plan.grids.encoded;
  plan.encoding = encoding;
  plan.grids.encoded = {own.encoded_matrix, own.encoded_fov_mm};
  if (!plan.grids.volume) plan.grids.encoded.matrix[2] = 1;
  for (int axis = 0; axis < plan.dims; ++axis) {
    const double pixel = plan.grids.encoded.pixel(axis);
    if (!(pixel > 0) || !std::isfinite(pixel))
      throw input_error("encoding {} has no field of view", encoding);
    plan.grids.k_scale[axis] = plan.grids.recon.pixel(axis) / pixel;
    if (axis >= static_cast<int>(plan.units.scale.size())) continue;
    double& scale = plan.units.scale[static_cast<std::size_t>(axis)];
    const auto n = [axis](const Grid& grid) { return static_cast<double>(grid.matrix[axis]); };
    if (plan.units.units == TrajectoryUnits::cycles_per_fov) scale *= n(before) / n(plan.grids.encoded);
    if (plan.units.units == TrajectoryUnits::per_metre ||
        plan.units.units == TrajectoryUnits::radians_per_metre)
      scale *= pixel / before.pixel(axis);
  }
}

ScanPlan planned(const Scan& scan, const ScanPlan& plan, const std::vector<std::size_t>& readouts) {
  ScanPlan result = plan;
  result.notes.clear();
  result.warnings.clear();
  result.bands = {};
  result.imaging = readouts;
  result.images = images_of(scan, readouts);
  result.reading.weights = {};
  take_encoding(scan, scan.readouts[readouts.front()].header.encoding_space_ref, result);
  if (plan.layout.source == TrajectoryLayout::Source::external)
    throw input_error("the given trajectory is that of the imaging readouts");
  const auto generate = plan.reading.generate;
  if (generate != GeneratedTrajectory::none && generate != GeneratedTrajectory::cartesian)
    throw input_error("spokes are generated for the imaging readouts only");
  const TrajectoryLayout layout = decide_layout(scan, result);
  if (layout.source != plan.layout.source)
    throw input_error("their trajectory is stored differently from that of the imaging readouts");
  result.layout = layout;
  if (plan.layout.stack && result.encoding == plan.encoding) {
    result.layout.stack = true;
    result.layout.stack_centre = plan.layout.stack_centre;
  }
  read_coordinates(scan, TrajectoryReader(scan, result), result, nullptr);
  std::erase_if(result.images, [](const PlannedImage& image) { return image.samples == image.dropped; });
  if (result.images.empty()) throw input_error("they lie outside the k-space of the recon grid");
  return result;
}

}  // namespace

std::optional<ScanPlan> plan_calibration(const Scan& scan, ScanPlan& plan) {
  std::vector<std::size_t> readouts;
  const Index slices = plan.bands.several() ? plan.bands.groups * plan.bands.count : 65536;
  Index unusable = 0, alone = 0, beyond = 0;
  for (std::size_t index = 0; index < scan.readouts.size(); ++index) {
    const ReadoutHeader& header = scan.readouts[index].header;
    if (!flagged(header) || !nothing_else(header)) continue;
    // Readouts of several simultaneous bands cannot calibrate.
    if (plan.bands.several() && header.has(AcquisitionFlag::calibration_and_imaging)) continue;
    if (!usable(scan, plan, index)) {
      ++unusable;
      continue;
    }
    if (header.counters.slice >= slices) {
      ++beyond;
      continue;
    }
    // Readouts of several encodings cannot be combined into one image.
    if (!readouts.empty() &&
        scan.readouts[readouts.front()].header.encoding_space_ref != header.encoding_space_ref)
      continue;
    readouts.push_back(index);
    alone += header.has(AcquisitionFlag::calibration_and_imaging) ? 0 : 1;
  }
  if (unusable > 0)
    plan.warnings.push_back(
        fmt::format("{} calibration readouts have other channels than the imaging readouts, no samples, or "
                    "values that are not finite: they are not used",
                    unusable));
  if (beyond > 0)
    plan.warnings.push_back(fmt::format(
        "{} calibration readouts have a slice counter beyond the {} slices of the bands: they are not used",
        beyond, slices));
  if (readouts.empty()) return std::nullopt;
  try {
    ScanPlan result = planned(scan, plan, readouts);
    warn_of_counters(scan, result);
    for (const std::string& warning : result.warnings)
      plan.warnings.push_back("calibration readouts: " + warning);
    plan.notes.push_back(
        fmt::format("{} calibration readouts, {} of them not imaging data, are used for the coil maps",
                    readouts.size(), alone));
    return result;
  } catch (const Error& error) {
    if (alone > 0) plan.warnings.push_back(std::string("calibration readouts are not used: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace larmor
