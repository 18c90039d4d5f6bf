// recon run with several processes: the image of one, and what becomes of all when one of them fails, is
// killed or stopped.
#include "apps/recon_process.hpp"
#include "io/hostile_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <larmor/io/formats.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace larmor::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

class RanksOfRecon : public testing::Test {
 protected:
  void SetUp() override {
    hostile::sound_scan().write(scan_);
    write_file(folder_ / "image.npy", "an earlier result");
    names_ = names_in(folder_.path());
  }

  /// Two ranks that iterate for long, and their processes.
  std::unique_ptr<ReconProcess> long_run(std::vector<pid_t>& ranks,
                                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run",         scan_,           "-o",      folder_ / "image.npy",
                                   "--overwrite", "--device",      "cpu",     "--ranks",
                                   "2",           "--split",       "samples", "--matrix",
                                   "300",         "--regularizer", "none",    "--combine",
                                   "rss",         "--iterations",  "1000000", "--verbose"};
    words.insert(words.end(), more.begin(), more.end());
    auto process = std::make_unique<ReconProcess>(words);
    while (process->running()) {
      if (process->err_so_far().find("cg 2/1000000") != std::string::npos) {
        ranks = children_of(process->id());
        EXPECT_EQ(ranks.size(), 2U);
        return process;
      }
      std::this_thread::sleep_for(20ms);
    }
    ADD_FAILURE() << "the run did not start to iterate: " << process->err_so_far();
    return process;
  }

  /// Two ranks that estimate coil maps of a volume together.
  std::unique_ptr<ReconProcess> calibrating(const std::string& matrix, const std::string& spokes) {
    const std::string volume = folder_ / "volume.h5";
    EXPECT_EQ(recon({"simulate", volume, "--trajectory", "kooshball", "--matrix", matrix, "--spokes", spokes,
                     "--coils", "12"})
                  .status,
              0);
    names_ = names_in(folder_.path());
    auto process = std::make_unique<ReconProcess>(std::vector<std::string>{
        "run", volume, "-o", folder_ / "image.npy", "--overwrite", "--device", "cpu", "--ranks", "2",
        "--split", "coils", "--regularizer", "none", "--iterations", "1000000"});
    while (process->running() && process->err_so_far().find("divided among 2 ranks") == std::string::npos)
      std::this_thread::sleep_for(1ms);
    return process;
  }

  void expect_end(ReconProcess& process, const std::vector<pid_t>& ranks, int status,
                  const std::string& last_line) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = process.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    EXPECT_EQ(outcome.status, status);
    EXPECT_THAT("\n" + outcome.err, EndsWith("\n" + last_line + "\n"));  // it may be the only one
    for (const pid_t rank : ranks) EXPECT_NE(::kill(rank, 0), 0) << "a rank is left";
    EXPECT_EQ(names_in(folder_.path()), names_);
    EXPECT_EQ(read_file(folder_ / "image.npy"), "an earlier result");
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5";
  std::vector<std::string> names_;
};

TEST_F(RanksOfRecon, GiveTheImageOfOne) {
  const auto run = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{"run",
                                   scan_,
                                   "-o",
                                   folder_ / name,
                                   "--device",
                                   "cpu",
                                   "--regularizer",
                                   "l2:1e-2",
                                   "--iterations",
                                   "6",
                                   "--complex",
                                   "--precision",
                                   "double",
                                   "--nufft-tolerance",
                                   "1e-8",
                                   "--report",
                                   folder_ / (name + ".json")};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = recon(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome;
  };
  run("one.npy", {});
  const Outcome two = run("two.npy", {"--ranks", "2"});
  EXPECT_THAT(two.err, HasSubstr("divided among 2 ranks, through shared memory"));
  EXPECT_LT(difference(folder_ / "two.npy", folder_ / "one.npy"), 1e-5);
  const auto report = nlohmann::json::parse(read_file(folder_ / "two.npy.json"));
  EXPECT_EQ(report["ranks"]["count"], 2);
  EXPECT_EQ(report["ranks"]["divided"], "coils");
  EXPECT_EQ(nlohmann::json::parse(read_file(folder_ / "one.npy.json"))["ranks"]["count"], 1);
}

