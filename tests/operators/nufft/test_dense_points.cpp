// Transforms of dense points and of a few coils, for which a GPU has special kernels, compared with exact
// sums.
#include "device_cases.hpp"

#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace larmor::test {
namespace {

template <typename Case>
class NufftOfDensePoints : public OnDevice<Case> {};
TYPED_TEST_SUITE(NufftOfDensePoints, DeviceCases, CaseNames);

// So many points that a GPU processes the points of a bin together in two dimensions, and those of a cell in
// one: with any width, with weights, around the edge, in few bins, and in one cell.
TYPED_TEST(NufftOfDensePoints, ManyPointsOfABinMeetTheTolerance) {
  using T = typename TypeParam::T;
  const Index samples = 8009;
  for (const Shape& image : {Shape{24, 33}, Shape{501}})
    for (const double extent : {1.3, 0.1, 0.0}) {
      const auto k = this->there(random_real({samples, image.rank()}, -0.6, -0.6 + extent + 1e-12, 6));
      const auto d = this->there(random_real({samples}, 0, 2, 3));
      const auto x = this->random(image, 1), y = this->random({samples}, 2);
      const Nudft<T> exact(k, image, 0, d);
      const auto there = exact.apply(x, this->ctx()), back = exact.adjoint(y, this->ctx());
      for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
        if (tolerance < (sizeof(T) == 4 ? 1e-5 : 0)) continue;
        const Nufft<T> nufft(k, d, image, {.tolerance = tolerance}, this->ctx());
        EXPECT_LE(relative_difference(nufft.apply(x, this->ctx()), there), tolerance)
            << image.to_string() << ' ' << extent;
        EXPECT_LE(relative_difference(nufft.adjoint(y, this->ctx()), back), tolerance)
            << image.to_string() << ' ' << extent;
      }
    }
}

// Small grids need wide kernels; the polynomials of the second kernel have the highest possible degrees.
TYPED_TEST(NufftOfDensePoints, WideKernelsOfAnyDegreeMeetTheTolerance) {
  using T = typename TypeParam::T;
  const Index samples = 8009;
  const Shape image{24, 33};
  const auto k = this->there(random_real({samples, 2}, -0.5, 0.5, 6));
  const auto x = this->random(image, 1), y = this->random({samples}, 2);
  const Nudft<T> exact(k, image);
  const auto there = exact.apply(x, this->ctx()), back = exact.adjoint(y, this->ctx());
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    if (tolerance < (sizeof(T) == 4 ? 1e-4 : 1e-9)) continue;
    const Nufft<T> nufft(k, image, {.tolerance = tolerance, .oversampling = 1.25}, this->ctx());
    EXPECT_LE(relative_difference(nufft.apply(x, this->ctx()), there), tolerance);
    EXPECT_LE(relative_difference(nufft.adjoint(y, this->ctx()), back), tolerance);
  }
}

// Fewer sums may need more memory, because each is split into more parts.
TYPED_TEST(NufftOfDensePoints, ExactSumsKnowTheirMemory) {
  using T = typename TypeParam::T;
  for (const auto& [samples, pixels] : {std::pair<Index, Index>{512, 600}, {600, 512}, {768, 900}}) {
    Context fresh(this->device());
    const auto k = this->there(random_real({samples, 1}, -0.5, 0.5, 6));
    const Nudft<T> exact(k, {pixels});
    EXPECT_NO_THROW(exact.apply(this->random({pixels}, 1), fresh));
    EXPECT_NO_THROW(exact.adjoint(this->random({samples}, 2), fresh));
  }
}

// A few coils share the cells of their own grid on a GPU.
TYPED_TEST(NufftOfDensePoints, AFewCoilsMeetTheTolerance) {
  using T = typename TypeParam::T;
  const Index samples = 3000;
  for (const Index coils : {2, 3})
    for (const Shape& image : {Shape{301}, Shape{24, 33}, Shape{9, 12, 10}})
      for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5}) {
        const auto k = this->there(random_real({samples, image.rank()}, -0.5, 0.5, 6));
        const auto x = this->random(image.prepend(coils), 1), y = this->random({coils, samples}, 2);
        const Nudft<T> exact(k, image, coils);
        const Nufft<T> nufft(k, image, {.tolerance = tolerance, .batch = coils}, this->ctx());
        EXPECT_LE(relative_difference(nufft.apply(x, this->ctx()), exact.apply(x, this->ctx())), tolerance)
            << image.to_string() << ' ' << coils;
        EXPECT_LE(relative_difference(nufft.adjoint(y, this->ctx()), exact.adjoint(y, this->ctx())),
                  tolerance)
            << image.to_string() << ' ' << coils;
      }
}

}  // namespace
}  // namespace larmor::test
