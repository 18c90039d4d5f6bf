#include <gtest/gtest.h>

#include "apps/recon_process.hpp"
#include "error_of.hpp"
#include "foreign_program.hpp"
#include "io/make_images.hpp"

#include <larmor/core/beside_library.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/images/dicom/attributes.hpp>
#include <larmor/io/images/dicom/dicom_uid.hpp>
#include <larmor/io/images/dicom/frames.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>

// Other programs read our DICOM files correctly.

namespace larmor::test {
namespace {

constexpr const char* header = R"(<ismrmrdHeader>
<subjectInformation><patientName>Schäfer\Test^Ute</patientName><patientID>4711</patientID>
<patientBirthdate>1970-05-06</patientBirthdate><patientGender>F</patientGender></subjectInformation>
<studyInformation><studyDate>2024-01-31</studyDate><studyTime>12:45:10.5</studyTime>
<studyInstanceUID>1.2.3.4</studyInstanceUID></studyInformation>
<measurementInformation><patientPosition>HFS</patientPosition><protocolName>secret plan</protocolName>
</measurementInformation>
<acquisitionSystemInformation><systemVendor>Acme</systemVendor><systemModel>One</systemModel>
<systemFieldStrength_T>2.89</systemFieldStrength_T><institutionName>Hospital</institutionName>
</acquisitionSystemInformation>
<experimentalConditions><H1resonanceFrequency_Hz>123200000</H1resonanceFrequency_Hz></experimentalConditions>
<encoding><trajectory>radial</trajectory></encoding>
<sequenceParameters><TR>7.5</TR><TE>2.5</TE><TE>5</TE><flipAngle_deg>12</flipAngle_deg></sequenceParameters>
</ismrmrdHeader>)";

void turn(Image& image, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  image.geometry.read_dir = {c, s, 0};
  image.geometry.phase_dir = {-s * 0.6, c * 0.6, 0.8};
  image.geometry.slice_dir = {s * 0.8, -c * 0.8, 0.6};
  image.geometry.position = {11, -7, 23};
}

/// Slices whose numbering differs from their spatial order, twice.
ImageSeries slices() {
  ImageSeries series;
  series.ismrmrd_header = header;
  for (std::uint16_t repetition = 0; repetition < 2; ++repetition)
    for (std::uint16_t slice = 0; slice < 3; ++slice) {
      Image image = make_image({1, 7, 6}, 50.0F * slice + 500.0F * repetition);
      turn(image, 0.3);
      constexpr std::array<double, 3> away{4, -4, 0};
      for (std::size_t i = 0; i < 3; ++i)
        image.geometry.position[i] += away[slice] * image.geometry.slice_dir[i];
      image.counters.slice = slice;
      image.counters.repetition = repetition;
      series.images.push_back(std::move(image));
    }
  return series;
}

ImageSeries volume() {
  ImageSeries series;
  series.ismrmrd_header = header;
  series.images.push_back(make_image({5, 4, 9}));
  turn(series.images[0], -0.7);
  return series;
}

/// A Python that has pydicom and nibabel; empty: none.
const std::string& python_with_readers() {
  static const std::string found = [] {
    for (const std::string python : {"/usr/bin/python3", "python3"})
      if (std::system((python + " -c 'import pydicom, nibabel' 2>/dev/null").c_str()) == 0) return python;
    return std::string();
  }();
  return found;
}

/// Output and status of a shell command.
std::pair<int, std::string> shell(const std::string& line) {
  std::string text;
  FILE* pipe = popen((line + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  return {pclose(pipe), text};
}

class Dicom : public testing::Test {
 protected:
  void SetUp() override {
    if (find_beside_library("liblarmor-dicom.so").empty()) GTEST_SKIP() << "built without DCMTK";
  }
  std::string check(const std::string& words) {
    const std::string& python = python_with_readers();
    const auto [status, text] =
        shell(python + " " LARMOR_SOURCE_DIR "/tests/apps/foreign/check_dicom.py " + words);
    EXPECT_EQ(status, 0) << text;
    return text;
  }
  void compare(const ImageSeries& series) {
    for (const char* name : {"a.dcm", "a.nii", "a.npy"}) write_images(at(name), series, {.overwrite = true});
    check("same " + at("a.dcm") + " " + at("a.nii") + " " + at("a.npy"));
  }
  std::string values(const std::string& keywords) { return check("values " + at("a.dcm") + " " + keywords); }
  std::string at(const std::string& name) const { return folder_ / name; }

  TemporaryFolder folder_;
};

#define REQUIRE_PYDICOM() \
  LARMOR_NEEDS_PROGRAM("Python with pydicom and nibabel", !python_with_readers().empty())

TEST_F(Dicom, IsForPydicomWhatNiftiIsForNibabel) {
  REQUIRE_PYDICOM();
  compare(slices());
  EXPECT_EQ(values("SOPClassUID"), "1.2.840.10008.5.1.4.1.1.4.1");
  compare(volume());
  ImageSeries single = slices();
  single.images.resize(1);
  compare(single);
  EXPECT_EQ(values("SOPClassUID"), "1.2.840.10008.5.1.4.1.1.4");
  EXPECT_EQ(values("EchoTime"), "2.5");
  ImageSeries phase = volume();
  phase.kind = ImageKind::phase;
  compare(phase);
  EXPECT_EQ(values("ComplexImageComponent"), "PHASE");
  ImageSeries real = volume();
  real.kind = ImageKind::real;
  compare(real);
  EXPECT_EQ(values("ComplexImageComponent"), "REAL");
}

TEST_F(Dicom, SaysHowItWasMeasured) {
  REQUIRE_PYDICOM();
  compare(slices());
  EXPECT_EQ(
      values("RepetitionTime EffectiveEchoTime FlipAngle MagneticFieldStrength Manufacturer PatientPosition"),
      "7.5|2.5|12|2.89|Acme|HFS");
}

TEST_F(Dicom, SaysWhatEachContrastWasMeasuredWith) {
  REQUIRE_PYDICOM();
  ImageSeries series = slices();
  for (Image& image : series.images) std::swap(image.counters.contrast, image.counters.repetition);
  series.ismrmrd_header.replace(series.ismrmrd_header.find("<flip"), 0,
                                "<TI>100</TI><TI>900</TI><flipAngle_deg>5</flipAngle_deg>");
  compare(series);
  const std::string text = check("contrasts " + at("a.dcm"));
  EXPECT_EQ(text, "2.5 5 100\n2.5 5 100\n2.5 5 100\n5 12 900\n5 12 900\n5 12 900\n");
  ImageSeries single = slices();
  series.images.clear();
  for (Image& image : single.images)
    if (image.counters.repetition == 1 && image.counters.slice == 1) {
      image.counters.contrast = 1;
      series.images.push_back(std::move(image));
    }
  compare(series);
  EXPECT_EQ(values("EchoTime FlipAngle InversionTime"), "5|12|900");
}

TEST_F(Dicom, NamesNobodyUnlessItIsTold) {
  REQUIRE_PYDICOM();
  compare(slices());
  const std::string anonymous = read_file(at("a.dcm"));
  for (const char* secret : {"Sch", "4711", "1970", "2024", "1.2.3.4", "secret", "Hospital"})
    EXPECT_EQ(anonymous.find(secret), std::string::npos) << secret;
  EXPECT_EQ(values("PatientIdentityRemoved"), "YES");
  const std::string image = values("SOPInstanceUID");
  write_images(at("a.dcm"), slices(), {.overwrite = true, .keep_patient = true});
  EXPECT_EQ(values("PatientName PatientBirthDate StudyDate StudyTime StudyInstanceUID ProtocolName"),
            "Schäfer Test^Ute|19700506|20240131|124510.5|1.2.3.4|secret plan");
  EXPECT_NE(values("SOPInstanceUID"), image) << "two files that differ have one identifier";
}

TEST_F(Dicom, HasMarkersWhereTheyWere) {
  REQUIRE_PYDICOM();
  std::ifstream file(std::string(LARMOR_TEST_DATA) + "/markers.json");
  if (!file) GTEST_SKIP() << LARMOR_TEST_DATA << "/markers.json is not there";
  const auto truth = nlohmann::json::parse(file);
  const auto place = [](const nlohmann::json& at) {
    return fmt::format(" {},{},{}", at[0].get<double>(), at[1].get<double>(), at[2].get<double>());
  };
  const auto reconstruct = [&](const std::string& scan) {
    succeed({"run", std::string(LARMOR_TEST_DATA) + "/" + scan, "-o", at("a.dcm"), "-f", "-q", "--combine",
             "rss", "--iterations", "10"});
  };
  reconstruct("markers_3d.h5");
  std::string places;
  for (const auto& at : truth["markers_3d.h5"]["lps_mm"]) places += place(at);
  check("markers " + at("a.dcm") + places);
  reconstruct("multislice.h5");
  places.clear();
  for (const auto& slice : truth["multislice.h5"]["slices"])
    for (const auto& at : slice) places += place(at);
  check("markers " + at("a.dcm") + places);
}

TEST_F(Dicom, HasNothingThatToolsOfOthersComplainAbout) {
  LARMOR_NEEDS_PROGRAM("dcmdump");
  write_images(at("a.dcm"), slices());
  const auto [status, text] = shell("dcmdump +P ImagePositionPatient " + at("a.dcm"));
  EXPECT_EQ(status, 0) << text;
  EXPECT_EQ(line_count(text), 6) << text;
  LARMOR_NEEDS_PROGRAM("dciodvfy");
  const auto findings = [&](const ImageSeries& series) {
    write_images(at("a.dcm"), series, {.overwrite = true});
    return shell("dciodvfy " + at("a.dcm") + " 2>&1 | grep Error").second;
  };
  ImageSeries single = slices();
  single.images.resize(1);
  EXPECT_EQ(findings(single), "");
  for (const char* times : {"<TR>7.5</TR><TI>300</TI>", "<TR>2000</TR><TI>300</TI>", "<TI>300</TI>"}) {
    single.ismrmrd_header = header;
    single.ismrmrd_header.replace(single.ismrmrd_header.find("<TR>7.5</TR>"), 12, times);
    EXPECT_EQ(findings(single), "") << times;
  }
  // For multi-frame images the standard requires more about the sequence than an ISMRMRD header contains.
  ImageSeries plain = volume();
  plain.ismrmrd_header.clear();
  EXPECT_EQ(line_count(findings(plain)), 1) << findings(plain);
  EXPECT_NE(findings(plain).find("ApplicableSafetyStandardAgency"), std::string::npos);
}

TEST_F(Dicom, KeepsTheEarlierFileWhereTheDiskIsFull) {
  ASSERT_EQ(
      recon({"simulate", at("scan.h5"), "--matrix", "16", "--spokes", "12", "--coils", "2", "-q"}).status, 0);
  const Words words{"run",  at("scan.h5"),  "-o", at("a.dcm"), "--regularizer",
                    "none", "--iterations", "2",  "-q",        "-f"};
  succeed(words);
  const auto size = std::filesystem::file_size(at("a.dcm"));
  for (const std::uintmax_t room : {std::uintmax_t{500}, size / 2, size - 1}) {
    const Outcome outcome = recon(words, {.folder = {}, .file_size_limit = room, .stdout_to = "/dev/null"});
    EXPECT_EQ(outcome.status, 4) << room << " of " << size << " bytes: " << outcome.err;
    EXPECT_EQ(std::filesystem::file_size(at("a.dcm")), size);
  }
}

TEST_F(Dicom, TellsWhatItCannotHold) {
  ImageSeries complex = volume();
  complex.kind = ImageKind::complex;
  complex.images[0].geometry.orientation_known = false;
  const WrittenFiles written = write_images(at("a.dcm"), complex);
  ASSERT_EQ(written.warnings.size(), 2U);
  EXPECT_NE(written.warnings[0].find("magnitude"), std::string::npos);
  EXPECT_NE(written.warnings[1].find("directions"), std::string::npos);
  ImageSeries huge;
  huge.images.push_back(make_image({1, 1, 70000}));
  EXPECT_EQ(error_of([&] { write_images(at("b.dcm"), huge); }).substr(0, 2), "2:");
}

TEST(DicomPixels, HoldWhatIsNoNumberAndWhatIsZero) {
  ImageSeries series;
  series.images.push_back(make_image({1, 2, 2}));
  for (auto& pixel : series.images[0].pixels) pixel = 0;
  const dicom::Frames frames = dicom::frames_of(series);
  EXPECT_EQ(dicom::stored_pixels(frames, ImageKind::magnitude).values, (std::vector<std::uint16_t>(4, 0)));
  series.images[0].pixels[1] = {3, 4};
  series.images[0].pixels[2] = std::numeric_limits<float>::quiet_NaN();
  const dicom::StoredPixels some = dicom::stored_pixels(frames, ImageKind::magnitude);
  EXPECT_EQ(some.values, (std::vector<std::uint16_t>{0, 65535, 0, 0}));
  EXPECT_NEAR(some.slope * 65535, 5, 1e-6);
  series.images[0].pixels[1] = -1;
  const dicom::StoredPixels phase = dicom::stored_pixels(frames, ImageKind::phase);
  EXPECT_NEAR(phase.values[1] * phase.slope + phase.intercept, std::numbers::pi, 1e-4);
  EXPECT_NEAR(phase.values[0] * phase.slope + phase.intercept, 0, 1e-4);
}

TEST(DicomPixels, KeepSigns) {
  ImageSeries series;
  series.images.push_back(make_image({1, 2, 3}));
  for (const auto& [least, most] :
       {std::pair(-3.0F, 3.0F), std::pair(-200.0F, 1e-3F), std::pair(-1.0F, 70.0F), std::pair(0.0F, 2.0F)}) {
    const float values[] = {least, most, 0, least / 3, most / 7, std::numeric_limits<float>::quiet_NaN()};
    std::copy(std::begin(values), std::end(values), series.images[0].pixels.begin());
    const dicom::StoredPixels found = dicom::stored_pixels(dicom::frames_of(series), ImageKind::real);
    const double step = (static_cast<double>(most) - static_cast<double>(least)) / 65534;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(found.values[i] * found.slope + found.intercept, i < 5 ? values[i] : 0, 0.51 * step)
          << least << " " << i;
    EXPECT_NEAR(found.values[2] * found.slope + found.intercept, 0, 1e-3 * step) << "0 is a step";
  }
}

// As many slices as columns: the pixels that a regular subsampling takes must not all be in one column.
TEST(DicomPixels, HaveAWindowForWhatIsInTheMiddle) {
  constexpr Index n = 24;
  for (const Shape& shape : {Shape{n, n, n}, Shape{1, n, n}, Shape{n, n, n + 1}, Shape{5 * n, n, n}}) {
    ImageSeries series;
    series.images.push_back(make_image(shape));
    Array<std::complex<float>>& pixels = series.images[0].pixels;
    for (Index i = 0; i < pixels.size(); ++i) {
      const Index x = i % shape[2] - shape[2] / 2, y = i / shape[2] % n - n / 2;
      const bool edge = std::abs(x) > n / 4 || std::abs(y) > n / 4;
      pixels[i] = edge ? 0.01F : 1.0F;
    }
    const auto found = dicom::stored_pixels(dicom::frames_of(series), ImageKind::magnitude);
    EXPECT_FLOAT_EQ(static_cast<float>(found.window_width), 1) << shape.to_string();
    EXPECT_EQ(found.window_center, found.window_width / 2);
  }
}

// If the direction of one slice is unknown, no frame gets one.
TEST(DicomFrames, LieInOneSpace) {
  ImageSeries series = slices();
  series.images.resize(3);
  series.images[1].geometry.orientation_known = false;
  const dicom::Frames frames = dicom::frames_of(series);
  EXPECT_FALSE(frames.oriented);
  ASSERT_EQ(frames.frames.size(), 3U);
  for (const dicom::Frame& frame : frames.frames) {
    EXPECT_EQ(frame.position[0], -3 * frames.voxel_mm[0]);
    EXPECT_EQ(frame.position[1], -3 * frames.voxel_mm[1]);
  }
}

TEST(DicomTexts, AreDatesTimesAndIdentifiers) {
  EXPECT_EQ(dicom::date_of("2024-01-31"), "20240131");
  EXPECT_EQ(dicom::date_of("31.1.2024"), "");
  EXPECT_EQ(dicom::time_of("12:45:00"), "124500");
  EXPECT_EQ(dicom::time_of("12:45:00.1234567Z"), "124500.123456");
  EXPECT_EQ(dicom::time_of("noon"), "");
  EXPECT_LE(dicom::decimal(-1.23456789012345e-5).size(), 16U);
  const std::string uid = dicom_uid_of("a");
  EXPECT_EQ(uid, dicom_uid_of("a"));
  EXPECT_NE(uid, dicom_uid_of("b"));
  EXPECT_LE(uid.size(), 64U);
  EXPECT_EQ(uid.find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace larmor::test
