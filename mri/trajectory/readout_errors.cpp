#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/trajectory/readout_errors.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

namespace larmor {
namespace {

// The samples of a central ball (cycles per field of view) are explained by objects with this number of
// places per field of view. It exceeds the ball's diameter, so that signal from outside does not fold back.
struct Resolution {
  double ball;
  int places_a_field;
  Index most_samples;
  bool factors;  // of the readouts are fitted too
};
// With few samples per readout, a factor leaves little to fit: then the search uses no factors.
constexpr Resolution coarse{1.2, 4, 500, false}, medium{2.5, 7, 1600, true}, fine{3, 8, 2200, true};
// Delays are compared by the samples that nominally lie in a ball, wherever they are moved to.
constexpr double common_ball = 1.5, margin = 0.75;
constexpr Index common_samples = 1200;
constexpr int most_places_a_field = 9;
// Places lie within an ellipsoid a little larger than the one that fits in the field of view.
constexpr double object_radius = 0.55;
// Weight of the squared values of places and factors beside that of the samples.
constexpr double ridge = 1e-5;
// Limit of the delays, in samples, and the delay of each axis that the search starts from.
constexpr double farthest = 6, from_there = 2;
constexpr std::size_t searches = 27;
// The most ends of searches that are compared, and the distance within which two ends are the same.
constexpr std::size_t most_compared = 5;
constexpr double alike = 0.2;
// A misfit up to this multiple of the minimum counts as equally good.
constexpr double as_good = 1.2;
// The least fraction of the energy that a fit has to explain.
constexpr double explained = 0.5;

using Complex = std::complex<double>;
using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXcd;
using RealMatrix = Eigen::MatrixXd;
using Place = std::array<int, 3>;

// The real and the imaginary part of each column, for products with real matrices.
using Parts = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::Map<Parts> parts(Matrix& of) {
  return {reinterpret_cast<double*>(of.data()), of.rows(), 2 * of.cols()};
}
Eigen::Map<const Parts> parts(const Matrix& of) {
  return {reinterpret_cast<const double*>(of.data()), of.rows(), 2 * of.cols()};
}

struct Measured {
  View<const double> trajectory;
  View<const std::complex<float>> samples;
  Index length;
  std::array<double, 3> matrix;
  Index readouts() const { return trajectory.shape()[0] / length; }
  Index axes() const { return trajectory.shape()[1]; }
  Index coils() const { return samples.shape()[0]; }
};

GradientDelay delay_of(const Eigen::Vector3d& values, Index axes) {
  return axes == 2 ? GradientDelay{values[0], values[1], values[2], 0}
                   : GradientDelay{values[0], values[1], 0, values[2]};
}

// Trajectory of a readout in cycles per field of view, with delayed gradients.
void move_readout(const Measured& measured, Index readout, const GradientDelay& delay,
                  std::vector<double>& k) {
  const Index axes = measured.axes(), count = measured.length * axes;
  const double* first = measured.trajectory.data() + readout * count;
  k.assign(first, first + count);
  apply_gradient_delay(k.data(), measured.length, static_cast<int>(axes), delay);
  for (double* sample = k.data(); sample != k.data() + count; sample += axes)
    for (Index a = 0; a < axes; ++a) sample[a] *= measured.matrix[static_cast<std::size_t>(a)];
}

std::vector<Index> samples_inside(const std::vector<double>& k, Index axes, double ball) {
  std::vector<Index> inside;
  for (Index j = 0; j < static_cast<Index>(k.size()) / axes; ++j) {
    double square = 0;
    for (Index a = 0; a < axes; ++a) {
      const double along = k[static_cast<std::size_t>(axes * j + a)];
      square += along * along;
    }
    if (square <= ball * ball) inside.push_back(j);
  }
  return inside;
}

// The place opposite to another one has the same index, counted from the end.
std::vector<Place> places_of_object(int places_a_field, Index axes) {
  const int half = static_cast<int>(object_radius * places_a_field), deep = axes == 3 ? half : 0;
  std::vector<Place> places;
  for (int x = -half; x <= half; ++x)
    for (int y = -half; y <= half; ++y)
      for (int z = -deep; z <= deep; ++z)
        if (std::hypot(x, y, z) <= object_radius * places_a_field) places.push_back({x, y, z});
  return places;
}

// cos(2π k·p) + sin(2π k·p) for all places: real, and beyond a unitary change of the object the same as
// exp(−2πi k·p), since with each place there is the opposite one.
template <class Row>
void fill_waves(const double* k, Index axes, const std::vector<Place>& places, int places_a_field,
                Row&& row) {
  constexpr int most = 5;  // number of places from the centre to the side, at least that of the ellipsoid
  Complex along[3][2 * most + 1];
  for (Index axis = 0; axis < 3; ++axis) {
    Complex* waves = along[axis] + most;
    waves[0] = 1;
    const Complex next =
        axis < axes ? std::polar(1.0, -2 * std::numbers::pi / places_a_field * k[axis]) : 1.0;
    for (int place = 1; place <= most; ++place) {
      waves[place] = waves[place - 1] * next;
      waves[-place] = std::conj(waves[place]);
    }
  }
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Complex wave =
        along[0][places[p][0] + most] * along[1][places[p][1] + most] * along[2][places[p][2] + most];
    row(static_cast<Index>(p)) = wave.real() - wave.imag();
  }
}

// Parameters of the fit besides the objects.
struct State {
  Eigen::Vector3d delay = Eigen::Vector3d::Zero();
  Vector factors;  // of all readouts
};

struct Fit {
  double misfit = 0;       // |r|²
  double factor_gain = 0;  // reduction by the step of the factors alone
  Matrix object;           // [place][coil]
  Eigen::Vector3d delay_step = Eigen::Vector3d::Zero();
  Vector factor_step;  // of all readouts
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
};

/// Samples of an object: factor · waves · object.
struct Model {
  Vector factor;                // of each sample's readout
  RealMatrix steps;             // of the trajectory, from sample to sample
  RealMatrix waves;             // [sample][place]
  Eigen::LLT<RealMatrix> gram;  // of the waves with factors

