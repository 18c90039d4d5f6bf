// A user-defined operator: the weighted sum of the frames of a series, tested and then used in a solver.
#include <larmor/larmor.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using namespace larmor;

/// y = Σ w_f x_f: domain [frames, …image], codomain [image].
template <typename T>
class WeightedSum final : public OperatorBase<WeightedSum<T>, T> {
 public:
  using Scalar = std::complex<T>;
  WeightedSum(std::vector<double> weights, const Shape& image)
      : OperatorBase<WeightedSum<T>, T>(image.prepend(static_cast<Index>(weights.size())), image),
        weights_(std::move(weights)) {}
  std::string name() const override { return "WeightedSum"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override {
    if (write == Write::overwrite) fill<T>(y, 0, ctx);
    for (std::size_t f = 0; f < weights_.size(); ++f)
      axpy<T>(weights_[f], x.slice(static_cast<Index>(f)), y, ctx);
  }
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override {
    if (write == Write::overwrite) fill<T>(x, 0, ctx);
    for (std::size_t f = 0; f < weights_.size(); ++f)
      axpy<T>(weights_[f], y, x.slice(static_cast<Index>(f)), ctx);
  }

 private:
  std::vector<double> weights_;
};

int main() {
  Context ctx;
  const Shape image{16, 16};
  const Trajectory spokes = radial_2d({.spokes = 40, .samples = 32, .order = SpokeOrder::golden});
  const WeightedSum<float> W({0.5, 1, 2}, image);
  const auto A = Nufft<float>(spokes.k, image, {.tolerance = 1e-4}, ctx) * W;

  // The adjoint is wrong unless ⟨A x, y⟩ = ⟨x, Aᴴ y⟩ for all x and y.
  auto x = filled<std::complex<float>>(A.domain(), 0);
  for (Index i = 0; i < x.size(); ++i) x[i] = std::polar(1.0F, static_cast<float>(i * i % 101));
  auto y = filled<std::complex<float>>(A.codomain(), 0);
  for (Index i = 0; i < y.size(); ++i) y[i] = std::polar(1.0F, static_cast<float>(i * i % 103));
  const auto left = dot<float>(A.apply(x, ctx), y, ctx), right = dot<float>(x, A.adjoint(y, ctx), ctx);
  const double mismatch = std::abs(left - right) / std::abs(left);

  // The normal operator uses the Toeplitz form of the NUFFT inside the new operator.
  const Operator<float> normal = A.normal(ctx);
  const Problem<float> problem{normal, A.adjoint(A.apply(x, ctx), ctx), {l2<float>(1e-4)}};
  const auto result = conjugate_gradient(problem, {.iterations = 200, .tolerance = 5e-4}, ctx);
  std::printf("%sadjoint to %.1e, gradient %.1e\n", describe(normal).c_str(), mismatch,
              result.history.back().gradient);
  return mismatch < 1e-5 && result.history.back().gradient < 1e-3 ? 0 : 1;
}
