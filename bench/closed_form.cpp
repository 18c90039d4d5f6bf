// Error of regularised and corrected images relative to that of plain conjugate gradients at their best
// iteration, for a known truth: samples are closed forms or exact sums, which share no code with the
// reconstruction.
//     closed_form [CASE]... [--quick] [--seeds N] [--device D] [--threads N] [--json FILE [--commit C]]
// If a trajectory covers a ball or disc of k-space but the truth contains all of it, the error is that inside
// the ball; the error over all frequencies is in FILE. Three noise levels and several seeds. λ is the best
// for one seed, to a factor of two, and then the same for all. FILE keeps its cases that are not run now;
// --commit is recorded there. --quick: small cases and one seed. The exit status is 1 if a ratio is above
// 0.7, the corrected field map's error above 1.3 times that on resonance (Case::largest_of_resonance), or a
// delay off by more than 0.05 samples.
#include "closed_form_cases.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

namespace {

using namespace larmor;
using bench::Case;
using bench::Method;
using C = std::complex<float>;

// Conjugate gradients before a regularised solver starts.
constexpr Index first_iterations = 8, inner_iterations = 6;
// Ratio of a method's error to that of plain conjugate gradients.
constexpr double largest_ratio = 0.7;

struct Settings {
  std::vector<std::string> cases;
  std::vector<double> noise;
  std::string device = "auto", json, commit;
  int seeds = 5, threads = 0;
  bool quick = false;
};

// Errors relative to the truth: over all spatial frequencies, and over those that the trajectory covers
// (Case::ball).
struct ImageError {
  double whole = 1e9, covered = 1e9;
};

class Measurement {
 public:
  Measurement(const Case& of, Context& ctx)
      : case_(of), ctx_(ctx), truth_(copied_to(ctx.device(), of.truth)) {
    for (const C& value : of.truth) largest_ = std::max(largest_, std::abs(value));
    if (of.ball > 0) {
      spectrum_.emplace(of.truth.shape(), of.ball);
      inside_.emplace(moved_to(ctx.device(), ball()));
      spectrum_->reserve(ctx);
    }
    norm_ = energy(truth_);
  }

  // `noise`: standard deviation in the image of one coil for a fully sampled Cartesian scan.
  ImageError error(const Method& method, double noise, int seed, double lambda) {
    if (method.fitted) {
      const auto samples = noisy(method, noise, seed);
      Method made = method;
      double deviation = 0;
      made.model = method.fitted(samples, deviation);
      made.normal = made.model->normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx_);
      deviation_ = std::max(deviation_, deviation);
      return best_iteration(made, made.model->adjoint(copied_to(ctx_.device(), samples), ctx_));
    }
    // Methods that share a model share the right-hand sides.
    Array<C>& rhs = rhs_[{method.model.get(), method.reference_samples, noise, seed}];
    if (rhs.size() == 0) {
      auto samples = noisy(method, noise, seed);
      if (method.arrange) samples = method.arrange(samples);
      rhs = method.model->adjoint(moved_to(ctx_.device(), std::move(samples)), ctx_);
    }
    return method.term.empty() ? best_iteration(method, rhs) : regularised(method, rhs, lambda);
  }

  /// The largest deviation of a fitted quantity (Method::fitted) since the last call.
  double deviation() { return std::exchange(deviation_, 0); }

 private:
  Array<C> noisy(const Method& method, double noise, int seed) const {
    const auto& clean = method.reference_samples ? case_.reference_samples : case_.samples;
    const double spread =
        noise * static_cast<double>(largest_) * std::sqrt(static_cast<double>(case_.pixels) / 2);
    std::mt19937 generator(static_cast<unsigned>(seed));
    std::normal_distribution<float> gauss(0, static_cast<float>(spread));
    Array<C> samples(clean.shape());
    for (Index i = 0; i < samples.size(); ++i) {
      const float re = gauss(generator), im = gauss(generator);
      samples[i] = clean[i] + C(re, im);
    }
    return samples;
  }

  ImageError error_of(const Method& method, View<const C> solution) {
    const float unit = 1 / std::sqrt(static_cast<float>(case_.pixels));
    Array<C> difference(truth_.shape(), ctx_.device());
    if (method.shown) {
      auto image = copied_to(Device::cpu(), solution);
      for (C& value : image) value *= unit;
      difference = moved_to(ctx_.device(), method.shown(std::move(image)));
      axpy<float>(-1, truth_, difference, ctx_);
    } else {
      combine<float>({{unit, solution.reshaped(truth_.shape())}, {-1, truth_}}, difference, ctx_);
    }
    const ImageError error = energy(difference);
    return {std::sqrt(error.whole / norm_.whole), std::sqrt(error.covered / norm_.covered)};
  }