  // Without factors.
  Matrix samples_of(const Matrix& object) const {
    Matrix samples(waves.rows(), object.cols());
    parts(samples).noalias() = waves * parts(object);
    return samples;
  }
  Matrix object_of(const Matrix& samples) const {
    const Matrix turned_back = factor.conjugate().asDiagonal() * samples;
    Matrix object(waves.cols(), samples.cols());
    parts(object).noalias() = waves.transpose() * parts(turned_back);
    gram.solveInPlace(parts(object));
    return object;
  }
  // The part that no object explains.
  Matrix rest_of(const Matrix& samples) const {
    return samples - factor.asDiagonal() * samples_of(object_of(samples));
  }
};

/// The samples that lie within the ball if gradients are delayed by `delay`, and the places of an object that
/// may have produced them.
class Centre {
 public:
  Centre(const Measured& measured, const Resolution& resolution, const Eigen::Vector3d& delay)
      : measured_(measured),
        places_a_field_(resolution.places_a_field),
        factors_(resolution.factors),
        places_(places_of_object(resolution.places_a_field, measured.axes())) {
    const GradientDelay late = delay_of(delay, measured.axes());
    std::vector<double> k;
    const auto inside_of = [&](Index readout) {
      move_readout(measured, readout, late, k);
      return samples_inside(k, measured.axes(), resolution.ball);
    };
    // Whole readouts are omitted, so that the others keep all of their samples. Some are enough.
    constexpr Index some = 100;
    const Index readouts = measured.readouts();
    Index looked_at = 0, within = 0;
    for (Index readout = 0; readout < readouts; readout += std::max<Index>(1, readouts / some), ++looked_at)
      within += static_cast<Index>(inside_of(readout).size());
    const double share = static_cast<double>(resolution.most_samples) * static_cast<double>(looked_at) /
                         std::max(1.0, static_cast<double>(within));  // readouts that have as many
    const auto stride =
        std::max<Index>(1, static_cast<Index>(std::ceil(static_cast<double>(readouts) / share)));
    for (Index readout = 0; readout < readouts; readout += stride) {
      const auto inside = inside_of(readout);
      if (inside.empty()) continue;
      for (const Index j : inside) samples_.push_back({static_cast<Index>(readouts_.size()), j});
      readouts_.push_back(readout);
    }
    data_.resize(count(), measured.coils());
    for (Index row = 0; row < count(); ++row) {
      const auto [readout, sample] = samples_[static_cast<std::size_t>(row)];
      const Index place = readouts_[static_cast<std::size_t>(readout)] * measured.length + sample;
      for (Index c = 0; c < measured.coils(); ++c)
        data_(row, c) = Complex(measured.samples[c * measured.trajectory.shape()[0] + place]);
    }
  }

