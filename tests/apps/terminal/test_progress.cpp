#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <larmor/apps/output/console.hpp>
#include <larmor/io/formats.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

// Progress output of long work.

namespace larmor::test {
namespace {

using app::Progress;
using app::progress_line;

TEST(ProgressLine, TellsWhatIsDoneAndHowLongItWillTake) {
  Progress progress{"iterate", 9, {}, "cg", 5, 20, 4, "gradient 1e-3"};
  EXPECT_EQ(progress_line(progress, 200),
            "iterate   [######..................] cg 5/20 gradient 1e-3, about 12 s left");
  EXPECT_EQ(progress_line(progress, 20).size(), 20U);
  progress.done = 20;
  EXPECT_EQ(progress_line(progress, 200), "iterate   [########################] cg 20/20 gradient 1e-3");
}

TEST(ProgressLine, OfAStageWithoutStepsGoesByWhatWasExpected) {
  Progress progress{"calibrate", 5, 10.0, "", 0, 0, 0, ""};
  EXPECT_EQ(progress_line(progress, 200), "calibrate [############............] 5 s, about 5 s left");
  progress.elapsed = 30;  // longer than expected: must not be displayed as complete
  EXPECT_EQ(progress_line(progress, 200), "calibrate [#######################.] 30 s, time left unknown");
  progress.expected.reset();
  EXPECT_EQ(progress_line(progress, 200), "calibrate [........................] 30 s, time left unknown");
}

/// Output of a command on a terminal: stderr only, or everything.
std::string on_a_terminal(const Words& words, bool all = false) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "";
  const std::string name = ptsname(terminal);
  const pid_t child = fork();
  if (child == 0) {
    const int end = open(name.c_str(), O_RDWR | O_NOCTTY);
    dup2(end, STDERR_FILENO);
    if (all) dup2(end, STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  std::string text;
  std::array<char, 4096> buffer{};
  // Reading from a terminal whose other end is closed fails.
  const auto take = [&] {
    const ssize_t got = read(terminal, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  while (take()) {
  }
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  return text;
}

TEST(ProgressBar, IsOnATerminalAloneAndNamesTheStage) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5", image = folder / "image.npy";
  succeed({"simulate", scan, "--matrix", "64", "--coils", "4", "-q"});
  const std::string shown = on_a_terminal(
      {LARMOR_RECON, "run", scan, "-o", image, "--regularizer", "wavelet:1e-3", "--iterations", "400"});
  ASSERT_FALSE(shown.empty());
  // Calibration also runs conjugate gradients: its stage must be displayed first.
  const std::size_t calibrate = shown.find("\rcalibrate "), iterate = shown.find("\riterate ");
  ASSERT_NE(calibrate, std::string::npos) << shown;
  ASSERT_NE(iterate, std::string::npos) << shown;
  EXPECT_LT(calibrate, iterate);
  EXPECT_NE(shown.find("cg ", calibrate), std::string::npos);
  const std::string last = shown.substr(shown.find_last_of("\r", shown.size() - 3) + 1);
  EXPECT_EQ(last.find('['), std::string::npos) << "the bar is gone in the end: " << last;
  EXPECT_EQ(shown.find('\033'), std::string::npos) << "the bar needs no escape codes";
  const Outcome piped = recon({"run", scan, "-o", image, "-f"});
  EXPECT_EQ(piped.err.find('\r'), std::string::npos);
  EXPECT_EQ(piped.err.find("[#"), std::string::npos);
}

TEST(ProgressBar, IsTakenAwayForWhatIsPrinted) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5";
  succeed({"simulate", scan, "--matrix", "32", "--coils", "2", "-q"});
  const std::string shown =
      on_a_terminal({LARMOR_RECON, "tune", scan, "--level", "measure", "--wisdom", folder / "wisdom"}, true);
  const std::size_t table = shown.find("device  ");
  ASSERT_NE(table, std::string::npos) << shown;
  EXPECT_NE(shown.rfind("\rprepare ", table), std::string::npos) << "no bar was there: " << shown;
  EXPECT_EQ(shown.substr(table - 3, 3), "  \r") << "blanks cover it: " << shown;
}

TEST(EscapeCodes, AreForTerminalsWithColoursAlone) {
  const TemporaryFolder folder;
  write_array<float>(folder / "image.npy", Array<float>({2, 2}));
  const auto shown = [&](const std::string& variable) {
    return on_a_terminal({"/usr/bin/env", "TERM=xterm", variable, LARMOR_RECON, "view", folder / "image.npy"},
                         true);
  };
  EXPECT_NE(shown("NO_COLOR=").find("\033["), std::string::npos);
  for (const char* variable : {"NO_COLOR=1", "TERM=dumb"}) {
    const std::string text = shown(variable);
    EXPECT_EQ(text.find('\033'), std::string::npos) << text;
    EXPECT_NE(text.find("2 x 2 pixels"), std::string::npos) << text;
  }
}

TEST(Solver, IsNamedWithTheReasonForIt) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5", image = folder / "image.npy";
  succeed({"simulate", scan, "--matrix", "24", "--coils", "2", "-q"});
  const auto said = [&](const std::string& term) {
    return recon({"run", scan, "-o", image, "-f", "-v", "--iterations", "2", "--regularizer", term}).err;
  };
  EXPECT_NE(said("l2:1e-3").find("solver cg: all terms are quadratic"), std::string::npos);
  EXPECT_NE(said("wavelet:1e-3").find("solver fista: one term"), std::string::npos) << said("wavelet:1e-3");
  const std::string tv = said("tv:1e-3");
  EXPECT_NE(tv.find("a transform that is not unitary"), std::string::npos) << tv;
  EXPECT_EQ(tv.find("a transform that is not unitary"), tv.rfind("a transform that is not unitary"));
  const std::string automatic = recon({"run", scan, "-o", image, "-f", "-v"}).err;
  EXPECT_NE(automatic.find("the least error expected"), std::string::npos) << automatic;
  EXPECT_NE(automatic.find("expected error "), std::string::npos) << automatic;
}

}  // namespace
}  // namespace larmor::test
