#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>

namespace LARMOR_API larmor {

Array<std::complex<float>> estimate_coil_maps(const Scan& scan, const Selection& selection, Context& ctx,
                                              std::size_t image, const CoilOptions& options) {
  const std::uint16_t slice = selection.plan.images.at(image).counters.slice;
  return moved_to(ctx.device(), std::move(maps_of_slice({scan, selection, options, slice}, ctx).front()));
}

EstimatedMaps estimate_maps(Scan scan, const ReconstructOptions& options, Context& ctx) {
  ReconstructOptions estimate = options;
  estimate.coils.combine = Combine::sense;
  estimate.coils.maps = {};
  estimate.coils.maps_geometry.clear();
  EstimatedMaps result;
  result.selection = select_scan(scan, estimate, ctx);
  const ScanPlan& plan = result.selection.plan;
  // Only data and maps are in memory, as for a single adjoint.
  ReconstructOptions one_pass;
  one_pass.solve.gridding = true;
  one_pass.coils.sets = options.coils.sets;
  const ProblemList list = plan_problems(plan, result.selection.channels.coils, one_pass);
  decide_memory(scan, plan, list, result.selection.channels.coils, one_pass, ctx);

  const auto slices = slices_of(plan);
  Shape one = plan.grids.solve_shape().prepend(plan.channels);
  if (options.coils.sets > 1) one = one.prepend(options.coils.sets);
  Array<std::complex<float>> all(one.prepend(static_cast<Index>(slices.size())));
  ctx.reporter().progress("calibrate", 0, 0, "");
  Index done = 0;
  for (const std::uint16_t group : slices) {
    // The first of its bands.
    if (group >= plan.bands.groups && plan.bands.several()) break;
    const auto maps = estimate_slice_maps({scan, result.selection, options.coils, group}, ctx);
    for (Index band = 0; band < plan.bands.count; ++band) {
      const auto place = std::find(slices.begin(), slices.end(), plan.bands.slice(group, band));
      const auto slice = all.view().slice(place - slices.begin());
      copy_bytes(slice.data(), Device::cpu(), maps.data() + band * slice.size(), maps.device(),
                 slice.bytes());
    }
    ctx.reporter().progress("maps", done += plan.bands.count, static_cast<Index>(slices.size()), "");
  }
  result.maps = slices.size() == 1 ? clone(all.view().reshaped(one)) : std::move(all);
  result.geometry = slice_geometry(plan, plan.grids.solve);
  return result;
}

}  // namespace larmor
