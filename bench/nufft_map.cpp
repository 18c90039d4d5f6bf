// The method that a plan chooses compared with all others in the library, for random classes of transforms:
// dimensions, modes, points, coils, precision, tolerance, pattern of the points, direction.
//     nufft_map [--device cpu|cuda] [--scans] [--cells N] [--seed N] [--seconds S] [--json FILE]
//               [--ways FILE]
// A method is a grid with the kernel width that reaches the tolerance on it, a number of lanes, and a
// gridding method. --scans: only transforms of the size of scans, in two and three dimensions. --ways: times
// of all methods, one JSON line each, for fitting a cost model.
#include "measure.hpp"
#include "problems.hpp"

#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/grid/grid_transform.hpp>
#include <larmor/operators/nufft/matrix/matrix_interpolator.hpp>
#include <larmor/operators/nufft/plan/cost_model.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/spread/cuda/gridding.hpp>
#include <larmor/operators/nufft/spread/gridding.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <ctime>
#include <fstream>
#include <optional>

namespace {

using namespace larmor;
using bench::seconds_now;
using nufft::cuda::Way;

struct Settings {
  std::string device = "cpu", json, ways, commit;
  int cells = 450, threads = 0, seed = 51;
  double seconds = 360;
  bool scans = false;
};

struct Class {
  int dims;
  Index points, coils;
  Shape image;
  bool is_double;
  double tolerance;
  std::string pattern;
};

// Limits of points, values of the points and pixels of all coils, and cells of a grid.
struct Limits {
  double points, values, pixels, grid;
};
constexpr Limits of_gpu{3.2e7, 6.4e7, 1e8, 8e8}, of_cpu{3e6, 6e6, 4e6, 3e7};

template <typename V>
V one_of(bench::SplitMix& random, std::initializer_list<V> list) {
  return list.begin()[static_cast<std::size_t>(random.uniform() * static_cast<double>(list.size()))];
}

// Sizes are not round numbers, for which the library may have been optimised.
Class drawn(bench::SplitMix& random, int number, const Limits& limits) {
  for (;;) {
    Class c{};
    c.dims = 1 + number % 3;
    c.is_double = number / 3 % 2 == 1;
    const double modes = one_of(random, {1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 7e7}) * (0.7 + 0.7 * random.uniform()),
                 density =
                     one_of(random, {0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) * (0.6 + 0.9 * random.uniform());
    const auto side = static_cast<Index>(std::lround(std::pow(modes, 1.0 / c.dims)));
    c.image = Shape{side};
    for (int a = 1; a < c.dims; ++a) c.image = c.image.prepend(side);
    c.points = static_cast<Index>(modes * density);
    c.coils = one_of<Index>(random, {1, 1, 1, 2, 4, 8, 12, 32});
    c.tolerance =
        c.is_double ? one_of(random, {1e-3, 1e-6, 1e-9, 1e-12}) : one_of(random, {1e-2, 1e-3, 1e-4, 1e-5});
    c.pattern = one_of(random, {"random", "clustered", "radial", "spiral"});
    const auto points = static_cast<double>(c.points), coils = static_cast<double>(c.coils);
    if (points >= 100 && points <= limits.points && points * coils <= limits.values &&
        modes * coils <= limits.pixels)
      return c;
  }
}

// Slices and volumes with the trajectories of scans, sampled less than fully to four times over.
Class drawn_scan(bench::SplitMix& random, int number, const Limits& limits) {
  for (;;) {
    Class c{};
    c.dims = 2 + number % 2;
    c.is_double = number / 2 % 4 == 3;
    const double least = c.dims == 2 ? 96 : 64, most = c.dims == 2 ? 640 : 400,
                 density = std::exp2(4 * random.uniform() - 2);
    const auto side = static_cast<Index>(least * std::pow(most / least, random.uniform()));
    c.image = Shape{side, side};
    if (c.dims == 3) c.image = c.image.prepend(side);
    const double pixels = static_cast<double>(c.image.size());
    c.points = static_cast<Index>(pixels * density);
    c.coils = one_of<Index>(random, {1, 2, 4, 8, 16, 32});
    c.tolerance = c.is_double ? one_of(random, {1e-5, 1e-7, 1e-9}) : one_of(random, {1e-2, 3e-3, 1e-3, 1e-4});
    c.pattern = c.dims == 2 ? one_of(random, {"radial", "spiral"}) : one_of(random, {"radial", "kooshball"});
    const double coils = static_cast<double>(c.coils);
    if (pixels * density * coils <= limits.values && pixels * coils <= limits.pixels) return c;
  }
}

// Radial and spiral trajectories are in the plane, or in a stack of planes; in one dimension they are the
// projection on an axis. Clustered: all in a few cells.
Array<double> points_of(const Class& c, const Context& host) {
  Array<double> k({c.points, c.dims});
  const auto side = static_cast<double>(c.image[0]), count = static_cast<double>(c.points);
  const auto length = static_cast<Index>(std::clamp(2 * side, 16.0, count));
  if (c.pattern == "kooshball") {
    auto spokes = bench::kooshball((c.points + length - 1) / length, length);
    std::copy_n(spokes.data(), 3 * c.points, k.data());
    return k;
  }
  constexpr Index grain = 4096;
  parallel_for(host, c.points, grain, [&](Index begin, Index end, int) {
    bench::SplitMix random(7919 * static_cast<std::uint64_t>(begin / grain) + 1);
    for (Index p = begin; p < end; ++p) {
      double at[3];
      if (c.pattern == "random" || c.pattern == "clustered") {
        for (double& x : at) x = (c.pattern == "random" ? 1 : std::min(1.0, 4 / side)) * random.uniform();
      } else {
        const Index readout = p / length;
        const double along = static_cast<double>(p % length) / static_cast<double>(length);
        const double turn = static_cast<double>(readout) / std::numbers::phi;
        const bool radial = c.pattern == "radial";
        const double radius = radial ? along - 0.5 : 0.5 * std::sqrt(along),
                     angle = radial
                                 ? std::numbers::pi * turn
                                 : 2 * std::numbers::pi * (turn + 0.25 * std::sqrt(side) * std::sqrt(along));
        at[0] = radius * std::cos(angle);
        at[1] = radius * std::sin(angle);
        at[2] = std::fmod(0.618033988749895 * static_cast<double>(readout), 1.0) - 0.5;
      }
      for (int a = 0; a < c.dims; ++a) k[p * c.dims + a] = at[a];
    }
  });
  return k;
}

const char* name_of(std::optional<Way> way) {
  constexpr const char* names[] = {"in order", "cells", "moments", "plane", "tiles"};
  return way ? names[static_cast<int>(*way)] : "gridding";
}

template <typename T>
class Measured {
 public:
  using C = std::complex<T>;
  Measured(const Class& c, View<const double> there, View<C> values, View<C> images, Context& ctx)
      : class_(c), points_(there), values_(values), images_(images), ctx_(ctx) {}

  // A row for each direction.
  std::vector<nlohmann::json> run(const Limits& limits, std::ofstream& all) {
    std::vector<nlohmann::json> rows;
    const auto choices = candidates(limits);
    for (const bool forward : {true, false}) {
      nufft::PlanOptions options = plan_options();
      options.forward = forward;
      options.adjoint = !forward;
      const auto own = nufft::choose_plan_grid<T>(class_.image, class_.points, options, ctx_);
      const int lanes = own.lanes;
      double begin = seconds_now();
      { const nufft::Plan<T> warm(points_, class_.image, options, ctx_); }
      ctx_.synchronize();
      begin = seconds_now();
      { const nufft::Plan<T> plan(points_, class_.image, options, ctx_); }
      ctx_.synchronize();
      const double setup = 1e3 * (seconds_now() - begin);

      Trial chosen = measured({own, lanes, {}, false}, forward);
      std::vector<Trial> ways{chosen};
      const auto try_out = [&](Trial way) {
        if (!possible(way, forward)) return;
        if (way.way == chosen.way && way.lanes == lanes && way.choice.grid == own.grid && !way.matrix) return;
        best_ = ways[0].ms;
        for (const Trial& other : ways) best_ = std::min(best_, other.ms);
        try {
          const auto asked = way.way;
          way = measured(way, forward);
          if (way.way == asked || !asked) ways.push_back(way);
        } catch (const Error& error) {
          if (error.error_class() != ErrorClass::resource && error.error_class() != ErrorClass::usage) throw;
        }
      };
      for (const auto& choice : choices) {
        for (const auto way : ways_of(forward)) try_out({choice, lanes, way, false});
        if (choice.grid == own.grid)
          for (const int other : {1, 2, 4, 8})
            if (ctx_.on_gpu() && other != lanes && other <= 2 * class_.coils)
              for (const auto way : ways_of(forward)) try_out({choice, other, way, false});
        const double entries =
            static_cast<double>(class_.points) * std::pow(choice.kernel->kernel.width(), class_.dims);
        if (entries <= 1e7 && (choice.grid == own.grid || !ctx_.on_gpu()))
          try_out({choice, ctx_.on_gpu() ? nufft::next_lanes<T>(class_.coils) : 0, {}, true});
      }
      Trial* best = &ways[0];
      for (Trial& way : ways)
        if (way.ms < best->ms && !way.matrix) best = &way;
      // A single measurement can be too favourable: both are measured again.
      for (int again = 0; again < 2 && best != &ways[0] && ways[0].ms > 1.1 * best->ms; ++again)
        for (Trial* way : {&ways[0], best}) {
          best_ = best->ms;
          const Trial once_more = measured(*way, forward);
          if (once_more.ms < way->ms) *way = once_more;
        }
      chosen = ways[0];
      nlohmann::json row = described();
      row["direction"] = forward ? "forward" : "adjoint";
      row["chosen"] = to_string(chosen);
      row["ms"] = rounded(chosen.ms);
      row["best"] = to_string(*best);
      row["best_ms"] = rounded(best->ms);
      row["ratio"] = rounded(chosen.ms / best->ms);
      row["setup_ms"] = rounded(setup);
      // Only on request, never chosen: it needs more memory and set-up time.
      double matrix = 0;
      for (const Trial& way : ways)
        if (way.matrix && (matrix == 0 || way.ms < matrix)) matrix = way.ms;
      if (matrix > 0) row["matrix_ms"] = rounded(matrix);
      rows.push_back(row);
      if (!all.is_open()) continue;
      row["ways"] = nlohmann::json::array();
      for (const Trial& way : ways)
        row["ways"].push_back({{"grid", way.choice.grid},
                               {"width", way.choice.kernel->kernel.width()},
                               {"degree", way.choice.kernel->polynomials.degree},
                               {"lanes", way.lanes},
                               {"method", way.matrix ? "matrix" : name_of(way.way)},
                               {"transform_ms", way.transform_ms},
                               {"ms", way.ms}});
      all << row.dump() << std::endl;
    }
    return rows;
  }

 private:
  using Choice = nufft::GridChoice<T>;
  struct Trial {
    Choice choice;
    int lanes = 0;  // 0: lanes for the remaining coils
    std::optional<Way> way;
    bool matrix = false;
    double transform_ms = 0, ms = 0;
  };

  static double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }
  static std::string to_string(const Trial& way) {
    return fmt::format("{}, width {}, σ {:.2f}, lanes {}", way.matrix ? "matrix" : name_of(way.way),
                       way.choice.kernel->kernel.width(), way.choice.oversampling, way.lanes);
  }

  nlohmann::json described() const {
    return {{"dims", class_.dims},
            {"modes", class_.image[0]},
            {"points", class_.points},
            {"coils", class_.coils},
            {"precision", class_.is_double ? "double" : "single"},
            {"tolerance", class_.tolerance},
            {"pattern", class_.pattern}};
  }

  nufft::PlanOptions plan_options() const {
    nufft::PlanOptions options;
    options.tolerance = class_.tolerance;
    options.batch = class_.coils;
    return options;
  }

  // For each width the smallest grid that a plan may choose.
  std::vector<Choice> candidates(const Limits& limits) const {
    std::vector<std::pair<std::array<Index, 3>, int>> seen;
    nufft::GridCosts costs{fast_fft_size, [&](const std::array<Index, 3>& grid, int width) {
                             for (const auto& [other, of_other] : seen)
                               if (of_other == width) return 1.0;
                             seen.emplace_back(grid, width);
                             return 1.0;
                           }};
    if constexpr (larmor::cuda::built)
      if (ctx_.on_gpu())
        costs.fast_length = [](Index n) {
          return Index{larmor::cuda::fast_line_length(static_cast<int>(n))};
        };
    (void)nufft::choose_grid<T>(class_.image, plan_options(), costs);
    std::vector<Choice> list;
    for (const auto& [grid, width] : seen) {
      double cells = static_cast<double>(class_.coils);
      Choice choice{grid, 1e9, 0, nullptr};
      for (int a = 0; a < class_.dims; ++a) {
        cells *= static_cast<double>(grid[a]);
        choice.oversampling = std::min(choice.oversampling,
                                       static_cast<double>(grid[a]) / static_cast<double>(class_.image[0]));
      }
      if (cells > limits.grid) continue;
      choice.kernel = nufft::fitted_kernel<T>(width, choice.oversampling);
      list.push_back(choice);
    }
    return list;
  }

  // For one dimension or the plane; methods without kernels are removed later.
  std::vector<std::optional<Way>> ways_of(bool forward) const {
    if (!ctx_.on_gpu()) return {std::nullopt};
    if (class_.dims == 3) return {Way::tiles};
    if (class_.dims == 2) return {Way::plane, Way::tiles};
    if (forward) return {Way::in_order, Way::tiles};
    return {Way::moments, Way::cells, Way::tiles};
  }

  bool possible(const Trial& way, bool forward) const {
    if (!ctx_.on_gpu() || way.matrix) return true;
    if constexpr (larmor::cuda::built)
      return (sizeof(T) == 4 || way.lanes == 1 || way.lanes == 4) &&
             nufft::cuda::can_grid<T>(way.way.value_or(Way::tiles), !forward,
                                      {class_.dims, class_.points, way.choice.grid,
                                       way.choice.kernel->kernel.width(), way.lanes, class_.coils});
    return false;
  }

  // Milliseconds; a call that takes far longer than the best is made only once.
  double time(const std::function<void()>& call) const {
    call();
    ctx_.synchronize();
    double begin = seconds_now();
    call();
    ctx_.synchronize();
    const double once = seconds_now() - begin;
    if (1e3 * once > 4 * best_ || once > 0.1) return 1e3 * once;
    const int calls = std::clamp(static_cast<int>((ctx_.on_gpu() ? 1e-3 : 4e-3) / once), 1, 100);
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) {
      begin = seconds_now();
      for (int j = 0; j < calls; ++j) call();
      ctx_.synchronize();
      times.push_back(1e3 * (seconds_now() - begin) / calls);
    }
    std::sort(times.begin(), times.end());
    return times[1];
  }

