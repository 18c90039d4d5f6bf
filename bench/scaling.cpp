// Scaling over several GPUs or threads: each row is measured by rank 0 alone and by all ranks in one call,
// and is compared with the prediction of scaling_model.hpp from rank 0's times.
//     scaling --gpus N | --threads N [--small] [--rows TEXT] [--json FILE] [--seconds S]
// --small: sizes for a CPU; --rows: only rows whose name contains TEXT; --seconds: no row starts later.
#include "measure.hpp"
#include "scaling_model.hpp"

#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/communicator/threads.hpp>
#include <larmor/core/version.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/operators/ranks.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <thread>

namespace {

using namespace larmor;
using C = std::complex<float>;
using Json = nlohmann::ordered_json;
using bench::ScalingModel;
using bench::seconds_now;

struct Settings {
  int gpus = 0, threads = 0;
  bool small = false;
  std::string rows, json, commit;
  double seconds = 400;
};

class Scaling {
 public:
  Scaling(Settings settings, std::shared_ptr<Communicator> ranks, Context& ctx)
      : settings_(std::move(settings)), ranks_(std::move(ranks)), ctx_(ctx), begin_(seconds_now()) {
    result_ = {{"version", version()},     {"commit", settings_.commit},
               {"ranks", ranks_->size()},  {"device", ctx.device().to_string()},
               {"threads", ctx.threads()}, {"exchange", ranks_->name()}};
  }

  void all() {
    const bool small = settings_.small;
    row("all-reduce", [&] { all_reduce(small ? 22 : 30); });
    const Index size = small ? 24 : 256, spokes = small ? 600 : 20000;
    row("cg sense", [&] { cg_sense(size, spokes, {small ? 4 : 8, small ? 8 : 32}, small ? 4 : 10); });
    row("weak scaling", [&] { weak_scaling(small); });
    // Rows that take many seconds.
    row("slices", [&] { slices(small ? 4 : 128, small ? 48 : 256, small ? 4 : 16, small ? 5 : 1000); });
    row("frames with wavelets",
        [&] { frames(small ? 4 : 200, small ? 48 : 256, small ? 4 : 16, small ? 5 : 1000); });
    if (ranks_->rank() == 0) finish();
  }

 private:
  bool first() const { return ranks_->rank() == 0; }
  int size() const { return ranks_->size(); }

  void row(const std::string& name, const std::function<void()>& measure) {
    if (name.find(settings_.rows) == std::string::npos) return;
    const double late = ranks_->all_reduce(seconds_now() - begin_, Reduction::maximum);
    if (late > settings_.seconds) {
      if (first()) fmt::print("{}: left out, {:.0f} s have passed\n", name, late);
      return;
    }
    measure();
    ctx_.arena().release();
  }

  // Seconds of one call, the median of `repeats`, after a first call that does not count (unless it is the
  // only one): the time of the slowest rank, with a common start, or of rank 0 while the others wait.
  double together(const std::function<void()>& work, int repeats = 3) {
    return median_time(repeats, [&] {
      ctx_.synchronize();
      ranks_->barrier();
      const double begin = seconds_now();
      work();
      ctx_.synchronize();
      return ranks_->all_reduce(seconds_now() - begin, Reduction::maximum);
    });
  }
  double alone(const std::function<void()>& work, int repeats = 3) {
    return median_time(repeats, [&] {
      ctx_.synchronize();
      const double begin = seconds_now();
      work();
      ctx_.synchronize();
      return seconds_now() - begin;
    });
  }
  static double median_time(int repeats, const std::function<double()>& measure) {
    if (repeats > 1) measure();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) times.push_back(measure());
    std::sort(times.begin(), times.end());
    const std::size_t middle = times.size() / 2;
    return times.size() % 2 == 1 ? times[middle] : 0.5 * (times[middle - 1] + times[middle]);
  }
  double time(bool with_others, const std::function<void()>& work, int repeats = 3) {
    return with_others ? together(work, repeats) : alone(work, repeats);
  }
  // Measured on rank 0 while the others wait.
  double by_first(const std::function<double()>& measure) {
    double value = first() ? measure() : 0;
    ctx_.arena().release();
    ranks_->broadcast(View<double>(&value, {1}), 0);
    return value;
  }

