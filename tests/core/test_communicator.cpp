// What ranks say to each other through shared memory, here as threads; recon's processes are tested in
// apps/ranks.
#include "error_of.hpp"
#include "ranks.hpp"

#include <larmor/core/communicator/launch.hpp>
#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/version.hpp>

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>

namespace larmor::test {
namespace {

using testing::HasSubstr;

constexpr Index piece = static_cast<Index>(RankSegment::chunk_bytes / sizeof(float));

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

// The values of ranks [first, first + step) of `ranks`, in pairs.
template <typename Real>
Array<Real> sum_in_pairs(Index count, int first, int step, int ranks) {
  if (step == 1) return values_of_rank<Real>(count, first);
  auto sum = sum_in_pairs<Real>(count, first, step / 2, ranks);
  if (first + step / 2 >= ranks) return sum;
  const auto more = sum_in_pairs<Real>(count, first + step / 2, step / 2, ranks);
  for (Index i = 0; i < count; ++i) sum[i] += more[i];
  return sum;
}

TYPED_TEST(Sums, AreThoseOfTheRanksInPairs) {
  for (const int ranks : {1, 2, 3, 4, 5, 8})
    for (const Index count : {Index{1}, Index{3}, Index{1000}, 2 * piece + 77}) {
      const auto expected = sum_in_pairs<TypeParam>(count, 0, 8, ranks);
      std::atomic<int> wrong{0};
      as_ranks(ranks, [&](std::shared_ptr<Communicator> all) {
        auto values = values_of_rank<TypeParam>(count, all->rank());
        all->all_reduce(values.view());
        // The same bits everywhere.
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
  const Index count = 3 * static_cast<Index>(RankSegment::chunk_bytes) / 2;
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

TEST(CommunicatorTest, ARankThatFailsEndsTheOthersAndItsMessageIsKept) {
  const auto segment = RankSegment::create(2);
  SharedMemoryCommunicator first(segment, 0), second(segment, 1);
  std::thread fails([&] { second.abort(3, "the file is damaged"); });
  try {
    first.barrier();
    ADD_FAILURE() << "the barrier let one rank pass";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), rank_lost);
  }
  fails.join();
  first.abort(5, "a consequence");
  EXPECT_EQ(segment->failure().rank, 1);
  EXPECT_EQ(segment->failure().status, 3);
  EXPECT_EQ(segment->failure().message, "the file is damaged");
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

TEST(CommunicatorTest, OnlyMemoryOfRanksIsTakenForIt) {
  EXPECT_THAT(error_of([] { RankSegment::create(0); }), HasSubstr("0 ranks, expected 1 to 256"));
  const int nothing = ::open("/dev/null", O_RDONLY);
  EXPECT_THAT(error_of([&] { RankSegment::inherited(nothing); }),
              HasSubstr("is not the memory that ranks share"));
}

TEST(CommunicatorTest, RanksOfAnotherVersionAreRefused) {
  const auto segment = RankSegment::create(2);
  const auto bytes = static_cast<std::size_t>(::lseek(segment->descriptor(), 0, SEEK_END));
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment->descriptor(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::string own = version();
  char* const begin = static_cast<char*>(memory);
  char* const place = std::search(begin, begin + 4096, own.begin(), own.end());
  ASSERT_LT(place, begin + 4096) << "the segment says of which version it is";
  *place = '?';
  ::munmap(memory, bytes);
  EXPECT_THAT(error_of([&] { RankSegment::inherited(::dup(segment->descriptor())); }),
              HasSubstr("the ranks were started by another version of this program"));
}

TEST(CommunicatorTest, WithoutDevicesArraysTravelThroughTheHost) {
  for (const int ranks : {1, 3})
    as_ranks(ranks, [](std::shared_ptr<Communicator> all) {
      std::string why_not;
      EXPECT_EQ(with_nccl(all, Device::cpu(), &why_not), all);
      EXPECT_EQ(why_not, "there is no CUDA device");
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

TEST(CommunicatorTest, SaysWhatAnEnvironmentOfRanksLacks) {
  EXPECT_EQ(missing_of_environment(), "");
  ::setenv("RANK", "0", 1);
  ::setenv("WORLD_SIZE", "2", 1);
  EXPECT_EQ(missing_of_environment(), "MASTER_ADDR and MASTER_PORT");
  ::setenv("MASTER_ADDR", "localhost", 1);
  EXPECT_EQ(missing_of_environment(), "MASTER_PORT");
  ::setenv("WORLD_SIZE", "1", 1);
  EXPECT_EQ(missing_of_environment(), "");
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR"}) ::unsetenv(name);
}

}  // namespace
}  // namespace larmor::test
