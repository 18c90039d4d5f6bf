// recon run under mpirun: the image of one, and what becomes of all when one rank fails, is killed or
// stopped.
#include "apps/ranks/lost_rank.hpp"
#include "io/hostile_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace larmor::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Within the launcher a process of its own looks after each rank.
enum class Process { rank, guard };

class LaunchedRanks : public RanksOfARun {
 protected:
  void SetUp() override {
    if (std::string(LARMOR_MPIEXEC).empty()) GTEST_SKIP() << "there is no MPI";
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
      ::setenv(name, "1", 1);
    RanksOfARun::SetUp();
  }

  static Conditions of(int count) {
    Conditions conditions;
    conditions.launcher = {LARMOR_MPIEXEC, "--oversubscribe", "-n", std::to_string(count)};
    return conditions;
  }
  Outcome run(const std::string& name, std::vector<std::string> more, int count) {
    more.insert(more.begin(), {"run", scan_, "-o", folder_ / name, "--device", "cpu", "--threads", "1",
                               "--split", "coils", "--complex"});
    return recon(more, count > 1 ? of(count) : Conditions());
  }

  /// Two ranks and their guards, as soon as they are there; none when the run has ended before.
  static std::vector<pid_t> processes_of(ReconProcess& launcher, Process which) {
    while (launcher.running()) {
      std::vector<pid_t> ranks;
      const std::vector<pid_t> guards = children_of(launcher.id());
      for (const pid_t guard : guards)
        for (const pid_t rank : children_of(guard)) ranks.push_back(rank);
      if (guards.size() == 2 && ranks.size() == 2) return which == Process::rank ? ranks : guards;
      std::this_thread::sleep_for(1ms);
    }
    return {};
  }

  void lose(ReconProcess& launcher, int signal, std::size_t rank, Process which = Process::rank) {
    const auto ranks = processes_of(launcher, Process::rank), guards = processes_of(launcher, Process::guard);
    ASSERT_EQ(ranks.size(), 2U) << launcher.err_so_far();
    ASSERT_EQ(guards.size(), 2U);
    auto processes = ranks;
    processes.insert(processes.end(), guards.begin(), guards.end());
    Outcome outcome;
    lose_one((which == Process::rank ? ranks : guards)[rank], signal, processes,
             [&] { outcome = launcher.wait(); });
    if (signal == SIGKILL && which == Process::guard) {
      EXPECT_EQ(outcome.status, 128 + SIGKILL) << "the launcher's own words";
    } else {
      EXPECT_EQ(outcome.status, 5);
      EXPECT_THAT(outcome.err, HasSubstr(loss(rank, signal)));
    }
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("interrupted")));
  }
};

TEST_F(LaunchedRanks, GiveTheImageOfOne) {
  const std::vector<std::string> options{"--regularizer", "l2:1e-2", "--iterations", "6",
                                         "--precision",   "double",  "--quiet"};
  ASSERT_EQ(run("one.npy", options, 1).status, 0);
  auto reported = options;
  reported.insert(reported.end(), {"--report", folder_ / "two.json"});
  const Outcome two = run("two.npy", reported, 2);
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_LT(difference(folder_ / "two.npy", folder_ / "one.npy"), 1e-5);
  const auto report = nlohmann::json::parse(read_file(folder_ / "two.json"));
  EXPECT_EQ(report["ranks"]["exchange"], "MPI");
  EXPECT_EQ(report["ranks"]["count"], 2);
  EXPECT_EQ(run("two.npy", options, 2).status, 2)
      << "the output exists: one rank's error is all ranks' status";
}

TEST_F(LaunchedRanks, GiveTheBitsOfOneInDeterministicMode) {
  const std::vector<std::string> choices[] = {
      {"--deterministic", "--quiet"},
      {"--deterministic", "--quiet", "--regularizer", "wavelet:1e-3", "--iterations", "10", "--overwrite"}};
  for (const auto& options : choices) {
    ASSERT_EQ(run("one.npy", options, 1).status, 0);
    for (const int count : {2, 4}) {
      const Outcome several = run("several.npy", options, count);
      ASSERT_EQ(several.status, 0) << several.err;
      EXPECT_EQ(read_file(folder_ / "several.npy"), read_file(folder_ / "one.npy")) << count << " ranks";
      std::filesystem::remove(folder_ / "several.npy");
    }
  }
}