  template <typename Body>
  void for_parts(int lanes, const Body& body) const {
    for (Index first = 0; first < class_.coils;) {
      const nufft::Coils coils{
          lanes > 0 ? class_.coils
                    : std::min<Index>(class_.coils - first, nufft::next_lanes<T>(class_.coils - first)),
          lanes > 0 ? lanes : nufft::next_lanes<T>(class_.coils - first)};
      body(first, coils);
      first += coils.count;
    }
  }

  Trial measured(Trial way, bool forward) const {
    const Choice& choice = way.choice;
    Index cells = 1;
    for (const Index length : choice.grid) cells *= length;
    Index values = 0;
    for_parts(way.lanes, [&](Index, const nufft::Coils& coils) {
      values = std::max(values, cells * coils.lanes * coils.blocks());
    });
    const int blocks = way.lanes > 0 ? static_cast<int>((class_.coils + way.lanes - 1) / way.lanes) : 1;
    const auto transform = nufft::make_grid_transform<T>(
        class_.image, choice, {.batch = class_.coils, .lanes = way.lanes, .blocks = blocks}, ctx_);
    const auto interpolator = gridding(way, forward);
    interpolator->require_finite(ctx_);
    std::size_t scratch = 0;
    for_parts(way.lanes, [&](Index, const nufft::Coils& coils) {
      scratch = std::max(
          {scratch, transform->scratch_bytes(ctx_, coils), interpolator->scratch_bytes(ctx_, coils)});
    });
    ctx_.arena().release();
    ctx_.arena().reserve(scratch);
    Array<C> grid({values}, ctx_.device());
    const Index pixels = class_.image.size();
    const auto transforms = [&] {
      for_parts(way.lanes, [&](Index first, const nufft::Coils& coils) {
        C* const images = images_.data() + first * pixels;
        forward ? transform->to_grid(images, grid.data(), coils, 1, ctx_)
                : transform->from_grid(grid.data(), images, coils, 1e-3, ctx_, false);
      });
    };
    const auto points = [&] {
      for_parts(way.lanes, [&](Index first, const nufft::Coils& coils) {
        C* const samples = values_.data() + first * class_.points;
        forward ? interpolator->interpolate(grid.data(), samples, nullptr, coils, ctx_, false)
                : interpolator->spread(samples, nullptr, grid.data(), coils, ctx_);
      });
    };
    // In the order of a transform, so that neither gets values that the other would not produce.
    if (forward) transforms();
    const double points_ms = time(points);
    way.transform_ms = time(transforms);
    way.ms = points_ms + way.transform_ms;
    if constexpr (larmor::cuda::built)
      if (const auto* on_gpu = dynamic_cast<const nufft::CudaGridding<T>*>(interpolator.get()))
        way.way = on_gpu->way(!forward);
    ctx_.arena().release();
    return way;
  }

