#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/trajectory/volume_delay.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

// The central ball, in cycles per field of view.
constexpr double ball = 2.5;
// Places that an object is made of: so many to a field of view, which exceeds the ball's diameter so that
// what is outside does not fold back, within an ellipsoid a little larger than the one that fits in.
constexpr int places_a_field = 7;
constexpr double object_radius = 0.55;
// Samples of the ball that are used, and the fewest for each place.
constexpr Index most_samples = 1600, samples_a_place = 4;
// Weight of the places' values, of the samples.
constexpr double ridge = 1e-5;
// Delays that are looked for, in samples, and where from: all axes late by as much.
constexpr double farthest = 6;
constexpr double starts[] = {0, 1, -1, 2.5};

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;

/// The readouts' samples within the ball, and the places of an object that may have made them.
class Centre {
 public:
  Centre(View<const double> trajectory, View<const std::complex<float>> samples, Index length,
         const std::array<Index, 3>& matrix)
      : length_(length) {
    for (std::size_t a = 0; a < 3; ++a) matrix_[a] = static_cast<double>(matrix[a]);
    const auto inside = [&](Index j) {
      double square = 0;
      for (std::size_t a = 0; a < 3; ++a)
        square += std::pow(trajectory[3 * j + static_cast<Index>(a)] * matrix_[a], 2);
      return square <= ball * ball;
    };
    const Index total = trajectory.shape()[0], coils = samples.shape()[0];
    Index within = 0;
    for (Index j = 0; j < total; ++j) within += inside(j) ? 1 : 0;
    // Whole readouts are left out, so that those that stay keep all of theirs.
    const Index stride = std::max<Index>(1, (within + most_samples - 1) / most_samples);
    std::vector<Index> chosen;
    for (Index readout = 0; readout < total / length; readout += stride) {
      const std::size_t before = chosen.size();
      for (Index j = readout * length; j < (readout + 1) * length; ++j)
        if (inside(j)) chosen.push_back(j);
      if (chosen.size() == before) continue;
      const auto start = static_cast<Index>(nominal_.size());
      starts_.push_back(start);
      for (std::size_t i = before; i < chosen.size(); ++i)
        samples_.push_back({start, chosen[i] - readout * length});
      const double* first = trajectory.data() + readout * length * 3;
      nominal_.insert(nominal_.end(), first, first + length * 3);
    }
    data_.resize(count(), coils);
    for (Index row = 0; row < count(); ++row)
      for (Index c = 0; c < coils; ++c)
        data_(row, c) = Complex(samples[c * total + chosen[static_cast<std::size_t>(row)]]);
    for (int x = -half; x <= half; ++x)
      for (int y = -half; y <= half; ++y)
        for (int z = -half; z <= half; ++z)
          if (std::hypot(x, y, z) <= object_radius * places_a_field) places_.push_back({x, y, z});
  }

  Index count() const { return static_cast<Index>(samples_.size()); }
  Index places() const { return static_cast<Index>(places_.size()); }
  double energy() const { return data_.squaredNorm(); }

  struct Fit {
    double misfit = 0;                                    // |r|²
    Eigen::Vector3d step = Eigen::Vector3d::Zero();       // towards less of it
    Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero();  // of half of it
  };

  // The objects that explain the samples best, and what is left.
  Fit fit(const Eigen::Vector3d& delay) const {
    std::vector<double> k = nominal_;
    const GradientDelay moved{delay[0], delay[1], 0, delay[2]};
    for (const Index start : starts_) apply_gradient_delay(k.data() + start, length_, 3, moved);
    const Index rows = count(), columns = places();
    Matrix waves(rows, columns);
    for (Index row = 0; row < rows; ++row) {
      const auto [start, sample] = samples_[static_cast<std::size_t>(row)];
      Complex along[3][2 * half + 1];
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (int place = -half; place <= half; ++place)
          along[axis][place + half] =
              std::polar(1.0, -2 * std::numbers::pi * place / places_a_field * matrix_[axis] *
                                  k[static_cast<std::size_t>(start + 3 * sample) + axis]);
      for (Index column = 0; column < columns; ++column) {
        const auto& [x, y, z] = places_[static_cast<std::size_t>(column)];
        waves(row, column) = along[0][x + half] * along[1][y + half] * along[2][z + half];
      }
    }
    Matrix gram = Matrix::Zero(columns, columns);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(waves.adjoint());
    gram.diagonal().array() += ridge * static_cast<double>(rows);
    const Eigen::LLT<Matrix> factor(gram);
    const auto solved = [&](const Matrix& of) -> Matrix { return factor.solve(waves.adjoint() * of); };
    const Matrix object = solved(data_);
    const Matrix left = data_ - waves * object;
    Fit result;
    result.misfit = (data_.conjugate().cwiseProduct(left)).sum().real();  // with the weighted values
    // k(r − delay): the derivative by the delay is minus the step from sample to sample.
    Matrix change[3], rest[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Matrix weighted = object;
      for (Index column = 0; column < columns; ++column)
        weighted.row(column) *= Complex(
            0, -2 * std::numbers::pi * places_[static_cast<std::size_t>(column)][axis] / places_a_field);
      change[axis] = waves * weighted;
      for (Index row = 0; row < rows; ++row) {
        const auto [start, sample] = samples_[static_cast<std::size_t>(row)];
        const Index before = std::max<Index>(sample - 1, 0), after = std::min(sample + 1, length_ - 1);
        const auto at = [&, first = start](Index j) {
          return k[static_cast<std::size_t>(first + 3 * j) + axis];
        };
        change[axis].row(row) *=
            (at(after) - at(before)) / static_cast<double>(after - before) * matrix_[axis];
      }
      rest[axis] = change[axis] - waves * solved(change[axis]);
    }
    Eigen::Vector3d gradient;
    for (int a = 0; a < 3; ++a) {
      gradient[a] = change[a].conjugate().cwiseProduct(left).sum().real();
      for (int b = 0; b < 3; ++b)
        result.curvature(a, b) = change[a].conjugate().cwiseProduct(rest[b]).sum().real();
    }
    result.step = -result.curvature.ldlt().solve(gradient);
    return result;
  }

