#include <larmor/core/format_error.hpp>
#include <larmor/core/math/instruction_set.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/phantom_kernels.hpp>
#include <larmor/operators/fft.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;
using Point = std::array<double, 3>;

// Centre of pixel `index` of `extent` in fractions of the field of view.
double pixel_position(Index index, Index extent) {
  return static_cast<double>(index - extent / 2) / static_cast<double>(extent);
}

}  // namespace

#define LARMOR_DECLARE(isa)                      \
  namespace isa {                                \
  void add_ellipsoids(const EllipsoidSum& task); \
  }
LARMOR_DECLARE(portable)
LARMOR_DECLARE(avx2)
LARMOR_DECLARE(avx512)
#undef LARMOR_DECLARE

void add_ellipsoids(const EllipsoidSum& task) {
  if constexpr (several_instruction_sets) {
    if (instruction_set() == InstructionSet::avx512) return avx512::add_ellipsoids(task);
    if (instruction_set() == InstructionSet::avx2) return avx2::add_ellipsoids(task);
  }
  portable::add_ellipsoids(task);
}

Phantom::Phantom(int dims, const std::vector<PhantomPart>& parts, std::vector<CoilSensitivity> coils)
    : dims_(dims), parts_(parts), coils_(std::move(coils)) {
  if (dims != 2 && dims != 3) throw usage_error("phantom of {} dimensions, expected 2 or 3", dims);
  if (coils_.empty()) throw usage_error("phantom without coils, at least 1 is needed");
  for (const PhantomPart& part : parts_)
    for (int axis = 0; axis < dims; ++axis)
      if (!(part.radii[static_cast<std::size_t>(axis)] > 0))
        throw usage_error("phantom part with radius {}, expected a positive number",
                          part.radii[static_cast<std::size_t>(axis)]);
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
    throw usage_error("phantom of {} dimensions for an image of shape {}", dims_, image_shape.to_string());
}

// Data on the device for loops over k-space points and pixels.
struct Phantom::OnDevice {
  Array<PartValues> parts;
  bool ellipsoids;
  std::vector<Index> first_term;  // first term of every exponential, and the end
  Array<CoilTerm> by_exponential, by_coil;
};

namespace {

template <typename T>
Array<T> on_device(const std::vector<T>& values, const Context& ctx) {
  Array<T> result({static_cast<Index>(values.size())}, ctx.device());
  copy_bytes(result.data(), ctx.device(), values.data(), Device::cpu(), values.size() * sizeof(T));
  return result;
}

PartValues values_of(const PhantomPart& part, int dims) {
  const auto& r = part.radii;
  const Complex weight = part.intensity * (r[0] * r[1] * (dims == 3 ? r[2] : 1.0));
  PartValues values{weight.real(),
                    weight.imag(),
                    {},
                    {},
                    std::cos(part.angle),
                    std::sin(part.angle),
                    part.kind == PhantomPart::Kind::gaussian};
  std::copy_n(part.centre.begin(), dims, values.centre);
  std::copy_n(r.begin(), dims, values.radii);
  return values;
}

// exp(2πi f x) at the centres of an axis' pixels for every exponential's f, [exponential][pixel].
Array<Complex> axis_phases(const std::vector<double>& frequencies, Index extent, const Context& ctx) {
  std::vector<Complex> phases;
  for (const double frequency : frequencies)
    for (Index i = 0; i < extent; ++i)
      phases.push_back(std::polar(1.0, 2 * pi * frequency * pixel_position(i, extent)));
  return on_device(phases, ctx);
}

}  // namespace

Phantom::OnDevice Phantom::on(const Context& ctx) const {
  OnDevice there{
      .parts = {}, .ellipsoids = dims_ == 3, .first_term = {0}, .by_exponential = {}, .by_coil = {}};
  std::vector<PartValues> parts;
  for (const PhantomPart& part : parts_) {
    parts.push_back(values_of(part, dims_));
    there.ellipsoids = there.ellipsoids && part.kind == PhantomPart::Kind::ellipsoid;
  }
  std::vector<CoilTerm> terms;
  for (std::size_t e = 0; e < exponentials_.size(); ++e) {
    for (std::size_t c = 0; c < coils_.size(); ++c) {
      const Complex amplitude = exponentials_[e].amplitudes[c];
      if (amplitude != 0.0)
        terms.push_back(
            {static_cast<std::int32_t>(c), static_cast<std::int32_t>(e), amplitude.real(), amplitude.imag()});
    }
    there.first_term.push_back(static_cast<Index>(terms.size()));
  }
  there.parts = on_device(parts, ctx);
  there.by_exponential = on_device(terms, ctx);
  std::stable_sort(terms.begin(), terms.end(),
                   [](const CoilTerm& a, const CoilTerm& b) { return a.coil < b.coil; });
  there.by_coil = on_device(terms, ctx);
  return there;
}

PhantomSpectrum Phantom::spectrum(const OnDevice& there, const Shape& image_shape,
                                  const Point& frequency) const {
  PhantomSpectrum body{};
  body.parts = there.parts.data();
  body.count = there.parts.size();
  body.dims = dims_;
  body.ellipsoids = there.ellipsoids;
  for (int a = 0; a < dims_; ++a) body.extent[a] = image_shape[dims_ - 1 - a];
  std::copy(frequency.begin(), frequency.end(), body.frequency);
  return body;
}

