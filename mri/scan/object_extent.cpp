#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/mri/scan/object_extent.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

namespace larmor {
namespace {

constexpr std::size_t most_readouts = 64;

// The inverse transform of a readout, and the square of a Hann window: it leaves little of the leakage of
// edges, also where a readout begins at the centre of k-space.
struct Line {
  LineFft<float> fft;
  std::vector<float> window;

  explicit Line(Index samples) : fft(samples, 1, FftSign::forward) {
    for (Index j = 0; j < samples; ++j) {
      const double hann =
          1 - std::cos(2 * std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(samples));
      window.push_back(static_cast<float>(hann * hann));
    }
  }
};

// Energy of the projections.
struct Energy {
  double all = 0, beyond = 0, outermost = 0;
  Index bins = 0, bins_beyond = 0, bins_outermost = 0;

  void add(const Scan& scan, const SeenReadout& seen, const Line& way) {
    const Readout& readout = scan.readouts[seen.index];
    const Index samples = way.fft.length();
    Array<std::complex<float>> line({samples}), projection({samples});
    const std::complex<float>* data = scan.samples(readout) + readout.header.discard_pre;
    for (Index channel = 0; channel < readout.header.active_channels;
         ++channel, data += readout.header.samples) {
      for (Index j = 0; j < samples; ++j) line[j] = data[j] * way.window[static_cast<std::size_t>(j)];
      way.fft.execute(line.data(), projection.data());
      for (Index x = 0; x < samples; ++x) {
        const double energy = std::norm(std::complex<double>(projection[x]));
        if (!std::isfinite(energy)) continue;
        // Bins are ordered from the centre outwards, and back.
        const double radius =
            2 * static_cast<double>(std::min(x, samples - x)) / static_cast<double>(samples);
        all += energy;
        ++bins;
        if (radius > seen.part) {
          beyond += energy;
          ++bins_beyond;
        }
        if (radius >= 0.875) {
          outermost += energy;
          ++bins_outermost;
        }
      }
    }
  }
};

// The part of a readout's field of view within the grid; nothing if its samples are not evenly spaced.
std::optional<double> part_within(const Grid& grid, const ScanPlan& plan, std::size_t index) {
  const auto k = plan.at(index).k;
  const auto dims = static_cast<std::size_t>(plan.dims);
  const std::size_t samples = k.size() / dims;
  if (samples < 16) return std::nullopt;
  const auto step_of = [&](std::size_t axis) {
    return (k[(samples - 1) * dims + axis] - k[axis]) / static_cast<double>(samples - 1);
  };
  double length = 0, seen = 0;
  for (std::size_t axis = 0; axis < dims; ++axis) length = std::hypot(length, step_of(axis));
  for (std::size_t axis = 0; axis < dims; ++axis) {
    const double step = step_of(axis);
    for (std::size_t j = 1; j < samples; ++j)
      if (std::abs(k[j * dims + axis] - k[(j - 1) * dims + axis] - step) > 0.01 * length + 1e-7)
        return std::nullopt;
    seen += std::abs(step) * static_cast<double>(grid.matrix[axis]);
  }
  return seen;
}

// True if the readouts see the whole object within the recon field of view, whose centre is theirs.
bool seen_on_recon(const Scan& scan, const ScanPlan& plan) {
  if (plan.reading.apply_fov_shift || plan.reading.motion.size() > 0) return false;
  std::vector<SeenReadout> readouts;
  for (const PlannedImage& image : plan.images) {
    const std::size_t step = 1 + image.readouts.size() * plan.images.size() / most_readouts;
    for (std::size_t r = 0; r < image.readouts.size(); r += step) {
      if (plan.left_out.contains(image.readouts[r])) continue;
      const auto part = part_within(plan.grids.recon, plan, image.readouts[r]);
      if (!part || *part >= 0.75) return false;
      readouts.push_back({image.readouts[r], *part});
    }
  }
  return share_beyond(scan, readouts) <= negligible_share;
}

}  // namespace

double share_beyond(const Scan& scan, const std::vector<SeenReadout>& readouts) {
  std::map<Index, Line> lines;
  Energy energy;
  for (const SeenReadout& seen : readouts) {
    const Index samples = kept_samples(scan.readouts[seen.index].header);
    energy.add(scan, seen, lines.try_emplace(samples, samples).first->second);
  }
  if (energy.bins_outermost == 0) return 0;
  const double noise = energy.outermost / static_cast<double>(energy.bins_outermost);
  const double object = energy.all - noise * static_cast<double>(energy.bins);
  const double beyond = energy.beyond - noise * static_cast<double>(energy.bins_beyond);
  // Noise alone can produce this much.
  if (!(beyond > 5 * noise * std::sqrt(static_cast<double>(energy.bins_beyond)))) return 0;
  return object > 0 ? beyond / object : 0;
}

void fit_solve_grid(const Scan& scan, ScanPlan& plan) {
  Grids& grids = plan.grids;
  if (plan.lines || grids.solve.matrix == grids.recon.matrix || !seen_on_recon(scan, plan)) return;
  // Planes of a stack are as close as the whole slab demands.
  for (std::size_t axis = 0; axis < (plan.layout.stack ? 2U : 3U); ++axis) {
    grids.solve.matrix[axis] = grids.recon.matrix[axis];
    grids.solve.fov_mm[axis] = grids.recon.fov_mm[axis];
  }
  plan.notes.emplace_back("readouts see nothing outside the image's field of view: solving on it");
}

void warn_of_larger_object(const Scan& scan, ScanPlan& plan) {
  const std::vector<std::size_t>& all = plan.images.front().readouts;
  std::vector<SeenReadout> readouts;
  double least = 1;
  for (std::size_t r = 0; r < all.size(); r += 1 + all.size() / most_readouts)
    if (const auto part = part_within(plan.grids.solve, plan, all[r]); part && *part < 0.75) {
      readouts.push_back({all[r], *part});
      least = std::min(least, *part);
    }
  if (readouts.empty()) return;
  const double share = share_beyond(scan, readouts);
  if (share > object_share)
    plan.warnings.push_back(
        fmt::format("the object is larger than the field of view: {:.2g} % of its energy in the readouts "
                    "lies outside; solve on a field of view {:.2g} times as large",
                    100 * share, 1 / least));
}

}  // namespace larmor
