#include <larmor/core/format_error.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/mri/calibration/calibration_plan.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/estimated_motion.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/shot_motion.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace larmor {
namespace {

using MovedComplex = std::complex<float>;
using std::numbers::pi;

// Smaller than the share of noise in most data, and large enough for iterations to converge.
constexpr double moved_image_weight = 1e-3;
constexpr Index moved_image_iterations = 10;
// Resolutions as divisors of the image's.
constexpr Index divisors[] = {8, 4, 2};
// Steps of all shots at one resolution, at most; fewer if no point of the object moves by more than this part
// of a pixel.
constexpr int most_turns = 30;
constexpr double shots_rest = 0.01;

// Numbers of the six that the object can move along: of a slice x, y and the rotation about z.
std::vector<Index> free_numbers(int dims) {
  return dims == 2 ? std::vector<Index>{0, 1, 5} : std::vector<Index>{0, 1, 2, 3, 4, 5};
}

/// The rotation R of a shot's samples, and the derivatives of Rᵀ with respect to the angles, in 1/degree.
struct ShotTurns {
  RigidMotion forth;
  std::array<RigidMotion, 3> derivatives;

  explicit ShotTurns(const double* six) {
    constexpr double step = 1e-3;  // degrees
    const RigidMotion now = rigid_motion(six);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) forth.rotation[3 * a + b] = now.rotation[3 * b + a];
    for (std::size_t angle = 0; angle < 3; ++angle) {
      double low[6], high[6];
      std::copy_n(six, 6, low);
      std::copy_n(six, 6, high);
      low[3 + angle] -= step;
      high[3 + angle] += step;
      const RigidMotion below = rigid_motion(low), above = rigid_motion(high);
      for (std::size_t i = 0; i < 9; ++i)
        derivatives[angle].rotation[i] = (above.rotation[i] - below.rotation[i]) / (2 * step);
    }
  }
};

/// The normal equations of the shots' steps, and the misfit.
struct ShotEquations {
  std::vector<Index> numbers;
  std::vector<double> gram, right;  // [shots][numbers][numbers], [shots][numbers]
  double misfit = 0, energy = 0;

  ShotEquations(Index shots, std::vector<Index> which) : numbers(std::move(which)) {
    const auto count = numbers.size(), all = static_cast<std::size_t>(shots);
    gram.assign(all * count * count, 0);
    right.assign(all * count, 0);
  }
};

// The options for a scan at a fraction of the resolution of `plan`, which has those options, on a field of
// view at least as large.
PrepareOptions on_coarse_grid(PrepareOptions options, const ScanPlan& plan, Index divisor) {
  GridOptions grid;
  for (int axis = 0; axis < plan.dims; ++axis) {
    const Index pixels = plan.grids.solve.matrix[static_cast<std::size_t>(axis)];
    grid.matrix.push_back((pixels + divisor - 1) / divisor);
    grid.fov_mm.push_back(plan.grids.solve.pixel(axis) * static_cast<double>(divisor * grid.matrix.back()));
  }
  grid.solve_fov = 1;
  options.grid = grid;
  // In cycles/pixel.
  auto shifts = clone(View<const double>(options.readout_shifts));
  for (double& shift : shifts) shift *= static_cast<double>(divisor);
  options.readout_shifts = std::move(shifts);
  return options;
}

/// The scan at one resolution.
class MotionLevel {
 public:
  MotionLevel(const Scan& scan, PrepareOptions options, const CoilOptions& coils, Index divisor, Context& ctx)
      : scan_(scan), options_(std::move(options)), ctx_(ctx) {
    const ScanPlan whole = plan_scan(scan, options_, &ctx);
    if (whole.bands.several())
      throw usage_error("motion is estimated of scans of one slice at a time; give it, or leave it out")
          .about("motion");
    options_ = on_coarse_grid(std::move(options_), whole, divisor);
    Selection selection{plan_scan(scan, options_, &ctx), {}, std::nullopt, {}};
    selection.channels = plan_channels(scan, selection.plan, ctx, options_);
    selection.calibration = plan_calibration(scan, selection.plan);
    CoilOptions estimated;
    if (coils.calibration != Calibration::none) estimated.calibration = coils.calibration;
    for (const PlannedImage& image : selection.plan.images)
      maps_.emplace_back(copied_to(
          Device::cpu(), maps_of_slice({scan, selection, estimated, image.counters.slice}, ctx).front()));
    channels_ = std::move(selection.channels);
  }

