// Operators of which each rank has a part: what all of them make together is held to the contract, on two
// ranks, which are processes: this one and one that does the same beside it.
#include "operators/gathered.hpp"
#include "operators/operator_contract.hpp"
#include "random_arrays.hpp"
#include "ranks.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/ranks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace larmor::test {
namespace {

using testing::IsEmpty;

template <typename T>
using C = std::complex<T>;

/// What `check` finds on two ranks, of which the second is a process of its own.
std::vector<std::string> on_two_ranks(
    const std::function<std::vector<std::string>(std::shared_ptr<Communicator>)>& check) {
  const auto segment = RankSegment::create(2);
  const pid_t other = ::fork();
  const int rank = other == 0 ? 1 : 0;
  const auto ranks = std::make_shared<SharedMemoryCommunicator>(segment, rank);
  std::vector<std::string> found;
  try {
    found = check(ranks);
  } catch (const std::exception& error) {
    found.push_back(error.what());
    ranks->abort(1, error.what());
  }
  if (rank == 1) ::_exit(found.empty() ? 0 : 1);
  int status = 0;
  ::waitpid(other, &status, 0);
  if (status != 0) found.push_back("rank 1 failed: " + segment->failure().message);
  return found;
}

template <typename T>
class Ranks : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Ranks, Reals);

TYPED_TEST(Ranks, MakeThePointSpreadFunctionOfTheSamePointsTogether) {
  using T = TypeParam;
  constexpr Index samples = 70001;
  const Shape image{12, 15};
  const auto k = random_real({samples, 2}, -0.5, 0.5, 11);
  const auto density = random_real({samples}, 0, 1, 12);
  const auto x = converted<C<T>>(random_complex<double>(image, 3).view());
  const auto normal_of_x = [&](Communicator* ranks) {
    Context ctx(Device::cpu(), {.threads = 1});
    const Nufft<T> transform(k, density, image, {.tolerance = sizeof(T) == 4 ? 1e-3 : 1e-8}, ctx);
    const auto normal = transform.normal(
        {.toeplitz = NormalOptions::Toeplitz::on, .byte_limit = 0, .of_same_points = ranks}, ctx);
    return normal.apply(x, ctx);
  };
  const auto alone = normal_of_x(nullptr);
  as_ranks(3, [&](std::shared_ptr<Communicator> ranks) {
    const auto together = normal_of_x(ranks.get());
    double error = 0, norm = 0;
    for (Index i = 0; i < x.size(); ++i) {
      error += std::norm(together[i] - alone[i]);
      norm += std::norm(alone[i]);
    }
    EXPECT_LT(std::sqrt(error / norm), sizeof(T) == 4 ? 1e-6 : 1e-13);
    EXPECT_GT(error, 0) << "it is added up in another order";
  });
}

TYPED_TEST(Ranks, CoilsOfAScan) {
  using T = TypeParam;
  for (const Shape& image : {Shape{9, 8}, Shape{5, 3, 6}}) {
    constexpr Index coils = 3, samples = 40;
    const auto k = random_real({samples, image.rank()}, -0.5, 0.5, 11);
    const auto maps = random_complex<double>(image.prepend(coils), 3);
    EXPECT_THAT(
        on_two_ranks([&](std::shared_ptr<Communicator> ranks) {
          Context ctx(Device::cpu(), {.threads = 2});
          const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
          const auto model = [&](Index first, Index count) {
            const NufftOptions options{.tolerance = tolerance, .batch = count};
            return Nufft<T>(k, image, options, ctx) *
                   CoilMaps<T>(converted<C<T>>(maps.view().slices(first, count)));
          };
          const Share own = share_of(coils, ranks->rank(), ranks->size());
          const RowsOfRank<T> rows(model(own.first, own.count), ranks);
          ContractOptions<T> options;
          options.normal_tolerance = tolerance;
          options.reference_tolerance = tolerance;
          const auto whole = std::make_shared<const Composition<double>>(
              Nufft<double>(k, image, {.tolerance = 1e-12, .batch = coils}, ctx) *
              CoilMaps<double>(maps.view()));
          options.reference = [&](View<const C<double>> x) { return whole->apply(x, ctx); };
          auto found = contract_violations<T>(Gathered<T>(rows, {coils, samples}, own.first, ranks), options);
          // The sum alone, whose codomain every rank has.
          ContractOptions<T> of_sum;
          of_sum.reference_tolerance = tolerance;
          const auto normal = whole->normal(ctx);
          of_sum.reference = [&](View<const C<double>> x) { return normal.apply(x, ctx); };
          for (std::string& line : contract_violations<T>(rows.normal(ctx), of_sum))
            found.push_back(std::move(line));
          return found;
        }),
        IsEmpty())
        << image.to_string();
  }
}

TYPED_TEST(Ranks, SlicesOfASeries) {
  using T = TypeParam;
  ContractOptions<T> options;
  options.reference = [](View<const C<double>> x) {
    Array<C<double>> y({2, 3, 4});
    for (Index i = 0; i < y.size(); ++i) y[i] = x[12 + i];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(Slices<T>({5, 3, 4}, 1, 2), options), IsEmpty());
  EXPECT_THAT(contract_violations<T>(Slices<T>({2, 3}, 0, 2)), IsEmpty());
  EXPECT_THROW(Slices<T>({5, 3}, 4, 2), Error);
}

}  // namespace
}  // namespace larmor::test
