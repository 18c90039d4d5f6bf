#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/calibration/calibration_quality.hpp>
#include <larmor/mri/coils/central_part.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<float>;

constexpr double hole_radius = 0.8;
constexpr Index iterations = 10;

// Samples of the centre, sorted by cells one point wide.
class Cells {
 public:
  Cells(View<const double> trajectory, const Shape& image, Index most, Context& host)
      : half_(most / 2 + 2), extent_(2 * half_ + 1), dims_(image.rank()) {
    const double limit = 0.5 * static_cast<double>(most) + 1;
    const Index samples = trajectory.shape()[0];
    constexpr Index stretch = 8192;
    std::vector<std::vector<Inner>> inner(static_cast<std::size_t>((samples + stretch - 1) / stretch));
    parallel_for(host, samples, stretch, [&](Index begin, Index end, int) {
      auto& found = inner[static_cast<std::size_t>(begin / stretch)];
      for (Index j = begin; j < end; ++j) {
        std::array<double, 3> k{};
        bool inside = true;
        for (int axis = 0; axis < dims_ && inside; ++axis) {
          const auto at = static_cast<std::size_t>(axis);
          k[at] = trajectory[j * dims_ + axis] * static_cast<double>(image[dims_ - 1 - axis]);
          inside = std::abs(k[at]) <= limit;
        }
        if (inside) found.push_back({place(cell(k)), k});
      }
    });
    start_.resize(static_cast<std::size_t>((dims_ == 3 ? extent_ : 1) * extent_ * extent_ + 1), 0);
    for (const auto& part : inner)
      for (const Inner& one : part) ++start_[one.at + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    samples_.resize(start_.back());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (const auto& part : inner)
      for (const Inner& one : part) samples_[next[one.at]++] = one.k;
  }
  /// k: a position not farther from the centre than half of `most`.
  bool sampled(const std::array<double, 3>& k) const {
    const std::array<Index, 3> centre = cell(k);
    const Index z = dims_ == 3 ? 1 : 0;
    for (Index dz = -z; dz <= z; ++dz)
      for (Index dy = -1; dy <= 1; ++dy)
        for (Index dx = -1; dx <= 1; ++dx) {
          const std::size_t at = place({centre[0] + dx, centre[1] + dy, centre[2] + dz});
          for (std::size_t i = start_[at]; i < start_[at + 1]; ++i) {
            double square = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
              square += (samples_[i][axis] - k[axis]) * (samples_[i][axis] - k[axis]);
            if (square < hole_radius * hole_radius) return true;
          }
        }
    return false;
  }

 private:
  struct Inner {
    std::size_t at;  // index of its cell
    std::array<double, 3> k;
  };
  static std::array<Index, 3> cell(const std::array<double, 3>& k) {
    return {std::lround(k[0]), std::lround(k[1]), std::lround(k[2])};
  }
  std::size_t place(const std::array<Index, 3>& cell) const {
    const Index plane = dims_ == 3 ? cell[2] + half_ : 0;
    return static_cast<std::size_t>((plane * extent_ + cell[1] + half_) * extent_ + cell[0] + half_);
  }
  Index half_, extent_;
  int dims_;
  std::vector<std::size_t> start_;  // first sample of each cell, and the end
  std::vector<std::array<double, 3>> samples_;
};

}  // namespace

Index sampled_centre(View<const double> trajectory, const Shape& image_shape, Index most, Context& ctx) {
  const int dims = image_shape.rank();
  Context host = ctx.host();
  const Cells cells(trajectory, image_shape, most, host);
  // Positions within the ball inscribed in the centre, nearest first: one pass finds the nearest hole.
  const Index half = most, z = dims == 3 ? half : 0;  // in steps of half a point
  double nearest = 0.5 * static_cast<double>(most) + 0.5;
  for (Index iz = -z; iz <= z; ++iz)
    for (Index iy = -half; iy <= half; ++iy)
      for (Index ix = -half; ix <= half; ++ix) {
        const std::array<double, 3> k{0.5 * static_cast<double>(ix), 0.5 * static_cast<double>(iy),
                                      0.5 * static_cast<double>(iz)};
        const double radius = std::hypot(k[0], k[1], k[2]);
        if (radius < nearest && radius <= 0.5 * static_cast<double>(most) && !cells.sampled(k))
          nearest = radius;
      }
  return std::min(most, static_cast<Index>(std::floor(2 * nearest)));
}

