#include <larmor/core/parallel.hpp>
#include <larmor/mri/coil_compression.hpp>

#include <Eigen/Eigenvalues>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<double>;

// Y Yᴴ, summed in double over fixed chunks in their order: the same bits for any number of threads.
Eigen::MatrixXcd channel_gram(View<const std::complex<float>> samples, Context& ctx) {
  const Index coils = samples.shape()[0], length = samples.size() / coils;
  const Index grain = std::max<Index>(4096, (length + 63) / 64), chunks = (length + grain - 1) / grain;
  std::vector<Eigen::MatrixXcd> partial(static_cast<std::size_t>(chunks),
                                        Eigen::MatrixXcd::Zero(coils, coils));
  parallel_for(ctx, length, grain, [&](Index begin, Index end, int) {
    auto& sum = partial[static_cast<std::size_t>(begin / grain)];
    for (Index a = 0; a < coils; ++a)
      for (Index b = 0; b <= a; ++b) {
        double re = 0, im = 0;
        const auto *ya = samples.data() + a * length, *yb = samples.data() + b * length;
        for (Index j = begin; j < end; ++j) {
          const double ar = ya[j].real(), ai = ya[j].imag(), br = yb[j].real(), bi = yb[j].imag();
          re += ar * br + ai * bi;
          im += ai * br - ar * bi;
        }
        sum(a, b) = Complex(re, im);
      }
  });
  Eigen::MatrixXcd gram = Eigen::MatrixXcd::Zero(coils, coils);
  for (const auto& sum : partial) gram += sum;
  return gram;
}

}  // namespace

Array<Complex> compression_matrix(View<const std::complex<float>> samples, Index virtual_coils,
                                  Context& ctx) {
  if (samples.shape().rank() < 1 || samples.shape()[0] < 1)
    throw internal_error("compression_matrix: samples of shape {}, expected [coils, samples]",
                         samples.shape().to_string());
  const Index coils = samples.shape()[0];
  if (virtual_coils < 1 || virtual_coils > coils)
    throw usage_error("{} virtual coils asked for, the data have {}: give a number from 1 to {}",
                      virtual_coils, coils, coils);
  // The decomposition reads the lower triangle only.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(channel_gram(samples, ctx));
  if (!(solver.eigenvalues()(coils - 1) > 0))
    throw input_error("coil compression: all samples are zero or not finite");

  Array<Complex> matrix({virtual_coils, coils});
  for (Index row = 0; row < virtual_coils; ++row) {
    const Eigen::VectorXcd component = solver.eigenvectors().col(coils - 1 - row);
    Index largest = 0;
    component.cwiseAbs().maxCoeff(&largest);
    const Complex phase = component(largest) / std::abs(component(largest));
    for (Index c = 0; c < coils; ++c) matrix[row * coils + c] = std::conj(component(c)) * phase;
  }
  return matrix;
}

}  // namespace larmor
