#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/pulseq/sequence_file.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace LARMOR_API larmor {
namespace {

using namespace pulseq;

constexpr std::int64_t most_samples = std::int64_t{1} << 28;
constexpr std::size_t most_points = std::size_t{1} << 28, most_bytes = std::size_t{1} << 30;

// A gradient during a block as a line through points, and its integral up to each of them.
class Waveform {
 public:
  void clear() {
    times_.clear();
    values_.clear();
    integrals_.clear();
  }
  void add(double time, double value) {
    const bool first = times_.empty();
    integrals_.push_back(first ? 0
                               : integrals_.back() + 0.5 * (time - times_.back()) * (value + values_.back()));
    times_.push_back(time);
    values_.push_back(value);
  }
  /// From the start of the block to `time`; 0 outside the points.
  double integral(double time) const {
    const auto next = std::upper_bound(times_.begin(), times_.end(), time);
    if (next == times_.begin()) return 0;
    const auto i = static_cast<std::size_t>(next - times_.begin()) - 1;
    if (next == times_.end()) return integrals_.back();
    const double step = times_[i + 1] - times_[i], t = time - times_[i];
    const double slope = step > 0 ? (values_[i + 1] - values_[i]) / step : 0;
    return integrals_[i] + t * (values_[i] + 0.5 * slope * t);
  }
  double last() const { return values_.empty() ? 0 : values_.back(); }
  double end() const { return times_.empty() ? 0 : times_.back(); }

 private:
  std::vector<double> times_, values_, integrals_;
};

class Player {
 public:
  Player(const Sequence& sequence, const std::string& name) : sequence_(sequence), name_(name) {}

  Array<double> trajectory() {
    const Index samples = count_samples();
    Array<double> k({samples, 3});
    double* at = k.data();
    for (const Block& block : sequence_.blocks) play(block, at);
    return shaped(std::move(k));
  }

 private:
  Index count_samples() {
    std::int64_t all = 0;
    for (const Block& block : sequence_.blocks) {
      if (block.adc == 0) continue;
      const std::int64_t samples = sequence_.adc.at(block.adc).samples;
      if (acquisitions_++ == 0) samples_ = samples;
      alike_ = alike_ && samples == samples_;
      all += samples;
      if (all > most_samples) throw input_error("{}: more than {} samples", name_, most_samples);
    }
    if (all == 0) throw input_error("{}: the sequence has no acquisitions", name_);
    // Three coordinates of each sample, and the returned ones.
    const std::size_t bytes = static_cast<std::size_t>(all) * 6 * sizeof(double);
    if (const std::size_t left = available_memory_bytes(); bytes > left)
      throw resource_error("{}: the trajectory of {} samples needs {}, {} are available", name_, all,
                           format_bytes(bytes), format_bytes(left));
    return all;
  }

  void play(const Block& block, double*& out) {
    for (std::size_t axis = 0; axis < 3; ++axis) draw(axis, block.gradients[axis], block.duration);
    double excited = -1, turned = -1;
    if (block.rf != 0) {
      const RfEvent& rf = sequence_.rf.at(block.rf);
      if (!rf.ignored) (rf.refocusing ? turned : excited) = rf.delay + rf.center;
    }
    using Vector = std::array<double, 3>;
    const Rotation* const rotation = block.rotation == 0 ? nullptr : &sequence_.rotations.at(block.rotation);
    const auto moved = [&](double time) {
      Vector m{};
      for (std::size_t axis = 0; axis < 3; ++axis) m[axis] = waveforms_[axis].integral(time);
      if (rotation == nullptr) return m;
      Vector turned_by{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t from = 0; from < 3; ++from) turned_by[axis] += (*rotation)[axis][from] * m[from];
      return turned_by;
    };
    const Vector until_pulse = moved(std::max(excited, turned)), before = k_;
    const auto k_at = [&](double time) {
      Vector k = moved(time);
      const bool new_k = excited >= 0 && time >= excited, inverted = turned >= 0 && time >= turned;
      for (std::size_t axis = 0; axis < 3; ++axis)
        k[axis] += new_k      ? -until_pulse[axis]
                   : inverted ? -2 * until_pulse[axis] - before[axis]
                              : before[axis];
      return k;
    };
    if (block.adc != 0) {
      const AdcEvent& adc = sequence_.adc.at(block.adc);
      for (std::int64_t i = 0; i < adc.samples; ++i) {
        const Vector k = k_at(adc.delay + (static_cast<double>(i) + 0.5) * adc.dwell);
        out = std::copy(k.begin(), k.end(), out);
      }
    }
    double end = std::max({block.duration, excited, turned});
    for (const Waveform& waveform : waveforms_) end = std::max(end, waveform.end());
    k_ = k_at(end);
  }

