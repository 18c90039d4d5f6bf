#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/centred_fft.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <math.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;
using Point = std::array<double, 3>;

// Rotates into the axes of a part.
Point turned(const Point& p, double cosine, double sine) {
  return {cosine * p[0] + sine * p[1], -sine * p[0] + cosine * p[1], p[2]};
}

// Transform of the unit disk at radius q (cycles per radius): J1(2πq)/q.
double unit_disk(double q) {
  if (q < 1e-6) return pi;
  return ::j1(2 * pi * q) / q;
}

// Transform of the unit ball: (sin a − a cos a) / (2π² q³), a = 2πq; a series near 0, where the difference
// cancels.
double unit_ball(double q) {
  const double a = 2 * pi * q;
  if (a < 0.02) return 4 * pi / 3 * (1 - a * a / 10 + a * a * a * a / 280);
  return (std::sin(a) - a * std::cos(a)) / (2 * pi * pi * q * q * q);
}

double sinc(double x) {
  return std::abs(x) < 1e-8 ? 1.0 : std::sin(pi * x) / (pi * x);
}

// Centre of pixel `index` of `extent` in fractions of the field of view.
double pixel_position(Index index, Index extent) {
  return static_cast<double>(index - extent / 2) / static_cast<double>(extent);
}

Complex sensitivity(const CoilSensitivity& coil, const Point& position) {
  Complex sum = 0;
  for (const auto& term : coil) {
    const auto& f = term.frequency;
    sum += term.amplitude *
           std::polar(1.0, 2 * pi * (f[0] * position[0] + f[1] * position[1] + f[2] * position[2]));
  }
  return sum;
}

Point pixel_centre(Index pixel, const Shape& shape) {
  Point position{0, 0, 0};
  for (int axis = shape.rank() - 1, column = 0; axis >= 0; --axis, ++column) {
    position[static_cast<std::size_t>(column)] = pixel_position(pixel % shape[axis], shape[axis]);
    pixel /= shape[axis];
  }
  return position;
}

}  // namespace

Phantom::Phantom(int dims, std::vector<PhantomPart> parts, std::vector<CoilSensitivity> coils)
    : dims_(dims), coils_(std::move(coils)) {
  if (dims != 2 && dims != 3) throw usage_error("phantom of {} dimensions, expected 2 or 3", dims);
  if (coils_.empty()) throw usage_error("phantom without coils, at least 1 is needed");
  for (const auto& part : parts) {
    for (int axis = 0; axis < dims; ++axis)
      if (!(part.radii[static_cast<std::size_t>(axis)] > 0))
        throw usage_error("phantom part with radius {}, expected a positive number",
                          part.radii[static_cast<std::size_t>(axis)]);
    parts_.push_back({part, std::cos(part.angle), std::sin(part.angle)});
  }
  for (std::size_t c = 0; c < coils_.size(); ++c)
    for (const auto& term : coils_[c]) {
      auto same = std::find_if(exponentials_.begin(), exponentials_.end(),
                               [&](const Exponential& e) { return e.frequency == term.frequency; });
      if (same == exponentials_.end())
        same = exponentials_.insert(same, {term.frequency, std::vector<Complex>(coils_.size(), 0.0)});
      same->amplitudes[c] += term.amplitude;
    }
}

void Phantom::require_shape(const Shape& image_shape) const {
  if (image_shape.rank() != dims_)
    throw internal_error("phantom of {} dimensions for an image of shape {}", dims_, image_shape.to_string());
}

// ∫ρ exp(−2πi u·x) dx, everything in fields of view.
Complex Phantom::transform(const Point& u) const {
  Complex sum = 0;
  for (const auto& [part, cosine, sine] : parts_) {
    const Point v = turned(u, cosine, sine);
    const auto& r = part.radii;
    const double volume = r[0] * r[1] * (dims_ == 3 ? r[2] : 1.0);
    const double z = dims_ == 3 ? v[2] * r[2] : 0.0;
    double form = 0;
    switch (part.kind) {
      case PhantomPart::Kind::ellipsoid: {
        const double q = std::sqrt(v[0] * v[0] * r[0] * r[0] + v[1] * v[1] * r[1] * r[1] + z * z);
        form = dims_ == 3 ? unit_ball(q) : unit_disk(q);
        break;
      }
      case PhantomPart::Kind::box:
        form = (dims_ == 3 ? 8 : 4) * sinc(2 * v[0] * r[0]) * sinc(2 * v[1] * r[1]) * sinc(2 * z);
        break;
      case PhantomPart::Kind::gaussian:
        form = std::pow(2 * pi, 0.5 * dims_) *
               std::exp(-2 * pi * pi * (v[0] * v[0] * r[0] * r[0] + v[1] * v[1] * r[1] * r[1] + z * z));
        break;
    }
    const double cycles =
        u[0] * part.centre[0] + u[1] * part.centre[1] + (dims_ == 3 ? u[2] * part.centre[2] : 0.0);
    sum += part.intensity * volume * form * std::polar(1.0, -2 * pi * cycles);
  }
  return sum;
}

