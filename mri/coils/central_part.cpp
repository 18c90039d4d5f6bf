#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/central_part.hpp>

#include <cmath>
#include <vector>

namespace LARMOR_API larmor {

template <typename T>
CentralPart<T> central_part(View<const double> trajectory, View<const std::complex<float>> samples,
                            const PerAxis& scale, const PerAxis& limit, Context& host) {
  const Index count = trajectory.shape()[0], dims = trajectory.shape()[1], coils = samples.shape()[0];
  std::vector<Index> chosen;
  for (Index j = 0; j < count; ++j) {
    bool inside = true;
    for (Index axis = 0; axis < dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      inside = inside && std::abs(trajectory[j * dims + axis]) * scale[a] <= limit[a];
    }
    if (inside) chosen.push_back(j);
  }
  const auto size = static_cast<Index>(chosen.size());
  CentralPart<T> part{Array<double>({size, dims}), Array<std::complex<T>>({coils, size})};
  for (Index i = 0; i < size; ++i)
    for (Index axis = 0; axis < dims; ++axis)
      part.trajectory[i * dims + axis] = trajectory[chosen[static_cast<std::size_t>(i)] * dims + axis] *
                                         scale[static_cast<std::size_t>(axis)];
  parallel_for(host, coils, 1, [&](Index begin, Index end, int) {
    for (Index c = begin; c < end; ++c)
      for (Index i = 0; i < size; ++i)
        part.samples[c * size + i] = samples[c * count + chosen[static_cast<std::size_t>(i)]];
  });
  return part;
}

template CentralPart<float> central_part<float>(View<const double>, View<const std::complex<float>>,
                                                const PerAxis&, const PerAxis&, Context&);
template CentralPart<double> central_part<double>(View<const double>, View<const std::complex<float>>,
                                                  const PerAxis&, const PerAxis&, Context&);

}  // namespace larmor
