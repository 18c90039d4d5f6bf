#include "mri/exact_samples.hpp"

#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(−2πi k n) for the pixels of an axis, n from −⌊N/2⌋.
void axis_phases(double k, Index extent, std::vector<Complex>& phases) {
  phases.resize(static_cast<std::size_t>(extent));
  for (Index i = 0; i < extent; ++i)
    phases[static_cast<std::size_t>(i)] =
        std::polar(1.0, -2 * pi * std::remainder(k * static_cast<double>(i - extent / 2), 1.0));
}

}  // namespace

Array<Complex> exact_samples(View<const Complex> image, View<const Complex> maps, const FieldMap& field,
                             View<const double> trajectory, View<const double> times, Context& ctx) {
  const Shape& shape = image.shape();
  const Index dims = shape.rank(), pixels = image.size(), samples = times.size();
  if (!(maps.shape().drop_front(1) == shape) || !(field.frequency.shape() == shape) ||
      (field.decay.size() > 0 && !(field.decay.shape() == shape)))
    throw usage_error("exact_samples: image of shape {}, maps {}, field map {}, expected one grid",
                      shape.to_string(), maps.shape().to_string(), field.frequency.shape().to_string());
  if (!(trajectory.shape() == Shape{samples, dims}))
    throw usage_error("exact_samples: trajectory of shape {}, expected [{}, {}]",
                      trajectory.shape().to_string(), samples, dims);
  const Index coils = maps.shape()[0], width = shape[static_cast<int>(dims) - 1];
  const Index height = dims > 1 ? shape[static_cast<int>(dims) - 2] : 1, depth = pixels / width / height;

  // Consecutive samples taken at one time share the coil images at that time.
  std::vector<Index> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return times[a] < times[b]; });
  std::vector<Index> starts;
  for (Index i = 0; i < samples; ++i)
    if (i == 0 || times[order[static_cast<std::size_t>(i)]] != times[order[static_cast<std::size_t>(i - 1)]])
      starts.push_back(i);
  starts.push_back(samples);

  Array<Complex> result({coils, samples});
  parallel_for(ctx.host(), static_cast<Index>(starts.size()) - 1, 1, [&](Index begin, Index end, int) {
    // Real and imaginary parts of the coil images, and of sums over rows, separately.
    std::vector<double> coil_images(static_cast<std::size_t>(2 * coils * pixels));
    std::vector<double> columns(static_cast<std::size_t>(2 * width));
    std::array<std::vector<Complex>, 3> phases;
    for (Index group = begin; group < end; ++group) {
      const Index first = starts[static_cast<std::size_t>(group)];
      const double t = times[order[static_cast<std::size_t>(first)]];
      for (Index p = 0; p < pixels; ++p) {
        const double decay = field.decay.size() > 0 ? static_cast<double>(field.decay[p]) : 0;
        const double cycles = std::remainder(static_cast<double>(field.frequency[p]) * t, 1.0);
        const Complex now = product(image[p], std::polar(std::exp(-decay * t), -2 * pi * cycles));
        for (Index c = 0; c < coils; ++c) {
          const Complex value = product(maps[c * pixels + p], now);
          coil_images[static_cast<std::size_t>(2 * c * pixels + p)] = value.real();
          coil_images[static_cast<std::size_t>((2 * c + 1) * pixels + p)] = value.imag();
        }
      }
      for (Index i = first; i < starts[static_cast<std::size_t>(group + 1)]; ++i) {
        const Index j = order[static_cast<std::size_t>(i)];
        axis_phases(trajectory[j * dims], width, phases[0]);
        axis_phases(dims > 1 ? trajectory[j * dims + 1] : 0, height, phases[1]);
        axis_phases(dims > 2 ? trajectory[j * dims + 2] : 0, depth, phases[2]);
        for (Index c = 0; c < coils; ++c) {
          std::fill(columns.begin(), columns.end(), 0.0);
          double* sum_re = columns.data();
          double* sum_im = sum_re + width;
          for (Index row = 0; row < height * depth; ++row) {
            const double* re = coil_images.data() + 2 * c * pixels + row * width;
            const double* im = re + pixels;
            const Complex phase = product(phases[1][static_cast<std::size_t>(row % height)],
                                          phases[2][static_cast<std::size_t>(row / height)]);
            const double a = phase.real(), b = phase.imag();
            for (Index x = 0; x < width; ++x) {
              sum_re[x] += a * re[x] - b * im[x];
              sum_im[x] += a * im[x] + b * re[x];
            }
          }
          Complex sum = 0;
          for (Index x = 0; x < width; ++x)
            sum += product({sum_re[x], sum_im[x]}, phases[0][static_cast<std::size_t>(x)]);
          result[c * samples + j] = sum;
        }
      }
    }
  });
  return result;
}

Array<Complex> tissue_samples(const std::vector<Tissue>& tissues, const Shape& image_shape,
                              View<const double> trajectory, View<const double> times, Context& ctx) {
  if (tissues.empty()) throw usage_error("tissue_samples: no tissues");
  const Index coils = tissues.front().phantom.coils(), samples = times.size();
  auto result = filled<Complex>({coils, samples}, 0.0);
  for (const Tissue& tissue : tissues) {
    const auto part = tissue.phantom.kspace(trajectory, image_shape, ctx);
    if (!(part.shape() == result.shape()))
      throw usage_error("tissue_samples: samples of shape {}, expected {}", part.shape().to_string(),
                        result.shape().to_string());
    for (Index j = 0; j < samples; ++j) {
      const Complex factor = tissue.course(times[j]);
      for (Index c = 0; c < coils; ++c) result[c * samples + j] += product(factor, part[c * samples + j]);
    }
  }
  return result;
}

Array<std::complex<float>> tissue_truth(const std::vector<Tissue>& tissues, const Shape& image_shape,
                                        const std::vector<double>& times, Context& ctx) {
  const Index pixels = image_shape.size();
  auto result = filled<std::complex<float>>(image_shape.prepend(static_cast<Index>(times.size())), 0.0F);
  for (const Tissue& tissue : tissues) {
    const auto part = tissue.phantom.truth(image_shape, ctx);
    for (std::size_t e = 0; e < times.size(); ++e) {
      const Complex factor = tissue.course(times[e]);
      for (Index p = 0; p < pixels; ++p)
        result[static_cast<Index>(e) * pixels + p] += std::complex<float>(product(factor, Complex(part[p])));
    }
  }
  return result;
}

Array<Complex> t2_decays(const std::vector<double>& echo_times, const std::vector<double>& t2) {
  const auto echoes = static_cast<Index>(echo_times.size());
  Array<Complex> result({static_cast<Index>(t2.size()), echoes});
  for (Index i = 0; i < result.size(); ++i)
    result[i] = std::exp(-echo_times[static_cast<std::size_t>(i % echoes)] /
                         t2[static_cast<std::size_t>(i / echoes)]);
  return result;
}

}  // namespace larmor
