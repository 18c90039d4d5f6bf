#include <larmor/bench/measure.hpp>
#include <larmor/bench/papers/papers.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <fmt/format.h>

namespace larmor::bench {
namespace {

void sense(const std::string& name, const Array<double>& trajectory, const Shape& image, Index coils,
           Index iterations, const Sink& sink, Context& ctx) {
  using C = std::complex<float>;
  const auto k = copied_to(ctx.device(), trajectory);
  const CoilMaps<float> maps(moved_to(ctx.device(), noise<float>(image.prepend(coils))));
  const auto A = Nufft<float>(k, image, {.tolerance = 1e-3, .batch = coils}, ctx) * maps;
  const auto x = moved_to(ctx.device(), noise<float>(image, 3));
  Array<C> y(image, ctx.device());
  using Mode = NormalOptions::Toeplitz;
  for (const Mode mode : {Mode::on, Mode::off}) {
    ctx.throw_if_cancelled();
    const double begin = seconds_now();
    const auto normal = A.normal(NormalOptions{.toeplitz = mode}, ctx);
    ctx.synchronize();
    Measurement row{.problem = name,
                    .method = mode == Mode::on ? "normal operator, Toeplitz" : "normal operator, gridding"};
    row.setup_ms = 1e3 * (seconds_now() - begin);
    normal.reserve(ctx);
    row.ms = time_of([&] { normal.apply(x, y, ctx); }, 5, ctx).median;
    sink(row);
  }
  const auto data = moved_to(ctx.device(), noise<float>({coils, k.shape()[0]}, 5));
  const auto solve = [&] {
    const auto model =
        Nufft<float>(k, image, {.tolerance = 1e-3, .batch = coils}, ctx) * CoilMaps<float>(maps.maps());
    conjugate_gradient<float>(model, data, {}, {.iterations = iterations}, ctx);
  };
  sink({.problem = name,
        .method = fmt::format("CG-SENSE, {} iterations", iterations),
        .ms = time_of(solve, 3, ctx).median,
        .note = "plans and point-spread function included"});
  ctx.arena().release();
}

}  // namespace

void sense_problems(Size size, const Sink& sink, Context& ctx) {
  const bool full = size == Size::full, quick = size == Size::quick;
  const Index coils = full ? 32 : 8, spokes = quick ? 64 : 402;
  sense(fmt::format("radial {} x 512, 256^2, {} coils", spokes, coils), radial(spokes, 512), {256, 256},
        coils, 20, sink, ctx);
  const Index n = full ? 256 : quick ? 32 : 64;
  const auto volume = full ? kooshball(40'000, 400) : kooshball(n * n / 2, 2 * n);
  sense(fmt::format("kooshball {} samples, {}^3, 8 coils", volume.shape()[0], n), volume, {n, n, n}, 8, 10,
        sink, ctx);
}

}  // namespace larmor::bench
