// Larmor's side of bench/nufft_against_finufft.py: makes transforms of points that another program wrote and
// times them. One command per line on standard input, one answer per line on standard output, both JSON:
//     {"do": "plan", "type": 1|2|3, "double": bool, "points": "k.npy", "modes": [(z,) (y,) x],
//       "frequencies": "k.npy", "input": "c.npy", "tolerance": t, "batch": n, "sign": ±1, "threads": n}
//     {"do": "set_up"}    plan and points once more, from arrays in memory
//     {"do": "execute"}
//     {"do": "result", "output": "file.npy"}   of the last vector of the batch
// Times in answers: "ms", and "cpu_ms" of all threads. The answer to a command that fails is {"error": …}.
#include "npy.hpp"

#include <larmor/core/format_error.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/operators/nufft/transform.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>

namespace {

using namespace larmor;
using bench::read_npy;
using bench::write_npy;
using nlohmann::json;

template <typename Body>
json timed(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  body();
  const std::clock_t cpu = std::clock() - cpu_start;
  const auto wall = std::chrono::steady_clock::now() - start;
  return {{"ms", std::chrono::duration<double, std::milli>(wall).count()},
          {"cpu_ms", 1e3 * static_cast<double>(cpu) / CLOCKS_PER_SEC}};
}

// A planned problem; the implementation determines the precision.
struct Problem {
  virtual ~Problem() = default;
  virtual json set_up() = 0;
  virtual void execute() = 0;
  virtual void write(const std::string& path) const = 0;
};

template <typename T>
class Planned final : public Problem {
 public:
  using C = std::complex<T>;
  explicit Planned(const json& command)
      : type_(static_cast<TransformType>(command.at("type").get<int>())),
        points_(read_npy<double>(command.at("points"))),
        in_(read_npy<C>(command.at("input"))),
        ctx_(Device::cpu(), {.threads = command.at("threads")}) {
    options_.tolerance = command.at("tolerance");
    options_.sign = command.at("sign");
    options_.batch = command.at("batch");
    Shape out{points_.shape()[0]};
    if (type_ == TransformType::points_to_points) {
      frequencies_ = read_npy<double>(command.at("frequencies"));
      out = Shape{frequencies_.shape()[0]};
    } else {
      modes_ = bench::shape_of(command.at("modes"));
      if (type_ == TransformType::points_to_modes) out = modes_;
    }
    out_ = Array<C>(out.prepend(options_.batch));
  }

  json set_up() override {
    transform_.reset();
    json reply = timed([&] {
      if (type_ == TransformType::points_to_points) {
        transform_.emplace(options_);
        transform_->set_points(points_, frequencies_, ctx_);
      } else {
        transform_.emplace(type_, modes_, options_);
        transform_->set_points(points_, ctx_);
      }
    });
    reply["width"] = transform_->kernel_width();
    reply["oversampling"] = transform_->oversampling();
    return reply;
  }
  void execute() override { transform_->execute(in_, out_, ctx_); }
  void write(const std::string& path) const override {
    write_npy<C>(path, out_.view().slice(options_.batch - 1));
  }

 private:
  TransformType type_;
  TransformOptions options_;
  Shape modes_;
  Array<double> points_, frequencies_;
  Array<C> in_, out_;
  Context ctx_;
  std::optional<Transform<T>> transform_;
};

json answer(const json& command, std::unique_ptr<Problem>& problem) {
  const std::string what = command.at("do");
  if (what == "plan") {
    problem.reset();
    if (command.at("double"))
      problem = std::make_unique<Planned<double>>(command);
    else
      problem = std::make_unique<Planned<float>>(command);
    return problem->set_up();
  }
  if (!problem) throw usage_error("plan before {}", what);
  if (what == "set_up") return problem->set_up();
  if (what == "execute") return timed([&] { problem->execute(); });
  if (what == "result") {
    problem->write(command.at("output"));
    return {{"peak_bytes", memory_use().peak_bytes}};
  }
  throw usage_error("unknown command {}", what);
}

}  // namespace

int main() {
  std::unique_ptr<Problem> problem;
  for (std::string line; std::getline(std::cin, line);) {
    json reply;
    try {
      reply = answer(json::parse(line), problem);
    } catch (const std::exception& error) {
      reply = {{"error", error.what()}};
    }
    std::cout << reply.dump() << std::endl;
  }
}
