// Stacks of stars separated into slices, compared with the three-dimensional problem.
#include "device_cases.hpp"

#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/trajectory/stack_of_stars.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using testing::HasSubstr;
using testing::Not;

template <typename Case>
class StackOfStars : public OnDevice<Case> {};
TYPED_TEST_SUITE(StackOfStars, FloatCases, CaseNames);

TYPED_TEST(StackOfStars, SliceBySliceEqualsTheWholeVolume) {
  Context& ctx = this->ctx();
  Context cpu(Device::cpu(), {.threads = 2});
  for (const Index slices : {5, 6}) {
    const Shape image{slices, 12, 14};
    const Index coils = 3;
    const auto k = stack_of_stars({.spokes = 11, .samples = 24}, slices).k;
    const auto maps = random_complex<float>(image.prepend(coils), 2);
    const auto whole = sense_model(Nufft<float>(k, image, {.tolerance = 1e-5, .batch = coils}, ctx),
                                   CoilMaps<float>(this->there(clone(maps))));
    const auto y = random_complex<float>({coils, k.shape()[0]}, 3);

    const auto stack = find_slice_stack(k, {}, image);
    ASSERT_TRUE(stack.has_value());
    EXPECT_EQ(stack->points(), 11 * 24);
    const Nufft<float> transform(stack->trajectory, image.drop_front(1), {.tolerance = 1e-5, .batch = coils},
                                 ctx);
    const auto slice_by_slice = stack_model<float>(transform, this->there(slice_maps<float>(maps)));
    const auto samples = this->there(slice_samples(*stack, y, cpu));
    EXPECT_EQ(slice_by_slice.domain(), image);
    EXPECT_EQ(slice_by_slice.codomain(), samples.shape());

    // The normal equations are identical: adjoint, normal operator, and therefore every iterate.
    EXPECT_LT(
        relative_difference(slice_by_slice.adjoint(samples, ctx), whole.adjoint(this->there(clone(y)), ctx)),
        3e-5);
    const auto x = this->random(image, 4);
    const auto normal = slice_by_slice.normal(ctx);
    EXPECT_LT(relative_difference(normal.apply(x, ctx), whole.normal(ctx).apply(x, ctx)), 3e-5);
    EXPECT_THAT(describe(normal), HasSubstr("SenseToeplitz"));
    EXPECT_THAT(describe(normal), Not(HasSubstr("Nufft")));
    const SolverOptions<float> options{.iterations = 6};
    EXPECT_LT(relative_difference(conjugate_gradient<float>(slice_by_slice, samples, {}, options, ctx).x,
                                  conjugate_gradient<float>(whole, y, {}, options, ctx).x),
              1e-3);
  }
}

TEST(SliceStackOfATrajectory, DensityAndTheOrderOfPlanesAreFollowed) {
  const Shape image{4, 8, 8};
  const Index spokes = 3, samples = 8, planes = 4;
  auto k = stack_of_stars({.spokes = spokes, .samples = samples}, planes).k;
  // The plane at −0.5 written as +0.5, and the spokes of one plane reversed.
  for (Index j = 0; j < k.shape()[0]; ++j)
    if (k[3 * j + 2] == -0.5) k[3 * j + 2] = 0.5;
  Array<double> density({k.shape()[0]});
  for (Index j = 0; j < density.size(); ++j) density[j] = 0.1 + std::hypot(k[3 * j], k[3 * j + 1]);
  auto shuffled = clone(k);
  auto shuffled_density = clone(density);
  const auto readout = [&](Index spoke, Index plane) { return (spoke * planes + plane) * samples; };
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const Index from = readout(spoke, 2), to = readout(spokes - 1 - spoke, 2);
    std::copy_n(k.data() + 3 * from, 3 * samples, shuffled.data() + 3 * to);
    std::copy_n(density.data() + from, samples, shuffled_density.data() + to);
  }
  for (const auto& [points, weights] : {std::pair(&k, &density), std::pair(&shuffled, &shuffled_density)}) {
    const auto stack = find_slice_stack(*points, *weights, image);
    ASSERT_TRUE(stack.has_value());
    for (Index p = 0; p < planes; ++p)
      for (Index i = 0; i < stack->points(); ++i) {
        const Index j = stack->sample[static_cast<std::size_t>(p * stack->points() + i)];
        EXPECT_NEAR((*points)[3 * j], stack->trajectory[2 * i], 1e-9);
        EXPECT_NEAR((*points)[3 * j + 1], stack->trajectory[2 * i + 1], 1e-9);
        EXPECT_NEAR((*weights)[j], stack->density[i], 1e-9);
        EXPECT_NEAR(std::remainder((*points)[3 * j + 2] - static_cast<double>(p - 2) / 4, 1.0), 0, 1e-9);
      }
  }
}

TEST(SliceStackOfATrajectory, OthersAreNone) {
  const Shape image{4, 8, 8};
  const auto k = stack_of_stars({.spokes = 3, .samples = 8}, 4).k;
  EXPECT_TRUE(find_slice_stack(k, {}, image).has_value());
  EXPECT_FALSE(find_slice_stack(k, {}, {5, 8, 8}).has_value()) << "planes of another field of view";
  EXPECT_FALSE(find_slice_stack(k.view().slices(0, 88), {}, image).has_value()) << "a readout is missing";
  EXPECT_FALSE(find_slice_stack(kooshball_3d(8, 16).k, {}, image).has_value());
  auto turned = clone(k);
  turned[0] += 1e-3;
  EXPECT_FALSE(find_slice_stack(turned, {}, image).has_value()) << "another point on one plane";
  auto density = filled<double>({k.shape()[0]}, 1);
  EXPECT_TRUE(find_slice_stack(k, density, image).has_value());
  density[5] = 2;
  EXPECT_FALSE(find_slice_stack(k, density, image).has_value()) << "another density on one plane";
}

}  // namespace
}  // namespace larmor::test
