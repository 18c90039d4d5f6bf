#include <larmor/core/error.hpp>
#include <larmor/mri/automatic/thinned.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace LARMOR_API larmor {

namespace {

constexpr Index large_volume = Index{1} << 20, thinned_volume_axis = 32, thinned_slice_axis = 128;
constexpr Index least_spokes = 16;
// The path of a straight readout is hardly longer than the way from its first sample to its last.
constexpr double straight = 1.01;
// Iterations of slices grow with the condition number to this power: its root is their bound.
constexpr double slower = 0.6;
// Those of volumes grow with that root, and by less than in proportion to those of a part, which fall and
// rise faster with the noise: 3.3 √growth n^0.6, of smooth objects in kooshballs of 112³ to 160³
// (history.md).
constexpr double volumes_slower = 0.5, of_part = 0.6, of_one = 3.3;

/// Samples begin to end - 1.
struct Span {
  Index begin, end;
};

std::vector<Span> readouts_of(const PreparedImage& frame) {
  std::vector<Span> readouts;
  for (std::size_t r = 0; r + 1 < frame.readout_starts.size(); ++r)
    if (frame.readout_starts[r + 1] > frame.readout_starts[r])
      readouts.push_back({frame.readout_starts[r], frame.readout_starts[r + 1]});
  return readouts;
}

bool are_spokes(const PreparedImage& frame, const std::vector<Span>& readouts) {
  const double* k = frame.trajectory.data();
  for (const auto& [begin, end] : readouts) {
    double path = 0;
    for (Index j = begin + 1; j < end; ++j)
      path += std::hypot(k[2 * j] - k[2 * j - 2], k[2 * j + 1] - k[2 * j - 1]);
    const double way = std::hypot(k[2 * end - 2] - k[2 * begin], k[2 * end - 1] - k[2 * begin + 1]);
    if (path > straight * way) return false;
  }
  return true;
}

// Whether readouts go through as much of all three axes, on average.
bool is_kooshball(const PreparedImage& frame) {
  if (frame.trajectory.shape()[1] != 3) return false;
  // Path along each axis, over all readouts.
  std::array<double, 3> path{};
  for (const auto& [begin, end] : readouts_of(frame))
    for (Index j = begin + 1; j < end; ++j)
      for (Index axis = 0; axis < 3; ++axis)
        path[static_cast<std::size_t>(axis)] +=
            std::abs(frame.trajectory[3 * j + axis] - frame.trajectory[3 * (j - 1) + axis]);
  const auto [least, most] = std::minmax_element(path.begin(), path.end());
  return *least > 0.5 * *most;
}

// One of `factor` spokes by their angle; whole ones have the same one from either end.
std::vector<Span> every_spoke(const PreparedImage& frame, const std::vector<Span>& spokes, Index factor) {
  const double* k = frame.trajectory.data();
  std::vector<std::pair<double, Span>> sorted;
  for (const Span& spoke : spokes) {
    const double *first = k + 2 * spoke.begin, *last = k + 2 * (spoke.end - 1);
    double angle = std::atan2(last[1] - first[1], last[0] - first[0]);
    const bool whole = first[0] * last[0] + first[1] * last[1] < 0;
    if (whole && angle < 0) angle += std::numbers::pi;
    sorted.push_back({angle, spoke});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Span> chosen;
  for (std::size_t i = 0; i < sorted.size(); i += static_cast<std::size_t>(factor))
    chosen.push_back(sorted[i].second);
  return chosen;
}

}  // namespace

Index thinning_factor(const PreparedImage& frame, const Shape& pixels) {
  const Index dims = frame.trajectory.shape()[1];
  if (dims == 3 && pixels.size() < large_volume) return 1;
  Index smallest = pixels[0], factor = 1;
  for (int axis = 1; axis < pixels.rank(); ++axis) smallest = std::min(smallest, pixels[axis]);
  const std::vector<Span> readouts = readouts_of(frame);
  const Index least = dims == 3 ? thinned_volume_axis : thinned_slice_axis;
  while (smallest / (2 * factor) >= least &&
         (dims == 3 || static_cast<Index>(readouts.size()) >= 2 * factor * least_spokes))
    factor *= 2;
  if (factor == 1 || readouts.size() < 2) return 1;
  return (dims == 3 ? is_kooshball(frame) : are_spokes(frame, readouts)) ? factor : 1;
}

std::vector<PreparedImage> thinned(const std::vector<PreparedImage>& frames, Index factor) {
  std::vector<PreparedImage> result;
  for (const PreparedImage& frame : frames) {
    const Index dims = frame.trajectory.shape()[1], coils = frame.samples.shape()[0],
                all = frame.samples.shape()[1];
    std::vector<Span> readouts = readouts_of(frame), chosen;
    if (dims == 2)
      chosen = every_spoke(frame, readouts, factor);
    else
      for (std::size_t r = 0; r < readouts.size(); r += static_cast<std::size_t>(factor * factor))
        chosen.push_back(readouts[r]);
    std::vector<Index> kept, starts;
    for (const auto& [begin, end] : chosen) {
      starts.push_back(static_cast<Index>(kept.size()));
      for (Index j = begin; j < end; j += factor) kept.push_back(j);
    }
    starts.push_back(static_cast<Index>(kept.size()));
    const auto count = static_cast<Index>(kept.size());
    PreparedImage& thin = result.emplace_back();
    thin.trajectory = Array<double>({count, dims});
    thin.samples = Array<std::complex<float>>({coils, count});
    for (Index i = 0; i < count; ++i) {
      const Index j = kept[static_cast<std::size_t>(i)];
      std::copy_n(frame.trajectory.data() + j * dims, dims, thin.trajectory.data() + i * dims);
      for (Index c = 0; c < coils; ++c) thin.samples[c * count + i] = frame.samples[c * all + j];
    }
    thin.readout_starts = std::move(starts);
  }
  return result;
}

void carry_over(AutomaticCandidate& found, double largest_eigenvalue, int dims) {
  const double growth = largest_eigenvalue / found.choice.largest_eigenvalue, worse = std::max(1.0, growth);
  const auto carried = [&](TikhonovTrial trial) {
    const auto n = static_cast<double>(trial.iterations);
    trial.lambda /= growth;
    trial.iterations = static_cast<Index>(
        std::ceil(dims == 3 ? of_one * std::pow(worse, volumes_slower) * std::pow(n, of_part)
                            : std::pow(worse, slower) * n));
    return trial;
  };
  found.choice.largest_eigenvalue = largest_eigenvalue;
  found.choice.near_best = carried({0, found.choice.near_best, 0}).iterations;
  found.choice.best = carried(found.choice.best);
  for (TikhonovTrial& trial : found.choice.curve) trial = carried(trial);
}

Shape thinned(const Shape& pixels, Index factor) {
  Shape result = pixels;
  for (int axis = 0; axis < pixels.rank(); ++axis) result[axis] /= factor;
  return result;
}

template <typename T>
CoilMaps<T> thinned(const CoilMaps<T>& maps, Index factor, Context& ctx) {
  const auto all = copied_to(Device::cpu(), maps.maps());
  const Shape from = all.shape().drop_front(1), to = thinned(from, factor);
  const Index coils = all.shape()[0];
  Array<std::complex<T>> few(to.prepend(coils));
  for (Index p = 0; p < to.size(); ++p) {
    Index rest = p, place = 0, stride = 1;
    for (int axis = to.rank() - 1; axis >= 0; --axis) {
      const Index i = rest % to[axis];
      rest /= to[axis];
      place += stride * ((i - to[axis] / 2) * factor + from[axis] / 2);
      stride *= from[axis];
    }
    for (Index c = 0; c < coils; ++c) few[c * to.size() + p] = all[c * from.size() + place];
  }
  return CoilMaps<T>(moved_to(ctx.device(), std::move(few), maps.placement()));
}

template CoilMaps<float> thinned<float>(const CoilMaps<float>&, Index, Context&);
template CoilMaps<double> thinned<double>(const CoilMaps<double>&, Index, Context&);

}  // namespace larmor