  std::unique_ptr<const nufft::Interpolator<T>> gridding(const Trial& way, bool forward) const {
    if (way.matrix) {
      auto options = plan_options();
      options.forward = forward;
      options.adjoint = !forward;
      return nufft::make_matrix_interpolator<T>(ctx_.on_gpu() ? host_points() : points_, way.choice, options,
                                                ctx_);
    }
    if constexpr (larmor::cuda::built)
      if (ctx_.on_gpu())
        return std::make_unique<const nufft::CudaGridding<T>>(
            points_, way.choice.grid, way.choice.kernel,
            nufft::CudaGriddingOptions{.lanes = way.lanes,
                                       .coils = class_.coils,
                                       .spread = !forward,
                                       .interpolate = forward,
                                       .way = way.way},
            ctx_);
    return nufft::make_gridding<T>(
        points_, way.choice.grid, way.choice.kernel,
        {.batch = class_.coils, .lanes = way.lanes, .spread = !forward, .interpolate = forward}, ctx_);
  }

  View<const double> host_points() const {
    if (host_points_.empty()) host_points_ = copied_to(Device::cpu(), points_);
    return host_points_;
  }

  Class class_;
  View<const double> points_;
  mutable Array<double> host_points_;
  View<C> values_, images_;
  Context& ctx_;
  mutable double best_ = 1e9;
};

