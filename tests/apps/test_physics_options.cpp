#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

// Series, subspaces and field maps on the command line.

namespace larmor::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class PhysicsOptions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const Outcome outcome = recon({"simulate", at("scan.h5"), "--trajectory", "radial", "--matrix", "24",
                                   "--spokes", "40", "--coils", "3"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    write("field.npy", filled({24, 24}, 20.0));
    write("decay.npy", filled({24, 24}, 30.0));
    write("weight.npy", filled({24, 24}, 1.0));
    write("small.npy", filled({12, 24}, 1.0));
    Array<double> dictionary({20, 5});
    for (Index i = 0; i < dictionary.size(); ++i)
      dictionary[i] = std::exp(-static_cast<double>(i % 5 + 1) / static_cast<double>(1 + i / 5));
    write("dictionary.npy", dictionary);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string at(const std::string& name) { return *folder_ / name; }
  static void write(const std::string& name, const Array<double>& values) {
    write_array<double>(at(name), values.view());
  }
  static Outcome command(const std::string& name, const Words& more) {
    Words words{name, at("scan.h5")};
    words.insert(words.end(), more.begin(), more.end());
    return recon(words);
  }
  static Json info(Words more) {
    more.emplace_back("--json");
    const Outcome outcome = command("info", more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out)["reconstruction"];
  }
  static void expect_refused(const std::string& name, const Words& more, int status,
                             const std::string& mentions) {
    const Outcome outcome = command(name, more);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(mentions), std::string::npos) << outcome.err;
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* PhysicsOptions::folder_ = nullptr;

TEST_F(PhysicsOptions, InfoKnowsSeries) {
  const Json single = info({});
  EXPECT_TRUE(single["series"].is_null());
  const Json series = info({"--window", "8"});
  EXPECT_EQ(series["series"]["series"], 1);
  EXPECT_EQ(series["series"]["frames"], 5);
  EXPECT_EQ(series["series"]["coefficients"], 0);
  EXPECT_GT(series["memory_items"]["samples"], single["memory_items"]["samples"]);
  EXPECT_EQ(info({"--window", "16"})["series"]["unused_readouts"], 8);
  const Json subspace = info({"--window", "8", "--dictionary", at("dictionary.npy"), "--coefficients", "2"});
  EXPECT_EQ(subspace["series"]["coefficients"], 2);
  EXPECT_TRUE(info({"--field-map", at("field.npy")})["series"].is_null())
      << "images are solved for one by one";
  const Outcome table = command("info", {"--window", "8"});
  EXPECT_NE(table.out.find("frames"), std::string::npos) << table.out;
  expect_refused("info", {"--window", "41"}, 2, "window");
  expect_refused("info", {"--window", "8", "--bins", "b.npy"}, 2, "exclude each other");
}

TEST_F(PhysicsOptions, ADictionaryMakesTheBasis) {
  const Outcome outcome =
      command("run", {"-o", at("coefficients.npy"), "--complex", "--window", "8", "--iterations", "5",
                      "--dictionary", at("dictionary.npy"), "--coefficients", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_array(at("coefficients.npy")).shape(), (Shape{3, 24, 24}));
  const Words run{"-o", at("x.npy"), "--window", "8", "--dictionary", at("dictionary.npy")};
  const auto with = [&](Words more) {
    more.insert(more.begin(), run.begin(), run.end());
    return more;
  };
  expect_refused("run", with({}), 2, "--dictionary needs --coefficients");
  expect_refused("run", with({"--coefficients", "6"}), 2, "6");
  expect_refused("run", with({"--coefficients", "2", "--basis", "b.npy"}), 2, "exclude each other");
  expect_refused("run", {"-o", at("x.npy"), "--coefficients", "2"}, 2, "--coefficients needs --dictionary");
  // Five time points in the dictionary, four frames.
  const Outcome frames = command("run", {"-o", at("x.npy"), "--window", "10", "--dictionary",
                                         at("dictionary.npy"), "--coefficients", "2"});
  EXPECT_EQ(frames.status, 3) << frames.err;
}

TEST_F(PhysicsOptions, DecayAndWeightGoWithAFieldMap) {
  const auto run = [&](const std::string& name, Words more) {
    for (const char* word : {"-o", "", "--complex", "--iterations", "8", "--overwrite"})
      more.emplace_back(word);
    more[more.size() - 5] = at(name);
    const Outcome outcome = command("run", more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_array(at(name));
  };
  const auto plain = run("plain.npy", {"--field-map", at("field.npy")});
  const auto decayed = run("decayed.npy", {"--field-map", at("field.npy"), "--r2star", at("decay.npy")});
  const auto weighted =
      run("weighted.npy", {"--field-map", at("field.npy"), "--field-weight", at("weight.npy")});
  double change = 0, same = 0, norm = 0;
  for (Index i = 0; i < plain.size(); ++i) {
    change += std::norm(decayed[i] - plain[i]);
    same += std::norm(weighted[i] - plain[i]);
    norm += std::norm(plain[i]);
  }
  EXPECT_GT(change, 1e-6 * norm);
  EXPECT_LT(same, 1e-6 * norm);
  expect_refused("run", {"-o", at("x.npy"), "--r2star", at("decay.npy")}, 2, "--r2star needs --field-map");
  expect_refused("run", {"-o", at("x.npy"), "--field-weight", at("weight.npy")}, 2, "--field-weight needs");
  const Outcome wrong = command(
      "run", {"-o", at("x.npy"), "--quiet", "--field-map", at("field.npy"), "--r2star", at("small.npy")});
  EXPECT_EQ(wrong.status, 3);
  EXPECT_NE(wrong.err.find("R2* map of shape [12, 24]"), std::string::npos) << wrong.err;
}

TEST_F(PhysicsOptions, PhaseConstraint) {
  const Outcome simulated =
      recon({"simulate", at("half.h5"), "--matrix", "48", "--coils", "4", "--partial-fourier", "0.6",
             "--phase", "1", "--trajectory", "cartesian", "--truth", at("half_truth.npy")});
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  std::vector<double> errors;
  std::vector<bool> on;
  for (const std::string constraint : {"off", "on", "auto"}) {
    const Outcome outcome = recon({"run", at("half.h5"), "-o", at("half.npy"), "-f", "--complex",
                                   "--phase-constraint", constraint, "--report", at("half.json")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json points = Json::parse(read_file(at("half.json")))["images"][0]["phase_constraint_points"];
    on.push_back(!points.is_null());
    const Outcome compared =
        recon({"compare", at("half.npy"), at("half_truth.npy"), "--magnitude", "--json"});
    errors.push_back(Json::parse(compared.out)["nrmse"]);
  }
  EXPECT_LT(errors[1], 0.65 * errors[0]);
  EXPECT_FALSE(on[0]);
  EXPECT_TRUE(on[1]);
  EXPECT_EQ(errors[2], errors[on[2] ? 1 : 0]);
  expect_refused("run", {"-o", at("no.npy"), "--phase-constraint", "on", "--solver", "gridding"}, 2,
                 "a phase constraint needs a solver, which gridding is not");
  expect_refused("run", {"-o", at("no.npy"), "--phase-constraint", "perhaps"}, 2, "perhaps");
}

}  // namespace
}  // namespace larmor::test
