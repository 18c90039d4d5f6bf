#include <larmor/mri/quality/transfer.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Power of a shell, relative to the largest, that counts as zero.
constexpr double negligible_power = 1e-10;

double transfer(const ShellTransfer& shell) {
  return shell.common / shell.power;
}

}  // namespace

Transfer transfer_of_shells(const std::vector<ShellTransfer>& shells, double to_edge) {
  double largest = 0, all = 0, lost = 0, radius = 0;
  for (const ShellTransfer& shell : shells) largest = std::max(largest, shell.power);
  const ShellTransfer *centre = nullptr, *before = nullptr;
  bool fallen = false;
  for (const ShellTransfer& shell : shells) {
    if (!(shell.power > negligible_power * largest)) continue;
    const double t = transfer(shell);
    all += shell.power;
    lost += (1 - t) * (1 - t) * shell.power;
    if (!centre) centre = &shell;
    const auto place = static_cast<double>(&shell - shells.data());
    const double half = 0.5 * transfer(*centre);
    if (!fallen && t < half && before) {
      const double step = static_cast<double>(&shell - before);
      radius = place + 0.5 - step * (half - t) / (transfer(*before) - t);
      fallen = true;
    }
    if (!fallen) radius = place + 1;
    before = &shell;
  }
  Transfer result;
  if (!(all > 0)) return result;
  result.bias = std::sqrt(lost / all);
  result.resolution = to_edge / std::min(radius, to_edge);
  return result;
}

}  // namespace larmor