  Index count() const { return static_cast<Index>(samples_.size()); }
  double energy() const { return data_.squaredNorm(); }
  // Memory for fit(): up to twelve arrays of samples, the waves twice, and each readout's product with them.
  std::size_t bytes_of_fit() const {
    const Index readouts = static_cast<Index>(readouts_.size()), places = static_cast<Index>(places_.size());
    Index numbers = count() * (12 * measured_.coils() + places);
    if (factors_) numbers += readouts * (places * measured_.coils() + 2 * readouts);
    return static_cast<std::size_t>(numbers) * sizeof(Complex);
  }
  // Number of measured complex values, and of those fitted to them.
  Index measured_numbers() const { return count() * measured_.coils(); }
  Index unknowns() const {
    return static_cast<Index>(places_.size()) * measured_.coils() + static_cast<Index>(readouts_.size()) + 2;
  }

  // The objects that explain the samples best, the residual, and the step that reduces it.
  Fit fit(const State& state) const {
    const Model model = model_at(state);
    Fit result;
    result.object = model.object_of(data_);
    const Matrix unscaled = model.samples_of(result.object);
    const Matrix left = data_ - model.factor.asDiagonal() * unscaled;
    result.misfit = (data_.conjugate().cwiseProduct(left)).sum().real();  // with the weighted values
    auto change = derivatives(model, result.object);
    const Index readouts = static_cast<Index>(readouts_.size());
    Vector factor_step = Vector::Zero(readouts);
    Matrix made_up = Matrix::Zero(readouts, 3);
    if (factors_) {
      Vector towards = Vector::Zero(readouts);
      Matrix mixed = Matrix::Zero(readouts, 3);
      Matrix rest[3];
      for (Index a = 0; a < 3; ++a) rest[a] = model.rest_of(change[static_cast<std::size_t>(a)]);
      for (Index row = 0; row < count(); ++row) {
        const Index readout = readout_of(row);
        towards[readout] += unscaled.row(row).conjugate().cwiseProduct(left.row(row)).sum();
        for (Index a = 0; a < 3; ++a)
          mixed(readout, a) += unscaled.row(row).conjugate().cwiseProduct(rest[a].row(row)).sum();
      }
      const Eigen::LLT<Eigen::MatrixXcd> by_factors(curvature_by_factors(model, unscaled));
      factor_step = by_factors.solve(towards);
      made_up = by_factors.solve(mixed);
      result.factor_gain = towards.dot(factor_step).real();
    }

    // Each readout's contributions to the gradient by the delays; objects and factors are adapted.
    Eigen::Matrix3d curvature;
    Eigen::MatrixXd contributions = Eigen::MatrixXd::Zero(3, readouts);
    for (Index a = 0; a < 3; ++a) {
      Matrix& of = change[static_cast<std::size_t>(a)];
      for (Index row = 0; row < count(); ++row)
        of.row(row) -= made_up(readout_of(row), a) * unscaled.row(row);
      of = model.rest_of(of);
      for (Index row = 0; row < count(); ++row)
        contributions(a, readout_of(row)) += of.row(row).conjugate().cwiseProduct(left.row(row)).sum().real();
      for (Index b = 0; b <= a; ++b)
        curvature(a, b) = curvature(b, a) =
            of.conjugate().cwiseProduct(change[static_cast<std::size_t>(b)]).sum().real();
    }
    const Eigen::LDLT<Eigen::Matrix3d> by_delays(curvature);
    result.delay_step = by_delays.solve(contributions.rowwise().sum());
    factor_step -= made_up * result.delay_step.cast<Complex>();
    result.factor_step = Vector::Zero(state.factors.size());
    for (Index s = 0; s < readouts; ++s)
      result.factor_step[readouts_[static_cast<std::size_t>(s)]] = factor_step[s];
    const Eigen::MatrixXd influence = by_delays.solve(contributions);
    result.covariance = influence * influence.transpose() * static_cast<double>(measured_numbers()) /
                        static_cast<double>(std::max<Index>(1, measured_numbers() - unknowns()));
    return result;
  }

