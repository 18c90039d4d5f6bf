#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <atomic>
#include <cmath>
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

// Times in seconds from the echo (center_sample) of the kept samples of one readout after the other. A
// readout too long for one record goes on in the next segment of the same encoding steps: so does its clock.
class SampleClock {
 public:
  SampleClock(const Scan& scan, const ScanPlan& plan) : scan_(scan), dwell_us_(plan.imaging_dwell_us) {
    if (!(dwell_us_ > 0))
      throw input_error("the sample time of the readouts is not known, which a field map needs");
  }
  void read(std::size_t index, std::vector<double>& times) {
    const ReadoutHeader& header = scan_.readouts[index].header;
    const double own = static_cast<double>(header.sample_time_us);
    const double dwell = 1e-6 * (std::isfinite(own) && own > 0 ? own : dwell_us_);
    const bool goes_on = before_ != nullptr && header.segment > 0 && header.segment == before_->segment + 1 &&
                         header.encode_step_1 == before_->encode_step_1 &&
                         header.encode_step_2 == before_->encode_step_2 && header.average == before_->average;
    const double start = goes_on ? end_ : -dwell * static_cast<double>(header.center_sample);
    times.resize(static_cast<std::size_t>(kept_samples(header)));
    for (std::size_t j = 0; j < times.size(); ++j)
      times[j] = start + dwell * static_cast<double>(header.discard_pre + j);
    end_ = start + dwell * static_cast<double>(header.samples);
    before_ = &header;
  }

 private:
  const Scan& scan_;
  double dwell_us_, end_ = 0;
  const ReadoutHeader* before_ = nullptr;
};

SamplePlaces load_coordinates(const Scan& scan, const ScanPlan& plan, const PlannedImage& image,
                              PreparedImage& result) {
  const TrajectoryReader reader(scan, plan);
  const Index dims = plan.dims, samples = image.samples - image.dropped;
  result.trajectory = Array<double>({samples, dims});
  std::optional<SampleClock> clock;
  if (plan.reading.sample_times) {
    clock.emplace(scan, plan);
    result.times = Array<double>({samples});
  }
  std::vector<double> times;
  SamplePlaces places;
  places.first.push_back(0);
  places.indices.resize(image.readouts.size());
  std::vector<double> k, weights;
  std::vector<char> inside;
  for (std::size_t r = 0; r < image.readouts.size(); ++r) {
    const Index kept = reader.read_scaled(image.readouts[r], k, weights, inside);
    if (!weights.empty() && result.weights.empty()) result.weights = Array<double>({samples});
    Index row = places.first.back();
    if (clock) clock->read(image.readouts[r], times);
    const Index all = static_cast<Index>(inside.size());
    if (kept != all) places.indices[r].reserve(static_cast<std::size_t>(kept));
    for (Index j = 0; j < all; ++j) {
      if (!inside[static_cast<std::size_t>(j)]) continue;
      if (kept != all) places.indices[r].push_back(j);
      for (Index axis = 0; axis < dims; ++axis)
        result.trajectory[row * dims + axis] = k[static_cast<std::size_t>(j * dims + axis)];
      if (!weights.empty()) result.weights[row] = weights[static_cast<std::size_t>(j)];
      if (clock) result.times[row] = times[static_cast<std::size_t>(j)];
      ++row;
    }
    places.first.push_back(row);
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

}  // namespace

PreparedImage load_trajectory(const Scan& scan, const ScanPlan& plan, std::size_t image) {
  PreparedImage result;
  load_coordinates(scan, plan, plan.images.at(image), result);
  return result;
}

PreparedImage load_image(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                         std::size_t image_index, Context& ctx) {
  const PlannedImage& image = plan.images.at(image_index);
  PreparedImage result;
  const SamplePlaces places = load_coordinates(scan, plan, image, result);
  const Index dims = plan.dims, samples = image.samples - image.dropped, coils = channels.coils;
  result.samples = Array<std::complex<float>>({coils, samples});
  const auto& options = plan.reading;
  const std::vector<double> shift = options.apply_fov_shift
                                        ? shift_in_pixels(image.geometry, plan.grids, plan.dims)
                                        : std::vector<double>{};
  std::vector<std::complex<float>> matrix(channels.matrix.begin(), channels.matrix.end());

  std::atomic<std::size_t> first_bad{scan.readouts.size()};
  parallel_for(ctx, static_cast<Index>(image.readouts.size()), 16, [&](Index begin, Index end, int) {
    for (Index r = begin; r < end; ++r) {
      const Readout& readout = scan.readouts[image.readouts[static_cast<std::size_t>(r)]];
      const auto& chosen = places.indices[static_cast<std::size_t>(r)];
      const Index row = places.first[static_cast<std::size_t>(r)];
      const Index count = places.first[static_cast<std::size_t>(r) + 1] - row;
      const auto* data = scan.data.data() + readout.data_offset + readout.header.discard_pre;
      bool finite = true;
      for (Index coil = 0; coil < coils; ++coil) {
        auto* out = result.samples.data() + coil * samples + row;
        std::fill(out, out + count, std::complex<float>(0));
        for (Index c = 0; c < plan.channels; ++c) {
          const std::complex<float> m = matrix[static_cast<std::size_t>(coil * plan.channels + c)];
          if (m == std::complex<float>(0)) continue;
          const auto* in = data + c * readout.header.samples;
          for (Index j = 0; j < count; ++j) {
            std::complex<float> s = in[chosen.empty() ? j : chosen[static_cast<std::size_t>(j)]];
            if (options.conjugate) s = std::conj(s);
            // Written out, so that the compiler need not care for infinities.
            const float re = m.real() * s.real() - m.imag() * s.imag();
            const float im = m.real() * s.imag() + m.imag() * s.real();
            out[j] += std::complex<float>(re, im);
          }
        }
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
  if (first_bad < scan.readouts.size())
    throw input_error("data of readout {} contain NaN or infinite values", first_bad.load());
  return result;
}

}  // namespace larmor
