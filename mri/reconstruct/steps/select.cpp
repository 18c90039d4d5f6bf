#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/calibration/agreement.hpp>
#include <larmor/mri/calibration/calibration_plan.hpp>
#include <larmor/mri/calibration/estimated_delay.hpp>
#include <larmor/mri/calibration/ghost_correction.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/estimated_motion.hpp>
#include <larmor/mri/reconstruct/steps/protocol.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/object_extent.hpp>
#include <larmor/mri/scan/odd_readouts.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace larmor {
namespace {

// Pixels across of the image that must explain both kinds of readouts.
constexpr Index coarse_pixels = 48;
// Accepted difference of intensity between calibration and imaging readouts, and accepted relative error of
// their common information.
constexpr double same_level = 0.1, unexplained = 0.1;

/// Agreement of calibration and imaging readouts.
struct Joined {
  ScanPlan plan;
  std::vector<std::size_t> readouts;  // number of samples that are new to the images
  std::string obstacle;               // reason why they may not belong to the images; empty: they may
};

bool same_place(const ReadoutHeader& a, const ReadoutHeader& b) {
  constexpr float millimetres = 0.5F, direction = 1e-2F;
  bool same = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    same = same && std::abs(a.position[axis] - b.position[axis]) <= millimetres &&
           std::abs(a.read_dir[axis] - b.read_dir[axis]) <= direction &&
           std::abs(a.phase_dir[axis] - b.phase_dir[axis]) <= direction;
  return same;
}

std::string obstacle(const Scan& scan, const ScanPlan& plan, const Joined& joined) {
  if (joined.plan.images.size() != plan.images.size()) return "they have counters of their own";
  for (std::size_t i = 0; i < plan.images.size(); ++i)
    if (joined.plan.images[i].counters != plan.images[i].counters) return "they have counters of their own";
  if (joined.plan.units.scale != plan.units.scale) return "their trajectory has other units";
  const ReadoutHeader& first = scan.readouts[plan.imaging.front()].header;
  for (const std::size_t index : joined.readouts) {
    if (!finite_samples(scan, scan.readouts[index])) return "they hold values that are not finite";
    const ReadoutHeader& header = scan.readouts[index].header;
    if (header.sample_time_us != first.sample_time_us) return "their dwell time is another";
    const auto image = std::find_if(plan.images.begin(), plan.images.end(),
                                    [&](const PlannedImage& one) { return one.counters == header.counters; });
    if (image != plan.images.end() && !same_place(header, scan.readouts[image->readouts.front()].header))
      return "they have another position";
  }
  return {};
}

// Nothing if no readouts would be new.
std::optional<Joined> joined_plan(const Scan& scan, const ReconstructOptions& options, PrepareOptions prepare,
                                  const ScanPlan& plan) {
  const bool any = std::any_of(scan.readouts.begin(), scan.readouts.end(), [](const Readout& readout) {
    return readout.header.has(AcquisitionFlag::calibration) && never_imaging(readout.header);
  });
  if (!any) return std::nullopt;
  Joined joined;
  if (plan.layout.source == TrajectoryLayout::Source::external || !plan.reading.weights.empty()) {
    joined.obstacle = "the given arrays are for the imaging readouts only";
    return joined;
  }
  if (options.frames.divide_readouts()) {
    joined.obstacle = "frames consist of imaging readouts only";
    return joined;
  }
  prepare.calibration_is_imaging = true;
  try {
    joined.plan = plan_scan(scan, prepare);
  } catch (const Error& error) {
    joined.obstacle = error.what();
    return joined;
  }
  std::set_difference(joined.plan.imaging.begin(), joined.plan.imaging.end(), plan.imaging.begin(),
                      plan.imaging.end(), std::back_inserter(joined.readouts));
  if (joined.readouts.empty()) return std::nullopt;
  joined.obstacle = obstacle(scan, plan, joined);
  return joined;
}

// The scan on a coarse grid with the same field of view.
PrepareOptions coarse_options(PrepareOptions prepare, const ScanPlan& plan) {
  GridOptions grid;
  for (int axis = 0; axis < plan.dims; ++axis) {
    grid.matrix.push_back(std::min(coarse_pixels, plan.grids.solve.matrix[axis]));
    grid.fov_mm.push_back(plan.grids.solve.fov_mm[axis]);
  }
  grid.solve_fov = 1;
  prepare.grid = grid;
  return prepare;
}

// The samples of some readouts of an image, in their order.
CentralPart samples_of(const PreparedImage& image, const std::vector<bool>& readouts) {
  const Index coils = image.samples.shape()[0], all = image.samples.shape()[1],
              dims = image.trajectory.shape()[1];
  std::vector<Index> chosen;
  for (std::size_t r = 0; r < readouts.size(); ++r)
    for (Index j = image.readout_starts[r]; readouts[r] && j < image.readout_starts[r + 1]; ++j)
      chosen.push_back(j);
  const auto count = static_cast<Index>(chosen.size());
  CentralPart result{Array<double>({count, dims}), Array<std::complex<float>>({coils, count})};
  for (Index i = 0; i < count; ++i) {
    const Index j = chosen[static_cast<std::size_t>(i)];
    std::copy_n(image.trajectory.data() + j * dims, dims, result.trajectory.data() + i * dims);
    for (Index c = 0; c < coils; ++c) result.samples[c * count + i] = image.samples[c * all + j];
  }
  return result;
}

// For the first image that has both kinds. small: the selection on a coarse grid.
Agreement measured_agreement(const Scan& scan, const ReconstructOptions& options,
                             PrepareOptions small_options, const Selection& small, const Joined& joined,
                             Context& ctx) {
  small_options.calibration_is_imaging = true;
  const ScanPlan both = plan_scan(scan, small_options);
  for (std::size_t i = 0; i < both.images.size(); ++i) {
    std::vector<bool> is_new;
    for (const std::size_t index : both.images[i].readouts)
      is_new.push_back(std::binary_search(joined.readouts.begin(), joined.readouts.end(), index));
    if (std::find(is_new.begin(), is_new.end(), true) == is_new.end()) continue;
    const PreparedImage image = load_image(scan, both, small.channels, i, ctx);
    const CentralPart other = samples_of(image, is_new);
    is_new.flip();
    const CentralPart own = samples_of(image, is_new);
    CoilOptions coils;
    coils.calibration =
        options.coils.calibration == Calibration::none ? Calibration::espirit : options.coils.calibration;
    const auto maps = maps_of_slice({scan, small, coils, both.images[i].counters.slice}, ctx);
    return agreement(own, other, maps.front(), ctx);
  }
  return {};
}

/// Adds readouts flagged as calibration only to the imaging readouts of `selection`, according to
/// CoilOptions::calibration_readouts, because they are measured data of the same object. In automatic mode
/// only if they belong to the images by encoding, counters, position and dwell time, and if one image, on a
/// coarse grid, explains both kinds. prepare: the options of the plan. Returns true if they were added.
bool join_calibration(const Scan& scan, const ReconstructOptions& options, const PrepareOptions& prepare,
                      Selection& selection, Context& ctx) {
  const CalibrationReadouts wanted = options.coils.calibration_readouts;
  if (wanted == CalibrationReadouts::maps || selection.plan.bands.several()) return false;
  std::optional<Joined> joined = joined_plan(scan, options, prepare, selection.plan);
  if (!joined) return false;
  if (wanted == CalibrationReadouts::image && !joined->obstacle.empty())
    throw usage_error("the calibration readouts cannot be used for the image: {}", joined->obstacle)
        .about("calibration_readouts");
  std::string measured;
  if (wanted == CalibrationReadouts::automatic && joined->obstacle.empty()) {
    const PrepareOptions coarse = coarse_options(prepare, selection.plan);
    Selection small{plan_scan(scan, coarse), std::move(selection.channels), std::nullopt, {}};
    small.calibration = plan_calibration(scan, small.plan);
    const Agreement found = measured_agreement(scan, options, coarse, small, *joined, ctx);
    selection.channels = std::move(small.channels);
    measured = fmt::format("intensity ratio {:.3g}, inconsistent part {:.2g}", std::abs(found.factor),
                           found.unexplained);
    if (std::abs(found.factor - 1.0) > same_level || found.unexplained > unexplained)
      joined->obstacle = "they do not agree with the imaging readouts: " + measured;
  }
  if (!joined->obstacle.empty()) {
    ctx.reporter().note("calibration readouts are used for the coil maps only: " + joined->obstacle);
    return false;
  }
  selection.plan = std::move(joined->plan);
  ctx.reporter().note(fmt::format("{} calibration readouts are also used as data of the image{}",
                                  joined->readouts.size(),
                                  measured.empty() ? "" : ", for they agree with it: " + measured));
  return true;
}

// For coil maps, in the memory of either context's device.
void require_usable(View<const std::complex<float>> maps, Context& ctx, Context& host) {
  const double largest = max_magnitude<float>(maps, maps.device().on_gpu() ? ctx : host);
  if (largest == 0) throw input_error("coil maps are zero everywhere").about("maps");
  if (!maps.device().on_gpu()) {
    require_comparable("coil maps", maps);
    return warn_of_vanishing("coil maps", maps, ctx.reporter());
  }
  if (largest >= least_magnitude && largest <= most_magnitude) return;
  require_representable<std::complex<float>>("coil maps", copied_to(host.device(), maps));
}

}  // namespace

