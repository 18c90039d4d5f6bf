#include <larmor/core/format_error.hpp>
#include <larmor/mri/quality/chunk_sums.hpp>
#include <larmor/mri/quality/psf.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/sparse_fft/sparse_fft.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using C = std::complex<float>;
using std::numbers::pi;

/// |PSF| at distances along one axis, by exact sums.
class Profile {
 public:
  Profile(View<const double> trajectory, View<const double> density, int axis, Context& ctx)
      : trajectory_(trajectory), density_(density), axis_(axis), ctx_(ctx) {}

  double operator()(double distance) const {
    const Index samples = trajectory_.shape()[0], dims = trajectory_.shape()[1];
    const bool weighted = density_.size() > 0;
    const auto [re, im, weight] =
        added_up(samples, ctx_, std::array<double, 3>{}, [&](Index begin, Index end, auto& sums) {
          for (Index j = begin; j < end; ++j) {
            const double d = weighted ? density_[j] : 1.0;
            const auto value = std::polar(d, 2 * pi * trajectory_[j * dims + axis_] * distance);
            sums[0] += value.real();
            sums[1] += value.imag();
            sums[2] += d;
          }
        });
    return std::hypot(re, im) / weight;
  }

 private:
  View<const double> trajectory_, density_;
  int axis_;
  Context& ctx_;
};

struct Lobe {
  double half_maximum = 0, first_minimum = 0;
};

// Walks outwards in steps that no lobe of a band-limited function can escape, then bisects the step of the
// crossing.
Lobe main_lobe(const Profile& profile, double extent) {
  constexpr double step = 0.125;
  Lobe lobe{0.5 * extent, 0.5 * extent};
  bool crossed = false;
  double before = 1;
  for (double x = step; x <= 0.5 * extent; x += step) {
    const double here = profile(x);
    if (!crossed && here <= 0.5) {
      crossed = true;
      double low = x - step, high = x;
      for (int i = 0; i < 20; ++i) {
        const double middle = 0.5 * (low + high);
        (profile(middle) > 0.5 ? low : high) = middle;
      }
      lobe.half_maximum = 0.5 * (low + high);
    }
    if (here > before) {
      lobe.first_minimum = x - step;
      break;
    }
    before = here;
  }
  return lobe;
}

// Sets the widths of the main lobe; returns its half widths, down to the first minimum, along x, y(, z).
std::array<double, 3> measure_main_lobe(View<const double> trajectory, View<const double> density,
                                        const Shape& image, PointSpread& result, Context& host) {
  std::array<double, 3> reach{1, 1, 1};
  for (int axis = 0; axis < image.rank(); ++axis) {
    const Lobe lobe = main_lobe(Profile(trajectory, density, axis, host),
                                static_cast<double>(image[image.rank() - 1 - axis]));
    result.fwhm.push_back(2 * lobe.half_maximum);
    reach[static_cast<std::size_t>(axis)] = std::max(lobe.first_minimum, 0.5);
  }
  return reach;
}

// Largest value outside the main lobe, and its total energy.
struct Outside {
  double energy = 0, energy_outside = 0, largest = 0;
  std::array<Index, 3> at{};

  void take(const Outside& other) {
    energy += other.energy;
    energy_outside += other.energy_outside;
    if (other.largest > largest) {
      largest = other.largest;
      at = other.at;
    }
  }
};

// exp(−2πi ⌊n/2⌋ x / n)
std::vector<std::complex<double>> centring(Index n) {
  std::vector<std::complex<double>> factors(static_cast<std::size_t>(n));
  for (Index x = 0; x < n; ++x)
    factors[static_cast<std::size_t>(x)] =
        std::polar(1.0, -2 * pi * static_cast<double>(n / 2 * x % n) / static_cast<double>(n));
  return factors;
}

}  // namespace