class Map {
 public:
  Map(const Settings& settings, Context& ctx)
      : settings_(settings),
        limits_(ctx.on_gpu() ? of_gpu : of_cpu),
        ctx_(ctx),
        host_(ctx.host()),
        values_(bench_values(limits_.values)),
        images_(bench_values(limits_.pixels)) {
    if (!settings.ways.empty()) all_.open(settings.ways);
  }

  void run() {
    bench::SplitMix random(static_cast<std::uint64_t>(settings_.seed));
    const double begin = seconds_now();
    for (int i = 0; i < settings_.cells && seconds_now() - begin < settings_.seconds; ++i) {
      const Class c = (settings_.scans ? drawn_scan : drawn)(random, i, limits_);
      try {
        c.is_double ? measure<double>(c) : measure<float>(c);
      } catch (const Error& error) {
        fmt::print("left out: {}\n", error.what());
      }
    }
    report(seconds_now() - begin);
  }

 private:
  // The number of values of the largest class, in double precision; single precision uses half of the memory.
  Array<std::complex<double>> bench_values(double count) const {
    const auto n = static_cast<Index>(1.5 * count);
    Array<std::complex<double>> values({n});
    parallel_for(host_, n, 65536, [&](Index begin, Index end, int) {
      bench::SplitMix random(static_cast<std::uint64_t>(begin));
      for (Index i = begin; i < end; ++i) values[i] = {random.uniform() - 0.5, random.uniform() - 0.5};
    });
    return moved_to(ctx_.device(), std::move(values));
  }

