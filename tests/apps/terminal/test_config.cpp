#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

// Options from files, repeated options, results as JSON.

namespace larmor::test {
namespace {

class Configuration : public testing::Test {
 protected:
  void SetUp() override { succeed({"simulate", at("scan.h5"), "--matrix", "24", "--coils", "2", "-q"}); }
  void write(const std::string& text) { write_file(at("larmor.toml"), text); }
  nlohmann::json run(const Words& more) {
    const Outcome outcome =
        succeed(joined({"run", at("scan.h5"), "-o", at("image.npy"), "-f", "-q", "--json"}, more));
    return outcome.status == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  std::string wrong(const std::string& text) {
    write(text);
    const Outcome outcome =
        recon({"run", at("scan.h5"), "-o", at("image.npy"), "-f", "--config", at("larmor.toml")});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    return outcome.err;
  }

  TemporaryFolder folder_;
};

TEST_F(Configuration, GivesDefaultsThatTheLineOverrules) {
  write(
      "# of our site\nthreads = 1\ncolumns = 40 # for view alone\n[run]\niterations = 3\nregularizer = "
      "[\"l2:1e-3\"]\n"
      "deterministic = true\n[maps]\nsets = 2\n");
  const nlohmann::json told = run({"--config", at("larmor.toml")});
  EXPECT_EQ(told["threads"], 1);
  EXPECT_EQ(told["images"][0]["iterations"].size(), 3U);
  EXPECT_EQ(told["regularizer"], "l2:0.001");
  const nlohmann::json overruled =
      run({"--config=" + at("larmor.toml"), "--iterations", "2", "--regularizer", "l2:1e-2"});
  EXPECT_EQ(overruled["images"][0]["iterations"].size(), 2U);
  EXPECT_EQ(overruled["regularizer"], "l2:0.01");
  setenv("LARMOR_CONFIG", at("larmor.toml").c_str(), 1);
  const nlohmann::json by_environment = run({});
  unsetenv("LARMOR_CONFIG");
  EXPECT_EQ(by_environment["regularizer"], "l2:0.001");
}

TEST_F(Configuration, OfRepeatableOptionsThoseOfTheLineCountHoweverTheyAreSpelt) {
  write("output = [\"" + at("site.npy") + "\"]\niterations = 2\nregularizer = [\"none\"]\n");
  for (const Words& line : {std::vector{"-o" + at("a.npy")}, std::vector{std::string("-o"), at("b.npy")},
                            std::vector{"--output=" + at("c.npy")}}) {
    succeed(joined({"run", at("scan.h5"), "--config", at("larmor.toml"), "-q"}, line));
    EXPECT_FALSE(std::filesystem::exists(at("site.npy"))) << line.front();
  }
  succeed({"run", at("scan.h5"), "--config", at("larmor.toml"), "-q"});
  EXPECT_TRUE(std::filesystem::exists(at("site.npy")));
}

TEST_F(Configuration, FilesThatSayNoSizeAreReadToTheirEnd) {
  const auto with = [&](const std::string& file) {
    const Outcome outcome = recon({"info", at("scan.h5"), "--config", file});
    EXPECT_EQ(outcome.status, 3) << file << ": " << outcome.err;
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(with("/proc/self/mem").find("cannot read /proc/self/mem"), std::string::npos);
  EXPECT_NE(with("/proc/self/status").find("/proc/self/status: "), std::string::npos);
}

TEST_F(Configuration, IsPrintedAsAFileThatCanBeRead) {
  const Outcome printed = succeed({"run", "--print-config", "--iterations", "4", "--regularizer", "l2:1e-3",
                                   "--regularizer", "tv:1e-4", "--deterministic"});
  EXPECT_NE(printed.out.find("[run]"), std::string::npos);
  EXPECT_NE(printed.out.find("regularizer = [\"l2:1e-3\", \"tv:1e-4\"]"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("\n# tolerance = "), std::string::npos)
      << "what is not given stands there as well";
  write(printed.out);
  const Outcome again = recon({"run", "--print-config", "--config", at("larmor.toml")});
  EXPECT_EQ(again.out, printed.out) << again.err;
}

TEST_F(Configuration, IsTomlToPythonAndResultsAreJson) {
  if (std::system("python3 -c 'import tomllib' 2>/dev/null") != 0) GTEST_SKIP() << "python3 has no tomllib";
  const auto python = [&](const std::string& program) {
    return std::system(("python3 -c \"" + program + "\" " + at("printed")).c_str());
  };
  const Words commands{"run", "info", "simulate", "maps",    "density",
                       "psf", "tune", "view",     "compare", "convert"};
  for (const std::string& command : commands) {
    Words words{command, "--print-config"};
    if (command == "run") words.insert(words.end(), {"--regularizer", "l2:1e-3", "--threads", "2"});
    write_file(at("printed"), recon(words).out);
    EXPECT_EQ(python("import sys, tomllib; t = tomllib.load(open(sys.argv[1], 'rb')); assert '" + command +
                     "' in t" + (command == "run" ? "; assert t['run']['threads'] == 2" : "")),
              0)
        << command;
  }
  write_file(at("printed"), recon({"info", at("scan.h5"), "--json"}).out);
  EXPECT_EQ(python("import json, sys; assert json.load(open(sys.argv[1]))['reconstruction']"), 0);
}

TEST_F(Configuration, SaysWhatIsWrong) {
  EXPECT_NE(wrong("iteratons = 3\n").find("no command has an option 'iteratons'; did you mean iterations?"),
            std::string::npos);
  EXPECT_NE(wrong("[run]\nspokes = 3\n").find("recon run has no option 'spokes' (see"), std::string::npos);
  EXPECT_NE(wrong("[walk]\nthreads = 3\n").find("section 'walk' is not the name of a command"),
            std::string::npos);
  EXPECT_NE(wrong("deterministic = \"often\"\n").find("expected true or false"), std::string::npos);
  EXPECT_NE(wrong("iterations = [3, 4]\n").find("expected one"), std::string::npos);
  EXPECT_NE(wrong("report =\n").find("report has no value"), std::string::npos);
  EXPECT_NE(wrong(std::string("fov = 2\0", 8)).find("'2\\x00' of fov holds a control character"),
            std::string::npos);
  expect_refused(recon({"run", at("scan.h5"), "-o", at("image.npy"), "--config", at("no.toml")}), 3,
                 "No such file");
}

TEST_F(Configuration, OfRepeatedOptionsTheLastCounts) {
  EXPECT_EQ(
      run({"--iterations", "5", "--iterations", "2", "--regularizer", "l2:1e-3"})["images"][0]["iterations"]
          .size(),
      2U);
}

TEST_F(Configuration, EveryCommandSaysWhatItDidAsJson) {
  const auto outputs = [&](const Words& words) {
    const Outcome outcome = succeed(words);
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["command"][1], words[0]);
    return json["outputs"].get<Words>();
  };
  EXPECT_EQ(outputs({"simulate", at("b.h5"), "--matrix", "16", "--truth", at("t.npy"), "--json"}),
            (std::vector{at("b.h5"), at("t.npy")}));
  EXPECT_EQ(outputs({"maps", at("scan.h5"), "-o", at("m.npy"), "--json"}), std::vector{at("m.npy")});
  EXPECT_EQ(outputs({"density", at("scan.h5"), "-o", at("w.npy"), "--json"}), std::vector{at("w.npy")});
  EXPECT_EQ(outputs({"convert", at("t.npy"), "-o", at("t.nii"), "--json"}), std::vector{at("t.nii")});
  const auto view = nlohmann::json::parse(recon({"view", at("t.npy"), "--json"}).out);
  EXPECT_EQ(view["columns"], 16);
  const auto tuned = nlohmann::json::parse(
      recon({"tune", at("scan.h5"), "--level", "estimate", "--wisdom", at("wisdom"), "--json"}).out);
  EXPECT_TRUE(tuned["chosen"].contains("width"));
}

TEST_F(Configuration, ATrajectoryMayBeAPulseqSequence) {
  // Eight spokes of a scan, as a Pulseq sequence of trapezoids that samples them.
  const std::string source = LARMOR_SOURCE_DIR "/tests/fuzz/corpus/pulseq/radial1.4.seq";
  succeed({"simulate", at("r.h5"), "--matrix", "32", "--spokes", "8", "--samples", "64", "--coils", "2", "-f",
           "-q", "--noise", "0"});
  const Outcome outcome = succeed(
      {"run", at("r.h5"), "-o", at("image.npy"), "--trajectory", source, "-f", "-v", "--iterations", "2"});
  EXPECT_NE(outcome.err.find("trajectory units: 1/m"), std::string::npos) << outcome.err;

  // The sequence or an option must give the field of view.
  expect_refused(recon({"psf", source, "--matrix", "32"}), 3, "does not give the field of view (--fov)");
  const Outcome told = succeed({"psf", source, "--matrix", "32", "--fov", "240", "--json"});
  std::string text = read_file(source);
  text.insert(text.find("[DEFINITIONS]\n") + 14, "FOV 0.24 0.24 0.005\n");
  std::ofstream(at("told.seq")) << text;
  EXPECT_EQ(recon({"psf", at("told.seq"), "--matrix", "32", "--json"}).out, told.out);
  for (const Words& words :
       {Words{"info", at("told.seq"), "--matrix", "32"},
        Words{"density", at("told.seq"), "--matrix", "32", "-o", at("w.npy"), "-f"},
        Words{"tune", at("told.seq"), "--matrix", "32", "--level", "estimate", "--wisdom", at("wisdom")}})
    EXPECT_EQ(recon(words).status, 0) << words[0];
}

TEST_F(Configuration, HoldsNoLineBreaks) {
  const Outcome outcome = recon({"run", at("scan.h5"), "-o", at("a\nthreads = 7\n.npy"), "--print-config"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
}

TEST_F(Configuration, AndNamesOfAnyLettersAreAsciiInJson) {
  const std::string name = "a\u202egpj.npy";  // the characters after it would be displayed from right to left
  const Outcome outcome =
      succeed({"run", at("scan.h5"), "-o", at(name), "-q", "--json", "--iterations", "2"});
  EXPECT_TRUE(std::all_of(outcome.out.begin(), outcome.out.end(), [](char c) { return c >= 0; }));
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["outputs"][0], at(name));
}

TEST_F(Configuration, IsAnInputThatNoOutputReplaces) {
  write("threads = 1\n");
  const std::string text = read_file(at("larmor.toml"));
  const auto refused = [&](Words words) {
    expect_refused(recon(words), 2, "is the input " + at("larmor.toml"));
    EXPECT_EQ(read_file(at("larmor.toml")), text);
  };
  for (const std::string option : {"--report", "--trace"})
    refused({"run", at("scan.h5"), "-o", at("o.nii"), "-f", "--config", at("larmor.toml"), option,
             at("larmor.toml")});
  std::filesystem::create_symlink(at("larmor.toml"), at("link.h5"));
  refused({"simulate", at("link.h5"), "-f", "--config=" + at("larmor.toml")});
  setenv("LARMOR_CONFIG", at("larmor.toml").c_str(), 1);
  refused({"run", at("scan.h5"), "-o", at("o.nii"), "-f", "--trace", at("larmor.toml")});
  unsetenv("LARMOR_CONFIG");
}

}  // namespace
}  // namespace larmor::test
