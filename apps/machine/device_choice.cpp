#include <larmor/apps/machine/device_choice.hpp>
#include <larmor/core/data/imaging_flags.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace larmor::app {
namespace {

// Nanoseconds, of one CPU thread or of a GPU.
struct Rates {
  double once;       // seconds, independent of the work: start and end of a GPU
  double image;      // seconds for the smallest steps of an image: launches, plans
  double gather;     // per sample and coil: units, whitening, order, transfer to the device
  double calibrate;  // per pixel and pair of coils: ESPIRiT's eigenvectors
  double fit;        // per cubed row of ESPIRiT's matrix
  double set_up;     // per sample: point-spread function, on twice the grid
  double cell[2];    // per coil and cell of twice the grid, in 2D (fits in caches) and 3D: one application
                     // of the normal operator
};
constexpr Rates cpu_rates{0.08, 0.02, 8, 20, 0.25, 1500, {7, 18}};
constexpr Rates gpu_rates{0.43, 0.02, 4, 0.15, 0.0002, 80, {0.01, 0.01}};
// A CPU's caches and memory are shared: the speed of n threads is that of one thread times n to this power.
constexpr double threads_power = 0.85;
// Conjugate gradient iterations until convergence, including those for the expected error; and inner
// iterations per outer iteration of a solver with terms.
constexpr double iterations_of_default = 30, iterations_inside = 6;
// Number of rows of ESPIRiT's matrix.
constexpr double rows_of_fit[] = {1600, 1100};

std::map<std::string, double> stages(const Rates& rates, const Workload& work, double speed) {
  const double doubled = std::pow(2, work.dims) * work.pixels, points = work.samples * work.coils;
  double calibrate = 0;
  if (work.calibrated > 0)
    calibrate = rates.calibrate * work.calibrated * work.coils * work.coils +
                rates.fit * std::pow(std::min(rows_of_fit[work.dims - 2], 36 * work.coils), 3);
  const double unit = 1e-9 / speed;
  return {{"prepare", rates.gather * points * unit},
          {"calibrate", calibrate * unit},
          {"setup", rates.set_up * work.samples * unit + rates.image * work.images},
          {"iterate", rates.cell[work.dims - 2] * doubled * work.coils * work.iterations * unit}};
}

double speed_of(int threads) {
  return std::pow(std::max(1, threads), threads_power);
}

double seconds(const Rates& rates, const Workload& work, double speed) {
  double sum = rates.once;
  for (const auto& [stage, time] : stages(rates, work, speed)) sum += time;
  return sum;
}

double applications(const SolveOptions& solve) {
  if (solve.gridding) return 0;
  if (solve.automatic)
    return std::min<double>(static_cast<double>(iterations_of(solve)), iterations_of_default);
  const bool simple = std::all_of(solve.regularizers.begin(), solve.regularizers.end(), is_quadratic);
  return static_cast<double>(iterations_of(solve)) * (simple ? 1 : iterations_inside);
}

}  // namespace

Workload workload_of(const Scan& scan, const ReconstructOptions& options) {
  Workload work;
  std::set<ImageCounters> images;
  double largest = 1;
  for (const Readout& readout : scan.readouts) {
    const ReadoutHeader& header = readout.header;
    if (never_imaging(header)) continue;
    images.insert(header.counters);
    work.samples += header.samples;
    work.coils = std::max<double>(work.coils, header.active_channels);
  }
  for (const Encoding& encoding : scan.encodings) {
    double pixels = 1;
    for (const Index extent : encoding.encoded_matrix)
      pixels *= static_cast<double>(std::max<Index>(1, extent));
    largest = std::max(largest, pixels);
    if (encoding.encoded_matrix[2] > 1) work.dims = 3;
  }
  if (options.prepare.virtual_coils > 0)
    work.coils = std::min(work.coils, static_cast<double>(options.prepare.virtual_coils));
  const bool series =
      options.frames.divide_readouts() || options.frames.basis.size() > 0 || has_frame_term(options.solve);
  work.images = series ? 1 : static_cast<double>(std::max<std::size_t>(1, images.size()));
  double frames = static_cast<double>(std::max<std::size_t>(1, images.size()));
  if (options.frames.window) {
    const double readouts = static_cast<double>(std::max<Index>(1, options.frames.window->readouts));
    frames = std::max(1.0, static_cast<double>(scan.readouts.size()) / readouts);
  }
  work.pixels = largest * frames;
  work.iterations = applications(options.solve);
  if (options.coils.combine == Combine::sense && options.coils.maps.size() == 0 && work.coils > 1) {
    std::set<int> slices;
    for (const ImageCounters& counters : images) slices.insert(counters.slice);
    work.calibrated = largest * static_cast<double>(std::max<std::size_t>(1, slices.size()));
  }
  return work;
}

PredictedTimes predicted_times(const Workload& work, int threads) {
  return {seconds(cpu_rates, work, speed_of(threads)), seconds(gpu_rates, work, 1)};
}

std::map<std::string, double> predicted_stages(const Workload& work, int threads, bool on_gpu) {
  return on_gpu ? stages(gpu_rates, work, 1) : stages(cpu_rates, work, speed_of(threads));
}

}  // namespace larmor::app
