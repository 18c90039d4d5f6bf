#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
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
using Sums = std::vector<std::complex<double>>;

constexpr Index radius = 3;

// Positions of a grid and of another with the same centre.
struct Centred {
  const Shape from, to;
  // Index in `to` of the pixel of `from`, or of the nearest one; `inside` if it is that pixel itself.
  Index operator()(Index pixel, bool& inside) const {
    Index result = 0, stride = 1;
    inside = true;
    for (int axis = from.rank() - 1; axis >= 0; --axis) {
      const Index place = pixel % from[axis] - from[axis] / 2 + to[axis] / 2;
      pixel /= from[axis];
      inside = inside && place >= 0 && place < to[axis];
      result += std::clamp<Index>(place, 0, to[axis] - 1) * stride;
      stride *= to[axis];
    }
    return result;
  }
};

// Sums over the neighbours of every pixel, one axis after the other.
void sum_neighbours(Sums& sums, const Shape& shape) {
  Index inner = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Index extent = shape[axis], outer = shape.size() / (extent * inner);
    Sums line(static_cast<std::size_t>(extent));
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        const auto at = [&](Index x) -> std::complex<double>& {
          return sums[static_cast<std::size_t>((o * extent + x) * inner + i)];
        };
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

Array<Complex> extended_maps(View<const Complex> maps, View<const Complex> estimated, Context& ctx) {
  const Shape small = maps.shape().drop_front(1), large = estimated.shape().drop_front(1);
  const Index coils = maps.shape()[0], pixels = large.size(), inner = small.size();
  if (estimated.shape()[0] != coils || small.rank() != large.rank())
    throw usage_error("extended_maps: maps {} and an estimate {}", maps.shape().to_string(),
                      estimated.shape().to_string());
  // <estimated, given> and |estimated|² of every pixel of the given maps.
  const Centred to_large{small, large}, to_small{large, small};
  Sums cross(static_cast<std::size_t>(inner)), energy(cross.size());
  std::complex<double> all_cross = 0, all_energy = 0;
  for (Index p = 0; p < inner; ++p) {
    bool inside = false;
    const Index q = to_large(p, inside);
    for (Index c = 0; c < coils; ++c) {
      const std::complex<double> given(maps[c * inner + p]), guess(estimated[c * pixels + q]);
      // Pixels without given maps do not count.
      if (given == 0.0) continue;
      cross[static_cast<std::size_t>(p)] += std::conj(guess) * given;
      energy[static_cast<std::size_t>(p)] += std::norm(guess);
    }
    all_cross += cross[static_cast<std::size_t>(p)];
    all_energy += energy[static_cast<std::size_t>(p)];
  }
  sum_neighbours(cross, small);
  sum_neighbours(energy, small);
  const bool known = all_energy.real() > 0;

  Array<Complex> result(estimated.shape());
  parallel_for(ctx, pixels, 4096, [&](Index begin, Index end, int) {
    for (Index q = begin; q < end; ++q) {
      bool inside = false;
      const Index p = to_small(q, inside);
      const auto near = static_cast<std::size_t>(p);
      const auto factor = energy[near].real() > 0 ? cross[near] / energy[near].real()
                          : known                 ? all_cross / all_energy.real()
                                                  : std::complex<double>(0);
      for (Index c = 0; c < coils; ++c)
        result[c * pixels + q] = inside || !known
                                     ? maps[c * inner + p]
                                     : Complex(factor * std::complex<double>(estimated[c * pixels + q]));
    }
  });
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
