// Values of sorted points on their way to the caller's order on a GPU.
#include "device_cases.hpp"

#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/spread/cuda/points/sample_groups.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace larmor::test {
namespace {

template <typename Case>
class SampleGroups : public OnDevice<Case> {};
using GpuCases = testing::Types<CudaFloat, CudaDouble>;
TYPED_TEST_SUITE(SampleGroups, GpuCases, CaseNames);

// Fewer samples than a group has, one and several tiles of points; bits above a sample's number are of
// others.
TYPED_TEST(SampleGroups, BringValuesToTheCallersOrder) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  for (const Index samples : {1, 5, 4096, 4097, 70001}) {
    constexpr int bits = 27;
    std::vector<std::uint32_t> sample(static_cast<std::size_t>(samples));
    std::iota(sample.begin(), sample.end(), 0U);
    std::shuffle(sample.begin(), sample.end(), std::mt19937(3));
    Array<std::uint32_t> order({samples});
    for (Index p = 0; p < samples; ++p)
      order[p] = sample[static_cast<std::size_t>(p)] | static_cast<std::uint32_t>(p % 32) << bits;
    const auto order_there = this->there(std::move(order));
    const auto bytes = [](std::size_t count) { return Shape{static_cast<Index>(count)}; };
    Array<std::byte> tables(bytes(nufft::cuda::sample_group_bytes(samples)), this->device()),
        work(bytes(nufft::cuda::sample_group_scratch_bytes(samples)), this->device());
    const nufft::cuda::SampleOrder of{order_there.data(), bits};
    Array<std::int64_t> apart({1}, this->device());
    EXPECT_EQ(nufft::cuda::samples_lie_apart(of, samples, apart.data(), this->ctx().stream()), samples > 5);
    const auto groups =
        nufft::cuda::group_samples(of, samples, tables.data(), work.data(), this->ctx().stream());
    this->ctx().synchronize();
    // Every place is taken once, and by the sample that looks for its value there.
    const auto fetch = [&](const std::uint32_t* table) {
      return copied_to(Device::cpu(), View(table, {samples}, this->device()));
    };
    const auto place = fetch(groups.place), of_sample = fetch(groups.of_sample);
    std::vector<bool> taken(static_cast<std::size_t>(samples));
    for (Index p = 0; p < samples; ++p) {
      EXPECT_EQ(place[p], of_sample[sample[static_cast<std::size_t>(p)]]);
      ASSERT_LT(place[p], samples);
      taken[place[p]] = true;
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), true), samples);

    const auto values = random_complex<T>({samples}, 1), before = random_complex<T>({samples}, 2);
    const auto weights = random_real({samples}, 0, 2, 4);
    Array<C> placed({samples});
    Array<T> own_weights({samples});
    for (Index p = 0; p < samples; ++p) {
      placed[place[p]] = values[p];
      own_weights[p] = static_cast<T>(weights[p]);
    }
    const auto there = this->there(std::move(placed)), weights_there = this->there(std::move(own_weights));
    for (const bool weighted : {false, true})
      for (const bool accumulate : {false, true}) {
        auto result = this->there(clone(before));
        nufft::cuda::ungroup_samples<T>(groups, samples, there.data(), result.data(),
                                        weighted ? weights_there.data() : nullptr, accumulate,
                                        this->ctx().stream());
        this->ctx().synchronize();
        const auto found = copied_to(Device::cpu(), result);
        double most = 0;
        for (Index p = 0; p < samples; ++p) {
          const Index s = sample[static_cast<std::size_t>(p)];
          const C expected =
              static_cast<T>(weighted ? weights[s] : 1) * values[p] + (accumulate ? before[s] : C(0));
          most = std::max(most, static_cast<double>(std::abs(found[s] - expected)));
        }
        EXPECT_LT(most, 10 * std::numeric_limits<T>::epsilon()) << samples << weighted << accumulate;
      }
  }
}

// More than the second-level cache holds: points in any order go by groups, sorted ones do not. What memory
// that takes is known beforehand. In two dimensions that is so in double precision alone.
TYPED_TEST(SampleGroups, GiveWhatSortedPointsGive) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  constexpr bool twice = sizeof(T) == 8;
  const Index samples = twice ? 3300001 : 6600001;
  for (const Shape& image : twice ? std::vector<Shape>{{600000}, {400, 420}} : std::vector<Shape>{{600000}}) {
    const NufftOptions options{.tolerance = twice ? 1e-7 : 1e-4};
    const Index dims = image.rank();
    const auto k = random_real({samples, dims}, -0.5, 0.5, 6);
    // By strips, along them.
    const auto strip = [&](Index s) { return std::floor(k[s * dims + dims - 1] * (dims - 1) * 300); };
    std::vector<Index> order(static_cast<std::size_t>(samples));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return std::pair(strip(a), k[a * dims]) < std::pair(strip(b), k[b * dims]);
    });
    const auto density = random_real({samples}, 0.5, 2, 7);
    const auto before = random_complex<T>({samples}, 8);
    Array<double> sorted({samples, dims}), sorted_density({samples});
    Array<C> sorted_before({samples});
    for (Index i = 0; i < samples; ++i) {
      const Index s = order[static_cast<std::size_t>(i)];
      for (Index d = 0; d < dims; ++d) sorted[i * dims + d] = k[s * dims + d];
      sorted_density[i] = density[s];
      sorted_before[i] = before[s];
    }
    const auto x = this->random(image, 1);
    const Nufft<T> any(k, density, image, options, this->ctx()),
        other(sorted, sorted_density, image, options, this->ctx());
    // Lines of many points need no table of where each one belongs.
    if (dims > 1) EXPECT_GT(any.table_bytes(), other.table_bytes() + static_cast<std::size_t>(samples) * 4);
    EXPECT_LE(any.scratch_bytes(this->ctx()), Nufft<T>::scratch_bytes(image, samples, options, this->ctx()));
    EXPECT_LE(any.table_bytes(), Nufft<T>::table_bytes(image, samples, options, true, this->ctx()));
    for (const Write write : {Write::overwrite, Write::accumulate}) {
      auto y = this->there(clone(before)), sorted_y = this->there(clone(sorted_before));
      any.apply(x, y, this->ctx(), write);
      other.apply(x, sorted_y, this->ctx(), write);
      const auto found = copied_to(Device::cpu(), y), expected = copied_to(Device::cpu(), sorted_y);
      double most = 0;
      for (Index i = 0; i < samples; ++i)
        most = std::max(
            most, static_cast<double>(std::abs(found[order[static_cast<std::size_t>(i)]] - expected[i])));
      // Added to what was there, a value may be rounded once more.
      EXPECT_LE(most, write == Write::overwrite ? 0 : 100 * std::numeric_limits<T>::epsilon())
          << dims << " dimensions";
    }
  }
}

}  // namespace
}  // namespace larmor::test
