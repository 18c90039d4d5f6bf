#include <larmor/mri/quality/replicas.hpp>
#include <larmor/mri/reconstruct/steps/quality.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>

#include <cmath>
#include <numeric>

namespace LARMOR_API larmor {

template <typename T>
void estimate_noise(const NoiseInput<T>& input, const ScanPlan& plan, const ReconstructOptions& options,
                    QualityMaps& quality, Context& ctx) {
  using C = std::complex<T>;
  const auto statistics = pseudo_replicas(
      input.samples.shape(),
      [&](View<const std::complex<float>> noise) {
        auto noisy = converted<C>(noise);
        for (Index i = 0; i < noisy.size(); ++i) {
          if (input.root_density.size() > 0) noisy[i] *= input.root_density[i];
          noisy[i] += input.samples[i];
        }
        return converted<std::complex<float>>(input.solve(std::move(noisy)).view());
      },
      {options.output.replicas, options.output.seed}, ctx);
  const auto deviation = statistics.deviation();
  const auto pixels = static_cast<double>(plan.grids.solve_shape().size());
  // Images are stored as 1/√N times the solution, ratios unchanged.
  const auto place = [&](View<const float> values, double factor, ImageSeries& series) {
    auto map = converted<C>(values);
    for (C& value : map) value *= static_cast<T>(factor);
    write_back<T>(map, input.problem, plan, options, series, ctx);
  };
  place(deviation, 1, quality.deviation);
  place(signal_to_noise(converted<std::complex<float>>(input.x), deviation), std::sqrt(pixels),
        quality.signal_to_noise);
  if (input.maps.size() == 0) return;
  const auto reference = cartesian_deviation(converted<std::complex<float>>(input.maps));
  const auto& samples = input.frame_samples;
  const auto all = static_cast<double>(std::accumulate(samples.begin(), samples.end(), Index{0}));
  Array<float> g(deviation.shape());
  for (Index i = 0; i < static_cast<Index>(input.problem.images); ++i) {
    const View<const float> image(deviation.data() + i * reference.size(), reference.shape());
    const double measured = input.problem.basis ? all / static_cast<double>(samples.size())
                                                : static_cast<double>(samples[static_cast<std::size_t>(i)]);
    const auto one = g_factor(image, reference, pixels / measured);
    std::copy(one.begin(), one.end(), g.data() + i * reference.size());
  }
  place(g, std::sqrt(pixels), quality.g_factor);
}

template void estimate_noise<float>(const NoiseInput<float>&, const ScanPlan&, const ReconstructOptions&,
                                    QualityMaps&, Context&);
template void estimate_noise<double>(const NoiseInput<double>&, const ScanPlan&, const ReconstructOptions&,
                                     QualityMaps&, Context&);

}  // namespace larmor
