#include "apps/recon_process.hpp"
#include "io/hostile_files.hpp"

#include <larmor/core/device.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/writer.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <functional>

// Whole commands on a small simulated scan.

namespace larmor::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// One scan for all tests of this file: 48 × 48, 4 coils, a little noise.
class Commands : public SharedFolder<Commands> {
 public:
  static void make_files() {
    const Outcome outcome =
        succeed({"simulate", at("scan.h5"), "--trajectory", "radial", "--matrix", "48", "--spokes", "64",
                 "--coils", "4", "--noise", "0.01", "--seed", "3", "--truth", at("truth.npy")});
    ASSERT_EQ(outcome.out, "");
  }

 protected:
  /// recon run scan.h5 with further arguments; must succeed.
  static Outcome run(const Words& more, const Conditions& conditions = {}) {
    const Outcome outcome = succeed(joined({"run", at("scan.h5"), "--overwrite"}, more), conditions);
    EXPECT_EQ(outcome.out, "");
    return outcome;
  }

  static Json compare(const std::string& a, const std::string& b, const Words& more = {}) {
    const Outcome outcome = succeed(joined({"compare", at(a), at(b), "--json"}, more));
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
  }
};

TEST_F(Commands, TheDefaultRunShowsTheObject) {
  run({"-o", at("default.npy")});
  EXPECT_LT(compare("default.npy", "truth.npy", {"--magnitude"})["nrmse"], 0.12);
  EXPECT_LT(compare("default.npy", "truth.npy", {"--magnitude"})["nrmse_plain"], 0.12)
      << "intensity is not that of the object";
}

TEST_F(Commands, EveryFormatHoldsTheSameImage) {
  const Words formats{"all.npy", "all.nii", "all.nii.gz", "all.h5", "all.cfl", "all.png"};
  Words words{"--iterations", "5"};
  for (const std::string& name : formats) words.insert(words.end(), {"-o", at(name)});
  run(words);
  for (const std::string name : {"all.nii", "all.nii.gz", "all.h5", "all.cfl"}) {
    // .cfl is always complex.
    EXPECT_LT(compare(name, "all.npy", {"--magnitude"})["nrmse_plain"], 1e-6) << name;
  }
  EXPECT_EQ(read_file(at("all.png")).substr(1, 3), "PNG");
}

TEST_F(Commands, GivenMapsEqualTheDefault) {
  run({"-o", at("estimated.npy"), "--complex", "--iterations", "8"});
  const Outcome maps = succeed({"maps", at("scan.h5"), "-o", at("maps.npy"), "--overwrite"});
  EXPECT_EQ(maps.out, "");
  run({"-o", at("given.npy"), "--complex", "--iterations", "8", "--maps", at("maps.npy")});
  EXPECT_LT(compare("given.npy", "estimated.npy")["nrmse_plain"], 1e-5);
}

TEST_F(Commands, GivenDensityEqualsTheDefault) {
  // Results on different devices agree to the accuracy of the transforms.
  run({"-o", at("pipe.npy"), "--solver", "gridding", "--complex", "--combine", "rss", "--device", "cpu"});
  const Outcome density =
      succeed({"density", at("scan.h5"), "-o", at("w.npy"), "--overwrite", "--device", "cpu"});
  EXPECT_EQ(density.out, "");
  run({"-o", at("weights.npy"), "--solver", "gridding", "--complex", "--combine", "rss", "--density",
       at("w.npy"), "--device", "cpu"});
  EXPECT_LT(compare("weights.npy", "pipe.npy")["nrmse_plain"], 1e-5);
}