 private:
  Index readout_of(Index row) const { return samples_[static_cast<std::size_t>(row)].readout; }

  Model model_at(const State& state) const {
    const Index rows = count(), columns = static_cast<Index>(places_.size()), axes = measured_.axes();
    Model model{Vector(rows), RealMatrix(rows, axes), RealMatrix(rows, columns), {}};
    const GradientDelay late = delay_of(state.delay, axes);
    std::vector<double> k;
    for (Index row = 0, moved = -1; row < rows; ++row) {
      const Index readout = readouts_[static_cast<std::size_t>(readout_of(row))],
                  sample = samples_[static_cast<std::size_t>(row)].place;
      if (std::exchange(moved, readout) != readout) move_readout(measured_, readout, late, k);
      fill_waves(k.data() + axes * sample, axes, places_, places_a_field_, model.waves.row(row));
      model.factor[row] = state.factors[readout];
      const Index before = std::max<Index>(sample - 1, 0), after = std::min(sample + 1, measured_.length - 1);
      for (Index a = 0; a < axes; ++a)
        model.steps(row, a) =
            (k[static_cast<std::size_t>(axes * after + a)] - k[static_cast<std::size_t>(axes * before + a)]) /
            static_cast<double>(after - before);
    }
    const RealMatrix scaled = model.factor.cwiseAbs().asDiagonal() * model.waves;
    RealMatrix gram = RealMatrix::Zero(columns, columns);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    gram.diagonal().array() += ridge * static_cast<double>(rows);
    model.gram.compute(gram);
    return model;
  }

  // Derivative by the delays: those of the axes move k(r − delay) by minus its step, xy by minus that of the
  // other axis.
  std::array<Matrix, 3> derivatives(const Model& model, const Matrix& object) const {
    std::array<Matrix, 3> along, change;
    const auto by_step = [&](Index axis, const Matrix& of) -> Matrix {
      return model.steps.col(axis).cast<Complex>().asDiagonal() * of;
    };
    for (Index a = 0; a < measured_.axes(); ++a) {
      const auto axis = static_cast<std::size_t>(a);
      Matrix weighted = object.colwise().reverse();  // cos + sin becomes cos − sin
      for (Index p = 0; p < weighted.rows(); ++p)
        weighted.row(p) *=
            2 * std::numbers::pi * places_[static_cast<std::size_t>(p)][axis] / places_a_field_;
      along[axis] = model.factor.asDiagonal() * model.samples_of(weighted);
      change[axis] = by_step(a, along[axis]);
    }
    const double pixels = measured_.matrix[0] / measured_.matrix[1];
    if (measured_.axes() == 2) change[2] = pixels * by_step(1, along[0]) + 1 / pixels * by_step(0, along[1]);
    return change;
  }