TEST_F(RanksOfRecon, EachReadsWhatItWorksOn) {
  const std::string scan = folder_ / "one_coil.h5", maps = folder_ / "maps.npy", report = folder_ / "r.json";
  const auto bytes_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", scan, "-o", folder_ / "image.npy", "--overwrite", "--device", "cpu",
                                 "--report", report, "--quiet"});
    const Outcome outcome = recon(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(read_file(report))["ranks"]["sample_bytes"].get<std::vector<double>>();
  };
  // Without noise nobody looks for it.
  const auto simulate = [&](const std::string& coils, const std::string& spokes) {
    ASSERT_EQ(recon({"simulate", scan, "--overwrite", "--matrix", "48", "--spokes", spokes, "--coils", coils,
                     "--noise", "0", "--maps", maps})
                  .status,
              0);
  };
  constexpr double a_spoke = 96 * sizeof(std::complex<float>);
  using Bytes = std::vector<double>;
  // All look at the first one, which tells whether there is anything but zeros.
  const auto halves = [](double spokes, double bytes) {
    return Bytes{spokes / 2 * bytes, (spokes / 2 + 1) * bytes};
  };
  simulate("1", "700");
  const std::vector<std::string> samples{"--ranks", "2", "--split", "samples", "--no-whiten"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<std::string> few{"--regularizer", "l2:1e-2", "--iterations", "3"};
  EXPECT_EQ(bytes_of(with(samples, few)), halves(700, a_spoke));
  EXPECT_EQ(bytes_of(with(samples, {"--solver", "gridding"})), halves(700, a_spoke))
      << "their weights are found together";
  simulate("4", "60");
  EXPECT_EQ(bytes_of(with(
                {"--ranks", "2", "--split", "frames", "--window", "10", "--maps", maps, "--no-whiten"}, few)),
            halves(60, 4 * a_spoke));
  EXPECT_EQ(bytes_of(with({"--ranks", "2", "--split", "coils", "--no-whiten"}, few)),
            Bytes(2, 60 * 4 * a_spoke));
  EXPECT_EQ(bytes_of(few), Bytes());
}

TEST_F(RanksOfRecon, OneThatIsKilledEndsAll) {
  std::vector<pid_t> ranks;
  const auto process = long_run(ranks);
  ASSERT_EQ(ranks.size(), 2U);
  ::kill(ranks[1], SIGKILL);
  expect_end(*process, ranks, 5, "recon: rank 1: its process was ended by signal 9 (Killed)");
}

TEST_F(RanksOfRecon, OneThatIsStoppedEndsAll) {
  std::vector<pid_t> ranks;
  const auto process = long_run(ranks);
  ASSERT_EQ(ranks.size(), 2U);
  ::kill(ranks[0], SIGSTOP);
  expect_end(*process, ranks, 5, "recon: rank 0: its process was stopped and did not go on");
}

/// Where a run is when a rank is lost, and how that rank is lost.
class LostRank : public RanksOfRecon, public testing::WithParamInterface<std::tuple<int, int>> {
 protected:
  int signal() const { return std::get<0>(GetParam()); }
  std::size_t rank() const { return static_cast<std::size_t>(std::get<1>(GetParam())); }

  // The processes of the ranks, as soon as there are two; none when the run has ended before.
  static std::vector<pid_t> ranks_of(ReconProcess& process) {
    while (process.running())
      if (auto ranks = children_of(process.id()); ranks.size() == 2) return ranks;
    return {};
  }

  void lose(ReconProcess& process, const std::vector<pid_t>& ranks, std::size_t lost) {
    ASSERT_EQ(ranks.size(), 2U) << process.err_so_far();
    ::kill(ranks[lost], signal());
    const std::string end = signal() == SIGKILL ? "its process was ended by signal 9 (Killed)"
                                                : "its process was stopped and did not go on";
    expect_end(process, ranks, 5, "recon: rank " + std::to_string(lost) + ": " + end);
  }
};

TEST_P(LostRank, WhileItStartsAndReads) {
  ReconProcess process({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--device", "cpu",
                        "--ranks", "2", "--regularizer", "none", "--iterations", "1000000", "--verbose"});
  const auto ranks = ranks_of(process);
  ASSERT_EQ(ranks.size(), 2U);
  ::kill(ranks[rank()], signal());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(process.wait().status, 5);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  for (const pid_t one : ranks) EXPECT_NE(::kill(one, 0), 0) << "a rank is left";
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_P(LostRank, WhileItEstimatesCoilMaps) {
  const auto process = calibrating("24", "400");
  lose(*process, ranks_of(*process), rank());
}

TEST_F(RanksOfRecon, OneWithoutMemoryEndsAll) {
  if (!memory_can_be_limited) GTEST_SKIP() << "sanitizers want memory of their own";
  const auto process = calibrating("48", "1500");
  const auto ranks = children_of(process->id());
  ASSERT_EQ(ranks.size(), 2U) << process->err_so_far();
  leave_no_memory(ranks[1]);  // coil maps want a lot of it
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = process->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("\nrecon: rank 1: "));
  for (const pid_t rank : ranks) EXPECT_NE(::kill(rank, 0), 0) << "a rank is left";
  EXPECT_EQ(names_in(folder_.path()), names_);
}

