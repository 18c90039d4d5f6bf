#include "solvers/small_problems.hpp"

#include <larmor/operators/stacks.hpp>

#include <Eigen/Dense>

#include <limits>

namespace larmor::test {

template <typename T>
Vector to_vector(View<const std::complex<T>> view) {
  const auto values = converted<std::complex<double>>(fetched(view).view());
  return Eigen::Map<const Vector>(values.data(), values.size());
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

Vector shrink(const Vector& z, double weight) {
  return z.unaryExpr([weight](std::complex<double> value) {
    const double size = std::abs(value);
    return size > weight ? value * (1 - weight / size) : std::complex<double>(0);
  });
}

double largest_eigenvalue_of(const Matrix& hermitian) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(hermitian).eigenvalues().maxCoeff();
}

namespace {

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

template <typename T>
class PlainL1 final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  std::string name() const override { return "plain l1"; }
  double value(View<const Scalar> z, Context&) const override { return to_vector<T>(z).cwiseAbs().sum(); }
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context&, Index) const override {
    write<T>(shrink(to_vector<T>(z), weight), out);
  }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
};

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

}  // namespace

template <typename T>
Operator<T> matrix_operator(const Matrix& matrix, const Shape& domain, const Shape& codomain) {
  return std::make_shared<MatrixOperator<T>>(matrix, domain, codomain);
}

template <typename T>
std::shared_ptr<const ProximalMap<T>> plain_l1_norm() {
  return std::make_shared<PlainL1<T>>();
}

template <typename T>
std::shared_ptr<const ProximalMap<T>> plain_positivity() {
  return std::make_shared<PlainPositivity<T>>();
}

Matrix differences(Index n) {
  Matrix d = Matrix::Zero(n - 1, n);
  for (Index i = 0; i + 1 < n; ++i) d(i, i) = -1, d(i, i + 1) = 1;
  return d;
}

Vector random_vector(Index n, unsigned seed) {
  return to_vector<double>(random_complex<double>({n}, seed));
}

template <typename T>
Operator<T> random_operator(const Shape& image, unsigned seed, const Device& device) {
  const auto diagonal = [&](unsigned which) {
    return Diagonal<T>(moved_to(device, random_complex<T>(image, 10 * seed + which)));
  };
  const Fft<T> fft(image, image.rank());
  return VStack<T>({diagonal(0) * fft * diagonal(1), diagonal(2) * fft * diagonal(3)});
}

template <typename T>
DenseProblem<T>::DenseProblem(const LinearOperator<T>& A, Vector y, Context& ctx)
    : matrix(dense_matrix(A, ctx)),
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
  problem.data_energy = data.squaredNorm();
  problem.model = A;
  problem.samples = to_array<T>(data, A.codomain(), ctx.device());
}

template <typename T>
Regularizer<T> plain_l1(double lambda, const Matrix& W, const Shape& image) {
  Regularizer<T> term{.name = "plain l1", .lambda = lambda, .function = plain_l1_norm<T>()};
  if (W.size() > 0) {
    term.transform = matrix_operator<T>(W, image, Shape{W.rows()});
    term.transform_norm_squared = largest_eigenvalue_of(W.adjoint() * W);
  }
  return term;
}

Vector l1_minimiser(const Matrix& H, const Vector& b, const std::vector<std::pair<double, Matrix>>& terms,
                    int steps) {
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
      z[i] = shrink(p, terms[i].first / rho);
      u[i] = p - z[i];
    }
  }
  return x;
}

double l1_objective(const Matrix& H, const Vector& b, const std::vector<std::pair<double, Matrix>>& terms,
                    const Vector& x) {
  double value = 0.5 * x.dot(H * x).real() - b.dot(x).real();
  for (const auto& [lambda, W] : terms) value += lambda * (W * x).cwiseAbs().sum();
  return value;
}

#define LARMOR_INSTANTIATE(T)                                                              \
  template Vector to_vector<T>(View<const std::complex<T>>);                               \
  template Array<std::complex<T>> to_array<T>(const Vector&, const Shape&, const Device&); \
  template void write<T>(const Vector&, View<std::complex<T>>);                            \
  template Operator<T> matrix_operator<T>(const Matrix&, const Shape&, const Shape&);      \
  template std::shared_ptr<const ProximalMap<T>> plain_l1_norm<T>();                       \
  template std::shared_ptr<const ProximalMap<T>> plain_positivity<T>();                    \
  template Operator<T> random_operator<T>(const Shape&, unsigned, const Device&);          \
  template struct DenseProblem<T>;                                                         \
  template Regularizer<T> plain_l1<T>(double, const Matrix&, const Shape&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::test
