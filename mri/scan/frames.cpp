#include <larmor/mri/scan/frames.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace larmor {

Frames frames_by_window(Index readouts, const FrameWindow& window) {
  const Index step = window.step > 0 ? window.step : window.readouts;
  if (window.readouts < 1 || window.readouts > readouts)
    throw usage_error("a window of {} readouts, but the image has {}", window.readouts, readouts)
        .about("window");
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
      throw input_error("the bin of readout {} is {}, expected an integer from 0 to {}, or −1 for no bin",
                        i / axes, value, most_bins);
    auto& count = counts[static_cast<std::size_t>(i % axes)];
    count = std::max(count, static_cast<Index>(value) + 1);
  }
  Frames frames;
  frames.shape = Shape(counts.data(), static_cast<int>(axes));
  if (frames.shape.size() < 1) throw input_error("no readout belongs to a bin");
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
    throw input_error("bin ({}) of {} has no readout: number the bins without gaps", place,
                      frames.shape.to_string());
  }
  return frames;
}

std::vector<PreparedImage> split_frames(const PreparedImage& whole, const Frames& frames, Context* workers) {
  const auto& starts = whole.readout_starts;
  const Index readouts = static_cast<Index>(starts.size()) - 1, dims = whole.trajectory.shape()[1];
  const Index coils = whole.samples.shape()[0], samples = whole.samples.shape()[1];
  std::vector<PreparedImage> result(frames.readouts.size());
  const auto copy_frame = [&](std::size_t f) {
    const std::vector<Index>& chosen = frames.readouts[f];
    PreparedImage& frame = result[f];
    frame.readout_starts.push_back(0);
    for (const Index r : chosen) {
      if (r < 0 || r >= readouts)
        throw internal_error("split_frames: readout {} of an image that has {}", r, readouts);
      frame.readout_starts.push_back(frame.readout_starts.back() + starts[static_cast<std::size_t>(r + 1)] -
                                     starts[static_cast<std::size_t>(r)]);
    }
    const Index count = frame.readout_starts.back();
    if (count == 0) throw input_error("frame {} has no sample within k-space of the recon grid", f);
    const auto gather = [&](const auto* from, Index width, auto* to) {
      for (const Index r : chosen) {
        const Index first = starts[static_cast<std::size_t>(r)],
                    last = starts[static_cast<std::size_t>(r + 1)];
        to = std::copy(from + first * width, from + last * width, to);
      }
    };
    const auto gathered = [&]<typename Value>(const Array<Value>& from, Index width) {
      if (from.empty()) return Array<Value>();
      Array<Value> to(width > 1 ? Shape{count, width} : Shape{count});
      gather(from.data(), width, to.data());
      return to;
    };
    frame.trajectory = gathered(whole.trajectory, dims);
    frame.weights = gathered(whole.weights, 1);
    frame.times = gathered(whole.times, 1);
    if (!whole.bands.empty()) frame.bands = gathered(whole.bands, whole.bands.shape()[1]);
    frame.samples = Array<std::complex<float>>({coils, count});
    for (Index c = 0; c < coils; ++c)
      gather(whole.samples.data() + c * samples, 1, frame.samples.data() + c * count);
  };
  share_readouts(result.size(), workers, copy_frame, 1);
  return result;
}

PreparedImage joined_frames(const std::vector<PreparedImage>& frames) {
  const Index dims = frames.front().trajectory.shape()[1], coils = frames.front().samples.shape()[0];
  Index total = 0;
  for (const PreparedImage& frame : frames) total += frame.trajectory.shape()[0];
  PreparedImage all;
  all.trajectory = Array<double>({total, dims});
  all.samples = Array<std::complex<float>>({coils, total});
  if (!frames.front().weights.empty()) all.weights = Array<double>({total});
  if (!frames.front().times.empty()) all.times = Array<double>({total});
  const Index bands = frames.front().bands.empty() ? 0 : frames.front().bands.shape()[1];
  if (bands > 0) all.bands = Array<std::complex<double>>({total, bands});
  all.readout_starts.push_back(0);
  Index first = 0;
  for (const PreparedImage& frame : frames) {
    const Index count = frame.trajectory.shape()[0];
    if (frame.weights.empty() != all.weights.empty() || frame.times.empty() != all.times.empty())
      throw internal_error("joined_frames: some frames have weights or times and some have none");
    std::copy(frame.trajectory.begin(), frame.trajectory.end(), all.trajectory.begin() + first * dims);
    if (!all.weights.empty())
      std::copy(frame.weights.begin(), frame.weights.end(), all.weights.begin() + first);
    if (!all.times.empty()) std::copy(frame.times.begin(), frame.times.end(), all.times.begin() + first);
    std::copy(frame.bands.begin(), frame.bands.end(), all.bands.begin() + first * bands);
    for (Index c = 0; c < coils; ++c)
      std::copy_n(frame.samples.data() + c * count, count, all.samples.data() + c * total + first);
    for (std::size_t r = 1; r < frame.readout_starts.size(); ++r)
      all.readout_starts.push_back(first + frame.readout_starts[r]);
    first += count;
  }
  return all;
}

