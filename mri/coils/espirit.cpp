#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/dominant_eigenvectors.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/core/math/small_matrices.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/calibration_matrix.hpp>
#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/cuda/espirit.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/coils/noise.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;
using std::numbers::pi;

// Largest fraction of the singular values that can be signal, when their noise is estimated.
constexpr double signal_share = 0.4;
// The threshold follows noise: this many times its level, but not so high that coils lose detail.
constexpr double noise_margin = 4, most_threshold = 0.16;
// Signal or noise at the edge of the region shows how much the missing part beyond it disturbs. If that is
// little, a lower threshold keeps maps where the object is faint: this part of the edge's share.
constexpr double edge_margin = 0.25;

// More channels are combined into this many, the number that a GPU takes: the rows of the calibration matrix,
// and the matrix of each pixel, grow with the channels, but what distinguishes the maps does not.
constexpr Index most_coils = cuda::EspiritPlane::most_channels;

Extents extents_of(const Shape& shape) {
  const int rank = shape.rank();
  return {rank > 2 ? shape[rank - 3] : 1, shape[rank - 2], shape[rank - 1]};
}

// A kernel that is cubic as far as the region allows. Its matrix has channels · points rows.
Extents kernel_extents(Index asked, Index channels, bool volume) {
  Index kernel = asked;
  if (asked == 0) {
    const double largest = volume ? 1100 : 1600, smallest = volume ? 3 : 4;
    kernel = volume ? 4 : 6;
    while (static_cast<double>(kernel) > smallest &&
           static_cast<double>(channels) * std::pow(static_cast<double>(kernel), volume ? 3 : 2) > largest)
      --kernel;
  }
  return {volume ? kernel : 1, kernel, kernel};
}

// Level of noise among the singular values, relative to the largest, from the trace Σ s²/(s² + t²) of a
// projection [n, n] with threshold t: `values` of them are nonzero, a part `signal_share` of these is signal
// and counts as 1, the others are assumed equal.
double noise_level(View<const DoubleComplex> projection, Index values, double threshold) {
  const Index size = projection.shape()[0];
  double trace = 0;
  for (Index i = 0; i < size; ++i) trace += projection[i * (size + 1)].real();
  const double all = static_cast<double>(values), left = all - trace;
  return threshold * std::sqrt(std::max(0.0, (1 - signal_share) * all / std::max(left, 1e-6 * all) - 1));
}

// Square root of the fraction of the energy in the outermost points of the region.
double edge_share(View<const Complex> kspace, const Extents& region) {
  const auto at_edge = [](Index i, Index extent) { return extent > 1 && (i == 0 || i == extent - 1); };
  double edge = 0, all = 0;
  for (Index i = 0; i < kspace.size(); ++i) {
    const Index point = i % region.size();
    const double energy = std::norm(DoubleComplex(kspace[i]));
    all += energy;
    if (at_edge(point % region.x, region.x) || at_edge(point / region.x % region.y, region.y) ||
        at_edge(point / (region.x * region.y), region.z))
      edge += energy;
  }
  return all > 0 ? std::sqrt(edge / all) : 0;
}

// The projection of the calibration matrix with a threshold that follows noise.
Array<DoubleComplex> noise_aware_projection(const CalibrationMatrix& calibration, double threshold) {
  auto projection = calibration.projection(threshold);
  const double raised =
      std::min(most_threshold, noise_margin * noise_level(projection, calibration.rank(), threshold));
  if (raised <= threshold) return projection;
  projection = {};  // two at a time would be ESPIRiT's peak memory
  return calibration.projection(raised);
}

