#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/trajectory/volume_delay.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

// The samples of a central ball (cycles per field of view) are explained by objects of so many places to a
// field of view. Those exceed the ball's diameter, so that what is outside does not fold back.
struct Resolution {
  double ball;
  int places_a_field;
  Index most_samples;
};
constexpr Resolution coarse{1.2, 4, 500}, medium{2.5, 7, 1600}, fine{3, 8, 2200};
// Delays are compared by the samples that nominally lie in a ball, wherever they are moved to.
constexpr double common_ball = 1.5, margin = 0.75;
constexpr Index common_samples = 1200;
constexpr int most_places_a_field = 9;
// Places lie within an ellipsoid a little larger than the one that fits in the field of view.
constexpr double object_radius = 0.55;
// The fewest samples for each place.
constexpr Index samples_a_place = 4;
// Weight of the places' values, of the samples.
constexpr double ridge = 1e-5;
// Delays that are looked for, in samples, and where from: late or early by so much, each axis by itself.
constexpr double farthest = 6, from_there = 2;
// Of the ends of those ways, those that are compared, and within how much of another one an end is the same.
constexpr std::size_t most_compared = 5;
constexpr double alike = 0.2;
// What leaves at most so many times the least explains the samples as well.
constexpr double as_good = 1.2;

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;

/// What is measured, as it is given.
struct Measured {
  View<const double> trajectory;
  View<const std::complex<float>> samples;
  Index length;
  std::array<double, 3> matrix;
  Index readouts() const { return trajectory.shape()[0] / length; }
};

/// The readouts' samples that lie within the ball when gradients are late by `delay`, and the places of an
/// object that may have made them.
class Centre {
 public:
  Centre(const Measured& measured, const Resolution& resolution, const Eigen::Vector3d& delay)
      : length_(measured.length), places_a_field_(resolution.places_a_field), matrix_(measured.matrix) {
    const Index total = measured.trajectory.shape()[0], coils = measured.samples.shape()[0],
                readouts = measured.readouts();
    std::vector<double> k(static_cast<std::size_t>(3 * length_));
    std::vector<Index> inside;  // of one readout
    const auto find = [&](Index readout) {
      const double* first = measured.trajectory.data() + readout * length_ * 3;
      std::copy(first, first + length_ * 3, k.begin());
      apply_gradient_delay(k.data(), length_, 3, {delay[0], delay[1], 0, delay[2]});
      inside.clear();
      for (Index j = 0; j < length_; ++j) {
        double square = 0;
        for (std::size_t a = 0; a < 3; ++a)
          square += std::pow(k[static_cast<std::size_t>(3 * j) + a] * matrix_[a], 2);
        if (square <= resolution.ball * resolution.ball) inside.push_back(j);
      }
    };
    // Whole readouts are left out, so that those that stay keep all of theirs. Some tell how many.
    constexpr Index some = 100;
    Index asked = 0, within = 0;
    for (Index readout = 0; readout < readouts; readout += std::max<Index>(1, readouts / some), ++asked) {
      find(readout);
      within += static_cast<Index>(inside.size());
    }
    const double share = static_cast<double>(resolution.most_samples) * static_cast<double>(asked) /
                         std::max(1.0, static_cast<double>(within));  // readouts that have as many
    const auto stride = std::max<Index>(1, static_cast<Index>(static_cast<double>(readouts) / share));
    std::vector<Index> chosen;
    for (Index readout = 0; readout < readouts; readout += stride) {
      find(readout);
      if (inside.empty()) continue;
      const auto begin = static_cast<Index>(nominal_.size());
      starts_.push_back(begin);
      for (const Index j : inside) {
        samples_.push_back({begin, j});
        chosen.push_back(readout * length_ + j);
      }
      const double* first = measured.trajectory.data() + readout * length_ * 3;
      nominal_.insert(nominal_.end(), first, first + length_ * 3);
    }
    data_.resize(count(), coils);
    for (Index row = 0; row < count(); ++row)
      for (Index c = 0; c < coils; ++c)
        data_(row, c) = Complex(measured.samples[c * total + chosen[static_cast<std::size_t>(row)]]);
    for (int x = -half; x <= half; ++x)
      for (int y = -half; y <= half; ++y)
        for (int z = -half; z <= half; ++z)
          if (std::hypot(x, y, z) <= object_radius * places_a_field_) places_.push_back({x, y, z});
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
              std::polar(1.0, -2 * std::numbers::pi * place / places_a_field_ * matrix_[axis] *
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
            0, -2 * std::numbers::pi * places_[static_cast<std::size_t>(column)][axis] / places_a_field_);
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
  static constexpr int half = 5;  // places from the middle to the side, no fewer than the ellipsoid has

  Index length_;
  int places_a_field_;
  std::array<double, 3> matrix_;
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
  Index samples = 0;  // that were used
  double rest = 1;    // of their energy, unexplained
  bool settled = false;
};

Found descend(const Measured& measured, const Resolution& resolution, const Eigen::Vector3d& from,
              int most_steps, double shortest) {
  constexpr double longest = 0.5, chosen_anew = 0.1;
  Found found;
  found.delay = from;
  Eigen::Vector3d chosen_at = from;
  auto centre = std::make_unique<Centre>(measured, resolution, from);
  for (int step = 0; step < most_steps && !found.settled; ++step) {
    if ((found.delay - chosen_at).cwiseAbs().maxCoeff() > chosen_anew) {
      chosen_at = found.delay;
      centre = std::make_unique<Centre>(measured, resolution, chosen_at);
    }
    found.fit = centre->fit(found.delay);
    const double length = found.fit.step.cwiseAbs().maxCoeff();
    if (!std::isfinite(length) || !(found.delay.cwiseAbs().maxCoeff() <= farthest)) return found;
    found.settled = length < shortest;
    found.delay += found.fit.step * std::min(1.0, longest / length);
  }
  found.samples = centre->count();
  found.rest = found.fit.misfit / centre->energy();
  return found;
}

// There are many minima, and only one of them explains the samples: the ends of ways from all sides, those
// first that leave least.
std::vector<Found> candidates(const Measured& measured, Context& ctx) {
  constexpr int most_steps = 16;
  constexpr double shortest = 0.02;
  std::vector<Found> found(27);
  parallel_for(ctx, static_cast<Index>(found.size()), 1, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      found[static_cast<std::size_t>(i)] = descend(
          measured, coarse,
          from_there * Eigen::Vector3d(static_cast<double>(i % 3 - 1), static_cast<double>(i / 3 % 3 - 1),
                                       static_cast<double>(i / 9 - 1)),
          most_steps, shortest);
  });
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.settled != b.settled ? a.settled : a.rest < b.rest;
  });
  std::vector<Found> distinct;
  for (const Found& one : found)
    if (distinct.size() < most_compared &&
        std::none_of(distinct.begin(), distinct.end(), [&](const Found& other) {
          return (other.delay - one.delay).cwiseAbs().maxCoeff() < alike;
        }))
      distinct.push_back(one);
  return distinct;
}

