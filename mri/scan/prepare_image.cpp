#include <larmor/core/format_error.hpp>
#include <larmor/core/math/small_matrices.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/scan/shot_motion.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <numeric>

namespace larmor {
namespace {

// Fills all but the samples.
void load_coordinates(const ScanPlan& plan, const PlannedImage& image, PreparedImage& result,
                      Context* workers) {
  const std::size_t count = image.readouts.size();
  result.readout_starts.assign(count + 1, 0);
  for (std::size_t r = 0; r < count; ++r)
    result.readout_starts[r + 1] = result.readout_starts[r] + plan.at(image.readouts[r]).kept;
  const Index dims = plan.dims, samples = result.readout_starts.back();
  result.trajectory = Array<double>({samples, dims});
  if (!plan.at(image.readouts.front()).weights.empty()) result.weights = Array<double>({samples});
  if (plan.reading.sample_times) result.times = Array<double>({samples});
  const Index bands = plan.bands.count;
  if (plan.bands.several()) result.bands = Array<std::complex<double>>({samples, bands});
  share_readouts(count, workers, [&](std::size_t r) {
    const ReadoutCoordinates& readout = plan.at(image.readouts[r]);
    Index row = result.readout_starts[r];
    for (std::size_t j = 0; j < readout.inside.size(); ++j) {
      if (!readout.inside[j]) continue;
      std::copy_n(readout.k.data() + static_cast<Index>(j) * dims, dims,
                  result.trajectory.data() + row * dims);
      if (!result.weights.empty()) result.weights[row] = readout.weights[j];
      if (!result.times.empty()) result.times[row] = readout.times[j];
      if (!result.bands.empty())
        std::copy_n(plan.band_factors(image.readouts[r]).data(), bands, result.bands.data() + row * bands);
      ++row;
    }
  });
  const auto& weights = result.weights;
  if (samples > 0 && !weights.empty() &&
      std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; }))
    throw input_error("all density weights of an image are zero").about("density");
}

// The readout's position along the image axes, in pixels of the solve grid.
std::vector<double> shift_in_pixels(const ImageGeometry& geometry, const Grids& grids, int dims) {
  const Vec3* directions[3] = {&geometry.read_dir, &geometry.phase_dir, &geometry.slice_dir};
  std::vector<double> shift;
  for (int axis = 0; axis < dims; ++axis) {
    const Vec3& direction = *directions[axis];
    shift.push_back(std::inner_product(direction.begin(), direction.end(), geometry.position.begin(), 0.0) /
                    grids.solve.pixel(axis));
  }
  return shift;
}

// The vector v of exp(2πi k·v) that moves the readout's object to the image's place, in pixels of the solve
// grid; k are the coordinates that motion has turned. Empty: nothing moves it.
std::vector<double> shift_of(const ScanPlan& plan, std::size_t readout, std::vector<double> fov_shift) {
  const auto motion = motion_of(plan, readout);
  if (!motion) return fov_shift;
  fov_shift.resize(static_cast<std::size_t>(plan.dims), 0.0);
  for (int axis = 0; axis < plan.dims; ++axis)
    fov_shift[static_cast<std::size_t>(axis)] +=
        motion->translation_mm[static_cast<std::size_t>(axis)] / plan.grids.solve.pixel(axis);
  motion->turn_back_positions(fov_shift.data(), plan.dims, plan.grids.solve);
  return fov_shift;
}