  template <typename T>
  static View<std::complex<T>> as(const Array<std::complex<double>>& values) {
    return {reinterpret_cast<std::complex<T>*>(const_cast<std::complex<double>*>(values.data())),
            values.shape(), values.device()};
  }

  template <typename T>
  void measure(const Class& c) {
    const auto points = moved_to(ctx_.device(), points_of(c, host_));
    for (const auto& row : Measured<T>(c, points, as<T>(values_), as<T>(images_), ctx_).run(limits_, all_)) {
      rows_.push_back(row);
      if (row.at("ratio") > 1.2) fmt::print("{}\n", row.dump());
    }
    std::fflush(stdout);
  }

  void report(double seconds) const {
    std::vector<double> ratios;
    for (const auto& row : rows_) ratios.push_back(row.at("ratio"));
    std::sort(ratios.begin(), ratios.end());
    const auto beyond = [&](double limit) {
      return std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio > limit; });
    };
    if (ratios.empty()) return;
    fmt::print("{} rows in {:.0f} s: median {:.3f}, most {:.2f}; beyond 1.05: {}, 1.3: {}, 2: {}\n",
               ratios.size(), seconds, ratios[ratios.size() / 2], ratios.back(), beyond(1.05), beyond(1.3),
               beyond(2));
    if (settings_.json.empty()) return;
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
    std::ofstream file(settings_.json);
    file << fmt::format("{{\n\"date\": \"{}\", \"commit\": \"{}\", \"device\": \"{}\",\n\"rows\": [\n", date,
                        settings_.commit, device_description(ctx_));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      file << rows_[i].dump() << (i + 1 < rows_.size() ? ",\n" : "\n");
    file << "]}\n";
  }

  Settings settings_;
  Limits limits_;
  Context& ctx_;
  Context host_;
  Array<std::complex<double>> values_, images_;
  std::vector<nlohmann::json> rows_;
  std::ofstream all_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("The chosen way beside all others");
  app.add_option("--device", settings.device, "cpu or cuda");
  app.add_flag("--scans", settings.scans, "only transforms of the size of scans");
  app.add_option("--cells", settings.cells, "classes to measure, each in both directions");
  app.add_option("--seed", settings.seed, "of the classes");
  app.add_option("--seconds", settings.seconds, "none is begun after so long");
  app.add_option("--threads", settings.threads, "of the CPU; 0: all");
  app.add_option("--json", settings.json, "write the rows here");
  app.add_option("--ways", settings.ways, "write every way's times here");
  app.add_option("--commit", settings.commit, "recorded in the results");
  CLI11_PARSE(app, argc, argv);
  try {
    Context ctx(settings.device == "cuda" ? Device::cuda(0) : Device::cpu(), {.threads = settings.threads});
    Map(settings, ctx).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "nufft_map: {}\n", error.what());
    return 1;
  }
  return 0;
}
