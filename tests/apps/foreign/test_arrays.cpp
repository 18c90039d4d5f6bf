#include <gtest/gtest.h>

#include "apps/recon_process.hpp"
#include "foreign_program.hpp"
#include "scaled_difference.hpp"

#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/formats.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

// Scans converted to and from arrays, and BART's reconstructions of them.

namespace larmor::test {
namespace {

using ComplexArray = Array<std::complex<float>>;

class ScanArrays : public testing::Test {
 protected:
  /// Without noise, because noise readouts would whiten the scan but not the arrays.
  void simulate(const Words& more) {
    succeed(joined(
        {"simulate", at("scan.h5"), "--coils", "3", "--noise", "0", "--maps", at("maps.cfl"), "-q", "-f"},
        more));
  }
  /// Spokes of a square image as arrays k and t with this ending; the options that name them.
  Words spokes(const std::string& matrix, const std::string& count, const std::string& end = ".npy") {
    simulate({"--matrix", matrix, "--spokes", count});
    succeed({"convert", at("scan.h5"), "-o", at("k" + end), "--trajectory-output", at("t" + end), "-q"});
    return {"--kspace", at("k" + end), "--trajectory", at("t" + end), "--matrix", matrix};
  }
  ComplexArray image(const Words& scan,
                     const Words& how = {"--regularizer", "l2:1e-3", "--iterations", "50"}) {
    const Outcome outcome =
        succeed(joined({"run", "--complex", "-q", "-f", "-o", at("image.npy")}, joined(scan, how)));
    return outcome.status == 0 ? read_array(at("image.npy")) : ComplexArray({1, 1});
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  TemporaryFolder folder_;
};

TEST_F(ScanArrays, AreTheScanTheyWereMadeOf) {
  simulate({"--matrix", "32,24", "--spokes", "40"});
  // Coil maps are given, because rounding of coordinates may move the edge of estimated ones.
  const ComplexArray scan = image({at("scan.h5"), "--maps", at("maps.cfl")});
  for (const std::string end : {".npy", ".cfl"}) {
    // In other units, coordinates are rounded differently, and samples at the edge may end up beyond it. The
    // effect of rounding on an early iterate disappears with further iterations.
    const double most = end == ".npy" ? 1e-6 : 1e-3;
    succeed({"convert", at("scan.h5"), "-o", at("k" + end), "--trajectory-output", at("t" + end), "-q"});
    const Words arrays{"--kspace", at("k" + end), "--trajectory", at("t" + end),
                       "--matrix", "32,24",       "--fov",        "240,180"};
    EXPECT_LT(scaled_difference(image(joined(arrays, {"--maps", at("maps.cfl")})), scan), most) << end;
    succeed(joined({"convert", "-o", at("back.h5"), "-q", "-f"}, arrays));
    EXPECT_LT(scaled_difference(image({at("back.h5"), "--maps", at("maps.cfl")}), scan), most) << end;
  }
  EXPECT_EQ(read_array(at("k.npy")).shape(), (Shape{3, 40, 64}));
  EXPECT_EQ(read_array(at("t.npy")).shape(), (Shape{40, 64, 2}));
}

TEST_F(ScanArrays, AreTakenByEveryCommand) {
  const Words arrays = spokes("32", "40");
  const auto with = [&](const Words& words) { return recon(joined(words, arrays)); };
  const Outcome info = with({"info"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_NE(info.out.find("1 of 32 x 32 x 1 pixels"), std::string::npos) << info.out;
  const Outcome psf = with({"psf", "--json"}), of_scan = recon({"psf", at("scan.h5"), "--json"});
  EXPECT_EQ(psf.out, of_scan.out) << psf.err;
  succeed({"density", at("scan.h5"), "-o", at("w.npy"), "-q"});
  EXPECT_EQ(with({"density", "-o", at("w2.npy"), "-q"}).status, 0);
  EXPECT_LT(scaled_difference(read_array(at("w2.npy")), read_array(at("w.npy"))), 1e-5);
  succeed({"maps", at("scan.h5"), "-o", at("m.npy"), "-q"});
  EXPECT_EQ(with({"maps", "-o", at("m2.npy"), "-q"}).status, 0);
  EXPECT_LT(scaled_difference(read_array(at("m2.npy")), read_array(at("m.npy"))), 1e-4);
  EXPECT_EQ(with({"tune", "--level", "estimate", "--wisdom", at("wisdom")}).status, 0);
}

TEST_F(ScanArrays, ATrajectoryAloneIsEnoughWhereNoSamplesAreNeeded) {
  simulate({"--matrix", "32", "--spokes", "40"});
  const Outcome of_scan = recon({"psf", at("scan.h5"), "--density", "analytic", "--json"});
  succeed({"density", at("scan.h5"), "-o", at("w.npy"), "-q", "-f"});
  for (const std::string end : {".npy", ".cfl"}) {
    succeed(
        {"convert", at("scan.h5"), "-o", at("k" + end), "--trajectory-output", at("t" + end), "-q", "-f"});
    const Words alone{at("t" + end), "--matrix", "32", "-q"};
    const auto with = [&](Words words) {
      words.insert(words.begin() + 1, alone.begin(), alone.end());
      return recon(words);
    };
    EXPECT_EQ(with({"psf", "--density", "analytic", "--json"}).out, of_scan.out) << end;
    EXPECT_EQ(with({"density", "-o", at("w2.npy"), "-f"}).status, 0) << end;
    EXPECT_LT(scaled_difference(read_array(at("w2.npy")), read_array(at("w.npy"))), 1e-5) << end;
    EXPECT_NE(with({"info"}).out.find("1 of 32 x 32 x 1 pixels"), std::string::npos) << end;
    EXPECT_EQ(with({"tune", "--level", "estimate", "--wisdom", at("wisdom")}).status, 0) << end;
    const Outcome run = with({"run", "-o", at("never.npy")});
    expect_refused(run, 2, "is not a scan: give arrays as --kspace and --trajectory");
  }
  expect_refused(recon({"psf", at("t.npy")}), 2, "--matrix: arrays need the matrix of the image");
  EXPECT_EQ(recon({"psf", at("t.npy"), "--matrix", "32", "--trajectory", at("t.npy")}).status, 2);
}

TEST_F(ScanArrays, InAnyNamedOrderAndAsPairs) {
  spokes("24", "30");
  const ComplexArray expected = image({at("scan.h5")});
  const ComplexArray k = read_array(at("k.npy"));
  const Array<double> t = read_array<double>(at("t.npy"));
  constexpr Index coils = 3, spokes = 30, samples = 48;
  ComplexArray turned({spokes, samples, coils});
  Array<double> pairs({coils, spokes, samples, 2}), first({2, spokes, samples}), flat({spokes * samples, 3});
  for (Index c = 0; c < coils; ++c)
    for (Index i = 0; i < spokes * samples; ++i) {
      turned[i * coils + c] = k[c * spokes * samples + i];
      pairs[(c * spokes * samples + i) * 2] = k[c * spokes * samples + i].real();
      pairs[(c * spokes * samples + i) * 2 + 1] = k[c * spokes * samples + i].imag();
    }
  for (Index i = 0; i < spokes * samples; ++i) {
    for (Index axis = 0; axis < 2; ++axis) {
      first[axis * spokes * samples + i] = t[2 * i + axis];
      flat[3 * i + axis] = t[2 * i + axis];
    }
    flat[3 * i + 2] = 0;
  }
  write_array<std::complex<float>>(at("turned.npy"), turned);
  write_array<double>(at("pairs.npy"), pairs);
  write_array<double>(at("first.npy"), first);
  write_array<double>(at("flat.npy"), flat);
  EXPECT_LT(scaled_difference(image({"--kspace", at("turned.npy"), "--kspace-axes", "spokes,samples,coils",
                                     "--trajectory", at("first.npy"), "--matrix", "24"}),
                              expected),
            1e-5);
  EXPECT_LT(
      scaled_difference(
          image({"--kspace", at("pairs.npy"), "--trajectory", at("flat.npy"), "--matrix", "24"}), expected),
      1e-5);
}

TEST_F(ScanArrays, SlicesLieSideBySideInOneFile) {
  spokes("24", "30");
  const ComplexArray k = read_array(at("k.npy"));
  ComplexArray slices(k.shape().prepend(3));
  for (Index i = 0; i < slices.size(); ++i) slices[i] = k[i % k.size()];
  write_array<std::complex<float>>(at("slices.npy"), slices);
  succeed({"run", "--kspace", at("slices.npy"), "--kspace-axes", "slices,coils,readouts,samples",
           "--trajectory", at("t.npy"), "--matrix", "24", "--fov", "240,240,5", "-o", at("image.nii.gz"),
           "-q"});
  const ImageSeries images = series_of(read_images(at("image.nii.gz")), at("image.nii.gz"));
  ASSERT_EQ(images.images.size(), 1U);
  EXPECT_EQ(images.images[0].geometry.matrix, (std::array<Index, 3>{24, 24, 3}));
  EXPECT_NEAR(images.images[0].geometry.fov_mm[2], 3 * 5, 1e-4);
}

TEST_F(ScanArrays, CartesianLinesNeedNoTrajectory) {
  simulate({"--trajectory", "cartesian", "--matrix", "24,20", "--truth", at("truth.npy")});
  succeed({"convert", at("scan.h5"), "-o", at("k.npy"), "-q"});
  const ComplexArray direct = image({at("scan.h5"), "--maps", at("maps.cfl")});
  EXPECT_LT(scaled_difference(image({"--kspace", at("k.npy"), "--kspace-axes", "coils,lines,samples",
                                     "--maps", at("maps.cfl"), "--fov", "240,200"}),
                              direct),
            1e-4);
}

TEST_F(ScanArrays, BartsReadoutsMayLackTheLeading1) {
  const ComplexArray expected = image(spokes("24", "30", ".cfl"));
  std::filesystem::copy(at("k.cfl"), at("plain.cfl"));
  write_file(at("plain.hdr"), "# Dimensions\n48 30 1 3\n");
  const Words plain{"--kspace", at("plain.cfl"), "--trajectory", at("t.cfl"), "--matrix", "24"};
  EXPECT_LT(scaled_difference(image(plain), expected), 1e-6);
}

TEST_F(ScanArrays, GeneratedSpokesKeepTheirOversampling) {
  simulate({"--matrix", "24", "--spokes", "60", "--order", "golden"});
  succeed({"convert", at("scan.h5"), "-o", at("k.npy"), "-q"});
  EXPECT_LT(scaled_difference(
                image({"--kspace", at("k.npy"), "--generate", "golden", "--matrix", "24", "--fov", "240"}),
                image({at("scan.h5")})),
            1e-3);
}

// The phases of the bands are needed only to separate them.
TEST_F(ScanArrays, OfSeveralSlicesAtOnceNeedNoPhases) {
  simulate({"--matrix", "24", "--spokes", "60", "--bands", "2"});
  for (const Words& phases : {Words{"--band-phases", "caipi:2"}, Words{}}) {
    succeed(
        joined({"convert", at("scan.h5"), "-o", at("k.npy"), "--trajectory-output", at("t.npy"), "-q", "-f"},
               phases));
    EXPECT_EQ(read_array(at("k.npy")).shape(), (Shape{3, 60, 48}));
  }
  const Words bands{"--band-phases", "caipi:2", "--maps", at("maps.cfl")};
  const Words arrays{"--kspace", at("k.npy"), "--trajectory", at("t.npy"), "--matrix", "24", "--bands", "2"};
  EXPECT_LT(scaled_difference(image(joined(arrays, bands)), image(joined({at("scan.h5")}, bands))), 1e-5);
}

TEST_F(ScanArrays, SamplesBeyondTheMatrixAreWarnedOf) {
  spokes("24", "30", ".cfl");
  const Outcome outcome = succeed({"run", "--kspace", at("k.cfl"), "--trajectory", at("t.cfl"), "--matrix",
                                   "16", "--iterations", "2", "-o", at("x.npy"), "-q"});
  EXPECT_NE(outcome.err.find("a matrix of 24×24"), std::string::npos) << outcome.err;
}

// A map's position cannot be used if the size or the position of the image is unknown.
TEST_F(ScanArrays, MapsWithAPlaceAreNeverResampledToAnAssumedOne) {
  const Words arrays = spokes("32", "40");
  succeed({"maps", at("scan.h5"), "-o", at("m.npy"), "-q"});
  succeed({"maps", at("scan.h5"), "-o", at("small.npy"), "--matrix", "24", "-q"});
  succeed({"run", at("scan.h5"), "-o", at("prior.nii.gz"), "-q"});
  const auto with = [&](const Words& more) { return joined(arrays, more); };
  const ComplexArray scan = image({at("scan.h5"), "--maps", at("m.npy")});
  EXPECT_LT(scaled_difference(image(with({"--maps", at("m.npy")})), scan), 1e-6);
  EXPECT_LT(scaled_difference(image(with({"--maps", at("m.npy"), "--fov", "240"})), scan), 1e-6);
  // Arrays converted from a scan have lost its position.
  auto moved = nlohmann::json::parse(read_file(at("m.npy.json")));
  moved["images"][0]["position"] = {3, -5, 20};
  write_file(at("moved.npy.json"), moved.dump());
  std::filesystem::copy(at("m.npy"), at("moved.npy"));
  for (const Words& fov : {Words{}, Words{"--fov", "240"}})
    EXPECT_LT(scaled_difference(image(with(joined({"--maps", at("moved.npy")}, fov))), scan), 1e-6);
  // Rotated maps may belong to rotated arrays, or to arrays along the scanner's axes.
  moved["images"][0]["read_dir"] = {0, 1, 0};
  moved["images"][0]["phase_dir"] = {-1, 0, 0};
  write_file(at("turned.npy.json"), moved.dump());
  std::filesystem::copy(at("m.npy"), at("turned.npy"));
  const Words solved{"--iterations", "20"};
  const std::string prior = "l2:1:prior=" + at("prior.nii.gz");
  EXPECT_LT(scaled_difference(image(with({"--maps", at("m.npy"), "--regularizer", prior}), solved),
                              image({at("scan.h5"), "--maps", at("m.npy"), "--regularizer", prior}, solved)),
            1e-5);
  const auto refused = [&](const Words& more, const std::string& mentions) {
    expect_refused(recon(joined({"run", "-o", at("x.npy"), "-q"}, more)), 3, mentions);
  };
  refused(with({"--maps", at("small.npy")}), "--fov");
  const Outcome other = recon({"run", "-o", at("x.npy"), "-q", "--kspace", at("k.npy"), "--trajectory",
                               at("t.npy"), "--matrix", "24", "--regularizer", prior});
  EXPECT_EQ(other.status, 3);
  EXPECT_NE(other.err.find("--fov"), std::string::npos) << other.err;
  refused(with({"--maps", at("turned.npy")}), "--fov");
  refused(with({"--calibration", at("scan.h5")}), "--fov");
  refused(with({"--traj-units", "1/m"}), "--fov");
  const Outcome known =
      recon(joined({"run", "-o", at("x.npy"), "-q", "--fov", "240"}, with({"--maps", at("small.npy")})));
  EXPECT_EQ(known.status, 0) << known.err;
  EXPECT_NE(known.err.find("the scanner's centre"), std::string::npos) << known.err;
}

TEST_F(ScanArrays, MistakesAreNamed) {
  spokes("24", "30");
  write_array<double>(at("short.npy"), Array<double>({29, 48, 2}));
  ComplexArray bad = read_array(at("k.npy"));
  bad[100] = std::numeric_limits<float>::quiet_NaN();
  write_array<std::complex<float>>(at("nan.npy"), bad);
  write_array<std::complex<float>>(at("zero_maps.npy"), filled<std::complex<float>>({3, 24, 24}, 0));
  write_array<double>(at("zero_weights.npy"), filled<double>({30, 48}, 0));
  struct Case {
    Words words;
    int status;
    const char* mentions;
  };
  const std::string k = at("k.npy"), t = at("t.npy");
  const Case cases[] = {
      {{"--kspace", k}, 3, "--trajectory"},
      {{"--kspace", k, "--trajectory", t}, 2, "--matrix"},
      {{"--kspace", k, "--trajectory", at("short.npy"), "--matrix", "24"}, 3, "30 readouts of 48 samples"},
      {{"--kspace", at("nan.npy"), "--trajectory", t, "--matrix", "24"}, 3, "are nan"},
      {{"--kspace", t, "--trajectory", t, "--matrix", "24"}, 3, "1 readouts of 48 samples"},
      {{"--kspace", k, "--kspace-axes", "coils,samples", "--trajectory", t, "--matrix", "24"},
       3,
       "2 axes are named"},
      {{"--kspace", k, "--kspace-axes", "coils,spokes,time", "--trajectory", t, "--matrix", "24"},
       2,
       "'time'"},
      {{"--kspace", k, "--kspace-axes", "coils,coils,samples", "--trajectory", t, "--matrix", "24"},
       2,
       "twice"},
      {{at("scan.h5"), "--maps", at("zero_maps.npy")}, 3, "coil maps are zero everywhere"},
      {{at("scan.h5"), "--density", at("zero_weights.npy")}, 3, "density weights of an image are zero"},
      {{at("scan.h5"), "--kspace", k}, 2, "exclude"},
      {{at("scan.h5"), "--kspace-axes", "coils,samples"}, 2, "needs --kspace"},
      {{"--kspace", at("missing.npy"), "--trajectory", t, "--matrix", "24"}, 3, "missing.npy"},
  };
  for (const Case& one : cases)
    expect_refused(recon(joined({"run", "-o", at("x.npy"), "-q"}, one.words)), one.status, one.mentions);
}

TEST_F(ScanArrays, ImagesKeepTheirNumbers) {
  simulate({"--matrix", "24,20", "--truth", at("truth.npy")});
  const ComplexArray truth = read_array(at("truth.npy"));
  std::string from = at("truth.npy");
  for (const std::string name : {"a.cfl", "b.nii.gz", "c.h5", "d.npy"}) {
    Words words{"convert", from, "-o", at(name), "-q"};
    if (from.ends_with(".h5")) words.emplace_back("--images");
    succeed(words);
    const ComplexArray there = read_array(at(name));
    ASSERT_EQ(there.shape(), truth.shape()) << name;
    for (Index i = 0; i < truth.size(); ++i) ASSERT_EQ(there[i], truth[i]) << name << " " << i;
    from = at(name);
  }
}

bool bart(const std::string& words) {
  return std::system(("bart " + words + " > /dev/null 2>&1").c_str()) == 0;
}

TEST_F(ScanArrays, CoilMapsHaveBartsDimensions) {
  simulate({"--matrix", "24,20"});
  const std::vector<Index> truth = read_cfl_dimensions(at("maps.cfl"));
  EXPECT_EQ((std::vector<Index>(truth.begin(), truth.begin() + 5)), (std::vector<Index>{24, 20, 1, 3, 1}));
  succeed({"maps", at("scan.h5"), "-o", at("two.cfl"), "--sets", "2", "-q"});
  const std::vector<Index> two = read_cfl_dimensions(at("two.cfl"));
  EXPECT_EQ((std::vector<Index>(two.begin() + 2, two.begin() + 5)), (std::vector<Index>{1, 3, 2}));
  simulate({"--trajectory", "kooshball", "--matrix", "12,10,8"});
  const std::vector<Index> volume = read_cfl_dimensions(at("maps.cfl"));
  EXPECT_EQ((std::vector<Index>(volume.begin(), volume.begin() + 5)), (std::vector<Index>{12, 10, 8, 3, 1}));
}

// BART's reconstruction of our arrays with our maps equals our reconstruction.
TEST_F(ScanArrays, BartTakesOurArraysAndMaps) {
  LARMOR_NEEDS_PROGRAM("bart");
  simulate({"--matrix", "32", "--spokes", "60"});
  succeed({"convert", at("scan.h5"), "-o", at("k.cfl"), "--trajectory-output", at("t.cfl"), "-q"});
  ASSERT_TRUE(
      bart("pics -l2 -r 0.0001 -i 50 -t " + at("t") + " " + at("k") + " " + at("maps") + " " + at("theirs")));
  const ComplexArray ours = image({at("scan.h5"), "--maps", at("maps.cfl"), "--solve-fov", "1"},
                                  {"--regularizer", "none", "--tolerance", "1e-6", "--iterations", "50"});
  EXPECT_LT(scaled_difference(ours, read_array(at("theirs.cfl"))), 0.05);
}

// BART's maps of Cartesian k-space, and that k-space, are accepted.
TEST_F(ScanArrays, BartsArraysAndMapsAreTaken) {
  LARMOR_NEEDS_PROGRAM("bart");
  ASSERT_TRUE(bart("phantom -s 4 -x 48 -k " + at("k")));
  ASSERT_TRUE(bart("ecalib -m 1 " + at("k") + " " + at("ecalib")));
  ASSERT_TRUE(bart("pics -l2 -r 0.001 -i 50 " + at("k") + " " + at("ecalib") + " " + at("theirs")));
  const ComplexArray ours = image({"--kspace", at("k.cfl"), "--maps", at("ecalib.cfl")});
  EXPECT_EQ(ours.shape(), (Shape{48, 48}));
  EXPECT_LT(scaled_difference(ours, read_array(at("theirs.cfl"))), 0.05);
}

}  // namespace
}  // namespace larmor::test
