#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

// `recon bench`: what it measures is right, whatever the time it takes.

namespace larmor::test {
namespace {

using Json = nlohmann::json;

TEST(Bench, LinesAgreeWithExactSumsAndTheReference) {
  const Outcome outcome = recon({"bench", "1d", "--size", "quick", "--json", "--device", "cpu"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("size"), "quick");
  ASSERT_EQ(result.at("entries").size(), 1U);
  const Json& rows = result.at("entries")[0].at("rows");
  ASSERT_GE(rows.size(), 12U);
  int references = 0;
  for (const Json& row : rows) {
    EXPECT_GT(row.at("ms").get<double>(), 0) << row;
    const bool reference = !row.contains("difference_from_reference");
    references += reference ? 1 : 0;
    EXPECT_LT(row.at("error").get<double>(), reference ? 1e-9 : 6.8e-6) << row;
    if (reference) continue;
    EXPECT_LT(row.at("difference_from_reference").get<double>(), 6.8e-6) << row;
  }
  EXPECT_EQ(references, 3);
}

TEST(Bench, OneOfThePapersAsTableAndAsFile) {
  const std::string file = testing::TempDir() + "larmor_bench.json";
  std::filesystem::remove(file);
  const Outcome outcome =
      recon({"bench", "papers", "--only", "cuspfft", "--size", "quick", "--device", "cpu", "--report", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("scaled down"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("claim:"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("3345^2"), std::string::npos) << outcome.out;
  std::ifstream stream(file);
  const Json result = Json::parse(stream);
  double error = 1;
  for (const Json& row : result.at("entries").at(0).at("rows"))
    if (row.at("method") == "kept") error = row.at("error");
  EXPECT_LT(error, 1e-6);
  // An existing report is kept.
  EXPECT_EQ(recon({"bench", "--only", "cuspfft", "--report", file}).status, 2);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace larmor::test
