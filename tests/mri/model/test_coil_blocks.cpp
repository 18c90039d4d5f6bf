// A model that processes its coils in blocks equals the model of all coils.
#include "device_cases.hpp"

#include <larmor/mri/model/sense.hpp>

namespace larmor::test {
namespace {

template <typename Case>
class CoilBlocks : public OnDevice<Case> {};
TYPED_TEST_SUITE(CoilBlocks, DeviceCases, CaseNames);

TYPED_TEST(CoilBlocks, GiveTheModelOfAllCoils) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const Shape image{12, 10};
  const Index coils = 5;
  const auto k = random_real({150, 2}, -0.5, 0.5, 1);
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;
  const auto x = this->random(image, 3), y = this->random({coils, 150}, 4);
  const Nufft<T> whole(k, image, {.tolerance = tolerance, .batch = coils}, this->ctx());
  for (const Index sets : {1, 2}) {
    std::vector<CoilMaps<T>> maps, far;
    for (Index set = 0; set < sets; ++set) {
      const auto values = this->random(image.prepend(coils), 5 + static_cast<unsigned>(set));
      maps.emplace_back(clone(values));
      far.emplace_back(copied_to(this->device(), values.view(), Placement::host));
    }
    const auto A = sense_model<T>(whole, maps);
    const auto unknown = this->random(A.domain(), 9);
    for (const Index block : {1, 2, 4}) {
      const Nufft<T> part(k, image, {.tolerance = tolerance, .batch = block}, this->ctx());
      const auto B = sense_model_in_blocks<T>(part, far, block, Placement::host);
      ASSERT_EQ(B.domain(), A.domain());
      ASSERT_EQ(B.codomain(), A.codomain());
      EXPECT_LT(relative_difference(B.apply(unknown, this->ctx()), A.apply(unknown, this->ctx())),
                3 * tolerance);
      const Array<C> on_host = copied_to(this->device(), y.view(), Placement::host);
      EXPECT_LT(relative_difference(B.adjoint(on_host, this->ctx()), A.adjoint(y, this->ctx())),
                3 * tolerance);
      const auto normal = B.normal(this->ctx());
      EXPECT_LT(relative_difference(normal.apply(unknown, this->ctx()),
                                    A.normal(this->ctx()).apply(unknown, this->ctx())),
                3 * tolerance);
    }
  }
}

}  // namespace
}  // namespace larmor::test
