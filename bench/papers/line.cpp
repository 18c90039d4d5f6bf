#include <larmor/bench/measure.hpp>
#include <larmor/bench/papers/papers.hpp>
#include <larmor/bench/papers/plain_gaussian.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>

#include <fmt/format.h>

namespace larmor::bench {
namespace {

struct LineProblem {
  Index points, modes;
  double claimed_ms;  // published only for gridding
};

// The published sizes have 5e7 points; smaller ones keep the ratios of modes to points, except for the
// shortest line.
std::vector<LineProblem> problems_of(Size size) {
  if (size == Size::full)
    return {{50'000'000, 4'000, 82}, {50'000'000, 300'000, 0}, {50'000'000, 50'000'000, 1353}};
  const Index points = size == Size::quick ? 200'000 : 5'000'000;
  return {{points, 4'000, 0}, {points, points * 3 / 500, 0}, {points, points, 0}};
}

class Line {
 public:
  Line(const LineProblem& problem, const Sink& sink, Context& ctx)
      : problem_(problem),
        sink_(sink),
        ctx_(ctx),
        name_(fmt::format("{:g} points, {:g} modes", static_cast<double>(problem.points),
                          static_cast<double>(problem.modes))),
        points_(random_points(problem.points, 1, 1)),
        values_({problem.points}),
        list_(chosen(problem.modes, affordable_targets(problem.points, ctx))) {
    SplitMix random(3);
    for (double& value : values_) value = 2 * random.uniform() - 1;
    const auto complex_values = converted<std::complex<double>>(values_.view());
    exact_ = exact_sums(points_, complex_values, pixel_positions(list_, {problem.modes}), +1, ctx);
  }

  void reference() {
    const double begin = seconds_now();
    reference_ = plain_gaussian_gridding(points_, values_, problem_.modes);
    Measurement row{.problem = name_, .method = "plain Gaussian gridding, 1 thread"};
    row.ms = 1e3 * (seconds_now() - begin);
    row.error = bench::difference(list_, reference_, exact_);
    row.note = fmt::format("the reference; errors at {} modes", list_.size());
    sink_(row);
  }

  template <typename T>
  void larmor(const std::string& method, nufft::PlanOptions options, Context& ctx, double claimed_ms = 0) {
    options.forward = false;
    const auto points = copied_to(ctx.device(), points_);
    const auto values = moved_to(ctx.device(), converted<std::complex<T>>(values_.view()));
    // The first plan of a process also computes its kernels.
    nufft::make_plan<T>(points, {problem_.modes}, options, ctx);
    ctx.synchronize();
    const double begin = seconds_now();
    const auto plan = nufft::make_plan<T>(points, {problem_.modes}, options, ctx);
    ctx.synchronize();
    Measurement row{.problem = name_, .method = method};
    row.setup_ms = 1e3 * (seconds_now() - begin);
    ctx.arena().reserve(plan->scratch_bytes(ctx, 1));
    Array<std::complex<T>> modes({problem_.modes}, ctx.device());
    row.ms = time_of([&] { plan->adjoint(values.data(), modes.data(), 1, nullptr, 1, ctx, false); }, 3, ctx)
                 .median;
    row.error = bench::difference(list_, modes, exact_);
    row.difference = difference_from_reference(moved_to(Device::cpu(), std::move(modes)));
    row.claimed_ms = claimed_ms;
    row.note = fmt::format("width {}, oversampling {:.2f}", plan->kernel().width(), plan->oversampling());
    ctx.arena().release();
    sink_(row);
  }

 private:
  template <typename T>
  double difference_from_reference(const Array<std::complex<T>>& modes) const {
    double error = 0, norm = 0;
    for (Index i = 0; i < modes.size(); ++i) {
      error += std::norm(std::complex<double>(modes[i]) - reference_[i]);
      norm += std::norm(reference_[i]);
    }
    return std::sqrt(error / norm);
  }

  LineProblem problem_;
  const Sink& sink_;
  Context& ctx_;
  std::string name_;
  Array<double> points_, values_;
  Array<std::int64_t> list_;
  Array<std::complex<double>> exact_, reference_;
};

}  // namespace

void line_comparisons(Size size, const Sink& sink, Context& ctx) {
  Context host = ctx.host();
  const nufft::PlanOptions options{.tolerance = 6e-6};
  for (const LineProblem& problem : problems_of(size)) {
    ctx.throw_if_cancelled();
    Line line(problem, sink, ctx);
    line.reference();
    nufft::PlanOptions real = options;
    real.real_samples = true;
    line.larmor<double>("CPU, double", options, host);
    line.larmor<double>("CPU, double, half the FFT", real, host);
    line.larmor<float>("CPU, float", options, host);
    line.larmor<float>("CPU, float, half the FFT", real, host);
    if (!ctx.on_gpu()) continue;
    line.larmor<double>("GPU, double", options, ctx, problem.claimed_ms);
    line.larmor<float>("GPU, float", options, ctx, problem.claimed_ms);
  }
}

}  // namespace larmor::bench
