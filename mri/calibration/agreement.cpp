#include <larmor/mri/calibration/agreement.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <algorithm>

namespace larmor {
namespace {

using Complex = std::complex<float>;

// Small enough for data to be explained as well as possible, and large enough for iterations to converge.
constexpr double weight = 1e-3;
constexpr Index solve_iterations = 30;

// y − A x of the Tikhonov solution.
Array<Complex> residual(const LinearOperator<float>& A, Array<Complex> y, Context& ctx) {
  const auto x =
      conjugate_gradient<float>(A, y, {l2<float>(weight)}, {.iterations = solve_iterations}, ctx).x;
  const auto explained = A.apply(x, ctx);
  axpy<float>(-1, explained, y, ctx);
  return y;
}

// The samples from `first`, `count` of every coil; the others are set to 0.
Array<Complex> alone(View<const Complex> samples, Index first, Index count) {
  Array<Complex> part = filled(samples.shape(), Complex(0));
  const Index all = samples.shape()[1];
  for (Index c = 0; c < samples.shape()[0]; ++c)
    std::copy_n(samples.data() + c * all + first, count, part.data() + c * all + first);
  return part;
}

}  // namespace

Agreement agreement(const CentralPart& one, const CentralPart& other, View<const Complex> maps,
                    Context& ctx) {
  Context host = ctx.host();
  const CentralPart both = joined(one, other);
  const Index coils = maps.shape()[0], first = one.samples.shape()[1], second = other.samples.shape()[1];
  const auto A =
      Nufft<float>(both.trajectory, maps.shape().drop_front(1), {.tolerance = 1e-3, .batch = coils}, host) *
      CoilMaps<float>(copied_to(Device::cpu(), maps));
  const auto left = residual(A, alone(both.samples, 0, first), host),
             other_left = residual(A, alone(both.samples, first, second), host);
  const auto [aa, bb, ba] = dots<float>({{left, left}, {other_left, other_left}, {other_left, left}}, host);
  Agreement result;
  if (!(aa.real() > 0) || !(bb.real() > 0)) return result;
  result.factor = -ba / bb.real();
  result.unexplained = (aa.real() + bb.real() + 2 * ba.real()) / (aa.real() + bb.real());
  return result;
}

}  // namespace larmor
