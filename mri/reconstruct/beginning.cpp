#include <larmor/mri/reconstruct/beginning.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>

#include <algorithm>

namespace larmor {
Beginning begin(const Scan& scan, const ReconstructOptions& options, Reconstruction& result,
                StageClock& clock, Context& ctx) {
  ctx.reporter().progress("prepare", 0, 0, "");
  result.selection = select_scan(scan, options, ctx);
  const ScanPlan& plan = result.selection.plan;
  ChannelPlan& channels = result.selection.channels;
  ReconstructionReport& report = result.report;
  Beginning found;
  found.list = plan_problems(plan, channels.coils, options);
  tell(found.list, ctx);
  report.series = found.list.summary;
  report.calibration = calibration_name(plan, options.coils);
  found.division = divide(found.list, channels.coils, options, ctx);
  tell(found.division, found.list, channels.coils, report, ctx);
  // Coils are those of rank 0, where other processors round otherwise. Noise that differs by more is that of
  // another scan.
  if (found.division.together()) {
    const auto own = clone(channels.matrix.view());
    for (auto* matrix : {&channels.matrix, &channels.inverse})
      found.division.ranks->broadcast(matrix->view(), 0);
    double difference = 0, largest = 0;
    // Directions of compression may differ by a phase.
    for (Index i = 0; options.prepare.virtual_coils == 0 && i < own.size(); ++i) {
      difference = std::max<double>(difference, std::abs(own[i] - channels.matrix[i]));
      largest = std::max<double>(largest, std::abs(channels.matrix[i]));
    }
    require_same(difference > 1e-3 * largest ? found.division.rank() : 0, *found.division.ranks);
  }
  if (!found.division.works()) return found;
  found.memory = decide_own_memory(scan, plan, found.list, channels, found.division, options, ctx);
  report.memory = found.memory.plan;
  report.coil_block = found.memory.coil_block;
  report.placement = found.memory.placement();
  tell(found.memory, ctx);
  clock.charge("prepare");
  return found;
}

}  // namespace larmor
