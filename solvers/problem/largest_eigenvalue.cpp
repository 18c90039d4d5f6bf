#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <cmath>
#include <random>

namespace larmor {

template <typename T>
double largest_eigenvalue(const LinearOperator<T>& normal, Context& ctx, int iterations, double tolerance) {
  using C = std::complex<T>;
  Array<C> random(normal.domain()), y(normal.domain(), ctx.device());
  std::mt19937 generator(20180229);
  std::normal_distribution<double> gauss;
  for (C& value : random) {
    const double re = gauss(generator), im = gauss(generator);
    value = C(static_cast<T>(re), static_cast<T>(im));
  }
  Array<C> x = moved_to(ctx.device(), std::move(random));
  double value = 0;
  for (int i = 0; i < iterations; ++i) {
    ctx.throw_if_cancelled();
    const double norm = std::sqrt(squared_norm<T>(x, ctx));
    if (norm == 0) return 0;
    scale<T>(1 / norm, x, ctx);
    normal.apply(x, y, ctx);
    const double next = dot<T>(x, y, ctx).real();  // Rayleigh quotient: error second order in the vector's
    const bool settled = std::abs(next - value) <= tolerance * next;
    value = next;
    x.swap(y);
    if (settled && i >= 5) break;
  }
  return value;
}

template double largest_eigenvalue(const LinearOperator<float>&, Context&, int, double);
template double largest_eigenvalue(const LinearOperator<double>&, Context&, int, double);

}  // namespace larmor
