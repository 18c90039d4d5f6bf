// Communication between ranks, which are threads here; apps/ranks tests MPI.
#include "error_of.hpp"
#include "ranks.hpp"

#include <larmor/core/communicator/launched.hpp>
#include <larmor/core/communicator/nccl.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>

namespace larmor::test {
namespace {

using testing::HasSubstr;

template <typename Real>
Array<Real> values_of_rank(Index count, int rank) {
  std::mt19937 generator(static_cast<unsigned>(17 + rank));
  std::normal_distribution<Real> gauss;
  Array<Real> values({count});
  for (Real& value : values) value = gauss(generator);
  return values;
}

template <typename Real>
class Sums : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Sums, Reals);

TYPED_TEST(Sums, AreThoseOfTheRanksInTheirOrder) {
  for (const int ranks : {1, 2, 3, 8})
    for (const Index count : {Index{1}, Index{3}, Index{100077}}) {
      auto expected = values_of_rank<TypeParam>(count, 0);
      for (int rank = 1; rank < ranks; ++rank) {
        const auto more = values_of_rank<TypeParam>(count, rank);
        for (Index i = 0; i < count; ++i) expected[i] += more[i];
      }
      std::atomic<int> wrong{0};
      as_ranks(ranks, [&](std::shared_ptr<Communicator> all) {
        auto values = values_of_rank<TypeParam>(count, all->rank());
        all->all_reduce(values.view());
        // The same bits on all ranks.
        if (!std::equal(values.begin(), values.end(), expected.begin())) ++wrong;
      });
      EXPECT_EQ(wrong, 0) << ranks << " ranks, " << count << " values";
    }
}

TEST(CommunicatorTest, ComplexNumbersMaximaAndScalars) {
  as_ranks(3, [](std::shared_ptr<Communicator> all) {
    using C = std::complex<float>;
    Array<C> values({2});
    values[0] = C(1, static_cast<float>(all->rank()));
    values[1] = C(0, -1);
    all->all_reduce(values.view());
    EXPECT_EQ(values[0], C(3, 3));
    EXPECT_EQ(values[1], C(0, -3));
    EXPECT_EQ(all->all_reduce(0.5 + all->rank()), 4.5);
    EXPECT_EQ(all->all_reduce(-1.0 - all->rank(), Reduction::maximum), -1.0);
    EXPECT_EQ(all->agree_on_status(all->rank() == 1 ? 3 : 0), 3);
  });
}

TEST(CommunicatorTest, EveryRankCanTellTheOthers) {
  constexpr Index count = 1500000;
  as_ranks(3, [&](std::shared_ptr<Communicator> all) {
    for (int root = 0; root < 3; ++root) {
      auto bytes = filled<char>({count}, static_cast<char>(all->rank()));
      all->broadcast(bytes.view(), root);
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), static_cast<char>(root)), count);
      EXPECT_EQ(all->broadcast(all->rank() == root ? "from " + std::to_string(root) : "nothing", root),
                "from " + std::to_string(root));
    }
  });
}

TEST(CommunicatorTest, NobodyPassesABarrierAlone) {
  std::atomic<int> arrived{0}, early{0};
  as_ranks(4, [&](std::shared_ptr<Communicator> all) {
    for (int round = 1; round <= 200; ++round) {
      ++arrived;
      all->barrier();
      if (arrived < 4 * round) ++early;
      all->barrier();
    }
  });
  EXPECT_EQ(early, 0);
}

TEST(CommunicatorTest, ARankThatFailsEndsTheOthersWithItsReason) {
  const auto ranks = ranks_of_threads(3);
  std::thread waits(
      [&] { EXPECT_EQ(fault_of([&] { ranks[2]->all_reduce(1.0); }), "5 : rank 1: the file is damaged"); });
  ranks[1]->abort(3, "the file is damaged");
  ranks[0]->abort(5, "a consequence");
  EXPECT_EQ(fault_of([&] { ranks[0]->barrier(); }), "5 : rank 1: the file is damaged");
  waits.join();
}

TEST(CommunicatorTest, SharesAreContiguousAndAlmostEqual) {
  for (const Index count : {1, 5, 8, 17})
    for (const int size : {1, 2, 3, 8}) {
      Index next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Share share = share_of(count, rank, size);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(std::abs(share.count * size - count), size);
        next += share.count;
      }
      EXPECT_EQ(next, count);
    }
}

TEST(CommunicatorTest, NumbersOfRanksThatThereAreNotAreRefused) {
  EXPECT_EQ(error_of([] { ranks_of_threads(0); }), "2: 0 ranks, expected 1 or more");
}

TEST(CommunicatorTest, RanksWithoutDevicesAreNotConnected) {
  as_ranks(3, [](std::shared_ptr<Communicator> all) {
    EXPECT_THAT(error_of([&] { with_nccl(all, Device::cpu()); }), HasSubstr("there is no CUDA device"));
  });
}

TEST(CommunicatorTest, ALauncherIsKnownByItsEnvironment) {
  EXPECT_EQ(launcher_of_this_process(), "");
  const std::pair<const char*, const char*> launchers[] = {
      {"OMPI_COMM_WORLD_SIZE", "mpirun"}, {"PMI_SIZE", "mpiexec"}, {"SLURM_STEP_NUM_TASKS", "srun"}};
  for (const auto& [variable, name] : launchers) {
    ::setenv(variable, "2", 1);
    EXPECT_EQ(launcher_of_this_process(), name);
    ::setenv(variable, "1", 1);
    EXPECT_EQ(launcher_of_this_process(), "");
    ::unsetenv(variable);
  }
}

TEST(CommunicatorTest, TorchrunIsALauncherThatMpiDoesNotKnow) {
  const std::pair<const char*, const char*> told[] = {
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "29500"}};
  for (const auto& [variable, value] : told) {
    EXPECT_EQ(launcher_of_this_process(), "");
    ::setenv(variable, value, 1);
  }
  EXPECT_EQ(launcher_of_this_process(), "torchrun");
  for (const auto& [variable, value] : told) ::unsetenv(variable);
}

}  // namespace
}  // namespace larmor::test
