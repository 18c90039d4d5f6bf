#include <larmor/core/math/linalg.hpp>

#include <larmor/core/format_error.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Matrix> as_matrix(View<const Complex> a) {
  if (a.shape().rank() != 2) throw usage_error("matrix of shape {}, expected rank 2", a.shape().to_string());
  return {a.data(), a.shape()[0], a.shape()[1]};
}

Eigen::Map<const Matrix> as_square(const char* name, View<const Complex> a) {
  const auto matrix = as_matrix(a);
  if (matrix.rows() != matrix.cols())
    throw usage_error("{}: shape {} is not square", name, a.shape().to_string());
  return matrix;
}

Array<Complex> as_array(const Matrix& matrix) {
  Array<Complex> result({matrix.rows(), matrix.cols()});
  Eigen::Map<Matrix>(result.data(), matrix.rows(), matrix.cols()) = matrix;
  return result;
}

}  // namespace

Array<Complex> identity_matrix(Index size) {
  return as_array(Matrix::Identity(size, size));
}

Array<Complex> matrix_product(View<const Complex> a, View<const Complex> b) {
  const auto left = as_matrix(a), right = as_matrix(b);
  if (left.cols() != right.rows())
    throw usage_error("matrix_product: shapes {} and {} do not fit", a.shape().to_string(),
                      b.shape().to_string());
  return as_array(left * right);
}

Array<Complex> conjugate_transpose(View<const Complex> a) {
  return as_array(as_matrix(a).adjoint());
}

Array<Complex> matrix_inverse(View<const Complex> a) {
  const Eigen::FullPivLU<Matrix> decomposition(as_square("matrix_inverse", a));
  if (!decomposition.isInvertible())
    throw input_error("matrix of {} rows is singular and has no inverse", a.shape()[0]);
  return as_array(decomposition.inverse());
}

HermitianEigen hermitian_eigen(View<const Complex> a) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(as_square("hermitian_eigen", a));
  if (solver.info() != Eigen::Success)
    throw usage_error("hermitian_eigen: no eigenvalues of a matrix of shape {}", a.shape().to_string());
  const Index size = a.shape()[0];
  HermitianEigen result{{}, Array<Complex>({size, size})};
  for (Index i = 0; i < size; ++i) {  // Eigen sorts them ascending
    result.values.push_back(solver.eigenvalues()[size - 1 - i]);
    for (Index j = 0; j < size; ++j) result.vectors[i * size + j] = solver.eigenvectors()(j, size - 1 - i);
  }
  return result;
}

}  // namespace larmor