  // `shared`: one rank has all the work, then a share of it; otherwise each rank has the same amount.
  void record(const std::string& name, double one, double all, double predicted, bool shared = true,
              Json more = Json::object()) {
    const double efficiency = one / (shared ? all * size() : all);
    Json entry{{"row", name},
               {"one_rank_ms", 1e3 * one},
               {"all_ranks_ms", 1e3 * all},
               {"efficiency", efficiency},
               {"predicted_ms", 1e3 * predicted}};
    entry.update(more);
    result_["rows"].push_back(entry);
    if (!first()) return;
    fmt::print("{:34} one {:10.3f} ms  {} ranks {:10.3f} ms  predicted {:10.3f} ms  efficiency {:.3f}\n",
               name, 1e3 * one, size(), 1e3 * all, 1e3 * predicted, efficiency);
    std::fflush(stdout);
  }

  void all_reduce(int largest_power) {
    for (int power = 13; power <= largest_power; power += power < 24 ? 3 : 1) {
      const std::size_t bytes = std::size_t{1} << power;
      Array<C> values({static_cast<Index>(bytes / sizeof(C))}, ctx_.device());
      fill<float>(values, 0, ctx_);
      const int inner = power < 20 ? 50 : 5;
      const double time = together([&] {
                            for (int i = 0; i < inner; ++i) ranks_->all_reduce(values.view());
                          }) /
                          inner;
      model_.add_reduction(static_cast<double>(bytes), time);
      const double rate = 2.0 * (size() - 1) / size() * static_cast<double>(bytes) / time;
      result_["all_reduce"].push_back({{"bytes", bytes}, {"ms", 1e3 * time}, {"bus_gb_per_s", 1e-9 * rate}});
      if (first()) fmt::print("all-reduce {:11} B {:9.4f} ms {:8.1f} GB/s\n", bytes, 1e3 * time, 1e-9 * rate);
    }
  }

  // One coil's values for all coils, each multiplied by its own complex factor.
  Array<C> for_coils(const Shape& one, Index first_coil, Index coils, unsigned seed) {
    const auto values = moved_to(ctx_.device(), bench::noise<float>(one, seed));
    Array<C> all(one.prepend(coils), ctx_.device());
    for (Index c = 0; c < coils; ++c) {
      copy<float>(values, all.view().slice(c), ctx_);
      scale<float>(std::polar(1.0 / static_cast<double>(2 + (first_coil + c) % 5),
                              0.7 * static_cast<double>(first_coil + c)),
                   all.view().slice(c), ctx_);
    }
    return all;
  }

