// Type 3 and one dimension at scale on a CUDA device: execution, set-up, achieved errors.
//   bench_points [--rows TEXT] [--json FILE] [--repeats N]
// --rows: only rows whose name contains TEXT, as "type3_2d_2^20" or "1d_5e7_4e3".
#include "device_rows.hpp"

#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/cuda/nudft.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/spread/cuda/gridding.hpp>
#include <larmor/operators/nufft/type3/nufft3.hpp>

#include <fmt/format.h>

#include <tuple>

namespace {

using namespace larmor;
using bench::noise;
using bench::time_of;
using bench::Times;

struct Type3Row {
  std::string name;
  Index points, frequencies;
  double extent;  // extent of the frequencies; points are within one
  double tolerance, target, peer, setup_target, setup_peer;
};

struct LineRow {
  std::string name;
  Index points, modes;
  double tolerance, target, peer, sort_peer, error_allowed;
};

using Settings = bench::DeviceSettings;

class Bench {
 public:
  Bench(Settings settings, Context& ctx) : settings_(std::move(settings)), ctx_(ctx) {}

  template <typename T>
  void type3(const Type3Row& p) {
    if (!settings_.wants(p.name)) return;
    auto x = bench::random_points(p.points, 2, 1), k = bench::random_points(p.frequencies, 2, p.extent, 8);
    for (double& value : x) value -= 0.5;
    for (double& value : k) value -= 0.5 * p.extent;
    const auto x_there = copied_to(ctx_.device(), x), k_there = copied_to(ctx_.device(), k);
    Nufft3Options options{.tolerance = p.tolerance};
    const auto setup_of = [&](bool forward, bool adjoint) {
      auto some = options;
      some.forward = forward;
      some.adjoint = adjoint;
      return time_of([&] { Nufft3<T>(x_there, k_there, some, ctx_); }, settings_.repeats, ctx_).median;
    };
    const double setup = setup_of(true, true), forward_setup = setup_of(true, false),
                 adjoint_setup = setup_of(false, true);
    const Nufft3<T> nufft(x_there, k_there, options, ctx_);
    const auto c = noise<T>({p.points}, 2), y = noise<T>({p.frequencies}, 3);
    const auto c_there = copied_to(ctx_.device(), c), y_there = copied_to(ctx_.device(), y);
    Array<std::complex<T>> forward({p.frequencies}, ctx_.device()), adjoint({p.points}, ctx_.device());
    const auto add = [&](const char* direction, const Times& times, double one_way, bool compared,
                         double error) {
      table_.record({{"problem", p.name},
                     {"direction", direction},
                     {"precision", sizeof(T) == 4 ? "float" : "double"},
                     {"tolerance", p.tolerance},
                     {"ms", times.median},
                     {"least_ms", times.least},
                     {"target_ms", compared ? p.target : 0},
                     {"peer_ms", compared ? p.peer : 0},
                     {"error", error},
                     {"error_allowed", p.tolerance},
                     {"width", nufft.kernel_width()},
                     {"oversampling", nufft.oversampling()},
                     {"setup_ms", setup},
                     {"one_way_setup_ms", one_way},
                     {"setup_target_ms", compared ? p.setup_target : 0},
                     {"setup_peer_ms", compared ? p.setup_peer : 0}});
    };
    const Times there = time_of([&] { nufft.apply(c_there, forward, ctx_); }, settings_.repeats, ctx_);
    add("forward", there, forward_setup, true, points_error<T>(x, k, c, -1, forward));
    const Times back = time_of([&] { nufft.adjoint(y_there, adjoint, ctx_); }, settings_.repeats, ctx_);
    add("adjoint", back, adjoint_setup, false, points_error<T>(k, x, y, +1, adjoint));
  }

  // From modes to points: plans for this direction only, and sorted by cells for comparison.
  template <typename T>
  void line_forward(const LineRow& p) {
    nufft::PlanOptions options;
    options.tolerance = p.tolerance;
    options.adjoint = false;
    const Shape image{p.modes};
    const double setup =
        time_of([&] { nufft::make_plan<T>(trajectory_, image, options, ctx_); }, 3, ctx_).median;
    const auto plan = nufft::make_plan<T>(trajectory_, image, options, ctx_);
    const auto modes = moved_to(ctx_.device(), noise<T>({p.modes}, 3));
    ctx_.arena().release();
    ctx_.arena().reserve(plan->scratch_bytes(ctx_, 1));
    Array<std::complex<T>> samples({p.points}, ctx_.device());
    const Times times =
        time_of([&] { plan->forward(modes.data(), samples.data(), 1, nullptr, 1, ctx_, false); },
                settings_.repeats, ctx_);
    table_.record({{"problem", p.name},
                   {"direction", "forward"},
                   {"precision", sizeof(T) == 4 ? "float" : "double"},
                   {"tolerance", p.tolerance},
                   {"ms", times.median},
                   {"least_ms", times.least},
                   {"target_ms", 0},
                   {"peer_ms", 0},
                   {"error", samples_error<T>(p, modes, samples)},
                   {"error_allowed", p.error_allowed},
                   {"width", plan->kernel().width()},
                   {"oversampling", plan->oversampling()},
                   {"setup_ms", setup}});
    ctx_.arena().release();
  }

