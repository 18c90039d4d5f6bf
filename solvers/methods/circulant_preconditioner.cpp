#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/methods/circulant_preconditioner.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace LARMOR_API larmor {

template <typename T>
Operator<T> circulant_preconditioner(const LinearOperator<T>& normal, int rank,
                                     const CirculantPreconditionerOptions& options, Context& ctx) {
  using C = std::complex<T>;
  if (!(options.lambda >= 0) || options.probes < 1 || !(options.floor > 0))
    throw usage_error(
        "circulant preconditioner: lambda {}, {} probes, floor {}; expected 0 or more, 1 or more, "
        "more than 0",
        options.lambda, options.probes, options.floor);
  const Shape& image = normal.domain();
  const Fft<T> fft(image, rank);
  Array<double> diagonal = filled<double>(image, 0);
  Array<C> x(image, ctx.device()), y(image, ctx.device());
  constexpr Index grain = 4096;
  std::vector<std::mt19937::result_type> drawn(static_cast<std::size_t>(image.size()));
  std::mt19937 generator(19880101);
  for (int probe = 0; probe < options.probes; ++probe) {
    ctx.throw_if_cancelled();
    for (auto& number : drawn) number = generator();
    Array<C> phases(image);
    parallel_for(ctx, phases.size(), grain, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        const double turn = static_cast<double>(drawn[static_cast<std::size_t>(i)]) /
                            static_cast<double>(std::mt19937::max());
        phases[i] = C(std::polar(1.0, 2 * std::numbers::pi * turn));
      }
    });
    const Array<C> there = copied_to(ctx.device(), phases);
    fft.adjoint(there, x, ctx);
    normal.apply(x, y, ctx);
    fft.apply(y, x, ctx);
    const Array<C> answer = copied_to(Device::cpu(), x);
    parallel_for(ctx, diagonal.size(), grain, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i)
        diagonal[i] += (std::conj(std::complex<double>(phases[i])) * std::complex<double>(answer[i])).real();
    });
  }
  const double largest = *std::max_element(diagonal.begin(), diagonal.end()) / options.probes;
  if (!(largest > 0) || !std::isfinite(largest))
    throw input_error(
        "circulant preconditioner: the operator's largest eigenvalue is about {}, expected a positive "
        "number",
        largest);
  double shift = 0;
  if (options.lambda > 0)
    shift =
        options.lambda * (options.norm_squared > 0 ? options.norm_squared : largest_eigenvalue(normal, ctx));
  Array<C> inverse(image);
  for (Index i = 0; i < diagonal.size(); ++i)
    inverse[i] =
        static_cast<T>(1 / (std::max(diagonal[i] / options.probes, options.floor * largest) + shift));
  const Diagonal<T> scaling(moved_to(ctx.device(), std::move(inverse)));
  return adjoint(fft) * scaling * fft;
}

template Operator<float> circulant_preconditioner<float>(const LinearOperator<float>&, int,
                                                         const CirculantPreconditionerOptions&, Context&);
template Operator<double> circulant_preconditioner<double>(const LinearOperator<double>&, int,
                                                           const CirculantPreconditionerOptions&, Context&);

}  // namespace larmor