TEST_F(LaunchedRanks, ThatDoNotFindEachOtherAreRefused) {
  // As if a launcher had started two processes, each of which would write the same file.
  ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  const Outcome outcome = run("image.npy", {}, 1);
  ::unsetenv("SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("srun has started several of these processes"));
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_F(LaunchedRanks, WithOtherOptionsAreRefused) {
  const std::vector<std::string> run{"run",      scan_,           "-o",        folder_ / "image.npy",
                                     "--device", "cpu",           "--threads", "1",
                                     "--quiet",  "--regularizer", "l2:1e-2",   "--split",
                                     "coils",    "--iterations"};
  std::vector<std::string> words = run;
  words.insert(words.end(), {"6", ":", "-n", "1", LARMOR_RECON});
  words.insert(words.end(), run.begin(), run.end());
  words.emplace_back("7");
  const Outcome outcome = recon(words, of(1));
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the ranks have different scans, options or versions"));
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_F(LaunchedRanks, OneWithoutMemoryEndsAll) {
  if (!memory_can_be_limited) GTEST_SKIP() << "sanitizers want memory of their own";
  scan_a_volume();
  ReconProcess launcher({"run", scan_, "-o", folder_ / "image.npy", "--device", "cpu", "--threads", "1",
                         "--split", "coils", "--iterations", "1000000"},
                        of(2));
  leave_one_without_memory(
      launcher, [&] { return processes_of(launcher, Process::rank); },
      [&] {
        const Outcome outcome = launcher.wait();
        EXPECT_EQ(outcome.status, 4) << outcome.err;
      });
}

class LostLaunchedRank : public LaunchedRanks, public testing::WithParamInterface<int> {
 protected:
  std::unique_ptr<ReconProcess> long_run(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", scan_, "--device", "cpu", "--threads", "1", "--verbose"});
    return std::make_unique<ReconProcess>(more, of(2));
  }
  std::unique_ptr<ReconProcess> iterating(const std::vector<std::string>& more = {"--split", "coils"}) {
    std::vector<std::string> words{"-o",   folder_ / "image.npy", "--regularizer",
                                   "none", "--iterations",        "1000000"};
    words.insert(words.end(), more.begin(), more.end());
    return long_run(words);
  }
};

TEST_P(LostLaunchedRank, WhileItReads) {
  // MPI has started before that: a launcher may never end when a rank is lost while it says hello.
  const auto launcher = iterating();
  const auto ranks = processes_of(*launcher, Process::rank);
  ASSERT_EQ(ranks.size(), 2U) << launcher->err_so_far();
  wait_until_it_reads(ranks[1], *launcher);
  lose(*launcher, GetParam(), 1);
}

TEST_P(LostLaunchedRank, WhileItEstimatesCoilMaps) {
  ASSERT_EQ(recon({"simulate", scan_, "--overwrite", "--trajectory", "kooshball", "--matrix", "24",
                   "--spokes", "400", "--coils", "12"})
                .status,
            0);
  const auto launcher = iterating();
  wait_for(*launcher, "divided among 2 ranks");
  lose(*launcher, GetParam(), 0);
}

TEST_P(LostLaunchedRank, WhileItIterates) {
  for (const Process which : {Process::rank, Process::guard}) {
    const auto launcher = iterating({"--split", "samples", "--matrix", "300", "--combine", "rss"});
    wait_for(*launcher, "cg 2/");
    lose(*launcher, GetParam(), 1, which);
  }
}

TEST_P(LostLaunchedRank, WhileItWrites) {
  const auto launcher = long_run({"-o", folder_ / "large.nii.gz", "--split", "samples", "--matrix", "1500",
                                  "--solver", "gridding", "--combine", "rss", "--density", "none"});
  const auto ranks = processes_of(*launcher, Process::rank);
  while (launcher->running() && names_in(folder_.path()).size() == names_.size())
    std::this_thread::sleep_for(1ms);
  if (!ranks.empty()) ::kill(ranks[0], SIGSTOP);  // it stays in the middle of it
  lose(*launcher, GetParam(), 0);
}

INSTANTIATE_TEST_SUITE_P(, LostLaunchedRank, testing::Values(SIGKILL, SIGSTOP),
                         [](const auto& tested) { return tested.param == SIGKILL ? "Killed" : "Stopped"; });

}  // namespace
}  // namespace larmor::test