TEST_F(Commands, ReportHoldsEveryFieldOfTheContract) {
  const Device device = Device::automatic();
  run({"-o", at("reported.npy"), "--report", at("report.json"), "--regularizer", "l2:1e-3", "--iterations",
       "6", "--device", device.to_string()});
  const Json report = Json::parse(read_file(at("report.json")));
  for (const char* field : {"version", "command", "device", "sizes", "trajectory", "skipped_readouts",
                            "scaling", "lambda", "lambda_effective", "step_size", "nufft", "images",
                            "stop_reason", "seconds", "coil_block", "coil_placement", "peak_bytes"})
    EXPECT_TRUE(report.contains(field)) << field;
  EXPECT_EQ(report["version"], LARMOR_PROJECT_VERSION);
  EXPECT_EQ(report["device"], device.to_string());
  EXPECT_EQ(report["lambda"], 1e-3);
  EXPECT_GT(report["lambda_effective"], 0);
  EXPECT_EQ(report["trajectory"]["units"], "normalised");
  EXPECT_EQ(report["sizes"]["coils"], 4);
  EXPECT_EQ(report["nufft"]["tolerance_asked"], 1e-3);
  EXPECT_GT(report["nufft"]["error_measured"], 0);
  EXPECT_LT(report["nufft"]["error_measured"], 1e-3);
  ASSERT_EQ(report["images"].size(), 1U);
  EXPECT_EQ(report["images"][0]["iterations"].size(), 6U);
  EXPECT_GT(report["images"][0]["iterations"][0]["residual"],
            report["images"][0]["iterations"][5]["residual"]);
  EXPECT_EQ(report["stop_reason"], "iterations");
  EXPECT_EQ(report["coil_placement"], "device");
  for (const char* stage : {"read", "calibrate", "setup", "iterate", "write"})
    EXPECT_TRUE(report["seconds"][stage].is_number()) << stage;
  EXPECT_GT(report["peak_bytes"]["host"], 1000000);
  EXPECT_EQ(report["peak_bytes"]["device"].is_number(), device.on_gpu());
  EXPECT_EQ(report["peak_bytes"]["device"].is_null(), !device.on_gpu());
}

TEST_F(Commands, TraceHoldsTheStagesInTheirOrder) {
  run({"-o", at("traced.npy"), "--trace", at("trace.json"), "--report", at("traced.json"), "--regularizer",
       "none", "--iterations", "3"});
  const Json trace = Json::parse(read_file(at("trace.json")));
  const double total = Json::parse(read_file(at("traced.json")))["seconds"]["total"];
  Words names;
  double end = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["tid"] != 0) continue;
    names.push_back(event["name"]);
    EXPECT_GE(event["ts"].get<double>(), end - 1) << event;
    end = event["ts"].get<double>() + event["dur"].get<double>();
  }
  EXPECT_EQ(names.front(), "read");
  EXPECT_EQ(names.back(), "write");
  for (const char* stage : {"prepare", "calibrate", "setup", "iterate"})
    EXPECT_NE(std::find(names.begin(), names.end(), stage), names.end()) << stage;
  EXPECT_LE(end, 1.01e6 * total);
}

