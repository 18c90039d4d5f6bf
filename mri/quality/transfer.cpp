#include <larmor/core/format_error.hpp>
#include <larmor/mri/quality/shells.hpp>
#include <larmor/mri/quality/transfer.hpp>
#include <larmor/operators/fft.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

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

template <typename T>
Transfer transfer_of(View<const std::complex<T>> x, std::type_identity_t<View<const std::complex<T>>> image,
                     int dims, Context& ctx) {
  const Shape shape = image.shape();
  if (x.shape() != shape)
    throw usage_error("transfer: an image of shape {} of one of {}", x.shape().to_string(),
                      shape.to_string());
  const Fft<T> fft(shape, dims);
  const auto made = copied_to(Device::cpu(), fft.apply(x, ctx)),
             given = copied_to(Device::cpu(), fft.apply(image, ctx));
  const Shells cells(shape, dims);
  std::vector<ShellTransfer> shells(static_cast<std::size_t>(cells.count()));
  const auto shell_of = cells.of_all(ctx);
  for (std::size_t i = 0; i < shell_of.size(); ++i) {
    const std::complex<double> a(given.data()[i]), b(made.data()[i]);
    ShellTransfer& shell = shells[static_cast<std::size_t>(shell_of[i])];
    shell.power += std::norm(a);
    shell.common += (std::conj(a) * b).real();
  }
  return transfer_of_shells(shells, cells.to_edge());
}

template Transfer transfer_of<float>(View<const std::complex<float>>, View<const std::complex<float>>, int,
                                     Context&);
template Transfer transfer_of<double>(View<const std::complex<double>>, View<const std::complex<double>>, int,
                                      Context&);

}  // namespace larmor
