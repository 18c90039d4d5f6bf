// Each gridding method of a GPU, whether or not it would be chosen, compared with tiles.
#include "device_cases.hpp"

#include <larmor/operators/nufft/spread/cuda/gridding.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace larmor::test {
namespace {

using nufft::cuda::Way;

template <typename Case>
class GriddingWays : public OnDevice<Case> {
 protected:
  using T = typename Case::T;
  using C = std::complex<T>;

  struct Problem {
    View<const double> k;
    View<const T> weights;
    std::array<Index, 3> grid;
    int lanes, width;
    Index coils;

    Index cells() const { return grid[0] * grid[1] * grid[2]; }
    nufft::Coils of_coils() const { return {coils, lanes}; }
    Index values() const { return cells() * lanes * of_coils().blocks(); }
  };

  std::unique_ptr<const nufft::CudaGridding<T>> made(const Problem& p, Way way, bool spreads = true,
                                                     bool interpolates = true) {
    const nufft::CudaGriddingOptions options{
        .lanes = p.lanes, .coils = p.coils, .spread = spreads, .interpolate = interpolates, .way = way};
    auto gridding = std::make_unique<const nufft::CudaGridding<T>>(
        p.k, p.grid, nufft::fitted_kernel<T>(p.width, 1.75), options, this->ctx());
    gridding->require_finite(this->ctx());
    return gridding;
  }

  Array<C> spread(const Problem& p, const nufft::CudaGridding<T>& by, const Array<C>& values) {
    Array<C> grid({p.values()}, this->device());
    this->ctx().arena().reserve(by.scratch_bytes(this->ctx(), p.of_coils()));
    by.spread(values.data(), p.weights.data(), grid.data(), p.of_coils(), this->ctx());
    return copied_to(Device::cpu(), grid);
  }

  Array<C> interpolated(const Problem& p, const nufft::CudaGridding<T>& by, const Array<C>& grid) {
    auto values = this->there(random_complex<T>({p.coils * by.samples()}, 9));
    this->ctx().arena().reserve(by.scratch_bytes(this->ctx(), p.of_coils()));
    by.interpolate(grid.data(), values.data(), p.weights.data(), p.of_coils(), this->ctx(), true);
    return copied_to(Device::cpu(), values);
  }

  void expect_alike(const Problem& p) {
    const Index samples = p.k.shape()[0], dims = p.k.shape()[1];
    const auto values = this->there(random_complex<T>({p.coils * samples}, 2));
    const auto grid = this->there(random_complex<T>({p.values()}, 3));
    const auto tiles = made(p, Way::tiles);
    const auto sums = spread(p, *tiles, values), there = interpolated(p, *tiles, grid);
    const double most = sizeof(T) == 4 ? 3e-6 : 1e-13;
    for (const Way way : {Way::in_order, Way::cells, Way::moments, Way::plane}) {
      const nufft::cuda::GriddingSizes sizes{
          static_cast<int>(dims), samples, p.grid, p.width, p.lanes, p.coils};
      const bool spreads = nufft::cuda::can_grid<T>(way, true, sizes),
                 interpolates = nufft::cuda::can_grid<T>(way, false, sizes);
      if (!spreads && !interpolates) continue;
      const auto gridding = made(p, way, spreads, interpolates);
      SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(way) << ", width " << p.width << ", "
                                      << samples << " points, lanes " << p.lanes);
      if (spreads) {
        EXPECT_LE(relative_difference(spread(p, *gridding, values), sums), most);
      }
      if (interpolates) {
        EXPECT_LE(relative_difference(interpolated(p, *gridding, grid), there), most);
      }
    }
  }
};
using Cases = testing::Types<CudaFloat, CudaDouble>;
TYPED_TEST_SUITE(GriddingWays, Cases, CaseNames);

// Random points, few and many per cell, and clusters around the edge of the grid and in one cell.
TYPED_TEST(GriddingWays, GiveWhatTilesGive) {
  using Real = typename TypeParam::T;
  for (const std::array<Index, 3>& grid : {std::array<Index, 3>{600, 1, 1}, {33, 1, 1}, {70, 90, 1}})
    for (const Index samples : {Index{9}, Index{401}, Index{60007}})
      for (const double extent : {1.0, 0.02, 0.0})
        for (const int width : sizeof(Real) == 4 ? std::vector{3, 6, 9} : std::vector{3, 7, 12, 16}) {
          const int dims = grid[1] > 1 ? 2 : 1;
          const auto k = this->there(random_real({samples, dims}, -0.5 * extent, 0.5 * extent + 1e-12, 6));
          const auto weights = this->there(converted<Real>(random_real({samples}, 0.5, 2, 7).view()));
          for (const int lanes : sizeof(Real) == 4 ? std::vector{1, 2, 4} : std::vector{1})
            this->expect_alike({k, weights, grid, lanes, width, 3});
        }
}

}  // namespace
}  // namespace larmor::test
