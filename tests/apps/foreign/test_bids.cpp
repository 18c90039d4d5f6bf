#include <gtest/gtest.h>

#include "apps/recon_process.hpp"
#include "foreign_program.hpp"
#include "io/make_images.hpp"

#include <larmor/io/formats.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

// BIDS sidecars of NIfTI images, checked by the BIDS validator.

namespace larmor::test {
namespace {

std::string header_with(const std::string& parameters) {
  return "<ismrmrdHeader><measurementInformation><patientPosition>HFS</patientPosition>"
         "<protocolName>secret plan</protocolName></measurementInformation><acquisitionSystemInformation>"
         "<systemVendor>Acme</systemVendor><systemModel>One</systemModel>"
         "<systemFieldStrength_T>2.89</systemFieldStrength_T><institutionName>Hospital</institutionName>"
         "</acquisitionSystemInformation><experimentalConditions><H1resonanceFrequency_Hz>123200000"
         "</H1resonanceFrequency_Hz></experimentalConditions><encoding><trajectory>radial</trajectory>"
         "<parallelImaging><accelerationFactor><kspace_encoding_step_1>2</kspace_encoding_step_1>"
         "<kspace_encoding_step_2>1</kspace_encoding_step_2></accelerationFactor></parallelImaging>"
         "<echoTrainLength>1</echoTrainLength></encoding><sequenceParameters>" +
         parameters + "</sequenceParameters></ismrmrdHeader>";
}

/// Three slices for each contrast, repeated.
ImageSeries slices(std::uint16_t repetitions, const std::string& parameters,
                   const std::vector<std::uint16_t>& contrasts = {0}) {
  ImageSeries series;
  series.ismrmrd_header = header_with(parameters);
  for (std::uint16_t repetition = 0; repetition < repetitions; ++repetition)
    for (const std::uint16_t contrast : contrasts)
      for (std::uint16_t slice = 0; slice < 3; ++slice) {
        Image image = make_image({1, 7, 6});
        image.geometry.position = {0, 0, 5.0 * slice};
        image.counters.slice = slice;
        image.counters.contrast = contrast;
        image.counters.repetition = repetition;
        series.images.push_back(std::move(image));
      }
  return series;
}

nlohmann::json json_in(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_file(file));
}

constexpr const char* usual = "<TR>7.5</TR><TE>2.5</TE><flipAngle_deg>12</flipAngle_deg>";

TEST(Sidecar, IsWhatTheHeaderSays) {
  const TemporaryFolder folder;
  const auto facts_of = [&](const std::string& parameters) {
    write_images(folder / "a.nii", slices(1, parameters), {.overwrite = true, .sidecar = true});
    return json_in(folder / "a.json");
  };
  const auto facts =
      facts_of("<TR>2000</TR><TE>2.5</TE><TE>5</TE><TI>900</TI><flipAngle_deg>12</flipAngle_deg>");
  EXPECT_DOUBLE_EQ(facts["RepetitionTime"], 2);
  EXPECT_DOUBLE_EQ(facts["RepetitionTimeExcitation"], 2);
  EXPECT_EQ(facts["EchoTime"], 0.0025);
  EXPECT_DOUBLE_EQ(facts["InversionTime"], 0.9);
  EXPECT_EQ(facts["FlipAngle"], 12);
  EXPECT_EQ(facts["MagneticFieldStrength"], 2.89);
  EXPECT_EQ(facts["ImagingFrequency"], 123.2);
  EXPECT_EQ(facts["Manufacturer"], "Acme");
  EXPECT_FALSE(facts.contains("InstitutionName"));
  EXPECT_FALSE(facts.contains("ProtocolName"));
  EXPECT_FALSE(facts.contains("TaskName"));
  // An inversion time longer than the repetition is not written.
  EXPECT_FALSE(facts_of("<TR>7.5</TR><TI>300</TI>").contains("InversionTime"));
  // Values that BIDS does not allow.
  const auto odd = facts_of("<TR>0</TR><TE>0</TE><TI>0</TI><flipAngle_deg>400</flipAngle_deg>");
  for (const char* name : {"RepetitionTime", "EchoTime", "InversionTime", "FlipAngle"})
    EXPECT_FALSE(odd.contains(name)) << name;
}

TEST(Sidecar, HasTheNumbersOfItsVolumes) {
  const TemporaryFolder folder;
  using Numbers = std::vector<double>;
  const std::string usual_times = "<TR>50</TR>", echoes = "<TE>3</TE><TE>7</TE><TE>11</TE>",
                    angles =
                        "<flipAngle_deg>5</flipAngle_deg><flipAngle_deg>15</flipAngle_deg>"
                        "<flipAngle_deg>25</flipAngle_deg>",
                    inversions = "<TI>20</TI><TI>300</TI><TI>900</TI>";
  const auto facts_of = [&](const std::string& parameters, const std::vector<std::uint16_t>& contrasts,
                            std::uint16_t repetitions = 1, const std::string& name = "a") {
    write_images(folder / (name + ".nii"), slices(repetitions, usual_times + parameters, contrasts),
                 {.overwrite = true, .sidecar = true, .frame_seconds = 2});
    return json_in(folder / (name + ".json"));
  };
  EXPECT_EQ(facts_of(echoes, {0})["EchoTime"], 0.003);
  EXPECT_EQ(facts_of(echoes, {1})["EchoTime"], 0.007);
  EXPECT_EQ(facts_of(echoes, {1, 2})["EchoTime"], (Numbers{0.007, 0.011}));
  EXPECT_EQ(facts_of(echoes, {0, 1, 2})["EchoTime"], (Numbers{0.003, 0.007, 0.011}));
  // Repetitions come first in the file.
  EXPECT_EQ(facts_of(echoes, {0, 2}, 2)["EchoTime"], (Numbers{0.003, 0.003, 0.011, 0.011}));
  EXPECT_EQ(facts_of("<TE>3</TE>", {0, 1, 2}, 2)["EchoTime"], 0.003);
  EXPECT_EQ(facts_of(angles, {1})["FlipAngle"], 15);
  EXPECT_EQ(facts_of(angles, {0, 2})["FlipAngle"], (Numbers{5, 25}));
  // Times after one inversion may be longer than the repetition time between readouts.
  EXPECT_EQ(facts_of(inversions, {2})["InversionTime"], 0.9);
  EXPECT_EQ(facts_of(inversions, {0})["InversionTime"], 0.02);
  EXPECT_FALSE(facts_of(inversions, {0, 1}).contains("InversionTime")) << "BIDS has one number";
  // Lists shorter than the number of contrasts.
  EXPECT_FALSE(facts_of("<TE>3</TE><TE>7</TE>", {0, 1, 2}).contains("EchoTime"));
  // With a single contrast in the header, it is unknown what three flip angles refer to.
  ImageSeries counted = slices(1, usual_times + angles);
  counted.ismrmrd_header.insert(counted.ismrmrd_header.find("<trajectory>"),
                                "<encodingLimits><contrast><maximum>0</maximum></contrast></encodingLimits>");
  write_images(folder / "a.nii", counted, {.overwrite = true, .sidecar = true});
  EXPECT_FALSE(json_in(folder / "a.json").contains("FlipAngle"));
  // Each file of a series has its own sidecar.
  ImageSeries apart = slices(1, usual_times + echoes, {0, 1});
  apart.images.pop_back();
  write_images(folder / "b.nii", apart, {.sidecar = true});
  EXPECT_EQ(json_in(folder / "b_1.json")["EchoTime"], 0.003);
  EXPECT_EQ(json_in(folder / "b_2.json")["EchoTime"], 0.007);
}

TEST(Sidecar, OfASeriesHasTheTimeBetweenItsImages) {
  const TemporaryFolder folder;
  const std::string image = folder / "sub-01_task-rest2_run-1_bold.nii";
  const WrittenFiles unknown = write_images(image, slices(2, usual), {.sidecar = true});
  ASSERT_EQ(unknown.warnings.size(), 1U);
  EXPECT_NE(unknown.warnings[0].find("no RepetitionTime"), std::string::npos);
  EXPECT_TRUE(unknown.lacks_frame_time);
  const std::string json = folder / "sub-01_task-rest2_run-1_bold.json";
  EXPECT_FALSE(json_in(json).contains("RepetitionTime"));
  EXPECT_EQ(json_in(json)["RepetitionTimeExcitation"], 0.0075);
  EXPECT_EQ(json_in(json)["TaskName"], "rest2");
  const WrittenFiles told =
      write_images(image, slices(2, usual), {.overwrite = true, .sidecar = true, .frame_seconds = 1.5});
  EXPECT_TRUE(told.warnings.empty());
  EXPECT_FALSE(told.lacks_frame_time);
  EXPECT_EQ(json_in(json)["RepetitionTime"], 1.5);
}

TEST(Sidecar, IsNoFileThatMayBeReplacedUnasked) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5", image = folder / "image.nii.gz";
  succeed({"simulate", scan, "--matrix", "16", "-q"});
  const Words run{"run", scan, "-o", image, "--bids", "-q"};
  succeed(run);
  const auto json = json_in(folder / "image.json");
  EXPECT_NEAR(json["MagneticFieldStrength"].get<double>(), 2.8936, 1e-3);
  EXPECT_EQ(json["ConversionSoftware"], "Larmor");
  std::filesystem::remove(image);
  EXPECT_EQ(recon(run).status, 2);
  EXPECT_FALSE(std::filesystem::exists(image));
}