  // Adds the equations of all images for this motion.
  ShotEquations equations(const Array<double>& motion) {
    options_.motion = clone(motion.view());
    const ScanPlan plan = plan_scan(scan_, options_, &ctx_);
    pixel_ = plan.grids.solve.pixel(0);
    radius_ = 0.5 * plan.grids.solve.fov_mm[0];
    ShotEquations result(motion.shape()[0], free_numbers(plan.dims));
    for (std::size_t image = 0; image < plan.images.size(); ++image) add(plan, image, motion, result);
    return result;
  }
  /// In mm.
  double pixel() const { return pixel_; }
  double radius() const { return radius_; }

 private:
  // The transforms of the image, and of the image times each coordinate in pixels: the gradient of the
  // samples by k is −2πi times those.
  std::vector<Array<MovedComplex>> transforms_of(const LinearOperator<float>& model,
                                                 const Array<MovedComplex>& x, int dims) {
    std::vector<Array<MovedComplex>> all;
    all.push_back(model.apply(x.view(), ctx_));
    const Shape& shape = x.shape();
    for (int axis = 0; axis < dims; ++axis) {
      Array<MovedComplex> moved = clone(x.view());
      Index inner = 1;
      for (int later = 0; later < axis; ++later) inner *= shape[shape.rank() - 1 - later];
      const Index extent = shape[shape.rank() - 1 - axis];
      for (Index p = 0; p < moved.size(); ++p)
        moved[p] *= static_cast<float>(p / inner % extent - extent / 2);
      all.push_back(model.apply(moved.view(), ctx_));
    }
    return all;
  }

  void add(const ScanPlan& plan, std::size_t image, const Array<double>& motion, ShotEquations& sum) {
    const PreparedImage data = load_image(scan_, plan, channels_, image, ctx_);
    const Index samples = data.trajectory.shape()[0], coils = data.samples.shape()[0];
    if (samples == 0) return;
    const int dims = plan.dims;
    const auto model = sense_model<float>(data.trajectory, maps_[image].view(), {.tolerance = 1e-3}, ctx_);
    const auto x = conjugate_gradient<float>(model, data.samples, {l2<float>(moved_image_weight)},
                                             {.iterations = moved_image_iterations}, ctx_)
                       .x;
    const auto of = transforms_of(model, x, dims);
    const Index of_shot = std::ssize(plan.imaging) / motion.shape()[0];
    const auto count = sum.numbers.size();
    std::vector<std::complex<double>> derivative(count);
    std::vector<ShotTurns> turns;
    for (Index shot = 0; shot < motion.shape()[0]; ++shot) turns.emplace_back(motion.data() + 6 * shot);
    for (std::size_t r = 0; r + 1 < data.readout_starts.size(); ++r) {
      const auto place =
          std::lower_bound(plan.imaging.begin(), plan.imaging.end(), plan.images[image].readouts[r]) -
          plan.imaging.begin();
      const auto shot = static_cast<std::size_t>(place / of_shot);
      for (Index j = data.readout_starts[r]; j < data.readout_starts[r + 1]; ++j) {
        // k of the moving object, and its derivatives at rest.
        double k[3] = {}, turned[3][3] = {};
        std::copy_n(data.trajectory.data() + j * dims, dims, k);
        turns[shot].forth.turn_back(k, dims, plan.grids.solve);
        for (std::size_t angle = 0; angle < 3; ++angle) {
          std::copy_n(k, dims, turned[angle]);
          turns[shot].derivatives[angle].turn_back(turned[angle], dims, plan.grids.solve);
        }
        for (Index c = 0; c < coils; ++c) {
          const auto at = c * samples + j;
          const auto expected = std::complex<double>(of[0][at]);
          const auto left = std::complex<double>(data.samples[at]) - expected;
          for (std::size_t n = 0; n < count; ++n) {
            std::complex<double> by = 0;
            if (const Index number = sum.numbers[n]; number < 3) {
              by = k[number] / plan.grids.solve.pixel(static_cast<int>(number)) * expected;
            } else {
              for (int axis = 0; axis < dims; ++axis)
                by += turned[number - 3][axis] *
                      std::complex<double>(of[static_cast<std::size_t>(axis) + 1][at]);
            }
            derivative[n] = std::complex<double>(0, -2 * pi) * by;
          }
          sum.misfit += std::norm(left);
          sum.energy += std::norm(std::complex<double>(data.samples[at]));
          for (std::size_t n = 0; n < count; ++n) {
            sum.right[shot * count + n] += std::real(std::conj(derivative[n]) * left);
            for (std::size_t m = 0; m < count; ++m)
              sum.gram[(shot * count + n) * count + m] += std::real(std::conj(derivative[n]) * derivative[m]);
          }
        }
      }
    }
  }