PointSpread point_spread(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                         double nufft_tolerance, Context& ctx) {
  const int dims = image_shape.rank();
  const Index samples = trajectory.shape()[0];
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims ||
      (density.size() > 0 && density.size() != samples))
    throw usage_error("point_spread: trajectory {} and density {} for an image of shape {}",
                      trajectory.shape().to_string(), density.shape().to_string(), image_shape.to_string());
  const bool weighted = density.size() > 0;
  double sum = 0, squares = 0;
  Array<C> weights({samples});
  for (Index j = 0; j < samples; ++j) {
    const double d = weighted ? density[j] : 1.0;
    if (!(d >= 0) || !std::isfinite(d))
      throw input_error("density weight {} is {}, expected zero or a positive number", j, d);
    weights[j] = static_cast<float>(d);
    sum += d;
    squares += d * d;
  }
  if (!(sum > 0)) throw input_error("point-spread function: all of the {} density weights are zero", samples);

  PointSpread result;
  result.efficiency = sum / std::sqrt(static_cast<double>(samples) * squares);
  const Nufft<float> transform(trajectory, image_shape, {.tolerance = nufft_tolerance, .scaled = false}, ctx);
  result.image = moved_to(Device::cpu(), transform.adjoint(moved_to(ctx.device(), std::move(weights)), ctx));
  for (C& value : result.image) value *= static_cast<float>(1 / sum);

  Context host = ctx.host();
  const auto reach = measure_main_lobe(trajectory, density, image_shape, result, host);
  double energy = 0, outside = 0;
  for (Index p = 0; p < result.image.size(); ++p) {
    std::array<Index, 3> x{};
    double inside = 0;
    Index rest = p;
    for (int axis = 0; axis < dims; ++axis) {
      const Index extent = image_shape[dims - 1 - axis];
      const auto a = static_cast<std::size_t>(axis);
      x[a] = rest % extent - extent / 2;
      rest /= extent;
      inside += static_cast<double>(x[a] * x[a]) / (reach[a] * reach[a]);
    }
    const double magnitude = std::abs(std::complex<double>(result.image[p]));
    energy += magnitude * magnitude;
    if (inside <= 1) continue;
    outside += magnitude * magnitude;
    if (magnitude > result.side_lobe) {
      result.side_lobe = magnitude;
      result.at = x;
    }
  }
  result.side_lobe_energy = outside / energy;
  return result;
}