namespace {

// The rows of a file of bins for some readouts.
Array<double> bins_of(View<const double> bins, const ScanPlan& plan,
                      const std::vector<std::size_t>& readouts) {
  const auto rows = bins.shape().rank() > 0 ? bins.shape()[0] : 0;
  const auto wanted = static_cast<Index>(readouts.size());
  if (rows != static_cast<Index>(plan.imaging.size())) {
    if (rows == wanted) return clone(bins);
    throw input_error("bins of shape {}, expected one row for each of {} imaging readouts{}",
                      bins.shape().to_string(), plan.imaging.size(),
                      wanted != static_cast<Index>(plan.imaging.size())
                          ? fmt::format(", or of the {} of a slice", wanted)
                          : "");
  }
  Shape shape = bins.shape();
  shape[0] = wanted;
  const Index width = shape.drop_front(1).size();
  Array<double> result(shape);
  for (std::size_t r = 0; r < readouts.size(); ++r) {
    const auto place =
        std::lower_bound(plan.imaging.begin(), plan.imaging.end(), readouts[r]) - plan.imaging.begin();
    std::copy_n(bins.data() + place * width, width, result.data() + static_cast<Index>(r) * width);
  }
  return result;
}

}  // namespace

std::vector<PlannedSeries> plan_series(const ScanPlan& plan, const SeriesChoice& choice) {
  const bool binned = choice.bins.size() > 0, framed = binned || choice.window.has_value();
  if (binned && choice.window)
    throw usage_error("frames are defined by a window or by bins, not by both").about("window");
  std::vector<PlannedSeries> result;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const std::uint16_t slice = plan.images[i].counters.slice;
    auto series = std::find_if(result.begin(), result.end(), [&](const auto& s) { return s.slice == slice; });
    if (series == result.end() || !(framed || choice.join_images)) {
      series = result.insert(result.end(), PlannedSeries{});
      series->slice = slice;
    }
    series->images.push_back(i);
  }
  for (PlannedSeries& series : result) {
    if (framed) {
      std::vector<std::size_t> readouts;
      for (const std::size_t i : series.images)
        readouts.insert(readouts.end(), plan.images[i].readouts.begin(), plan.images[i].readouts.end());
      const auto count = static_cast<Index>(readouts.size());
      series.frames = binned ? frames_by_bins(bins_of(choice.bins, plan, readouts), count)
                             : frames_by_window(count, *choice.window);
      series.shape = series.frames->shape;
    } else if (choice.join_images) {
      series.shape = {static_cast<Index>(series.images.size())};
    }
  }
  return result;
}

namespace {

/// A plan with fewer readouts, and a series of them.
struct PartOfPlan {
  ScanPlan plan;
  PlannedSeries series;
};

// Only the readouts that belong to frames: frames that are solved one by one would otherwise load the whole
// series each. Nothing if these are all, or if the number of usable samples per readout is not known.
std::optional<PartOfPlan> readouts_of_use(const Scan& scan, const ScanPlan& plan,
                                          const PlannedSeries& series) {
  std::vector<char> used;
  for (const auto& frame : series.frames->readouts)
    for (const Index place : frame) {
      used.resize(std::max(used.size(), static_cast<std::size_t>(place) + 1), 0);
      used[static_cast<std::size_t>(place)] = 1;
    }
  PartOfPlan part{plan, series};
  part.series.images.clear();
  std::vector<Index> places;  // new index of each readout
  Index kept = 0;
  for (const std::size_t i : series.images) {
    PlannedImage& image = part.plan.images[i];
    if (image.dropped > 0) return std::nullopt;
    const auto before = std::exchange(image.readouts, {});
    image.samples = 0;
    for (const std::size_t readout : before) {
      const bool wanted = places.size() < used.size() && used[places.size()];
      places.push_back(wanted ? kept++ : -1);
      if (!wanted) continue;
      image.readouts.push_back(readout);
      image.samples += kept_samples(scan.readouts[readout].header);
    }
    if (!image.readouts.empty()) part.series.images.push_back(i);
  }
  if (plan.reading.sample_times || kept == static_cast<Index>(places.size())) return std::nullopt;
  for (auto& frame : part.series.frames->readouts)
    for (Index& place : frame) place = places.at(static_cast<std::size_t>(place));
  return part;
}

}  // namespace

std::vector<PreparedImage> load_series(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                                       const PlannedSeries& series, Context& ctx) {
  if (series.frames)
    if (const auto part = readouts_of_use(scan, plan, series))
      return load_series(scan, part->plan, channels, part->series, ctx);
  std::vector<PreparedImage> images;
  for (const std::size_t i : series.images) images.push_back(load_image(scan, plan, channels, i, ctx));
  if (!series.frames) return images;
  return split_frames(images.size() == 1 ? std::move(images.front()) : joined_frames(images), *series.frames,
                      &ctx);
}

}  // namespace larmor
