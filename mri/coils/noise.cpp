#include <larmor/core/format_error.hpp>
#include <larmor/core/math/small_matrices.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/mri/coils/channel_kernels.hpp>
#include <larmor/mri/coils/noise.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

using DoubleComplex = std::complex<double>;
using RowMajorMatrix = Eigen::Matrix<DoubleComplex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A pivot this small relative to its diagonal entry is rounding: float samples carry 24 bits, twice that in a
// variance.
constexpr double smallest_relative_pivot = 1e-12;

}  // namespace

Array<DoubleComplex> noise_covariance(View<const std::complex<float>> noise, const Context* workers) {
  if (noise.shape().rank() != 2)
    throw usage_error("noise_covariance: noise of shape {}, expected [channels, samples]",
                      noise.shape().to_string());
  const Index channels = noise.shape()[0], samples = noise.shape()[1];
  if (samples < 2 * channels || samples < 2)
    throw input_error(
        "the noise scan has {} samples for {} channels, expected at least {}: reconstruct without whitening",
        samples, channels, std::max<Index>(2, 2 * channels));
  for (Index c = 0; c < channels; ++c)
    for (Index j = 0; j < samples; ++j)
      if (!std::isfinite(noise[c * samples + j].real()) || !std::isfinite(noise[c * samples + j].imag()))
        throw input_error("noise scan: sample {} of channel {} is not a finite number", j, c);

  // Blocks of samples in double precision, small beside the noise itself. Sums of parts of the samples do not
  // depend on the number of threads.
  constexpr Index block = 256, part = 16 * block;
  std::vector<RowMajorMatrix> sums(static_cast<std::size_t>((samples + part - 1) / part),
                                   RowMajorMatrix::Zero(channels, channels));
  const auto sum_parts = [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p)
      for (Index first = p * part; first < std::min(samples, (p + 1) * part); first += block) {
        RowMajorMatrix some(channels, std::min(block, samples - first));
        for (Index c = 0; c < channels; ++c)
          for (Index j = 0; j < some.cols(); ++j) some(c, j) = DoubleComplex(noise[c * samples + first + j]);
        sums[static_cast<std::size_t>(p)].selfadjointView<Eigen::Lower>().rankUpdate(
            some, 1 / static_cast<double>(samples - 1));
      }
  };
  parallel_for(workers, std::ssize(sums), 1, sum_parts);
  RowMajorMatrix lower = RowMajorMatrix::Zero(channels, channels);
  for (const RowMajorMatrix& sum : sums) lower += sum;
  Array<DoubleComplex> covariance({channels, channels});
  Eigen::Map<RowMajorMatrix>(covariance.data(), channels, channels) = lower.selfadjointView<Eigen::Lower>();
  return covariance;
}

Array<DoubleComplex> whitening_matrix(View<const DoubleComplex> covariance, double bandwidth_factor) {
  if (covariance.shape().rank() != 2 || covariance.shape()[0] != covariance.shape()[1])
    throw usage_error("noise covariance of shape {} is not square", covariance.shape().to_string());
  if (!(bandwidth_factor > 0) || !std::isfinite(bandwidth_factor))
    throw input_error("noise bandwidth factor is {}, expected a positive number", bandwidth_factor);
  const Index channels = covariance.shape()[0];
  const Eigen::Map<const RowMajorMatrix> psi(covariance.data(), channels, channels);

  // Cholesky decomposition row by row, so that a channel without independent noise can be named.
  RowMajorMatrix lower = RowMajorMatrix::Zero(channels, channels);
  for (Index i = 0; i < channels; ++i) {
    for (Index j = 0; j < i; ++j)
      lower(i, j) = (psi(i, j) - lower.row(j).head(j).dot(lower.row(i).head(j))) / lower(j, j);
    const double variance = psi(i, i).real();
    const double pivot = variance - lower.row(i).head(i).squaredNorm();
    if (!(variance > 0) || !std::isfinite(variance))
      throw input_error(
          "noise covariance is not positive definite: channel {} has the variance {}; remove the channel or "
          "reconstruct without whitening",
          i, variance);
    if (!(pivot > smallest_relative_pivot * variance))
      throw input_error(
          "noise covariance is singular: the noise of channel {} is a combination of the channels before it; "
          "remove the channel or reconstruct without whitening",
          i);
    lower(i, i) = std::sqrt(pivot);
  }
  Array<DoubleComplex> result({channels, channels});
  Eigen::Map<RowMajorMatrix> whitening(result.data(), channels, channels);
  whitening = RowMajorMatrix::Identity(channels, channels) * std::sqrt(bandwidth_factor);
  lower.triangularView<Eigen::Lower>().solveInPlace(whitening);
  return result;
}

void apply_channel_matrix(View<const DoubleComplex> matrix, View<const std::complex<float>> in,
                          View<std::complex<float>> out, Context& ctx) {
  if (matrix.shape().rank() != 2 || in.shape().rank() < 1 || out.shape().rank() < 1)
    throw usage_error("apply_channel_matrix: matrix {}, input {}, output {}", matrix.shape().to_string(),
                      in.shape().to_string(), out.shape().to_string());
  const Index rows = matrix.shape()[0], columns = matrix.shape()[1];
  if (in.shape()[0] != columns || out.shape()[0] != rows ||
      !(in.shape().drop_front(1) == out.shape().drop_front(1)))
    throw usage_error("apply_channel_matrix: matrix {} does not take {} to {}", matrix.shape().to_string(),
                      in.shape().to_string(), out.shape().to_string());
  const Index length = in.shape().drop_front(1).size();
  if constexpr (cuda::built)
    if (in.device().on_gpu()) {
      const auto entries = copied_to(in.device(), converted<std::complex<float>>(matrix).view());
      return cuda::for_each(MixChannels{complex_values(entries.data()), rows, columns,
                                        complex_values(in.data()), complex_values(out.data()), length},
                            length, ctx.stream());
    }
  const std::vector<std::complex<float>> entries(matrix.begin(), matrix.end());
  // Values of all columns processed at a time, to fit the first-level cache; real and imaginary parts
  // separate.
  constexpr Index tile = 256;
  static_assert(tile % most_lanes == 0);
  parallel_for(ctx, (length + tile - 1) / tile, 8, [&](Index begin, Index end, int) {
    std::vector<float> parts(static_cast<std::size_t>(2 * columns * tile), 0.0F);
    float *const real = parts.data(), *const imag = real + columns * tile;
    for (Index first = begin * tile; first < std::min(end * tile, length); first += tile) {
      const Index count = std::min(tile, length - first);
      for (Index j = 0; j < columns; ++j) {
        const std::complex<float>* const from = in.data() + j * length + first;
        for (Index p = 0; p < count; ++p) {
          real[j * tile + p] = from[p].real();
          imag[j * tile + p] = from[p].imag();
        }
      }
      for (Index i = 0; i < rows; ++i)
        run(RowMix{columns, count, reinterpret_cast<const float*>(entries.data() + i * columns), real, imag,
                   tile, reinterpret_cast<float*>(out.data() + i * length + first)});
    }
  });
}

Array<std::complex<float>> apply_channel_matrix(View<const DoubleComplex> matrix,
                                                View<const std::complex<float>> in, Context& ctx) {
  Shape shape = in.shape();
  if (shape.rank() > 0 && matrix.shape().rank() == 2) shape[0] = matrix.shape()[0];
  Array<std::complex<float>> out(shape, in.device());
  apply_channel_matrix(matrix, in, out, ctx);
  return out;
}

}  // namespace larmor
