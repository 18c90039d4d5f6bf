#pragma once

#include "device_cases.hpp"
#include "solvers/dense_operator.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <Eigen/Core>

#include <cmath>
#include <utility>
#include <vector>

// Problems small enough for dense matrices. Instantiated once, for float and double.

namespace larmor::test {

using Matrix = Eigen::MatrixXcd;
using Vector = Eigen::VectorXcd;

/// Copies values to host memory and back.
template <typename T>
Vector to_vector(View<const std::complex<T>> view);
template <typename T>
Vector to_vector(const Array<std::complex<T>>& array) {
  return to_vector<T>(array.view());
}
template <typename T>
Array<std::complex<T>> to_array(const Vector& vector, const Shape& shape, const Device& device);
template <typename T>
void write(const Vector& vector, View<std::complex<T>> to);

/// A matrix as an operator, computed on the host for vectors on any device: not for normal operators, which
/// solvers record as a graph on a GPU.
template <typename T>
Operator<T> matrix_operator(const Matrix& matrix, const Shape& domain, const Shape& codomain);

/// Reduces every magnitude by `weight`, not below 0.
Vector shrink(const Vector& z, double weight);
/// ‖z‖₁ of the magnitudes, computed on the host.
template <typename T>
std::shared_ptr<const ProximalMap<T>> plain_l1_norm();
/// The indicator of real, non-negative values.
template <typename T>
std::shared_ptr<const ProximalMap<T>> plain_positivity();

/// Differences of neighbours of a line of n values: [n − 1, n].
Matrix differences(Index n);
/// Standard normal values.
Vector random_vector(Index n, unsigned seed);
/// A well-conditioned operator from an image to twice as many values, without visible structure.
template <typename T>
Operator<T> random_operator(const Shape& image, unsigned seed, const Device& device);

/// Eigenvalues of a Hermitian matrix.
double largest_eigenvalue_of(const Matrix& hermitian);

/// A dense least-squares problem with n unknowns.
template <typename T>
struct DenseProblem {
  DenseProblem(const LinearOperator<T>& A, Vector y, Context& ctx);
  DenseProblem(const DenseProblem&) = delete;
  DenseProblem& operator=(const DenseProblem&) = delete;

  /// The scaled problem by definition, and the conversion back.
  Matrix scaled_hessian() const { return hessian / norm_squared; }
  Vector scaled_gradient() const { return gradient / scale; }
  double to_image() const { return scale / norm_squared; }

  Matrix matrix;
  Vector data;
  Matrix hessian;
  Vector gradient;
  double norm_squared, scale;
  Operator<T> normal;
  Array<std::complex<T>> rhs;
  Problem<T> problem;
};

/// λ‖W x‖₁ with a dense W; no W: the identity.
template <typename T>
Regularizer<T> plain_l1(double lambda, const Matrix& W = {}, const Shape& image = {});

/// Minimiser of ½xᴴHx − Re bᴴx + Σ λ_i ‖W_i x‖₁ by many steps of the method of multipliers on dense matrices.
Vector l1_minimiser(const Matrix& H, const Vector& b, const std::vector<std::pair<double, Matrix>>& terms,
                    int steps = 4000);
double l1_objective(const Matrix& H, const Vector& b, const std::vector<std::pair<double, Matrix>>& terms,
                    const Vector& x);

/// Problems of images of [16, 24] with a diagonal AᴴA, and wavelets with new random shifts in every
/// iteration.
template <typename Case>
class DiagonalProblems : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  using Value = std::complex<Scalar>;
  const Shape image{16, 24};

  /// AᴴA is diagonal: 1 for a few pixels, `rest` for the others.
  Diagonal<Scalar> normal(double rest) {
    Array<Value> values(image);
    for (Index i = 0; i < image.size(); ++i) values[i] = static_cast<Scalar>(i % 16 == 0 ? 1 : rest);
    return Diagonal<Scalar>(this->there(std::move(values)));
  }
  /// Eigenvalues from 1 down to `least`, the same number in every octave.
  Diagonal<Scalar> spread(double least) {
    Array<Value> values(image);
    for (Index i = 0; i < image.size(); ++i)
      values[i] = static_cast<Scalar>(std::pow(
          least, static_cast<double>(i * 61 % image.size()) / static_cast<double>(image.size() - 1)));
    return Diagonal<Scalar>(this->there(std::move(values)));
  }
  Problem<Scalar> problem(double rest, double lambda) { return problem(normal(rest), lambda); }
  Problem<Scalar> problem(const Diagonal<Scalar>& H, double lambda) {
    Problem<Scalar> result{H, H.apply(this->there(random_complex<Scalar>(image, 3)), this->ctx())};
    result.regularizers = {wavelet_l1<Scalar>({image, 2}, {.lambda = lambda, .levels = 2})};
    return result;
  }
};

}  // namespace larmor::test