// The pixel-wise operator Σ_pq P[a p, b q] exp(2πi (p − q)·x) / points depends only on p − q: sums along the
// diagonals, [a, b <= a][(dz,) dy, dx], turn it into a short trigonometric polynomial.
std::vector<Complex> difference_sums(View<const DoubleComplex> projection, Index channels,
                                     const Extents& kernel, Context& ctx) {
  const Extents span{2 * kernel.z - 1, 2 * kernel.y - 1, 2 * kernel.x - 1};
  const Index points = kernel.size(), size = channels * points, pairs = channels * (channels + 1) / 2;
  // Index of a point in the span: the difference of two points is that of their indices.
  std::vector<Index> places;
  for (Index p = 0; p < points; ++p)
    places.push_back((p / (kernel.x * kernel.y) * span.y + p / kernel.x % kernel.y) * span.x + p % kernel.x);
  const Index origin = ((kernel.z - 1) * span.y + kernel.y - 1) * span.x + kernel.x - 1;
  std::vector<Complex> result(static_cast<std::size_t>(pairs * span.size()));
  parallel_for(ctx, channels, 1, [&](Index begin, Index end, int) {
    std::vector<DoubleComplex> sums(static_cast<std::size_t>(span.size()));
    for (Index a = begin; a < end; ++a)
      for (Index b = 0; b <= a; ++b) {
        std::fill(sums.begin(), sums.end(), DoubleComplex(0));
        for (Index q = 0; q < points; ++q) {
          DoubleComplex* const out = sums.data() + origin - places[static_cast<std::size_t>(q)];
          for (Index p = 0; p < points; ++p)
            out[places[static_cast<std::size_t>(p)]] += projection[(a * points + p) * size + b * points + q];
        }
        Complex* const to = result.data() + (a * (a + 1) / 2 + b) * span.size();
        for (std::size_t i = 0; i < sums.size(); ++i) to[i] = Complex(sums[i] / static_cast<double>(points));
      }
  });
  return result;
}

// exp(2πi d x / fov) for d = −(kernel − 1) … kernel − 1.
std::vector<Complex> phases(Index kernel, Index pixel, Index extent, double fov) {
  std::vector<Complex> result;
  const double position = static_cast<double>(pixel - extent / 2) / fov;
  for (Index d = 1 - kernel; d < kernel; ++d)
    result.emplace_back(std::polar(1.0, 2 * pi * static_cast<double>(d) * position));
  return result;
}

bool inside(Index pixel, Index extent, double fov) {
  return std::abs(static_cast<double>(pixel - extent / 2)) <= 0.5 * fov;
}

// Contracts the slowest of `count` × `rest` coefficients of every entry with `weights`.
void contract(const std::vector<Complex>& in, const std::vector<Complex>& weights, Index entries, Index rest,
              Complex* out) {
  const auto count = static_cast<Index>(weights.size());
  std::fill_n(out, entries * rest, Complex(0));
  for (Index e = 0; e < entries; ++e)
    for (Index d = 0; d < count; ++d) {
      const Complex w = weights[static_cast<std::size_t>(d)];
      const Complex* source = in.data() + (e * count + d) * rest;
      Complex* target = out + e * rest;
      for (Index i = 0; i < rest; ++i)
        target[i] += Complex(w.real() * source[i].real() - w.imag() * source[i].imag(),
                             w.real() * source[i].imag() + w.imag() * source[i].real());
    }
}

// Phases of every pixel of an axis, [pixel][d].
std::vector<Complex> axis_phases(Index kernel, Index extent, double fov) {
  std::vector<Complex> result;
  for (Index pixel = 0; pixel < extent; ++pixel) {
    const auto row = phases(kernel, pixel, extent, fov);
    result.insert(result.end(), row.begin(), row.end());
  }
  return result;
}

// The first and last pixel inside.
std::array<int, 2> inner_pixels(Index extent, double fov) {
  Index first = 0, last = extent - 1;
  while (first < last && !inside(first, extent, fov)) ++first;
  while (last > first && !inside(last, extent, fov)) --last;
  return {static_cast<int>(first), static_cast<int>(last)};
}

Array<Complex> on_device(const std::vector<Complex>& values, const Context& ctx) {
  return copied_to(ctx.device(), View<const Complex>(values.data(), {static_cast<Index>(values.size())}));
}