PrepareOptions prepare_options(const ReconstructOptions& options) {
  PrepareOptions prepare = options.prepare;
  // Uncombined coils stay in the units of the scan's channels.
  prepare.keep_units = options.coils.combine != Combine::sense;
  if (options.field.frequency.size() > 0) prepare.sample_times = true;
  return prepare;
}

Selection select_scan(const Scan& scan, const ReconstructOptions& options, Context& ctx) {
  check_rules(options);
  Context host = ctx.host();
  Selection result;
  ScanPlan& plan = result.plan;
  Protocol* const protocol = options.protocol.get();
  const Protocol::Decided* const before = protocol && protocol->decided ? &*protocol->decided : nullptr;
  PrepareOptions prepare = prepare_options(options);
  if (before) {
    if (std::exchange(prepare.estimate_delay, false)) prepare.delay = before->delay;
    prepare.calibration_is_imaging = before->calibration_is_imaging;
  }
  prepare = with_ghost_correction(scan, with_estimated_delay(scan, prepare, ctx), ctx);
  prepare = with_estimated_motion(scan, std::move(prepare), options.coils, ctx);
  plan = plan_scan(scan, prepare, &host);
  // An earlier scan of the protocol may have shown more than the recon field of view.
  if (before && before->recon == plan.grids.recon && plan.grids.solve == plan.grids.recon)
    plan.grids.solve = before->solve;
  if (before && !protocol->fits(plan)) {
    *protocol = {};
    return select_scan(scan, options, ctx);
  }
  check_rules(options, plan);
  const bool combines = options.coils.combine == Combine::sense, given = options.coils.maps.size() > 0;
  bool estimates = combines && !given && plan.channels > 1;
  if (combines && given) {
    require_usable(options.coils.maps, ctx, host);
    result.maps =
        placed_maps(options.coils.maps, options.coils.sets, options.coils.maps_geometry, plan, host);
    const View<const std::complex<float>> maps = result.given_maps(options.coils);
    const Shape pixels = given_maps_pixels(maps, options.coils.sets, plan);
    require_maps_grid(plan.grids, pixels);
    const std::size_t slices = slices_of(plan).size();
    if (slices > 1 && maps.size() == options.coils.sets * plan.channels * pixels.size())
      plan.notes.push_back(fmt::format("coil maps of one slice are used for all {} slices", slices));
    if (pixels != plan.grids.solve_shape()) {
      estimates = true;
      plan.notes.push_back("coil maps have the recon grid: around it they are estimated from the data");
    }
  }
  if (estimates) result.calibration = plan_calibration(scan, plan);
  report_odd_readouts(scan, host, plan);
  warn_of_larger_object(scan, plan);
  if (!options.frames.gates.empty()) plan.bins = gated_bins(scan, plan, options.frames.gates, plan.notes);
  tell(plan.notes, plan.warnings, ctx);
  result.channels = plan_channels(scan, plan, host, prepare, before ? &before->channels : nullptr);
  tell(result.channels.notes, result.channels.warnings, ctx);
  const bool joined = before || join_calibration(scan, options, prepare, result, ctx);
  if (prepare.estimate_factors) plan.reading.readout_factors = estimated_factors(scan, plan, prepare, ctx);
  if (protocol && !before)
    protocol->decided = {.recon = plan.grids.recon,
                         .solve = plan.grids.solve,
                         .channels = copy_of(result.channels),
                         .delay = plan.reading.delay,
                         .calibration_is_imaging = joined};
  if (options.output.replicas > 0 && !result.channels.whitened)
    ctx.reporter().warning(
        "the scan has no noise readouts, so its noise is unknown: quality maps assume unit noise");
  return result;
}

}  // namespace larmor
