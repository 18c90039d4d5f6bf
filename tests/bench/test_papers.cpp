#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

// larmor-bench: its problems are solved correctly, regardless of their times.

namespace larmor::test {
namespace {

using Json = nlohmann::json;

Outcome bench(const std::vector<std::string>& words) {
  Conditions conditions;
  conditions.program = LARMOR_BENCH;
  return recon(words, conditions);
}

TEST(Bench, LinesAgreeWithExactSumsAndTheReference) {
  const Outcome outcome = bench({"1d", "--size", "quick", "--json"});
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

TEST(Bench, OneOfThePapersAsTableAndAsJson) {
  const Outcome table = bench({"papers", "--only", "cuspfft", "--size", "quick"});
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("scaled down"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("claim:"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("3345^2"), std::string::npos) << table.out;
  const Outcome outcome = bench({"papers", "--only", "cuspfft", "--size", "quick", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  double error = 1;
  for (const Json& row : result.at("entries").at(0).at("rows"))
    if (row.at("method") == "kept") error = row.at("error");
  EXPECT_LT(error, 1e-6);
}

TEST(Bench, RefusesPapersThatAreNotKnown) {
  const Outcome outcome = bench({"--only", "bart"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("cuspfft"), std::string::npos) << outcome.err;
  EXPECT_EQ(bench({"1d", "--only", "gnufftw"}).status, 2);
}

}  // namespace
}  // namespace larmor::test
