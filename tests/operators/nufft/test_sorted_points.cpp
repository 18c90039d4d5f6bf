// The order of points on a GPU, compared with a stable sort on the CPU.
#include "device_cases.hpp"
#include "error_of.hpp"

#include <larmor/operators/nufft/spread/cuda/gridding.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace larmor::test {
namespace {

template <typename Case>
class SortOfPoints : public OnDevice<Case> {
 protected:
  using T = typename Case::T;
  struct Sizes {
    std::array<int, 3> grid, bin;
  };

  nufft::cuda::Points<T> sizes(const Sizes& of, Index samples, int dims) const {
    nufft::cuda::Points<T> points{};
    points.dims = dims;
    points.width = 5;
    points.samples = samples;
    for (int a = 0; a < 3; ++a) points.grid[a] = a < dims ? of.grid[static_cast<std::size_t>(a)] : 1;
    return points;
  }

  // First cell along an axis, and the point's distance from the kernel's edge.
  static std::int32_t first_cell(double k, int grid, double& fraction) {
    const double position = (k - std::floor(k)) * grid - 2.5, first = std::ceil(position);
    fraction = first - position;
    return (static_cast<std::int32_t>(first) + grid) % grid;
  }

  void expect_sorted(const Array<double>& k, const Sizes& of) {
    const Index samples = k.shape()[0];
    const int dims = static_cast<int>(k.shape()[1]);
    std::int32_t bin[3] = {1, 1, 1}, bins[3] = {1, 1, 1};
    const auto wanted = sizes(of, samples, dims);
    for (int a = 0; a < dims; ++a) {
      bin[a] = of.bin[static_cast<std::size_t>(a)];
      bins[a] = (wanted.grid[a] + bin[a] - 1) / bin[a];
    }
    const auto there = this->there(clone(k));
    const nufft::SortedPoints<T> sorted(wanted, bin, there, this->ctx());
    sorted.require_finite(this->ctx());
    const auto& points = sorted.points();
    const auto fetch = [&](const auto* pointer, Index count) {
      return copied_to(Device::cpu(), View(pointer, {count}, this->device()));
    };
    const Index all_bins = Index{bins[0]} * bins[1] * bins[2];
    const auto order = fetch(points.order, samples), start = fetch(points.bin_start, all_bins + 1);
    const auto cell = fetch(points.cell, samples);
    const auto fraction = fetch(points.fraction, samples * dims);

    std::vector<Index> bin_of(static_cast<std::size_t>(samples), 0);
    std::vector<std::uint32_t> cell_of(static_cast<std::size_t>(samples), 0);
    for (Index j = 0; j < samples; ++j)
      for (int a = dims - 1; a >= 0; --a) {
        double beyond;
        const std::int32_t first = first_cell(k[j * dims + a], wanted.grid[a], beyond);
        auto& b = bin_of[static_cast<std::size_t>(j)];
        b = b * bins[a] + first / bin[a];
        cell_of[static_cast<std::size_t>(j)] |= static_cast<std::uint32_t>(first % bin[a]) << (8 * a);
      }
    std::vector<std::int32_t> expected(static_cast<std::size_t>(samples));
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t i, std::int32_t j) {
      return bin_of[static_cast<std::size_t>(i)] < bin_of[static_cast<std::size_t>(j)];
    });
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), order.begin())) << samples << " of " << dims;
    std::vector<std::int32_t> starts(static_cast<std::size_t>(all_bins + 1), 0);
    for (const Index b : bin_of) ++starts[static_cast<std::size_t>(b + 1)];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    EXPECT_TRUE(std::equal(starts.begin(), starts.end(), start.begin())) << samples << " of " << dims;
    for (Index p = 0; p < samples; ++p) {
      const Index j = order[p];
      ASSERT_EQ(cell[p], cell_of[static_cast<std::size_t>(j)]) << p;
      for (int a = 0; a < dims; ++a) {
        double beyond;
        first_cell(k[j * dims + a], wanted.grid[a], beyond);
        ASSERT_NEAR(fraction[a * samples + p], beyond, 1e-6) << p;
      }
    }
  }
};
using GpuCases = testing::Types<CudaFloat, CudaDouble>;
TYPED_TEST_SUITE(SortOfPoints, GpuCases, CaseNames);

// Few and many points, few and many bins, one tile of points and several, some of them in one place.
TYPED_TEST(SortOfPoints, IsStable) {
  for (const Index samples : {1, 31, 1023, 1024, 1025, 20000, 65536, 65537})
    for (int dims = 1; dims <= 3; ++dims) {
      auto k = random_real({samples, dims}, -0.7, 0.8, 5);
      for (Index j = samples / 2; j < samples / 2 + samples / 8; ++j)
        for (int a = 0; a < dims; ++a) k[j * dims + a] = 0.3;
      this->expect_sorted(k, {{48, 44, 20}, {16, 16, 4}});
      this->expect_sorted(k, {{1024, 90, 36}, {8, 7, 3}});
    }
}

TYPED_TEST(SortOfPoints, FindsTheFirstPointThatIsNotFinite) {
  for (const Index samples : {5000, 70000}) {
    auto k = random_real({samples, 2}, -0.5, 0.5, 5);
    k[2 * 4100] = std::numeric_limits<double>::quiet_NaN();
    k[2 * 1500 + 1] = std::numeric_limits<double>::infinity();
    const auto there = this->there(std::move(k));
    const nufft::SortedPoints<typename TypeParam::T> sorted(
        this->sizes({{64, 64, 1}, {16, 16, 1}}, samples, 2), {16, 16, 1}, there, this->ctx());
    EXPECT_THAT(error_of([&] { sorted.require_finite(this->ctx()); }),
                testing::AllOf(testing::StartsWith("3: "), testing::HasSubstr("sample 1500")));
  }
}

}  // namespace
}  // namespace larmor::test
