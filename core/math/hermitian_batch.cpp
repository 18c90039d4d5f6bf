#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/hermitian_batch.hpp>
#include <larmor/core/math/hermitian_batch.hpp>
#include <larmor/core/parallel.hpp>

#include <Eigen/Eigenvalues>

namespace larmor {

void hermitian_eigen_batch(View<const std::complex<double>> matrices, View<std::complex<double>> vectors,
                           View<double> values, Context& ctx) {
  const Shape& shape = matrices.shape();
  const bool square = shape.rank() == 3 && shape[1] == shape[2];
  if (!square || !(vectors.shape() == shape) || !(values.shape() == Shape{shape[0], shape[1]}))
    throw internal_error("hermitian_eigen_batch: matrices {}, vectors {} and values {} do not fit",
                         shape.to_string(), vectors.shape().to_string(), values.shape().to_string());
  const Index count = shape[0], n = shape[1];
  if (count == 0 || n == 0) return;
  if constexpr (cuda::built)
    if (ctx.on_gpu())
      return cuda::hermitian_eigen_batch(matrices.data(), vectors.data(), values.data(), count, n,
                                         cuda::shared_bytes(ctx.device().ordinal), ctx.stream());
  using Matrix = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  parallel_for(ctx, count, 4, [&](Index begin, Index end, int) {
    Eigen::SelfAdjointEigenSolver<Matrix> solver(n);
    for (Index i = begin; i < end; ++i) {
      solver.compute(Eigen::Map<const Matrix>(matrices.data() + i * n * n, n, n));
      Eigen::Map<Matrix>(vectors.data() + i * n * n, n, n) = solver.eigenvectors().transpose();
      Eigen::Map<Eigen::VectorXd>(values.data() + i * n, n) = solver.eigenvalues();
    }
  });
}

}  // namespace larmor
