#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/central_part.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace LARMOR_API larmor {

CentralPart central_part(View<const double> trajectory, View<const std::complex<float>> samples,
                         const PerAxis& scale, const PerAxis& limit, Context& host) {
  const Index count = trajectory.shape()[0], dims = trajectory.shape()[1], coils = samples.shape()[0];
  const auto inside = [&](Index j) {
    for (Index axis = 0; axis < dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (!(std::abs(trajectory[j * dims + axis]) * scale[a] <= limit[a])) return false;
    }
    return true;
  };
  // First the number in each stretch, then their destinations.
  constexpr Index stretch = 8192;
  std::vector<Index> start(static_cast<std::size_t>((count + stretch - 1) / stretch + 1), 0);
  parallel_for(host, count, stretch, [&](Index begin, Index end, int) {
    Index found = 0;
    for (Index j = begin; j < end; ++j) found += inside(j) ? 1 : 0;
    start[static_cast<std::size_t>(begin / stretch + 1)] = found;
  });
  std::partial_sum(start.begin(), start.end(), start.begin());
  const Index size = start.back();
  CentralPart part{Array<double>({size, dims}), Array<std::complex<float>>({coils, size})};
  parallel_for(host, count, stretch, [&](Index begin, Index end, int) {
    const Index first = start[static_cast<std::size_t>(begin / stretch)];
    std::array<std::int32_t, stretch> chosen;
    std::size_t found = 0;
    for (Index j = begin; j < end; ++j)
      if (inside(j)) chosen[found++] = static_cast<std::int32_t>(j - begin);
    for (std::size_t i = 0; i < found; ++i)
      for (Index axis = 0; axis < dims; ++axis)
        part.trajectory[(first + static_cast<Index>(i)) * dims + axis] =
            trajectory[(begin + chosen[i]) * dims + axis] * scale[static_cast<std::size_t>(axis)];
    for (Index c = 0; c < coils; ++c) {
      const std::complex<float>* from = samples.data() + c * count + begin;
      std::complex<float>* to = part.samples.data() + c * size + first;
      for (std::size_t i = 0; i < found; ++i) to[i] = from[chosen[i]];
    }
  });
  return part;
}

LowResolution low_resolution(View<const double> trajectory, View<const std::complex<float>> samples,
                             const Shape& image, Index points, Index smallest, Context& host) {
  LowResolution low{image, {}};
  PerAxis scale{}, limit{0.5, 0.5, 0.5};
  for (int axis = 0; axis < image.rank(); ++axis) {
    low.grid[axis] = std::min(image[axis], (points * image[axis] + smallest - 1) / smallest);
    scale[static_cast<std::size_t>(image.rank() - 1 - axis)] =
        static_cast<double>(image[axis]) / static_cast<double>(low.grid[axis]);
  }
  low.part = central_part(trajectory, samples, scale, limit, host);
  return low;
}

}  // namespace larmor
