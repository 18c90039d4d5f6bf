// Several ranks, threads here, find the coil maps of one, to the same bits: each those of some pixels.
#include "ranks.hpp"

#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <mutex>

namespace larmor::test {
namespace {

using C = std::complex<float>;

constexpr Index coils = 5;

Context one_thread() {
  return Context(Device::cpu(), {.threads = 1});
}

/// A head seen by coils.
struct Measured {
  Shape shape;
  Array<double> k;
  Array<C> samples;
};
Measured measured(int dims) {
  Context ctx = one_thread();
  Measured result;
  result.shape = dims == 2 ? Shape{46, 40} : Shape{14, 16, 18};
  const Trajectory trajectory = dims == 2 ? radial_2d({.spokes = 71, .samples = 80}) : kooshball_3d(500, 18);
  result.k = clone(trajectory.k.view());
  const Phantom head(dims, head_phantom(dims), coil_ring(dims, coils));
  result.samples = converted<C>(head.kspace(result.k, result.shape, ctx).view());
  return result;
}

class CalibrationOfRanks : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const int dims_ = std::get<0>(GetParam()), ranks_ = std::get<1>(GetParam());
  const Measured data_ = measured(dims_);
  const Index size_ = dims_ == 2 ? 24 : 10;
};

TEST_P(CalibrationOfRanks, FindsTheMapsOfOne) {
  Context ctx = one_thread();
  const auto region = calibration_region(data_.k, data_.samples, data_.shape, {.size = size_}, ctx);
  const auto one = espirit_maps(region, data_.shape, {}, ctx);
  Array<C> several(one.shape());
  std::mutex mutex;
  const Index slowest = data_.shape[0], rest = data_.shape.size() / slowest;
  as_ranks(ranks_, [&](std::shared_ptr<Communicator> ranks) {
    Context own = one_thread();
    const auto part = espirit_maps(region, data_.shape, {.ranks = ranks.get()}, own);
    const Share share = share_of(slowest, *ranks);
    ASSERT_EQ(part.shape(), data_.shape.drop_front(1).prepend(share.count).prepend(coils));
    const std::lock_guard lock(mutex);
    for (Index c = 0; c < coils; ++c)
      std::copy_n(part.data() + c * share.count * rest, share.count * rest,
                  several.data() + (c * slowest + share.first) * rest);
  });
  EXPECT_TRUE(std::equal(several.begin(), several.end(), one.begin()));
}

INSTANTIATE_TEST_SUITE_P(, CalibrationOfRanks,
                         testing::Combine(testing::Values(2, 3), testing::Values(2, 3)));

}  // namespace
}  // namespace larmor::test