  // Squared norms.
  ImageError energy(const Array<C>& image) {
    const double whole = squared_norm<float>(image, ctx_);
    if (!spectrum_) return {whole, whole};
    const auto covered = inside_->apply(spectrum_->apply(image, ctx_), ctx_);
    return {whole, squared_norm<float>(covered, ctx_)};
  }

  // 1 at frequencies within the Nyquist frequency's ball, else 0.
  Array<C> ball() const {
    const Shape& shape = case_.truth.shape();
    auto inside = filled<C>(shape, 0);
    for (Index i = 0; i < inside.size(); ++i) {
      double squared = 0;
      Index rest = i;
      for (int axis = shape.rank() - 1; axis >= shape.rank() - case_.ball; --axis) {
        const double k =
            static_cast<double>(rest % shape[axis] - shape[axis] / 2) / static_cast<double>(shape[axis]);
        squared += k * k;
        rest /= shape[axis];
      }
      if (squared <= 0.25) inside[i] = 1;
    }
    return inside;
  }

  // Errors decrease and then increase with the noise: the search ends when they are clearly above the
  // minimum.
  ImageError best_iteration(const Method& method, const Array<C>& rhs) {
    ImageError best;
    SolverOptions<float> options{.iterations = method.iterations};
    options.hooks.step = [&](const SolverStep&, View<const C> x) {
      const ImageError error = error_of(method, x);
      best = {std::min(best.whole, error.whole), std::min(best.covered, error.covered)};
      return error.covered > 1.02 * best.covered;
    };
    conjugate_gradient<float>({method.normal, SharedArray<C>::borrowed(rhs)}, options, ctx_);
    return best;
  }

  ImageError regularised(const Method& method, const Array<C>& rhs, double lambda) {
    RegularizerSpec spec = parse_regularizer(with_lambda(method.term, lambda));
    Problem<float> problem{method.normal, SharedArray<C>::borrowed(rhs)};
    SharedArray<C> first = conjugate_gradient<float>(problem, {.iterations = first_iterations}, ctx_).x;
    problem.regularizers = {make_regularizer<float>(spec, {.image = method.layout, .device = ctx_.device()})};
    double& norm_squared = norms_[method.normal.get()];
    problem.norm_squared = norm_squared;
    const auto result = solve<float>(problem, method.solver,
                                     {.iterations = method.iterations,
                                      .start = first,
                                      .preconditioner = method.preconditioner,
                                      .admm = {.rho = method.rho,
                                               .balance = !method.preconditioner,
                                               .inner_iterations = inner_iterations}},
                                     ctx_);
    norm_squared = result.operator_norm_squared;
    return error_of(method, result.x);
  }

  static std::string with_lambda(const std::string& term, double lambda) {
    const auto name = term.find(':');
    return fmt::format("{}:{}{}", term.substr(0, name), lambda,
                       name == std::string::npos ? "" : term.substr(name));
  }

  const Case& case_;
  Context& ctx_;
  Array<C> truth_;
  std::optional<Fft<float>> spectrum_;
  std::optional<Diagonal<float>> inside_;
  ImageError norm_;
  float largest_ = 0;
  std::map<const void*, double> norms_;
  std::map<std::tuple<const void*, bool, double, int>, Array<C>> rhs_;
  double deviation_ = 0;
};

struct Spread {
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<ImageError>& errors, double ImageError::*which) {
  std::vector<double> values;
  for (const ImageError& error : errors) values.push_back(error.*which);
  Spread spread;
  for (const double value : values) spread.mean += value / static_cast<double>(values.size());
  for (const double value : values) spread.deviation += (value - spread.mean) * (value - spread.mean);
  spread.deviation =
      values.size() > 1 ? std::sqrt(spread.deviation / static_cast<double>(values.size() - 1)) : 0;
  return spread;
}

// The λ with the smallest error for the first seed: doubled or halved from `start` until a minimum is
// enclosed. Adds that error to `errors`.
double best_lambda(Measurement& measurement, const Method& method, double noise, double start,
                   std::vector<ImageError>& errors) {
  constexpr int most_steps = 8;
  double best = start;
  ImageError least = measurement.error(method, noise, 1, start);
  for (const double factor : {2.0, 0.5}) {
    int steps = 0;
    for (; steps < most_steps; ++steps) {
      const ImageError error = measurement.error(method, noise, 1, best * factor);
      if (error.covered >= least.covered) break;
      best *= factor;
      least = error;
    }
    if (steps > 0) break;
  }
  errors.push_back(least);
  return best;
}

