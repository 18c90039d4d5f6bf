#include <larmor/core/format_error.hpp>
#include <larmor/mri/automatic/split_choice.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {
namespace {

// Bytes a second of an all-reduce, and seconds that the least one takes: NVLink 4, and the memory of a
// machine, as docs/cluster.md has measured them.
struct Link {
  double rate, latency;
};
constexpr Link between_gpus{285e9, 10e-6}, through_memory{2e9, 20e-6};
constexpr double bytes_of_value = 8;
// By so much predictions may be wrong.
constexpr double tolerance = 0.1;

// The largest of n shares of so many, as a part of all of them.
double largest_share(double count, int n) {
  return std::ceil(count / n) / count;
}

const char* name_of(Divided divided) {
  constexpr const char* names[] = {"images", "frames", "coils", "samples", "one rank"};
  return names[static_cast<std::size_t>(divided)];
}

}  // namespace

SplitTime predicted_time(const RankedWork& work, Divided divided) {
  const int n = work.ranks;
  const Workload& whole = work.whole;
  const Link link = work.nccl ? between_gpus : through_memory;
  const auto exchange = [&](double values, double times) {
    return times * (link.latency + 2 * (n - 1.0) / n * values * bytes_of_value / link.rate);
  };
  Workload own = whole;
  own.calibrated /= n;
  double seconds = 0;
  switch (divided) {
    case Divided::problems: {
      const double part = largest_share(whole.images, n);
      for (double* divides : {&own.pixels, &own.samples, &own.images}) *divides *= part;
      own.calibrated = whole.calibrated * part;
      seconds = exchange(whole.pixels, 1);
      break;
    }
    case Divided::frames:
      for (double* divides : {&own.pixels, &own.samples}) *divides *= largest_share(work.frames, n);
      // Of frames that nothing couples, the solver's inner products.
      seconds = exchange(work.apart ? 2 : whole.pixels, 1 + own.iterations);
      break;
    case Divided::coils:
      own.coils *= largest_share(whole.coils, n);
      seconds = exchange(whole.pixels / whole.images, whole.images * (1 + own.iterations));
      break;
    case Divided::samples:
      own.samples /= n;
      seconds = exchange(whole.pixels / whole.images, whole.images * (1 + own.iterations));
      break;
    case Divided::nothing:
      own = whole;
      break;
  }
  auto stages = predicted_stages(own, work.threads, work.on_gpus);
  // Maps are made of all coils, and every rank reads all samples of its coils.
  if (divided == Divided::coils || divided == Divided::samples) {
    Workload all = whole;
    all.calibrated /= n;
    const auto of_all = predicted_stages(all, work.threads, work.on_gpus);
    stages["calibrate"] = of_all.at("calibrate");
    if (divided == Divided::samples) stages["prepare"] = of_all.at("prepare");
  }
  for (const auto& [stage, time] : stages) seconds += time;
  return {divided, seconds};
}

const SplitTime& chosen(const std::vector<SplitTime>& times) {
  if (times.empty()) throw internal_error("there is nothing to choose from");
  const auto quickest = std::min_element(times.begin(), times.end(),
                                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return *std::find_if(times.begin(), times.end(), [&](const SplitTime& time) {
    return time.seconds <= (1 + tolerance) * quickest->seconds;
  });
}

std::string to_string(const std::vector<SplitTime>& times) {
  std::string text;
  for (const SplitTime& time : times)
    text += fmt::format("{}{} {:.2g} s", text.empty() ? "" : ", ", name_of(time.divided), time.seconds);
  return text;
}

}  // namespace larmor
