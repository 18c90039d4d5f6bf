#include <larmor/core/error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/psf.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using C = std::complex<float>;
using std::numbers::pi;

/// |PSF| at distances along one axis, by exact sums.
class Profile {
 public:
  Profile(View<const double> trajectory, View<const double> density, int axis, Context& ctx)
      : trajectory_(trajectory), density_(density), axis_(axis), ctx_(ctx) {}

  double operator()(double distance) const {
    const Index samples = trajectory_.shape()[0], dims = trajectory_.shape()[1];
    constexpr Index grain = 4096;
    std::vector<std::complex<double>> parts(static_cast<std::size_t>((samples + grain - 1) / grain));
    std::vector<double> weights(parts.size());
    parallel_for(ctx_, samples, grain, [&](Index begin, Index end, int) {
      std::complex<double> sum = 0;
      double weight = 0;
      for (Index j = begin; j < end; ++j) {
        const double d = density_.size() > 0 ? density_[j] : 1.0;
        sum += std::polar(d, 2 * pi * trajectory_[j * dims + axis_] * distance);
        weight += d;
      }
      parts[static_cast<std::size_t>(begin / grain)] = sum;
      weights[static_cast<std::size_t>(begin / grain)] = weight;
    });
    std::complex<double> sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sum += parts[i];
      weight += weights[i];
    }
    return std::abs(sum) / weight;
  }

 private:
  View<const double> trajectory_, density_;
  int axis_;
  Context& ctx_;
};

struct Lobe {
  double half_maximum = 0, first_minimum = 0;
};

// Walks outwards in steps that no lobe of a band-limited function escapes, then halves the step of the
// crossing.
Lobe main_lobe(const Profile& profile, double extent) {
  constexpr double step = 0.125;
  Lobe lobe{0.5 * extent, 0.5 * extent};
  bool crossed = false;
  double before = 1;
  for (double x = step; x <= 0.5 * extent; x += step) {
    const double here = profile(x);
    if (!crossed && here <= 0.5) {
      crossed = true;
      double low = x - step, high = x;
      for (int i = 0; i < 20; ++i) {
        const double middle = 0.5 * (low + high);
        (profile(middle) > 0.5 ? low : high) = middle;
      }
      lobe.half_maximum = 0.5 * (low + high);
    }
    if (here > before) {
      lobe.first_minimum = x - step;
      break;
    }
    before = here;
  }
  return lobe;
}

}  // namespace

PointSpread point_spread(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                         double nufft_tolerance, Context& ctx) {
  const int dims = image_shape.rank();
  const Index samples = trajectory.shape()[0];
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims ||
      (density.size() > 0 && density.size() != samples))
    throw internal_error("point_spread: trajectory {} and density {} for an image of shape {}",
                         trajectory.shape().to_string(), density.shape().to_string(),
                         image_shape.to_string());
  double sum = 0, squares = 0;
  Array<C> weights({samples});
  for (Index j = 0; j < samples; ++j) {
    const double d = density.size() > 0 ? density[j] : 1.0;
    if (!(d >= 0) || !std::isfinite(d))
      throw input_error("density weight {} is {}, expected zero or a positive number", j, d);
    weights[j] = static_cast<float>(d);
    sum += d;
    squares += d * d;
  }
  if (!(sum > 0)) throw input_error("point-spread function: all of the {} density weights are zero", samples);

  PointSpread result;
  result.efficiency = sum / std::sqrt(static_cast<double>(samples) * squares);
  const Nufft<float> transform(trajectory, image_shape, {.tolerance = nufft_tolerance, .scaled = false}, ctx);
  result.image = moved_to(Device::cpu(), transform.adjoint(moved_to(ctx.device(), std::move(weights)), ctx));
  for (C& value : result.image) value *= static_cast<float>(1 / sum);

  Context host = ctx.host();
  std::array<double, 3> reach{1, 1, 1};
  for (int axis = 0; axis < dims; ++axis) {
    const Lobe lobe = main_lobe(Profile(trajectory, density, axis, host),
                                static_cast<double>(image_shape[dims - 1 - axis]));
    result.fwhm.push_back(2 * lobe.half_maximum);
    reach[static_cast<std::size_t>(axis)] = std::max(lobe.first_minimum, 0.5);
  }
  double energy = 0, outside = 0;
  for (Index p = 0; p < result.image.size(); ++p) {
    std::array<Index, 3> x{};
    double inside = 0;
    Index rest = p;
    for (int axis = 0; axis < dims; ++axis) {
      const Index extent = image_shape[dims - 1 - axis];
      const auto a = static_cast<std::size_t>(axis);
      x[a] = rest % extent - extent / 2;
      rest /= extent;
      inside += static_cast<double>(x[a] * x[a]) / (reach[a] * reach[a]);
    }
    const double magnitude = std::abs(std::complex<double>(result.image[p]));
    energy += magnitude * magnitude;
    if (inside <= 1) continue;
    outside += magnitude * magnitude;
    if (magnitude > result.side_lobe) {
      result.side_lobe = magnitude;
      result.at = x;
    }
  }
  result.side_lobe_energy = outside / energy;
  return result;
}

}  // namespace larmor