// The maps of every pixel from the difference sums, plane by plane on a GPU. fov: z, y, x.
Array<Complex> device_maps(const std::vector<Complex>& sums, const Array<DoubleComplex>& reference,
                           const Shape& shape, const Extents& kernel, const std::array<double, 3>& fov,
                           double crop, Context& ctx) {
  const auto placement = calibration_placement(static_cast<std::size_t>(shape.size()) * sizeof(Complex), ctx);
  Array<Complex> maps(shape, ctx.device(), placement);
  if constexpr (cuda::built) {
    const Extents image = extents_of(shape.drop_front(1));
    const Index channels = reference.size();
    const Index entries = channels * (channels + 1) / 2, span_x = 2 * kernel.x - 1, span_y = 2 * kernel.y - 1;
    const auto y_phases = on_device(axis_phases(kernel.y, image.y, fov[1]), ctx);
    const auto x_phases = on_device(axis_phases(kernel.x, image.x, fov[2]), ctx);
    const auto seen_by = moved_to(ctx.device(), converted<Complex>(reference.view()));
    const auto [first_y, last_y] = inner_pixels(image.y, fov[1]);
    const auto [first_x, last_x] = inner_pixels(image.x, fov[2]);
    // For all planes, so that the device need not wait for them.
    Array<Complex> of_planes({image.z, entries, span_y, span_x});
    parallel_for(ctx, image.z, 1, [&](Index begin, Index end, int) {
      for (Index z = begin; z < end; ++z)
        contract(sums, phases(kernel.z, z, image.z, fov[0]), entries, span_y * span_x,
                 of_planes.view().slice(z).data());
    });
    const auto coefficients = moved_to(ctx.device(), std::move(of_planes));
    cuda::EspiritPlane plane{static_cast<int>(channels),
                             static_cast<int>(span_y),
                             static_cast<int>(span_x),
                             image.y,
                             image.x,
                             nullptr,
                             y_phases.data(),
                             x_phases.data(),
                             seen_by.data(),
                             first_y,
                             last_y,
                             first_x,
                             last_x,
                             static_cast<float>(crop),
                             nullptr,
                             shape.drop_front(1).size()};
    Array<std::byte> scratch({static_cast<Index>(cuda::espirit_scratch_bytes(plane))}, ctx.device());
    fill<float>(maps, 0, ctx);
    for (Index z = 0; z < image.z; ++z) {
      if (!inside(z, image.z, fov[0])) continue;
      ctx.throw_if_cancelled();
      plane.coefficients = coefficients.view().slice(z).data();
      plane.maps = maps.data() + z * image.y * image.x;
      cuda::espirit_plane(plane, scratch.data(), ctx.stream());
    }
  }
  return maps;
}

// Subtracts λ v vᴴ of the found eigenvector from every matrix of a row, so that the next largest one becomes
// dominant.
void deflate(HermitianRow& row, const std::vector<float>& vectors, const std::vector<float>& eigenvalues) {
  const Index pixels = row.pixels();
  for (Index a = 0; a < row.channels(); ++a)
    for (Index b = 0; b <= a; ++b) {
      const float *ar = vectors.data() + 2 * a * pixels, *ai = ar + pixels;
      const float *br = vectors.data() + 2 * b * pixels, *bi = br + pixels;
      float *re = row.real(a, b), *im = row.imag(a, b);
      for (Index x = 0; x < pixels; ++x) {
        const float value = eigenvalues[static_cast<std::size_t>(x)];
        re[x] -= value * (ar[x] * br[x] + ai[x] * bi[x]);
        im[x] -= value * (ai[x] * br[x] - ar[x] * bi[x]);
      }
    }
}

struct RowWork {
  std::vector<Complex> line;  // [entry][dx]
  std::vector<float> vectors, eigenvalues;
  HermitianRow row;
};

}  // namespace

