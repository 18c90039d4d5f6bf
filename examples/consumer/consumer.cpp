// A program outside Larmor's source tree: one header, one target. Reconstructs a point from radial samples
// and fails if it is in the wrong place.
#include <larmor/larmor.hpp>

#include <cmath>
#include <complex>
#include <cstdio>

int main() {
  using namespace larmor;
  Context ctx;
  const Shape image_shape{16, 16};
  const RadialOptions spokes{.spokes = 40, .samples = 32, .order = SpokeOrder::golden};
  const Trajectory trajectory = radial_2d(spokes);
  const Nufft<float> F(trajectory.k, image_shape, {.tolerance = 1e-4}, ctx);

  auto point = filled<std::complex<float>>(image_shape, 0);
  point[16 * 5 + 9] = 1;
  const auto samples = F.apply(point, ctx);
  const auto result = conjugate_gradient(F, samples, {}, {.iterations = 30}, ctx);

  Index brightest = 0;
  for (Index i = 0; i < result.x.size(); ++i) {
    if (std::abs(result.x[i]) > std::abs(result.x[brightest])) brightest = i;
  }
  // The library's errors can be caught by the program.
  try {
    F.apply(filled<std::complex<float>>({3}, 0), ctx);
    return 1;
  } catch (const Error& error) {
    std::printf("refused: %s\n", error.what());
  }

  std::printf("point of %.3f at (%d, %d)\n", std::abs(result.x[brightest]), static_cast<int>(brightest % 16),
              static_cast<int>(brightest / 16));
  return brightest == 16 * 5 + 9 ? 0 : 1;
}
