#include <larmor/mri/trajectory/gradient_delay.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {

void apply_gradient_delay(double* readout, Index samples, int dims, const GradientDelay& delay) {
  if (samples < 2 || delay.zero()) return;
  const int axes = delay.z != 0 ? std::min(dims, 3) : 2;
  std::vector<double> axis[3];
  for (int a = 0; a < axes; ++a) {
    axis[a].resize(static_cast<std::size_t>(samples));
    for (Index r = 0; r < samples; ++r) axis[a][static_cast<std::size_t>(r)] = readout[r * dims + a];
  }
  const auto value = [&](int a, Index r) {
    const double* k = axis[a].data();
    if (r < 0) return k[0] + static_cast<double>(r) * (k[1] - k[0]);
    if (r >= samples)
      return k[samples - 1] + static_cast<double>(r - samples + 1) * (k[samples - 1] - k[samples - 2]);
    return k[r];
  };
  const double late[3] = {delay.x, delay.y, delay.z};
  for (int a = 0; a < axes; ++a) {
    // Cubic interpolation through four neighbours (Lagrange).
    const double floor = std::floor(-late[a]), t = -late[a] - floor;
    const auto first = static_cast<Index>(floor) - 1;
    const double weights[] = {-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2,
                              -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6};
    for (Index r = 0; r < samples; ++r) {
      double k = 0;
      for (Index i = 0; i < 4; ++i) k += weights[i] * value(a, r + first + i);
      if (a < 2) k -= delay.xy * 0.5 * (value(1 - a, r + 1) - value(1 - a, r - 1));
      readout[r * dims + a] = k;
    }
  }
}

}  // namespace larmor
