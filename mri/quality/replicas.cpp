#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/random_bits.hpp>
#include <larmor/mri/quality/replicas.hpp>

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

namespace larmor {
namespace {

using C = std::complex<float>;

// In (0, 1].
double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 1) * 0x1p-53;
}

}  // namespace

RunningVariance::RunningVariance(const Shape& shape)
    : mean_(filled(shape, std::complex<double>(0))), squares_(filled(shape, 0.0)) {}

void RunningVariance::add(View<const C> image) {
  if (image.size() != mean_.size())
    throw usage_error("running variance: image of shape {} among those of shape {}",
                      image.shape().to_string(), mean_.shape().to_string());
  ++count_;
  const double weight = 1 / static_cast<double>(count_);
  for (Index p = 0; p < image.size(); ++p) {
    const std::complex<double> value = image[p], before = value - mean_[p];
    mean_[p] += weight * before;
    const std::complex<double> after = value - mean_[p];
    squares_[p] += before.real() * after.real() + before.imag() * after.imag();
  }
}

Array<float> RunningVariance::deviation() const {
  if (count_ < 2) throw usage_error("running variance of {} images, expected at least 2", count_);
  Array<float> result(squares_.shape());
  for (Index p = 0; p < result.size(); ++p)
    result[p] = static_cast<float>(std::sqrt(squares_[p] / (2 * static_cast<double>(count_ - 1))));
  return result;
}

Array<C> unit_noise(const Shape& shape, std::uint64_t seed, std::uint64_t replica, Context& ctx) {
  Array<C> noise(shape);
  unit_noise(noise.view(), seed, replica, ctx, 0);
  return noise;
}

void unit_noise(View<C> noise, std::uint64_t seed, std::uint64_t replica, Context& ctx, Index first) {
  const std::uint64_t stream = random_bits(random_bits(seed) ^ replica);
  parallel_for(ctx, noise.size(), 1 << 12, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      // Box & Muller 1958.
      const std::uint64_t counter = stream + 2 * static_cast<std::uint64_t>(first + i);
      const double radius = std::sqrt(-std::log(uniform(random_bits(counter))));
      noise[i] = C(std::polar(radius, 2 * std::numbers::pi * uniform(random_bits(counter + 1))));
    }
  });
}

RunningVariance pseudo_replicas(const Shape& samples, const Reconstruct& reconstruct,
                                const ReplicaOptions& options, Context& ctx) {
  if (options.replicas < 2) throw usage_error("{} pseudo replicas, expected at least 2", options.replicas);
  std::optional<RunningVariance> statistics;
  for (Index replica = 0; replica < options.replicas; ++replica) {
    ctx.throw_if_cancelled();
    const auto image =
        reconstruct(unit_noise(samples, options.seed, static_cast<std::uint64_t>(replica), ctx));
    if (!statistics) statistics.emplace(image.shape());
    statistics->add(image);
    ctx.reporter().progress("replicas", replica + 1, options.replicas, "");
  }
  return std::move(*statistics);
}

Array<float> signal_to_noise(View<const C> image, View<const float> deviation) {
  Array<float> result(image.shape());
  for (Index p = 0; p < image.size(); ++p)
    result[p] = deviation[p] > 0 ? std::abs(image[p]) / deviation[p] : 0.0F;
  return result;
}

Array<float> g_factor(View<const float> accelerated, View<const float> reference, double acceleration) {
  if (!(acceleration > 0))
    throw usage_error("g-factor with acceleration {}, expected a positive number", acceleration);
  Array<float> result(accelerated.shape());
  const auto root = static_cast<float>(std::sqrt(acceleration));
  for (Index p = 0; p < accelerated.size(); ++p)
    result[p] = reference[p] > 0 ? accelerated[p] / (reference[p] * root) : 0.0F;
  return result;
}

Array<float> cartesian_deviation(View<const C> maps) {
  const Index coils = maps.shape()[0];
  Array<float> result(maps.shape().drop_front(1));
  for (Index p = 0; p < result.size(); ++p) {
    double energy = 0;
    for (Index c = 0; c < coils; ++c) energy += std::norm(std::complex<double>(maps[c * result.size() + p]));
    result[p] = energy > 0 ? static_cast<float>(1 / std::sqrt(2 * energy)) : 0.0F;
  }
  return result;
}

}  // namespace larmor
