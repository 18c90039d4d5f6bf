#include "temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/wisdom_file.hpp>

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace larmor::test {
namespace {

struct Warnings final : Reporter {
  void warning(const std::string& message) override { lines.push_back(message); }
  std::vector<std::string> lines;
};

class WisdomFiles : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "some/where/wisdom.json";
  Warnings warnings_;
  const WisdomEntry entry_{{{"oversampling", 1.375}, {"width", 5}}, {{"method", "matrix"}}};
};

TEST_F(WisdomFiles, KeepWhatIsStored) {
  WisdomFile wisdom(path_, warnings_);
  EXPECT_FALSE(wisdom.find("a").has_value());
  wisdom.store("a", entry_);
  wisdom.store("b \"quoted\"", {{{"x", 0.1}}, {}});
  WisdomFile again(path_, warnings_);
  EXPECT_EQ(again.find("a"), entry_);
  EXPECT_EQ(again.find("b \"quoted\"")->numbers.at("x"), 0.1);
  EXPECT_EQ(again.entries().size(), 2U);
  EXPECT_EQ(again.clear(), 2U);
  EXPECT_TRUE(wisdom.entries().empty());
  EXPECT_THAT(warnings_.lines, testing::IsEmpty());
}

TEST_F(WisdomFiles, AreRefusedAndReplacedWhenTheyAreNotWhatTheyShouldBe) {
  WisdomFile(path_, warnings_).store("a", entry_);
  std::ifstream file(path_);
  const std::string good{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string old = good, newer = good, broken = good;
  old.replace(old.find("\"version\": 1"), 12, "\"version\": 0");
  newer.replace(newer.find("\"version\": 1"), 12, "\"version\": 2");
  broken.resize(good.size() / 2);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not JSON"},
      {std::string("\0\xff\x01", 3), "not JSON"},
      {broken, "not JSON"},
      {"[1, 2]", "no wisdom of Larmor"},
      {R"({"format": "other wisdom", "version": 1, "entries": {}})", "no wisdom of Larmor"},
      {R"({"format": 7})", "no wisdom of Larmor"},
      {R"({"format": "larmor wisdom", "version": 1})", "no entries"},
      {R"({"format": "larmor wisdom", "version": 1, "entries": {"a": 3}})", "not an object"},
      {R"({"format": "larmor wisdom", "version": 1, "entries": {"a": {"b": [1]}}})", "other than numbers"},
      {R"({"format": "larmor wisdom", "version": "1", "entries": {}})", "version \"1\"; expected 1"},
      {old, "version 0; expected 1"},
      {newer, "version 2; expected 1"}};
  for (const auto& [text, reason] : cases) {
    warnings_.lines.clear();
    write(text);
    WisdomFile wisdom(path_, warnings_);
    EXPECT_FALSE(wisdom.find("a").has_value()) << text;
    EXPECT_FALSE(wisdom.find("a").has_value()) << text;
    ASSERT_EQ(warnings_.lines.size(), 1U) << text;
    EXPECT_THAT(warnings_.lines[0], testing::HasSubstr(reason)) << text;
    EXPECT_EQ(warnings_.lines[0].find('\n'), std::string::npos);
    wisdom.store("c", entry_);
    Warnings none;
    EXPECT_EQ(WisdomFile(path_, none).entries().size(), 1U) << text;
    EXPECT_THAT(none.lines, testing::IsEmpty());
  }
}

TEST_F(WisdomFiles, LoseNothingWhenProcessesWriteAtOnce) {
  constexpr int processes = 4, each = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int status = 1;
      try {
        WisdomFile wisdom(path_, warnings_);
        for (int i = 0; i < each; ++i)
          wisdom.store("process " + std::to_string(p) + " entry " + std::to_string(i), entry_);
        status = warnings_.lines.empty() ? 0 : 2;
      } catch (const std::exception&) {
      }
      _exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(WisdomFile(path_, warnings_).entries().size(), static_cast<std::size_t>(processes * each));
}

TEST_F(WisdomFiles, SayWhenTheyCannotBeWritten) {
  std::ofstream(folder_ / "file") << "x";
  WisdomFile wisdom(folder_ / "file/wisdom.json", warnings_);
  try {
    wisdom.store("a", entry_);
    FAIL() << "stored below a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::resource);
  }
  EXPECT_THROW(WisdomFile("", warnings_), Error);
}

}  // namespace
}  // namespace larmor::test
