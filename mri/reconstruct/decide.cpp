#include <larmor/mri/reconstruct/decide.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/protocol.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>

#include <algorithm>

namespace larmor {
namespace {

// Coils are those of rank 0, because other processors may round differently. Noise that differs by more
// belongs to another scan.
void share_channels(ChannelPlan& channels, const Division& division, bool compressed) {
  if (!division.together()) return;
  const auto own = clone(channels.matrix.view());
  for (auto* matrix : {&channels.matrix, &channels.inverse}) division.ranks->broadcast(matrix->view(), 0);
  double difference = 0, largest = 0;
  // Directions of compression may differ by a phase.
  for (Index i = 0; !compressed && i < own.size(); ++i) {
    difference = std::max<double>(difference, std::abs(own[i] - channels.matrix[i]));
    largest = std::max<double>(largest, std::abs(channels.matrix[i]));
  }
  require_same(difference > 1e-3 * largest ? division.rank() : 0, *division.ranks);
}

}  // namespace

Decisions decide(const Scan& scan, Selection& selection, const ReconstructOptions& options,
                 ReconstructionReport& report, Context& ctx) {
  const ScanPlan& plan = selection.plan;
  ChannelPlan& channels = selection.channels;
  Decisions decisions;
  decisions.list = plan_problems(plan, channels.coils, options);
  tell(decisions.list, ctx);
  report.series = decisions.list.summary;
  report.calibration = calibration_name(plan, options.coils);
  decisions.density = decide_density(plan, options);
  report.density = density_name(plan, decisions.density);
  decisions.division = divide(decisions.list, channels.coils, options, ctx);
  tell(decisions.division, decisions.list, channels.coils, report, ctx);
  share_channels(channels, decisions.division, options.prepare.virtual_coils != 0);
  if (!decisions.division.works()) return decisions;
  const auto memory = [&] {
    return decide_own_memory(scan, plan, decisions.list, channels, decisions.division, options, ctx);
  };
  if (options.protocol) {
    decisions.memory = options.protocol->memory_of(sizes_of(scan, plan, decisions.list, options, 0), memory);
  } else {
    decisions.memory = memory();
  }
  report.memory.plan = decisions.memory.plan;
  report.memory.coil_block = decisions.memory.coil_block;
  report.memory.placement = decisions.memory.placement();
  tell(decisions.memory, ctx);
  return decisions;
}

}  // namespace larmor
