// Execution times of planned transforms and normal operators on a CUDA device, with the achieved errors.
//     bench_device [--rows TEXT] [--json FILE] [--sweep] [--repeats N] [--tolerance-factor F]
// --rows: only rows whose name contains TEXT; --sweep: every oversampling, for the cost model.
#include "device_rows.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/cuda/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/transform.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <fmt/format.h>

namespace {

using namespace larmor;
using bench::noise;
using bench::seconds_now;
using bench::time_of;
using bench::Times;

struct Settings : bench::DeviceSettings {
  bool sweep = false;
  double factor = 1;
};

enum class Points { radial, spiral, kooshball, random, clustered };

struct Row {
  std::string name;
  Points points;
  Index spokes, length;  // number of samples of random points, with 1
  Shape image;
  Index coils;
  double tolerance, adjoint_target, forward_target;  // milliseconds; 0: none
  double adjoint_peer, forward_peer, error_allowed;
  bool sort_counts = false;
};

class Bench {
 public:
  Bench(Settings settings, Context& ctx) : settings_(std::move(settings)), ctx_(ctx) {}

  template <typename T>
  void transform(const Row& problem) {
    if (!settings_.wants(problem.name)) return;
    const auto& k = trajectory(problem);
    if (!settings_.sweep) return transform_once<T>(problem, k, 0);
    for (double oversampling = 1.25; oversampling < 2.01; oversampling += 0.125)
      transform_once<T>(problem, k, oversampling);
  }

  template <typename T>
  void normal_operator(const std::string& name, Array<double> points, const Shape& image, Index coils,
                       double target, double peer) {
    if (!settings_.wants(name)) return;
    const auto k = moved_to(ctx_.device(), std::move(points));
    const CoilMaps<T> maps(moved_to(ctx_.device(), noise<T>(image.prepend(coils))));
    const auto A = Nufft<T>(k, image, {.tolerance = 1e-3, .batch = coils}, ctx_) * maps;
    ctx_.synchronize();
    const double begin = seconds_now();
    const auto normal = A.normal(NormalOptions{.toeplitz = NormalOptions::Toeplitz::on}, ctx_);
    ctx_.synchronize();
    const double setup = 1e3 * (seconds_now() - begin);
    const auto x = moved_to(ctx_.device(), noise<T>(image, 3));
    Array<std::complex<T>> y(image, ctx_.device());
    const Times times = time_of([&] { normal.apply(x, y, ctx_); }, settings_.repeats, ctx_);
    // Compared with the transform and its inverse at a tighter tolerance, which stand in for exact sums.
    const auto exact = Nufft<T>(k, image, {.tolerance = 1e-5, .batch = coils}, ctx_) * maps;
    auto expected = exact.adjoint(exact.apply(x, ctx_), ctx_);
    axpy<T>(-1, y, expected, ctx_);
    const double error = std::sqrt(squared_norm<T>(expected, ctx_) / squared_norm<T>(y, ctx_));
    record({{"problem", name},
            {"direction", "normal"},
            {"ms", times.median},
            {"least_ms", times.least},
            {"target_ms", target},
            {"peer_ms", peer},
            {"error", error},
            {"setup_ms", setup}});
  }

  void sense(const Row& problem, Index iterations, double target, double peer) {
    if (!settings_.wants(problem.name)) return;
    const auto k = moved_to(ctx_.device(), clone(trajectory(problem)));
    const auto maps = moved_to(ctx_.device(), noise<float>(problem.image.prepend(problem.coils)));
    const auto y = moved_to(ctx_.device(), noise<float>({problem.coils, k.shape()[0]}, 5));
    double first = 0, gradient = 0;
    const auto solve = [&] {
      const auto A =
          Nufft<float>(k, problem.image, {.tolerance = problem.tolerance, .batch = problem.coils}, ctx_) *
          CoilMaps<float>(maps.view());
      const auto result = conjugate_gradient<float>(A, y, {}, {.iterations = iterations}, ctx_);
      gradient = result.history.back().gradient;
    };
    double begin = seconds_now();
    solve();
    ctx_.synchronize();
    first = 1e3 * (seconds_now() - begin);
    begin = seconds_now();
    const auto there = copied_to(ctx_.device(), copied_to(Device::cpu(), y));
    ctx_.synchronize();
    const double copies = 1e3 * (seconds_now() - begin);
    const Times times = time_of(solve, settings_.repeats, ctx_);
    record({{"problem", problem.name},
            {"direction", "solve"},
            {"ms", times.median},
            {"least_ms", times.least},
            {"target_ms", target},
            {"peer_ms", peer},
            {"first_run_ms", first},
            {"copy_there_and_back_ms", copies},
            {"gradient", gradient}});
  }

