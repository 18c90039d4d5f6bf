#include <gtest/gtest.h>

#include "apps/recon_process.hpp"
#include "scaled_difference.hpp"

#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/grids.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <numbers>

// Measured scans, if their files are available.

namespace larmor::test {
namespace {

using ComplexArray = Array<std::complex<float>>;
using Json = nlohmann::json;

const std::string real_data = LARMOR_TEST_DATA "/real/";

#define LARMOR_NEEDS_FILE(name) \
  if (!std::filesystem::exists(real_data + (name))) GTEST_SKIP() << real_data << (name) << " is not there"

class RealScans : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_ / name; }
  Json report(const Words& scan) {
    succeed(joined(scan, {"-o", at("x.npy"), "-f", "-q", "--report", at("x.json")}));
    return Json::parse(read_file(at("x.json")));
  }

  TemporaryFolder folder_;
};

/// The numbers of a variable of a compressed MATLAB 5 file, real and imaginary parts apart.
struct MatlabArray {
  std::vector<double> real, imaginary;
};

MatlabArray read_matlab(const std::string& path, const std::string& wanted) {
  const std::string file = read_file(path);
  const auto word = [](const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  for (std::size_t at = 128; at + 8 <= file.size(); at += 8 + word(file, at + 4)) {
    std::string element(8 << 20, '\0');
    auto size = static_cast<uLongf>(element.size());
    uncompress(reinterpret_cast<Bytef*>(element.data()), &size,
               reinterpret_cast<const Bytef*>(file.data()) + at + 8, word(file, at + 4));
    std::vector<std::string> parts;  // flags, size, name, numbers
    std::vector<std::uint32_t> types;
    for (std::size_t part = 8; part < size;) {
      const std::uint32_t type = word(element, part);
      const bool small = type >> 16 != 0;
      const std::size_t bytes = small ? type >> 16 : word(element, part + 4);
      types.push_back(type & 0xffff);
      parts.push_back(element.substr(part + (small ? 4 : 8), bytes));
      part += small ? 8 : 8 + (bytes + 7) / 8 * 8;
    }
    if (parts.size() < 5 || parts[2] != wanted) continue;
    const auto numbers = [&](std::size_t part) {
      std::vector<double> result;
      const std::size_t each = types[part] == 3 ? 2 : 8;  // integers of 16 bits, or doubles
      for (std::size_t i = 0; i < parts[part].size(); i += each) {
        std::int16_t integer = 0;
        double value = 0;
        if (each == 2)
          std::memcpy(&integer, parts[part].data() + i, 2);
        else
          std::memcpy(&value, parts[part].data() + i, 8);
        result.push_back(each == 2 ? integer : value);
      }
      return result;
    };
    return {numbers(3), numbers(4)};
  }
  ADD_FAILURE() << path << " has no " << wanted;
  return {};
}

// BART's image of the same whitened lines with the same coil maps, for several λ.
TEST_F(RealScans, SkyraByDefaultIsBartsImage) {
  LARMOR_NEEDS_FILE("siemens_skyra_cartesian_r3.h5");
  if (std::system("command -v bart >/dev/null 2>&1") != 0) GTEST_SKIP() << "bart is not there";
  const std::string path = real_data + "siemens_skyra_cartesian_r3.h5";
  succeed({"run", path, "-o", at("ours.npy"), "--complex", "-q"});
  const ComplexArray ours = read_array(at("ours.npy"));

  Context ctx(Device::cpu());
  const Scan scan = read_ismrmrd(path, {});
  const ReconstructOptions options;
  const Selection selection = select_scan(scan, options, ctx);
  const Shape grid = selection.plan.grids.solve_shape();
  const Index coils = selection.channels.coils, pixels = grid.size();
  const PreparedImage data = load_image(scan, selection.plan, selection.channels, 0, ctx);
  ComplexArray lines = filled<std::complex<float>>({coils, pixels}, 0);
  const Index samples = data.samples.shape()[1];
  for (Index i = 0; i < samples; ++i) {
    Index place = 0;
    for (int axis = 1; axis >= 0; --axis) {
      const Index n = grid[1 - axis];
      place = place * n + n / 2 + std::lround(data.trajectory[2 * i + axis] * static_cast<double>(n));
    }
    for (Index c = 0; c < coils; ++c) lines[c * pixels + place] = data.samples[c * samples + i];
  }
  const ComplexArray maps = std::move(estimate_maps(read_ismrmrd(path, {}), options, ctx).maps);
  ComplexArray whitened({coils, pixels});
  for (Index c = 0; c < coils; ++c)
    for (Index p = 0; p < pixels; ++p) {
      std::complex<double> sum = 0;
      for (Index channel = 0; channel < coils; ++channel)
        sum +=
            selection.channels.matrix[c * coils + channel] * std::complex<double>(maps[channel * pixels + p]);
      whitened[c * pixels + p] = std::complex<float>(sum);
    }
  // λ is relative to maps of about root sum of squares 1.
  double energy = 0, seen = 0;
  for (const auto& value : whitened) energy += std::norm(value);
  for (Index p = 0; p < pixels; ++p) seen += maps[p] != 0.0F ? 1 : 0;
  for (auto& value : whitened) value *= static_cast<float>(std::sqrt(seen / energy));
  std::vector<Index> dimensions(16, 1);
  dimensions[0] = grid[1];
  dimensions[1] = grid[0];
  dimensions[3] = coils;
  write_cfl(at("k.cfl"), lines.view(), dimensions, false);
  write_cfl(at("m.cfl"), whitened.view(), dimensions, false);
  double least = 1;
  for (const std::string lambda : {"0.001", "0.003", "0.01"}) {
    ASSERT_EQ(std::system(("bart pics -S -i 50 -R Q:" + lambda + " " + at("k") + " " + at("m") + " " +
                           at("theirs") + " > /dev/null")
                              .c_str()),
              0);
    const ComplexArray theirs = read_array(at("theirs.cfl"));
    const ComplexArray middle = cropped<std::complex<float>>(theirs, selection.plan.grids.recon_shape());
    ASSERT_EQ(middle.size(), ours.size());
    least = std::min(least, scaled_difference(ours, middle));
  }
  EXPECT_LT(least, 0.02);
}

// Delays of the two slices as published; spokes have individual phases.
TEST_F(RealScans, SpokesOfTwoSlicesHaveTheDelaysThatAreNamed) {
  constexpr Index samples = 384, spokes = 29;
  ComplexArray trajectory({spokes * samples, 3});
  for (Index s = 0; s < spokes; ++s)
    for (Index r = 0; r < samples; ++r) {
      const double angle = std::numbers::pi * (0.5 - 2.0 * static_cast<double>(s) / spokes);
      const double k = 0.5 * (static_cast<double>(r) - 191.5);
      trajectory[3 * (s * samples + r)] = static_cast<float>(k * std::cos(angle));
      trajectory[3 * (s * samples + r) + 1] = static_cast<float>(k * std::sin(angle));
      trajectory[3 * (s * samples + r) + 2] = 0;
    }
  write_cfl(at("t.cfl"), trajectory.view(), {3, samples, spokes}, false);
  for (const std::string slice : {"top", "bottom"}) {
    SCOPED_TRACE(slice);
    const std::string name = "siemens_radial_kMB1_" + slice + "_SP29.cfl";
    LARMOR_NEEDS_FILE(name);
    const Words scan{"run",      "--kspace", real_data + name, "--trajectory", at("t.cfl"),
                     "--matrix", "192",      "--delay",        "auto"};
    const Json plain = report(scan), phases = report(joined(scan, {"--readout-phase", "auto"}));
    EXPECT_NEAR(plain["gradient_delay"]["x"].get<double>(), 0.652, 0.05);
    EXPECT_NEAR(plain["gradient_delay"]["y"].get<double>(), 0.614, 0.05);
    EXPECT_NEAR(plain["gradient_delay"]["xy"].get<double>(), 0.001, 0.05);
    EXPECT_LT(plain["images"][0]["unexplained"].get<double>(), 0.22);
    EXPECT_LT(phases["images"][0]["unexplained"].get<double>(), 0.16);
  }
}

// Its object is larger than 256 pixels.
TEST_F(RealScans, SpiralIsExplainedByAFieldOfViewThatHoldsTheObject) {
  LARMOR_NEEDS_FILE("ge_spiral_8ch.mat");
  constexpr Index samples = 1182, readouts = 60, coils = 8;
  const MatlabArray data = read_matlab(real_data + "ge_spiral_8ch.mat", "data"),
                    k = read_matlab(real_data + "ge_spiral_8ch.mat", "k");
  ASSERT_EQ(std::ssize(data.imaginary), samples * readouts * coils);
  ASSERT_EQ(std::ssize(k.imaginary), samples * readouts);
  ComplexArray kspace({coils, readouts, samples});
  for (Index i = 0; i < kspace.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    kspace[i] = {static_cast<float>(data.real[at]), static_cast<float>(data.imaginary[at])};
  }
  Array<double> trajectory({readouts, samples, 2});
  for (Index i = 0; i < readouts * samples; ++i) {
    trajectory[2 * i] = k.real[static_cast<std::size_t>(i)];
    trajectory[2 * i + 1] = k.imaginary[static_cast<std::size_t>(i)];
  }
  write_array<std::complex<float>>(at("k.npy"), kspace);
  write_array<double>(at("t.npy"), trajectory);
  const auto misfit = [&](const std::string& matrix) {
    const Json image = report(
        {"run", "--kspace", at("k.npy"), "--trajectory", at("t.npy"), "--matrix", matrix})["images"][0];
    const double left = image["unexplained"].get<double>(), noise = image["noise"].get<double>();
    return std::sqrt(std::max(0.0, left * left - noise * noise));
  };
  EXPECT_LT(misfit("384"), 0.1);
  EXPECT_GT(misfit("256"), 0.2);
  expect_refused(recon({"run", "--kspace", at("k.npy"), "--trajectory", at("t.npy"), "--matrix", "384", "-o",
                        at("late.npy"), "--delay", "auto"}),
                 3, "agree without a delay (98");
}

}  // namespace
}  // namespace larmor::test