TEST_F(Commands, WindowsGiveASeriesOfFrames) {
  run({"-o", at("whole.npy"), "--regularizer", "none", "--iterations", "10"});
  run({"-o", at("frames.npy"), "--window", "24,20", "--regularizer", "ttv:1e-2", "--report",
       at("frames.json")});
  const auto frames = read_array(at("frames.npy"));
  ASSERT_EQ(frames.shape(), (Shape{3, 48, 48}));
  const Json report = Json::parse(read_file(at("frames.json")));
  EXPECT_EQ(report["series"]["frames"], 3);
  EXPECT_EQ(report["series"]["unused_readouts"], 0);
  EXPECT_EQ(report["lambda"], 1e-2);
  for (Index f = 0; f < 3; ++f) {
    write_array<std::complex<float>>(at("frame.npy"), frames.view().slice(f), true);
    EXPECT_LT(compare("frame.npy", "whole.npy", {"--magnitude"})["nrmse_plain"], 0.2) << f;
  }

  // Input files: bins, a constant basis function, a field of 0 Hz.
  auto bins = filled<double>({64}, 0);
  for (Index r = 0; r < 64; ++r) bins[r] = static_cast<double>(r % 4);
  write_array<double>(at("bins.npy"), bins.view(), true);
  write_array<double>(at("constant.npy"), filled<double>({4, 1}, 1).view(), true);
  write_array<double>(at("field.npy"), filled<double>({48, 48}, 0).view(), true);
  run({"-o", at("binned.npy"), "--bins", at("bins.npy"), "--iterations", "4"});
  EXPECT_EQ(read_array(at("binned.npy")).shape(), (Shape{4, 48, 48}));
  // The basis is made orthonormal: a coefficient is √4 times the image.
  run({"-o", at("subspace.npy"), "--bins", at("bins.npy"), "--basis", at("constant.npy"), "--regularizer",
       "none", "--iterations", "10"});
  EXPECT_LT(compare("subspace.npy", "whole.npy", {"--magnitude"})["nrmse"], 0.01);
  run({"-o", at("field-corrected.npy"), "--field-map", at("field.npy"), "--regularizer", "none",
       "--iterations", "10"});
  EXPECT_LT(compare("field-corrected.npy", "whole.npy", {"--magnitude"})["nrmse_plain"], 0.01);

  for (const Words& wrong : {Words{"--window", "8", "--bins", at("bins.npy")},
                             Words{"--basis", at("constant.npy"), "--combine", "rss"},
                             Words{"--window", "65"}, Words{"--window", "8", "--basis", at("constant.npy")},
                             Words{"--field-map", at("constant.npy")}, Words{"--regularizer", "ttv:1e-2"}}) {
    const Outcome outcome =
        recon(joined({"run", at("scan.h5"), "-o", at("unwritten.npy"), "--quiet"}, wrong));
    EXPECT_TRUE(outcome.status == 2 || outcome.status == 3) << outcome.status;
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
  }
}

TEST_F(Commands, DelaysOfGoodGradientsAreZero) {
  run({"-o", at("prompt.npy"), "--iterations", "5"});
  const Outcome outcome = run({"-o", at("auto.npy"), "--iterations", "5", "--delay", "auto", "-v"});
  EXPECT_NE(outcome.err.find("gradient delays in samples"), std::string::npos) << outcome.err;
  EXPECT_LT(compare("auto.npy", "prompt.npy")["nrmse"], 0.02);
  run({"-o", at("late.npy"), "--iterations", "5", "--delay", "0.7,0.7", "--report", at("late.json")});
  EXPECT_EQ(Json::parse(read_file(at("late.json")))["gradient_delay"]["y"], 0.7);
  EXPECT_GT(compare("late.npy", "prompt.npy")["nrmse"], 0.05);
}

TEST_F(Commands, ReplicasGiveMapsOfNoise) {
  run({"-o", at("plain.npy"), "--iterations", "5", "--replicas", "20", "--seed", "3"});
  const auto image = read_array<double>(at("plain.npy")), deviation = read_array<double>(at("plain-sd.npy")),
             snr = read_array<double>(at("plain-snr.npy")), g = read_array<double>(at("plain-g.npy"));
  ASSERT_EQ(g.shape(), image.shape());
  Index inside = 0;
  for (Index p = 0; p < image.size(); ++p) {
    EXPECT_NEAR(snr[p] * deviation[p], deviation[p] > 0 ? image[p] : 0.0, 1e-3 * image[p]);
    // The g-factor of unregularised, early stopped radial data is near one, up to the effect of uneven
    // sampling.
    if (g[p] == 0) continue;
    ++inside;
    EXPECT_GT(g[p], 0.2);
    EXPECT_LT(g[p], 5);
  }
  EXPECT_GT(inside, image.size() / 3);
  const Outcome existing = recon({"run", at("scan.h5"), "-o", at("new.npy"), "--replicas", "1"});
  EXPECT_EQ(existing.status, 2);
  EXPECT_EQ(line_count(existing.err), 1) << existing.err;
}

