#include <larmor/core/parallel.hpp>
#include <larmor/mri/calibration/central_samples.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

struct Gathered {
  std::vector<double> trajectory;                         // [samples][dims]
  std::vector<std::vector<std::complex<float>>> samples;  // [coils][samples]
  Index count = 0;
};

void append_central(const PreparedImage& image, double radius, Gathered& central, Context& host) {
  const Index samples = image.samples.shape()[1], coils = image.samples.shape()[0],
              dims = image.trajectory.shape()[1];
  std::vector<Index> chosen;
  for (Index j = 0; j < samples; ++j) {
    const double* k = image.trajectory.data() + j * dims;
    if (!std::all_of(k, k + dims, [&](double value) { return std::abs(value) <= radius; })) continue;
    chosen.push_back(j);
    central.trajectory.insert(central.trajectory.end(), k, k + dims);
  }
  central.count += static_cast<Index>(chosen.size());
  central.samples.resize(static_cast<std::size_t>(coils));
  parallel_for(host, coils, 1, [&](Index begin, Index end, int) {
    for (Index c = begin; c < end; ++c) {
      auto& values = central.samples[static_cast<std::size_t>(c)];
      values.reserve(static_cast<std::size_t>(central.count));
      for (const Index j : chosen) values.push_back(image.samples[c * samples + j]);
    }
  });
}

}  // namespace

CentralPart<float> central_samples(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                                   std::uint16_t slice, const PreparedImage* loaded, double radius,
                                   double wanted, Context& ctx) {
  Context host = ctx.host();
  Gathered central;
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
    if (&image == first && loaded)
      append_central(*loaded, radius, central, host);
    else
      append_central(load_image(scan, plan, channels, i, host), radius, central, host);
    if (static_cast<double>(central.count) >= wanted) break;
  }
  CentralPart<float> result{Array<double>({central.count, plan.dims}),
                            Array<std::complex<float>>({channels.coils, central.count})};
  std::copy(central.trajectory.begin(), central.trajectory.end(), result.trajectory.begin());
  for (std::size_t c = 0; c < central.samples.size(); ++c)
    std::copy_n(central.samples[c].begin(), central.count,
                result.samples.data() + static_cast<Index>(c) * central.count);
  return result;
}

CentralPart<float> joined(const CentralPart<float>& a, const CentralPart<float>& b) {
  const Index coils = a.samples.shape()[0], dims = a.trajectory.shape()[1];
  const Index first = a.samples.shape()[1], second = b.samples.shape()[1];
  CentralPart<float> result{Array<double>({first + second, dims}),
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
