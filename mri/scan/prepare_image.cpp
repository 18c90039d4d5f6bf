#include <larmor/core/format_error.hpp>
#include <larmor/core/math/small_matrices.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/scan/sample_times.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>

namespace larmor {
namespace {

// Kept samples of an image: for each readout where its samples go, and which of them they are.
struct SamplePlaces {
  std::vector<Index> first;                 // by place in PlannedImage::readouts, one more for the end
  std::vector<std::vector<Index>> indices;  // of the readout's kept samples; empty: all of them
};

// How many samples of every readout are kept, as the first row of each.
std::vector<Index> first_rows(const Scan& scan, const PlannedImage& image, const TrajectoryReader& reader,
                              Context* workers) {
  std::vector<Index> first(image.readouts.size() + 1, 0);
  share_readouts(image.readouts.size(), workers, [&](std::size_t r) {
    std::vector<double> k, weights;
    std::vector<char> inside;
    first[r + 1] = image.dropped == 0 ? kept_samples(scan.readouts[image.readouts[r]].header)
                                      : reader.read_scaled(image.readouts[r], k, weights, inside);
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

SamplePlaces load_coordinates(const Scan& scan, const ScanPlan& plan, const PlannedImage& image,
                              PreparedImage& result, Context* workers) {
  const TrajectoryReader reader(scan, plan);
  const Index dims = plan.dims, samples = image.samples - image.dropped;
  result.trajectory = Array<double>({samples, dims});
  if (reader.weighted()) result.weights = Array<double>({samples});
  SamplePlaces places;
  places.first = first_rows(scan, image, reader, workers);
  places.indices.resize(image.readouts.size());
  share_readouts(image.readouts.size(), workers, [&](std::size_t r) {
    std::vector<double> k, weights;
    std::vector<char> inside;
    const Index kept = reader.read_scaled(image.readouts[r], k, weights, inside);
    const Index all = static_cast<Index>(inside.size());
    Index row = places.first[r];
    if (kept != all) places.indices[r].reserve(static_cast<std::size_t>(kept));
    for (Index j = 0; j < all; ++j) {
      if (!inside[static_cast<std::size_t>(j)]) continue;
      if (kept != all) places.indices[r].push_back(j);
      for (Index axis = 0; axis < dims; ++axis)
        result.trajectory[row * dims + axis] = k[static_cast<std::size_t>(j * dims + axis)];
      if (!weights.empty()) result.weights[row] = weights[static_cast<std::size_t>(j)];
      ++row;
    }
  });
  if (plan.reading.sample_times) {
    const std::vector<std::vector<double>> times = sample_times(scan, plan, image, reader);
    result.times = Array<double>({samples});
    for (std::size_t r = 0; r < image.readouts.size(); ++r) {
      const auto& chosen = places.indices[r];
      const Index row = places.first[r], count = places.first[r + 1] - row;
      for (Index j = 0; j < count; ++j)
        result.times[row + j] =
            times[r][static_cast<std::size_t>(chosen.empty() ? j : chosen[static_cast<std::size_t>(j)])];
    }
  }
  result.readout_starts = places.first;
  return places;
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

// The kept samples of a readout, real and imaginary parts apart, [channel][stride].
void split_channels(const Scan& scan, const ScanPlan& plan, const Readout& readout,
                    const std::vector<Index>& chosen, Index count, Index stride, std::vector<float>& real,
                    std::vector<float>& imag) {
  real.assign(static_cast<std::size_t>(plan.channels * stride), 0);
  imag.assign(real.size(), 0);
  const float sign = plan.reading.conjugate ? -1 : 1;
  const auto* const samples = scan.samples(readout);
  for (Index c = 0; c < plan.channels; ++c) {
    const auto* in =
        samples + readout.header.discard_pre + static_cast<std::size_t>(c) * readout.header.samples;
    float *re = real.data() + c * stride, *im = imag.data() + c * stride;
    for (Index j = 0; j < count; ++j) {
      const std::complex<float> value = in[chosen.empty() ? j : chosen[static_cast<std::size_t>(j)]];
      re[j] = value.real();
      im[j] = sign * value.imag();
    }
  }
}

bool all_zero(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0; });
}

// Readouts whose samples are all zero, where others of the image are not: a plan that is made while samples
// are still in the file does not leave them out.
void refuse_empty_readouts(const ScanPlan& plan, const PlannedImage& image, const std::vector<char>& empty) {
  const auto found = std::find(empty.begin(), empty.end(), 1);
  const auto used = std::count_if(image.readouts.begin(), image.readouts.end(),
                                  [&](std::size_t index) { return !plan.left_out.contains(index); });
  if (!plan.reading.leave_out_empty || std::count(empty.begin(), empty.end(), 1) == used ||
      found == empty.end())
    return;
  throw input_error(
      "all samples of readout {} are zero: a single process leaves such readouts out; reconstruct without "
      "ranks",
      image.readouts[static_cast<std::size_t>(found - empty.begin())]);
}

}  // namespace

void read_samples(const Scan& scan, const std::vector<std::size_t>& readouts, Context& ctx) {
  if (!scan.in_file) return;
  std::mutex mutex;
  std::map<std::size_t, std::exception_ptr> failed;
  parallel_for(ctx, static_cast<Index>(readouts.size()), 4, [&](Index begin, Index end, int) {
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) try {
        scan.in_file->of(readouts[r]);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failed[readouts[r]] = std::current_exception();
      }
  });
  if (!failed.empty()) std::rethrow_exception(failed.begin()->second);
}

PreparedImage load_trajectory(const Scan& scan, const ScanPlan& plan, std::size_t image) {
  PreparedImage result;
  load_coordinates(scan, plan, plan.images.at(image), result, nullptr);
  return result;
}

PreparedImage load_image(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                         std::size_t image_index, Context& ctx) {
  const PlannedImage& image = plan.images.at(image_index);
  PreparedImage result;
  const SamplePlaces places = load_coordinates(scan, plan, image, result, &ctx);
  const Index dims = plan.dims, samples = image.samples - image.dropped, coils = channels.coils;
  result.samples = Array<std::complex<float>>({coils, samples});
  const std::vector<double> shift = plan.reading.apply_fov_shift
                                        ? shift_in_pixels(image.geometry, plan.grids, plan.dims)
                                        : std::vector<double>{};
  std::vector<std::complex<float>> matrix(channels.matrix.begin(), channels.matrix.end());
  read_samples(scan, image.readouts, ctx);

  std::atomic<std::size_t> first_bad{scan.readouts.size()};
  std::vector<char> empty(image.readouts.size(), 0);
  parallel_for(ctx, static_cast<Index>(image.readouts.size()), 16, [&](Index begin, Index end, int) {
    std::vector<float> real, imag;  // of the readout's channels
    for (Index r = begin; r < end; ++r) {
      const Readout& readout = scan.readouts[image.readouts[static_cast<std::size_t>(r)]];
      const Index row = places.first[static_cast<std::size_t>(r)];
      const Index count = places.first[static_cast<std::size_t>(r) + 1] - row;
      const Index stride = (count + most_lanes - 1) / most_lanes * most_lanes;
      split_channels(scan, plan, readout, places.indices[static_cast<std::size_t>(r)], count, stride, real,
                     imag);
      bool finite = true;
      empty[static_cast<std::size_t>(r)] = count > 0 && all_zero(real) && all_zero(imag);
      for (Index coil = 0; coil < coils; ++coil) {
        auto* out = result.samples.data() + coil * samples + row;
        run(RowMix{plan.channels, count, reinterpret_cast<const float*>(matrix.data() + coil * plan.channels),
                   real.data(), imag.data(), stride, reinterpret_cast<float*>(out)});
        for (Index j = 0; j < count; ++j)
          finite = finite && std::isfinite(out[j].real()) && std::isfinite(out[j].imag());
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
    throw input_error("data of readout {} are not finite once channels are mixed", first_bad.load());
  }
  if (scan.in_file) refuse_empty_readouts(plan, image, empty);
  return result;
}

}  // namespace larmor
