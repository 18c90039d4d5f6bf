// Ranks that meet by TCP, here as threads; recon's processes are tested in apps/ranks.
#include "error_of.hpp"
#include "ranks.hpp"

#include <larmor/core/communicator/network/meet.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <numeric>

namespace larmor::test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

// A port that nobody listens at for the moment.
int free_port() {
  return Socket::listening(0).port();
}

MeetingPlace place_of(int rank, int size, int port) {
  MeetingPlace place;
  place.rank = rank;
  place.size = size;
  place.port = port;
  place.job = "a test";
  place.seconds = 20;
  return place;
}

/// What every rank's work had to say, by rank; empty: nothing went wrong.
std::vector<std::string> as_met(int size, int port, const std::function<void(TcpCommunicator&)>& work,
                                const std::function<void(MeetingPlace&)>& change = {}) {
  std::vector<std::string> said(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      MeetingPlace place = place_of(rank, size, port);
      if (change) change(place);
      if (place.rank < 0) return;  // it never comes
      try {
        work(*meet(place).communicator);
      } catch (const Error& error) {
        said[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return said;
}

TEST(TcpTest, RanksHaveTheSumsThatSharedMemoryGives) {
  for (const int size : {1, 2, 3, 4, 5, 8}) {
    const Index count = 300001;
    const auto values_of = [&](int rank) {
      Array<float> values({count});
      for (Index i = 0; i < count; ++i) values[i] = 1.0F / static_cast<float>((i + 1) * (rank + 3));
      return values;
    };
    Array<float> expected;
    as_ranks(size, [&](std::shared_ptr<Communicator> ranks) {
      auto values = values_of(ranks->rank());
      ranks->all_reduce(values.view());
      if (ranks->rank() == 0) expected = std::move(values);
    });
    std::atomic<int> equal{0}, here{0};
    const auto said = as_met(size, free_port(), [&](TcpCommunicator& ranks) {
      auto values = values_of(ranks.rank());
      ranks.all_reduce(values.view());
      if (std::equal(values.begin(), values.end(), expected.begin())) ++equal;
      EXPECT_EQ(ranks.all_reduce(-1.5 - ranks.rank(), Reduction::maximum), -1.5);
      for (int root = 0; root < size; ++root)
        EXPECT_EQ(ranks.broadcast(ranks.rank() == root ? "from " + std::to_string(root) : "", root),
                  "from " + std::to_string(root));
      ranks.finish();
      ++here;
    });
    EXPECT_THAT(said, testing::Each(IsEmpty())) << size;
    EXPECT_EQ(equal, size);
    EXPECT_EQ(here, size);
  }
}

TEST(TcpTest, RanksOfAMachineKnowHowManyTheyAre) {
  const int port = free_port();
  std::mutex lock;
  std::vector<int> places;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      const MetRanks met = meet(place_of(rank, 3, port));
      EXPECT_EQ(met.on_this_machine, 3);
      EXPECT_EQ(met.local_rank, rank);
    });
  for (std::thread& thread : threads) thread.join();
}

// A name of the longest kind: an address with zeros before it.
TEST(TcpTest, NamesOfMachinesAreKeptWhole) {
  const auto named = [](std::size_t length) { return "0x" + std::string(length - 10, '0') + "7f000001"; };
  const auto sum = [](TcpCommunicator& ranks) {
    EXPECT_EQ(ranks.all_reduce(1.0, Reduction::sum), 4);
    ranks.finish();
  };
  for (const std::size_t length : {50, 255})
    EXPECT_THAT(as_met(4, free_port(), sum, [&](MeetingPlace& place) { place.host = named(length); }),
                Each(IsEmpty()));
  EXPECT_THAT(as_met(2, free_port(), sum, [&](MeetingPlace& place) { place.host = named(300); }),
              Each(HasSubstr("has 300 characters, expected at most 255")));
}

TEST(TcpTest, ARankThatFailsTellsTheOthersWhy) {
  // Rank 3 is a neighbour of rank 2 alone.
  std::array<std::atomic<int>, 4> statuses{};
  const auto said = as_met(4, free_port(), [&](TcpCommunicator& ranks) {
    ranks.barrier();
    if (ranks.rank() == 3) return ranks.abort(3, "the file is damaged");
    try {
      ranks.barrier();
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), rank_lost);
      statuses[static_cast<std::size_t>(ranks.rank())] = ranks.status_of_others();
      throw;
    }
  });
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(said[static_cast<std::size_t>(rank)], "rank 3: the file is damaged");
    EXPECT_EQ(statuses[static_cast<std::size_t>(rank)], 3);
  }
}

