#include "apps/recon_process.hpp"
#include "io/hostile_files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

// Ctrl-C, a full disk and too little memory: the right exit status, one line, no partial output.

namespace larmor::test {
namespace {

class Interruption : public testing::Test {
 protected:
  void SetUp() override {
    hostile::sound_scan().write(scan_);
    write_file(folder_ / "image.npy", "an earlier result");
    names_ = names_in(folder_.path());
    before_ = read_file(scan_);
  }

  void expect_untouched() {
    EXPECT_EQ(names_in(folder_.path()), names_);
    EXPECT_EQ(read_file(folder_ / "image.npy"), "an earlier result");
    EXPECT_EQ(read_file(scan_), before_);
  }

  /// Starts a run that would take long, because its image is far larger than its data, and waits until it
  /// iterates.
  std::unique_ptr<ReconProcess> long_run() {
    auto process = std::make_unique<ReconProcess>(
        Words{"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--combine", "rss", "--matrix", "700",
              "--precision", "double", "--regularizer", "none", "--iterations", "1000000", "--verbose"});
    while (process->running()) {
      if (process->err_so_far().find("cg 2/1000000") != std::string::npos) return process;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "the run did not start to iterate: " << process->err_so_far();
    return process;
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5";
  Words names_;
  std::string before_;
};

TEST_F(Interruption, SignalsLeaveEverythingAsItWas) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU}) {
    SCOPED_TRACE(signal);
    const auto process = long_run();
    process->send(signal);
    const Outcome outcome = process->wait();
    EXPECT_EQ(outcome.status, 130);
    EXPECT_EQ(outcome.err.ends_with("\nrecon: interrupted\n"), signal != SIGPIPE) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    expect_untouched();
  }
}

// At any point of the command.
TEST_F(Interruption, IsAnsweredInEveryPhase) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    ReconProcess process({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--combine", "rss",
                          "--matrix", "400", "--precision", "double", "--regularizer", "tgv:1e-3", "--quiet",
                          "--threads", "2", "--iterations", "100000"});
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 1000));
    process.send(trial % 2 == 0 ? SIGTERM : SIGINT);
    const Outcome outcome = process.wait();
    // Before the handlers are installed the system ends the process.
    EXPECT_TRUE(outcome.status == 130 || outcome.status == 128 + SIGTERM || outcome.status == 128 + SIGINT)
        << outcome.status << outcome.err;
    expect_untouched();
  }
}

TEST_F(Interruption, OneFileIsOneOutput) {
  const auto expect_twice = [&](const Words& more) {
    expect_refused(recon(joined({"run", scan_, "-o", folder_ / "y.cfl"}, more)), 2, "both write");
    expect_untouched();
  };
  expect_twice({"--report", folder_ / "y.hdr"});
  expect_twice({"--report", folder_ / "./y.hdr"});
  expect_twice({"-o", folder_ / "y.cfl"});
  expect_twice({"--checkpoint", folder_ / "y.hdr"});
  std::filesystem::create_symlink("y.hdr", folder_ / "link");
  names_ = names_in(folder_.path());
  expect_twice({"--report", folder_ / "link"});
}

TEST_F(Interruption, HeadersOfInputsAreInputs) {
  write_file(folder_ / "maps.cfl", "x");
  write_file(folder_ / "maps.hdr", "x");
  names_ = names_in(folder_.path());
  expect_refused(recon({"run", scan_, "-o", folder_ / "new.npy", "--maps", folder_ / "maps.cfl", "--report",
                        folder_ / "maps.hdr", "--overwrite"}),
                 2, "input");
  EXPECT_EQ(read_file(folder_ / "maps.hdr"), "x");
  expect_untouched();
}

TEST_F(Interruption, TwoRunsOfOneOutputLeaveOneWhole) {
  const Words formats{"a.cfl", "a.nii.gz", "a.h5"};
  for (const std::string& name : formats) {
    std::vector<std::unique_ptr<ReconProcess>> processes;
    for (int i = 0; i < 4; ++i)
      processes.push_back(std::make_unique<ReconProcess>(
          Words{"run", scan_, "-o", folder_ / name, "--combine", "rss", "--iterations", std::to_string(1 + i),
                "--quiet", "--threads", "1"}));
    int done = 0;
    for (const auto& process : processes) {
      const Outcome outcome = process->wait();
      EXPECT_TRUE(outcome.status == 0 || outcome.status == 2) << outcome.err;
      done += outcome.status == 0;
    }
    EXPECT_EQ(done, 1);
    succeed({"compare", folder_ / name, folder_ / name});
    for (const char* made : {"a.cfl", "a.hdr", "a.nii.gz", "a.h5"}) std::filesystem::remove(folder_ / made);
    expect_untouched();
  }
}

// For each format: EveryFormat.FullDiskLeavesTheOldFileAlone.
TEST_F(Interruption, FullDiskKeepsTheEarlierResult) {
  // A 16 × 16 float image is 1152 bytes with its header: the limit ends the write in the middle, as a full
  // disk does. It also applies to the test's capture of stderr; --quiet keeps it short.
  const Outcome outcome = recon({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--combine", "rss",
                                 "--no-whiten", "--regularizer", "none", "--iterations", "2", "--quiet"},
                                {.folder = {}, .file_size_limit = 500, .stdout_to = "/dev/null"});
  expect_refused(outcome, 4, "image.npy");
  expect_untouched();
}

TEST_F(Interruption, TooLittleMemoryIsSaidBeforeTheWork) {
  const Outcome outcome = recon({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--matrix",
                                 "20000", "--memory", "1G", "--quiet"});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("GB"), std::string::npos) << outcome.err;
  expect_untouched();
}

TEST_F(Interruption, OutputsAreCheckedBeforeTheWork) {
  const auto run_to = [&](const Words& outputs) {
    Words words{"run", scan_};
    for (const std::string& output : outputs) words.insert(words.end(), {"-o", output});
    return recon(words);
  };
  const auto expect = [&](const Outcome& outcome, int status, const std::string& mentions) {
    expect_refused(outcome, status, mentions);
    expect_untouched();
  };
  expect(run_to({folder_ / "image.npy"}), 2, "--overwrite");
  expect(run_to({folder_ / "new.npy", folder_ / "image.npy"}), 2, "--overwrite");
  expect(run_to({folder_ / "new.npy", folder_ / "new.npy"}), 2, "both write");
  expect(run_to({folder_ / "no-such-folder/image.npy"}), 4, "no-such-folder");

  // The input itself, with --overwrite.
  expect(recon({"run", scan_, "-o", scan_, "--overwrite"}), 2, "input");
  expect(recon({"run", scan_, "-o", folder_ / "new.npy", "--report", scan_, "--overwrite"}), 2, "input");
}

TEST_F(Interruption, MissingInputsAreNamed) {
  for (const std::string option : {"--maps", "--trajectory", "--density"}) {
    expect_refused(
        recon({"run", scan_, "-o", folder_ / "new.npy", option, folder_ / "missing.npy", "--quiet"}), 3,
        "missing.npy");
  }
  expect_untouched();
}

}  // namespace
}  // namespace larmor::test
