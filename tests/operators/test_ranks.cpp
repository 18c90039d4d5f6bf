// Operators that are divided among ranks: they fulfil the contract, and together they give the result of one.
#include "operators/operator_contract.hpp"
#include "random_arrays.hpp"
#include "ranks.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/ranks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using testing::IsEmpty;

template <typename T>
using C = std::complex<T>;

template <typename T>
class Ranks : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Ranks, Reals);

/// Coils of a scan, and the model of some of them.
template <typename T>
struct Coils {
  static constexpr Index coils = 5, samples = 40;
  explicit Coils(const Shape& shape)
      : image(shape),
        k(random_real({samples, shape.rank()}, -0.5, 0.5, 11)),
        maps(converted<C<T>>(random_complex<double>(shape.prepend(coils), 3).view())) {}
  Composition<T> model(Index first, Index count, Context& ctx) const {
    return Nufft<T>(k, image, {.tolerance = tolerance, .batch = count}, ctx) *
           CoilMaps<T>(maps.view().slices(first, count));
  }
  static constexpr double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
  Shape image;
  Array<double> k;
  Array<C<T>> maps;
};

TYPED_TEST(Ranks, KeepTheContractOfOperators) {
  using T = TypeParam;
  for (const Shape& image : {Shape{9, 8}, Shape{5, 3, 6}}) {
    Context ctx(Device::cpu(), {.threads = 2});
    const Coils<T> scan(image);
    const RowsOfRank<T> rows(scan.model(0, Coils<T>::coils, ctx), ranks_of_threads(1).front());
    ContractOptions<T> options;
    options.normal_tolerance = Coils<T>::tolerance;
    EXPECT_THAT(contract_violations<T>(rows, options), IsEmpty()) << image.to_string();
    EXPECT_THAT(contract_violations<T>(rows.normal(ctx), options), IsEmpty()) << image.to_string();
  }
}

TYPED_TEST(Ranks, MakeTogetherWhatOneMakes) {
  using T = TypeParam;
  const Coils<T> scan({9, 8});
  Context one(Device::cpu(), {.threads = 1});
  const auto whole = scan.model(0, Coils<T>::coils, one);
  const auto x = converted<C<T>>(random_complex<double>(whole.domain(), 5).view());
  const auto y = whole.apply(x, one), back = whole.adjoint(y, one), normal = whole.normal(one).apply(x, one);
  const auto expect_equal = [&](View<const C<T>> found, View<const C<T>> expected) {
    EXPECT_LT(relative_difference(found, expected), 5 * Coils<T>::tolerance);
  };
  for (const int count : {2, 3})
    as_ranks(count, [&](std::shared_ptr<Communicator> ranks) {
      Context ctx(Device::cpu(), {.threads = 1});
      const Share own = share_of(Coils<T>::coils, *ranks);
      const RowsOfRank<T> rows(scan.model(own.first, own.count, ctx), ranks);
      const auto own_y = y.view().slices(own.first, own.count);
      expect_equal(rows.apply(x, ctx), own_y);
      expect_equal(rows.adjoint(own_y, ctx), back);
      expect_equal(rows.normal(ctx).apply(x, ctx), normal);
    });
}

}  // namespace
}  // namespace larmor::test
