#include <larmor/operators/nufft/tune/alternating_times.hpp>

#include <algorithm>
#include <chrono>

namespace LARMOR_API larmor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int fewest_rounds = 3;
// Short applications are repeated for this long within one measurement.
constexpr double shortest_ms = 0.5;

double milliseconds_since(Clock::time_point begin) {
  return 1e3 * std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

template <typename T>
Array<std::complex<T>> timing_values(const Shape& shape, const Context& ctx) {
  Array<std::complex<T>> array(shape);
  std::uint32_t state = 1;
  for (auto& value : array) {
    state = 1664525 * state + 1013904223;
    value = {static_cast<T>(state >> 8) * T(1e-7), T(0.5)};
  }
  return moved_to(ctx.device(), std::move(array));
}

std::vector<NufftTimes> alternating_times(std::size_t ways, const AlternationOptions& options,
                                          const MeasureWay& measure, const Context& ctx) {
  struct Way {
    std::vector<double> forward, adjoint, ratio;
    int repeats = 1;
  };
  std::vector<Way> all(ways);
  for (std::size_t i = 0; i < ways; ++i) {
    double once = 0;
    // The first call touches pages and tables for the first time.
    for (int call = 0; call < 2; ++call) {
      once = options.forward ? measure(i, true, 1) : 0;
      if (options.adjoint) once += measure(i, false, 1);
    }
    all[i].repeats = std::clamp(static_cast<int>(shortest_ms / once), 1, 1000);
  }
  double spent_ms = 0;
  for (int round = 0; round < std::max(options.rounds, 1); ++round) {
    ctx.throw_if_cancelled();
    if (round >= fewest_rounds && spent_ms > 1e3 * options.seconds) break;
    std::vector<double> sum(ways);
    for (std::size_t place = 0; place < ways; ++place) {
      // The order alternates, so that a candidate does not always follow the same one.
      const std::size_t i = round % 2 == 0 ? place : ways - 1 - place;
      Way& way = all[i];
      if (options.forward) sum[i] += way.forward.emplace_back(measure(i, true, way.repeats));
      if (options.adjoint) sum[i] += way.adjoint.emplace_back(measure(i, false, way.repeats));
      spent_ms += sum[i] * way.repeats;
    }
    for (std::size_t i = 0; i < ways; ++i) all[i].ratio.push_back(sum[i] / sum[0]);
  }
  std::vector<NufftTimes> times(ways);
  for (std::size_t i = 0; i < ways; ++i) {
    const Way& way = all[i];
    if (options.forward) {
      times[i].forward_ms = median(way.forward);
      times[i].least_forward_ms = *std::min_element(way.forward.begin(), way.forward.end());
    }
    if (options.adjoint) {
      times[i].adjoint_ms = median(way.adjoint);
      times[i].least_adjoint_ms = *std::min_element(way.adjoint.begin(), way.adjoint.end());
    }
    if (options.forward || options.adjoint) times[i].ratio = median(way.ratio);
  }
  return times;
}

std::size_t fastest_of(const std::vector<NufftTimes>& times, double least_gain) {
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i].ratio < (fastest == 0 ? least_gain : times[fastest].ratio)) fastest = i;
  return fastest;
}

template <typename T>
std::vector<NufftTimes> alternating_times(const std::vector<const Nufft<T>*>& nuffts,
                                          const AlternationOptions& options, Context& ctx) {
  auto images = timing_values<T>(nuffts.at(0)->domain(), ctx);
  auto samples = timing_values<T>(nuffts[0]->codomain(), ctx);
  std::size_t scratch = 0;
  for (const Nufft<T>* nufft : nuffts) scratch = std::max(scratch, nufft->scratch_bytes(ctx));
  ctx.arena().reserve(scratch);
  const auto measure = [&](std::size_t i, bool forward, int repeats) {
    const auto begin = Clock::now();
    for (int r = 0; r < repeats; ++r) {
      if (forward)
        nuffts[i]->apply(images, samples, ctx);
      else
        nuffts[i]->adjoint(samples, images, ctx);
    }
    ctx.synchronize();
    return std::max(milliseconds_since(begin), 1e-6) / repeats;
  };
  return alternating_times(nuffts.size(), options, measure, ctx);
}

template Array<std::complex<float>> timing_values<float>(const Shape&, const Context&);
template Array<std::complex<double>> timing_values<double>(const Shape&, const Context&);
template std::vector<NufftTimes> alternating_times<float>(const std::vector<const Nufft<float>*>&,
                                                          const AlternationOptions&, Context&);
template std::vector<NufftTimes> alternating_times<double>(const std::vector<const Nufft<double>*>&,
                                                           const AlternationOptions&, Context&);

}  // namespace larmor