  const Scan& scan_;
  PrepareOptions options_;
  Context& ctx_;
  ChannelPlan channels_;
  std::vector<Array<MovedComplex>> maps_;  // by image
  double pixel_ = 1, radius_ = 1;
};

// Moves each shot by its step; returns the largest way of a point at the border in mm.
double step_shots(const ShotEquations& equations, double radius, Array<double>& motion) {
  const auto count = equations.numbers.size();
  double farthest = 0;
  for (std::size_t shot = 0; shot * count < equations.right.size(); ++shot) {
    Array<std::complex<double>> gram({static_cast<Index>(count), static_cast<Index>(count)});
    double trace = 0;
    for (std::size_t i = 0; i < count * count; ++i)
      gram[static_cast<Index>(i)] = equations.gram[shot * count * count + i];
    for (std::size_t n = 0; n < count; ++n) trace += equations.gram[(shot * count + n) * count + n];
    if (!(trace > 0)) continue;  // none of its samples is of this resolution
    // Levenberg's damping, so that numbers which the samples do not determine stay as they are.
    for (std::size_t n = 0; n < count; ++n) gram[static_cast<Index>(n * count + n)] *= 1 + 1e-3;
    const auto inverse = matrix_inverse(gram.view());
    double way = 0;
    for (std::size_t n = 0; n < count; ++n) {
      double step = 0;
      for (std::size_t m = 0; m < count; ++m)
        step += inverse[static_cast<Index>(n * count + m)].real() * equations.right[shot * count + m];
      motion[6 * static_cast<Index>(shot) + equations.numbers[n]] += step;
      way = std::max(way, std::abs(step) * (equations.numbers[n] < 3 ? 1 : radius * pi / 180));
    }
    farthest = std::max(farthest, way);
  }
  return farthest;
}

// Relative to the mean of the shots.
void centre_shots(Array<double>& motion) {
  const Index shots = motion.shape()[0];
  for (Index number = 0; number < 6; ++number) {
    double mean = 0;
    for (Index shot = 0; shot < shots; ++shot) mean += motion[6 * shot + number] / static_cast<double>(shots);
    for (Index shot = 0; shot < shots; ++shot) motion[6 * shot + number] -= mean;
  }
}

}  // namespace

PrepareOptions with_estimated_motion(const Scan& scan, PrepareOptions options, const CoilOptions& coils,
                                     Context& ctx) {
  const Index shots = std::exchange(options.motion_shots, 0);
  if (shots == 0) return options;
  Context host = ctx.host();
  auto motion = filled<double>({shots, 6}, 0.0);
  options.motion = clone(motion.view());
  double unexplained = 0;
  for (const Index divisor : divisors) {
    MotionLevel level(scan, options, coils, divisor, host);
    for (int turn = 0; turn < most_turns; ++turn) {
      ctx.throw_if_cancelled();
      ctx.reporter().progress("motion", turn, most_turns, fmt::format("1/{} of the resolution", divisor));
      const ShotEquations equations = level.equations(motion);
      unexplained = std::sqrt(equations.misfit / equations.energy);
      const bool still = step_shots(equations, level.radius(), motion) < shots_rest * level.pixel();
      centre_shots(motion);
      if (still) break;
    }
    options.motion = clone(motion.view());
  }
  double translation = 0, rotation = 0;
  for (Index i = 0; i < motion.size(); ++i)
    (i % 6 < 3 ? translation : rotation) += motion[i] * motion[i] / static_cast<double>(shots);
  ctx.reporter().note(
      fmt::format("motion of {} shots: {:.2f} mm and {:.2f} degrees (root mean square); at half of the "
                  "resolution {:.2g} % of the data are unexplained",
                  shots, std::sqrt(translation), std::sqrt(rotation), 100 * unexplained));
  return options;
}

}  // namespace larmor