// The samples that are early and late by much lie around a hole, which any object explains: all delays are
// asked about the same samples.
Eigen::Vector3d best_of(const Measured& measured, const std::vector<Found>& distinct, Context& ctx) {
  double reach = 0;
  for (Index readout = 0; readout < measured.readouts(); ++readout) {
    const double* first = measured.trajectory.data() + readout * measured.length * 3;
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) square += std::pow((first[3 + a] - first[a]) * measured.matrix[a], 2);
    reach = std::max(reach, std::sqrt(square));
  }
  double largest = 0;
  for (const Found& one : distinct) largest = std::max(largest, one.delay.cwiseAbs().maxCoeff());
  const int places = std::min(most_places_a_field,
                              static_cast<int>(std::ceil(2 * (common_ball + largest * reach + margin))));
  const Centre centre(measured, {common_ball, places, common_samples}, Eigen::Vector3d::Zero());
  std::vector<double> misfit(distinct.size());
  parallel_for(ctx, static_cast<Index>(distinct.size()), 1, [&](Index begin, Index end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      misfit[i] = centre.fit(distinct[i].delay).misfit;
  });
  // Noise hides the difference: of those that are as good the shortest.
  const double least = *std::min_element(misfit.begin(), misfit.end());
  Eigen::Vector3d best = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < distinct.size(); ++i)
    if (misfit[i] <= as_good * least && distinct[i].delay.squaredNorm() < best.squaredNorm())
      best = distinct[i].delay;
  return best;
}

}  // namespace

DelayEstimate volume_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                            Index samples_per_readout, const std::array<Index, 3>& matrix, Context& ctx) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != 3 || samples.shape().rank() != 2 ||
      samples_per_readout < 2 || samples.shape()[1] != trajectory.shape()[0] ||
      trajectory.shape()[0] % samples_per_readout != 0)
    throw usage_error("gradient delays: trajectory {} and samples {} in readouts of {}",
                      trajectory.shape().to_string(), samples.shape().to_string(), samples_per_readout);
  const Measured measured{
      trajectory,
      samples,
      samples_per_readout,
      {static_cast<double>(matrix[0]), static_cast<double>(matrix[1]), static_cast<double>(matrix[2])}};
  const Centre nominal(measured, fine, Eigen::Vector3d::Zero());
  if (nominal.count() < samples_a_place * nominal.places())
    throw input_error(
        "gradient delays: {} samples lie around the centre of k-space, expected {}; give the delay",
        nominal.count(), samples_a_place * nominal.places())
        .about("delay");
  constexpr int most_steps = 20;
  constexpr double shortest = 1e-3;
  const Found first =
      descend(measured, medium, best_of(measured, candidates(measured, ctx), ctx), most_steps, shortest);
  const Found last = descend(measured, fine, first.delay, most_steps, shortest);
  const auto& delay = last.delay;
  // Real numbers that were measured, less those of the objects.
  const Index freedom = std::max<Index>(1, (last.samples - nominal.places()) * 2 * samples.shape()[0]);
  const Eigen::Matrix3d covariance =
      last.fit.curvature.inverse() * (last.fit.misfit / static_cast<double>(freedom));
  // What is left has no scatter alone, but also what so few places cannot show: that differs between models.
  const Eigen::Vector3d deviation =
      covariance.diagonal().cwiseSqrt().cwiseMax((last.delay - first.delay).cwiseAbs());
  if (!first.settled || !last.settled || !(delay.cwiseAbs().maxCoeff() <= farthest) ||
      !(deviation.maxCoeff() < 0.5) || !(last.rest < 0.5))
    throw input_error(
        "gradient delays: no delay makes the readouts agree around the centre of k-space; give it")
        .about("delay");
  DelayEstimate estimate;
  estimate.delay = {delay[0], delay[1], 0, delay[2]};
  estimate.deviation = {deviation[0], deviation[1], 0, deviation[2]};
  estimate.pairs = last.samples;
  return estimate;
}

}  // namespace larmor