  // Products of the derivatives by the factors; objects are adapted.
  Eigen::MatrixXcd curvature_by_factors(const Model& model, const Matrix& unscaled) const {
    const Index readouts = static_cast<Index>(readouts_.size()), places = static_cast<Index>(places_.size());
    const Matrix turned_back = model.factor.conjugate().asDiagonal() * unscaled;
    Matrix followed(places, measured_.coils() * readouts), one(places, measured_.coils());
    Eigen::VectorXd own(readouts);
    for (Index row = 0, next = 0; row < count(); row = next) {
      const Index readout = readout_of(row);
      while (next < count() && readout_of(next) == readout) ++next;
      own[readout] = unscaled.middleRows(row, next - row).squaredNorm();
      parts(one).noalias() = model.waves.middleRows(row, next - row).transpose() *
                             parts(turned_back).middleRows(row, next - row);
      for (Index c = 0; c < measured_.coils(); ++c) followed.col(c * readouts + readout) = one.col(c);
    }
    auto real = parts(followed);
    model.gram.matrixL().solveInPlace(real);
    Eigen::MatrixXcd curvature = Eigen::MatrixXcd::Zero(readouts, readouts);
    for (Index c = 0; c < measured_.coils(); ++c)
      curvature.selfadjointView<Eigen::Lower>().rankUpdate(
          followed.middleCols(c * readouts, readouts).adjoint(), -1.0);
    curvature.diagonal() += own.cast<Complex>();
    curvature.diagonal().array() += ridge * own.mean();
    return curvature;
  }

  const Measured& measured_;
  int places_a_field_;
  bool factors_;
  std::vector<Place> places_;
  std::vector<Index> readouts_;  // that are used
  struct Sample {
    Index readout, place;  // the former in readouts_
  };
  std::vector<Sample> samples_;
  Matrix data_;  // [sample][coil]
};

struct Found {
  State state;
  Fit fit;
  Index samples = 0;  // that were used
  double rest = 1;    // unexplained part of their energy
  bool settled = false;
};

Found descend(const Measured& measured, const Resolution& resolution, const State& from, int most_steps,
              double shortest) {
  constexpr double longest = 0.5, chosen_anew = 0.1;
  Found found;
  found.state = from;
  Eigen::Vector3d chosen_at = from.delay;
  auto centre = std::make_unique<Centre>(measured, resolution, from.delay);
  for (int step = 0; step < most_steps && !found.settled; ++step) {
    State& state = found.state;
    if ((state.delay - chosen_at).cwiseAbs().maxCoeff() > chosen_anew) {
      chosen_at = state.delay;
      centre = std::make_unique<Centre>(measured, resolution, chosen_at);
    }
    if (centre->count() == 0) return found;
    found.fit = centre->fit(state);
    const double length =
        std::max(found.fit.delay_step.cwiseAbs().maxCoeff(), found.fit.factor_step.cwiseAbs().maxCoeff());
    if (!std::isfinite(length) || !(state.delay.cwiseAbs().maxCoeff() <= farthest)) return found;
    found.settled = found.fit.delay_step.cwiseAbs().maxCoeff() < shortest;
    state.delay += found.fit.delay_step * std::min(1.0, longest / length);
    state.factors += found.fit.factor_step * std::min(1.0, longest / length);
    state.factors *= std::sqrt(static_cast<double>(state.factors.size()) / state.factors.squaredNorm());
  }
  found.samples = centre->count();
  found.rest = found.fit.misfit / centre->energy();
  return found;
}

// There are many minima, but only one of them explains the samples. Returns the results of searches from
// different starting points, sorted by their residual.
std::vector<Found> candidates(const Measured& measured, Context& ctx) {
  constexpr int most_steps = 16;
  constexpr double shortest = 0.02;
  std::vector<Found> found(searches);
  parallel_for(ctx, static_cast<Index>(found.size()), 1, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      State from{.factors = Vector::Ones(measured.readouts())};
      from.delay =
          from_there * Eigen::Vector3d(static_cast<double>(i % 3 - 1), static_cast<double>(i / 3 % 3 - 1),
                                       static_cast<double>(i / 9 - 1));
      found[static_cast<std::size_t>(i)] = descend(measured, coarse, from, most_steps, shortest);
    }
  });
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.settled != b.settled ? a.settled : a.rest < b.rest;
  });
  std::vector<Found> distinct;
  for (const Found& one : found)
    if (distinct.size() < most_compared && (distinct.empty() || one.rest < 1 - explained) &&
        std::none_of(distinct.begin(), distinct.end(), [&](const Found& other) {
          return (other.state.delay - one.state.delay).cwiseAbs().maxCoeff() < alike;
        }))
      distinct.push_back(one);
  return distinct;
}