// Prints a row for each noise level and method; returns false if a ratio is too large.
bool measure(const Case& of, const Settings& settings, nlohmann::ordered_json& json, Context& ctx) {
  bool good = true;
  Measurement measurement(of, ctx);
  json["what"] = of.text;
  for (const auto& [name, value] : of.figures) json["figures"][name] = value;
  std::map<std::string, double> lambdas;
  for (const double noise : settings.noise) {
    double plain = 0, plain_whole = 0, resonance = 0, corrected = 0;
    auto& level = json["noise"].emplace_back();
    level["noise"] = noise;
    for (const Method& method : of.methods) {
      const auto started = std::chrono::steady_clock::now();
      double lambda = 0;
      std::vector<ImageError> errors;
      if (!method.term.empty()) {
        double& start = lambdas.try_emplace(method.name, method.lambda).first->second;
        lambda = start = best_lambda(measurement, method, noise, start, errors);
      }
      for (int seed = 1 + static_cast<int>(errors.size()); seed <= settings.seeds; ++seed)
        errors.push_back(measurement.error(method, noise, seed, lambda));
      const Spread spread = spread_of(errors, &ImageError::covered),
                   whole = spread_of(errors, &ImageError::whole);
      if (plain == 0) plain = spread.mean, plain_whole = whole.mean;
      if (method.name == "corrected") corrected = spread.mean;
      if (method.reference_samples) resonance = spread.mean;
      const double ratio = spread.mean / plain;
      good = good && (method.name == of.methods[0].name || ratio <= largest_ratio);
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
      level["methods"].push_back({{"name", method.name},
                                  {"lambda", lambda},
                                  {"nrmse_mean", spread.mean},
                                  {"nrmse_deviation", spread.deviation},
                                  {"ratio", ratio},
                                  {"seconds", seconds}});
      if (of.ball > 0)
        level["methods"].back().update(
            {{"nrmse_all_of_kspace", whole.mean}, {"ratio_all_of_kspace", whole.mean / plain_whole}});
      if (method.fitted) {
        const double deviation = measurement.deviation();
        level["methods"].back()["largest_deviation"] = deviation;
        good = good && deviation <= of.largest_deviation;
      }
      fmt::print("| {} | {:g} | {} | {} | {:.4f} ± {:.4f} | {:.2f} |\n", of.name, noise, method.name,
                 lambda > 0 ? fmt::format("{:.1e}", lambda) : "", spread.mean, spread.deviation, ratio);
      std::fflush(stdout);
    }
    if (resonance > 0) {
      level["corrected_to_on_resonance"] = corrected / resonance;
      good = good && corrected <= of.largest_of_resonance * resonance;
    }
  }
  return good;
}

int run(const Settings& settings) {
  Context ctx(settings.device == "auto" ? Device::automatic() : Device::parse(settings.device),
              {.threads = settings.threads});
  nlohmann::ordered_json json;
  if (std::ifstream before(settings.json); before) json = nlohmann::ordered_json::parse(before);
  json["benchmark"] = "closed-form cases";
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  fmt::print("| case | noise | method | λ | NRMSE | ratio |\n|---|---|---|---|---|---|\n");
  bool good = true;
  for (const auto& row : bench::closed_form_cases()) {
    if (!settings.cases.empty() &&
        std::find(settings.cases.begin(), settings.cases.end(), row.name) == settings.cases.end())
      continue;
    const auto started = std::chrono::steady_clock::now();
    const Case made = row.make(settings.quick, ctx);
    auto& entry = json["cases"][row.name];
    entry = {{"date", date},
             {"commit", settings.commit},
             {"device", device_description(ctx)},
             {"seeds", settings.seeds},
             {"quick", settings.quick}};
    good = measure(made, settings, entry, ctx) && good;
    entry["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (!settings.json.empty()) std::ofstream(settings.json) << json.dump(2) << "\n";
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Closed-form cases: regularised and corrected against plain images"};
  app.add_option("case", settings.cases,
                 "kooshball, stack-of-stars, field-map, subspace, dynamic, delays (default: all)");
  app.add_option("--noise", settings.noise,
                 "levels: deviation of a Cartesian coil image over the largest value");
  app.add_option("--seeds", settings.seeds, "of the noise");
  app.add_option("--device", settings.device, "auto, cpu or cuda");
  app.add_option("--threads", settings.threads, "0: all");
  app.add_option("--json", settings.json, "where results go");
  app.add_option("--commit", settings.commit, "recorded with them");
  app.add_flag("--quick", settings.quick, "small cases, one level and seed");
  CLI11_PARSE(app, argc, argv);
  if (settings.quick) {
    settings.seeds = 1;
  }
  if (settings.noise.empty())
    settings.noise = settings.quick ? std::vector{0.01} : std::vector{0.005, 0.01, 0.02};
  try {
    return run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "closed_form: {}\n", error.what());
    return 1;
  }
}