// The kept samples of a readout, real and imaginary parts separate, [channel][stride].
void split_channels(const Scan& scan, const ScanPlan& plan, std::size_t index, Index stride,
                    std::vector<float>& real, std::vector<float>& imag) {
  const Readout& readout = scan.readouts[index];
  const auto inside = plan.at(index).inside;
  real.assign(static_cast<std::size_t>(plan.channels * stride), 0);
  imag.assign(real.size(), 0);
  const bool conjugate = plan.reading.conjugate;
  const View<const std::complex<float>> factors = plan.reading.readout_factors;
  const auto row = static_cast<Index>(index);
  std::vector<std::complex<float>> turns;
  for (const double cycles : plan.at(index).cycles)
    turns.emplace_back(std::polar(1.0, 2 * std::numbers::pi * std::remainder(cycles, 1.0)));
  const auto* const samples = scan.samples(readout);
  for (Index c = 0; c < plan.channels; ++c) {
    std::complex<float> scale = 1;
    if (factors.size() > 0) scale /= factors[factors.shape().rank() == 1 ? row : row * plan.channels + c];
    const auto* in =
        samples + readout.header.discard_pre + static_cast<std::size_t>(c) * readout.header.samples;
    float *re = real.data() + c * stride, *im = imag.data() + c * stride;
    for (std::size_t j = 0; j < inside.size(); ++j) {
      if (!inside[j]) continue;
      auto value = conjugate ? std::conj(in[j]) : in[j];
      if (factors.size() > 0) value *= scale;
      if (!turns.empty()) value *= turns[j];
      *re++ = value.real();
      *im++ = value.imag();
    }
  }
}

}  // namespace

PreparedImage load_trajectory(const ScanPlan& plan, std::size_t image) {
  PreparedImage result;
  load_coordinates(plan, plan.images.at(image), result, nullptr);
  return result;
}

PreparedImage load_image(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                         std::size_t image_index, Context& ctx) {
  const PlannedImage& image = plan.images.at(image_index);
  PreparedImage result;
  load_coordinates(plan, image, result, &ctx);
  const Index dims = plan.dims, samples = result.readout_starts.back(), coils = channels.coils;
  result.samples = Array<std::complex<float>>({coils, samples});
  const std::vector<double> fov_shift = plan.reading.apply_fov_shift
                                            ? shift_in_pixels(image.geometry, plan.grids, plan.dims)
                                            : std::vector<double>{};
  std::vector<std::complex<float>> matrix(channels.matrix.begin(), channels.matrix.end());

  std::atomic<std::size_t> first_bad{scan.readouts.size()};
  parallel_for(ctx, static_cast<Index>(image.readouts.size()), 16, [&](Index begin, Index end, int) {
    std::vector<float> real, imag;  // of the readout's channels
    for (Index r = begin; r < end; ++r) {
      const Index row = result.readout_starts[static_cast<std::size_t>(r)];
      const Index count = result.readout_starts[static_cast<std::size_t>(r) + 1] - row;
      const auto shift = shift_of(plan, image.readouts[static_cast<std::size_t>(r)], fov_shift);
      const Index stride = (count + most_lanes - 1) / most_lanes * most_lanes;
      split_channels(scan, plan, image.readouts[static_cast<std::size_t>(r)], stride, real, imag);
      bool finite = true;
      for (Index coil = 0; coil < coils; ++coil) {
        auto* out = result.samples.data() + coil * samples + row;
        run(RowMix{plan.channels, count, reinterpret_cast<const float*>(matrix.data() + coil * plan.channels),
                   real.data(), imag.data(), stride, reinterpret_cast<float*>(out)});
        finite = finite && std::isfinite(largest_part(out, count));
        for (Index j = 0; j < count && !shift.empty(); ++j) {
          double cycles = 0;
          for (Index axis = 0; axis < dims; ++axis)
            cycles += result.trajectory[(row + j) * dims + axis] * shift[static_cast<std::size_t>(axis)];
          const auto phase = std::polar(1.0, 2 * std::numbers::pi * std::remainder(cycles, 1.0));
          out[j] = std::complex<float>(std::complex<double>(out[j]) * phase);
        }
      }
      if (!finite) {
        std::size_t bad = image.readouts[static_cast<std::size_t>(r)], before = first_bad;
        while (bad < before && !first_bad.compare_exchange_weak(before, bad)) {
        }
      }
    }
  });
  if (first_bad < scan.readouts.size()) {
    require_finite(scan, first_bad);
    throw input_error("the data of readout {} are not finite after whitening and compression",
                      first_bad.load());
  }
  return result;
}

}  // namespace larmor