  void write() const { table_.write(settings_, ctx_); }

 private:
  const Array<double>& trajectory(const Row& p) {
    const std::string key = fmt::format("{} {} {}", static_cast<int>(p.points), p.spokes, p.length);
    if (key == trajectory_key_) return trajectory_;
    trajectory_key_ = key;
    switch (p.points) {
      case Points::radial:
        trajectory_ = bench::radial(p.spokes, p.length);
        break;
      case Points::spiral:
        trajectory_ = bench::spiral(p.spokes, p.length, p.image[0]);
        break;
      case Points::kooshball:
        trajectory_ = bench::kooshball(p.spokes, p.length);
        break;
      case Points::random:
        trajectory_ = bench::random_points(p.spokes, p.image.rank(), 1);
        break;
      case Points::clustered:  // 8 cells of a grid of twice the image
        trajectory_ = bench::random_points(p.spokes, p.image.rank(), 4.0 / static_cast<double>(p.image[0]));
    }
    return trajectory_;
  }

  template <typename T>
  void transform_once(const Row& problem, View<const double> k, double oversampling) {
    using C = std::complex<T>;
    const Index samples = k.shape()[0], coils = problem.coils, pixels = problem.image.size();
    const auto there = copied_to(ctx_.device(), k);
    nufft::PlanOptions options;
    options.tolerance = settings_.factor * problem.tolerance;
    options.oversampling = oversampling;
    options.batch = coils;
    std::shared_ptr<const nufft::Plan<T>> plan;
    try {
      plan = nufft::make_plan<T>(there, problem.image, options, ctx_);
    } catch (const Error& error) {
      fmt::print("{}: oversampling {}: {}\n", problem.name, oversampling, error.what());
      return;
    }
    const auto setup_of = [&](bool forward, bool adjoint) {
      auto one_way = options;
      one_way.forward = forward;
      one_way.adjoint = adjoint;
      return time_of([&] { nufft::make_plan<T>(there, problem.image, one_way, ctx_); }, 5, ctx_).median;
    };
    const double setup = setup_of(true, true), adjoint_setup = setup_of(false, true),
                 forward_setup = setup_of(true, false);
    // The public function, with each type's default sign.
    const auto set_points_of = [&](TransformType type) {
      Transform<T> transform(type, problem.image, {.tolerance = options.tolerance, .batch = coils});
      return time_of([&] { transform.set_points(there, ctx_); }, 5, ctx_).median;
    };
    const double type1 = set_points_of(TransformType::points_to_modes),
                 type2 = set_points_of(TransformType::modes_to_points);
    ctx_.arena().release();
    ctx_.arena().reserve(plan->scratch_bytes(ctx_, coils));
    const auto images = moved_to(ctx_.device(), noise<T>({coils, pixels}, 2));
    const auto data = moved_to(ctx_.device(), noise<T>({coils, samples}, 3));
    Array<C> transformed({coils, samples}, ctx_.device()), back({coils, pixels}, ctx_.device());
    const nlohmann::json common{{"problem", problem.name},
                                {"tolerance", options.tolerance},
                                {"precision", sizeof(T) == 4 ? "float" : "double"},
                                {"coils", coils},
                                {"oversampling", plan->oversampling()},
                                {"width", plan->kernel().width()},
                                {"setup_ms", setup},
                                {"error_allowed", problem.error_allowed}};
    const auto add = [&](const char* direction, Times times, double one_way_setup, double set_points,
                         double target, double peer, double error) {
      nlohmann::json row = common;
      row["set_points_ms"] = set_points;
      row["one_way_setup_ms"] = one_way_setup;
      if (problem.sort_counts && target > 0) {  // published times with a target include sorting
        row["execute_ms"] = times.median;
        times.median += one_way_setup;
      }
      row.update({{"direction", direction},
                  {"ms", times.median},
                  {"least_ms", times.least},
                  {"target_ms", target},
                  {"peer_ms", peer},
                  {"error", error}});
      record(row);
    };
    const Times adjoint =
        time_of([&] { plan->adjoint(data.data(), back.data(), coils, nullptr, 1, ctx_, false); },
                settings_.repeats, ctx_);
    add("adjoint", adjoint, adjoint_setup, type1, problem.adjoint_target, problem.adjoint_peer,
        adjoint_error<T>(there, problem, data, back));
    const Times forward =
        time_of([&] { plan->forward(images.data(), transformed.data(), coils, nullptr, 1, ctx_, false); },
                settings_.repeats, ctx_);
    add("forward", forward, forward_setup, type2, problem.forward_target, problem.forward_peer,
        forward_error<T>(there, problem, images, transformed));
    ctx_.arena().release();
  }

