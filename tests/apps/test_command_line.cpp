#include <gtest/gtest.h>

#include <larmor/solvers/regularizers/registry.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

#include "apps/recon_process.hpp"

// The command line itself: help, version, misspelt words and hostile values. No scan is read here.

namespace larmor::test {
namespace {

const Words subcommands{"run",     "info",    "simulate", "maps",       "density", "tune",
                        "compare", "convert", "view",     "completion", "manual"};

void expect_one_line(const Outcome& outcome, int status, const std::string& mentions) {
  expect_refused(outcome, status, mentions);
  EXPECT_EQ(outcome.out, "");
}

TEST(CommandLine, HelpGoesToStdoutWithAnExample) {
  const Outcome all = succeed({"--help"});
  EXPECT_EQ(all.err, "");
  EXPECT_NE(all.out.find("Example"), std::string::npos);
  for (const std::string& name : subcommands) {
    EXPECT_NE(all.out.find("\n  " + name + " "), std::string::npos) << name;
    const Outcome one = succeed({name, "--help"});
    EXPECT_EQ(one.err, "") << name;
    EXPECT_NE(one.out.find("recon " + name), std::string::npos) << one.out;
    EXPECT_NE(one.out.find("Example"), std::string::npos) << one.out;
  }
}

TEST(CommandLine, VersionGoesToStdout) {
  const Outcome outcome = succeed({"--version"});
  EXPECT_EQ(outcome.out, "recon " LARMOR_PROJECT_VERSION "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandLine, HelpIsAnotherWordForIt) {
  EXPECT_EQ(recon({"help"}).out, recon({"--help"}).out);
  EXPECT_EQ(recon({"help", "run"}).out, recon({"run", "--help"}).out);
  expect_one_line(recon({"help", "rum"}), 2, "did you mean run?");
}

TEST(CommandLine, HelpFitsAScreenAndSaysADefaultOnce) {
  for (const std::string& name : subcommands) {
    std::istringstream lines(recon({name, "--help-all"}).out);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_LE(columns, 100) << line;
      text += line + " ";
    }
    EXPECT_FALSE(std::regex_search(text, std::regex(R"(\(default[^)]*\)\s+\(default)"))) << name;
  }
}

TEST(CommandLine, HelpOfRunShowsWhatMostPeopleWant) {
  const auto options_in = [](const std::string& help) {
    const std::regex option(R"(\n  (-[a-z],)?--[a-z-]+)");
    return std::distance(std::sregex_iterator(help.begin(), help.end(), option), std::sregex_iterator());
  };
  const std::string help = recon({"run", "--help"}).out, all = recon({"run", "--help-all"}).out;
  EXPECT_LE(options_in(help), 27);
  EXPECT_GT(options_in(all), 2 * options_in(help));
  EXPECT_NE(help.find("recon run --help-all shows"), std::string::npos) << help;
  EXPECT_EQ(help.find("--toeplitz"), std::string::npos);
  EXPECT_NE(all.find("--toeplitz"), std::string::npos);
}

TEST(CommandLine, HelpListsTheTermsAndTheirKeys) {
  const std::string help = recon({"run", "--help-all"}).out;
  for (const RegularizerRow& row : regularizer_table()) {
    EXPECT_NE(help.find(std::string("\n") + row.name + (row.takes_lambda ? ":" : " ")), std::string::npos)
        << row.name;
    for (const RegularizerParameter& parameter : row.parameters)
      EXPECT_NE(help.find(std::string("\n    ") + parameter.key + "="), std::string::npos) << parameter.key;
  }
}

TEST(CommandLine, WrongWordsAreNamedAndGuessed) {
  const std::pair<Words, const char*> cases[] = {
      {{}, "--help"},
      {{"rum"}, "did you mean run?"},
      {{"simulat"}, "did you mean simulate?"},
      {{"server", "--port", "9002"}, "'server' is not a subcommand"},
      {{"--verson"}, "did you mean --version?"},
      {{"run"}, "recon run --help"},
      {{"run", "scan.h5"}, "-o"},
      {{"run", "scan.h5", "-o", "a.nii", "--iteratons", "5"}, "did you mean --iterations?"},
      {{"run", "scan.h5", "-o", "a.nii", "--regulariser=tv:1"}, "did you mean --regularizer?"},
      {{"run", "scan.h5", "another.h5", "-o", "a.nii"}, "another.h5"},
      {{"info", "scan.h5", "line\nbreak"}, "line break"},
      {{"compare", "a.npy"}, "B"},
      // A missing option does not hide a misspelt one.
      {{"run", "scan.h5", "--outptu", "a.nii"}, "did you mean --output?"},
      {{"run", "--iteratons", "5", "scan.h5"}, "did you mean --iterations?"}};
  for (const auto& [words, mention] : cases) expect_one_line(recon(words), 2, mention);
  const Outcome none = recon({"run", "scan.h5", "-o", "a.nii", "--zzzzzz"});
  expect_one_line(none, 2, "recon run has no option --zzzzzz");
  EXPECT_EQ(none.err.find("did you mean"), std::string::npos) << none.err;
}

TEST(CommandLine, ShortOptions) {
  const TemporaryFolder folder;
  const Words command{"simulate", folder / "scan.h5", "--matrix", "16", "-j", "1"};
  succeed(joined(command, {"-q"}));
  expect_one_line(recon(joined(command, {"-q"})), 2, "--overwrite");
  EXPECT_NE(succeed(joined(command, {"-fv"})).err, "");
}

class HostileOptionValue : public testing::TestWithParam<Words> {};

TEST_P(HostileOptionValue, IsOneLineThatNamesTheOption) {
  const std::string option = GetParam()[0];
  expect_one_line(recon(joined({"run", "scan.h5", "-o", "a.nii"}, GetParam())), 2,
                  option.substr(option.find_first_not_of('-')));
}

INSTANTIATE_TEST_SUITE_P(
    Run, HostileOptionValue,
    testing::Values(
        Words{"--window", ""}, Words{"--window", "0"}, Words{"--window", "8,"}, Words{"--window", "-3"},
        Words{"--window", "8,2,1"}, Words{"--window", "many"}, Words{"--bins", ""}, Words{"--basis", ""},
        Words{"--density", ""}, Words{"--dictionary", ""}, Words{"--field-map", ""}, Words{"--matrix", "abc"},
        Words{"--matrix", "0"}, Words{"--matrix", "-4"}, Words{"--matrix", "64x64"},
        Words{"--matrix", "64;64"}, Words{"--matrix", "64,,64"}, Words{"--matrix", "64,"},
        Words{"--matrix", ""}, Words{"--matrix", "65536"}, Words{"--matrix", "99999999999999999999"},
        Words{"--matrix", "64.5"}, Words{"--matrix", "1,2,3,4"}, Words{"--matrix", " 64"},
        Words{"--matrix", "0x40"}, Words{"--fov", "nan"}, Words{"--fov", "inf"}, Words{"--fov", "0"},
        Words{"--fov", "-1"}, Words{"--fov", "1e300"}, Words{"--fov", "240,240,10,1"},
        Words{"--iterations", "0"}, Words{"--iterations", "-3"}, Words{"--iterations", "3.5"},
        Words{"--iterations", "1e3"}, Words{"--iterations", "99999999999999999999999"},
        Words{"--iterations", "nan"}, Words{"--tolerance", "nan"}, Words{"--tolerance", "-1e-3"},
        Words{"--tolerance", "inf"}, Words{"--tolerance", "1e-3x"}, Words{"--tolerance", ""},
        Words{"--nufft-tolerance", "0"}, Words{"--nufft-tolerance", "-1"}, Words{"--nufft-tolerance", "2"},
        Words{"--nufft-tolerance", "nan"}, Words{"--regularizer", ""}, Words{"--regularizer", "l2"},
        Words{"--regularizer", "l2:"}, Words{"--regularizer", "l2:nan"}, Words{"--regularizer", "l2:-1"},
        Words{"--regularizer", "l2:inf"}, Words{"--regularizer", "l2:1e-3:levels=3"},
        Words{"--regularizer", "l2=1e-3"}, Words{"--regularizer", "ridge:1e-3"},
        Words{"--regularizer", "wavelet:1e-3:levels=many"}, Words{"--regularizer", "tv:-1e-3"},
        Words{"--regularizer", "none:1"}, Words{"--solver", "magic"}, Words{"--solver", ""},
        Words{"--calibrate", "guess"}, Words{"--combine", "sos"}, Words{"--density", "maybe"},
        Words{"--density", ""}, Words{"--toeplitz", "yes"}, Words{"--precision", "half"},
        Words{"--coils", "0"}, Words{"--coils", "-1"}, Words{"--coils", "two"}, Words{"--coils", "70000"},
        Words{"--device", ""}, Words{"--device", "tpu"}, Words{"--device", "cuda:-1"},
        Words{"--device", "cuda:x"}, Words{"--threads", "0"}, Words{"--threads", "-2"},
        Words{"--threads", "many"}, Words{"--threads", "100000"}, Words{"--memory", "0"},
        Words{"--memory", "-4G"}, Words{"--memory", "lots"}, Words{"--memory", "4X"}, Words{"--memory", ""},
        Words{"--memory", "nan"}, Words{"--slice", "a:b"}, Words{"--slice", "-1"}, Words{"--slice", "3:1"},
        Words{"--slice", ""}, Words{"--slice", "1:2:3"}, Words{"--repetition", "x"},
        Words{"--encoding", "-1"}, Words{"--traj-units", "furlongs"}, Words{"--traj-units", ""},
        Words{"--generate", "random"}, Words{"--generate", ""}, Words{"--fov-shift", "maybe"},
        Words{"--solve-fov", "0"}, Words{"--solve-fov", "0.5"}, Words{"--solve-fov", "nan"},
        Words{"--solve-fov", "1000"}, Words{"--maps", ""}, Words{"--trajectory", ""}, Words{"--group", ""},
        Words{"--report", ""}, Words{"-o", ""}));

TEST(CommandLine, HostileSimulations) {
  const TemporaryFolder folder;
  const std::vector<Words> hostile{
      {"--matrix", "0"},          {"--matrix", "1e9"}, {"--coils", "0"},         {"--coils", "100000"},
      {"--noise", "nan"},         {"--noise", "-1"},   {"--seed", "-1"},         {"--seed", "x"},
      {"--trajectory", "zigzag"}, {"--readouts", "0"}, {"--samples", "-5"},      {"--order", "silver"},
      {"--fov", "nan"},           {"--truth", ""},     {"--truth", "truth.txt"}, {"--matrix", "8,8,8"}};
  for (const Words& words : hostile) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    expect_one_line(recon({"simulate", folder / "scan.h5", words[0], words[1]}), 2, words[0].substr(2));
  }
  expect_one_line(recon({"simulate", folder / "scan.txt"}), 2, ".h5");
  expect_one_line(
      recon({"simulate", folder / "scan.h5", "--trajectory", "cartesian", "--matrix", "65535,65535,65535"}),
      4, "memory");
  expect_one_line(recon({"simulate", folder / "scan.h5", "--readouts", "10000000", "--samples", "65535"}), 4,
                  "memory");
  expect_one_line(recon({"simulate", folder / "scan.h5", "--matrix", "16", "--fov", "0.5"}), 3, "metres");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(CommandLine, HostileImagesAreNotCompared) {
  const TemporaryFolder folder;
  write_file(folder / "text.npy", "not an array");
  write_file(folder / "empty.nii", "");
  expect_one_line(recon({"compare", folder / "missing.npy", folder / "text.npy"}), 3, "missing.npy");
  expect_one_line(recon({"compare", folder / "text.npy", folder / "text.npy"}), 3, "text.npy");
  expect_one_line(recon({"compare", folder / "empty.nii", folder / "text.npy"}), 3, "empty.nii");
  expect_one_line(recon({"compare", folder / "image.jpg", folder / "text.npy"}), 2, "image.jpg");
  expect_one_line(recon({"info", folder.path().string()}), 3, folder.path().string());
}

TEST(CommandLine, HostileContradictions) {
  const auto with = [&](const Words& more) { return recon(joined({"run", "scan.h5", "-o", "a.nii"}, more)); };
  expect_one_line(with({"--complex", "--phase"}), 2, "--phase");
  expect_one_line(with({"--noise", "n.h5", "--no-whiten"}), 2, "--no-whiten");
  expect_one_line(with({"--print-config=1"}), 2, "takes no value");
  expect_one_line(with({"--report=", "second.h5"}), 2, "'--report=' has no value");
  expect_one_line(with({"--maps", "m.npy", "--calibrate", "walsh"}), 2, "--calibrate");
  expect_one_line(with({"--solver", "gridding", "--iterations", "3"}), 2, "--iterations");
  expect_one_line(with({"--solver", "gridding", "--regularizer", "l2:1"}), 2, "--regularizer");
  expect_one_line(with({"--solver", "lsmr", "--toeplitz", "on"}), 2, "--toeplitz");
  expect_one_line(with({"--solver", "lsmr", "--regularizer", "tv:1"}), 2, "tv:1");
  expect_one_line(with({"--solver", "cg", "--regularizer", "l1:1"}), 2, "l1:1");
  expect_one_line(with({"--solver", "fista", "--regularizer", "tv:1"}), 2, "use auto, admm or pdhg");
  expect_one_line(with({"--solver", "fista", "--regularizer", "wavelet:1", "--regularizer", "l1:1"}), 2,
                  "l1:1");
}

TEST(CommandLine, CudaWithoutADeviceSaysWhyAndWhatToDo) {
  const Outcome outcome = recon({"run", "scan.h5", "-o", "a.nii", "--device", "cuda"},
                                {.folder = {}, .file_size_limit = 0, .stdout_to = {}, .hide_gpus = true});
  expect_one_line(outcome, 4, "device cuda:0: ");
  EXPECT_NE(outcome.err.find("use the CPU (--device)"), std::string::npos) << outcome.err;
}

TEST(CommandLine, FullStdoutIsReported) {
  const Outcome outcome = recon({"--help"}, {.folder = {}, .file_size_limit = 0, .stdout_to = "/dev/full"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
}

TEST(Readme, ShowsTheProgramThatIsCompiled) {
  const std::string readme = read_file(LARMOR_SOURCE_DIR "/README.md");
  const std::string program = read_file(LARMOR_SOURCE_DIR "/examples/compose.cpp");
  ASSERT_FALSE(program.empty());
  EXPECT_NE(readme.find("```cpp\n" + program + "```\n"), std::string::npos)
      << "README.md and examples/compose.cpp differ";
}

TEST(Readme, PicturesAreThere) {
  const std::string readme = read_file(LARMOR_SOURCE_DIR "/README.md");
  int pictures = 0;
  for (std::size_t at = readme.find("]("); at != std::string::npos; at = readme.find("](", at + 1)) {
    const std::string link = readme.substr(at + 2, readme.find(')', at) - at - 2);
    const std::string target = link.substr(0, link.find('#'));
    if (target.starts_with("http")) continue;
    ++pictures;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(LARMOR_SOURCE_DIR) / target)) << target;
  }
  EXPECT_GT(pictures, 0);
}

}  // namespace
}  // namespace larmor::test