TEST_F(Commands, PointSpreadOfScansMasksAndTrajectories) {
  const auto psf = [&](const Words& words) {
    const Outcome outcome = succeed(joined({"psf", "--json", "--quiet"}, words));
    return Json::parse(outcome.out);
  };
  const Json scan = psf({at("scan.h5"), "--density", "voronoi", "-o", at("psf.npy"), "--overwrite"});
  EXPECT_NEAR(scan["fwhm_pixels"][0], 1.41, 0.05);
  EXPECT_NEAR(scan["efficiency"], 0.85, 0.03);
  const auto image = read_array(at("psf.npy"));
  EXPECT_NEAR(std::abs(image[image.size() / 2 + image.shape()[1] / 2]), 1, 1e-3);

  auto mask = filled<float>({16, 16}, 0);
  for (Index i = 0; i < mask.size(); i += 2) mask[i] = 1;  // every second column
  write_array<float>(at("mask.npy"), mask.view(), true);
  const Json alias = psf({"--mask", at("mask.npy")});
  EXPECT_NEAR(alias["side_lobe"], 1, 1e-3);
  EXPECT_EQ(std::abs(alias["side_lobe_at"][0].get<int>()), 8);

  std::ofstream(at("mask.mtx"))
      << "%%MatrixMarket matrix coordinate pattern general\n5000 7000 2\n1 1\n3 1\n";
  const Json large = psf({"--mask", at("mask.mtx")});  // |cos 2πy / 5000|
  EXPECT_EQ(large["samples"], 2);
  EXPECT_NEAR(large["fwhm_pixels"][1], 5000.0 / 3, 0.5);

  auto line = filled<double>({16, 2}, 0);
  for (Index i = 0; i < 16; ++i) line[2 * i] = (static_cast<double>(i) - 8) / 16;
  write_array<double>(at("line.npy"), line.view(), true);
  EXPECT_NEAR(psf({at("line.npy"), "--matrix", "16"})["fwhm_pixels"][0], 1.21, 0.01);
  for (const Words& wrong :
       {Words{"psf"}, {"psf", at("line.npy")}, {"psf", at("scan.h5"), "--mask", at("mask.npy")}}) {
    const Outcome outcome = recon(wrong);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
  }
}

TEST_F(Commands, AGradientResponseOfOneChangesNothing) {
  auto response = filled<std::complex<float>>({2, 3}, 1);
  for (Index i = 0; i < 3; ++i) response[i] = 1e6F * static_cast<float>(i - 1);
  write_array<std::complex<float>>(at("response.npy"), response.view(), true);
  run({"-o", at("ideal.npy"), "--iterations", "5"});
  run({"-o", at("responded.npy"), "--iterations", "5", "--gradient-response", at("response.npy")});
  EXPECT_LT(compare("responded.npy", "ideal.npy")["nrmse"], 1e-4);
}

TEST_F(Commands, AutomaticDeviceWithoutAGpuIsTheCpu) {
  run({"-o", at("hidden.npy"), "--report", at("hidden.json"), "--iterations", "1", "--device", "auto"},
      {.folder = {}, .file_size_limit = 0, .stdout_to = {}, .hide_gpus = true});
  EXPECT_EQ(Json::parse(read_file(at("hidden.json")))["device"], "cpu");
}

TEST_F(Commands, MessagesGoToStderrAndQuietMeansQuiet) {
  const Outcome usual = run({"-o", at("quiet.npy"), "--regularizer", "none", "--iterations", "2"});
  EXPECT_NE(usual.err.find("image 48 × 48, 240 × 240 mm\ncg, regularizer none"), std::string::npos)
      << usual.err;
  EXPECT_LE(line_count(usual.err), 6) << usual.err;
  const Outcome verbose =
      run({"-o", at("quiet.npy"), "--regularizer", "none", "--iterations", "2", "--verbose"});
  EXPECT_NE(verbose.err.find("trajectory units"), std::string::npos) << verbose.err;
  EXPECT_NE(verbose.err.find("2 iterations"), std::string::npos) << verbose.err;
  EXPECT_EQ(usual.err.find('\r'), std::string::npos) << "a progress bar in a pipe";
  const Outcome quiet = run({"-o", at("quiet.npy"), "--regularizer", "none", "--iterations", "2", "--quiet"});
  EXPECT_EQ(quiet.err, "");
}