PointSpread point_spread(const SparsePattern& given, bool with_image, Context& ctx) {
  check_pattern(given);
  SparsePattern pattern{given.rows, given.columns, {}, {}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // each once
  for (std::size_t i = 0; i < given.row.size(); ++i) places.emplace_back(given.row[i], given.column[i]);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const auto& [row, column] : places) {
    pattern.row.push_back(row);
    pattern.column.push_back(column);
  }
  const SparseFft<float> fft(pattern, {}, ctx);
  if (fft.entries() == 0) throw input_error("point-spread function: nothing is sampled");
  const Index rows = pattern.rows, columns = pattern.columns;

  // Positions of samples for the profiles along the axes.
  Array<double> trajectory({pattern.entries(), 2});
  for (Index i = 0; i < pattern.entries(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    trajectory[2 * i] = static_cast<double>(pattern.column[at] - columns / 2) / static_cast<double>(columns);
    trajectory[2 * i + 1] = static_cast<double>(pattern.row[at] - rows / 2) / static_cast<double>(rows);
  }
  PointSpread result;
  result.efficiency = 1;
  Context host = ctx.host();
  const auto reach = measure_main_lobe(trajectory, {}, {rows, columns}, result, host);
  if (with_image) result.image = Array<C>({rows, columns});
  const auto centring_y = centring(rows), centring_x = centring(columns);
  const double scale = 1 / static_cast<double>(fft.entries());
  Outside total;
  // F[u][v] is real-to-complex: v and C − v are one value and its conjugate.
  fft.stream(
      [&](const SpectrumTile<float>& tile) {
        const Index count = tile.rows.shape()[0], width = tile.rows.shape()[1];
        std::vector<Outside> of_rows(static_cast<std::size_t>(count));
        parallel_for(host, count, 1, [&](Index begin, Index end, int) {
          for (Index i = begin; i < end; ++i) {
            const Index u = tile.first_row + i, y = 2 * u < rows ? u : u - rows;
            const double inside_y = static_cast<double>(y * y) / (reach[1] * reach[1]);
            Outside& outside = of_rows[static_cast<std::size_t>(i)];
            for (Index v = 0; v < width; ++v) {
              const std::complex<double> value = scale * std::complex<double>(tile.rows[i * width + v]);
              const double square = std::norm(value), twice = v == 0 || 2 * v == columns ? 1 : 2;
              outside.energy += twice * square;
              if (with_image) {
                const auto spread =
                    static_cast<C>(std::conj(value) * centring_y[static_cast<std::size_t>(u)] *
                                   centring_x[static_cast<std::size_t>(v)]);
                const auto place = [&](Index row, Index column) -> C& {
                  return result.image[(row + rows / 2) % rows * columns + (column + columns / 2) % columns];
                };
                place(u, v) = spread;
                if (twice > 1) place(rows - u, columns - v) = std::conj(spread);
              }
              if (inside_y + static_cast<double>(v * v) / (reach[0] * reach[0]) <= 1) continue;
              outside.energy_outside += twice * square;
              if (square > outside.largest) {
                outside.largest = square;
                outside.at = {v, y, 0};
              }
            }
          }
        });
        for (const Outside& outside : of_rows) total.take(outside);
      },
      ctx);
  result.side_lobe = std::sqrt(total.largest);
  result.at = total.at;
  result.side_lobe_energy = total.energy_outside / total.energy;
  return result;
}

SparsePattern cartesian_sampling(const Scan& scan) {
  const auto wrong = [&](const std::string& what) {
    return input_error("{}: {}; expected a Cartesian scan", scan.source, what);
  };
  if (scan.encodings.empty()) throw wrong("there is no encoding");
  const Encoding& encoding = scan.encodings.front();
  if (!encoding.trajectory.empty() && encoding.trajectory != "cartesian")
    throw wrong(fmt::format("the trajectory is {}", encoding.trajectory));
  const auto [nx, ny, nz] = encoding.encoded_matrix;
  const bool volume = nz > 1;
  SparsePattern pattern{volume ? nz : ny, volume ? ny : nx, {}, {}};
  std::vector<bool> seen(static_cast<std::size_t>(std::max<Index>(0, ny * std::max<Index>(1, nz))));
  for (std::size_t i = 0; i < scan.readouts.size(); ++i) {
    const ReadoutHeader& header = scan.readouts[i].header;
    if (header.encoding_space_ref != 0 || header.has(AcquisitionFlag::noise) ||
        header.has(AcquisitionFlag::navigation) || header.has(AcquisitionFlag::phase_correction))
      continue;
    if (header.trajectory_dimensions > 0) throw wrong(fmt::format("acquisition {} has a trajectory", i));
    const Index y = header.encode_step_1, z = volume ? header.encode_step_2 : 0;
    if (y >= ny || z >= std::max<Index>(1, nz))
      throw input_error("{}: acquisition {} has encoding steps {} and {}, the encoded matrix has {} and {}",
                        scan.source, i, y, z, ny, nz);
    if (seen[static_cast<std::size_t>(z * ny + y)]) continue;
    seen[static_cast<std::size_t>(z * ny + y)] = true;
    for (Index x = 0; x < (volume ? 1 : nx); ++x) {
      pattern.row.push_back(static_cast<std::uint32_t>(volume ? z : y));
      pattern.column.push_back(static_cast<std::uint32_t>(volume ? y : x));
    }
  }
  return pattern;
}

}  // namespace larmor
