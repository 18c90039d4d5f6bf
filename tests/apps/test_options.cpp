#include "error_of.hpp"

#include <larmor/apps/machine/device_start.hpp>
#include <larmor/core/cuda/check.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/options/errors.hpp>
#include <larmor/options/words/options.hpp>
#include <larmor/options/words/values.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

// Parts of the command line: values, rules among options, and the option to which an error refers.

namespace larmor::app {
namespace {

TEST(Values, IndexRanges) {
  EXPECT_TRUE(index_range_of("3").contains(3));
  EXPECT_FALSE(index_range_of("3").contains(4));
  EXPECT_EQ(index_range_of("2:5").last, 5);
  EXPECT_TRUE(index_range_of(":").everything());
  EXPECT_EQ(index_range_of(":7").first, 0);
  for (const char* bad : {"", "a", "-1", "3:2", "4:4", "1:2:3", "1.5", "99999999999999999999", "1 "})
    EXPECT_THROW(index_range_of(bad), Error) << bad;
}

TEST(Values, FrameWindows) {
  EXPECT_EQ(frame_window_of("34").readouts, 34);
  EXPECT_EQ(frame_window_of("34").step, 34);
  EXPECT_EQ(frame_window_of("34,8").readouts, 34);
  EXPECT_EQ(frame_window_of("34,8").step, 8);
  for (const char* bad : {"", "0", "-3", "8,0", "8,", "8,2,1", "8x", "many"})
    EXPECT_THROW(frame_window_of(bad), Error) << bad;
}

TEST(Options, ChoicesShowTheirDefaultAndTakeListedWordsOnly) {
  Command command("test", "", "");
  int target = 2;
  Option& option = command.choice<int>("--way", "the way", target, {{"one", 1}, {"two", 2}});
  EXPECT_EQ(option.help, "the way (default two)");
  EXPECT_EQ(option.choices(), (std::vector<std::string>{"one", "two"}));
  option.take("one");
  EXPECT_EQ(target, 1);
  EXPECT_THROW(option.take("three"), Error);
  EXPECT_EQ(target, 1);
}

TEST(Options, RulesNameTheOptions) {
  Command command("test", "", "");
  std::string text;
  for (const char* name : {"--a", "--b", "-c,--long"}) command.text(name, "FILE", "", text);
  command.exclude({"--a", "--b"});
  command.require("--long", "--b");
  command.check_rules();
  command.option("-c").given = 1;
  EXPECT_EQ(test::error_of([&] { command.check_rules(); }), "2: --long needs --b");
  command.option("--b").given = 1;
  command.check_rules();
  command.option("--a").given = 1;
  EXPECT_EQ(test::error_of([&] { command.check_rules(); }), "2: --a and --b exclude each other");
}

TEST(Errors, NameTheOptionThatIsWrongOrPutsRight) {
  EXPECT_EQ(message_of(usage_error("is out of range").about("coils")), "--coils: is out of range");
  EXPECT_EQ(message_of(input_error("looks like metres").about("fov")), "looks like metres (--fov)");
  EXPECT_EQ(message_of(usage_error("it exists").about("overwrite")), "it exists (--overwrite)");
  EXPECT_EQ(message_of(input_error("too large").about("matrix,traj_units")),
            "too large (--matrix, --traj-units)");
  EXPECT_EQ(message_of(usage_error("as it is")), "as it is");
  EXPECT_EQ(message_of(internal_error("a mistake")), "internal error: a mistake");
}

TEST(DeviceStarts, GiveTheDeviceThatIsThere) {
  EXPECT_EQ(DeviceStart("auto").device(), Device::automatic());
  DeviceStart cpu("cpu");
  EXPECT_FALSE(cpu.may_be_gpu());
  EXPECT_EQ(cpu.device(), Device::cpu());
}

TEST(DeviceStarts, TakeFewQueuesUnlessTheEnvironmentSays) {
  constexpr const char* name = "CUDA_DEVICE_MAX_CONNECTIONS";
  const char* before = std::getenv(name);
  const std::optional<std::string> kept = before ? std::optional<std::string>(before) : std::nullopt;
  const auto queues = [&] {
    DeviceStart start("cuda:63");
    start.take_few_queues();
    EXPECT_THROW(start.device(), Error);
    const char* said = std::getenv(name);
    return std::string(said ? said : "");
  };
  ::unsetenv(name);
  EXPECT_EQ(queues(), cuda::built ? "2" : "");
  ::setenv(name, "4", 1);
  EXPECT_EQ(queues(), "4");
  kept ? ::setenv(name, kept->c_str(), 1) : ::unsetenv(name);
}

TEST(DeviceStarts, SayWhatIsWrongWhenTheyAreAsked) {
  EXPECT_THROW(DeviceStart("tpu"), Error);
  DeviceStart missing("cuda:63");
  EXPECT_EQ(test::fault_of([&] { missing.device(); }).substr(0, 9), "4 device:");
}

}  // namespace
}  // namespace larmor::app
