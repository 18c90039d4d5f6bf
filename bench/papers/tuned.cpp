#include <larmor/bench/measure.hpp>
#include <larmor/bench/papers/papers.hpp>
#include <larmor/operators/nufft/tune/alternating_times.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <fmt/format.h>

#include <numbers>

namespace larmor::bench {
namespace {

void tuned(const std::string& name, const Array<double>& trajectory, const Shape& image, double seconds,
           const Sink& sink, Context& ctx) {
  const auto k = copied_to(ctx.device(), trajectory);
  const NufftOptions base{.tolerance = 0.01};
  const TuneResult result = tune_nufft<float>(k, image, base, {.seconds = seconds}, ctx);
  NufftOptions fixed = base;
  fixed.oversampling = 2;
  struct Way {
    const char* name;
    NufftOptions options;
  };
  const Way ways[] = {{"oversampling 2", fixed}, {"the plan's own choice", base}, {"tuned", result.options}};
  std::vector<std::unique_ptr<Nufft<float>>> nuffts;
  std::vector<const Nufft<float>*> list;
  std::vector<double> setup;
  for (const Way& way : ways) {
    const double begin = seconds_now();
    nuffts.push_back(std::make_unique<Nufft<float>>(k, image, way.options, ctx));
    ctx.synchronize();
    setup.push_back(1e3 * (seconds_now() - begin));
    list.push_back(nuffts.back().get());
  }
  const auto times = alternating_times<float>(list, {.seconds = seconds}, ctx);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Nufft<float>& nufft = *list[i];
    sink({.problem = name,
          .method = std::string("forward and adjoint, ") + ways[i].name,
          .ms = times[i].forward_ms + times[i].adjoint_ms,
          .setup_ms = setup[i],
          .error = nufft.measured_error(ctx),
          .note = fmt::format("{}, width {}, oversampling {:.2f}; {:.2f} times as fast",
                              to_string(nufft.method()), nufft.kernel_width(), nufft.oversampling(),
                              1 / times[i].ratio)});
  }
  ctx.arena().release();
}

}  // namespace

void tuned_transforms(Size size, const Sink& sink, Context& ctx) {
  const Index n = size == Size::quick ? 30 : size == Size::normal ? 62 : 254;
  const double seconds = size == Size::quick ? 0.5 : size == Size::normal ? 4 : 20;
  for (const Index acceleration : {1, 16}) {
    // A full ball of k-space needs π N² centre-out spokes of N / 2 samples.
    const auto spokes = static_cast<Index>(std::numbers::pi * static_cast<double>(n * n)) / acceleration;
    tuned(fmt::format("radial, {}^3, R = {}", n, acceleration), kooshball(spokes, n / 2), {n, n, n}, seconds,
          sink, ctx);
    tuned(fmt::format("random, {}^3, R = {}", n, acceleration), random_points(n * n * n / acceleration, 3, 1),
          {n, n, n}, seconds, sink, ctx);
  }
}

}  // namespace larmor::bench