// Samples with a large delay surround a gap, and any object explains those: all delays are compared on the
// same samples.
State best_of(const Measured& measured, const std::vector<Found>& distinct, Context& ctx) {
  double reach = 0;
  const Index axes = measured.axes();
  for (Index readout = 0; readout < measured.readouts(); ++readout) {
    const double* first = measured.trajectory.data() + readout * measured.length * axes;
    double square = 0;
    for (Index a = 0; a < axes; ++a)
      square += std::pow((first[axes + a] - first[a]) * measured.matrix[static_cast<std::size_t>(a)], 2);
    reach = std::max(reach, std::sqrt(square));
  }
  double largest = 0;
  for (const Found& one : distinct) largest = std::max(largest, one.state.delay.cwiseAbs().maxCoeff());
  const int places = std::min(most_places_a_field,
                              static_cast<int>(std::ceil(2 * (common_ball + largest * reach + margin))));
  const Centre centre(measured, {common_ball, places, common_samples, true}, Eigen::Vector3d::Zero());
  std::vector<double> misfit(distinct.size());
  parallel_for(ctx, static_cast<Index>(distinct.size()), 1, [&](Index begin, Index end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Fit fit = centre.fit(distinct[i].state);
      misfit[i] = fit.misfit - fit.factor_gain;
    }
  });
  // Noise makes some minima indistinguishable; the one with the smallest delay is used.
  const double least = *std::min_element(misfit.begin(), misfit.end());
  State best;
  best.delay = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < distinct.size(); ++i)
    if (misfit[i] <= as_good * least && distinct[i].state.delay.squaredNorm() < best.delay.squaredNorm())
      best = distinct[i].state;
  return best;
}

// The factors of all readouts, with the object that was fitted to some.
std::vector<std::complex<float>> factors_of(const Measured& measured, const Found& found, Context& ctx) {
  const Index axes = measured.axes();
  const auto places = places_of_object(fine.places_a_field, axes);
  const GradientDelay late = delay_of(found.state.delay, axes);
  Vector factors = Vector::Zero(measured.readouts());
  parallel_for(ctx, measured.readouts(), 16, [&](Index begin, Index end, int) {
    std::vector<double> k;
    Eigen::RowVectorXd waves(static_cast<Index>(places.size()));
    for (Index readout = begin; readout < end; ++readout) {
      move_readout(measured, readout, late, k);
      Complex inner = 0;
      double model = 0, energy = 0;
      for (const Index j : samples_inside(k, axes, fine.ball)) {
        fill_waves(k.data() + axes * j, axes, places, fine.places_a_field, waves);
        const Eigen::RowVectorXcd expected = waves.cast<Complex>() * found.fit.object;
        for (Index c = 0; c < measured.coils(); ++c) {
          const Complex sample(
              measured.samples[c * measured.trajectory.shape()[0] + readout * measured.length + j]);
          inner += std::conj(expected[c]) * sample;
          model += std::norm(expected[c]);
          energy += std::norm(sample);
        }
      }
      if (std::norm(inner) > explained * model * energy) factors[readout] = inner / model;
    }
  });
  const auto known = static_cast<double>((factors.array() != Complex(0)).count());
  factors *= std::sqrt(known) / factors.norm();
  return {factors.begin(), factors.end()};
}