TEST_F(Commands, SummaryNamesWhatNothingElseReveals) {
  const auto summary = [&](const std::function<void(Scan&)>& change, Words options = {}) {
    Scan scan = read_ismrmrd(at("scan.h5"));
    change(scan);
    scan.xml_header.clear();  // written from the encodings
    write_ismrmrd_raw(at("changed.h5"), scan, true);
    options.insert(options.end(), {"-o", at("changed.npy"), "-f", "--iterations", "2"});
    options.insert(options.begin(), {"run", at("changed.h5")});
    const Outcome outcome = recon(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  };
  const auto nothing = [](Scan&) {};
  const Words none{"--regularizer", "none"};
  EXPECT_THAT(summary(nothing, none), Not(HasSubstr("encoded pixels")));
  EXPECT_THAT(summary([](Scan& s) { s.encodings[0].encoded_fov_mm[0] = 243; }, none),
              HasSubstr("; encoded pixels of 5.062 × 5 mm"));
  EXPECT_THAT(summary([](Scan& s) { s.encodings[0].encoded_matrix[1] = 49; }, none),
              HasSubstr("; encoded pixels of 5 × 4.898 mm"));
  EXPECT_THAT(summary(nothing, {"--regularizer", "none", "--matrix", "40"}),
              HasSubstr("; encoded pixels of 5 × 5 mm"));
  for (const Words& solver :
       {Words{"--regularizer", "none"}, Words{"--solver", "fista", "--regularizer", "wavelet:1e-3"},
        Words{"--solver", "admm", "--regularizer", "tv:1e-3"}, Words{"--regularizer", "l2:1e-2"}})
    EXPECT_THAT(summary(nothing, solver), HasSubstr(" % of the data unexplained")) << solver[1];
  for (const std::size_t second : {10U, 15U, 17U})
    EXPECT_THAT(summary(
                    [&](Scan& s) {
                      for (std::size_t r = 1; r <= second; ++r) s.readouts[r].header.counters.repetition = 1;
                    },
                    none),
                HasSubstr(fmt::format("images of {} to", second)));
}

TEST_F(Commands, InfoIsATableOrJson) {
  const Outcome table = succeed({"info", at("scan.h5")});
  EXPECT_NE(table.out.find("would be reconstructed"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("48 x 48"), std::string::npos) << table.out;
  const Outcome outcome = succeed({"info", at("scan.h5"), "--json"});
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["reconstruction"]["images"].size(), 1U);
  EXPECT_EQ(json["reconstruction"]["channels"], 4);
  EXPECT_GT(json["reconstruction"]["memory_bytes"], 0);
  EXPECT_TRUE(json["error"].is_null());
}

TEST_F(Commands, InfoKnowsTheMemoryAndTheReadoutsOfTheRun) {
  Scan scan = read_ismrmrd(at("scan.h5"));
  for (std::size_t i = 0; i < scan.readouts.size(); i += 4)
    if (!scan.readouts[i].header.has(AcquisitionFlag::noise))
      scan.readouts[i].header.set(AcquisitionFlag::calibration);
  write_ismrmrd_raw(at("calibration.h5"), scan);
  const Json info = Json::parse(succeed({"info", at("calibration.h5"), "--json"}).out)["reconstruction"];
  const Json run =
      Json::parse(succeed({"run", at("calibration.h5"), "-o", at("calibrated.npy"), "-q", "--json"}).out);
  EXPECT_EQ(info["imaging_readouts"], 64) << "calibration readouts agree with the others";
  EXPECT_EQ(info["imaging_readouts"], run["sizes"]["imaging_readouts"]);
  Json wanted = run["memory_plan_bytes"]["items"], found = info["memory_items"];
  // Memory of the process itself differs from run to run.
  for (Json* items : {&wanted, &found})
    for (const char* name : {"process", "earlier peak of the process"}) items->erase(name);
  EXPECT_EQ(found, wanted);
}

TEST_F(Commands, ArraysOfTheWrongShapeAreRefused) {
  write_array<std::complex<float>>(at("maps-20.npy"), filled<std::complex<float>>({4, 20, 21}, 1).view());
  write_array<float>(at("k-7.npy"), filled<float>({7, 2}, 0.1F).view());
  for (const auto& [option, file, shape] :
       {std::tuple("--maps", "maps-20.npy", "20, 21"), std::tuple("--trajectory", "k-7.npy", "7 rows")}) {
    expect_refused(recon({"run", at("scan.h5"), "-o", at("unwritten.npy"), option, at(file), "--quiet"}), 3,
                   shape);
    EXPECT_FALSE(std::filesystem::exists(at("unwritten.npy")));
  }
}

TEST_F(Commands, EveryTrajectoryIsSimulatedAndReconstructed) {
  for (const std::string trajectory :
       {"radial", "spiral", "kooshball", "stack-of-stars", "rotated-stack-of-stars", "cartesian"}) {
    SCOPED_TRACE(trajectory);
    const bool volume = trajectory == "kooshball" || trajectory.ends_with("stack-of-stars");
    succeed({"simulate", at("any.h5"), "--trajectory", trajectory, "--matrix", volume ? "20,20,12" : "32",
             "--spokes", trajectory == "kooshball" ? "800" : "32", "--coils", "2", "--truth",
             at("any-truth.npy"), "--overwrite", "--quiet"});
    succeed({"run", at("any.h5"), "-o", at("any.npy"), "--overwrite", "--combine", "rss", "--quiet"});
    EXPECT_LT(compare("any.npy", "any-truth.npy", {"--magnitude"})["nrmse"], 0.25);
  }
}

TEST_F(Commands, SolversAndPriors) {
  const Words least{"--regularizer", "l2:1e-2", "--iterations", "50", "--complex"};
  const auto with = [&](const Words& words) { return run(joined(words, least)); };
  with({"-o", at("cg.npy")});
  with({"-o", at("lsmr.npy"), "--solver", "lsmr", "--report", at("lsmr.json")});
  EXPECT_LT(compare("lsmr.npy", "cg.npy")["nrmse"], 5e-3);
  EXPECT_EQ(Json::parse(read_file(at("lsmr.json")))["solver"], "lsmr");

  run({"-o", at("drawn.npy"), "--complex", "--regularizer", "l2:1e4:prior=" + at("cg.npy")});
  EXPECT_LT(compare("drawn.npy", "cg.npy")["nrmse"], 1e-3);
  // An output must not overwrite the prior.
  const Outcome itself = recon({"run", at("scan.h5"), "-o", at("cg.npy"), "--overwrite", "--regularizer",
                                "l2:1:prior=" + at("cg.npy")});
  EXPECT_EQ(itself.status, 2) << itself.err;
  expect_refused(
      recon({"run", at("scan.h5"), "-o", at("x.npy"), "--regularizer", "l2:1:prior=" + at("none.npy")}), 3,
      "none.npy");
  expect_refused(recon({"run", at("scan.h5"), "-o", at("x.npy"), "--matrix", "40", "--regularizer",
                        "l2:1:prior=" + at("cg.npy")}),
                 3, "cg.npy: shape [48, 48], expected [40, 40]");
}

TEST_F(Commands, MapSets) {
  const Words sets{"--sets", "2", "--iterations", "10", "--complex"};
  run(joined(sets, {"-o", at("sets.npy")}));
  succeed({"maps", at("scan.h5"), "-o", at("two.npy"), "--sets", "2"});
  EXPECT_EQ(read_array(at("two.npy")).shape(), (Shape{2, 4, 48, 48}));
  run(joined(sets, {"-o", at("given.npy"), "--maps", at("two.npy")}));
  EXPECT_EQ(read_array(at("given.npy")).shape(), (Shape{2, 48, 48}));
  EXPECT_LT(compare("given.npy", "sets.npy")["nrmse"], 1e-5);
  expect_refused(recon({"run", at("scan.h5"), "-o", at("x.npy"), "--sets", "9"}), 2, "--sets: 9 map sets");
}

}  // namespace
}  // namespace larmor::test
