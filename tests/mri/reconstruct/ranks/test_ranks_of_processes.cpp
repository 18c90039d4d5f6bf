// What ranks make together is what one makes alone. Ranks are processes here: this program starts itself as
// often as there are GPUs, one each, connected by NCCL; twice on one GPU or on the processor, which exchange
// through the host's memory. LARMOR_RANKS: so many. Under a launcher, such as mpirun, they are those that it
// starts.
#include "error_of.hpp"
#include "mri/reconstruct/ranks/rank_cases.hpp"
#include "operators/gathered.hpp"
#include "operators/operator_contract.hpp"
#include "random_arrays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <larmor/core/communicator/launch.hpp>
#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/communicator/network/launched.hpp>
#include <larmor/core/communicator/shared_memory.hpp>
#include <larmor/core/version.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/solve.hpp>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace larmor::test {
namespace {

template <typename T>
using C = std::complex<T>;

// Set by main.
std::shared_ptr<Communicator> all_ranks;
Device device;

Context context() {
  return Context(device, {.threads = 1});
}

template <typename T>
double difference(const Array<C<T>>& a, const Array<C<T>>& b) {
  Context ctx = context();
  auto left = clone(a);
  axpy<T>(-1, b, left, ctx);
  return std::sqrt(squared_norm<T>(left, ctx) / squared_norm<T>(b, ctx));
}

/// A model of all coils, or of a rank's.
template <typename T>
struct Coils {
  explicit Coils(const Shape& image)
      : image_(image), k_(random_real({samples, image.rank()}, -0.5, 0.5, 11)), maps_(image.prepend(coils)) {
    maps_ = random_complex<double>(image.prepend(coils), 3);
  }
  static constexpr Index coils = 16, samples = 60;

  Composition<T> model(Index first, Index count, Context& ctx) const {
    const Nufft<T> transform(k_, image_, {.tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9, .batch = coils}, ctx);
    return transform.with_batch(count) *
           CoilMaps<T>(moved_to(device, converted<C<T>>(maps_.view().slices(first, count))));
  }
  Composition<T> whole(Context& ctx) const { return model(0, coils, ctx); }
  RowsOfRank<T> rows(Context& ctx) const {
    const Share own = share_of(coils, *all_ranks);
    return RowsOfRank<T>(model(own.first, own.count, ctx), all_ranks);
  }

 private:
  Shape image_;
  Array<double> k_;
  Array<C<double>> maps_;
};

template <typename T>
class RanksOfProcesses : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RanksOfProcesses, Reals);

TYPED_TEST(RanksOfProcesses, AddUpAndHandOnArrays) {
  using T = TypeParam;
  const int size = all_ranks->size(), rank = all_ranks->rank();
  for (const Index count : {1, 1000, 300001}) {
    auto values = moved_to(device, filled<C<T>>({count}, C<T>(static_cast<T>(rank + 1), 2)));
    all_ranks->all_reduce(values.view());
    const auto sum = copied_to(Device::cpu(), values);
    const C<T> expected(static_cast<T>(size * (size + 1) / 2), static_cast<T>(2 * size));
    EXPECT_TRUE(std::all_of(sum.begin(), sum.end(), [&](C<T> value) { return value == expected; }));
    auto handed = moved_to(device, filled<C<T>>({count}, C<T>(static_cast<T>(rank))));
    all_ranks->broadcast(handed.view(), size - 1);
    const auto last = copied_to(Device::cpu(), handed);
    EXPECT_TRUE(std::all_of(last.begin(), last.end(),
                            [&](C<T> value) { return value == C<T>(static_cast<T>(size - 1)); }));
  }
  EXPECT_EQ(all_ranks->all_reduce(static_cast<double>(rank), Reduction::maximum), size - 1);
}

TYPED_TEST(RanksOfProcesses, KeepTheContractOfOperators) {
  using T = TypeParam;
  for (const Shape& image : {Shape{9, 8}, Shape{5, 3, 6}}) {
    Context ctx = context();
    const Coils<T> of(image);
    const Share own = share_of(Coils<T>::coils, *all_ranks);
    ContractOptions<T> options;
    options.device = device;
    options.normal_tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
    EXPECT_THAT(
        contract_violations<T>(
            Gathered<T>(of.rows(ctx), {Coils<T>::coils, Coils<T>::samples}, own.first, all_ranks), options),
        testing::IsEmpty());
    EXPECT_THAT(contract_violations<T>(of.rows(ctx).normal(ctx), options), testing::IsEmpty());
  }
}

