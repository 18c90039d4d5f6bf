#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/calibration_plan.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/estimated_delay.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>

namespace larmor {

PrepareOptions prepare_options(const ReconstructOptions& options) {
  PrepareOptions prepare = options.prepare;
  // Uncombined coils stay in the units of the scan's channels.
  if (options.coils.combine != Combine::sense) prepare.whiten = false;
  if (options.coils.geometric_compression) prepare.virtual_coils = 0;  // every slice has its own
  if (options.field.frequency.size() > 0) prepare.sample_times = true;
  return prepare;
}

Selection select_scan(const Scan& scan, const ReconstructOptions& options, Context& ctx) {
  check_rules(options);
  Context host = ctx.host();
  Selection result;
  ScanPlan& plan = result.plan;
  const PrepareOptions prepare = with_estimated_delay(scan, prepare_options(options), ctx);
  plan = plan_scan(scan, prepare);
  check_rules(options, plan);
  const bool combines = options.coils.combine == Combine::sense, given = options.coils.maps.size() > 0;
  bool estimates = combines && !given && plan.channels > 1;
  if (combines && given) {
    const Shape pixels = given_maps_pixels(options.coils.maps, options.coils.sets, plan);
    require_maps_grid(plan.grids, pixels);
    const std::size_t slices = slices_of(plan).size();
    if (slices > 1 && options.coils.maps.size() == options.coils.sets * plan.channels * pixels.size())
      plan.notes.push_back(fmt::format("coil maps of one slice serve all {} slices", slices));
    if (pixels != plan.grids.solve_shape()) {
      estimates = true;
      plan.notes.push_back("coil maps have the recon grid: around it they are estimated from the data");
    }
  }
  if (estimates) result.calibration = plan_calibration(scan, plan);
  tell(plan.notes, plan.warnings, ctx);
  result.channels = plan_channels(scan, plan, host, prepare);
  tell(result.channels.notes, result.channels.warnings, ctx);
  if (options.output.replicas > 0 && !result.channels.whitened)
    ctx.reporter().warning(
        "the scan has no noise readouts, so that its noise is not known: quality maps are those of unit "
        "noise");
  return result;
}

}  // namespace larmor
