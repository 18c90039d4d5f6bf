#include <larmor/bench/measure.hpp>
#include <larmor/bench/papers/papers.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/type3/nufft3.hpp>

#include <fmt/format.h>

namespace larmor::bench {
namespace {

struct TransformProblem {
  std::string name;
  Shape image;
  Index coils;
  double tolerance;
  double claimed_adjoint_ms = 0;
};

std::string per_point(double ms, Index points, Index coils) {
  return fmt::format("{:.2f} ns a point{}", 1e6 * ms / static_cast<double>(points * coils),
                     coils > 1 ? " and coil" : "");
}

/// Adjoint and forward transform of random data, all coils; errors of the first coil.
void both_directions(const TransformProblem& problem, const Array<double>& k, const Sink& sink,
                     Context& ctx) {
  using C = std::complex<float>;
  const Index samples = k.shape()[0], pixels = problem.image.size(), coils = problem.coils;
  const nufft::PlanOptions options{.tolerance = problem.tolerance, .batch = coils};
  const auto points = copied_to(ctx.device(), k);
  // The first plan of a process also computes its kernels.
  nufft::make_plan<float>(points, problem.image, options, ctx);
  ctx.synchronize();
  const double begin = seconds_now();
  const auto plan = nufft::make_plan<float>(points, problem.image, options, ctx);
  ctx.synchronize();
  const double setup = 1e3 * (seconds_now() - begin);
  ctx.arena().reserve(plan->scratch_bytes(ctx, coils));

  const auto data = noise<float>({coils, samples}, 2), image = noise<float>({coils, pixels}, 3);
  const auto data_there = copied_to(ctx.device(), data), image_there = copied_to(ctx.device(), image);
  Array<C> images({coils, pixels}, ctx.device()), transformed({coils, samples}, ctx.device());
  const auto record = [&](const char* direction, double ms, double claimed, double error) {
    sink({.problem = problem.name,
          .method = direction,
          .ms = ms,
          .setup_ms = setup,
          .error = error,
          .claimed_ms = claimed,
          .note = fmt::format("{}; width {}, oversampling {:.2f}", per_point(ms, samples, coils),
                              plan->kernel().width(), plan->oversampling())});
  };

  const auto some_pixels = chosen(pixels, affordable_targets(samples, ctx));
  const auto samples_in_double = converted<std::complex<double>>(data.view().slice(0));
  const double adjoint =
      time_of([&] { plan->adjoint(data_there.data(), images.data(), coils, nullptr, 1, ctx, false); }, 3, ctx)
          .median;
  record("adjoint (type 1)", adjoint, problem.claimed_adjoint_ms,
         difference(some_pixels, images,
                    exact_sums(k, samples_in_double, pixel_positions(some_pixels, problem.image), +1, ctx)));

  const auto some_samples = chosen(samples, affordable_targets(pixels, ctx));
  const auto every_pixel = pixel_positions(chosen(pixels, pixels), problem.image);
  const auto image_in_double = converted<std::complex<double>>(image.view().slice(0));
  const double forward =
      time_of([&] { plan->forward(image_there.data(), transformed.data(), coils, nullptr, 1, ctx, false); },
              3, ctx)
          .median;
  record("forward (type 2)", forward, 0,
         difference(some_samples, transformed,
                    exact_sums(every_pixel, image_in_double, rows_of(k, some_samples), -1, ctx)));
  ctx.arena().release();
}

template <typename T>
void type3(Index points, Index frequencies, double extent, double tolerance, const Sink& sink, Context& ctx) {
  auto x = random_points(points, 2, 1), k = random_points(frequencies, 2, extent, 8);
  for (double& value : x) value -= 0.5;
  for (double& value : k) value -= 0.5 * extent;
  const auto x_there = copied_to(ctx.device(), x), k_there = copied_to(ctx.device(), k);
  const Nufft3Options options{.tolerance = tolerance, .adjoint = false};
  const double setup = time_of([&] { Nufft3<T>(x_there, k_there, options, ctx); }, 3, ctx).median;
  const Nufft3<T> nufft(x_there, k_there, options, ctx);
  const auto values = noise<T>({points}, 2);
  const auto values_there = copied_to(ctx.device(), values);
  Array<std::complex<T>> found({frequencies}, ctx.device());
  nufft.reserve(ctx);
  const double ms = time_of([&] { nufft.apply(values_there, found, ctx); }, 5, ctx).median;
  const auto list = chosen(frequencies, affordable_targets(points, ctx));
  const auto in_double = converted<std::complex<double>>(values.view());
  sink({.problem = fmt::format("{} points to {} frequencies, 2D, {:g}", points, frequencies, tolerance),
        .method = sizeof(T) == 4 ? "type 3, float" : "type 3, double",
        .ms = ms,
        .setup_ms = setup,
        .error = difference(list, found, exact_sums(x, in_double, rows_of(k, list), -1, ctx)),
        .note = fmt::format("width {}", nufft.kernel_width())});
  ctx.arena().release();
}

}  // namespace

void random_transforms(Size size, const Sink& sink, Context& ctx) {
  // As many points as cells of a grid twice as fine, uniform or all within 8 cells along each axis.
  const Index n = size == Size::quick ? 32 : size == Size::normal ? 64 : 256;
  struct Claim {
    double tolerance, at_32, at_256;  // type 1 of random points, milliseconds
  };
  for (const Claim& claim : {Claim{1e-2, 0.5, 180}, Claim{1e-5, 2.8, 870}})
    for (const bool clustered : {false, true}) {
      ctx.throw_if_cancelled();
      const double extent = clustered ? 8 / static_cast<double>(2 * n) : 1;
      const auto k = random_points(8 * n * n * n, 3, extent);
      const double claimed = clustered ? 0 : n == 32 ? claim.at_32 : n == 256 ? claim.at_256 : 0;
      both_directions({fmt::format("{} points {}, {}^3 pixels, {:g}", k.shape()[0],
                                   clustered ? "in 8^3 cells" : "at random", n, claim.tolerance),
                       {n, n, n},
                       1,
                       claim.tolerance,
                       claimed},
                      k, sink, ctx);
    }
}

void type3_transforms(Size size, const Sink& sink, Context& ctx) {
  const Index many = size == Size::quick ? Index{1} << 14 : size == Size::normal ? Index{1} << 18 : 1 << 20;
  const auto few = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(many))));
  // The product of the extents of frequencies and points, in cells, equals the number of points.
  const auto extent = static_cast<double>(few);
  type3<float>(many, many, extent, 1e-5, sink, ctx);
  type3<float>(many, few, extent, 1e-5, sink, ctx);
  ctx.throw_if_cancelled();
  type3<double>(many, many, extent, 1e-10, sink, ctx);
}

void trajectory_transforms(Size size, const Sink& sink, Context& ctx) {
  const bool full = size == Size::full, quick = size == Size::quick;
  const Index spokes = quick ? 64 : 402;
  const auto plane = radial(spokes, 512);
  for (const double tolerance : {1e-3, 1e-4}) {
    ctx.throw_if_cancelled();
    const Index coils = full ? 32 : 8;
    both_directions({fmt::format("radial {} x 512, 256^2, {} coils, {:g}", spokes, coils, tolerance),
                     {256, 256},
                     coils,
                     tolerance},
                    plane, sink, ctx);
  }
  const Index n = full ? 256 : quick ? 32 : 96;
  const auto volume = full ? kooshball(40'000, 400) : kooshball(n * n / 2, 2 * n);
  both_directions(
      {fmt::format("kooshball {} samples, {}^3, 8 coils, 0.001", volume.shape()[0], n), {n, n, n}, 8, 1e-3},
      volume, sink, ctx);
}

}  // namespace larmor::bench
