#include <larmor/core/error.hpp>
#include <larmor/mri/automatic/thinned.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace LARMOR_API larmor {

Index thinning_factor(const Shape& pixels) {
  constexpr Index small = Index{1} << 20;
  if (pixels.size() < small) return 1;
  Index smallest = pixels[0], factor = 1;
  for (int axis = 1; axis < pixels.rank(); ++axis) smallest = std::min(smallest, pixels[axis]);
  while (smallest / (2 * factor) >= thinned_axis) factor *= 2;
  return factor;
}

bool can_be_thinned(const PreparedImage& frame) {
  const Index dims = frame.trajectory.shape()[1];
  if (dims != 3 || frame.readout_starts.size() < 2) return false;
  // Path along each axis, over all readouts.
  std::array<double, 3> path{};
  for (std::size_t r = 0; r + 1 < frame.readout_starts.size(); ++r)
    for (Index j = frame.readout_starts[r] + 1; j < frame.readout_starts[r + 1]; ++j)
      for (Index axis = 0; axis < 3; ++axis)
        path[static_cast<std::size_t>(axis)] +=
            std::abs(frame.trajectory[3 * j + axis] - frame.trajectory[3 * (j - 1) + axis]);
  const auto [least, most] = std::minmax_element(path.begin(), path.end());
  return *least > 0.5 * *most;
}

std::vector<PreparedImage> thinned(const std::vector<PreparedImage>& frames, Index factor) {
  std::vector<PreparedImage> result;
  for (const PreparedImage& frame : frames) {
    const Index dims = frame.trajectory.shape()[1], coils = frame.samples.shape()[0],
                all = frame.samples.shape()[1];
    std::vector<Index> kept, starts;
    const auto readouts = static_cast<Index>(frame.readout_starts.size()) - 1;
    for (Index r = 0; r < readouts; r += factor * factor) {
      starts.push_back(static_cast<Index>(kept.size()));
      const Index end = frame.readout_starts[static_cast<std::size_t>(r) + 1];
      for (Index j = frame.readout_starts[static_cast<std::size_t>(r)]; j < end; j += factor)
        kept.push_back(j);
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
