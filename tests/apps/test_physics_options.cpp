#include "apps/recon_process.hpp"
#include "random_arrays.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

// Series, subspaces and field maps on the command line.

namespace larmor::test {
namespace {

using Json = nlohmann::json;

class PhysicsOptions : public SharedFolder<PhysicsOptions> {
 public:
  static void make_files() {
    succeed({"simulate", at("scan.h5"), "--trajectory", "radial", "--matrix", "24", "--spokes", "40",
             "--coils", "3"});
    write("field.npy", filled({24, 24}, 20.0));
    write("decay.npy", filled({24, 24}, 300.0));
    write("weight.npy", filled({24, 24}, 1.0));
    write("small.npy", filled({12, 24}, 1.0));
    Array<double> dictionary({20, 5});
    for (Index i = 0; i < dictionary.size(); ++i)
      dictionary[i] = std::exp(-static_cast<double>(i % 5 + 1) / static_cast<double>(1 + i / 5));
    write("dictionary.npy", dictionary);
  }

 protected:
  static void write(const std::string& name, const Array<double>& values) {
    write_array<double>(at(name), values.view());
  }
  static Outcome command(const std::string& name, const Words& more) {
    return recon(joined({name, at("scan.h5")}, more));
  }
  static Json info(Words more) {
    more.emplace_back("--json");
    const Outcome outcome = command("info", more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out)["reconstruction"];
  }
};

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
  expect_refused(command("info", {"--window", "41"}), 2, "window");
  expect_refused(command("info", {"--window", "8", "--bins", "b.npy"}), 2, "exclude each other");
}

TEST_F(PhysicsOptions, ADictionaryMakesTheBasis) {
  const Outcome outcome =
      command("run", {"-o", at("coefficients.npy"), "--complex", "--window", "8", "--iterations", "5",
                      "--dictionary", at("dictionary.npy"), "--coefficients", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_array(at("coefficients.npy")).shape(), (Shape{3, 24, 24}));
  const auto with = [&](const Words& more) {
    return joined({"-o", at("x.npy"), "--window", "8", "--dictionary", at("dictionary.npy")}, more);
  };
  expect_refused(command("run", with({})), 2, "--dictionary needs --coefficients");
  expect_refused(command("run", with({"--coefficients", "6"})), 2, "6");
  expect_refused(command("run", with({"--coefficients", "2", "--basis", "b.npy"})), 2, "exclude each other");
  expect_refused(command("run", {"-o", at("x.npy"), "--coefficients", "2"}), 2,
                 "--coefficients needs --dictionary");
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
  EXPECT_GT(relative_difference(decayed, plain), 1e-3);
  EXPECT_LT(relative_difference(weighted, plain), 1e-3);
  expect_refused(command("run", {"-o", at("x.npy"), "--r2star", at("decay.npy")}), 2,
                 "--r2star needs --field-map");
  expect_refused(command("run", {"-o", at("x.npy"), "--field-weight", at("weight.npy")}), 2,
                 "--field-weight needs");
  const Outcome wrong = command(
      "run", {"-o", at("x.npy"), "--quiet", "--field-map", at("field.npy"), "--r2star", at("small.npy")});
  expect_refused(wrong, 3, "R2* map of shape [12, 24]");
}

TEST_F(PhysicsOptions, NumbersThatCannotBeMeantAreNamed) {
  struct Given {
    std::string option;
    Shape shape;
    double sound;
    Words more;
    std::string name;
  };
  const Words framed{"--window", "8"};
  const std::vector<Given> all{
      {"--field-map", {24, 24}, 20, {}, "field map"},
      {"--r2star", {24, 24}, 20, {"--field-map", at("field.npy")}, "R2* map"},
      {"--field-weight", {24, 24}, 1, {"--field-map", at("field.npy")}, "weight of the field map"},
      {"--maps", {3, 24, 24}, 1, {}, "coil maps"},
      {"--density", {40 * 48}, 1e-3, {"--solver", "gridding"}, "density weight"},
      {"--trajectory", {40, 48, 2}, 0.25, {"--traj-units", "normalised"}, "trajectory"},
      {"--gradient-response", {2, 9}, 1, {}, "response"},
      {"--basis", {5, 1}, 1, framed, "basis"},
      {"--dictionary", {20, 5}, 1, {"--window", "8", "--coefficients", "1"}, "dictionary"},
      {"--bins", {40}, 0, {}, "bin of readout"},
  };
  for (const Given& given : all)
    for (const double value : {std::nan(""), static_cast<double>(HUGE_VALF), 3e38}) {
      Array<double> numbers = filled(given.shape, given.sound);
      for (Index i = 0; given.option == "--gradient-response" && i < 9; ++i)
        numbers[i] = static_cast<double>(i - 4) * 1e4;
      // An element that affects the image.
      numbers[numbers.size() - (given.shape[given.shape.rank() - 1] == 24 ? 24 * 12 + 12 : 1)] = value;
      write_array<double>(at("given.npy"), numbers.view(), true);
      SCOPED_TRACE(given.option + " " + std::to_string(value));
      expect_refused(
          command("run", joined({"-o", at("x.npy"), given.option, at("given.npy"), "-q"}, given.more)), 3,
          given.name);
    }
}

TEST_F(PhysicsOptions, TheFileOfFlipAnglesIsAnInput) {
  const std::string flips = at("flips-T1.npy"), model = "fisp:TI=10:TR=5:flips=" + flips;
  write("flips-T1.npy", filled({5}, 10.0));
  const std::string before = read_file(flips);
  for (const Words& words :
       {Words{"match", at("field.npy"), "-o", at("flips.npy"), "--dictionary", model},
        {"run", at("scan.h5"), "-o", flips, "--window", "8", "--coefficients", "2", "--dictionary", model},
        {"simulate", at("other.h5"), "--truth", flips, "--signal", model}}) {
    expect_refused(recon(joined(words, {"-f", "-q"})), 2, "is the input");
    EXPECT_EQ(read_file(flips), before);
  }
}

TEST_F(PhysicsOptions, PhaseConstraint) {
  succeed({"simulate", at("half.h5"), "--matrix", "48", "--coils", "4", "--partial-fourier", "0.6", "--phase",
           "1", "--trajectory", "cartesian", "--truth", at("half_truth.npy")});
  std::vector<double> errors;
  std::vector<bool> on;
  for (const std::string constraint : {"off", "on", "auto"}) {
    succeed({"run", at("half.h5"), "-o", at("half.npy"), "-f", "--complex", "--phase-constraint", constraint,
             "--report", at("half.json")});
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
  expect_refused(command("run", {"-o", at("no.npy"), "--phase-constraint", "on", "--solver", "gridding"}), 2,
                 "a phase constraint needs an iterative solver, but gridding does not iterate");
  expect_refused(command("run", {"-o", at("no.npy"), "--phase-constraint", "perhaps"}), 2, "perhaps");
}

TEST_F(PhysicsOptions, MatchWritesAMapForEachParameter) {
  const std::string model = "spin-echo:TE=20:echoes=5";
  succeed({"simulate", at("tubes.h5"), "--matrix", "24", "--spokes", "40", "--coils", "3", "--signal", model,
           "--truth", at("echoes.npy")});
  succeed({"run", at("tubes.h5"), "-o", at("c.nii.gz"), "--complex", "--dictionary", model, "--coefficients",
           "2"});
  succeed({"match", at("c.nii.gz"), "-o", at("map.nii.gz"), "--dictionary", model, "--coefficients", "2"});
  succeed({"match", at("echoes.npy"), "-o", at("echoes.npy"), "--dictionary", model});
  EXPECT_EQ(read_array<double>(at("map-T2.nii.gz")).size(), 24 * 24);
  EXPECT_EQ(read_array<double>(at("echoes-PD.npy")).size(), 24 * 24);
  const auto refused = [&](const Words& more) {
    const Outcome outcome = recon(joined({"match", at("c.nii.gz"), "-o", at("other.nii.gz")}, more));
    EXPECT_NE(outcome.status, 0);
    return outcome.err;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refused({"--dictionary", model}), "2 images to match"));
  EXPECT_TRUE(has(refused({"--dictionary", "spin-echo:TE=20"}), "spin-echo needs echoes"));
  EXPECT_TRUE(has(refused({"--dictionary", at("dictionary.npy"), "--coefficients", "2"}), "give --values"));
  succeed(
      {"run", at("tubes.h5"), "-o", at("magnitude.nii.gz"), "--dictionary", model, "--coefficients", "2"});
  EXPECT_TRUE(has(recon({"match", at("magnitude.nii.gz"), "-o", at("other.nii.gz"), "--dictionary", model,
                         "--coefficients", "2"})
                      .err,
                  "write them by recon run --complex"));
}

}  // namespace
}  // namespace larmor::test