std::size_t espirit_bytes(Index all_channels, Index region, const Shape& image_shape,
                          const EspiritOptions& options, const Context& ctx) {
  const Index channels = std::min(all_channels, most_coils);
  const bool volume = image_shape.rank() == 3;
  const Extents kernel = kernel_extents(options.kernel, channels, volume), image = extents_of(image_shape);
  if (kernel.x > region) return 0;  // which espirit_maps() refuses
  const auto bytes = [](double values) { return static_cast<std::size_t>(values * sizeof(Complex)); };
  const double entries = static_cast<double>(channels) * static_cast<double>(channels + 1) / 2;
  const double sums = entries * static_cast<double>((volume ? 2 * kernel.z - 1 : 1) * (2 * kernel.y - 1) *
                                                    (2 * kernel.x - 1));
  // For a plane, and for a row of pixels in each thread.
  const double rows = entries * static_cast<double>((2 * kernel.y - 1) * (2 * kernel.x - 1)) +
                      ctx.threads() * entries * static_cast<double>(2 * kernel.x - 1 + image.x);
  const std::size_t compression =
      all_channels > most_coils
          ? static_cast<std::size_t>(4 * all_channels * all_channels) * sizeof(DoubleComplex) +
                bytes(2 * static_cast<double>(options.sets * channels * image_shape.size()))
          : 0;  // an eigendecomposition, and maps of the combinations
  return bytes(sums) + compression +
         std::max(projection_bytes(channels, {volume ? region : 1, region, region}, kernel, ctx),
                  bytes(rows));
}

namespace {

void check_options(const EspiritOptions& options, Index channels) {
  if (options.sets < 1 || options.sets > channels)
    throw usage_error("ESPIRiT: {} map sets, expected 1 to {}, the number of coils", options.sets, channels);
  if (!(options.threshold > 0) || !(options.threshold < 1))
    throw usage_error("ESPIRiT: threshold {}, expected a number between 0 and 1", options.threshold);
}

// The maps of the channels' principal components, as those of the channels.
Array<Complex> maps_of_many(const CalibrationRegion& calibration, const Shape& image_shape,
                            const EspiritOptions& options, Context& device) {
  Context ctx = device.host();
  const Index channels = calibration.kspace.shape()[0];
  const auto compression = compression_matrix(
      calibration.kspace.view().reshaped({channels, calibration.kspace.size() / channels}), most_coils, ctx);
  const auto few = espirit_maps({apply_channel_matrix(compression, calibration.kspace, ctx), calibration.fov},
                                image_shape, options, device);
  const auto expansion = conjugate_transpose(compression);
  const Shape shape = image_shape.prepend(channels), shape_of_sets = shape.prepend(options.sets);
  Array<Complex> maps(options.sets > 1 ? shape_of_sets : shape, few.device(), few.placement());
  const auto sets = few.view().reshaped(image_shape.prepend(most_coils).prepend(options.sets));
  for (Index set = 0; set < options.sets; ++set)
    apply_channel_matrix(expansion, sets.slice(set), maps.view().reshaped(shape_of_sets).slice(set),
                         few.device().on_gpu() ? device : ctx);
  return maps;
}

}  // namespace

