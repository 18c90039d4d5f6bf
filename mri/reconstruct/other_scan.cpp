#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/mri/reconstruct/other_scan.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Positions that differ by less than this many mm, and unit vectors whose components differ by less, are the
// same.
constexpr double same_position = 0.5, same_direction = 1e-2;

bool same_place(const ImageGeometry& a, const ImageGeometry& b) {
  bool same = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    same = same && std::abs(a.position[axis] - b.position[axis]) <= same_position;
    same = same && std::abs(a.read_dir[axis] - b.read_dir[axis]) <= same_direction;
    same = same && std::abs(a.phase_dir[axis] - b.phase_dir[axis]) <= same_direction;
  }
  return same;
}

// Minimum number of points across the centre of k-space for coil maps.
constexpr double fewest_points = 8;

// Number of grid points that a scan covers, along the axis that it covers best.
double points_across(const ScanPlan& plan) {
  double points = 0;
  for (std::size_t axis = 0; axis < plan.units.largest.size(); ++axis)
    points = std::max(points, 2 * plan.units.largest[axis] * plan.units.scale[axis] *
                                  static_cast<double>(plan.grids.encoded.matrix[axis]));
  return points;
}

// Its own units if they can be determined, otherwise those of the scan to be reconstructed: a small part of
// k-space does not determine units.
ScanPlan plan_calibration(const Scan& calibration, PrepareOptions& prepare, TrajectoryUnits of_the_scan,
                          Context& ctx) {
  try {
    return plan_scan(calibration, prepare);
  } catch (const Error& error) {
    if (error.parameter() != "traj_units") throw;
  }
  prepare.units = of_the_scan;
  ScanPlan plan = plan_scan(calibration, prepare);
  if (const double points = points_across(plan); points < fewest_points)
    throw input_error(
        "{} does not give the units of its trajectory, and in those of the scan, {}, it covers only {:.2g} "
        "points of k-space; write it in the units of the scan",
        calibration.source, to_string(of_the_scan), points)
        .about("calibration");
  ctx.reporter().note(fmt::format("the trajectory of {} has no units: those of the scan are used, {}",
                                  calibration.source, to_string(of_the_scan)));
  return plan;
}

}  // namespace

Array<std::complex<float>> maps_of_other_scan(Scan calibration, const Scan& scan,
                                              const ReconstructOptions& options, Context& ctx) {
  // The purpose of these readouts is known, so that flags for imaging data are not required.
  for (Readout& readout : calibration.readouts)
    if (readout.header.has(AcquisitionFlag::calibration))
      readout.header.set(AcquisitionFlag::calibration_and_imaging);
  const ScanPlan plan = plan_scan(scan, prepare_options(options));
  if (!plan.grids.fov_known)
    throw input_error("coil maps of {} need the field of view, which arrays do not contain: give it in mm",
                      calibration.source)
        .about("fov");
  ReconstructOptions other;
  other.coils = options.coils;
  other.solve.gridding = true;
  PrepareOptions& prepare = other.prepare;
  prepare.bands.count = 1;
  prepare.noise = options.prepare.noise;
  prepare.whiten = options.prepare.whiten;
  prepare.conjugate = options.prepare.conjugate;
  prepare.apply_fov_shift = options.prepare.apply_fov_shift;
  const auto& matrix = plan.grids.solve.matrix;
  const Vec3& fov = plan.grids.solve.fov_mm;
  prepare.grid = {{matrix[0], matrix[1]}, {fov[0], fov[1]}, 1};
  if (plan.dims == 3) {
    prepare.grid.matrix.push_back(matrix[2]);
    prepare.grid.fov_mm.push_back(fov[2]);
  }
  const ScanPlan from = plan_calibration(calibration, prepare, plan.units.units, ctx);
  if (from.channels != plan.channels)
    throw input_error("{} has {} channels, the scan has {}", calibration.source, from.channels, plan.channels)
        .about("calibration");
  ctx.reporter().note("coil maps from " + calibration.source);
  const std::vector<ImageGeometry> here = slice_geometry(plan, plan.grids.solve),
                                   there = slice_geometry(from, from.grids.solve);
  bool same = from.dims == plan.dims && (there.size() == 1 || there.size() == here.size());
  for (std::size_t s = 0; same && s < there.size(); ++s) same = same_place(here[s], there[s]);
  if (same) return std::move(estimate_maps(std::move(calibration), other, ctx).maps);

  // Estimated on its own grid, then moved to the scan's position.
  prepare.grid = {};
  const std::string source = calibration.source;
  const EstimatedMaps estimated = estimate_maps(std::move(calibration), other, ctx);
  ScanPlan placed = plan;
  placed.notes.clear();
  placed.warnings.clear();
  try {
    auto maps = placed_maps(estimated.maps, options.coils.sets, estimated.geometry, placed, ctx);
    if (maps.size() == 0) throw input_error("its position or that of the scan is unknown");
    tell(placed.notes, placed.warnings, ctx);
    return maps;
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::input) throw;
    throw input_error("{} has another position: {}", source, error.what()).about("calibration");
  }
}

}  // namespace larmor
