#include <larmor/mri/trajectory/gradient_delay.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {

void apply_gradient_delay(double* readout, Index samples, int dims, const GradientDelay& delay) {
  if (samples < 2 || delay.zero()) return;
  const int axes = delay.z != 0 ? std::min(dims, 3) : 2;
  std::vector<double> axis[3];
  for (int a = 0; a < axes; ++a)
    for (Index r = 0; r < samples; ++r) axis[a].push_back(readout[r * dims + a]);
  const auto value = [&](int a, Index r) {
    const auto& k = axis[a];
    if (r < 0) return k[0] + static_cast<double>(r) * (k[1] - k[0]);
    if (r >= samples) {
      const auto last = static_cast<std::size_t>(samples - 1);
      return k[last] + static_cast<double>(r - samples + 1) * (k[last] - k[last - 1]);
    }
    return k[static_cast<std::size_t>(r)];
  };
  // Cubic through four neighbours (Lagrange).
  const auto at = [&](int a, double position) {
    const double floor = std::floor(position), t = position - floor;
    const auto r = static_cast<Index>(floor);
    return -t * (t - 1) * (t - 2) / 6 * value(a, r - 1) + (t + 1) * (t - 1) * (t - 2) / 2 * value(a, r) -
           (t + 1) * t * (t - 2) / 2 * value(a, r + 1) + (t + 1) * t * (t - 1) / 6 * value(a, r + 2);
  };
  for (Index r = 0; r < samples; ++r) {
    const double place = static_cast<double>(r);
    const auto slope = [&](int a) { return 0.5 * (value(a, r + 1) - value(a, r - 1)); };
    readout[r * dims] = at(0, place - delay.x) - delay.xy * slope(1);
    readout[r * dims + 1] = at(1, place - delay.y) - delay.xy * slope(0);
    if (axes == 3) readout[r * dims + 2] = at(2, place - delay.z);
  }
}

}  // namespace larmor
