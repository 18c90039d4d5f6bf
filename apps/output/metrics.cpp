#include <larmor/apps/output/metrics.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace larmor::app {
namespace {

constexpr Index radius = 5;
constexpr double window_sigma = 1.5;

/// Gaussian means over the window, separable, of one plane; cut and renormalised at the edges.
Array<double> smoothed(const Array<double>& plane, Index rows, Index columns) {
  std::array<double, 2 * radius + 1> weight;
  for (Index i = -radius; i <= radius; ++i)
    weight[static_cast<std::size_t>(i + radius)] =
        std::exp(-0.5 * static_cast<double>(i * i) / (window_sigma * window_sigma));
  const auto pass = [&](const Array<double>& in, Index lines, Index length, Index line_stride, Index stride) {
    Array<double> out(in.shape());
    for (Index line = 0; line < lines; ++line) {
      for (Index i = 0; i < length; ++i) {
        double sum = 0, norm = 0;
        for (Index j = std::max<Index>(0, i - radius); j <= std::min(length - 1, i + radius); ++j) {
          const double w = weight[static_cast<std::size_t>(j - i + radius)];
          sum += w * in[line * line_stride + j * stride];
          norm += w;
        }
        out[line * line_stride + i * stride] = sum / norm;
      }
    }
    return out;
  };
  return pass(pass(plane, rows, columns, columns, 1), columns, rows, 1, columns);
}

/// Sum of the structural similarity over the mask of one plane.
double ssim_sum(const Array<double>& a, const Array<double>& b, Index rows, Index columns, double range,
                const float* mask) {
  const auto product = [](const Array<double>& u, const Array<double>& v) {
    Array<double> w(u.shape());
    std::transform(u.begin(), u.end(), v.begin(), w.begin(), [](double x, double y) { return x * y; });
    return w;
  };
  const auto mean_a = smoothed(a, rows, columns), mean_b = smoothed(b, rows, columns);
  const auto square_a = smoothed(product(a, a), rows, columns),
             square_b = smoothed(product(b, b), rows, columns);
  const auto cross = smoothed(product(a, b), rows, columns);
  const double c1 = std::pow(0.01 * range, 2), c2 = std::pow(0.03 * range, 2);
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) {
    if (mask && mask[i] == 0) continue;
    const double ma = mean_a[i], mb = mean_b[i];
    const double variances = (square_a[i] - ma * ma) + (square_b[i] - mb * mb);
    sum +=
        (2 * ma * mb + c1) * (2 * (cross[i] - ma * mb) + c2) / ((ma * ma + mb * mb + c1) * (variances + c2));
  }
  return sum;
}

}  // namespace

Comparison compare_images(View<const std::complex<float>> a, View<const std::complex<float>> b,
                          View<const float> mask) {
  if (a.shape() != b.shape())
    throw input_error("the images have different shapes: {} and {}", a.shape().to_string(),
                      b.shape().to_string());
  if (mask.size() > 0 && mask.size() != a.size())
    throw input_error("the mask has {} pixels, the images have {}", mask.size(), a.size());

  const float* selected = mask.size() > 0 ? mask.data() : nullptr;
  const auto in_mask = [&](Index i) { return !selected || selected[i] != 0; };
  Comparison result;
  double norm_a = 0, norm_b = 0, difference = 0, peak = 0;
  std::complex<double> cross = 0;
  for (Index i = 0; i < a.size(); ++i) {
    if (!in_mask(i)) continue;
    const std::complex<double> u(a[i]), v(b[i]);
    norm_a += std::norm(u);
    norm_b += std::norm(v);
    cross += std::conj(u) * v;
    difference += std::norm(u - v);
    peak = std::max(peak, std::abs(v));
    result.max_error = std::max(result.max_error, std::abs(u - v));
    ++result.pixels;
  }
  if (result.pixels == 0) throw input_error("the mask selects no pixel");
  if (!std::isfinite(norm_a) || !std::isfinite(norm_b))
    throw input_error("an image has pixels that are not finite");
  if (norm_b == 0) throw input_error("the reference is zero in the whole compared region");

  result.scale = norm_a > 0 ? cross / norm_a : 0;
  double scaled = 0, magnitudes = 0;
  const double magnitude_scale = std::abs(result.scale);
  for (Index i = 0; i < a.size(); ++i) {
    if (!in_mask(i)) continue;
    const std::complex<double> u(a[i]), v(b[i]);
    scaled += std::norm(result.scale * u - v);
    magnitudes += std::pow(magnitude_scale * std::abs(u) - std::abs(v), 2);
  }
  const auto pixels = static_cast<double>(result.pixels);
  result.nrmse = std::sqrt(scaled / norm_b);
  result.nrmse_plain = std::sqrt(difference / norm_b);
  result.psnr = 20 * std::log10(peak / std::sqrt(magnitudes / pixels));

  const int rank = a.shape().rank();
  const Index columns = rank > 0 ? a.shape()[rank - 1] : 1, rows = rank > 1 ? a.shape()[rank - 2] : 1;
  const Index plane = rows * columns;
  double similarity = 0;
  Array<double> plane_a({plane}), plane_b({plane});
  for (Index first = 0; first < a.size(); first += plane) {
    for (Index i = 0; i < plane; ++i) {
      plane_a[i] = magnitude_scale * std::abs(a[first + i]);
      plane_b[i] = std::abs(b[first + i]);
    }
    similarity += ssim_sum(plane_a, plane_b, rows, columns, peak, selected ? selected + first : nullptr);
  }
  result.ssim = similarity / pixels;
  return result;
}

}  // namespace larmor::app