// The stages that several threads compute at the same time need the most memory.
void require_memory(const Measured& measured, const Context& ctx) {
  std::size_t most = 0;
  const Resolution compared{common_ball, most_places_a_field, common_samples, true};
  for (const auto& [resolution, fits] : {std::pair{coarse, searches},
                                         {compared, most_compared},
                                         {medium, std::size_t{1}},
                                         {fine, std::size_t{1}}})
    most = std::max(most, std::min(fits, static_cast<std::size_t>(ctx.threads())) *
                              Centre(measured, resolution, Eigen::Vector3d::Zero()).bytes_of_fit());
  const std::size_t used = resident_bytes(), allowed = ctx.memory_limit();
  if (used + most > allowed)
    throw resource_error(
        "not enough memory: gradient delays need {}, and {} of {} are in use; give the delay, or use fewer "
        "threads or more memory",
        format_bytes(most), format_bytes(used), format_bytes(allowed))
        .about("memory");
}

}  // namespace

ReadoutErrors estimate_readout_errors(View<const double> trajectory, View<const std::complex<float>> samples,
                                      Index samples_per_readout, const std::array<Index, 3>& matrix,
                                      Context& ctx) {
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] < 2 || trajectory.shape()[1] > 3 ||
      samples.shape().rank() != 2 || samples_per_readout < 2 || samples.shape()[1] != trajectory.shape()[0] ||
      trajectory.shape()[0] % samples_per_readout != 0)
    throw usage_error("gradient delays: trajectory {} and samples {} in readouts of {}",
                      trajectory.shape().to_string(), samples.shape().to_string(), samples_per_readout);
  const Measured measured{
      trajectory,
      samples,
      samples_per_readout,
      {static_cast<double>(matrix[0]), static_cast<double>(matrix[1]), static_cast<double>(matrix[2])}};
  const Centre nominal(measured, fine, Eigen::Vector3d::Zero());
  if (nominal.measured_numbers() <= nominal.unknowns())
    throw input_error(
        "gradient delays: {} samples lie around the centre of k-space, expected more than {}; give the delay",
        nominal.count(), nominal.unknowns() / measured.coils())
        .about("delay");
  require_memory(measured, ctx);
  constexpr int most_steps = 20;
  constexpr double shortest = 1e-3;
  const Found first =
      descend(measured, medium, best_of(measured, candidates(measured, ctx), ctx), most_steps, shortest);
  const Found last = descend(measured, fine, first.state, most_steps, shortest);
  const auto& delay = last.state.delay;
  // The misfit is not only noise, but also detail that so few places cannot represent; that differs between
  // models.
  const Eigen::Vector3d deviation =
      last.fit.covariance.diagonal().cwiseSqrt().cwiseMax((delay - first.state.delay).cwiseAbs());
  if (!first.settled || !last.settled || !(delay.cwiseAbs().maxCoeff() <= farthest) ||
      !(deviation.maxCoeff() < 0.5) || !(last.rest < 1 - explained)) {
    const double rest = nominal.fit({.factors = Vector::Ones(measured.readouts())}).misfit / nominal.energy();
    if (rest < 1 - explained)
      throw input_error(
          "gradient delays: around the centre of k-space the readouts agree without a delay ({:.3g} % of "
          "their energy explained), and equally well with others: if readouts start at the centre, a delay "
          "has the same effect as another size of the object; give it, or compare images with several",
          100 * (1 - rest))
          .about("delay");
    throw input_error(
        "gradient delays: no delay makes the readouts consistent around the centre of k-space; give it")
        .about("delay");
  }
  ReadoutErrors errors;
  errors.delay = delay_of(delay, measured.axes());
  errors.deviation = delay_of(deviation, measured.axes());
  errors.samples = last.samples;
  errors.factors = factors_of(measured, last, ctx);
  return errors;
}

}  // namespace larmor