 private:
  static constexpr int half = 4;  // places from the middle to the side, no fewer than the ellipsoid has

  Index length_;
  std::array<double, 3> matrix_{};
  std::vector<double> nominal_;  // of the readouts that are kept, [readout][sample][3]
  std::vector<Index> starts_;    // of a readout in it
  struct Sample {
    Index start, place;
  };
  std::vector<Sample> samples_;
  Matrix data_;  // [sample][coil]
  std::vector<std::array<int, 3>> places_;
};

struct Found {
  Eigen::Vector3d delay = Eigen::Vector3d::Zero();
  Centre::Fit fit;
  bool settled = false;
};

Found descend(const Centre& centre, double start) {
  Found found;
  found.delay.setConstant(start);
  constexpr int most_steps = 20;
  constexpr double longest = 0.5, shortest = 1e-3;
  for (int step = 0; step < most_steps && !found.settled; ++step) {
    found.fit = centre.fit(found.delay);
    const double length = found.fit.step.cwiseAbs().maxCoeff();
    if (!std::isfinite(length) || !(found.delay.cwiseAbs().maxCoeff() <= farthest)) break;
    found.settled = length < shortest;
    found.delay += found.fit.step * std::min(1.0, longest / length);
  }
  return found;
}

}  // namespace

DelayEstimate volume_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                            Index samples_per_readout, const std::array<Index, 3>& matrix, Context& ctx) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != 3 || samples.shape().rank() != 2 ||
      samples_per_readout < 2 || samples.shape()[1] != trajectory.shape()[0] ||
      trajectory.shape()[0] % samples_per_readout != 0)
    throw usage_error("gradient delays: trajectory {} and samples {} in readouts of {}",
                      trajectory.shape().to_string(), samples.shape().to_string(), samples_per_readout);
  const Centre centre(trajectory, samples, samples_per_readout, matrix);
  if (centre.count() < samples_a_place * centre.places())
    throw input_error(
        "gradient delays: {} samples lie around the centre of k-space, expected {}; give the delay",
        centre.count(), samples_a_place * centre.places())
        .about("delay");
  // There are several minima, and only one of them explains the samples.
  std::array<Found, std::size(starts)> found;
  parallel_for(ctx, static_cast<Index>(found.size()), 1, [&](Index begin, Index end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      found[i] = descend(centre, starts[i]);
  });
  const auto best = std::min_element(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.settled != b.settled ? a.settled : a.fit.misfit < b.fit.misfit;
  });
  const auto& [delay, fit, settled] = *best;
  const double freedom = static_cast<double>((centre.count() - centre.places()) * 2 * samples.shape()[0]);
  const Eigen::Matrix3d covariance = fit.curvature.inverse() * (fit.misfit / freedom);
  DelayEstimate estimate;
  estimate.delay = {delay[0], delay[1], 0, delay[2]};
  estimate.deviation = {std::sqrt(covariance(0, 0)), std::sqrt(covariance(1, 1)), 0,
                        std::sqrt(covariance(2, 2))};
  estimate.pairs = centre.count();
  const double worst = std::max({estimate.deviation.x, estimate.deviation.y, estimate.deviation.z});
  if (!settled || !(delay.cwiseAbs().maxCoeff() <= farthest) || !(worst < 0.5) ||
      !(fit.misfit < 0.5 * centre.energy()))
    throw input_error(
        "gradient delays: no delay makes the readouts agree around the centre of k-space; give it")
        .about("delay");
  return estimate;
}

}  // namespace larmor