  struct Solved {
    double seconds = 0, setup = 0;
    Array<C> image;
  };
  // Seconds of one iteration, without the set-up.
  Solved iterate(View<const double> k, const Shape& image, Index first_coil, Index coils, Index iterations,
                 bool with_others) {
    Solved solved;
    const double begin = seconds_now();
    const CoilMaps<float> maps(for_coils(image, first_coil, coils, 3));
    const Composition<float> own = Nufft<float>(k, image, {.tolerance = 1e-3, .batch = coils}, ctx_) * maps;
    const Operator<float> A =
        with_others ? Operator<float>(RowsOfRank<float>(own, ranks_)) : Operator<float>(own);
    Array<C> rhs;
    {
      const auto y = for_coils({k.shape()[0]}, first_coil, coils, 5);
      rhs = A.adjoint(y, ctx_);
    }
    ctx_.arena().release();
    const auto normal = A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx_);
    ctx_.synchronize();
    solved.setup = seconds_now() - begin;
    const SharedArray<C> b(std::move(rhs));
    const auto time_of = [&](Index count) {
      Problem<float> problem{normal, b};
      const auto run = [&] {
        solved.image = conjugate_gradient<float>(problem, {.iterations = count}, ctx_).x;
      };
      return time(with_others, run);
    };
    const double few = time_of(2);
    solved.seconds = (time_of(2 + iterations) - few) / static_cast<double>(iterations);
    return solved;
  }

  void cg_sense(Index size, Index spokes, std::vector<Index> coil_counts, Index iterations) {
    const Shape image{size, size, size};
    const auto k = moved_to(ctx_.device(), bench::kooshball(spokes, size));
    const double bytes = static_cast<double>(image.size() * static_cast<Index>(sizeof(C)));
    std::vector<double> one_rank;
    std::vector<Array<C>> images(coil_counts.size());
    for (std::size_t i = 0; i < coil_counts.size(); ++i)
      one_rank.push_back(by_first([&] {
        Solved one = iterate(k, image, 0, coil_counts[i], iterations, false);
        images[i] = std::move(one.image);
        return one.seconds;
      }));
    // a · coils + b
    const double slope = (one_rank[1] - one_rank[0]) / static_cast<double>(coil_counts[1] - coil_counts[0]);
    const double rest = std::max(0.0, one_rank[0] - slope * static_cast<double>(coil_counts[0]));
    for (std::size_t i = 0; i < coil_counts.size(); ++i) {
      const Share share = share_of(coil_counts[i], ranks_->rank(), this->size());
      // With few coils a device is used less efficiently: the largest share is measured if there is only one
      // rank.
      const Index most = share_of(coil_counts[i], this->size() - 1, this->size()).count;
      const double own = by_first([&] { return iterate(k, image, 0, most, iterations, false).seconds; });
      const Solved all = iterate(k, image, share.first, share.count, iterations, true);
      const double predicted = own + model_.reduction_seconds(bytes);
      double difference = 0;
      if (first()) {
        const double norm = squared_norm<float>(images[i], ctx_);
        axpy<float>(-1, all.image, images[i], ctx_);
        difference = std::sqrt(squared_norm<float>(images[i], ctx_) / norm);
      }
      record(fmt::format("cg sense {}^3, {} coils, an iteration", size, coil_counts[i]), one_rank[i],
             all.seconds, predicted, true,
             {{"setup_ms_all_ranks", 1e3 * all.setup}, {"image_bytes", bytes}, {"difference", difference}});
      ctx_.arena().release();
    }
    model_.set_coils(slope, rest, bytes, coil_counts[1]);
  }

  // One problem per rank, as in Shih et al. 2021, section V: the transforms of a merging (type 1) and a
  // slicing (type 2) step, in double to 1e-12.
  void weak_scaling(bool small) {
    const auto measure = [&](const char* name, Index n, Index points, bool type1) {
      using D = std::complex<double>;
      const Shape image{n, n, n};
      const auto k = moved_to(ctx_.device(), bench::random_points(points, 3, 1));
      const auto plan = Nufft<double>(
          k, image, {.tolerance = 1e-12, .scaled = false, .forward = !type1, .adjoint = type1}, ctx_);
      const auto in = moved_to(ctx_.device(), bench::noise<double>(type1 ? Shape{points} : image));
      Array<D> out(type1 ? image : Shape{points}, ctx_.device());
      const auto run = [&] { type1 ? plan.adjoint(in, out, ctx_) : plan.apply(in, out, ctx_); };
      const double one = by_first([&] { return alone(run); }), all = together(run);
      record(fmt::format("weak scaling, {} {}^3", name, n), one, all, one, false, {{"points", points}});
    };
    measure("type 1", small ? 16 : 81, small ? 20000 : 16400000, true);
    measure("type 2", small ? 12 : 41, small ? 5000 : 1020000, false);
  }

  // Every rank has its own images: no exchange at all.
  void slices(Index count, Index n, Index coils, Index iterations) {
    const Shape image{n, n};
    const auto k = moved_to(ctx_.device(), bench::radial(n / 4, 2 * n));
    const CoilMaps<float> maps(for_coils(image, 0, coils, 3));
    const auto A = Nufft<float>(k, image, {.tolerance = 1e-3, .batch = coils}, ctx_) * maps;
    const auto normal = A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx_);
    const SharedArray<C> b(A.adjoint(for_coils({k.shape()[0]}, 0, coils, 5), ctx_));
    ctx_.arena().release();
    const auto solve = [&](Index images) {
      for (Index i = 0; i < images; ++i) {
        const Problem<float> problem{normal, b};
        copied_to(Device::cpu(), conjugate_gradient<float>(problem, {.iterations = iterations}, ctx_).x);
      }
    };
    // Seconds of work: measured once, after a short run.
    solve(1);
    const double one = by_first([&] { return alone([&] { solve(count); }, 1); });
    const Share share = share_of(count, ranks_->rank(), size());
    const double all = together([&] { solve(share.count); }, 1);
    record(fmt::format("{} slices {}^2, {} coils", count, n, coils), one, all, one / size(), true,
           {{"iterations", iterations}});
    model_.set_frames(one);
  }

  // A series without terms that couple frames: every rank has its own frames, and only the solver's inner
  // products are exchanged.
  void frames(Index count, Index n, Index coils, Index iterations) {
    const Shape image{n, n}, series = image.prepend(count);
    const CoilMaps<float> maps(for_coils(image, 0, coils, 3));
    const auto turned = [&](Index frame) {
      auto k = bench::radial(34, 2 * n);
      const double angle = 0.1 * static_cast<double>(frame);
      for (Index j = 0; j < k.shape()[0]; ++j) {
        const double x = k[2 * j], y = k[2 * j + 1];
        k[2 * j] = x * std::cos(angle) - y * std::sin(angle);
        k[2 * j + 1] = x * std::sin(angle) + y * std::cos(angle);
      }
      return k;
    };
    const auto time_of = [&](Share own, bool with_others) {
      std::vector<Operator<float>> models;
      for (Index f = own.first; f < own.first + own.count; ++f)
        models.push_back(Nufft<float>(turned(f), image, {.tolerance = 1e-3, .batch = coils}, ctx_) * maps);
      const Operator<float> A = series_model<float>(models, {own.count});
      const PartialVectors partial(ctx_, with_others ? ranks_.get() : nullptr);
      Array<C> rhs;
      {
        const auto samples = moved_to(ctx_.device(), bench::noise<float>(A.codomain(), 5));
        rhs = A.adjoint(samples, ctx_);
      }
      ctx_.arena().release();
      Problem<float> problem{A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx_),
                             SharedArray<C>(std::move(rhs))};
      problem.regularizers = {make_regularizer<float>(parse_regularizer("wavelet:1e-3"),
                                                      {.image = {A.domain(), 2}, .device = ctx_.device()})};
      problem.norm_squared = 1;  // the power iteration costs the same on every rank
      const auto steps = [&](Index number, int repeats) {
        return time(
            with_others, [&] { fista<float>(problem, {.iterations = number}, ctx_); }, repeats);
      };
      const double few = steps(2, 3);
      return (steps(2 + iterations, 1) - few) / static_cast<double>(iterations);
    };
    const double one = by_first([&] { return time_of({0, count}, false); });
    const double all = time_of(share_of(count, ranks_->rank(), size()), true);
    const double bytes = static_cast<double>(series.size() * static_cast<Index>(sizeof(C)));
    record(fmt::format("{} frames {}^2, {} coils, a step", count, n, coils), one, all, one / size(), true,
           {{"series_bytes", bytes}, {"steps", iterations}});
  }

  void finish() {
    result_["model"] = model_.curves();
    fmt::print("{}", model_.text());
    if (!settings_.json.empty()) std::ofstream(settings_.json) << result_.dump(1) << "\n";
  }

  Settings settings_;
  std::shared_ptr<Communicator> ranks_;
  Context& ctx_;
  double begin_;
  ScalingModel model_;
  Json result_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace larmor;
  Settings settings;
  CLI::App app("Measures how work is shared among several GPUs.");
  app.add_option("--gpus", settings.gpus, "as many GPUs, one rank each");
  app.add_option("--threads", settings.threads, "as many threads on the processor, one rank each");
  app.add_flag("--small", settings.small, "sizes for a processor");
  app.add_option("--rows", settings.rows, "only rows whose name contains this");
  app.add_option("--json", settings.json, "write the results here");
  app.add_option("--commit", settings.commit, "recorded in the results");
  app.add_option("--seconds", settings.seconds, "no row is begun later");
  CLI11_PARSE(app, argc, argv);
  set_nccl_environment(false);
  const auto all = ranks_of_threads(std::max({1, settings.gpus, settings.threads}));
  std::vector<std::thread> threads;
  for (const auto& host : all)
    threads.emplace_back([&] {
      try {
        Context ctx(settings.gpus > 0 ? Device::cuda(host->rank()) : Device::cpu(),
                    {.threads = std::max(1, Context().threads() / host->size())});
        Scaling(settings, settings.gpus > 0 ? with_nccl(host, ctx.device()) : host, ctx).all();
      } catch (const Error& error) {
        fmt::print(stderr, "scaling: rank {}: {}\n", host->rank(), error.what());
        std::_Exit(error.exit_code());
      }
    });
  for (std::thread& thread : threads) thread.join();
}