  // Exact sums of the first coil at the chosen pixels or samples.
  template <typename T, typename Sums>
  double error_of(View<const double> k, const Row& p, Index n, const Array<std::complex<T>>& found,
                  const Sums& sums) {
    namespace device = nufft::cuda;
    const auto list = bench::chosen(n), list_there = copied_to(ctx_.device(), list);
    device::ExactTransform transform{p.image.rank(), {1, 1, 1}, k.shape()[0], k.data(), nullptr};
    for (int a = 0; a < p.image.rank(); ++a) transform.image[a] = p.image[p.image.rank() - 1 - a];
    Array<std::complex<T>> exact(list.shape(), ctx_.device());
    Array<std::byte> work({static_cast<Index>(device::nudft_scratch_bytes(list.size(), 1))}, ctx_.device());
    sums(transform, list_there.data(), list.size(), exact.data(), work.data());
    return bench::difference(list, found, copied_to(Device::cpu(), exact));
  }
  template <typename T>
  double adjoint_error(View<const double> k, const Row& p, const Array<std::complex<T>>& data,
                       const Array<std::complex<T>>& back) {
    return error_of<T>(k, p, p.image.size(), back,
                       [&](const auto& transform, const auto* list, Index count, auto* out, void* work) {
                         nufft::cuda::nudft_adjoint<T>(transform, data.data(), 1, list, count, out, work,
                                                       ctx_.stream());
                       });
  }
  template <typename T>
  double forward_error(View<const double> k, const Row& p, const Array<std::complex<T>>& images,
                       const Array<std::complex<T>>& transformed) {
    return error_of<T>(k, p, k.shape()[0], transformed,
                       [&](const auto& transform, const auto* list, Index count, auto* out, void* work) {
                         nufft::cuda::nudft_forward<T>(transform, images.data(), 1, list, count, out, work,
                                                       ctx_.stream());
                       });
  }

  void record(const nlohmann::json& row) { table_.record(row); }

