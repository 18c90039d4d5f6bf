#include "apps/recon_process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// recon tune, and recon run with the results.

namespace larmor::test {
namespace {

class Tuning : public testing::Test {
 protected:
  void SetUp() override {
    succeed({"simulate", scan_, "--trajectory", "radial", "--matrix", "24", "--spokes", "12", "--coils", "2",
             "--seed", "3"});
  }
  Outcome tune(const Words& more) {
    Outcome outcome =
        succeed(joined({"tune", scan_, "--wisdom", wisdom_, "--device", "cpu", "--threads", "1"}, more));
    return outcome;
  }
  Outcome run(const std::string& level) {
    Outcome outcome = recon({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--tune", level,
                             "--wisdom", wisdom_, "--device", "cpu", "--threads", "1", "-v"});
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
  for (const char* part : {"method", "sum ms", "default", "chosen", "measured", "remembered in"})
    EXPECT_TRUE(has(first.out, part)) << part << " in " << first.out;
  EXPECT_TRUE(has(tune({}).out, ", remembered\n"));
  EXPECT_TRUE(has(run("wisdom").err, "from wisdom"));

  const Outcome shown = recon({"tune", "--show", "--wisdom", wisdom_});
  EXPECT_TRUE(has(shown.out, "1 entries")) << shown.out;
  EXPECT_TRUE(has(shown.out, "level measure"));
  EXPECT_TRUE(has(recon({"tune", "--clear", "--wisdom", wisdom_}).out, "1 entries deleted"));
  EXPECT_TRUE(has(recon({"tune", "--show", "--wisdom", wisdom_}).out, "0 entries"));
}

TEST_F(Tuning, IsShownAndForgottenAsJson) {
  tune({});
  const auto json_of = [&](const Words& words) {
    return nlohmann::json::parse(recon(joined(words, {"--json", "--wisdom", wisdom_})).out);
  };
  const auto both = json_of({"tune", "--show", "--clear"});
  EXPECT_EQ(both["entries"].size(), 1U);
  EXPECT_EQ(both["forgotten"], 1);
  EXPECT_EQ(json_of({"tune", "--show"})["entries"].size(), 0U);
  const auto again = json_of({"tune", "--clear"});
  EXPECT_EQ(again["forgotten"], 0);
  EXPECT_FALSE(again.contains("entries"));
}

TEST_F(Tuning, MeasuresDuringAReconstruction) {
  EXPECT_TRUE(has(run("measure").err, "measured in"));
  EXPECT_TRUE(has(run("measure").err, "from wisdom"));
}

TEST_F(Tuning, FilesThatAreNoWisdomAreRefusedAndLeft) {
  std::filesystem::create_directories(folder_ / "cache");
  const std::string deep = R"({"format":"larmor wisdom","version":)" + std::string(130000, '[');
  for (const std::string& text : {std::string("{ not wisdom"), deep}) {
    write_file(wisdom_, text);
    for (const Words& words : {Words{"tune", scan_},
                               {"tune", "--show"},
                               {"tune", "--clear"},
                               {"run", scan_, "-o", folder_ / "image.npy", "--tune", "wisdom", "--overwrite"},
                               {"run", scan_, "-o", folder_ / "image.npy", "--tune", "measure"},
                               {"run", scan_, "-o", folder_ / "image.npy"}}) {
      const Outcome outcome = recon(joined(words, {"--wisdom", wisdom_}));
      EXPECT_EQ(outcome.status, 3) << outcome.err;
      EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
      EXPECT_EQ(read_file(wisdom_), text);
    }
  }
  // The scan itself.
  const std::string before = read_file(scan_);
  EXPECT_EQ(recon({"run", scan_, "-o", folder_ / "image.npy", "--tune", "measure", "--wisdom", scan_}).status,
            2);
  EXPECT_EQ(read_file(scan_), before);
}

TEST_F(Tuning, ImagesDoNotDependOnWhatIsRemembered) {
  write_file(folder_ / "file", "no folder");
  const Outcome outcome = succeed({"run", scan_, "-o", folder_ / "image.npy", "--tune", "measure", "--wisdom",
                                   folder_ / "file/wisdom.json"});
  const std::size_t first = outcome.err.find("warning: tuning results are not stored");
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("warning: tuning results are not stored"), first) << outcome.err;
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
