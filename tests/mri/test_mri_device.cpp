// Calibration and density compensation give the same results on a CUDA device and on the CPU.
#include "device_cases.hpp"

#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/calibration_matrix.hpp>
#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

namespace larmor::test {
namespace {

using Complex = std::complex<float>;

template <typename Case>
class MriOnDevice : public OnDevice<Case> {
 protected:
  Context cpu{Device::cpu(), {.threads = 2}};

  struct Scan {
    Shape shape;
    Array<double> k;
    Array<Complex> samples;
  };
  Scan radial(Index coils = 4) { return scan({24, 26}, radial_2d({.spokes = 40, .samples = 48}).k, coils); }
  Scan kooshball() { return scan({14, 16, 15}, kooshball_3d(400, 16).k, 3); }

 private:
  Scan scan(const Shape& shape, Array<double> k, Index coils) {
    const Phantom phantom(shape.rank(), head_phantom(shape.rank()), coil_ring(shape.rank(), coils));
    auto samples = converted<Complex>(phantom.kspace(k, shape, cpu).view());
    return {shape, std::move(k), std::move(samples)};
  }
};
TYPED_TEST_SUITE(MriOnDevice, testing::Types<CudaFloat>, CaseNames);

TYPED_TEST(MriOnDevice, PipeMenonWeights) {
  for (const auto& scan : {this->radial(), this->kooshball()}) {
    // Devices choose their own grids and kernels, which agree to the requested tolerance.
    const PipeMenonOptions options{.nufft_tolerance = 1e-4};
    const auto weights = pipe_menon(scan.k, scan.shape, options, this->ctx());
    const auto expected = pipe_menon(scan.k, scan.shape, options, this->cpu);
    EXPECT_LT(relative_difference(weights, expected), 1e-3) << scan.shape.to_string();
  }
}

TYPED_TEST(MriOnDevice, EspiritMaps) {
  for (const auto& scan : {this->radial(), this->kooshball()}) {
    const auto region = calibration_region(scan.k, scan.samples, scan.shape,
                                           {.size = scan.shape.rank() == 2 ? 16 : 10}, this->cpu);
    // Pixels at the border of the object, where the eigenvalue is near the threshold, may differ.
    const EspiritOptions options{.crop = 0};
    const auto maps = moved_to(Device::cpu(), espirit_maps(region, scan.shape, options, this->ctx()));
    EXPECT_LT(relative_difference(maps, espirit_maps(region, scan.shape, options, this->cpu)), 1e-3)
        << scan.shape.to_string();
    // Too little memory for the maps: they are computed in host memory.
    Context tight(this->device(), {.threads = 2, .memory_limit = maps.view().bytes()});
    EXPECT_TRUE(same_bits(moved_to(Device::cpu(), espirit_maps(region, scan.shape, options, tight)), maps));
  }
}

// A pixel is processed by one thread, one warp, or two.
TYPED_TEST(MriOnDevice, EspiritMapsOfManyCoils) {
  for (const Index coils : {9, 17, 32, 33, 64}) {
    SCOPED_TRACE(coils);
    const auto scan = this->radial(coils);
    const auto region = calibration_region(scan.k, scan.samples, scan.shape, {.size = 16}, this->cpu);
    const EspiritOptions options{.kernel = 3, .crop = 0};
    const auto maps = moved_to(Device::cpu(), espirit_maps(region, scan.shape, options, this->ctx()));
    EXPECT_LT(relative_difference(maps, espirit_maps(region, scan.shape, options, this->cpu)), 1e-3);
  }
}

TYPED_TEST(MriOnDevice, EspiritProjection) {
  const Extents region{10, 9, 11}, kernel{3, 3, 4};
  const auto kspace = random_complex<float>({3, region.z, region.y, region.x}, 7);
  const auto expected = CalibrationMatrix(kspace, region, kernel, this->cpu).projection(0.02);
  const auto found = CalibrationMatrix(kspace, region, kernel, this->ctx()).projection(0.02);
  EXPECT_LT(relative_difference(found, expected), 1e-5);
}

TYPED_TEST(MriOnDevice, ChannelMatrices) {
  const auto maps = random_complex<float>({3, 5, 7}, 8);
  const auto matrix = random_complex<double>({4, 3}, 9);
  const auto there = copied_to(this->device(), maps);
  const auto mixed = moved_to(Device::cpu(), apply_channel_matrix(matrix, there, this->ctx()));
  EXPECT_LT(relative_difference(mixed, apply_channel_matrix(matrix, maps, this->cpu)), 1e-6);
  const auto original = moved_to(Device::cpu(), original_channel_maps(there, matrix, this->ctx()));
  EXPECT_LT(relative_difference(original, original_channel_maps(maps, matrix, this->cpu)), 1e-6);
}

TYPED_TEST(MriOnDevice, CalibrationRegion) {
  const auto scan = this->radial();
  const auto region = calibration_region(scan.k, scan.samples, scan.shape, {.size = 16}, this->ctx());
  const auto expected = calibration_region(scan.k, scan.samples, scan.shape, {.size = 16}, this->cpu);
  EXPECT_LT(relative_difference(region.kspace, expected.kspace), 1e-3);
}

}  // namespace
}  // namespace larmor::test
