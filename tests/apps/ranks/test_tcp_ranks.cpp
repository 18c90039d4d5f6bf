// recon run as ranks that meet by TCP, as torchrun or srun without MPI start them: the image of one, and what
// becomes of all when one fails, is killed, is stopped or never comes.
#include "apps/ranks/lost_rank.hpp"

#include <larmor/core/communicator/network/socket.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

namespace larmor::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class TcpRanks : public RanksOfARun {
 protected:
  /// Two ranks or more, which look after processes of their own.
  using Ranks = std::vector<std::unique_ptr<ReconProcess>>;
  Ranks started(const std::vector<std::string>& words, int count, int port, int missing = -1) const {
    Ranks ranks;
    for (int rank = 0; rank < count; ++rank) {
      if (rank == missing) continue;
      Conditions conditions;
      conditions.launcher = {"/usr/bin/env",
                             "RANK=" + std::to_string(rank),
                             "WORLD_SIZE=" + std::to_string(count),
                             "MASTER_ADDR=localhost",
                             "MASTER_PORT=" + std::to_string(port - 1),
                             "LARMOR_MEETING_SECONDS=" + std::to_string(missing < 0 ? 30 : 2)};
      ranks.push_back(std::make_unique<ReconProcess>(words, conditions));
    }
    return ranks;
  }
  static int free_port() { return Socket::listening(0).port(); }
  std::vector<std::string> words(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> all{"run", scan_, "-o", folder_ / name, "--device", "cpu", "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Their statuses, and what all of them had to say.
  static std::vector<int> wait(Ranks& ranks, std::string& said) {
    std::vector<int> statuses;
    for (const auto& rank : ranks) {
      const Outcome outcome = rank->wait();
      statuses.push_back(outcome.status);
      said += outcome.err;
    }
    return statuses;
  }
  static std::vector<int> all(int count, int status) {
    return std::vector<int>(static_cast<std::size_t>(count), status);
  }
  static std::vector<pid_t> processes_of(const Ranks& ranks) {
    std::vector<pid_t> processes;
    for (const auto& guard : ranks) {
      std::vector<pid_t> own;
      while (guard->running() && (own = children_of(guard->id())).empty()) std::this_thread::sleep_for(1ms);
      if (!own.empty()) processes.push_back(own.front());
    }
    return processes;
  }
  void lose(Ranks& ranks, int signal, std::size_t rank) {
    const std::vector<pid_t> processes = processes_of(ranks);
    ASSERT_EQ(processes.size(), ranks.size()) << ranks[0]->err_so_far();
    std::string said;
    lose_one(processes[rank], signal, processes,
             [&] { EXPECT_EQ(wait(ranks, said), all(static_cast<int>(ranks.size()), 5)) << said; });
    EXPECT_THAT(said, HasSubstr(loss(rank, signal)));
    EXPECT_EQ(said.find("recon: "), said.rfind("recon: ")) << said;
  }
};

TEST_F(TcpRanks, GiveTheImageOfOne) {
  for (const auto& [split, count] :
       {std::pair("coils", 2), std::pair("samples", 2), std::pair("samples", 3)}) {
    const std::vector<std::string> options{"--complex",   "--regularizer", "l2:1e-2", "--iterations", "6",
                                           "--precision", "double",        "--quiet", "--overwrite"};
    ASSERT_EQ(recon(words("one.npy", options)).status, 0);
    auto together = words("several.npy", options);
    together.insert(together.end(), {"--split", split, "--report", folder_ / "report.json"});
    Ranks ranks = started(together, count, free_port());
    std::string said;
    EXPECT_EQ(wait(ranks, said), all(count, 0)) << said;
    EXPECT_LT(difference(folder_ / "several.npy", folder_ / "one.npy"), 1e-5);
    const auto report = nlohmann::json::parse(read_file(folder_ / "report.json"));
    EXPECT_EQ(report["ranks"]["exchange"], "TCP");
    EXPECT_EQ(report["ranks"]["count"], count);
  }
}

TEST_F(TcpRanks, GiveTheBitsOfOneInDeterministicMode) {
  const std::vector<std::string> options{"--deterministic", "--quiet",      "--overwrite", "--regularizer",
                                         "wavelet:1e-3",    "--iterations", "10"};
  ASSERT_EQ(recon(words("one.npy", options)).status, 0);
  for (const int count : {2, 4}) {
    auto together = words("several.npy", options);
    together.insert(together.end(), {"--split", "coils"});
    Ranks ranks = started(together, count, free_port());
    std::string said;
    EXPECT_EQ(wait(ranks, said), all(count, 0)) << said;
    EXPECT_EQ(read_file(folder_ / "several.npy"), read_file(folder_ / "one.npy")) << count << " ranks";
  }
}

TEST_F(TcpRanks, WhatOneOrAllHaveToSayIsSaidOnce) {
  write_file(folder_ / "image.npy", "there");
  std::string said;
  // Rank 0 alone looks at outputs; all read the scan.
  Ranks ranks = started(words("image.npy", {}), 3, free_port());
  EXPECT_EQ(wait(ranks, said), all(3, 2)) << said;
  EXPECT_EQ(said.find("recon: "), said.rfind("recon: ")) << said;
  said.clear();
  write_file(scan_, "no scan");
  ranks = started(words("other.npy", {}), 3, free_port());
  EXPECT_EQ(wait(ranks, said), all(3, 3)) << said;
  EXPECT_EQ(said.find("recon: "), said.rfind("recon: ")) << said;
  EXPECT_EQ(read_file(folder_ / "image.npy"), "there");
}

TEST_F(TcpRanks, OneWithoutMemoryEndsAll) {
  if (!memory_can_be_limited) GTEST_SKIP() << "sanitizers want memory of their own";
  scan_a_volume();
  Ranks ranks = started(words("image.npy", {"--split", "coils", "--iterations", "1000000"}), 2, free_port());
  std::string said;
  leave_one_without_memory(
      *ranks[0], [&] { return processes_of(ranks); },
      [&] { EXPECT_EQ(wait(ranks, said), all(2, 4)) << said; });
  EXPECT_THAT(said, HasSubstr("recon: rank 1: "));
}

TEST_F(TcpRanks, OneThatNeverComesEndsAllInTime) {
  const int port = free_port();
  const auto begin = std::chrono::steady_clock::now();
  Ranks ranks = started(words("image.npy", {}), 3, port, 1);
  std::string said;
  EXPECT_EQ(wait(ranks, said), all(2, 4)) << said;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_EQ(said, "recon: rank 1 of 3 did not come to localhost:" + std::to_string(port) + " within 2 s\n");
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_F(TcpRanks, APortThatIsTakenIsSaid) {
  const Socket other = Socket::listening(0);
  Ranks ranks = started(words("image.npy", {}), 2, other.port(), 1);
  std::string said;
  EXPECT_EQ(wait(ranks, said), all(1, 4)) << said;
  EXPECT_EQ(said,
            "recon: rank 0: port " + std::to_string(other.port()) +
                " cannot be listened at: Address already in use: choose another (MASTER_PORT, which is one "
                "less)\n");
}

TEST_F(TcpRanks, OthersGoOnWithTheCheckpointOfRanksThatWereLost) {
  const std::string state = folder_ / "state";
  const auto with = [&](const std::string& name, const std::string& iterations) {
    return words(name, {"--complex", "--overwrite", "--solver", "fista", "--regularizer", "l1:1e-3",
                        "--precision", "double", "--nufft-tolerance", "1e-8", "--iterations", iterations,
                        "--checkpoint", state, "--checkpoint-every", "3"});
  };
  const auto divided = [&](const std::string& iterations) {
    auto all = with("image.npy", iterations);
    all.insert(all.end(), {"--split", "coils"});
    return all;
  };
  for (const int others : {1, 3}) {
    Ranks ranks = started(divided("1000000"), 2, free_port());
    const auto processes = processes_of(ranks);
    ASSERT_EQ(processes.size(), 2U);
    while (ranks[0]->running() && !std::filesystem::exists(state)) std::this_thread::sleep_for(1ms);
    ::kill(processes[1], SIGKILL);
    std::string said;
    EXPECT_EQ(wait(ranks, said), all(2, 5)) << said;
    const std::string bytes = read_file(state);
    const auto done = nlohmann::json::parse(bytes.substr(0, bytes.find('\n')))["iteration"].get<int>();
    const std::string iterations = std::to_string(done + 4);
    std::filesystem::remove(state);
    ASSERT_EQ(recon(with("whole.npy", iterations)).status, 0);
    write_file(state, bytes);
    said.clear();
    if (others == 1) {
      const Outcome outcome = recon(with("image.npy", iterations));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      said = outcome.err;
    } else {
      ranks = started(divided(iterations), others, free_port());
      EXPECT_EQ(wait(ranks, said), all(others, 0)) << said;
    }
    EXPECT_THAT(said, HasSubstr("fista after " + std::to_string(done) + " iterations"));
    EXPECT_LT(difference(folder_ / "image.npy", folder_ / "whole.npy"), 1e-5);
    EXPECT_FALSE(std::filesystem::exists(state));
  }
}

// Who has started a rank looks after it, and is nobody's child but the launcher's.
TEST_F(TcpRanks, OneThatNobodyLooksAfterEndsAll) {
  const auto options = words("image.npy", {"--split", "samples", "--verbose", "--matrix", "300", "--combine",
                                           "rss", "--regularizer", "none", "--iterations", "1000000"});
  Ranks ranks = started(options, 2, free_port());
  const std::vector<pid_t> processes = processes_of(ranks);
  ASSERT_EQ(processes.size(), 2U);
  wait_for(*ranks[0], "cg 2/");
  std::string said;
  lose_one(ranks[1]->id(), SIGKILL, processes, [&] {
    EXPECT_EQ(wait(ranks, said), (std::vector<int>{5, 128 + SIGKILL})) << said;
  });
  EXPECT_THAT(said, HasSubstr("recon: rank 1: the process that looks after it was killed\n"));
  EXPECT_EQ(said.find("recon: "), said.rfind("recon: ")) << said;
}

TEST_F(TcpRanks, ASignalToOneInterruptsThemAll) {
  // Steps that take longer than a process that is asked to end is waited for, and short ones.
  for (const char* matrix : {"800", "64"})
    for (const std::size_t rank : {0, 1}) {
      Ranks ranks = started(
          words("image.npy", {"--split", "samples", "--verbose", "--matrix", matrix, "--combine", "rss",
                              "--regularizer", "none", "--toeplitz", "off", "--iterations", "1000000"}),
          2, free_port());
      wait_for(*ranks[0], "cg 2/");
      ranks[rank]->send(SIGTERM);
      std::string said;
      EXPECT_EQ(wait(ranks, said), all(2, 130)) << matrix << ", rank " << rank << ": " << said;
    }
  EXPECT_EQ(names_in(folder_.path()), names_);
}

class LostTcpRank : public TcpRanks, public testing::WithParamInterface<int> {
 protected:
  Ranks iterating(const std::vector<std::string>& more) const {
    auto options = words("image.npy", {"--verbose", "--regularizer", "none", "--iterations", "1000000"});
    options.insert(options.end(), more.begin(), more.end());
    return started(options, 3, free_port());
  }
};

TEST_P(LostTcpRank, WhileItReads) {
  Ranks ranks = iterating({});
  const std::vector<pid_t> processes = processes_of(ranks);
  ASSERT_EQ(processes.size(), 3U);
  wait_until_it_reads(processes[1], *ranks[0]);
  lose(ranks, GetParam(), 1);
}

TEST_P(LostTcpRank, WhileItEstimatesCoilMaps) {
  ASSERT_EQ(recon({"simulate", scan_, "--overwrite", "--trajectory", "kooshball", "--matrix", "24",
                   "--spokes", "400", "--coils", "12"})
                .status,
            0);
  Ranks ranks = iterating({"--split", "coils"});
  wait_for(*ranks[0], "divided among 3 ranks");
  lose(ranks, GetParam(), 0);
}

TEST_P(LostTcpRank, WhileItIterates) {
  Ranks ranks = iterating({"--split", "samples", "--matrix", "300", "--combine", "rss"});
  wait_for(*ranks[0], "cg 2/");
  lose(ranks, GetParam(), 2);
}

TEST_P(LostTcpRank, WhileItWrites) {
  Ranks ranks = started(words("large.nii.gz", {"--split", "samples", "--matrix", "1500", "--solver",
                                               "gridding", "--combine", "rss", "--density", "none"}),
                        2, free_port());
  const auto processes = processes_of(ranks);
  while (ranks[0]->running() && names_in(folder_.path()).size() == names_.size())
    std::this_thread::sleep_for(1ms);
  if (!processes.empty()) ::kill(processes[0], SIGSTOP);  // it stays in the middle of it
  lose(ranks, GetParam(), 0);
}

INSTANTIATE_TEST_SUITE_P(, LostTcpRank, testing::Values(SIGKILL, SIGSTOP),
                         [](const auto& tested) { return tested.param == SIGKILL ? "Killed" : "Stopped"; });

}  // namespace
}  // namespace larmor::test
