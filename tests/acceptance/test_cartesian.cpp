// Real raw data undersampled on a Cartesian grid: solving with them as a trajectory equals solving on the
// grid.
#include "mri/synthetic_scan.hpp"
#include "random_arrays.hpp"

#include <larmor/io/arrays/cfl.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <filesystem>

namespace larmor::test {
namespace {

using C = std::complex<float>;

TEST(CartesianPoints, AreSolvedAsOnTheGrid) {
  const std::string file = std::string(LARMOR_TEST_DATA) + "/brain_cartesian_8ch.cfl";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  Context ctx(Device::cpu(), {.threads = 2});
  const auto all = read_cfl(file);
  const Index coils = all.shape()[0], ny = all.shape()[1], nx = all.shape()[2];
  ASSERT_EQ(all.shape(), (Shape{coils, ny, nx, 1}));
  const Shape image{ny, nx};
  const Index pixels = image.size();
  auto mask = filled(image.prepend(coils), C(0));
  Scan scan = empty_scan({nx, ny, 1}, {180, 230, 1}, "other");
  for (Index y = 0; y < ny; ++y) {
    std::vector<float> k;
    std::vector<Index> sampled;
    for (Index x = 0; x < nx; ++x) {
      if (all[y * nx + x] == C(0)) continue;
      sampled.push_back(x);
      k.push_back(static_cast<float>(x - nx / 2) / static_cast<float>(nx));
      k.push_back(static_cast<float>(y - ny / 2) / static_cast<float>(ny));
    }
    std::vector<C> data;
    for (Index c = 0; c < coils; ++c)
      for (const Index x : sampled) {
        data.push_back(all[c * pixels + y * nx + x]);
        mask[c * pixels + y * nx + x] = C(1);
      }
    add_readout(scan, k, 2, coils, data).encode_step_1 = static_cast<std::uint16_t>(y);
  }

  ReconstructOptions options;
  options.transform.tolerance = 1e-4;
  const auto estimated = estimate_maps(scan, options, ctx);
  options.coils.maps = estimated.maps;
  options.solve.regularizers = {parse_regularizer("wavelet:2e-3:shifts=0")};
  options.solve.iterations = 60;
  options.density = DensityKind::none;  // as in the operator below
  const auto points = reconstruct(std::move(scan), options, ctx);

  const auto on_grid = Diagonal<float>(std::move(mask)) * Fft<float>(image.prepend(coils), 2) *
                       CoilMaps<float>(copied_to(ctx.device(), estimated.maps));
  const Problem<float> problem{
      on_grid.normal(ctx),
      on_grid.adjoint(all.view().reshaped(image.prepend(coils)), ctx),
      {wavelet_l1<float>({image, 2}, {.lambda = 2e-3, .levels = 3, .shifts = false})}};
  auto expected = fista<float>(problem, {.iterations = 60}, ctx).x;
  scale<float>(1 / std::sqrt(static_cast<double>(pixels)), expected.view(), ctx);
  // The regulariser also acts outside the coil maps, but the written image is zero there.
  for (Index p = 0; p < pixels; ++p) {
    bool seen = false;
    for (Index c = 0; c < coils; ++c) seen = seen || estimated.maps[c * pixels + p] != C(0);
    if (!seen) expected[p] = 0;
  }
  EXPECT_LT(relative_difference(points.series.images[0].pixels, expected), 1e-3);
}

}  // namespace
}  // namespace larmor::test
