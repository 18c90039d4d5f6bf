#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/extend_maps.hpp>
#include <larmor/mri/coils/central_part.hpp>
#include <larmor/mri/scan/grids.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using Sums = Array<std::complex<double>>;

constexpr Index radius = 3;

// Sums over the neighbours of every pixel, one axis after the other.
void sum_neighbours(Sums& sums) {
  const Shape& shape = sums.shape();
  Index inner = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Index extent = shape[axis], outer = shape.size() / (extent * inner);
    std::vector<std::complex<double>> line(static_cast<std::size_t>(extent));
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        const auto at = [&](Index x) -> std::complex<double>& { return sums[(o * extent + x) * inner + i]; };
        for (Index x = 0; x < extent; ++x) line[static_cast<std::size_t>(x)] = at(x);
        for (Index x = 0; x < extent; ++x) {
          at(x) = 0;
          for (Index y = std::max<Index>(0, x - radius); y <= std::min(extent - 1, x + radius); ++y)
            at(x) += line[static_cast<std::size_t>(y)];
        }
      }
    inner *= extent;
  }
}

}  // namespace

Array<Complex> extended_maps(View<const Complex> maps, View<const Complex> estimated) {
  const Shape small = maps.shape().drop_front(1), large = estimated.shape().drop_front(1);
  const Index coils = maps.shape()[0], pixels = large.size(), inner = small.size();
  if (estimated.shape()[0] != coils || small.rank() != large.rank())
    throw usage_error("extended_maps: maps {} and an estimate {}", maps.shape().to_string(),
                      estimated.shape().to_string());
  // <estimated, given> and |estimated|² of every pixel of the given maps.
  const Array<Complex> middle = cropped<Complex>(estimated, small);
  Sums cross = filled(small, std::complex<double>(0)), energy = clone(cross.view());
  std::complex<double> all_cross = 0, all_energy = 0;
  for (Index i = 0; i < maps.size(); ++i) {
    // Pixels without given maps do not count.
    if (maps[i] == 0.0F) continue;
    const std::complex<double> given(maps[i]), guess(middle[i]);
    cross[i % inner] += std::conj(guess) * given;
    energy[i % inner] += std::norm(guess);
  }
  for (Index p = 0; p < inner; ++p) {
    all_cross += cross[p];
    all_energy += energy[p];
  }
  Array<Complex> result = extended<Complex>(maps, large, std::nullopt);
  if (!(all_energy.real() > 0)) return result;
  sum_neighbours(cross);
  sum_neighbours(energy);
  for (Index p = 0; p < inner; ++p)
    cross[p] = energy[p].real() > 0 ? cross[p] / energy[p].real() : all_cross / all_energy.real();
  const auto factors = extended<std::complex<double>>(cross, large, std::nullopt);
  const auto outside = extended<float>(filled(small, 0.0F), large, 1.0F);
  for (Index i = 0; i < result.size(); ++i)
    if (outside[i % pixels] != 0)
      result[i] = Complex(factors[i % pixels] * std::complex<double>(estimated[i]));
  return result;
}

bool zero_at_border(View<const Complex> maps) {
  const Shape pixels = maps.shape().drop_front(1);
  for (Index i = 0; i < maps.size(); ++i) {
    if (maps[i] == 0.0F) continue;
    Index rest = i % pixels.size();
    for (int axis = pixels.rank() - 1; axis >= 0; --axis) {
      const Index place = rest % pixels[axis];
      rest /= pixels[axis];
      if (pixels[axis] > 1 && (place == 0 || place == pixels[axis] - 1)) return false;
    }
  }
  return true;
}

double energy_beyond(View<const double> trajectory, View<const Complex> samples, const Shape& large,
                     const Shape& small, Index points, Context& ctx) {
  const int dims = large.rank();
  Context host = ctx.host();
  const LowResolution centre =
      low_resolution(trajectory, samples, large, points, *std::min_element(small.begin(), small.end()), host);
  const Shape& low = centre.grid;
  const auto& [k, y] = centre.part;
  if (y.empty()) return 1;
  const auto A = Nufft<float>(k, low, {.tolerance = 1e-3, .batch = y.shape()[0]}, host);
  constexpr Index iterations = 10;
  const auto image = conjugate_gradient<float>(A, y, {}, {.iterations = iterations}, host).x;
  const auto smooth = hann_filtered<float>(image, dims, host);  // bright points have no side lobes
  double beyond = 0, all = 0;
  for (Index i = 0; i < smooth.size(); ++i) {
    Index rest = i % low.size();
    bool outside = false;
    for (int axis = dims - 1; axis >= 0; --axis) {
      const double pixels = static_cast<double>(large[axis]) / static_cast<double>(low[axis]);
      const double place = static_cast<double>(rest % low[axis] - low[axis] / 2) * pixels;
      rest /= low[axis];
      outside = outside || std::abs(place) > 0.5 * static_cast<double>(small[axis]) + pixels;
    }
    const double energy = std::norm(std::complex<double>(smooth[i]));
    all += energy;
    if (outside) beyond += energy;
  }
  return all > 0 ? beyond / all : 0;
}

}  // namespace larmor