/// A data set of one subject, with the files that BIDS requires in addition to the images.
class BidsDataSet : public testing::Test {
 protected:
  void SetUp() override {
    LARMOR_NEEDS_PROGRAM("bids-validator-deno");
    for (const char* kind : {"anat", "func"})
      std::filesystem::create_directories(std::filesystem::path(data_) / "sub-01" / kind);
    write_file(std::filesystem::path(data_) / "dataset_description.json",
               R"({"Name": "Images of a test", "BIDSVersion": "1.10.0"})");
    write_file(std::filesystem::path(data_) / "README", "Images that a test has reconstructed.\n");
  }
  std::string at(const std::string& name) const { return data_ + "/sub-01/" + name; }
  /// Codes of the errors that the validator reports, one per line.
  std::string errors() {
    const std::string found = folder_ / "found.json";
    const int status = std::system(("bids-validator-deno --json '" + data_ + "' >" + found).c_str());
    const auto json = json_in(found);
    EXPECT_GT(json["summary"]["totalFiles"], 2);
    std::string text;
    for (const auto& issue : json["issues"]["issues"])
      if (issue["severity"] == "error")
        text += issue["code"].get<std::string>() + " " + issue.value("subCode", "") + "\n";
    EXPECT_EQ(status == 0, text.empty()) << text;
    return text;
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
};

TEST_F(BidsDataSet, OfWhatTheCommandWritesIsValid) {
  const std::string volume = folder_ / "volume.h5", frames = folder_ / "frames.h5";
  ASSERT_EQ(
      recon({"simulate", volume, "--trajectory", "stack-of-stars", "--matrix", "16,16,4", "--coils", "2"})
          .status,
      0);
  succeed({"simulate", frames, "--matrix", "16", "--coils", "2", "--spokes", "48"});
  const auto image = [](const std::string& scan, const std::string& name, Words more) {
    more.insert(more.begin(),
                {"run", scan, "-o", name, "--bids", "--iterations", "3", "--regularizer", "l2:0.1"});
    const Outcome outcome = succeed(more);
    return outcome.err;
  };
  image(volume, at("anat/sub-01_T1w.nii.gz"), {});
  image(volume, at("anat/sub-01_part-phase_T2starw.nii.gz"), {"--phase", "--keep-patient"});
  image(frames, at("func/sub-01_task-rest_bold.nii.gz"), {"--window", "16", "--frame-time", "0.8"});
  EXPECT_EQ(errors(), "");
  // Without the time between images the validator reports an error; the command said how to give it.
  const std::string said = image(frames, at("func/sub-01_task-rest_bold.nii.gz"), {"--window", "16", "-f"});
  EXPECT_NE(said.find("given by --frame-time"), std::string::npos) << said;
  EXPECT_NE(errors().find("RepetitionTime"), std::string::npos);
}

TEST_F(BidsDataSet, OfHeadersThatSayMoreOrOddThingsIsValid) {
  const auto write = [&](const std::string& name, const ImageSeries& series, bool keep_patient = false) {
    write_images(at(name), series,
                 {.overwrite = true, .sidecar = true, .frame_seconds = 2, .keep_patient = keep_patient});
  };
  write("anat/sub-01_T1w.nii.gz", slices(1, usual), true);
  write("anat/sub-01_T2w.nii", slices(1, "<TR>0</TR><TE>0</TE><TI>0</TI><flipAngle_deg>0</flipAngle_deg>"));
  write("anat/sub-01_FLAIR.nii.gz",
        slices(1,
               "<TR>2000</TR><TR>2100</TR><TE>2</TE><TE>4</TE><TI>500</TI><TI>900</TI>"
               "<flipAngle_deg>12</flipAngle_deg><flipAngle_deg>400</flipAngle_deg>"));
  write("func/sub-01_task-rest_bold.nii.gz", slices(3, usual));
  EXPECT_EQ(errors(), "");
}

}  // namespace
}  // namespace larmor::test
