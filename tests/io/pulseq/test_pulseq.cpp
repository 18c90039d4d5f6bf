#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/pulseq/sequence_scan.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

// Trajectories of Pulseq sequences, compared with hand calculation and with pypulseq.

namespace larmor::test {
namespace {

using testing::HasSubstr;

const std::string source = LARMOR_SOURCE_DIR;

void expect_same(const Array<double>& ours, const Array<double>& theirs) {
  const Index dims = ours.shape()[ours.shape().rank() - 1];
  ASSERT_EQ(ours.size() / dims, theirs.shape()[0]);
  double largest = 0, away = 0;
  for (Index i = 0; i < theirs.shape()[0]; ++i)
    for (Index axis = 0; axis < dims; ++axis) {
      largest = std::max(largest, std::abs(theirs[3 * i + axis]));
      away = std::max(away, std::abs(ours[dims * i + axis] - theirs[3 * i + axis]));
    }
  // Gradients have six digits in the file; version 1.4 omits their values at both ends.
  EXPECT_LT(away, 1e-4 * largest);
  EXPECT_GT(largest, 10);
}

TEST(Pulseq, IsWhatPypulseqFound) {
  for (const char* name : {"radial1.4", "spiral1.4", "spiral1.5"}) {
    SCOPED_TRACE(name);
    const Array<double> ours = read_array<double>(source + "/tests/fuzz/corpus/pulseq/" + name + ".seq");
    expect_same(ours, read_npy<double>(source + "/tests/io/pulseq/" + name + ".npy"));
    // Radial spokes stay in their plane.
    EXPECT_EQ(ours.shape(), std::string(name) == "radial1.4" ? (Shape{8, 64, 2}) : (Shape{8, 500, 3}));
  }
}

TEST(Pulseq, IsWhatPypulseqFindsNow) {
  const char* given = std::getenv("LARMOR_PYTHON");
  const std::string python = given == nullptr ? "python3" : given;
  if (std::system((python + " -c 'import pypulseq' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << python << " has no pypulseq; LARMOR_PYTHON names another Python";
  const TemporaryFolder folder;
  for (const std::string words : {"radial 1.4", "radial 1.5", "spiral 1.5"}) {
    SCOPED_TRACE(words);
    const std::string out = folder / "made";
    ASSERT_EQ(std::system((python + " " + source + "/tests/io/pulseq/make_sequence.py " + words + " " + out +
                           " >/dev/null 2>&1")
                              .c_str()),
              0);
    expect_same(read_pulseq(out + ".seq"), read_npy<double>(out + ".npy"));
  }
}

// Version 1.3, in which blocks last as long as their longest event.
std::string sequence(const std::string& blocks, const std::string& more = "") {
  return "[VERSION]\nmajor 1\nminor 3\nrevision 0\n[BLOCKS]\n" + blocks +
         "[RF]\n1 500 1 1 0 0 0\n2 1100 1 1 0 0 0\n[TRAP]\n1 1000000 0 100 0 0\n2 -500000 100 0 100 0\n"
         "[ADC]\n1 10 10000 0 0 0\n[DELAYS]\n1 100\n[SHAPES]\n\nshape_id 1\nnum_samples 500\n1\n0\n0\n497\n" +
         more;
}

TEST(Pulseq, GoesByTheIntegralFromThePulse) {
  // A pulse of 90 degrees, half a millisecond long; a gradient of 1 MHz/m for 100 µs; the acquisition during
  // it.
  const Array<double> k = pulseq_trajectory(sequence("1 0 1 0 0 0 0 0\n2 0 0 1 0 0 1 0\n"), "file");
  ASSERT_EQ(k.shape(), (Shape{1, 10, 2}));
  for (Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(k[2 * i], 10 * (static_cast<double>(i) + 0.5), 1e-9);
    EXPECT_EQ(k[2 * i + 1], 0);
  }
}

TEST(Pulseq, SaysTheFieldOfViewItWasMadeFor) {
  const TemporaryFolder folder;
  const auto fov_of = [&](const std::string& definition) {
    hostile::overwrite_contents(
        folder / "a.seq", sequence("1 0 1 0 0 0 0 0\n2 0 0 1 0 0 1 0\n", "[DEFINITIONS]\n" + definition));
    return read_pulseq_fov(folder / "a.seq");
  };
  EXPECT_EQ(fov_of("Name radial\n")[0], 0);
  EXPECT_NEAR(fov_of("FOV 0.24 0.2 0\n")[1], 200, 1e-9);
  EXPECT_NEAR(fov_of("FOV 240 200 5\n")[0], 240, 1e-9);  // notation of early sequences
  EXPECT_NEAR(fov_of("FOV 240 200 1.5\n")[2], 1.5, 1e-9);
}

TEST(Pulseq, TurnsAtARefocusingPulseAndBeginsAnewAtTheNext) {
  // 90°, gradient (100/m), 198°, acquisition without gradient: −100/m. Then 90° again: 0.
  const Array<double> k = pulseq_trajectory(sequence("1 0 1 0 0 0 0 0\n2 0 0 1 1 0 0 0\n3 0 2 0 0 0 0 0\n4 0 "
                                                     "0 0 0 0 1 0\n5 0 1 0 0 0 0 0\n6 0 0 0 2 0 0 0\n"
                                                     "7 1 0 0 0 0 1 0\n"),
                                            "file");
  ASSERT_EQ(k.shape(), (Shape{2, 10, 2}));
  EXPECT_NEAR(k[0], -100, 1e-9);
  EXPECT_NEAR(k[1], -100, 1e-9);
  EXPECT_NEAR(k[20], 0, 1e-9);
  EXPECT_NEAR(k[21], -50, 1e-9);
}

// A quarter turn about z turns kx into ky, one about x turns ky into kz; quaternions of other lengths are the
// same rotations. The rotation of a block applies to its gradients only, also behind other extensions.
TEST(Pulseq, TurnsTheGradientsOfABlock) {
  const std::string turns =
      "[EXTENSIONS]\n1 7 1 0\n2 9 4 3\n3 7 2 0\n4 7 3 0\nextension ROTATIONS 7\n1 0.70710678 0 0 0.70710678\n"
      "2 0.8 0.8 0 0\n3 0.9238795 0 0 0.3826834\nextension LABELSET 9\n4 1 SLC\n";
  const auto k_of = [&](const std::string& blocks) {
    return pulseq_trajectory(sequence("1 0 1 0 0 0 0 0\n" + blocks, turns), "file");
  };
  // Without and with a preceding rotation, which must not add to it: 100/m along y.
  const Array<double> flat = k_of("2 0 0 1 0 0 0 1\n3 0 0 1 0 0 1 0\n");
  ASSERT_EQ(flat.shape(), (Shape{1, 10, 2}));
  const Array<double> upright = k_of("2 0 0 1 1 0 1 2\n");
  ASSERT_EQ(upright.shape(), (Shape{1, 10, 3}));
  const Array<double> oblique = k_of("2 0 0 1 0 0 1 4\n");
  for (Index i = 0; i < 10; ++i) {
    const double length = 10 * (static_cast<double>(i) + 0.5);
    EXPECT_NEAR(flat[2 * i], length, 1e-5);
    EXPECT_NEAR(flat[2 * i + 1], 100, 1e-5);
    EXPECT_NEAR(upright[3 * i], length, 1e-5);
    EXPECT_NEAR(upright[3 * i + 1], 0, 1e-5);
    EXPECT_NEAR(upright[3 * i + 2], length, 1e-5);
    EXPECT_NEAR(oblique[2 * i], length * std::sqrt(0.5), 1e-5);
    EXPECT_NEAR(oblique[2 * i + 1], length * std::sqrt(0.5), 1e-5);
  }
}

// Blocks that share a long chain of extensions, and pulses that share a long shape: each is followed once;
// otherwise these two would take minutes.
TEST(Pulseq, TakesTimeInProportionToTheFile) {
  constexpr int blocks = 40000;
  std::string of_extensions = "1 0 1 0 0 0 0 0\n", chain = "[EXTENSIONS]\n", pulses = "[RF]\n";
  for (int i = 1; i <= blocks; ++i) {
    of_extensions += fmt::format("{} 0 0 1 0 0 1 1\n", i + 1);
    chain += fmt::format("{} 5 0 {}\n", i, i < blocks ? i + 1 : 0);
    pulses += fmt::format("{} 500 9 1 0 0 0\n", i + 2);
  }
  const std::string shape = "[SHAPES]\n\nshape_id 9\nnum_samples 1000000\n1\n0\n0\n999997\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(pulseq_trajectory(sequence(of_extensions, chain), "file").shape(), (Shape{blocks, 10, 2}));
  EXPECT_EQ(pulseq_trajectory(sequence("1 0 1 0 0 0 0 0\n2 0 0 1 0 0 1 0\n", pulses + shape), "file").shape(),
            (Shape{1, 10, 2}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// A scan of readouts of ten samples.
Scan readouts_of_ten(std::size_t count) {
  Scan scan;
  scan.source = "scan";
  for (std::size_t r = 0; r < count; ++r) scan.readouts.emplace_back().header.samples = 10;
  return scan;
}

TEST(Pulseq, LabelsAreCountersAndFlagsOfReadouts) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.seq";
  const std::string acquisitions = "1 0 1 0 0 0 0 1\n2 0 0 1 0 0 1 0\n3 0 0 1 0 0 1 2\n4 0 0 1 0 0 1 4\n";
  const auto write = [&](const std::string& slice) {
    hostile::overwrite_contents(path,
                                sequence(acquisitions,
                                         "[EXTENSIONS]\n1 5 1 0\n2 6 1 3\n3 8 1 0\n4 5 2 5\n5 6 1 0\n"
                                         "extension LABELSET 5\n1 " +
                                             slice +
                                             " SLC\n2 1 NAV\n3 7 TRID\n"
                                             "extension LABELINC 6\n1 3 LIN\nextension DELAYS 8\n1 0 0 1 TE\n"
                                             "[DEFINITIONS]\nTE 0.003\nTR 0.01\n"));
  };
  write("2");
  Scan scan = readouts_of_ten(3);
  take_sequence(path, scan);
  for (std::size_t r = 0; r < 3; ++r) {
    const ReadoutHeader& header = scan.readouts[r].header;
    EXPECT_EQ(header.counters.slice, 2);
    EXPECT_EQ(header.encode_step_1, 3 * r);
    EXPECT_EQ(header.has(AcquisitionFlag::navigation), r == 2);
    EXPECT_EQ(header.trajectory_dimensions, 2);
    // During the gradient of the first and after those before: 100/m each.
    EXPECT_NEAR(scan.trajectory[scan.readouts[r].trajectory_offset], 100.0 * static_cast<double>(r) + 5,
                1e-3);
  }
  // Readouts that the scanner has inserted before do not belong to the sequence.
  Scan with_noise = readouts_of_ten(4);
  with_noise.readouts[0].header.set(AcquisitionFlag::noise);
  take_sequence(path, with_noise, true);
  EXPECT_EQ(with_noise.readouts[0].header.counters.slice, 0);
  EXPECT_EQ(with_noise.readouts[2].header.encode_step_1, 3);
  const auto fault = [&](Scan of) { return fault_of([&] { take_sequence(path, of); }); };
  EXPECT_THAT(fault(readouts_of_ten(5)), HasSubstr("has 3 acquisitions, but scan has 5 readouts"));
  Scan shorter = readouts_of_ten(3);
  shorter.readouts[1].header.samples = 9;
  EXPECT_THAT(fault(shorter), HasSubstr("acquisition 1"));
  write("-1");
  EXPECT_THAT(fault(readouts_of_ten(3)), HasSubstr("label SLC is -1 in block 2"));
}

TEST(Pulseq, AnotherFieldOfViewThanTheHeadersIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.seq";
  Scan scan = readouts_of_ten(1);
  Encoding& encoding = scan.encodings.emplace_back();
  encoding.recon_matrix = {64, 64, 1};
  encoding.recon_fov_mm = {220, 220, 5};
  encoding.has_recon_space = true;
  const auto take = [&](const std::string& fov) {
    hostile::overwrite_contents(path,
                                sequence("1 0 1 0 0 0 0 0\n2 0 0 1 0 0 1 0\n", "[DEFINITIONS]\n" + fov));
    take_sequence(path, scan);
  };
  take("Name radial\n");
  take("FOV 0.22 0.222 0.005\n");
  EXPECT_THAT(scan.warnings, testing::IsEmpty());
  take("FOV 0.2 0.22 0.005\n");
  EXPECT_THAT(scan.warnings,
              testing::ElementsAre(HasSubstr("200 × 220 mm, but the header says 220 × 220 mm")));
}

TEST(Pulseq, LabelsAreThoseOfPypulseq) {
  const char* given = std::getenv("LARMOR_PYTHON");
  const std::string python = given == nullptr ? "python3" : given;
  if (std::system((python + " -c 'import pypulseq' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << python << " has no pypulseq; LARMOR_PYTHON names another Python";
  const TemporaryFolder folder;
  const std::string out = folder / "made";
  ASSERT_EQ(std::system((python + " " + source + "/tests/io/pulseq/make_sequence.py labels 1.5 " + out +
                         " >/dev/null 2>&1")
                            .c_str()),
            0);
  const Array<double> theirs = read_npy<double>(out + ".npy");  // [acquisitions, (LIN, SLC, NAV)]
  Scan scan = readouts_of_ten(static_cast<std::size_t>(theirs.shape()[0]));
  for (Readout& readout : scan.readouts) readout.header.samples = 64;
  take_sequence(out + ".seq", scan, true);
  for (std::size_t r = 0; r < scan.readouts.size(); ++r) {
    const ReadoutHeader& header = scan.readouts[r].header;
    const auto row = theirs.view().slice(static_cast<Index>(r));
    EXPECT_EQ(header.encode_step_1, row[0]);
    EXPECT_EQ(header.counters.slice, row[1]);
    EXPECT_EQ(header.has(AcquisitionFlag::navigation), row[2] != 0);
  }
}

TEST(Pulseq, SaysInOneLineWhatIsWrong) {
  const auto wrong = [](const std::string& text) {
    return error_of([&] { pulseq_trajectory(text, "file"); });
  };
  const std::string good = "1 0 1 0 0 0 0 0\n2 0 0 1 0 0 1 0\n";
  EXPECT_EQ(wrong(sequence(good)), "");
  EXPECT_EQ(wrong("hello\n"),
            "3: file, line 1: expected a section such as [VERSION]; this is not a Pulseq sequence");
  EXPECT_EQ(wrong(""), "3: file: it does not start with [VERSION]; this is not a Pulseq sequence");
  EXPECT_NE(wrong("[VERSION]\nmajor 1\nminor 9\n").find("Pulseq version 1.9; expected 1.2 to 1.5"),
            std::string::npos);
  EXPECT_NE(wrong(sequence(good, "[VERSION]\nminor 5\n")).find("version 1.5 in a file of version 1.3"),
            std::string::npos);
  EXPECT_NE(wrong(sequence(good, "[DEFINITIONS]\nFOV -1 0 0\n")).find("FOV is -1"), std::string::npos);
  EXPECT_NE(wrong(sequence("1 0 1 0 0 0 0 0\n")).find("has no acquisitions"), std::string::npos);
  EXPECT_NE(wrong(sequence("1 0 7 0 0 0 1 0\n")).find("block 1 refers to pulse 7, which does not exist"),
            std::string::npos);
  EXPECT_NE(wrong(sequence("1 0 1 x 0 0 1 0\n")).find("line 6: 'x' is not a number"), std::string::npos);
  EXPECT_NE(wrong(sequence("1 0 1\n")).find("expected more"), std::string::npos);
  EXPECT_NE(wrong(sequence(good, "[SHAPES]\nshape_id 2\nnum_samples 9223372036854775807\n"))
                .find("expected at most"),
            std::string::npos);
  EXPECT_NE(
      wrong(sequence(good, "[SHAPES]\nshape_id 2\nnum_samples 5\n1\n1\n1e9\n")).find("shape 2 is damaged"),
      std::string::npos);
  EXPECT_NE(wrong(sequence(good, "[ADC]\n1 99999999 10000 0 0 0\n")).find("samples; expected 1 to"),
            std::string::npos);
  EXPECT_NE(wrong(sequence(good, "[TRAP]\n1 1e400 0 100 0 0\n")).find("is not a number"), std::string::npos);
  const auto turned = [&](const std::string& rotation) {
    return wrong(sequence("1 0 1 0 0 0 1 1\n", "[EXTENSIONS]\n1 1 3 0\nextension ROTATIONS 1\n" + rotation));
  };
  EXPECT_NE(turned("1 1 0 0 0\n").find("block 1 refers to rotation 3, which does not exist"),
            std::string::npos);
  EXPECT_NE(turned("3 0 0 0 0\n").find("a quaternion of norm 0; expected 1"), std::string::npos);
  EXPECT_NE(turned("3 1 0 0\n").find("expected more"), std::string::npos);
  const TemporaryFolder folder;
  hostile::overwrite_contents(folder / "a.seq", sequence(good));
  EXPECT_NE(error_of([&] { read_array(folder / "a.seq"); }).find("cannot be read as complex numbers"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_output_path(folder / "b.seq", {}); }).find("unknown file format"),
            std::string::npos);
}

}  // namespace
}  // namespace larmor::test
