#include "apps/recon_process.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>

#include <cmath>

// Images with a position in space as input of the command: compare, priors and field maps.

namespace larmor::test {
namespace {

using Complex = std::complex<float>;

constexpr Index n = 24;

TEST(ConvertImages, WarnsOfNumbersThatAreNotFinite) {
  const TemporaryFolder folder;
  auto numbers = filled<float>({4, 6}, 1);
  for (const bool finite : {true, false}) {
    if (!finite) numbers[7] = numbers[9] = std::nanf("");
    write_array<float>(folder / "a.npy", numbers.view(), true);
    for (const char* name : {"b.npy", "b.cfl", "b.nii", "b.h5"}) {
      const Outcome outcome = recon({"convert", folder / "a.npy", "-o", folder / name, "-f"});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.err.find("a.npy: 2 of 24 numbers are not finite") == std::string::npos, finite)
          << name;
    }
  }
}

class PlacedFiles : public testing::Test {
 protected:
  void SetUp() override {
    succeed({"simulate", at("scan.h5"), "--matrix", "24", "--fov", "240", "--coils", "2", "--spokes", "40",
             "-q"});
    succeed({"run", at("scan.h5"), "-o", at("image.nii"), "--complex", "--iterations", "5", "-q"});
    place_ = series_of(read_images(at("image.nii")), "").images.at(0).geometry;
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  static void refused(const Words& words, const std::string& mentions) {
    expect_refused(recon(words), 3, mentions);
  }
  /// Numbers without any symmetry, with and without sign, written with or without a change of orientation.
  void write(const std::string& name, const ImageGeometry& geometry, bool backwards_x = false,
             bool backwards_y = false, bool exchanged = false, ImageKind kind = ImageKind::complex) const {
    Image image;
    image.pixels = Array<Complex>({1, n, n});
    for (Index y = 0; y < n; ++y)
      for (Index x = 0; x < n; ++x) {
        const Index i = backwards_x ? n - 1 - x : x, j = backwards_y ? n - 1 - y : y;
        const float u = static_cast<float>(i) / n - 0.4F, v = static_cast<float>(j) / n - 0.6F;
        image.pixels[exchanged ? x * n + y : y * n + x] =
            kind == ImageKind::real ? Complex(900 * u - 500 * v) : Complex(u + 2, v - u * v);
      }
    image.geometry = geometry;
    ImageSeries series;
    series.kind = kind;
    series.images.push_back(std::move(image));
    write_images(at(name), series, {.overwrite = true});
  }
  /// The same position in space with a flipped axis, or with exchanged axes.
  void write_otherwise(ImageKind kind = ImageKind::complex) const {
    const auto turned = [&](Vec3 ImageGeometry::*direction) {
      ImageGeometry other = place_;
      for (std::size_t i = 0; i < 3; ++i) {
        other.position[i] -= 10 * (other.*direction)[i];
        (other.*direction)[i] = -(other.*direction)[i];
      }
      return other;
    };
    ImageGeometry exchanged = place_;
    std::swap(exchanged.read_dir, exchanged.phase_dir);
    write("p.nii", place_, false, false, false, kind);
    write("x.nii", turned(&ImageGeometry::read_dir), true, false, false, kind);
    write("y.nii.gz", turned(&ImageGeometry::phase_dir), false, true, false, kind);
    write("xy.h5", exchanged, false, false, true, kind);
  }

  TemporaryFolder folder_;
  ImageGeometry place_;
};

TEST_F(PlacedFiles, ComparedAreRefusedWhereTheyLieElsewhere) {
  write_otherwise();
  succeed({"convert", at("p.nii"), "-o", at("same.h5"), "-q"});
  succeed({"convert", at("p.nii"), "-o", at("nowhere.npy"), "-q"});
  for (const char* name : {"p.nii", "same.h5", "nowhere.npy"}) succeed({"compare", at("p.nii"), at(name)});
  ImageGeometry moved = place_, larger = place_;
  moved.position[0] += 5;
  larger.fov_mm[1] = 250;
  write("moved.nii", moved);
  write("larger.nii", larger);
  for (const char* name : {"x.nii", "y.nii.gz", "xy.h5", "moved.nii", "larger.nii"}) {
    refused({"compare", at("p.nii"), at(name)}, "expected the same pixels");
    refused({"compare", at("p.nii"), at("p.nii"), "--mask", at(name)}, "expected the same pixels");
  }
}

TEST_F(PlacedFiles, PriorsAreTakenWhereTheyLie) {
  write_otherwise();
  const auto with = [&](const std::string& name) {
    return Words{"run",
                 at("scan.h5"),
                 "-o",
                 at("drawn.npy"),
                 "-f",
                 "-q",
                 "--complex",
                 "--regularizer",
                 "l2:1e4:prior=" + at(name)};
  };
  for (const char* name : {"p.nii", "x.nii", "y.nii.gz", "xy.h5"}) {
    succeed(with(name));
    EXPECT_LT(difference(at("drawn.npy"), at("p.nii")), 1e-3) << name;
  }
  ImageGeometry moved = place_;
  moved.position[2] += 100;
  write("moved.nii", moved);
  refused(with("moved.nii"), "moved.nii: give one that covers the scan");
}

TEST_F(PlacedFiles, FieldMapsAreTakenWhereTheyLie) {
  write_otherwise(ImageKind::real);
  const auto with = [&](const std::string& name, const std::string& output) {
    Words words{"run", at("scan.h5"), "-o", at(output), "-f", "-q", "--complex", "--iterations", "5"};
    if (!name.empty()) words.insert(words.end(), {"--field-map", at(name)});
    succeed(words);
  };
  with("p.nii", "corrected.npy");
  with("", "none.npy");
  EXPECT_GT(difference(at("none.npy"), at("corrected.npy")), 0.02);
  for (const char* name : {"x.nii", "y.nii.gz", "xy.h5"}) {
    with(name, "other.npy");
    EXPECT_LT(difference(at("other.npy"), at("corrected.npy")), 1e-4) << name;
  }
}

}  // namespace
}  // namespace larmor::test