TYPED_TEST(RanksOfProcesses, SolveAsOneDoes) {
  using T = TypeParam;
  const Shape image{12, 10};
  Context ctx = context();
  const Coils<T> of(image);
  const Composition<T> whole = of.whole(ctx);
  const RowsOfRank<T> rows = of.rows(ctx);
  const Share own = share_of(Coils<T>::coils, *all_ranks);
  const auto y = moved_to(device, converted<C<T>>(random_complex<double>(whole.codomain(), 5).view()));
  const auto own_y = moved_to(device, copied_to(Device::cpu(), y.view().slices(own.first, own.count)));
  const auto solution = [&](const LinearOperator<T>& A, View<const C<T>> samples, Solver solver,
                            const std::string& term) {
    Problem<T> problem{A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx),
                       SharedArray<C<T>>(A.adjoint(samples, ctx))};
    problem.regularizers = {
        make_regularizer<T>(parse_regularizer(term), {.image = {image, 2}, .device = device})};
    return std::move(solve<T>(problem, solver, {.iterations = 8}, ctx).x);
  };
  const std::pair<Solver, const char*> solvers[] = {{Solver::cg, "l2:1e-1"},
                                                    {Solver::fista, "wavelet:1e-3"},
                                                    {Solver::admm, "tv:1e-3"},
                                                    {Solver::pdhg, "tgv:1e-3"}};
  for (const auto& [solver, term] : solvers)
    EXPECT_LT(difference<T>(solution(rows, own_y, solver, term), solution(whole, y, solver, term)),
              sizeof(T) == 4 ? 1e-5 : 1e-12)
        << term;
}

TEST(RanksOfProcessesTest, OfOtherVersionsEndAll) {
  if (all_ranks->size() == 1) GTEST_SKIP() << "there is no other";
  const std::string other = all_ranks->rank() == 1 ? "1.2.3" : version();
  EXPECT_NO_THROW(meet_as(version(), *all_ranks));
  EXPECT_EQ(fault_of([&] { meet_as(other, *all_ranks); }),
            "3 : the ranks have different scans, options or versions");
}

class ReconstructionOfProcesses : public testing::TestWithParam<Case> {};

TEST_P(ReconstructionOfProcesses, GivesTheImagesOfOne) {
  Case tested = GetParam();
  tested.ranks = all_ranks->size();
  const Reconstruction several = by_rank(tested, all_ranks, device);
  if (all_ranks->rank() > 0) return;
  const Reconstruction one = by_rank(tested, nullptr, device);
  ASSERT_EQ(several.series.images.size(), one.series.images.size());
  EXPECT_LT(larmor::test::difference(several, one), tested.tolerance);
  // One rank alone divides nothing.
  EXPECT_EQ(several.report.divided, all_ranks->size() > 1 ? tested.divided : "");
  EXPECT_EQ(several.report.coil_block > 0, tested.little_memory);
}

TEST_P(ReconstructionOfProcesses, GivesTheBitsOfOneWhereThatIsPromised) {
  const Case tested = GetParam();
  // NCCL adds two values in one way only.
  const bool by_nccl = all_ranks->name().starts_with("NCCL");
  if (!tested.bits_of_one || !std::has_single_bit(static_cast<unsigned>(all_ranks->size())) ||
      (by_nccl && all_ranks->size() > 2))
    return;
  const Reconstruction several = by_rank(tested, all_ranks, device, true);
  if (all_ranks->rank() > 0) return;
  const Reconstruction one = by_rank(tested, nullptr, device, true);
  ASSERT_EQ(several.series.images.size(), one.series.images.size());
  EXPECT_EQ(larmor::test::difference(several, one), 0);
}

INSTANTIATE_TEST_SUITE_P(, ReconstructionOfProcesses, testing::ValuesIn(rank_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

int run_with(std::shared_ptr<Communicator> host, int local_rank) {
  const int devices = cuda_device_count();
  if (devices > 0) device = Device::cuda(local_rank % devices);
  std::string why_not;
  all_ranks = devices > 0 ? with_nccl(host, device, &why_not) : host;
  if (all_ranks->rank() == 0)
    std::printf("%d ranks on %s, by %s%s\n", all_ranks->size(), devices > 0 ? "GPUs" : "the processor",
                all_ranks->name().c_str(), why_not.empty() ? "" : (": " + why_not).c_str());
  else
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_result_printer());
  const int failed = RUN_ALL_TESTS();
  if (all_ranks->rank() == 0 && !all_ranks->detour().empty()) {
    std::printf("through the host: %s\n", all_ranks->detour().c_str());
    return 1;
  }
  const int status = all_ranks->agree_on_status(failed);
  all_ranks.reset();
  return status;
}

}  // namespace
}  // namespace larmor::test

int main(int argc, char** argv) {
  using namespace larmor;
  using namespace larmor::test;
  const std::vector<std::string> words(argv, argv + argc);
  testing::InitGoogleTest(&argc, argv);
  std::optional<RankIdentity> identity;
  try {
    identity = identity_of_rank();
    if (identity)
      return run_with(std::make_shared<SharedMemoryCommunicator>(identity->segment, identity->rank),
                      identity->rank);
    if (const std::string launcher = launcher_of_this_process(); !launcher.empty()) {
      const LaunchedRanks ranks =
          ranks_of_launcher(launcher, [](int status, const std::string&) { std::_Exit(status); });
      return run_with(ranks.communicator, ranks.local_rank);
    }
    const char* asked = std::getenv("LARMOR_RANKS");
    const std::atomic<bool> stop{false};
    lead_ranks(asked != nullptr ? std::atoi(asked) : std::max(2, cuda_device_count()), words, stop);
    return 0;
  } catch (const std::exception& error) {
    const auto* known = dynamic_cast<const Error*>(&error);
    const int status = known != nullptr ? known->exit_code() : 1;
    if (identity) identity->segment->fail(identity->rank, status, error.what());
    std::fprintf(stderr, "%s\n", error.what());
    return status;
  }
}
