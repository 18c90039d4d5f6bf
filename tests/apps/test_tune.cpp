#include "apps/recon_process.hpp"

#include <gtest/gtest.h>

// recon tune, and recon run with what it has found.

namespace larmor::test {
namespace {

class Tuning : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = recon({"simulate", scan_, "--trajectory", "radial", "--matrix", "24", "--spokes",
                                   "12", "--coils", "2", "--seed", "3"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  Outcome tune(std::vector<std::string> more) {
    std::vector<std::string> words{"tune", scan_, "--wisdom", wisdom_, "--device", "cpu", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    Outcome outcome = recon(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome;
  }
  Outcome run(const std::string& level) {
    Outcome outcome = recon({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--tune", level,
                             "--wisdom", wisdom_, "--device", "cpu", "--threads", "1"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome;
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder folder_;
  std::string scan_ = folder_ / "scan.h5", wisdom_ = folder_ / "cache/wisdom.json";
};

TEST_F(Tuning, IsShownRememberedUsedAndForgotten) {
  const Outcome first = tune({});
  for (const char* part : {"method", "pred/m", "default", "chosen", "predicted", "measured", "remembered in"})
    EXPECT_TRUE(has(first.out, part)) << part << " in " << first.out;
  EXPECT_TRUE(has(tune({}).out, ", remembered\n"));
  EXPECT_TRUE(has(run("wisdom").err, "from wisdom"));

  const Outcome shown = recon({"tune", "--show", "--wisdom", wisdom_});
  EXPECT_TRUE(has(shown.out, "1 entries")) << shown.out;
  EXPECT_TRUE(has(shown.out, "level measure"));
  EXPECT_TRUE(has(recon({"tune", "--clear", "--wisdom", wisdom_}).out, "1 entries forgotten"));
  EXPECT_TRUE(has(recon({"tune", "--show", "--wisdom", wisdom_}).out, "0 entries"));
}

TEST_F(Tuning, MeasuresDuringAReconstruction) {
  EXPECT_TRUE(has(run("measure").err, "measured in"));
  EXPECT_TRUE(has(run("measure").err, "from wisdom"));
}

TEST_F(Tuning, WarnsOnceOfADamagedFileAndReplacesIt) {
  std::filesystem::create_directories(folder_ / "cache");
  write_file(wisdom_, "{ not wisdom");
  const Outcome outcome = tune({});
  EXPECT_TRUE(has(outcome.err, "will be replaced"));
  EXPECT_EQ(outcome.err.find("will be replaced"), outcome.err.rfind("will be replaced"));
  EXPECT_TRUE(has(recon({"tune", "--show", "--wisdom", wisdom_}).out, "1 entries"));
}

TEST_F(Tuning, RefusesWrongValues) {
  EXPECT_EQ(recon({"tune"}).status, 2);
  EXPECT_EQ(recon({"tune", scan_, "--level", "much"}).status, 2);
  EXPECT_EQ(recon({"tune", scan_, "--method", "magic"}).status, 2);
  EXPECT_EQ(recon({"tune", scan_, "--oversampling", "9"}).status, 2);
  EXPECT_EQ(recon({"tune", scan_, "--bytes", "lots"}).status, 2);
}

}  // namespace
}  // namespace larmor::test