double strongest_copy(View<const double> trajectory, const Shape& image_shape, Index size, Context& ctx,
                      View<const std::complex<double>> factors) {
  const int dims = image_shape.rank();
  Context host = ctx.host();
  // Displacements in steps of half a resolved pixel: `size` points span the field of view in 2 size steps.
  Shape steps = image_shape;
  PerAxis scale{}, limit{};
  for (int axis = 0; axis < dims; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    steps[axis] = 2 * size;
    scale[at] = static_cast<double>(image_shape[dims - 1 - axis]) / static_cast<double>(2 * size);
    limit[at] = 0.25;
  }
  auto ones = filled(Shape{1, trajectory.shape()[0]}, Complex(1));
  for (Index j = 0; j < factors.size(); ++j) ones[j] = Complex(factors[j]);
  const auto [k, inside] = central_part<float>(trajectory, ones, scale, limit, host);
  if (inside.empty()) return 0;
  const Array<Complex> sums =
      Nufft<float>(k, steps, {.tolerance = 1e-3}, host).adjoint(inside.view().slice(0), host);
  const Index middle = size, near = factors.size() > 0 ? 0 : size / 4;  // an eighth of the field of view
  // The transform has a factor 1/√N.
  double object = static_cast<double>(inside.size()) / std::sqrt(static_cast<double>(steps.size())), copy = 0;
  for (Index p = 0; p < sums.size(); ++p) {
    Index rest = p, farthest = 0;
    for (int axis = dims; axis-- > 0; rest /= steps[axis])
      farthest = std::max(farthest, std::abs(rest % steps[axis] - middle));
    const double strength = std::abs(std::complex<double>(sums[p]));
    if (farthest >= near) copy = std::max(copy, strength);
  }
  return object > 0 ? copy / object : 0;
}

double unexplained_energy(View<const double> trajectory, View<const Complex> samples,
                          View<const Complex> maps, Index size, Context& ctx) {
  const int dims = maps.shape().rank() - 1;
  const Shape image = maps.shape().drop_front(1);
  const Index coils = maps.shape()[0];
  Index smallest = image[0];
  for (int axis = 1; axis < dims; ++axis) smallest = std::min(smallest, image[axis]);
  Shape low = image;
  for (int axis = 0; axis < dims; ++axis)
    low[axis] = std::min(image[axis], static_cast<Index>(std::ceil(static_cast<double>(size * image[axis]) /
                                                                   static_cast<double>(smallest))));
  PerAxis scale{}, limit{0.5, 0.5, 0.5};
  for (int axis = 0; axis < dims; ++axis)
    scale[static_cast<std::size_t>(axis)] =
        static_cast<double>(image[dims - 1 - axis]) / static_cast<double>(low[dims - 1 - axis]);
  Context host = ctx.host();
  const auto [k, y] = central_part<float>(trajectory, samples, scale, limit, host);
  if (y.empty()) return 1;
  // Maps are smooth, so the nearest pixel's values suffice.
  Array<Complex> low_maps(low.prepend(coils));
  for (Index p = 0; p < low.size(); ++p) {
    Index rest = p, nearest = 0, stride = 1;
    for (int axis = dims - 1; axis >= 0; --axis) {
      const auto moved = static_cast<Index>(
          std::lround(static_cast<double>((rest % low[axis] - low[axis] / 2) * image[axis]) /
                      static_cast<double>(low[axis])));
      nearest += std::clamp<Index>(moved + image[axis] / 2, 0, image[axis] - 1) * stride;
      stride *= image[axis];
      rest /= low[axis];
    }
    for (Index c = 0; c < coils; ++c) low_maps[c * low.size() + p] = maps[c * image.size() + nearest];
  }
  const auto A =
      Nufft<float>(k, low, {.tolerance = 1e-3, .batch = coils}, host) * CoilMaps<float>(std::move(low_maps));
  const auto x = conjugate_gradient<float>(A, y, {}, {.iterations = iterations}, host).x;
  const auto predicted = A.apply(x, host);
  double energy = 0, left = 0;
  for (Index i = 0; i < y.size(); ++i) {
    energy += std::norm(std::complex<double>(y[i]));
    left += std::norm(std::complex<double>(y[i]) - std::complex<double>(predicted[i]));
  }
  return energy > 0 ? left / energy : 1;
}

double noise_of_a_point(View<const double> trajectory, View<const Complex> samples, const Shape& image_shape,
                        Index size) {
  const int dims = image_shape.rank();
  const Index count = samples.shape()[1], coils = samples.shape()[0];
  const double points = static_cast<double>(size);
  double energy = 0, inside = 0;
  for (Index j = 0; j < count; ++j) {
    double square = 0;
    for (int axis = 0; axis < dims; ++axis)
      square += std::pow(trajectory[j * dims + axis] * static_cast<double>(image_shape[dims - 1 - axis]), 2);
    if (4 * square > points * points) continue;
    inside += 1;
    for (Index c = 0; c < coils; ++c) energy += std::norm(std::complex<double>(samples[c * count + j]));
  }
  if (!(energy > 0)) return 1;
  const double ball =
      dims == 2 ? std::numbers::pi / 4 * points * points : std::numbers::pi / 6 * points * points * points;
  return static_cast<double>(coils) * inside / energy / std::max(1.0, inside / ball);
}

}  // namespace larmor
