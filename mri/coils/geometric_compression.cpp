#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/geometric_compression.hpp>
#include <larmor/mri/coils/noise.hpp>

#include <Eigen/SVD>

#include <algorithm>
#include <vector>

namespace larmor {
namespace {

using C = std::complex<double>;
using RowMatrix = Eigen::Matrix<C, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<RowMatrix>;

}  // namespace

Array<C> geometric_compression(View<const std::complex<float>> hybrid, Index virtual_coils, Context& ctx) {
  if (hybrid.shape().rank() != 3)
    throw usage_error("geometric_compression: samples of shape {}, expected [positions, coils, samples]",
                      hybrid.shape().to_string());
  const Index positions = hybrid.shape()[0], coils = hybrid.shape()[1];
  if (virtual_coils < 1 || virtual_coils > coils)
    throw usage_error("{} virtual coils requested, but the data have {}: give a number from 1 to {}",
                      virtual_coils, coils, coils);
  Array<C> result({positions, virtual_coils, coils});
  // From the position with most signal outwards, so that noise at the ends rotates nothing.
  std::vector<double> energy(static_cast<std::size_t>(positions));
  for (Index p = 0; p < positions; ++p)
    energy[static_cast<std::size_t>(p)] = squared_norm<float>(hybrid.slice(p), ctx);
  const auto strongest = std::max_element(energy.begin(), energy.end()) - energy.begin();
  if (!(energy[static_cast<std::size_t>(strongest)] > 0))
    throw input_error("geometric coil compression: all samples are zero or not finite");

  const auto rows_of = [&](Index p) {
    return Rows(result.data() + p * virtual_coils * coils, virtual_coils, coils);
  };
  const auto place = [&](Index p, Index neighbour) {
    if (!(energy[static_cast<std::size_t>(p)] > 0)) {
      rows_of(p) = rows_of(neighbour);
      return;
    }
    auto own = compression_matrix(hybrid.slice(p), virtual_coils, ctx);
    const Rows components(own.data(), virtual_coils, coils);
    if (neighbour == p) {
      rows_of(p) = components;
      return;
    }
    // The rotation Q of the own components A that makes Q A closest to the neighbour's B: for A Bᴴ = U S Vᴴ
    // it is V Uᴴ (Zhang et al. 2013, eq. 8; the orthogonal Procrustes problem).
    const RowMatrix product = components * rows_of(neighbour).adjoint();
    const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
    rows_of(p) = svd.matrixV() * svd.matrixU().adjoint() * components;
  };
  place(strongest, strongest);
  for (Index p = strongest + 1; p < positions; ++p) place(p, p - 1);
  for (Index p = strongest - 1; p >= 0; --p) place(p, p + 1);
  return result;
}

Array<std::complex<float>> compress_positions(View<const C> matrices, View<const std::complex<float>> hybrid,
                                              Context& ctx) {
  if (matrices.shape().rank() != 3 || hybrid.shape().rank() != 3 ||
      matrices.shape()[0] != hybrid.shape()[0] || matrices.shape()[2] != hybrid.shape()[1])
    throw usage_error("compress_positions: matrices {} for samples {}", matrices.shape().to_string(),
                      hybrid.shape().to_string());
  Array<std::complex<float>> result({hybrid.shape()[0], matrices.shape()[1], hybrid.shape()[2]});
  for (Index p = 0; p < hybrid.shape()[0]; ++p)
    copy<float>(apply_channel_matrix(matrices.slice(p), hybrid.slice(p), ctx), result.view().slice(p), ctx);
  return result;
}

}  // namespace larmor
