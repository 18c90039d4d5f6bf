// recon run under mpirun: the image equals that of one process, and all ranks end if one fails or is killed.
#include "apps/recon_process.hpp"
#include "foreign_program.hpp"
#include "io/hostile_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace larmor::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class LaunchedRanks : public testing::Test {
 protected:
  void SetUp() override {
    LARMOR_NEEDS_PROGRAM("MPI", !std::string(LARMOR_MPIEXEC).empty());
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
      ::setenv(name, "1", 1);
    succeed({"simulate", scan_, "--matrix", "32", "--coils", "8", "--spokes", "40"});
    names_ = names_in(folder_.path());
  }

  static Conditions of(int count) {
    Conditions conditions;
    conditions.launcher = {LARMOR_MPIEXEC, "--oversubscribe", "-n", std::to_string(count)};
    return conditions;
  }
  Words words(const std::string& name, const Words& more) const {
    return joined(
        {"run", scan_, "-o", folder_ / name, "--device", "cpu", "--threads", "1", "--split", "coils"}, more);
  }
  /// Starts a run that iterates until it is ended; returns once it has printed `said`.
  std::unique_ptr<ReconProcess> long_run(const std::string& said) const {
    auto launcher = std::make_unique<ReconProcess>(
        words("image.npy",
              {"--regularizer", "none", "--iterations", "1000000", "--verbose", "--matrix", "300"}),
        of(2));
    while (launcher->running() && launcher->err_so_far().find(said) == std::string::npos)
      std::this_thread::sleep_for(1ms);
    return launcher;
  }
  /// All processes end in time and leave no file behind. `cause` ends them; it is given the process ids of
  /// the ranks.
  Outcome ended(ReconProcess& launcher, const std::function<void(const std::vector<pid_t>&)>& cause) const {
    const std::vector<pid_t> ranks = children_of(launcher.id());
    EXPECT_EQ(ranks.size(), 2U) << launcher.err_so_far();
    const auto begin = std::chrono::steady_clock::now();
    if (ranks.size() == 2) cause(ranks);
    const Outcome outcome = launcher.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    for (const pid_t rank : ranks) {
      for (int i = 0; i < 100 && ::kill(rank, 0) == 0; ++i) std::this_thread::sleep_for(20ms);
      EXPECT_NE(::kill(rank, 0), 0) << "a rank is left";
    }
    EXPECT_EQ(names_in(folder_.path()), names_);
    return outcome;
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5";
  Words names_;  ///< names in the folder before a run
};

TEST_F(LaunchedRanks, GiveTheImageOfOne) {
  const Words options{"--regularizer", "l2:1e-2", "--iterations", "6",
                      "--precision",   "double",  "--quiet",      "--complex"};
  succeed(words("one.npy", options));
  succeed(words("two.npy", joined(options, {"--report", folder_ / "two.json"})), of(2));
  EXPECT_LT(difference(folder_ / "two.npy", folder_ / "one.npy"), 1e-5);
  const auto report = nlohmann::json::parse(read_file(folder_ / "two.json"));
  EXPECT_EQ(report["ranks"]["exchange"], "MPI");
  EXPECT_EQ(report["ranks"]["count"], 2);
  EXPECT_EQ(report["ranks"]["divided"], "coils");
}

TEST_F(LaunchedRanks, SayOnceWhatIsWrong) {
  const auto told = [&](Words more) {
    more.emplace_back("--quiet");
    const Outcome outcome = recon(words("image.npy", more), of(2));
    EXPECT_EQ(outcome.err.find("recon: "), outcome.err.rfind("recon: ")) << outcome.err;
    EXPECT_EQ(names_in(folder_.path()), names_);
    // The launcher's own message may come before or after it.
    return std::to_string(outcome.status) + " " +
           outcome.err.substr(std::min(outcome.err.size(), outcome.err.find("recon: ")));
  };
  EXPECT_THAT(told({"--maps", folder_ / "none.npy"}), testing::StartsWith("3 recon: "));
  EXPECT_THAT(told({"--combine", "rss"}), testing::StartsWith("2 recon: --split: coils cannot be divided: "));
  EXPECT_THAT(told({"--memory", "1K"}), testing::StartsWith("4 recon: "));
}

TEST_F(LaunchedRanks, ThatDoNotFindEachOtherAreRefused) {
  // As if a launcher had started two independent processes, which would write the same file.
  ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  const Outcome outcome = recon(words("image.npy", {}));
  ::unsetenv("SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("srun has started several of these processes"));
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_F(LaunchedRanks, WithOtherOptionsAreRefused) {
  const Words both = words("image.npy", {"--quiet", "--regularizer", "l2:1e-2", "--iterations", "6"});
  Words second = both;
  second.back() = "7";
  const Outcome outcome = recon(joined(both, joined({":", "-n", "1", LARMOR_RECON}, second)), of(1));
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the ranks have different scans, options or versions"));
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_F(LaunchedRanks, OneWithoutMemoryEndsAll) {
  if (!memory_can_be_limited) GTEST_SKIP() << "sanitizers want memory of their own";
  succeed({"simulate", scan_, "--overwrite", "--trajectory", "kooshball", "--matrix", "48", "--spokes",
           "1500", "--coils", "12"});
  const auto launcher = long_run("divided among 2 ranks");
  const Outcome outcome = ended(*launcher, [](const auto& ranks) { leave_no_memory(ranks[1]); });
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("recon: rank 1: "));
}

TEST_F(LaunchedRanks, OneThatIsKilledEndsAll) {
  for (const char* said : {"divided among 2 ranks", "cg 2/"}) {
    const auto launcher = long_run(said);
    const Outcome outcome = ended(*launcher, [](const auto& ranks) { ::kill(ranks[1], SIGKILL); });
    EXPECT_EQ(outcome.status, 128 + SIGKILL) << "the launcher's own status: " << outcome.err;
  }
}

TEST_F(LaunchedRanks, ASignalToTheLauncherInterruptsThemAll) {
  const auto launcher = long_run("cg 2/");
  const Outcome outcome = ended(*launcher, [&](const auto&) { launcher->send(SIGTERM); });
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("rank 1: ")));
}

}  // namespace
}  // namespace larmor::test