Array<Complex> espirit_maps(const CalibrationRegion& calibration, const Shape& image_shape,
                            const EspiritOptions& options, Context& device) {
  Context ctx = device.host();
  const Shape& shape = calibration.kspace.shape();
  const int dims = image_shape.rank();
  if ((dims != 2 && dims != 3) || shape.rank() != dims + 1)
    throw usage_error("espirit_maps: region of shape {} for an image of shape {}", shape.to_string(),
                      image_shape.to_string());
  const Index channels = shape[0];
  if (channels > most_coils) return maps_of_many(calibration, image_shape, options, device);
  const Extents region = extents_of(shape.drop_front(1)), image = extents_of(image_shape);
  const Extents kernel = kernel_extents(options.kernel, channels, dims == 3);
  if (kernel.x < 1 || kernel.z > region.z || kernel.y > region.y || kernel.x > region.x)
    throw usage_error(
        "ESPIRiT: a kernel of {} points does not fit in the calibration region {}; give a larger grid, or "
        "maps, or combine the coils by their root sum of squares",
        kernel.x, shape.to_string())
        .about("matrix,maps,combine");
  check_options(options, channels);
  const double threshold =
      std::min(options.threshold,
               std::max(options.least_threshold, edge_margin * edge_share(calibration.kspace, region)));
  const auto sums = difference_sums(
      noise_aware_projection({calibration.kspace, region, kernel, device}, threshold), channels, kernel, ctx);
  const auto reference =
      compression_matrix(calibration.kspace.view().reshaped({channels, region.size()}), 1, ctx);

  const double fov_x = calibration.fov[static_cast<std::size_t>(dims - 1)];
  const double fov_y = calibration.fov[static_cast<std::size_t>(dims - 2)];
  const double fov_z = dims == 3 ? calibration.fov[0] : 1.0;
  if (device.on_gpu() && options.sets == 1)
    return device_maps(sums, reference, image_shape.prepend(channels), kernel, {fov_z, fov_y, fov_x},
                       options.crop, device);
  const Index entries = channels * (channels + 1) / 2;
  const Index span_x = 2 * kernel.x - 1, span_y = 2 * kernel.y - 1;
  // Phases along x, [dx][x], real and imaginary parts separate.
  const Index stride = (image.x + most_lanes - 1) / most_lanes * most_lanes;
  std::vector<float> x_real(static_cast<std::size_t>(span_x * stride)), x_imag(x_real.size());
  for (Index x = 0; x < image.x; ++x) {
    const auto column = phases(kernel.x, x, image.x, fov_x);
    for (Index d = 0; d < span_x; ++d) {
      x_real[static_cast<std::size_t>(d * stride + x)] = column[static_cast<std::size_t>(d)].real();
      x_imag[static_cast<std::size_t>(d * stride + x)] = column[static_cast<std::size_t>(d)].imag();
    }
  }

  Shape result = image_shape.prepend(channels);
  if (options.sets > 1) result = result.prepend(options.sets);
  Array<Complex> maps(result);
  fill<float>(maps, 0, ctx);
  std::vector<RowWork> work(static_cast<std::size_t>(ctx.threads()),
                            RowWork{{}, {}, {}, {channels, image.x}});
  std::vector<Complex> plane(
      static_cast<std::size_t>(entries * span_y * span_x));  // [entry][dy][dx] of one z
  for (Index z = 0; z < image.z; ++z) {
    if (!inside(z, image.z, fov_z)) continue;
    ctx.throw_if_cancelled();
    contract(sums, phases(kernel.z, z, image.z, fov_z), entries, span_y * span_x, plane.data());
    parallel_for(ctx, image.y, 1, [&](Index begin, Index end, int thread) {
      auto& [line, vectors, eigenvalues, row] = work[static_cast<std::size_t>(thread)];
      for (Index y = begin; y < end; ++y) {
        if (!inside(y, image.y, fov_y)) continue;
        line.resize(static_cast<std::size_t>(entries * span_x));
        contract(plane, phases(kernel.y, y, image.y, fov_y), entries, span_x, line.data());
        run(PhaseSums{entries, span_x, image.x, reinterpret_cast<const float*>(line.data()), x_real.data(),
                      x_imag.data(), stride, row.real(0, 0)});
        for (Index set = 0; set < options.sets; ++set) {
          if (set > 0) deflate(row, vectors, eigenvalues);
          const bool last = set == options.sets - 1;
          dominant_eigenvectors(row, vectors, eigenvalues, last ? options.crop : 0);
          for (Index x = 0; x < image.x; ++x) {
            if (!inside(x, image.x, fov_x) || !(eigenvalues[static_cast<std::size_t>(x)] >= options.crop))
              continue;
            const auto component = [&, &vectors = vectors](Index c) {
              return Complex(vectors[static_cast<std::size_t>(2 * c * image.x + x)],
                             vectors[static_cast<std::size_t>((2 * c + 1) * image.x + x)]);
            };
            DoubleComplex seen = 0;  // by the reference coil
            for (Index c = 0; c < channels; ++c) seen += reference[c] * DoubleComplex(component(c));
            const double magnitude = std::sqrt(std::norm(seen));
            const auto turn = Complex(magnitude > 0 ? std::conj(seen) / magnitude : DoubleComplex(1));
            for (Index c = 0; c < channels; ++c)
              maps[(((set * channels + c) * image.z + z) * image.y + y) * image.x + x] = component(c) * turn;
          }
        }
      }
    });
  }
  return maps;
}

}  // namespace larmor
