// Maps that are zero outside a box: its position, and normal operators restricted to it.
#include "device_cases.hpp"
#include "operators/operator_contract.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

template <typename Case>
class MapsInABox : public OnDevice<Case> {};
TYPED_TEST_SUITE(MapsInABox, DeviceCases, CaseNames);

TYPED_TEST(MapsInABox, HaveTheNormalOperatorOfTheWholeImage) {
  using T = typename TypeParam::T;
  constexpr Index coils = 3;
  constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;
  const ImageBox boxes[] = {{{2, 6}, {5, 4}}, {{1, 0, 2}, {3, 4, 4}}};
  for (const ImageBox& box : boxes) {
    const Shape image = box.extent.rank() == 2 ? Shape{12, 11} : Shape{7, 8, 9};
    auto values = random_complex<T>(image.prepend(coils), 8);
    for (Index i = 0; i < values.size(); ++i) {
      Index rest = i % image.size();
      for (int axis = image.rank() - 1; axis >= 0; --axis) {
        const Index place = rest % image[axis] - box.first[axis];
        if (place < 0 || place >= box.extent[axis]) values[i] = 0;
        rest /= image[axis];
      }
    }
    EXPECT_EQ(box_of_maps<T>(values, this->ctx()), box);
    const auto k = random_real({60, image.rank()}, -0.5, 0.5, 4);
    const CoilMaps<T> maps(this->there(clone(values))), within = maps.within(box);
    const Nufft<T> F(this->there(clone(k)), image, {.tolerance = tolerance, .batch = coils}, this->ctx());
    const auto exact =
        Nudft<double>(k, image, coils) * CoilMaps<double>(converted<std::complex<double>>(values.view()));
    ContractOptions<T> options;
    options.device = this->device();
    options.reference = [&](View<const std::complex<double>> x) {
      Context host;
      return exact.adjoint(exact.apply(x, host), host);
    };
    options.reference_tolerance = tolerance;
    for (const std::size_t limit : {0, 1}) {
      const NormalOptions how{.toeplitz = NormalOptions::Toeplitz::on, .byte_limit = limit};
      const auto whole = (F * maps).normal(how, this->ctx()), part = (F * within).normal(how, this->ctx());
      EXPECT_THAT(contract_violations<T>(part, options), testing::IsEmpty())
          << image.to_string() << " " << limit;
      const auto needs = [&](const auto& op) { return op.scratch_bytes(this->ctx()) + op.table_bytes(); };
      if (this->device().on_gpu())
        EXPECT_EQ(needs(part), needs(whole));
      else
        EXPECT_LT(needs(part), needs(whole));
    }
  }
}

TEST(BoxOfMaps, IsTheImageWhereMapsAreZero) {
  Context ctx;
  const auto none = filled<std::complex<float>>({2, 3, 4}, 0);
  const ImageBox all{{0, 0}, {3, 4}};
  EXPECT_EQ(box_of_maps<float>(none, ctx), all);
  const CoilMaps<float> maps(clone(none.view()));
  EXPECT_EQ(maps.box(), all);
  EXPECT_EQ(maps.within({{1, 2}, {2, 1}}).coils(0, 1).box(), (ImageBox{{1, 2}, {2, 1}}));
  EXPECT_THROW(maps.within({{1, 0}, {3, 4}}), Error);
  EXPECT_THROW(maps.within({{0, 0}, {0, 4}}), Error);
  EXPECT_THROW(maps.within({{0}, {3}}), Error);
}

}  // namespace
}  // namespace larmor::test