// Of more than the system holds for who does not receive it.
TEST(TcpTest, ARankThatEndsInTheMiddleOfAMessageTellsWhy) {
  using namespace std::chrono_literals;
  for (const int sender : {0, 1}) {
    std::atomic<int> status{0};
    const auto said = as_met(2, free_port(), [&](TcpCommunicator& ranks) {
      Array<float> values({10'000'000});
      ranks.barrier();
      std::thread end([&, ends = ranks.rank() == 1] {
        std::this_thread::sleep_for(50ms);
        if (ends) ranks.abort(130, "interrupted");
      });
      if (ranks.rank() != sender) std::this_thread::sleep_for(600ms);  // it computes
      try {
        if (ranks.rank() != 1 || sender == 1) ranks.broadcast(values.view(), sender);
      } catch (const Error&) {
        if (ranks.rank() == 0) status = ranks.status_of_others();
        end.join();
        throw;
      }
      end.join();
    });
    EXPECT_EQ(said[0], "rank 1: interrupted") << "sent by " << sender;
    EXPECT_EQ(status, 130) << "sent by " << sender;
  }
}

TEST(TcpTest, ARankThatVanishesIsNoticed) {
  const auto said = as_met(3, free_port(), [&](TcpCommunicator& ranks) {
    ranks.barrier();
    if (ranks.rank() == 1) return;  // its connections are closed
    ranks.barrier();
  });
  EXPECT_EQ(said[0], "rank 1: its process has ended before its time");
  EXPECT_EQ(said[2], "rank 1: its process has ended before its time");
}

