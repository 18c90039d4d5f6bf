#pragma once

#include "device_cases.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/problem/problem.hpp>

#include <Eigen/Dense>

#include <limits>
#include <vector>

namespace larmor::test {

using Matrix = Eigen::MatrixXcd;
using Vector = Eigen::VectorXcd;

/// Values where the test computes with them, and back.
template <typename T>
Vector to_vector(View<const std::complex<T>> view) {
  const auto values = converted<std::complex<double>>(fetched(view).view());
  return Eigen::Map<const Vector>(values.data(), values.size());
}
template <typename T>
Vector to_vector(const Array<std::complex<T>>& array) {
  return to_vector<T>(array.view());
}
template <typename T>
Array<std::complex<T>> to_array(const Vector& vector, const Shape& shape, const Device& device) {
  Array<std::complex<T>> array(shape);
  for (Index i = 0; i < array.size(); ++i) array[i] = std::complex<T>(vector(i));
  return moved_to(device, std::move(array));
}
template <typename T>
void write(const Vector& vector, View<std::complex<T>> to) {
  const auto values = to_array<T>(vector, to.shape(), Device::cpu());
  copy_bytes(to.data(), to.device(), values.data(), Device::cpu(), to.bytes());
}

/// A as a dense matrix, column by column.
template <typename T>
Matrix dense(const LinearOperator<T>& A, Context& ctx) {
  Matrix matrix(A.codomain().size(), A.domain().size());
  for (Index column = 0; column < A.domain().size(); ++column) {
    auto unit = filled<std::complex<T>>(A.domain(), 0);
    unit[column] = 1;
    matrix.col(column) = to_vector<T>(A.apply(moved_to(ctx.device(), std::move(unit)), ctx));
  }
  return matrix;
}

/// A matrix as an operator, computed on the host wherever the vectors are: not for normal operators, which
/// solvers record as a graph on a GPU.
template <typename T>
class MatrixOperator final : public OperatorBase<MatrixOperator<T>, T> {
 public:
  using Scalar = std::complex<T>;
  MatrixOperator(Matrix matrix, const Shape& domain, const Shape& codomain)
      : OperatorBase<MatrixOperator<T>, T>(domain, codomain), matrix_(std::move(matrix)) {}
  std::string name() const override { return "Matrix"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context&, Write mode) const override {
    const Vector product = matrix_ * to_vector<T>(x);
    write<T>(mode == Write::accumulate ? Vector(to_vector<T>(y) + product) : product, y);
  }
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context&, Write mode) const override {
    const Vector product = matrix_.adjoint() * to_vector<T>(y);
    write<T>(mode == Write::accumulate ? Vector(to_vector<T>(x) + product) : product, x);
  }

 private:
  Matrix matrix_;
};

/// ‖z‖₁ of the magnitudes, computed on the host.
template <typename T>
class PlainL1 final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  std::string name() const override { return "plain l1"; }
  double value(View<const Scalar> z, Context&) const override { return to_vector<T>(z).cwiseAbs().sum(); }
  static Vector shrink(const Vector& z, double weight) {
    return z.unaryExpr([weight](std::complex<double> value) {
      const double size = std::abs(value);
      return size > weight ? value * (1 - weight / size) : std::complex<double>(0);
    });
  }
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context&, Index) const override {
    write<T>(shrink(to_vector<T>(z), weight), out);
  }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
};

/// The indicator of real, non-negative values.
template <typename T>
class PlainPositivity final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  std::string name() const override { return "plain positivity"; }
  double value(View<const Scalar> z, Context&) const override {
    for (const auto& v : to_vector<T>(z))
      if (v.imag() != 0 || v.real() < 0) return std::numeric_limits<double>::infinity();
    return 0;
  }
  void apply(double, View<const Scalar> z, View<Scalar> out, Context&, Index) const override {
    write<T>(to_vector<T>(z).unaryExpr(
                 [](std::complex<double> v) { return std::complex<double>(std::max(v.real(), 0.0)); }),
             out);
  }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
};

