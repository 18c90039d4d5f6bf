#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <thread>

// An interrupted run continues from its checkpoint.

namespace larmor::test {
namespace {

using Json = nlohmann::ordered_json;

class CheckpointOption : public testing::Test {
 protected:
  void SetUp() override {
    succeed({"simulate", at("scan.h5"), "--matrix", "48", "--spokes", "32", "--coils", "2", "--trajectory",
             "radial"});
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  Words run(const std::string& output, const std::string& iterations, const Words& more) const {
    return joined(
        {"run", at("scan.h5"), "-o", at(output), "--complex", "--solver", "fista", "--combine", "rss",
         "--threads", "1", "--regularizer", "l1:1e-3", "--iterations", iterations, "--device", "cpu"},
        more);
  }

  TemporaryFolder folder_;
};

TEST_F(CheckpointOption, AnInterruptedRunGoesOn) {
  const Words options{"--checkpoint", at("state"), "--checkpoint-every", "3"};
  {
    ReconProcess process(run("image.npy", "1000000", options));
    while (process.running() && !std::filesystem::exists(at("state")))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    process.send(SIGINT);
    EXPECT_EQ(process.wait().status, 130);
  }
  ASSERT_TRUE(std::filesystem::exists(at("state")));
  const std::string bytes = read_file(at("state"));
  const Json header = Json::parse(bytes.substr(0, bytes.find('\n')));
  EXPECT_EQ(header["solver"], "fista");
  const auto done = header["iteration"].get<int>();
  EXPECT_EQ(done % 3, 0);

  // One changed bit is detected before anything is solved, as are different settings.
  const std::string iterations = std::to_string(done + 4);
  const std::size_t start = bytes.find('\n') + 1;
  for (const std::size_t place :
       {start, start + 13, (start + bytes.size()) / 2, bytes.size() - 20, bytes.size() - 2})
    for (const int bit : {0, 6}) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ (1 << bit));
      write_file(at("state"), changed);
      expect_refused(recon(run("image.npy", iterations, {"--checkpoint", at("state"), "--quiet"})), 3,
                     at("state"));
      EXPECT_EQ(read_file(at("state")), changed);
    }
  write_file(at("state"), bytes);
  Words other = run("image.npy", "9", {"--checkpoint", at("state"), "--quiet", "--regularizer", "l2:1e-3"});
  expect_refused(recon(other), 3, "the checkpoint has the regularizer l1:0.001, not");
  expect_refused(recon(run("state", "9", {"--checkpoint", at("state"), "--quiet", "--overwrite"})), 2,
                 "state");

  const Outcome resumed = succeed(run("image.npy", iterations, {"--checkpoint", at("state")}));
  EXPECT_NE(resumed.err.find("fista after " + std::to_string(done) + " iterations"), std::string::npos)
      << resumed.err;
  EXPECT_FALSE(std::filesystem::exists(at("state")));
  succeed(run("whole.npy", iterations, {}));
  EXPECT_EQ(read_file(at("image.npy")), read_file(at("whole.npy")));
}

TEST_F(CheckpointOption, DamagedFilesAreNamedAndLeft) {
  const auto expect = [&](const std::string& bytes, const std::string& mentions) {
    write_file(at("state"), bytes);
    expect_refused(recon(run("image.npy", "2", {"--checkpoint", at("state"), "--quiet"})), 3, mentions);
    EXPECT_EQ(read_file(at("state")), bytes);
  };
  expect("", "it is no checkpoint");
  expect("my notes\n", "it is no checkpoint");
  expect_refused(recon(run("image.npy", "2", {"--checkpoint", at("state"), "--overwrite", "--quiet"})), 3,
                 "it is no checkpoint");
  EXPECT_EQ(read_file(at("state")), "my notes\n");
  const std::string scan = read_file(at("scan.h5"));
  expect_refused(recon(run("image.npy", "2", {"--checkpoint", at("scan.h5"), "--quiet"})), 2, "input");
  EXPECT_EQ(read_file(at("scan.h5")), scan);
  expect(std::string(200000, '['), "it is no checkpoint");
  expect(R"({"format":"larmor checkpoint","version":)" + std::string(200000, '[') + "\n",
         "nested too deeply");
  Json header = {{"format", "larmor checkpoint"},
                 {"version", 3},
                 {"precision", "single"},
                 {"image", 0},
                 {"terms", ""},
                 {"solver", "fista"},
                 {"iteration", 3},
                 {"numbers", 3},
                 {"vectors", {{2, 2}}}};
  const std::string numbers(24, '\0'), vector(32, '\0'), end = " crc32 00000000\n";
  expect(header.dump() + "\n" + numbers, "shorter than its header says");
  expect(header.dump() + "\n" + numbers + vector, "shorter than its header says");
  expect(header.dump() + "\n" + numbers + vector + end + "x", "longer than its header says");
  expect(header.dump() + "\n" + numbers + vector + end, "its checksum says that it has been changed");
  expect(header.dump() + "\n" + numbers + std::string(32, '\xff') + end, "not finite");
  expect(header.dump() + "\n" + std::string(8, '\xff') + vector + end, "not finite");
  Json other = header;
  other["vectors"] = {{1000000000, 1000000000, 1000000000}};
  expect(other.dump() + "\n" + numbers + vector, "its header is damaged");
  other = header;
  other["numbers"] = 1ULL << 60;
  expect(other.dump() + "\n" + numbers + vector, "shorter than its header says");
  for (const char* name : {"image", "iteration", "numbers"})
    for (const Json& value : {Json(1e30), Json(-1), Json(0.5)}) {
      other = header;
      other[name] = value;
      expect(other.dump() + "\n" + numbers + vector, "its header is damaged");
    }
  other = header;
  other.erase("solver");
  expect(other.dump() + "\n" + numbers + vector, "its header is damaged");
  other = header;
  other["version"] = 1;
  expect(other.dump() + "\n" + numbers + vector, "another version");
  expect_refused(recon(run("image.npy", "2", {"--checkpoint-every", "3"})), 2, "needs --checkpoint");
}

TEST_F(CheckpointOption, LinksStay) {
  std::filesystem::create_symlink("state", at("link"));
  succeed(run("image.npy", "8", {"--checkpoint", at("link"), "--checkpoint-every", "3"}));
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  EXPECT_FALSE(std::filesystem::exists(at("state")));
}

// The images do not depend on checkpoints, reports and traces that cannot be written: one warning, at once.
TEST_F(CheckpointOption, ImagesDoNotDependOnWhatCannotBeKept) {
  for (const Words& option :
       {Words{"--checkpoint", at("no/state"), "--checkpoint-every", "1"},
        Words{"--report", at("no/report.json")}, Words{"--report", at("no/report.html")},
        Words{"--trace", at("no/trace.json")}}) {
    const Outcome outcome = succeed(run("image.npy", "2", option));
    EXPECT_TRUE(outcome.err.starts_with("warning: cannot write " + option[1])) << outcome.err;
    std::size_t warnings = 0;
    for (std::size_t at = 0; (at = outcome.err.find("warning: ", at)) != std::string::npos; ++at) ++warnings;
    EXPECT_EQ(warnings, 1U) << outcome.err;
    EXPECT_TRUE(std::filesystem::remove(at("image.npy")));
  }
}

}  // namespace
}  // namespace larmor::test