  template <typename T>
  void line(const LineRow& p) {
    if (!settings_.wants(p.name)) return;
    set_points(p.points);
    line_forward<T>(p);
    nufft::PlanOptions options;
    options.tolerance = p.tolerance;
    options.forward = false;
    const Shape image{p.modes};
    const double setup =
        time_of([&] { nufft::make_plan<T>(trajectory_, image, options, ctx_); }, 3, ctx_).median;
    const auto plan = nufft::make_plan<T>(trajectory_, image, options, ctx_);
    // Sorting and spreading only, on the plan's grid.
    const auto kernel = nufft::fitted_kernel<T>(plan->kernel().width(), plan->oversampling());
    const auto cells = static_cast<Index>(std::llround(plan->oversampling() * static_cast<double>(p.modes)));
    const auto data = moved_to(ctx_.device(), converted<std::complex<T>>(data_.view()));
    nufft::CudaGriddingOptions adjoint;
    adjoint.interpolate = false;
    const auto [sort, spread] = sort_and_spread<T>(cells, kernel, adjoint, data);
    ctx_.arena().release();
    ctx_.arena().reserve(plan->scratch_bytes(ctx_, 1));
    Array<std::complex<T>> modes({p.modes}, ctx_.device());
    const Times times = time_of([&] { plan->adjoint(data.data(), modes.data(), 1, nullptr, 1, ctx_, false); },
                                settings_.repeats, ctx_);
    table_.record({{"problem", p.name},
                   {"direction", "adjoint"},
                   {"precision", sizeof(T) == 4 ? "float" : "double"},
                   {"tolerance", p.tolerance},
                   {"ms", times.median},
                   {"least_ms", times.least},
                   {"target_ms", p.target},
                   {"peer_ms", p.peer},
                   {"error", modes_error<T>(p, data, modes)},
                   {"error_allowed", p.error_allowed},
                   {"width", plan->kernel().width()},
                   {"oversampling", plan->oversampling()},
                   {"setup_ms", setup},
                   {"sort_ms", sort},
                   {"spread_ms", spread},
                   {"sort_peer_ms", p.sort_peer}});
    ctx_.arena().release();
  }

  void write() const { table_.write(settings_, ctx_); }

 private:
  // In milliseconds.
  template <typename T>
  std::pair<double, double> sort_and_spread(Index cells, std::shared_ptr<const nufft::FittedKernel<T>> kernel,
                                            const nufft::CudaGriddingOptions& options,
                                            const Array<std::complex<T>>& data) {
    ctx_.arena().release();
    const auto make = [&] {
      return nufft::CudaGridding<T>(trajectory_, {cells, 1, 1}, kernel, options, ctx_);
    };
    const double sort = time_of([&] { make(); }, settings_.repeats, ctx_).median;
    const auto gridding = make();
    const nufft::Coils coils{1, 1};
    ctx_.arena().reserve(gridding.scratch_bytes(ctx_, coils));
    Array<std::complex<T>> grid({cells}, ctx_.device());
    const double spread = time_of([&] { gridding.spread(data.data(), nullptr, grid.data(), coils, ctx_); },
                                  settings_.repeats, ctx_)
                              .median;
    ctx_.arena().release();
    return {sort, spread};
  }

  // Points and data of the one-dimensional rows, made once.
  void set_points(Index count) {
    if (trajectory_.size() == count) return;
    trajectory_ = copied_to(ctx_.device(), bench::random_points(count, 1, 1));
    data_ = noise<double>({count}, 3);
  }

  // Σ_i c_i exp(sign · 2πi to_j·from_i) at a thousand targets.
  template <typename T>
  double points_error(View<const double> from, View<const double> to, const Array<std::complex<T>>& c,
                      double sign, const Array<std::complex<T>>& found) const {
    const auto list = bench::chosen(to.shape()[0], 1024);
    Array<std::complex<double>> exact(list.shape());
    parallel_for(host_, list.size(), 8, [&](Index begin, Index end, int) {
      for (Index t = begin; t < end; ++t) {
        const double kx = to[2 * list[t]], ky = to[2 * list[t] + 1];
        std::complex<double> sum = 0;
        for (Index i = 0; i < c.size(); ++i) {
          const double x = kx * from[2 * i], y = ky * from[2 * i + 1];
          const double turns = (x - std::rint(x)) + (y - std::rint(y));
          sum += std::complex<double>(c[i]) * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
        }
        exact[t] = sum;
      }
    });
    return bench::difference(list, found, exact);
  }

