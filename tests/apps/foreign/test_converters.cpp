#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

// Vendors' raw data, read through converters on PATH: scripts that stand in for them, and one real converter.

namespace larmor::test {
namespace {

class Converters : public testing::Test {
 protected:
  void SetUp() override {
    succeed({"simulate", at("scan.h5"), "--matrix", "24", "--coils", "2", "-q"});
    std::filesystem::create_directories(at("bin"));
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  /// Puts a script in place of a converter; it copies the existing scan.
  void stand_in(const std::string& program, const std::string& lines) {
    write_file(at("bin/" + program), "#!/bin/sh\n" + lines);
    std::filesystem::permissions(at("bin/" + program), std::filesystem::perms::owner_all);
  }
  /// only_ours: the scripts are the only converters on PATH.
  Outcome reconstruct(const std::string& raw, bool only_ours = true) {
    const std::string before = std::getenv("PATH");
    setenv("PATH", (at("bin") + ":" + (only_ours ? "/usr/bin:/bin" : before)).c_str(), 1);
    setenv("TMPDIR", at("tmp").c_str(), 1);
    std::filesystem::create_directories(at("tmp"));
    Outcome outcome = recon({"run", raw, "-o", at("image.npy"), "-f", "--iterations", "2"});
    setenv("PATH", before.c_str(), 1);
    unsetenv("TMPDIR");
    EXPECT_TRUE(names_in(at("tmp")).empty()) << "the temporary file is left behind";
    return outcome;
  }

  TemporaryFolder folder_;
};

TEST_F(Converters, AreCalledWithATemporaryFile) {
  const std::string copies =
      "echo converting; while [ $# -gt 0 ]; do case $1 in -f) in=$2; shift;; -o) out=$2; shift;; "
      "*) in=$1;; esac; shift; done; echo $in > " +
      at("in") + "; cp " + at("scan.h5") + " $out\n";
  for (const char* program :
       {"siemens_to_ismrmrd", "ge_to_ismrmrd", "philips_to_ismrmrd", "bruker_to_ismrmrd"})
    stand_in(program, copies);
  std::filesystem::create_directories(at("5"));
  for (const char* name : {"meas.dat", "P12345.7", "scan.lab", "5/acqp", "5/method", "5/fid"})
    write_file(at(name), "");
  const auto expect = [&](const std::string& raw, const std::string& given) {
    const Outcome outcome = reconstruct(at(raw));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(at("in")), at(given) + "\n");
    EXPECT_TRUE(outcome.out.empty()) << "what a converter prints is none of ours";
  };
  expect("meas.dat", "meas.dat");
  expect("P12345.7", "P12345.7");
  expect("scan.lab", "scan");
  expect("5", "5");
  expect("5/fid", "5");
}

TEST_F(Converters, AreAskedForTheLastMeasurementAndWhatTheUserAdds) {
  stand_in("siemens_to_ismrmrd",
           "echo $1 $3 $5 $6 $7 $8 > " + at("words") + "\nexec cp " + at("scan.h5") + " $4\n");
  const auto words_for = [&](const std::string& begin) {
    write_file(at("meas.dat"), begin);
    const Outcome outcome = reconstruct(at("meas.dat"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_file(at("words"));
  };
  using namespace std::string_literals;
  const std::string one = "\0\0\0\0\1\0\0\0"s, three = "\0\0\0\0\3\0\0\0"s, before_vd = "\0\4\0\0\3\0\0\0"s;
  EXPECT_EQ(words_for(one), "-f -o\n");
  EXPECT_EQ(words_for(three), "-f -o -z 3\n");
  EXPECT_EQ(words_for(before_vd), "-f -o\n");
  setenv("LARMOR_CONVERTER_OPTIONS", "-x  style.xsl", 1);
  EXPECT_EQ(words_for(three), "-f -o -z 3 -x style.xsl\n");
  setenv("LARMOR_CONVERTER_OPTIONS", "-z 1", 1);
  EXPECT_EQ(words_for(three), "-f -o -z 1\n");
  unsetenv("LARMOR_CONVERTER_OPTIONS");
}

/// The real converter and a scanner's file, which LARMOR_SIEMENS_FILE names.
TEST_F(Converters, OfSiemensIsTriedItself) {
  const char* file = std::getenv("LARMOR_SIEMENS_FILE");
  if (file == nullptr) GTEST_SKIP() << "LARMOR_SIEMENS_FILE names no raw data of Siemens";
  if (std::system("siemens_to_ismrmrd -h >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "siemens_to_ismrmrd is not there";
  const Outcome outcome = reconstruct(file, false);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto image = read_array(at("image.npy"));
  EXPECT_TRUE(std::any_of(image.begin(), image.end(), [](const auto& pixel) { return std::abs(pixel) > 0; }));
  write_file(at("cut.dat"), read_file(file).substr(0, 20000));
  EXPECT_EQ(reconstruct(at("cut.dat"), false).status, 3);
}

TEST_F(Converters, AreNotAskedForIsmrmrdOfAnyName) {
  for (const char* name : {"scan.dat", "scan.raw"}) {
    std::filesystem::copy_file(at("scan.h5"), at(name));
    const Outcome outcome = reconstruct(at(name));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST_F(Converters, AreNamedWhereTheyAreMissingOrFail) {
  write_file(at("meas.dat"), "");
  const Outcome missing = reconstruct(at("meas.dat"));
  expect_refused(missing, 3, "raw data of Siemens: install siemens_to_ismrmrd");
  stand_in("siemens_to_ismrmrd", "exit 7\n");
  const Outcome failed = reconstruct(at("meas.dat"));
  expect_refused(failed, 3, "siemens_to_ismrmrd ended with status 7");
  stand_in("siemens_to_ismrmrd", "kill -INT $PPID\nexec sleep 60\n");
  const Outcome interrupted = reconstruct(at("meas.dat"));
  EXPECT_EQ(interrupted.status, 130) << interrupted.err;
}

TEST_F(Converters, EndWithTheirChildrenHoweverTheCommandEnds) {
  stand_in("siemens_to_ismrmrd",
           "(while :; do echo more >> " + at("log") + "; sleep 0.02; done) &\n" + "echo raw > $4\nwait\n");
  write_file(at("meas.dat"), "no HDF5");
  std::filesystem::create_directories(at("tmp"));
  const std::string before = std::getenv("PATH");
  setenv("PATH", (at("bin") + ":" + before).c_str(), 1);
  setenv("TMPDIR", at("tmp").c_str(), 1);
  using namespace std::chrono_literals;
  const auto wait_for = [](const auto& condition) {
    for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(20ms);
    return condition();
  };
  const auto written = [&] { return std::filesystem::exists(at("log")) ? read_file(at("log")).size() : 0; };
  for (const int signal : {SIGINT, SIGKILL}) {
    std::filesystem::remove(at("log"));
    {
      ReconProcess command({"info", at("meas.dat"), "-q"});  // which also has a temporary folder
      EXPECT_TRUE(wait_for([&] { return written() > 10; }));
      command.send(signal);
      EXPECT_EQ(command.wait().status, signal == SIGINT ? 130 : 128 + SIGKILL);
    }
    EXPECT_TRUE(wait_for([&] { return names_in(at("tmp")).empty(); })) << "the temporary file is left behind";
    const std::size_t size = written();
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(written(), size) << "a child of the converter goes on";
  }
  setenv("PATH", before.c_str(), 1);
  unsetenv("TMPDIR");
}

TEST_F(Converters, ReadFilesThatNoOutputReplaces) {
  for (const char* program : {"philips_to_ismrmrd", "bruker_to_ismrmrd"})
    stand_in(program, "cp " + at("scan.h5") + " $4\n");
  std::filesystem::create_directories(at("5"));
  for (const char* name :
       {"y.lab", "y.raw", "y.SIN", "5/acqp", "5/method", "5/fid", "5/rawdata.job0", "x.xsl"})
    write_file(at(name), name);
  setenv("LARMOR_CONVERTER_OPTIONS", ("-x " + at("x.xsl")).c_str(), 1);
  const auto expect_kept = [&](const std::string& scan, const std::string& output) {
    const std::string before = std::getenv("PATH"), bytes = read_file(at(output));
    setenv("PATH", (at("bin") + ":" + before).c_str(), 1);
    for (const std::string option : {"--report", "--trace"}) {
      const Outcome outcome =
          recon({"run", at(scan), "-o", at("o.npy"), "-f", option, at(output), "--iterations", "2"});
      EXPECT_EQ(outcome.status, 2) << scan << " " << output << " " << outcome.err;
      EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
    // An output that is a link to the input is refused.
    std::filesystem::remove(at("o.npy"));
    std::filesystem::create_symlink(at(output), at("o.npy"));
    EXPECT_EQ(recon({"run", at(scan), "-o", at("o.npy"), "-f"}).status, 2);
    EXPECT_EQ(recon({"run", at("scan.h5"), "--noise", at(scan), "-o", at("o.npy"), "-f"}).status, 2);
    std::filesystem::remove(at("o.npy"));
    setenv("PATH", before.c_str(), 1);
    EXPECT_EQ(read_file(at(output)), bytes) << scan << " " << output;
  };
  expect_kept("y.lab", "y.raw");
  expect_kept("y.lab", "y.SIN");
  expect_kept("y.raw", "y.lab");
  expect_kept("5", "5/fid");
  expect_kept("5/fid", "5/method");
  expect_kept("5", "5/rawdata.job0");
  expect_kept("y.lab", "x.xsl");
  unsetenv("LARMOR_CONVERTER_OPTIONS");
}

TEST_F(Converters, WaitForNoPipe) {
  for (const char* name : {"x.dat", "x.7", "x.lab", "x.raw", "x.sin", "x.h5"}) {
    ASSERT_EQ(mkfifo(at(name).c_str(), 0600), 0);
    Conditions in_time;
    in_time.launcher = {"timeout", "20"};
    for (const Words& words : {Words{"info", at(name)},
                               {"info", at("scan.h5"), "--noise", at(name)},
                               {"run", at("scan.h5"), "--calibration", at(name), "-o", at("o.npy")}}) {
      expect_refused(recon(words, in_time), 3, at(name) + ": it is not a regular file");
    }
  }
}

}  // namespace
}  // namespace larmor::test