Complex Phantom::value(const Point& position) const {
  Complex sum = 0;
  for (const auto& [part, cosine, sine] : parts_) {
    const Point offset =
        turned({position[0] - part.centre[0], position[1] - part.centre[1], position[2] - part.centre[2]},
               cosine, sine);
    double squares = 0, largest = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dims_); ++axis) {
      const double relative = offset[axis] / part.radii[axis];
      squares += relative * relative;
      largest = std::max(largest, std::abs(relative));
    }
    switch (part.kind) {
      case PhantomPart::Kind::ellipsoid:
        if (squares <= 1) sum += part.intensity;
        break;
      case PhantomPart::Kind::box:
        if (largest <= 1) sum += part.intensity;
        break;
      case PhantomPart::Kind::gaussian:
        sum += part.intensity * std::exp(-0.5 * squares);
        break;
    }
  }
  return sum;
}

void Phantom::transforms(View<const double> trajectory, const Shape& image_shape, const Point& frequency,
                         View<Complex> result, Context& ctx) const {
  parallel_for(ctx, result.size(), 256, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      Point u{0, 0, 0};  // cycles per field of view
      for (int axis = 0; axis < dims_; ++axis)
        u[static_cast<std::size_t>(axis)] =
            trajectory[j * dims_ + axis] * static_cast<double>(image_shape[dims_ - 1 - axis]) -
            frequency[static_cast<std::size_t>(axis)];
      result[j] = transform(u);
    }
  });
}

Array<Complex> Phantom::kspace(View<const double> trajectory, const Shape& image_shape, Context& ctx) const {
  require_shape(image_shape);
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims_)
    throw internal_error("phantom of {} dimensions for a trajectory of shape {}", dims_,
                         trajectory.shape().to_string());
  const Index samples = trajectory.shape()[0];
  const double pixels = static_cast<double>(image_shape.size());
  auto result = filled<Complex>({coils(), samples}, 0.0);
  Array<Complex> shifted({samples});
  for (const auto& exponential : exponentials_) {
    transforms(trajectory, image_shape, exponential.frequency, shifted, ctx);
    for (Index c = 0; c < coils(); ++c) {
      const Complex amplitude = exponential.amplitudes[static_cast<std::size_t>(c)] * pixels;
      if (amplitude == 0.0) continue;
      for (Index j = 0; j < samples; ++j) result[c * samples + j] += amplitude * shifted[j];
    }
  }
  return result;
}

Array<Complex> Phantom::image(const Shape& image_shape, int supersampling, Context& ctx) const {
  require_shape(image_shape);
  const Index per_axis = std::max(1, supersampling);
  Index points = 1;
  for (int axis = 0; axis < dims_; ++axis) points *= per_axis;
  Array<Complex> result(image_shape);
  parallel_for(ctx, result.size(), 64, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      const Point centre = pixel_centre(p, image_shape);
      Complex sum = 0;
      for (Index point = 0; point < points; ++point) {
        Point position = centre;
        Index rest = point;
        for (int axis = 0; axis < dims_; ++axis, rest /= per_axis) {
          const double within =
              (static_cast<double>(rest % per_axis) + 0.5) / static_cast<double>(per_axis) - 0.5;
          position[static_cast<std::size_t>(axis)] +=
              within / static_cast<double>(image_shape[dims_ - 1 - axis]);
        }
        sum += value(position);
      }
      result[p] = sum / static_cast<double>(points);
    }
  });
  return result;
}

Array<Complex> Phantom::sensitivities(const Shape& image_shape, Context& ctx) const {
  require_shape(image_shape);
  const Index pixels = image_shape.size();
  Array<Complex> result(image_shape.prepend(coils()));
  parallel_for(ctx, pixels, 256, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      const Point position = pixel_centre(p, image_shape);
      for (Index c = 0; c < coils(); ++c)
        result[c * pixels + p] = sensitivity(coils_[static_cast<std::size_t>(c)], position);
    }
  });
  return result;
}