  template <typename T>
  double modes_error(const LineRow& p, const Array<std::complex<T>>& data,
                     const Array<std::complex<T>>& found) const {
    namespace device = nufft::cuda;
    const auto list = bench::chosen(p.modes, 1024), list_there = copied_to(ctx_.device(), list);
    const device::ExactTransform transform{1, {p.modes, 1, 1}, p.points, trajectory_.data(), nullptr};
    // In double precision, for data of either precision.
    const auto in =
        moved_to(ctx_.device(), converted<std::complex<double>>(copied_to(Device::cpu(), data).view()));
    Array<std::complex<double>> exact(list.shape(), ctx_.device());
    Array<std::byte> work({static_cast<Index>(device::nudft_scratch_bytes(list.size(), 1))}, ctx_.device());
    device::nudft_adjoint<double>(transform, in.data(), 1, list_there.data(), list.size(), exact.data(),
                                  work.data(), ctx_.stream());
    return bench::difference(list, found, copied_to(Device::cpu(), exact));
  }

  template <typename T>
  double samples_error(const LineRow& p, const Array<std::complex<T>>& modes,
                       const Array<std::complex<T>>& found) const {
    namespace device = nufft::cuda;
    const auto list = bench::chosen(p.points, 256), list_there = copied_to(ctx_.device(), list);
    const device::ExactTransform transform{1, {p.modes, 1, 1}, p.points, trajectory_.data(), nullptr};
    const auto in =
        moved_to(ctx_.device(), converted<std::complex<double>>(copied_to(Device::cpu(), modes).view()));
    Array<std::complex<double>> exact(list.shape(), ctx_.device());
    Array<std::byte> work({static_cast<Index>(device::nudft_scratch_bytes(list.size(), 1))}, ctx_.device());
    device::nudft_forward<double>(transform, in.data(), 1, list_there.data(), list.size(), exact.data(),
                                  work.data(), ctx_.stream());
    return bench::difference(list, found, copied_to(Device::cpu(), exact));
  }

  Settings settings_;
  Context& ctx_;
  mutable Context host_ = ctx_.host();
  bench::DeviceTable table_;
  Array<double> trajectory_;
  Array<std::complex<double>> data_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Type 3 and one dimension at scale on a CUDA device");
  settings.add_to(app);
  CLI11_PARSE(app, argc, argv);
  try {
    Context ctx(Device::cuda(0), {.deterministic = true});
    Bench bench(settings, ctx);
    constexpr Index many = 1 << 20, few = 1 << 10, points = 50'000'000;
    bench.type3<float>({"type3_2d_2^20", many, many, 1024, 1e-5, 0.8, 1.05, 1.5, 2.4});
    bench.type3<float>({"type3_2d_2^10", many, few, 1024, 1e-5, 0.5, 0.92, 1.0, 1.6});
    bench.line<double>({"1d_5e7_5e7_double", points, points, 3e-5, 6, 9.5, 2.3, 6.8e-6});
    bench.line<double>({"1d_5e7_3e5_double", points, 300'000, 3e-5, 1.2, 3.4, 8.0, 6.8e-6});
    bench.line<double>({"1d_5e7_4e3_double", points, 4'000, 3e-5, 0.8, 3.5, 9.3, 6.8e-6});
    bench.line<float>({"1d_5e7_5e7_float", points, points, 3e-5, 4, 0, 2.3, 1e-5});
    bench.line<float>({"1d_5e7_3e5_float", points, 300'000, 3e-5, 0.8, 0, 8.0, 1e-5});
    bench.line<float>({"1d_5e7_4e3_float", points, 4'000, 3e-5, 0.6, 0, 9.3, 1e-5});
    // Sizes near those of the published problem.
    for (const auto& [name, count, modes] : {std::tuple{"1e6_1e3", 1'000'000, 1'000},
                                             {"5e6_4e3", 5'000'000, 4'000},
                                             {"5e6_5e5", 5'000'000, 500'000},
                                             {"5e7_1e5", 50'000'000, 100'000},
                                             {"5e7_1e6", 50'000'000, 1'000'000},
                                             {"5e7_4e6", 50'000'000, 4'000'000}}) {
      bench.line<double>({fmt::format("1d_{}_double", name), count, modes, 3e-5, 0, 0, 0, 1e-5});
      bench.line<float>({fmt::format("1d_{}_float", name), count, modes, 3e-5, 0, 0, 0, 1e-5});
    }
    bench.write();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_points: {}\n", error.what());
    return 1;
  }
  return 0;
}
