#include <larmor/options/named_options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <error_of.hpp>

namespace larmor::app {
namespace {

using test::error_of;
using testing::Contains;
using testing::HasSubstr;

std::string error_of_set(const std::string& name, const std::string& value) {
  return error_of([&] { NamedOptions().set(name, value); });
}

TEST(NamedOptions, HaveTheCommandsNamesAndValues) {
  NamedOptions options;
  EXPECT_THAT(options.names(), Contains("solve_fov"));
  EXPECT_THAT(options.names(), Contains("regularizer"));
  options.set("solve_fov", "1.5");
  options.set("matrix", "64,48");
  options.set("phase_constraint", "on");
  options.set("regularizer", "l2:0.01");
  options.set("regularizer", "tv:0.1");
  options.set("no_whiten", "true");
  options.set("conjugate", "false");
  EXPECT_EQ(options.options().prepare.grid.solve_fov, 1.5);
  EXPECT_EQ(options.options().prepare.grid.matrix, (std::vector<Index>{64, 48}));
  EXPECT_EQ(options.options().solve.regularizers.size(), 2u);
  EXPECT_EQ(options.options().phase_constraint, PhaseConstraint::on);
  EXPECT_FALSE(options.options().prepare.whiten);
  EXPECT_FALSE(options.options().prepare.conjugate);
}

TEST(NamedOptions, NameWhatIsWrong) {
  EXPECT_THAT(error_of_set("regulariser", "l2:1"),
              HasSubstr("unknown option 'regulariser'; did you mean regularizer?"));
  EXPECT_THAT(error_of_set("zzzzzz", "1"), HasSubstr("unknown option 'zzzzzz'; expected one of"));
  EXPECT_THAT(error_of_set("solve_fov", "9"), HasSubstr("solve_fov '9': expected a number from 1 to 8"));
  EXPECT_THAT(error_of_set("no_whiten", "yes"), HasSubstr("expected true or false"));
  EXPECT_THAT(error_of([] {
                NamedOptions options;
                options.set("iterations", "3");
                options.set("iterations", "4");
              }),
              HasSubstr("iterations is given twice"));
  EXPECT_THAT(error_of([] {
                NamedOptions options;
                options.set_array("fov", View<const double>());
              }),
              HasSubstr("fov does not take an array"));
}

TEST(NamedOptions, RefuseArraysWithoutElements) {
  for (const char* name : {"trajectory", "density", "gradient_response", "maps", "field_map", "r2star",
                           "field_weight", "bins", "basis", "dictionary"})
    for (const Shape& shape : {Shape{0}, Shape{0, 2}, Shape{3, 0, 4}})
      EXPECT_THAT(error_of([&] { NamedOptions().set_array(name, View<const double>(nullptr, shape)); }),
                  HasSubstr(name + std::string(" is an array without elements")));
}

TEST(NamedOptions, ArraysStandInForFiles) {
  NamedOptions options;
  const std::vector<double> bins{0, 1, -1};
  options.set_array("bins", View<const double>(bins));
  EXPECT_EQ(options.options().frames.bins.size(), 3);
  EXPECT_EQ(options.options().frames.bins[2], -1);
  const std::vector<std::complex<float>> maps{{1, 2}, {3, 4}};
  options.set_array("maps", View<const std::complex<float>>(maps, {2, 1, 1}));
  EXPECT_EQ(options.options().coils.maps[1], std::complex<float>(3, 4));
  EXPECT_THAT(error_of([&] { options.set_array("bins", View<const std::complex<float>>(maps)); }),
              HasSubstr("bins: expected real numbers"));
}

TEST(NamedOptions, RulesAreTheCommands) {
  Context ctx(Device::cpu(), {.threads = 1});
  NamedOptions options;
  options.set("calibrate", "walsh");
  const std::vector<std::complex<float>> maps{{1, 2}};
  options.set_array("maps", View<const std::complex<float>>(maps, {1, 1, 1}));
  EXPECT_EQ(in_names(error_of([&] { options.finish(Scan(), ctx); })),
            "2: maps and calibrate exclude each other");
}

TEST(NamedOptions, MessagesNameNoDashes) {
  EXPECT_EQ(in_names("--solve-fov: too large -- see --fov, or a - b"),
            "solve_fov: too large -- see fov, or a - b");
}

}  // namespace
}  // namespace larmor::app
