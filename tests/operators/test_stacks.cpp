// Block-diagonal operators, whose blocks a GPU works on in pairs.
#include "device_cases.hpp"
#include "random_arrays.hpp"

#include <larmor/core/vectors/replay.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/stacks.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

template <typename Case>
class Blocks : public OnDevice<Case> {
 protected:
  using T = typename Case::T;
  using C = std::complex<T>;
  const Shape image{40, 36};
  const Index coils = 5, frames = 7;

  // The coil models of frames with different trajectories.
  std::vector<Operator<T>> models() {
    const CoilMaps<T> maps(this->random(image.prepend(coils), 1));
    std::vector<Operator<T>> result;
    for (Index f = 0; f < frames; ++f) {
      const auto k = this->there(random_real({600 + 50 * f, 2}, -0.5, 0.5, 2 + static_cast<unsigned>(f)));
      result.push_back(Nufft<T>(k, image, {.tolerance = 1e-4, .batch = coils}, this->ctx()) * maps);
    }
    return result;
  }
  // Block after block, each waited for.
  Array<C> one_by_one(const std::vector<Operator<T>>& blocks, View<const C> x, Index rows) {
    Array<C> y({rows}, this->device());
    Index from = 0, to = 0;
    for (const auto& block : blocks) {
      const View<const C> in(x.data() + from, block.domain(), x.device());
      block.apply(in, View<C>(y.data() + to, block.codomain(), x.device()), this->ctx());
      this->ctx().synchronize();
      from += block.domain().size();
      to += block.codomain().size();
    }
    return y;
  }
};
TYPED_TEST_SUITE(Blocks, DeviceCases, CaseNames);

TYPED_TEST(Blocks, GiveTheBitsOfEachBlock) {
  using Real = typename TypeParam::T;
  const auto models = this->models();
  const BlockDiag<Real> all(models);
  const auto x = this->random(all.domain(), 3);
  this->ctx().arena().reserve(all.scratch_bytes(this->ctx()));
  EXPECT_TRUE(same_bits(all.apply(x, this->ctx()), this->one_by_one(models, x, all.codomain().size())));

  std::vector<Operator<Real>> normals;
  for (const auto& model : models) normals.push_back(model.normal(this->ctx()));
  // Blocks inside of blocks.
  const BlockDiag<Real> inner({normals[1], normals[2], normals[3]});
  const BlockDiag<Real> normal({normals[0], inner, normals[4], normals[5], normals[6]});
  const auto expected = this->one_by_one(normals, x, all.domain().size());
  this->ctx().arena().release();
  this->ctx().arena().reserve(normal.scratch_bytes(this->ctx()));
  Array<std::complex<Real>> y(all.domain(), this->device());
  Replay replay([&] { normal.apply(x, y, this->ctx()); }, this->ctx());
  for (int i = 0; i < 5; ++i) {
    fill<Real>(y, 0, this->ctx());
    replay();
    EXPECT_TRUE(same_bits(y, expected)) << "run " << i;
  }
}

}  // namespace
}  // namespace larmor::test