  void draw(std::size_t axis, std::int64_t id, double duration) {
    Waveform& waveform = waveforms_[axis];
    // Value of the gradient at the start of the block: the final value of the previous block if it extends to
    // its end.
    const double before = std::abs(waveform.end() - last_duration_[axis]) < 0.5 * sequence_.gradient_raster
                              ? waveform.last()
                              : 0;
    waveform.clear();
    last_duration_[axis] = duration;
    if (id == 0) return;
    const GradientEvent& event = sequence_.gradients.at(id);
    if (event.trapezoid) {
      double time = event.delay;
      waveform.add(time, 0);
      waveform.add(time += event.rise, event.amplitude);
      waveform.add(time += event.flat, event.amplitude);
      waveform.add(time + event.fall, 0);
      return;
    }
    const std::vector<double>& shape = sequence_.shapes.at(event.shape);
    points_ += shape.size();
    if (points_ > most_points) throw input_error("{}: gradients of more than {} points", name_, most_points);
    if (shape.empty()) return;
    const double raster = sequence_.gradient_raster;
    if (event.time_shape > 0) {
      const std::vector<double>& times = sequence_.shapes.at(event.time_shape);
      for (std::size_t i = 0; i < shape.size(); ++i) {
        const double time = event.delay + times[i] * raster;
        if (time < waveform.end())
          throw input_error("{}: times of shape {} decrease", name_, event.time_shape);
        waveform.add(time, event.amplitude * shape[i]);
      }
      return;
    }
    // Values are those at the centres of the raster's steps; with a raster of half steps they are those at
    // centres and edges (version 1.5).
    const double step = event.time_shape < 0 ? 0.5 * raster : raster;
    const double first = event.has_edges ? event.first : event.delay > 0 ? 0 : before;
    waveform.add(event.delay, first);
    double edge = first;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const double value = event.amplitude * shape[i];
      waveform.add(event.delay + (event.time_shape < 0 ? static_cast<double>(i + 1) * step
                                                       : (static_cast<double>(i) + 0.5) * step),
                   value);
      edge = 2 * value - edge;
    }
    const double length = event.time_shape < 0 ? static_cast<double>(shape.size() + 1) * step
                                               : static_cast<double>(shape.size()) * step;
    waveform.add(event.delay + length, event.has_edges ? event.last : edge);
  }

  Array<double> shaped(Array<double> k) const {
    constexpr double flat = 1e-3;  // residual of rephasing gradients after slice selection
    double plane = 0, depth = 0;
    for (Index i = 0; i < k.size(); ++i) {
      if (!std::isfinite(k[i])) throw input_error("{}: k-space is not finite", name_);
      (i % 3 == 2 ? depth : plane) = std::max(i % 3 == 2 ? depth : plane, std::abs(k[i]));
    }
    const Index dims = depth > flat * plane ? 3 : 2, all = k.shape()[0];
    Array<double> result(alike_ ? Shape{acquisitions_, samples_, dims} : Shape{all, dims});
    for (Index i = 0; i < all; ++i) std::copy_n(k.data() + 3 * i, dims, result.data() + dims * i);
    return result;
  }

  const Sequence& sequence_;
  const std::string& name_;
  std::array<Waveform, 3> waveforms_;
  std::array<double, 3> k_{}, last_duration_{};
  std::size_t points_ = 0;
  Index acquisitions_ = 0, samples_ = 0;
  bool alike_ = true;
};

}  // namespace

Array<double> pulseq_trajectory(std::string_view text, const std::string& name) {
  return pulseq_trajectory(parse_sequence(text, name), name);
}

Array<double> pulseq_trajectory(const Sequence& sequence, const std::string& name) {
  return Player(sequence, name).trajectory();
}

std::string pulseq_text(const std::string& path) {
  const Descriptor file = open_to_read(path);
  std::string text;
  std::array<char, 1 << 16> part{};
  for (ssize_t got = 0; (got = ::read(file.number(), part.data(), part.size())) != 0;) {
    if (got < 0) throw input_error("cannot read {}: {}", path, std::strerror(errno));
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes)
      throw input_error("{}: more than 1 GiB; this is not a Pulseq sequence", path);
  }
  return text;
}

Array<double> read_pulseq(const std::string& path) {
  return pulseq_trajectory(pulseq_text(path), path);
}

std::array<double, 3> read_pulseq_fov(const std::string& path) {
  std::array<double, 3> fov = parse_sequence(pulseq_text(path), path).fov;
  for (double& length : fov) length *= 1e3;
  return fov;
}

}  // namespace larmor
