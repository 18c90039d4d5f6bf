#pragma once

#include "apps/recon_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace larmor::test {

/// A small scan that ranks reconstruct, and what is to be so when one of them is lost.
class RanksOfARun : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(recon({"simulate", scan_, "--matrix", "32", "--coils", "8", "--spokes", "40"}).status, 0);
    names_ = names_in(folder_.path());
  }

  static void wait_for(ReconProcess& process, const std::string& said) {
    while (process.running() && process.err_so_far().find(said) == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Until a rank reads, by a program of its own. one: who says what rank 0 does; where this process is too
  /// late to see the other read, until it has read.
  static void wait_until_it_reads(pid_t rank, ReconProcess& one) {
    while (one.running() && children_of(rank).empty() &&
           one.err_so_far().find("skipped readouts") == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// What is said of a rank that ended by this signal.
  static std::string loss(std::size_t rank, int signal) {
    return "recon: rank " + std::to_string(rank) +
           (signal == SIGKILL ? ": its process was ended by signal 9 (Killed)\n"
                              : ": its process was stopped and did not go on\n");
  }
  /// Sends the signal to one of the processes. All of them are to end in time, as `wait` sees it, and to
  /// leave no process and no file.
  template <typename Wait>
  void lose_one(pid_t lost, int signal, const std::vector<pid_t>& processes, const Wait& wait) const {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    ::kill(lost, signal);
    wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    for (const pid_t process : processes) {
      for (int i = 0; i < 100 && ::kill(process, 0) == 0; ++i) std::this_thread::sleep_for(20ms);
      EXPECT_NE(::kill(process, 0), 0) << "a process is left";
    }
    EXPECT_EQ(names_in(folder_.path()), names_);
  }

  /// A scan whose coil maps take two ranks a while, and memory.
  void scan_a_volume() const {
    ASSERT_EQ(recon({"simulate", scan_, "--overwrite", "--trajectory", "kooshball", "--matrix", "48",
                     "--spokes", "1500", "--coils", "12"})
                  .status,
              0);
  }
  /// Rank 1 gets no more memory while two estimate coil maps: all are to end in time, as `wait` sees it. one:
  /// who says what rank 0 does.
  template <typename Processes, typename Wait>
  void leave_one_without_memory(ReconProcess& one, const Processes& processes_of, const Wait& wait) const {
    wait_for(one, "divided among 2 ranks");
    const std::vector<pid_t> ranks = processes_of();
    ASSERT_EQ(ranks.size(), 2U) << one.err_so_far();
    leave_no_memory(ranks[1]);
    const auto begin = std::chrono::steady_clock::now();
    wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    for (const pid_t rank : ranks) EXPECT_NE(::kill(rank, 0), 0) << "a rank is left";
    EXPECT_EQ(names_in(folder_.path()), names_);
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5";
  std::vector<std::string> names_;  ///< of the folder, before a run
};

}  // namespace larmor::test