TEST(TcpTest, ARankThatComputesNoticesThatAnotherHasEnded) {
  std::atomic<int> noticed{0};
  const auto said = as_met(3, free_port(), [&](TcpCommunicator& ranks) {
    std::atomic<bool> over{false};
    ranks.watch([&](int status, const std::string& words) {
      EXPECT_EQ(status, 4);
      EXPECT_EQ(words, "") << "the rank says so itself";
      ++noticed;
      over = true;
    });
    ranks.barrier();
    if (ranks.rank() == 2) return ranks.abort(4, "not enough memory");
    for (int i = 0; i < 1000 && !over; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  EXPECT_EQ(noticed, 2);
}

TEST(TcpTest, RanksThatDoNotDoTheSameSaySo) {
  const auto said = as_met(2, free_port(), [&](TcpCommunicator& ranks) {
    Array<double> values({ranks.rank() == 0 ? 3 : 4});
    ranks.all_reduce(values.view());
  });
  EXPECT_EQ(said[0], "ranks 0 and 1 do not exchange the same: 24 bytes here, 32 there");
  EXPECT_THAT(said[1], HasSubstr("do not exchange the same"));
}

TEST(TcpTest, StrangersAreLeftAside) {
  const int port = free_port();
  std::atomic<bool> over{false};
  // They say nothing, something else, or leave at once.
  std::thread strangers([&] {
    std::vector<Socket> silent;
    while (!over) {
      auto one = Socket::connected("127.0.0.1", port, Patience::seconds(1));
      if (!one) continue;
      const std::string request =
          "GET / HTTP/1.1\r\nHost: somewhere, with a line that is longer than a greeting is, "
          "and than that, and then some more of it to be sure that it is\r\n\r\n";
      try {
        if (silent.size() % 3 == 1) one->send(request.data(), request.size(), Patience::seconds(1));
      } catch (const ConnectionLost&) {
      }
      if (silent.size() < 30) silent.push_back(std::move(*one));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto said = as_met(3, port, [&](TcpCommunicator& ranks) { EXPECT_EQ(ranks.all_reduce(1.0), 3); });
  over = true;
  strangers.join();
  EXPECT_THAT(said, testing::Each(IsEmpty()));
}

TEST(TcpTest, RanksOfAnotherJobAreStrangers) {
  const int port = free_port();
  const auto said = as_met(
      2, port, [](TcpCommunicator&) {},
      [](MeetingPlace& place) {
        place.seconds = 1;
        if (place.rank == 1) place.job = "another";
      });
  EXPECT_EQ(said[0], "rank 1 of 2 did not come to 127.0.0.1:" + std::to_string(port) + " within 1 s");
  EXPECT_EQ(said[1], "rank 0 did not answer at 127.0.0.1:" + std::to_string(port) + " within 1 s");
}

TEST(TcpTest, RanksOfAnotherVersionAreRefused) {
  const auto said = as_met(
      2, free_port(), [](TcpCommunicator&) { ADD_FAILURE() << "they exchange arrays"; },
      [](MeetingPlace& place) {
        place.version = "7." + std::to_string(place.rank);
        place.seconds = 5;
      });
  EXPECT_EQ(said[0], "rank 1 is of version 7.1, rank 0 of 7.0");
  EXPECT_THAT(said[1], testing::Not(IsEmpty()));
}

TEST(TcpTest, ARankThatNeverComesEndsTheOthersInTime) {
  const int port = free_port();
  const auto begin = std::chrono::steady_clock::now();
  const auto said = as_met(
      4, port, [](TcpCommunicator& ranks) { ranks.barrier(); },
      [](MeetingPlace& place) {
        place.seconds = 1;
        if (place.rank == 2) place.rank = -1;
      });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  const std::string reason = "rank 2 of 4 did not come to 127.0.0.1:" + std::to_string(port) + " within 1 s";
  EXPECT_EQ(said[0], reason);
  EXPECT_EQ(said[1], "rank 0: " + reason);
}

TEST(TcpTest, APortThatIsTakenIsSaidOrPassedOver) {
  const Socket other = Socket::listening(0);
  const auto alone = as_met(
      2, other.port(), [](TcpCommunicator&) {}, [](MeetingPlace& place) { place.seconds = 1; });
  EXPECT_THAT(alone[0], HasSubstr("port " + std::to_string(other.port()) +
                                  " cannot be listened at: Address already "
                                  "in use"));
  EXPECT_THAT(alone[1], HasSubstr("rank 0 did not answer"));
  const auto passed = as_met(
      2, other.port(), [](TcpCommunicator& ranks) { EXPECT_EQ(ranks.all_reduce(1.0), 2); },
      [](MeetingPlace& place) { place.ports = 4; });
  EXPECT_THAT(passed, testing::Each(IsEmpty()));
}

TEST(TcpTest, RanksAreToldApart) {
  const auto twice = as_met(
      3, free_port(), [](TcpCommunicator& ranks) { ranks.barrier(); },
      [](MeetingPlace& place) {
        if (place.rank == 2) place.rank = 1;
        place.seconds = 2;
      });
  EXPECT_EQ(twice[0], "rank 1 is there twice");
  const auto sizes = as_met(
      2, free_port(), [](TcpCommunicator& ranks) { ranks.barrier(); },
      [](MeetingPlace& place) {
        if (place.rank == 1) place.size = 3;
        place.seconds = 2;
      });
  EXPECT_EQ(sizes[0], "rank 1 was told of 3 ranks, rank 0 of 2");
  EXPECT_THAT(error_of([] { meet(place_of(2, 2, 1)); }), HasSubstr("rank 2 of 2"));
}

/// Variables of the environment for the length of a test.
class Environment {
 public:
  explicit Environment(std::vector<std::pair<const char*, const char*>> values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) ::setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : values_) ::unsetenv(name);
  }

 private:
  std::vector<std::pair<const char*, const char*>> values_;
};

TEST(MeetingPlaceTest, IsSaidAsForPyTorch) {
  EXPECT_FALSE(meeting_place_of_environment());
  const Environment environment(
      {{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}});
  const auto place = meeting_place_of_environment();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 1);
  EXPECT_EQ(place->size, 3);
  EXPECT_EQ(place->host, "node7");
  EXPECT_EQ(place->port, 29501);
  EXPECT_EQ(place->ports, 1);
}

TEST(MeetingPlaceTest, IsMadeOfWhatSlurmSays) {
  const Environment environment({{"SLURM_PROCID", "5"},
                                 {"SLURM_STEP_NUM_TASKS", "8"},
                                 {"SLURM_STEP_NODELIST", "gpu[007-009,12],login"},
                                 {"SLURM_STEP_NUM_NODES", "5"},
                                 {"SLURM_JOB_ID", "4711"},
                                 {"SLURM_STEP_ID", "0"}});
  const auto place = meeting_place_of_environment();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->size, 8);
  EXPECT_EQ(place->host, "gpu007");
  EXPECT_GT(place->ports, 1);
  const Environment other(std::vector<std::pair<const char*, const char*>>{{"SLURM_STEP_ID", "1"}});
  EXPECT_NE(meeting_place_of_environment()->job, place->job);
  EXPECT_EQ(first_of_nodes("alone"), "alone");
  EXPECT_EQ(first_of_nodes("a,b"), "a");
  EXPECT_EQ(first_of_nodes("a[3]"), "a3");
}

TEST(MeetingPlaceTest, WhatIsMissingIsSaid) {
  {
    const Environment environment({{"RANK", "1"}, {"WORLD_SIZE", "two"}});
    EXPECT_THAT(error_of([] { meeting_place_of_environment(); }),
                HasSubstr("WORLD_SIZE is 'two', expected a number"));
  }
  {
    const Environment environment({{"RANK", "2"}, {"WORLD_SIZE", "2"}});
    EXPECT_THAT(error_of([] { meeting_place_of_environment(); }),
                HasSubstr("RANK is '2', expected a number from 0 to 1"));
  }
  {
    const Environment environment({{"RANK", "1"}, {"WORLD_SIZE", "2"}});
    EXPECT_THAT(error_of([] { meeting_place_of_environment(); }), HasSubstr("set MASTER_ADDR"));
  }
  const Environment environment({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "here"}});
  EXPECT_THAT(error_of([] { meeting_place_of_environment(); }), HasSubstr("set MASTER_PORT"));
}

}  // namespace
}  // namespace larmor::test
