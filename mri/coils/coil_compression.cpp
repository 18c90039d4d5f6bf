#include <larmor/core/format_error.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/coil_compression.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

using DoubleComplex = std::complex<double>;

// The lower triangle of Y Yᴴ, row by row, summed in double over fixed chunks in order: the same bits for any
// number of threads.
Array<DoubleComplex> channel_gram(View<const std::complex<float>> samples, Context& ctx) {
  const Index coils = samples.shape()[0], length = samples.size() / coils;
  const Index chunk = std::max<Index>(4096, (length + 63) / 64);
  auto gram = filled<DoubleComplex>({coils, coils}, 0.0);
  parallel_for(ctx, coils, 1, [&](Index first, Index last, int) {
    for (Index a = first; a < last; ++a)
      for (Index begin = 0; begin < length; begin += chunk)
        for (Index b = 0; b <= a; ++b) {
          double re = 0, im = 0;
          const auto *ya = samples.data() + a * length, *yb = samples.data() + b * length;
          for (Index j = begin; j < std::min(begin + chunk, length); ++j) {
            const double ar = ya[j].real(), ai = ya[j].imag(), br = yb[j].real(), bi = yb[j].imag();
            re += ar * br + ai * bi;
            im += ai * br - ar * bi;
          }
          gram[a * coils + b] += DoubleComplex(re, im);
        }
  });
  return gram;
}

}  // namespace

Array<DoubleComplex> compression_matrix(View<const std::complex<float>> samples, Index virtual_coils,
                                        Context& ctx) {
  if (samples.shape().rank() < 1 || samples.shape()[0] < 1)
    throw usage_error("compression_matrix: samples of shape {}, expected [coils, samples]",
                      samples.shape().to_string());
  const Index coils = samples.shape()[0];
  if (virtual_coils < 1 || virtual_coils > coils)
    throw usage_error("{} virtual coils requested, but the data have {}: give a number from 1 to {}",
                      virtual_coils, coils, coils);
  const HermitianEigen components = hermitian_eigen(channel_gram(samples, ctx));
  if (!(components.values.front() > 0))
    throw input_error("coil compression: all samples are zero or not finite");

  Array<DoubleComplex> matrix({virtual_coils, coils});
  for (Index row = 0; row < virtual_coils; ++row) {
    const auto component = components.vectors.view().slice(row);
    // Each row's largest entry is made real, so that its phase does not depend on the decomposition.
    const DoubleComplex largest =
        *std::max_element(component.begin(), component.end(),
                          [](DoubleComplex a, DoubleComplex b) { return std::norm(a) < std::norm(b); });
    for (Index c = 0; c < coils; ++c)
      matrix[row * coils + c] = std::conj(component[c]) * largest / std::abs(largest);
  }
  return matrix;
}

}  // namespace larmor
