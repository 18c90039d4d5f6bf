#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "apps/recon_process.hpp"
#include "random_arrays.hpp"

#include <larmor/core/memory_limits.hpp>
#include <larmor/io/formats.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

// --memory limits every stage: peaks of whole commands, for scans with very many coils, readouts or images.

namespace larmor::test {
namespace {

class MemoryLimit : public testing::Test {
 protected:
  void SetUp() override {
    if (!memory_can_be_limited) GTEST_SKIP() << "sanitizers take memory of their own";
  }
  /// Noise on golden-angle spokes: [frames, coils, readouts, samples]. Written by a separate process: a
  /// command starts as a copy of this process, whose memory would be counted as the command's.
  void make(Index frames, Index coils, Index readouts, Index samples) {
    bytes_ = static_cast<std::size_t>(frames * coils * readouts * samples) * sizeof(std::complex<float>);
    const pid_t writer = fork();
    if (writer == 0) {
      write_noise(frames, coils, readouts, samples);
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    ASSERT_EQ(status, 0);
  }
  void write_noise(Index frames, Index coils, Index readouts, Index samples) const {
    const auto kspace = random_complex<float>(
        frames > 1 ? Shape{frames, coils, readouts, samples} : Shape{coils, readouts, samples}, 1);
    Array<double> trajectory({readouts, samples, 2});
    for (Index r = 0; r < readouts; ++r)
      for (Index s = 0; s < samples; ++s) {
        const double angle = static_cast<double>(r) * std::numbers::pi * (3 - std::sqrt(5.0));
        const double radius = static_cast<double>(s) / static_cast<double>(samples) - 0.5;
        trajectory[2 * (r * samples + s)] = radius * std::cos(angle);
        trajectory[2 * (r * samples + s) + 1] = radius * std::sin(angle);
      }
    write_array<std::complex<float>>(at("k.npy"), kspace.view(), true);
    write_array<double>(at("t.npy"), trajectory.view(), true);
  }
  /// The image is made within the limit, or a message says that more memory is needed.
  void expect_within(std::size_t limit, const Words& more) {
    expect_within(limit, {"--kspace", at("k.npy"), "--trajectory", at("t.npy"), "--matrix", "24"}, more);
  }
  void expect_within(std::size_t limit, const Words& scan, const Words& more) {
    const Words quick{"--iterations", "2", "--regularizer", "none"};
    keeps_within(limit, joined({"run", "-o", at("o.npy"), "-f", "-q", "-j2", "--device", "cpu"},
                               joined(joined(quick, scan), more)));
  }
  void keeps_within(std::size_t limit, const Words& command) {
    const Outcome outcome = recon(joined(command, {"--memory", std::to_string(limit)}));
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 4) << outcome.err;
    // Memory that the process itself needs while it works is not part of the plan.
    constexpr std::size_t of_the_process = std::size_t{8} << 20;
    // Linux counts what this process holds as memory of a program that it starts.
    EXPECT_LE(outcome.peak_bytes, std::max(limit * 21 / 20, resident_bytes()) + of_the_process)
        << outcome.err;
    worked_ = outcome.status == 0;
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  TemporaryFolder folder_;
  std::size_t bytes_ = 0;
  bool worked_ = false;
};

TEST_F(MemoryLimit, HoldsForTheNoiseOfManyChannels) {
  make(1, 320, 160, 48);
  expect_within(4 * bytes_ + (std::size_t{120} << 20), {"--combine", "rss"});
  EXPECT_TRUE(worked_);
}

TEST_F(MemoryLimit, HoldsForManyChannelsReadoutsFramesAndSlices) {
  struct Case {
    Index frames, coils, readouts, samples;
    std::vector<std::size_t> megabytes;
    Words more{};
  };
  const Words slices{"--kspace-axes", "slices,coils,readouts,samples"};
  for (const Case& c :
       {Case{1, 160, 100, 48, {100, 150, 200, 250, 300, 400}},
        Case{1, 4, 40000, 32, {80, 120, 160, 250, 400, 600}}, Case{300, 4, 40, 32, {60, 100, 150, 250}},
        Case{150, 4, 40, 32, {60, 100, 150, 250}, slices}}) {
    make(c.frames, c.coils, c.readouts, c.samples);
    for (const std::size_t megabytes : c.megabytes) expect_within(megabytes << 20, c.more);
    EXPECT_TRUE(worked_) << c.frames << ' ' << c.coils << ' ' << c.readouts;
  }
}

TEST_F(MemoryLimit, HoldsForTheEstimateOfLeastErrorOfEachChannel) {
  succeed({"simulate", at("scan.h5"), "--trajectory", "kooshball", "--matrix", "48", "--coils", "8",
           "--spokes", "1000", "-q"});
  for (const std::size_t megabytes : {60, 110, 125, 200})
    keeps_within(megabytes << 20, {"run", at("scan.h5"), "-o", at("o.npy"), "-f", "-q", "-j2", "--device",
                                   "cpu", "--combine", "rss"});
  EXPECT_TRUE(worked_);
}

TEST_F(MemoryLimit, HoldsForMapsByNonlinearInversion) {
  succeed({"simulate", at("scan.h5"), "--matrix", "256", "--coils", "16", "--spokes", "96", "-q"});
  for (const std::size_t megabytes : {60, 80, 150})
    expect_within(megabytes << 20, {at("scan.h5")}, {"--calibrate", "nlinv"});
  EXPECT_TRUE(worked_);
}

TEST_F(MemoryLimit, HoldsForConversionsAndComparisons) {
  make(1, 8, 4000, 128);
  const Words arrays{"--kspace", at("k.npy"), "--trajectory", at("t.npy"), "--matrix", "64"};
  succeed(joined({"convert", "-o", at("scan.h5"), "-q"}, arrays));
  for (const std::size_t megabytes : {50, 80, 120, 400}) {
    keeps_within(megabytes << 20, joined({"convert", "-o", at("o.h5"), "-f", "-q"}, arrays));
    keeps_within(megabytes << 20, {"convert", at("scan.h5"), "-o", at("o.npy"), "-f", "-q"});
    keeps_within(megabytes << 20, {"convert", at("k.npy"), "-o", at("o.cfl"), "-f", "-q"});
    keeps_within(megabytes << 20, {"compare", at("k.npy"), at("k.npy"), "--mask", "0.1"});
  }
  EXPECT_TRUE(worked_);
}

TEST_F(MemoryLimit, HoldsForTheDelaysOfManyChannels) {
  succeed({"simulate", at("scan.h5"), "--matrix", "32", "--coils", "128", "--spokes", "60", "-q"});
  for (const std::size_t megabytes : {60, 100, 300})
    expect_within(megabytes << 20, {at("scan.h5")}, {"--delay", "auto", "--combine", "rss"});
  EXPECT_TRUE(worked_);
}

}  // namespace
}  // namespace larmor::test