/// Differences of neighbours of a line of n values: [n − 1, n].
inline Matrix differences(Index n) {
  Matrix d = Matrix::Zero(n - 1, n);
  for (Index i = 0; i + 1 < n; ++i) d(i, i) = -1, d(i, i + 1) = 1;
  return d;
}

/// Standard normal values.
inline Vector random_vector(Index n, unsigned seed) {
  return to_vector<double>(random_complex<double>({n}, seed));
}

/// A well-conditioned operator from an image to twice as many values, without any structure that shows.
template <typename T>
Operator<T> random_operator(const Shape& image, unsigned seed, const Device& device) {
  const auto diagonal = [&](unsigned which) {
    return Diagonal<T>(moved_to(device, random_complex<T>(image, 10 * seed + which)));
  };
  const Fft<T> fft(image, image.rank());
  return VStack<T>({diagonal(0) * fft * diagonal(1), diagonal(2) * fft * diagonal(3)});
}

inline double largest_eigenvalue_of(const Matrix& hermitian) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(hermitian).eigenvalues().maxCoeff();
}

/// Everything that a test needs of a dense least-squares problem of n unknowns.
template <typename T>
struct DenseProblem {
  DenseProblem(const LinearOperator<T>& A, Vector y, Context& ctx)
      : matrix(dense(A, ctx)),
        data(std::move(y)),
        hessian(matrix.adjoint() * matrix),
        gradient(matrix.adjoint() * data),
        norm_squared(largest_eigenvalue_of(hessian)),
        scale(gradient.cwiseAbs().maxCoeff()),
        normal(A.normal(ctx)),
        rhs(to_array<T>(gradient, A.domain(), ctx.device())) {
    problem.normal = normal;
    problem.rhs = SharedArray<std::complex<T>>::borrowed(rhs);
    problem.norm_squared = norm_squared;
  }
  DenseProblem(const DenseProblem&) = delete;
  DenseProblem& operator=(const DenseProblem&) = delete;

  /// The scaled problem of the definition, and the way back.
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
Regularizer<T> plain_l1(double lambda, const Matrix& W = {}, const Shape& image = {}) {
  Regularizer<T> term;
  term.name = "plain l1";
  term.lambda = lambda;
  term.function = std::make_shared<PlainL1<T>>();
  if (W.size() > 0) {
    term.transform = std::make_shared<MatrixOperator<T>>(W, image, Shape{W.rows()});
    term.transform_norm_squared = largest_eigenvalue_of(W.adjoint() * W);
  }
  return term;
}

/// Minimiser of ½xᴴHx − Re bᴴx + Σ λ_i ‖W_i x‖₁ by many steps of the method of multipliers on dense matrices.
inline Vector l1_minimiser(const Matrix& H, const Vector& b,
                           const std::vector<std::pair<double, Matrix>>& terms, int steps = 4000) {
  const double rho = 0.1;
  Matrix M = H;
  for (const auto& [lambda, W] : terms) M += rho * W.adjoint() * W;
  const Eigen::LDLT<Matrix> solver(M);
  std::vector<Vector> z, u;
  for (const auto& [lambda, W] : terms)
    z.push_back(Vector::Zero(W.rows())), u.push_back(Vector::Zero(W.rows()));
  Vector x;
  for (int step = 0; step < steps; ++step) {
    Vector rhs = b;
    for (std::size_t i = 0; i < terms.size(); ++i) rhs += rho * terms[i].second.adjoint() * (z[i] - u[i]);
    x = solver.solve(rhs);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Vector p = terms[i].second * x + u[i];
      z[i] = PlainL1<double>::shrink(p, terms[i].first / rho);
      u[i] = p - z[i];
    }
  }
  return x;
}

inline double l1_objective(const Matrix& H, const Vector& b,
                           const std::vector<std::pair<double, Matrix>>& terms, const Vector& x) {
  double value = 0.5 * x.dot(H * x).real() - b.dot(x).real();
  for (const auto& [lambda, W] : terms) value += lambda * (W * x).cwiseAbs().sum();
  return value;
}

}  // namespace larmor::test