Array<Complex> Phantom::kspace(View<const double> trajectory, const Shape& image_shape, Context& ctx) const {
  require_shape(image_shape);
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims_)
    throw usage_error("phantom of {} dimensions for a trajectory of shape {}", dims_,
                      trajectory.shape().to_string());
  const Index samples = trajectory.shape()[0];
  const OnDevice there = on(ctx);
  const auto k = copied_to(ctx.device(), trajectory);
  Array<Complex> result({coils(), samples}, ctx.device()), shifted({samples}, ctx.device());
  fill<double>(result, 0, ctx);
  for (std::size_t e = 0; e < exponentials_.size(); ++e) {
    PhantomSpectrum body = spectrum(there, image_shape, exponentials_[e].frequency);
    body.k = k.data();
    body.out = complex_values(shifted.data());
    for_each(ctx, samples, body);
    for_each(ctx, samples,
             AddToCoils{there.by_exponential.data() + there.first_term[e],
                        there.first_term[e + 1] - there.first_term[e], samples,
                        static_cast<double>(image_shape.size()), complex_values(shifted.data()),
                        complex_values(result.data())});
  }
  return moved_to(Device::cpu(), std::move(result));
}

Array<std::complex<float>> Phantom::maps(const OnDevice& there, const Shape& image_shape,
                                         Context& ctx) const {
  require_shape(image_shape);
  Array<std::complex<float>> result(image_shape.prepend(coils()), ctx.device());
  PhantomMaps body{};
  body.terms = there.by_coil.data();
  body.count = there.by_coil.size();
  body.coils = coils();
  std::array<Array<Complex>, 3> phases;
  for (std::size_t a = 0; a < 3; ++a) {
    const int axis = dims_ - 1 - static_cast<int>(a);
    body.extent[a] = axis >= 0 ? image_shape[axis] : 1;
    std::vector<double> frequencies;
    for (const Exponential& exponential : exponentials_)
      frequencies.push_back(axis >= 0 ? exponential.frequency[a] : 0.0);
    phases[a] = axis_phases(frequencies, body.extent[a], ctx);
    body.phases[a] = complex_values(phases[a].data());
  }
  body.maps = complex_values(result.data());
  for_each_in_rows(ctx, body.extent[1] * body.extent[2], body.extent[0], body);
  return result;
}

Array<std::complex<float>> Phantom::maps(const Shape& image_shape, Context& ctx) const {
  return moved_to(Device::cpu(), maps(on(ctx), image_shape, ctx));
}

Array<std::complex<float>> Phantom::truth(const Shape& image_shape, Context& ctx) const {
  const OnDevice there = on(ctx);
  const auto true_maps = maps(there, image_shape, ctx);
  const Index pixels = image_shape.size();
  Array<std::complex<float>> result(image_shape, ctx.device());
  fill<float>(result, 0, ctx);
  // Coil images are sums over the exponentials, and so is their combination.
  Array<Complex> transform(image_shape, ctx.device()), image(image_shape, ctx.device());
  const Fft<double> fft(image_shape, dims_);
  for (std::size_t e = 0; e < exponentials_.size(); ++e) {
    ctx.throw_if_cancelled();
    PhantomSpectrum body = spectrum(there, image_shape, exponentials_[e].frequency);
    body.out = complex_values(transform.data());
    for_each(ctx, pixels, body);
    fft.adjoint(transform, image, ctx);
    scale<double>(std::sqrt(static_cast<double>(pixels)), image.view(), ctx);
    for_each(
        ctx, pixels,
        AddToTruth{there.by_exponential.data() + there.first_term[e],
                   there.first_term[e + 1] - there.first_term[e], pixels, complex_values(true_maps.data()),
                   complex_values(image.data()), complex_values(result.data())});
  }
  ctx.arena().release();
  return moved_to(Device::cpu(), std::move(result));
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

std::vector<PhantomPart> slice_of(const std::vector<PhantomPart>& volume, double z) {
  std::vector<PhantomPart> slice;
  for (PhantomPart part : volume) {
    const double height = (z - part.centre[2]) / part.radii[2];
    part.centre[2] = 0;
    if (part.kind == PhantomPart::Kind::gaussian) {
      part.intensity *= std::exp(-0.5 * height * height);
    } else {
      if (std::abs(height) >= 1) continue;
      for (std::size_t axis = 0; axis < 2; ++axis) part.radii[axis] *= std::sqrt(1 - height * height);
    }
    slice.push_back(part);
  }
  return slice;
}

std::vector<CoilSensitivity> slice_of(const std::vector<CoilSensitivity>& coils, double z) {
  std::vector<CoilSensitivity> slice = coils;
  for (CoilSensitivity& coil : slice)
    for (SensitivityTerm& term : coil) {
      term.amplitude *= std::polar(1.0, 2 * pi * term.frequency[2] * z);
      term.frequency[2] = 0;
    }
  return slice;
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