TEST_P(LostRank, WhileItWrites) {
  if (rank() > 0) GTEST_SKIP() << "rank 0 writes";
  ReconProcess process({"run", scan_, "-o", folder_ / "large.nii.gz", "--device", "cpu", "--ranks", "2",
                        "--split", "samples", "--matrix", "1500", "--solver", "gridding", "--combine", "rss",
                        "--density", "none", "--verbose"});
  const auto ranks = ranks_of(process);
  while (process.running() && names_in(folder_.path()).size() == names_.size())
    std::this_thread::sleep_for(1ms);
  if (!ranks.empty()) ::kill(ranks[0], SIGSTOP);  // it stays in the middle of it
  ASSERT_TRUE(process.running()) << process.err_so_far();
  lose(process, ranks, 0);
}

INSTANTIATE_TEST_SUITE_P(, LostRank,
                         testing::Combine(testing::Values(SIGKILL, SIGSTOP), testing::Values(0, 1)));

TEST_F(RanksOfRecon, EndWithTheProcessThatHasStartedThem) {
  std::vector<pid_t> ranks;
  const auto process = long_run(ranks);
  ASSERT_EQ(ranks.size(), 2U);
  process->send(SIGKILL);
  process->wait();
  for (int i = 0; i < 500 && (::kill(ranks[0], 0) == 0 || ::kill(ranks[1], 0) == 0); ++i)
    std::this_thread::sleep_for(20ms);
  for (const pid_t rank : ranks) {
    std::ifstream stat("/proc/" + std::to_string(rank) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(text.empty() || text.find(") Z ") != std::string::npos) << text;
  }
  EXPECT_EQ(read_file(folder_ / "image.npy"), "an earlier result");
}

TEST_F(RanksOfRecon, ASignalInterruptsThemAll) {
  std::vector<pid_t> ranks;
  const auto process = long_run(ranks);
  ASSERT_EQ(ranks.size(), 2U);
  process->send(SIGTERM);
  expect_end(*process, ranks, 130, "recon: interrupted");
}

TEST_F(RanksOfRecon, SpeakWithOneVoiceOfWhatIsWrong) {
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run",         scan_,      "-o",  folder_ / "image.npy",
                                   "--overwrite", "--device", "cpu", "--ranks",
                                   "2",           "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = recon(words);
    return std::to_string(outcome.status) + " " + outcome.err;
  };
  EXPECT_THAT(told({"--maps", folder_ / "none.npy"}), testing::StartsWith("3 recon: "));
  EXPECT_EQ(line_count(told({"--maps", folder_ / "none.npy"})), 1);
  EXPECT_THAT(told({"--split", "coils", "--combine", "rss"}),
              testing::StartsWith("2 recon: --split: coils cannot be divided: "));
  EXPECT_THAT(told({"--memory", "1K"}), testing::StartsWith("4 recon: "));
  EXPECT_EQ(read_file(folder_ / "image.npy"), "an earlier result");
}

TEST_F(RanksOfRecon, GoOnFromACheckpointOfAnotherNumber) {
  const std::string checkpoint = folder_ / "state", kept = folder_ / "kept";
  std::vector<pid_t> ranks;
  const auto process =
      long_run(ranks, {"--checkpoint", checkpoint, "--checkpoint-every", "1", "--precision", "double"});
  ASSERT_EQ(ranks.size(), 2U);
  for (int i = 0; i < 1000 && !std::filesystem::exists(checkpoint); ++i) std::this_thread::sleep_for(10ms);
  ::kill(ranks[1], SIGKILL);
  EXPECT_EQ(process->wait().status, 5);
  ASSERT_TRUE(std::filesystem::exists(checkpoint));
  std::filesystem::copy_file(checkpoint, kept);
  const auto went_on = [&](const std::string& name, const std::vector<std::string>& more) {
    std::filesystem::copy_file(kept, checkpoint, std::filesystem::copy_options::overwrite_existing);
    std::vector<std::string> words{"run",           scan_,      "-o",           folder_ / name, "--device",
                                   "cpu",           "--matrix", "300",          "--combine",    "rss",
                                   "--regularizer", "none",     "--complex",    "--iterations", "100",
                                   "--precision",   "double",   "--checkpoint", checkpoint};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = recon(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("going on from"));
  };
  went_on("one.npy", {});
  went_on("three.npy", {"--ranks", "3", "--split", "samples"});
  EXPECT_LT(difference(folder_ / "three.npy", folder_ / "one.npy"), 1e-5);
}

}  // namespace
}  // namespace larmor::test