  Settings settings_;
  Context& ctx_;
  bench::DeviceTable table_;
  Array<double> trajectory_;
  std::string trajectory_key_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Benchmarks on a CUDA device");
  settings.add_to(app);
  app.add_option("--tolerance-factor", settings.factor, "multiplies every row's tolerance");
  app.add_flag("--sweep", settings.sweep, "every oversampling");
  CLI11_PARSE(app, argc, argv);
  try {
    Context ctx(Device::cuda(0), {.deterministic = true});
    Bench bench(settings, ctx);
    // Tolerances that reach the allowed errors for these points; the table shows the measured errors.
    const Shape plane{256, 256}, cube{256, 256, 256}, small{128, 128, 128}, large{384, 384, 384};
    const auto radial = [&](const char* name, double tolerance, double adjoint, double forward,
                            double adjoint_peer, double forward_peer, double error) {
      return Row{name,      Points::radial, 402,     512,          plane,        32,
                 tolerance, adjoint,        forward, adjoint_peer, forward_peer, error};
    };
    const auto koosh = [&](const char* name, Index coils, double tolerance, double adjoint, double forward,
                           double adjoint_peer, double forward_peer, double error) {
      return Row{name,      Points::kooshball, 40000,   400,          cube,         coils,
                 tolerance, adjoint,           forward, adjoint_peer, forward_peer, error};
    };
    bench.transform<float>(radial("radial 2D 32 coils 2e-3", 3.4e-3, 0.30, 0.20, 1.42, 0.57, 1.9e-3));
    bench.transform<float>(radial("radial 2D 32 coils 1e-4", 1.7e-4, 0.45, 0.25, 2.07, 0.63, 1e-4));
    bench.transform<float>(koosh("kooshball 3D 8 coils 2e-3", 8, 3.7e-3, 16, 12, 56.9, 29.4, 2.3e-3));
    bench.transform<float>(koosh("kooshball 3D 8 coils 1e-4", 8, 1.85e-4, 24, 18, 72.3, 38.7, 1.2e-4));
    bench.transform<double>(koosh("kooshball 3D double 2e-9", 1, 2.4e-9, 25, 15, 46.2, 31.5, 2.4e-9));
    bench.transform<double>(koosh("kooshball 3D double 1e-12", 1, 1.5e-12, 70, 0, 127, 110, 1e-12));
    bench.transform<float>(
        {"random 3D 1e-2", Points::random, 134000000, 1, cube, 1, 1.72e-2, 18, 0, 41.9, 22.6, 1.1e-2});
    bench.transform<float>(
        {"random 3D 1e-5", Points::random, 134000000, 1, cube, 1, 2.1e-5, 45, 0, 77.5, 40.4, 1.5e-5});
    bench.transform<float>({"clustered 3D 1e-2", Points::clustered, 16800000, 1, small, 1, 2.05e-2, 5, 0, 12,
                            1.2, 1.3e-2, true});
    bench.transform<float>({"clustered 3D 1e-5", Points::clustered, 16800000, 1, small, 1, 2.1e-5, 10, 0, 22,
                            4.5, 1.5e-5, true});
    bench.transform<float>(
        {"class small 2D 4 coils 1e-3", Points::radial, 128, 256, {128, 128}, 4, 1e-3, 0, 0, 0, 0, 1e-3});
    bench.transform<double>(
        {"class 2D double 1e-9", Points::random, 10000000, 1, {1000, 1000}, 1, 1e-9, 0, 0, 0, 0, 1e-9});
    bench.transform<double>(
        {"class 1D double 1e-9", Points::random, 20000000, 1, {2000000}, 1, 1e-9, 0, 0, 0, 0, 1e-9});
    bench.transform<float>(
        {"class 3D 384 2 coils 1e-3", Points::kooshball, 60000, 768, large, 2, 1e-3, 0, 0, 0, 0, 1e-3});
    // Sizes near those of the published problems.
    bench.transform<double>(
        {"near 2D double 1e-7", Points::random, 6000000, 1, {720, 900}, 1, 1e-7, 0, 0, 0, 0, 1e-7});
    bench.transform<double>(
        {"near 2D double 1e-12", Points::random, 10000000, 1, {1000, 1000}, 1, 1e-12, 0, 0, 0, 0, 1e-12});
    bench.transform<double>(
        {"near 1D double 1e-6", Points::random, 12000000, 1, {1500000}, 1, 1e-6, 0, 0, 0, 0, 1e-6});
    bench.transform<double>(
        {"near 1D double 1e-12", Points::random, 30000000, 1, {2500000}, 1, 1e-12, 0, 0, 0, 0, 1e-12});
    bench.transform<float>(
        {"near small 2D 1 coil 1e-3", Points::radial, 100, 200, {100, 100}, 1, 1e-3, 0, 0, 0, 0, 1e-3});
    bench.transform<float>(
        {"near small 2D 8 coils 1e-3", Points::radial, 200, 300, {150, 150}, 8, 1e-3, 0, 0, 0, 0, 1e-3});
    bench.transform<float>({"near 3D 320 2 coils 1e-4",
                            Points::kooshball,
                            50000,
                            640,
                            {320, 320, 320},
                            2,
                            1e-4,
                            0,
                            0,
                            0,
                            0,
                            1e-4});
    bench.transform<float>(
        {"near 2D 1 coil 1e-4", Points::random, 10000000, 1, {1000, 1000}, 1, 1e-4, 0, 0, 0, 0, 1e-4});
    bench.transform<float>(
        {"near 2D 1 coil 512", Points::random, 4000000, 1, {512, 512}, 1, 1e-4, 0, 0, 0, 0, 1e-4});
    bench.transform<float>(
        {"near spiral 2D 1 coil", Points::spiral, 16, 8192, {192, 192}, 1, 1e-4, 0, 0, 0, 0, 1e-4});
    bench.normal_operator<float>("SENSE normal 3D 256 8 coils", bench::random_points(200000, 3, 1), cube, 8,
                                 12, 71.9);
    bench.normal_operator<float>("SENSE normal 2D 256 32 coils", bench::random_points(200000, 2, 1), plane,
                                 32, 0.15, 0.75);
    bench.normal_operator<float>("SENSE normal stack 192 x 64 8 coils", bench::stack_points(40000, 64),
                                 {64, 192, 192}, 8, 0, 0);
    bench.sense(radial("CG-SENSE 2D 20 iterations", 4e-3, 0, 0, 0, 0, 0), 20, 5, 84);
    bench.sense(koosh("CG-SENSE 3D 10 iterations", 8, 4e-3, 0, 0, 0, 0, 0), 10, 250, 3723);
    bench.write();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_device: {}\n", error.what());
    return 1;
  }
  return 0;
}
