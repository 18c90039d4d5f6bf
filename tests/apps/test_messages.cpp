#include "apps/recon_process.hpp"

#include <larmor/apps/output/console.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/writer.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

// Messages of the command about unusual scans, and about outputs that would overwrite each other.

namespace larmor::test {
namespace {

class Messages : public SharedFolder<Messages> {
 public:
  static void make_files() {
    succeed({"simulate", at("scan.h5"), "--trajectory", "radial", "--matrix", "16", "--spokes", "16",
             "--coils", "2"});
  }
};

TEST_F(Messages, ListsOfAFileAreCut) {
  Scan scan = read_ismrmrd(at("scan.h5"));
  std::string& xml = scan.xml_header;
  const std::string end = "</encoding>";
  const std::size_t first = xml.find("<encoding>"), last = xml.find(end) + end.size();
  ASSERT_LT(first, last);
  const std::string encoding = xml.substr(first, last - first);
  for (int i = 0; i < 300; ++i) xml.insert(last, encoding);
  write_ismrmrd_raw(at("many.h5"), scan);
  const Outcome outcome = succeed({"info", at("many.h5")});
  EXPECT_LT(line_count(outcome.out), 120);
  EXPECT_NE(outcome.out.find("and 857 more"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("would be reconstructed"), std::string::npos) << outcome.out;
}

TEST_F(Messages, ControlCharactersAreShownNotSent) {
  const Outcome outcome = recon({"info", at("red\x1b[31m\x07.h5")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(std::count_if(outcome.err.begin(), outcome.err.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }),
            0)
      << outcome.err;
  EXPECT_NE(outcome.err.find("red\\x1b[31m\\x07.h5"), std::string::npos) << outcome.err;
}

TEST(OneLine, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(app::one_line("two\nlines\tand more\n"), "two lines and more");
  EXPECT_EQ(app::one_line("\x1b[2J \x7f \xc2\x9b \xff"), "\\x1b[2J \\x7f \\xc2\\x9b \\xff");
  EXPECT_EQ(app::one_line("240×240 ‖x‖₁"), "240×240 ‖x‖₁");
  EXPECT_EQ(app::one_line("\u202e5h"), "\\xe2\\x80\\xae5h") << "would turn the line around";
  EXPECT_LT(app::one_line(std::string(100000, 'x')).size(), 10000U);
}

TEST_F(Messages, ZerosAreWarnedOf) {
  Scan scan = read_ismrmrd(at("scan.h5"));
  std::fill(scan.data.begin(), scan.data.end(), 0.0F);
  write_ismrmrd_raw(at("zeros.h5"), scan);
  const Outcome zeros =
      succeed({"run", at("zeros.h5"), "-o", at("zeros.npy"), "--combine", "rss", "--quiet"});
  EXPECT_NE(zeros.err.find("warning: "), std::string::npos) << zeros.err;
  EXPECT_NE(zeros.err.find("every sample is zero"), std::string::npos) << zeros.err;
  const Outcome usual = succeed({"run", at("scan.h5"), "-o", at("usual.npy"), "--combine", "rss", "--quiet"});
  EXPECT_EQ(usual.err, "");
}

TEST_F(Messages, OptionsForFilesThatAreNotWrittenAreWarnedOf) {
  const auto said = [&](const std::string& output, const Words& more) {
    return succeed(joined({"run", at("scan.h5"), "-f", "--iterations", "1", "-o", at(output)}, more)).err;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string array = said("image.npy", {"--bids", "--keep-patient", "--frame-time", "2"});
  EXPECT_TRUE(has(array, "warning: --bids has no effect")) << array;
  EXPECT_TRUE(has(array, "warning: --keep-patient has no effect")) << array;
  EXPECT_TRUE(has(array, "warning: --frame-time has no effect")) << array;
  EXPECT_TRUE(has(said("image.nii", {"--keep-patient"}), "--keep-patient has no effect"));
  EXPECT_FALSE(has(said("image.nii.gz", {"--bids", "--keep-patient", "--frame-time", "2"}), "no effect"));
}

TEST_F(Messages, WhatIsGivenAmissIsNamed) {
  const auto refused = [&](const Words& more, const std::string& part) {
    expect_refused(recon(joined({"run", at("scan.h5"), "-f", "-o", at("image.npy"), "-q"}, more)), 2, part);
  };
  refused({"--matrix", "1"}, "(--matrix, --maps, --combine)");
  refused({"--matrix", "2"}, "(--matrix, --maps, --combine)");
  refused({"--matrix", "24,24,4"}, "4 along z, but slices");
  refused({"--regularizer", "none", "--regularizer", "tv:1e-3"}, "--regularizer none excludes other terms");
  refused({"--regularizer", "tv:1e-3", "--regularizer", "none"}, "but tv:0.001 is given");
}

TEST_F(Messages, WhatMakesNoSenseIsWarnedOf) {
  const auto said = [&](const Words& more) {
    return succeed(joined({"run", at("scan.h5"), "-f", "-q", "-o", at("image.npy")}, more)).err;
  };
  EXPECT_EQ(said({"--regularizer", "l2:1e300"}),
            "warning: regularizer l2:1e+300 is too strong: the image is zero everywhere, although the data "
            "are not; "
            "use a smaller lambda\n");
  EXPECT_EQ(said({"--regularizer", "l2:1e-3"}), "");
  EXPECT_NE(said({"--regularizer", "l2:1"}).find("take a smaller lambda"), std::string::npos);
  succeed({"maps", at("scan.h5"), "-f", "-o", at("maps.npy")});
  EXPECT_EQ(said({"--combine", "rss", "--maps", at("maps.npy")}),
            "warning: --maps has no effect: --combine rss takes no coil maps\n");
  const std::string units = said({"--regularizer", "l2:1e-2", "--traj-units", "cycles/fov"});
  EXPECT_NE(units.find("warning: trajectory units: cycles/fov as requested"), std::string::npos) << units;
  EXPECT_NE(units.find("as normalised they would reach its edge"), std::string::npos) << units;
  EXPECT_EQ(said({"--regularizer", "l2:1e-2", "--traj-units", "normalised"}), "");
}

TEST_F(Messages, MapsAndWeightsOfWhichManyVanishAreWarnedOf) {
  Array<double> maps = filled<double>({2, 16, 16}, 1), weights = filled<double>({16 * 32}, 1);
  for (Array<double>* const numbers : {&maps, &weights})
    std::fill(numbers->begin(), numbers->begin() + numbers->size() / 3, 1e14);
  write_array<double>(at("many.npy"), maps.view(), true);
  write_array<double>(at("many_weights.npy"), weights.view(), true);
  const Words run{"run", at("scan.h5"), "-f", "-q", "-o", at("image.npy")};
  const std::string of_maps = succeed(joined(run, {"--maps", at("many.npy")})).err,
                    of_weights = succeed(joined(run, {"--density", at("many_weights.npy")})).err;
  const std::string vanish = ": numbers below 1.2e+07 vanish in single precision beside the largest, 1e+14";
  EXPECT_NE(of_maps.find("warning: coil maps" + vanish), std::string::npos) << of_maps;
  EXPECT_NE(of_weights.find("warning: density weights of the samples" + vanish), std::string::npos)
      << of_weights;
}

TEST_F(Messages, ADivisionAmongNobodyIsWarnedOf) {
  const Outcome outcome = succeed({"run", at("scan.h5"), "-f", "-q", "--regularizer", "none", "--iterations",
                                   "1", "-o", at("image.npy"), "--split", "coils"});
  EXPECT_EQ(outcome.err,
            "warning: --split has no effect: nothing is shared among GPUs (--gpus) or processes (mpirun)\n");
}

// Its permissions would let an administrator create files.
TEST_F(Messages, AFolderThatTakesNoFileIsSeenBeforeTheScan) {
  expect_refused(recon({"run", at("missing.h5"), "-o", "/proc/image.npy"}), 4,
                 "cannot write /proc/image.npy");
}

TEST_F(Messages, AReportSaysWhatEndedTheIterations) {
  const auto report = [&](const Words& more) {
    succeed(joined({"run", at("scan.h5"), "-f", "-q", "-o", at("image.npy"), "--device", "cpu", "--report",
                    at("report.json")},
                   more));
    return nlohmann::json::parse(read_file(at("report.json")));
  };
  const nlohmann::json chosen = report({});
  EXPECT_EQ(chosen["stop_reason"], "distance");
  EXPECT_EQ(chosen["images"][0]["stop_reason"], "distance");
  EXPECT_GT(chosen["expected"]["error"], 0);
  EXPECT_EQ(chosen["expected"]["noise_variance"], 1);
  EXPECT_EQ(report({"--regularizer", "l2:auto"})["expected"], chosen["expected"]);
  const nlohmann::json limited = report({"--regularizer", "none", "--iterations", "2"});
  EXPECT_EQ(limited["stop_reason"], "iterations");
  EXPECT_TRUE(limited["images"][0]["operator_norm_squared"].is_null());  // it was not needed
  const nlohmann::json converged = report({"--regularizer", "l2:1e-2"});
  EXPECT_EQ(converged["stop_reason"], "distance");
  EXPECT_GT(converged["images"][0]["operator_norm_squared"], 0);
}

TEST_F(Messages, PlainLeastSquaresSaysWhatIsMissing) {
  const auto said = [&](const Words& more) {
    return succeed(joined({"run", at("scan.h5"), "-f", "-o", at("image.npy"), "--device", "cpu", "--report",
                           at("report.json"), "-v", "--regularizer"},
                          more))
        .err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const auto distance = [&] {
    const nlohmann::json report = nlohmann::json::parse(read_file(at("report.json")));
    return fmt::format("{:.2g} % of the image may change",
                       100 * report["images"][0]["distance"].get<double>());
  };
  for (const char* solver : {"cg", "lsmr"}) {
    const std::string missing = said({"none", "--solver", solver});
    EXPECT_TRUE(has(missing, "warning: not converged after 30 iterations: " + distance())) << missing;
    EXPECT_TRUE(has(missing, "more iterations are needed")) << missing;
    // A number of iterations that the user gave is not reported as a warning.
    const std::string asked = said({"none", "--solver", solver, "--iterations", "12"});
    EXPECT_FALSE(has(asked, "warning")) << asked;
    EXPECT_TRUE(has(asked, "12 iterations, as requested: " + distance())) << asked;
    const std::string few = said({"none", "--solver", solver, "--iterations", "3"});
    EXPECT_FALSE(has(few, "as requested")) << "nothing is known after so few: " << few;
  }
  for (const std::string& text : {said({"none", "--iterations", "3000"}), said({"l2:1e-2"})}) {
    EXPECT_FALSE(has(text, "not converged")) << text;
    EXPECT_FALSE(has(text, "as requested")) << text;
  }
}

}  // namespace
}  // namespace larmor::test
