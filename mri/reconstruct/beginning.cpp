#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/beginning.hpp>

#include <algorithm>
#include <utility>

namespace larmor {
namespace {

// Whether what a scan is selected by is found on the processors alone.
bool selected_on_host(const Scan& scan, const ReconstructOptions& options) {
  return options.prepare.estimate_delay == DelayMethod::none &&
         std::none_of(scan.readouts.begin(), scan.readouts.end(), [](const Readout& readout) {
           return readout.header.has(AcquisitionFlag::calibration);
         });
}

// Data of the first problem that take no more than a part of what memory is left.
bool fits_beside(const PlannedSeries& series, const ScanPlan& plan, Index coils) {
  double samples = 0;
  for (const PlannedImage& image : plan.images)
    if (image.counters.slice == series.slice) samples += static_cast<double>(image.samples);
  const double bytes = samples * static_cast<double>(coils * static_cast<Index>(sizeof(std::complex<float>)) +
                                                     plan.dims * static_cast<Index>(sizeof(double)));
  return 4 * bytes < static_cast<double>(available_memory_bytes());
}

}  // namespace

Beginning begin(const Scan& scan, const ReconstructOptions& options, const std::function<void()>& take_device,
                Reconstruction& result, StageClock& clock, Context& ctx) {
  bool waits = take_device != nullptr;
  const auto wait_for_device = [&] {
    if (!std::exchange(waits, false)) return;
    clock.charge("prepare");
    take_device();
    clock.charge("start");
  };
  ctx.reporter().progress("prepare", 0, 0, "");
  if (!selected_on_host(scan, options)) wait_for_device();
  result.selection = select_scan(scan, options, ctx);
  const ScanPlan& plan = result.selection.plan;
  ChannelPlan& channels = result.selection.channels;
  ReconstructionReport& report = result.report;
  Beginning found;
  found.list = plan_problems(plan, channels.coils, options);
  tell(found.list, ctx);
  report.series = found.list.summary;
  report.calibration = calibration_name(plan, options.coils);
  const PlannedSeries& first = found.list.problems[found.list.order.front()].series;
  if (waits && !options.ranks.communicator && fits_beside(first, plan, channels.coils))
    found.first = load_series(scan, plan, channels, first, ctx);
  wait_for_device();
  found.division = divide(found.list, channels.coils, options, workload_of(scan, options), ctx);
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
