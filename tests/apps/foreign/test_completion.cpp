#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "apps/recon_process.hpp"
#include "foreign_program.hpp"

// Output of recon that is made for other programs, checked with these: shells and man.

namespace larmor::test {
namespace {

/// Output and status of a shell command.
Outcome shell(const std::string& command) {
  Outcome outcome;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char part[4096];
  for (std::size_t read = 0; (read = std::fread(part, 1, sizeof part, pipe)) > 0;)
    outcome.out.append(part, read);
  outcome.status = ::pclose(pipe);
  return outcome;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, line.find('\t')));
  return lines;
}

/// Writes the output of `recon ARGUMENTS` to a file.
std::string printed(const TemporaryFolder& folder, const Words& arguments) {
  const Outcome outcome = succeed(arguments);
  const std::string file = folder / "printed";
  write_file(file, outcome.out);
  return file;
}

using testing::AssertionResult;

AssertionResult has(const Words& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) != lines.end()) return testing::AssertionSuccess();
  AssertionResult failure = testing::AssertionFailure() << "no " << line << " in";
  for (const std::string& other : lines) failure << " " << other;
  return failure;
}

TEST(Completion, Bash) {
  const TemporaryFolder folder;
  const std::string script = printed(folder, {"completion", "bash"});
  const auto completed = [&](const std::string& words, int at) {
    return lines_of(shell("bash -c 'source " + script + "; compopt() { :; }; COMP_WORDS=(" + words +
                          "); COMP_CWORD=" + std::to_string(at) +
                          "; _recon; printf \"%s\\n\" \"${COMPREPLY[@]}\"'")
                        .out);
  };
  EXPECT_TRUE(has(completed("recon si", 1), "simulate"));
  EXPECT_TRUE(has(completed("recon run --solver a", 3), "admm"));
  EXPECT_TRUE(has(completed("recon run --regularizer wa", 3), "wavelet:"));
  EXPECT_TRUE(has(completed("recon run --device c", 3), "cuda"));
  EXPECT_TRUE(has(completed("recon run --over", 2), "--overwrite"));
  EXPECT_EQ(completed("recon run --solver ad", 3), Words{"admm"});
}

TEST(Completion, Fish) {
  LARMOR_NEEDS_PROGRAM("fish");
  const TemporaryFolder folder;
  const std::string script = printed(folder, {"completion", "fish"});
  const auto completed = [&](const std::string& line) {
    return lines_of(shell("HOME=" + folder.path().string() + " fish --no-config -c 'source " + script +
                          "; complete -C \"" + line + "\"'")
                        .out);
  };
  EXPECT_TRUE(has(completed("recon si"), "simulate"));
  EXPECT_TRUE(has(completed("recon run --solver a"), "admm"));
  EXPECT_TRUE(has(completed("recon run --regularizer wa"), "wavelet:"));
  EXPECT_TRUE(has(completed("recon run --over"), "--overwrite"));
  EXPECT_TRUE(has(completed("recon run --report " + (folder / "pri")), folder / "printed"));
}

// zsh's completion functions need a terminal: they are replaced by functions that print their arguments.
TEST(Completion, Zsh) {
  LARMOR_NEEDS_PROGRAM("zsh");
  const TemporaryFolder folder;
  const std::string script = printed(folder, {"completion", "zsh"});
  const auto given = [&](const std::string& words, int at) {
    const Outcome outcome = shell(
        "zsh -f -c '_arguments() { print -rl -- \"$@\"; }; _describe() { print -rl -- \"${commands[@]}\"; }; "
        "words=(" +
        words + "); CURRENT=" + std::to_string(at) + "; source " + script + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return lines_of(outcome.out);
  };
  EXPECT_TRUE(has(given("recon", 2), "simulate:Simulate a scan of a head phantom"));
  const auto run = given("recon run", 3);
  EXPECT_TRUE(
      has(run, "--toeplitz[Toeplitz form of the normal operator (default auto)]:value:(auto on off)"));
  EXPECT_TRUE(has(run, "(-f --overwrite)--overwrite[replace outputs that exist]"));
  EXPECT_TRUE(has(
      run,
      "--field-weight[reliability of the field map, of the same shape: 0 outside the object]:value:_files"));
  EXPECT_TRUE(has(run, "*:SCAN:_files"));
}

TEST(Manual, HasNoMistakesAndEveryOption) {
  LARMOR_NEEDS_PROGRAM("groff");
  const TemporaryFolder folder;
  const std::string page = printed(folder, {"manual"});
  Outcome shown = shell("groff -K utf8 -man -T utf8 -P-c -ww -rLL=300n " + page);
  EXPECT_EQ(shown.status, 0) << shown.out;
  EXPECT_EQ(shown.out.find(": warning: "), std::string::npos) << shown.out.substr(0, 2000);
  // Bold and underlined letters are printed as overstrikes.
  for (std::size_t at = 0; (at = shown.out.find('\b', at)) != std::string::npos; --at)
    shown.out.erase(at - 1, 2);
  for (const char* text :
       {"--regularizer", "--field-weight", "recon simulate [OPTIONS] OUT", "tgv:LAMBDA",
        "recon run scan.h5 -o image.nii.gz", "LARMOR_CONVERTER_OPTIONS", "$XDG_CACHE_HOME/larmor"})
    EXPECT_NE(shown.out.find(text), std::string::npos) << text;
}

}  // namespace
}  // namespace larmor::test