Array<std::complex<float>> Phantom::maps(const Shape& image_shape, Context& ctx) const {
  const auto raw = sensitivities(image_shape, ctx);
  const Index pixels = image_shape.size();
  Array<std::complex<float>> result(raw.shape());
  for (Index p = 0; p < pixels; ++p) {
    double squares = 0;
    for (Index c = 0; c < coils(); ++c) squares += std::norm(raw[c * pixels + p]);
    const double factor = squares > 0 ? 1 / std::sqrt(squares) : 0.0;
    for (Index c = 0; c < coils(); ++c)
      result[c * pixels + p] = std::complex<float>(raw[c * pixels + p] * factor);
  }
  return result;
}

Array<std::complex<float>> Phantom::truth(const Shape& image_shape, Context& ctx) const {
  const auto grid = cartesian_points(image_shape);
  const auto true_maps = maps(image_shape, ctx);
  const Index pixels = image_shape.size();
  auto result = filled<std::complex<float>>(image_shape, 0);
  // Coil images are sums over the exponentials, and so is their combination.
  Array<Complex> image(image_shape);
  for (const auto& exponential : exponentials_) {
    ctx.throw_if_cancelled();
    transforms(grid.k, image_shape, exponential.frequency, image.view().reshaped({pixels}), ctx);
    centred_fft<double>(image, FftSign::backward, ctx);
    for (Index p = 0; p < pixels; ++p) {
      Complex weight = 0;
      for (Index c = 0; c < coils(); ++c)
        weight += std::conj(Complex(true_maps[c * pixels + p])) *
                  exponential.amplitudes[static_cast<std::size_t>(c)];
      result[p] += std::complex<float>(weight * image[p]);
    }
  }
  return result;
}

std::vector<PhantomPart> head_phantom(int dims) {
  using Kind = PhantomPart::Kind;
  const auto ellipsoid = [](double intensity, Point centre, Point radii, double degrees) {
    return PhantomPart{Kind::ellipsoid, intensity, centre, radii, degrees * pi / 180};
  };
  // The familiar arrangement (Shepp & Logan 1974), with contrasts strong enough to be seen in an MR image.
  std::vector<PhantomPart> parts{ellipsoid(1.0, {0, 0, 0}, {0.345, 0.460, 0.405}, 0),         // skull
                                 ellipsoid(-0.8, {0, -0.0092, 0}, {0.3312, 0.437, 0.39}, 0),  // brain
                                 ellipsoid(-0.15, {0.11, 0, 0}, {0.055, 0.155, 0.11}, -18),   // ventricles
                                 ellipsoid(-0.15, {-0.11, 0, 0}, {0.08, 0.205, 0.14}, 18),
                                 ellipsoid(0.2, {0, 0.175, 0}, {0.105, 0.125, 0.12}, 0),
                                 ellipsoid(0.3, {0, 0.05, 0.02}, {0.023, 0.023, 0.03}, 0),  // lesions
                                 ellipsoid(0.3, {0, -0.05, 0.02}, {0.023, 0.023, 0.03}, 0),
                                 ellipsoid(0.25, {-0.04, -0.3025, -0.01}, {0.023, 0.0115, 0.02}, 0),
                                 ellipsoid(0.25, {0, -0.303, -0.01}, {0.0115, 0.0115, 0.02}, 0),
                                 ellipsoid(0.25, {0.03, -0.3025, -0.01}, {0.0115, 0.023, 0.02}, 0)};
  if (dims == 2)
    for (auto& part : parts) part.centre[2] = 0;
  return parts;
}

std::vector<CoilSensitivity> coil_ring(int dims, Index coils) {
  if (coils < 1) throw usage_error("{} coils, at least 1 is needed", coils);
  if (coils == 1) return {CoilSensitivity{SensitivityTerm{}}};
  std::vector<CoilSensitivity> ring;
  for (Index c = 0; c < coils; ++c) {
    // On a sphere: equal steps in height, golden angle in azimuth.
    const double height =
        dims == 3 ? (2.0 * static_cast<double>(c) + 1) / static_cast<double>(coils) - 1 : 0.0;
    const double azimuth = dims == 3 ? 2 * pi * static_cast<double>(c) / std::numbers::phi
                                     : 2 * pi * static_cast<double>(c) / static_cast<double>(coils);
    const double across = std::sqrt(1 - height * height);
    const Point towards{across * std::cos(azimuth), across * std::sin(azimuth), height};
    // 0.55 + 0.45 exp(πi (towards·x − 0.5)), turned by the azimuth.
    const Complex turn = std::polar(1.0, azimuth);
    SensitivityTerm slope{0.45 * turn * std::polar(1.0, -pi * 0.5), {}};
    for (std::size_t axis = 0; axis < 3; ++axis) slope.frequency[axis] = 0.5 * towards[axis];
    ring.push_back({{0.55 * turn, {0, 0, 0}}, slope});
  }
  return ring;
}

}  // namespace larmor
