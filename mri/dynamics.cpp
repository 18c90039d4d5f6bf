#include <larmor/core/error.hpp>
#include <larmor/mri/dynamics.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace larmor {

FrameWindow parse_frame_window(std::string_view text) {
  const auto wrong = [&] {
    return usage_error(
        "--window '{}': expected readouts per frame and, after a comma, the step, such as 34 or "
        "34,8",
        text);
  };
  const auto number = [&](std::string_view part) {
    Index value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < 1) throw wrong();
    return value;
  };
  const std::size_t comma = text.find(',');
  FrameWindow window;
  window.readouts = number(text.substr(0, comma));
  window.step = comma == std::string_view::npos ? window.readouts : number(text.substr(comma + 1));
  return window;
}

Frames frames_by_window(Index readouts, const FrameWindow& window) {
  const Index step = window.step > 0 ? window.step : window.readouts;
  if (window.readouts < 1 || window.readouts > readouts)
    throw usage_error("a window of {} readouts, but the image has {}", window.readouts, readouts);
  Frames frames;
  for (Index first = 0; first + window.readouts <= readouts; first += step) {
    auto& frame = frames.readouts.emplace_back();
    for (Index r = 0; r < window.readouts; ++r) frame.push_back(first + r);
  }
  frames.shape = {frames.count()};
  const Index covered =
      step <= window.readouts ? frames.readouts.back().back() + 1 : frames.count() * window.readouts;
  frames.unused = readouts - covered;
  return frames;
}

Frames frames_by_bins(View<const double> bins, Index readouts) {
  const int rank = bins.shape().rank();
  if (rank < 1 || rank > 2 || bins.shape()[0] != readouts)
    throw input_error("bins of shape {} for {} readouts, expected [{}] or [{}, axes]",
                      bins.shape().to_string(), readouts, readouts, readouts);
  const Index axes = rank == 2 ? bins.shape()[1] : 1;
  if (axes < 1 || axes > 4) throw input_error("bins along {} axes, expected 1 to 4", axes);
  constexpr double most_bins = 10000;
  std::vector<Index> counts(static_cast<std::size_t>(axes), 0);
  for (Index i = 0; i < bins.size(); ++i) {
    const double value = bins[i];
    if (!(value == std::floor(value)) || std::abs(value) > most_bins)
      throw input_error("bin of readout {} is {}, expected an integer from 0 to {}, or −1 for none", i / axes,
                        value, most_bins);
    auto& count = counts[static_cast<std::size_t>(i % axes)];
    count = std::max(count, static_cast<Index>(value) + 1);
  }
  Frames frames;
  frames.shape = Shape(counts.data(), static_cast<int>(axes));
  if (frames.shape.size() < 1) throw input_error("the bins hold no readout");
  if (frames.shape.size() > readouts)
    throw input_error("{} bins for {} readouts: some would be empty", frames.shape.size(), readouts);
  frames.readouts.resize(static_cast<std::size_t>(frames.shape.size()));
  for (Index r = 0; r < readouts; ++r) {
    Index frame = 0;
    for (Index a = 0; a < axes && frame >= 0; ++a) {
      const double bin = bins[r * axes + a];
      frame = bin < 0 ? -1 : frame * frames.shape[static_cast<int>(a)] + static_cast<Index>(bin);
    }
    if (frame < 0)
      ++frames.unused;
    else
      frames.readouts[static_cast<std::size_t>(frame)].push_back(r);
  }
  for (Index f = 0; f < frames.count(); ++f) {
    if (!frames.readouts[static_cast<std::size_t>(f)].empty()) continue;
    std::string place;
    Index rest = f;
    for (int a = static_cast<int>(axes) - 1; a >= 0; --a) {
      place = std::to_string(rest % frames.shape[a]) + (place.empty() ? "" : ", ") + place;
      rest /= frames.shape[a];
    }
    throw input_error("no readout in bin ({}) of {}: number bins without gaps", place,
                      frames.shape.to_string());
  }
  return frames;
}

std::vector<PreparedImage> split_frames(const PreparedImage& whole, const Frames& frames) {
  const auto& starts = whole.readout_starts;
  const Index readouts = static_cast<Index>(starts.size()) - 1, dims = whole.trajectory.shape()[1];
  const Index coils = whole.samples.shape()[0], samples = whole.samples.shape()[1];
  std::vector<PreparedImage> result;
  for (const auto& chosen : frames.readouts) {
    std::vector<Index> columns;
    PreparedImage& frame = result.emplace_back();
    frame.readout_starts.push_back(0);
    for (const Index r : chosen) {
      if (r < 0 || r >= readouts)
        throw internal_error("split_frames: readout {} of an image that has {}", r, readouts);
      for (Index j = starts[static_cast<std::size_t>(r)]; j < starts[static_cast<std::size_t>(r + 1)]; ++j)
        columns.push_back(j);
      frame.readout_starts.push_back(static_cast<Index>(columns.size()));
    }
    const Index count = static_cast<Index>(columns.size());
    if (count == 0)
      throw input_error("frame {} has no sample within k-space of the recon grid", result.size() - 1);
    const auto gathered = [&](const Array<double>& from, Index width) {
      if (from.empty()) return Array<double>();
      Array<double> to(width > 1 ? Shape{count, width} : Shape{count});
      for (Index i = 0; i < count; ++i)
        std::copy_n(from.data() + columns[static_cast<std::size_t>(i)] * width, width, to.data() + i * width);
      return to;
    };
    frame.trajectory = gathered(whole.trajectory, dims);
    frame.weights = gathered(whole.weights, 1);
    frame.times = gathered(whole.times, 1);
    frame.samples = Array<std::complex<float>>({coils, count});
    for (Index c = 0; c < coils; ++c)
      for (Index i = 0; i < count; ++i)
        frame.samples[c * count + i] = whole.samples[c * samples + columns[static_cast<std::size_t>(i)]];
  }
  return result;
}

}  // namespace larmor
