#include <larmor/mri/calibration/central_samples.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {
namespace {

// Average number of samples per calibration cell that counts as a sampled centre.
constexpr double samples_per_cell = 4;

}  // namespace

CentralPart central_samples(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                            std::uint16_t slice, const PreparedImage* loaded,
                            const CalibrationOptions& region, Context& ctx) {
  Context host = ctx.host();
  const auto points = static_cast<double>(region.size);
  const double wanted = samples_per_cell * std::pow(points, plan.dims);
  const PerAxis scale{1, 1, 1};
  PerAxis radius{};  // x first
  for (std::size_t axis = 0, dims = static_cast<std::size_t>(plan.dims); axis < dims; ++axis)
    radius[axis] = central_margin * 0.5 * points / region.fov_pixels[dims - 1 - axis];
  CentralPart result{Array<double>({0, plan.dims}), Array<std::complex<float>>({channels.coils, 0})};
  const PlannedImage* first = nullptr;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const PlannedImage& image = plan.images[i];
    if (image.counters.slice != slice) continue;
    if (!first) first = &image;
    // Repetitions show the same object; contrasts, phases and sets may differ in phase.
    if (image.counters.contrast != first->counters.contrast ||
        image.counters.phase != first->counters.phase || image.counters.set != first->counters.set)
      continue;
    ctx.throw_if_cancelled();
    const auto part_of = [&](const PreparedImage& of) {
      return central_part(of.trajectory, of.samples, scale, radius, host);
    };
    auto part =
        &image == first && loaded ? part_of(*loaded) : part_of(load_image(scan, plan, channels, i, host));
    result = result.trajectory.empty() ? std::move(part) : joined(result, part);
    if (static_cast<double>(result.trajectory.shape()[0]) >= wanted) break;
  }
  return result;
}

CentralPart joined(const CentralPart& a, const CentralPart& b) {
  const Index coils = a.samples.shape()[0], dims = a.trajectory.shape()[1];
  const Index first = a.samples.shape()[1], second = b.samples.shape()[1];
  CentralPart result{Array<double>({first + second, dims}),
                     Array<std::complex<float>>({coils, first + second})};
  std::copy(b.trajectory.begin(), b.trajectory.end(),
            std::copy(a.trajectory.begin(), a.trajectory.end(), result.trajectory.begin()));
  for (Index c = 0; c < coils; ++c) {
    auto* out = result.samples.data() + c * (first + second);
    std::copy_n(b.samples.data() + c * second, second, std::copy_n(a.samples.data() + c * first, first, out));
  }
  return result;
}

}  // namespace larmor
