#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/trajectory/delay_estimate.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

/// A readout k(r) = (r − centre) · step.
struct Spoke {
  Index readout = 0;
  double centre = 0;
  std::array<double, 2> step{};
  double angle = 0;
};

// A tenth of a step off the line is more than rounding.
constexpr double straightness = 0.1;
// Samples on both sides of the centre in which crossings are looked for.
constexpr double window = 5;

std::vector<Spoke> find_spokes(View<const double> trajectory, Index samples) {
  const Index dims = trajectory.shape()[1], readouts = trajectory.shape()[0] / samples;
  std::vector<Spoke> spokes;
  for (Index s = 0; s < readouts; ++s) {
    const double* k = trajectory.data() + s * samples * dims;
    const double* last = k + (samples - 1) * dims;
    Spoke spoke;
    spoke.readout = s;
    for (int axis = 0; axis < 2; ++axis)
      spoke.step[static_cast<std::size_t>(axis)] = (last[axis] - k[axis]) / static_cast<double>(samples - 1);
    const double square = spoke.step[0] * spoke.step[0] + spoke.step[1] * spoke.step[1];
    if (!(square > 0)) continue;
    spoke.centre = -(k[0] * spoke.step[0] + k[1] * spoke.step[1]) / square;
    spoke.angle = std::atan2(spoke.step[1], spoke.step[0]);
    const double far = static_cast<double>(samples - 1) - window - 1;
    bool usable = spoke.centre >= window + 1 && spoke.centre <= far;
    for (Index r = 0; r < samples && usable; ++r)
      for (int axis = 0; axis < 2; ++axis) {
        const double expected =
            (static_cast<double>(r) - spoke.centre) * spoke.step[static_cast<std::size_t>(axis)];
        usable = usable && std::abs(k[r * dims + axis] - expected) <= straightness * std::sqrt(square);
      }
    if (usable) spokes.push_back(spoke);
  }
  return spokes;
}

// Value of the periodic band-limited function through `count` samples: the weight of a sample at distance x.
double dirichlet(double x, Index count) {
  const double n = static_cast<double>(count), turn = pi * x / n;
  if (std::abs(std::sin(turn)) < 1e-12) return 1;
  return count % 2 == 0 ? std::sin(pi * x) / (n * std::tan(turn)) : std::sin(pi * x) / (n * std::sin(turn));
}

/// Signals of a spoke around its centre, interpolated: value(position, coil), position in samples from the
/// centre.
class CentralSignal {
 public:
  static constexpr int per_sample = 8;
  static constexpr int half = static_cast<int>(window) * per_sample;
  static constexpr int count = 2 * half + 1;

  CentralSignal(const Spoke& spoke, View<const std::complex<float>> samples, Index samples_per_readout)
      : coils_(samples.shape()[0]), table_(static_cast<std::size_t>(count * coils_)) {
    const Index total = samples.shape()[1];
    std::vector<double> weight(static_cast<std::size_t>(samples_per_readout));
    for (int i = 0; i < count; ++i) {
      const double position = spoke.centre + static_cast<double>(i - half) / per_sample;
      for (Index r = 0; r < samples_per_readout; ++r)
        weight[static_cast<std::size_t>(r)] =
            dirichlet(position - static_cast<double>(r), samples_per_readout);
      for (Index c = 0; c < coils_; ++c) {
        const auto* signal = samples.data() + c * total + spoke.readout * samples_per_readout;
        double re = 0, im = 0;
        for (Index r = 0; r < samples_per_readout; ++r) {
          re += weight[static_cast<std::size_t>(r)] * static_cast<double>(signal[r].real());
          im += weight[static_cast<std::size_t>(r)] * static_cast<double>(signal[r].imag());
        }
        table_[static_cast<std::size_t>(i * coils_ + c)] = {re, im};
      }
    }
  }

  Index coils() const { return coils_; }
  const Complex* row(int i) const { return table_.data() + i * coils_; }

  /// Value and derivative (per sample) at a position within the table, by cubic interpolation (Catmull & Rom
  /// 1974).
  void at(double position, std::vector<Complex>& value, std::vector<Complex>& slope) const {
    const double place = std::clamp(position * per_sample + half, 1.0, count - 2.001);
    const int i = static_cast<int>(place);
    const double t = place - i;
    for (Index c = 0; c < coils_; ++c) {
      const Complex a = row(i - 1)[c], b = row(i)[c], d = row(i + 1)[c],
                    e = row(std::min(i + 2, count - 1))[c];
      const Complex linear = 0.5 * (d - a), square = a - 2.5 * b + 2.0 * d - 0.5 * e,
                    cube = 0.5 * (e - a) + 1.5 * (b - d);
      value[static_cast<std::size_t>(c)] = b + t * (linear + t * (square + t * cube));
      slope[static_cast<std::size_t>(c)] =
          static_cast<double>(per_sample) * (linear + t * (2.0 * square + 3.0 * t * cube));
    }
  }

 private:
  Index coils_;
  std::vector<Complex> table_;  // [position][coil]
};

/// Equations rows · (x, y, xy) = values with weights, solved by least squares without the pairs that do not
/// fit.
class DelayFit {
 public:
  using Row = Eigen::Vector3d;
  /// Equations of one pair are kept or left out together.
  void add(std::size_t pair, const Row& row, double value, double weight) {
    equations_.push_back({pair, row, value, weight});
  }

  DelayEstimate solve(std::size_t pairs) const {
    std::vector<double> importance(pairs, 1.0);
    Eigen::Vector3d solution = Eigen::Vector3d::Zero();
    Eigen::Matrix3d normal;
    std::vector<double> misfit(pairs);
    // Iteratively reweighted (Tukey's biweight): a crossing found in the wrong place should not count at all.
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
      normal.setZero();
      Eigen::Vector3d rhs = Eigen::Vector3d::Zero();
      for (const Equation& equation : equations_) {
        const double weight = equation.weight * importance[equation.pair];
        normal += weight * equation.row * equation.row.transpose();
        rhs += weight * equation.value * equation.row;
      }
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(normal);
      if (!(eigen.eigenvalues()[0] > 1e-3 * eigen.eigenvalues()[2]))
        throw input_error(
            "gradient delays: the spokes' directions do not tell x, y and xy apart; give the delay")
            .about("delay");
      solution = normal.ldlt().solve(rhs);
      std::fill(misfit.begin(), misfit.end(), 0.0);
      for (const Equation& equation : equations_) {
        const double error = equation.row.dot(solution) - equation.value;
        misfit[equation.pair] += equation.weight * error * error;
      }
      auto sorted = misfit;
      const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(pairs / 2);
      std::nth_element(sorted.begin(), middle, sorted.end());
      const double limit = 20 * std::max(*middle, 1e-30);
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        const double rest = std::max(0.0, 1 - misfit[pair] / limit);
        importance[pair] = rest * rest;
      }
    }
    DelayEstimate estimate;
    estimate.delay = {solution[0], solution[1], solution[2]};
    double sum = 0, count = 0;
    for (const Equation& equation : equations_) {
      if (importance[equation.pair] == 0) continue;
      const double error = equation.row.dot(solution) - equation.value;
      sum += equation.weight * importance[equation.pair] * error * error;
      count += 1;
    }
    for (std::size_t pair = 0; pair < pairs; ++pair) estimate.pairs += importance[pair] > 0 ? 1 : 0;
    const Eigen::Matrix3d covariance = normal.inverse() * (sum / std::max(1.0, count - 3));
    const auto deviation = [&](int i) { return std::sqrt(std::max(0.0, covariance(i, i))); };
    estimate.deviation = {deviation(0), deviation(1), deviation(2)};
    return estimate;
  }

 private:
  struct Equation {
    std::size_t pair;
    Row row;
    double value, weight;
  };
  std::vector<Equation> equations_;
};

/// Where two spokes cross, in samples from their nominal centres, and the curvature of the difference there.
struct Crossing {
  double a = 0, b = 0;
  Eigen::Matrix2d curvature = Eigen::Matrix2d::Zero();
  bool found = false;
};

Crossing find_crossing(const CentralSignal& first, const CentralSignal& second) {
  const Index coils = first.coils();
  constexpr int count = CentralSignal::count;
  std::vector<double> energy_a(count), energy_b(count);
  for (int i = 0; i < count; ++i)
    for (Index c = 0; c < coils; ++c) {
      energy_a[static_cast<std::size_t>(i)] += std::norm(first.row(i)[c]);
      energy_b[static_cast<std::size_t>(i)] += std::norm(second.row(i)[c]);
    }
  // Relative to the signals themselves: away from the centre they are alike because they are small.
  double best = 2;
  int best_a = 0, best_b = 0;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      double inner = 0;
      for (Index c = 0; c < coils; ++c) {
        const Complex x = first.row(i)[c], y = second.row(j)[c];
        inner += x.real() * y.real() + x.imag() * y.imag();
      }
      const double sum = energy_a[static_cast<std::size_t>(i)] + energy_b[static_cast<std::size_t>(j)];
      if (const double difference = (sum - 2 * inner) / sum; difference < best) {
        best = difference;
        best_a = i;
        best_b = j;
      }
    }
  Crossing crossing;
  if (best_a < 2 || best_b < 2 || best_a > count - 3 || best_b > count - 3) return crossing;
  crossing.a = static_cast<double>(best_a - CentralSignal::half) / CentralSignal::per_sample;
  crossing.b = static_cast<double>(best_b - CentralSignal::half) / CentralSignal::per_sample;
  // Gauss and Newton: minimise Σ_c |f(a) − g(b)|².
  const auto size = static_cast<std::size_t>(coils);
  std::vector<Complex> f(size), df(size), g(size), dg(size);
  for (int step = 0; step < 8; ++step) {
    first.at(crossing.a, f, df);
    second.at(crossing.b, g, dg);
    crossing.curvature.setZero();
    Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
    for (std::size_t c = 0; c < size; ++c) {
      const auto real_inner = [](Complex x, Complex y) { return x.real() * y.real() + x.imag() * y.imag(); };
      const Complex rest = f[c] - g[c];
      crossing.curvature(0, 0) += std::norm(df[c]);
      crossing.curvature(1, 1) += std::norm(dg[c]);
      crossing.curvature(0, 1) -= real_inner(df[c], dg[c]);
      gradient[0] += real_inner(df[c], rest);
      gradient[1] -= real_inner(dg[c], rest);
    }
    crossing.curvature(1, 0) = crossing.curvature(0, 1);
    Eigen::Matrix2d damped = crossing.curvature;
    damped.diagonal() *= 1 + 1e-6;
    const Eigen::Vector2d change = damped.ldlt().solve(gradient);
    crossing.a -= std::clamp(change[0], -0.5, 0.5);
    crossing.b -= std::clamp(change[1], -0.5, 0.5);
  }
  crossing.found = std::max(std::abs(crossing.a), std::abs(crossing.b)) < window;
  return crossing;
}

void require_radial(View<const double> trajectory, View<const std::complex<float>> samples,
                    Index samples_per_readout) {
  if (trajectory.shape().rank() != 2 || samples.shape().rank() != 2 || trajectory.shape()[1] < 2 ||
      samples.shape()[1] != trajectory.shape()[0] || samples_per_readout < 1 ||
      trajectory.shape()[0] % samples_per_readout != 0)
    throw usage_error("gradient delays: trajectory {} and samples {} in readouts of {}",
                      trajectory.shape().to_string(), samples.shape().to_string(), samples_per_readout);
}

std::vector<Spoke> require_spokes(View<const double> trajectory, Index samples_per_readout) {
  auto spokes = find_spokes(trajectory, samples_per_readout);
  if (spokes.size() < 4)
    throw input_error(
        "gradient delays: {} of {} readouts are straight lines through the centre of k-space, expected at "
        "least 4; give the delay",
        spokes.size(), trajectory.shape()[0] / samples_per_readout)
        .about("delay");
  return spokes;
}

}  // namespace

DelayEstimate ring_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                          Index samples_per_readout, Context& ctx) {
  require_radial(trajectory, samples, samples_per_readout);
  auto spokes = require_spokes(trajectory, samples_per_readout);
  // More spokes hardly improve what a few hundred say.
  constexpr std::size_t most_spokes = 200;
  if (spokes.size() > most_spokes) {
    std::vector<Spoke> some;
    for (std::size_t i = 0; i < most_spokes; ++i) some.push_back(spokes[i * spokes.size() / most_spokes]);
    spokes = std::move(some);
  }
  std::vector<std::unique_ptr<CentralSignal>> made(spokes.size());
  parallel_for(ctx, static_cast<Index>(spokes.size()), 1, [&](Index begin, Index end, int) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s)
      made[s] = std::make_unique<CentralSignal>(spokes[s], samples, samples_per_readout);
  });

  // Every spoke with others roughly across it: crossing points of flat angles are far out or not to be found.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  constexpr std::size_t partners = 4;
  for (std::size_t i = 0; i < spokes.size(); ++i) {
    std::vector<std::size_t> across;
    for (std::size_t j = i + 1; j < spokes.size(); ++j)
      if (std::abs(std::sin(spokes[i].angle - spokes[j].angle)) > 0.6) across.push_back(j);
    for (std::size_t p = 0; p < std::min(partners, across.size()); ++p)
      pairs.emplace_back(i, across[p * across.size() / std::min(partners, across.size())]);
  }
  if (pairs.empty())
    throw input_error("gradient delays: no two spokes cross at more than 37 degrees; give the delay")
        .about("delay");
  std::vector<Crossing> crossings(pairs.size());
  parallel_for(ctx, static_cast<Index>(pairs.size()), 1, [&](Index begin, Index end, int) {
    for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p)
      crossings[p] = find_crossing(*made[pairs[p].first], *made[pairs[p].second]);
  });

  // (a_i − S) d_i = (a_j − S) d_j for the steps d: a_i d_i − a_j d_j = S (d_i − d_j). With the inverse of
  // [d_i, −d_j] the crossing (a_i, a_j) is linear in the entries of S, and its curvature weighs the two
  // coordinates.
  DelayFit fit;
  std::size_t used = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const Crossing& crossing = crossings[p];
    if (!crossing.found) continue;
    const auto &di = spokes[pairs[p].first].step, &dj = spokes[pairs[p].second].step;
    Eigen::Matrix2d steps;
    steps << di[0], -dj[0], di[1], -dj[1];
    const double x = di[0] - dj[0], y = di[1] - dj[1];
    Eigen::Matrix<double, 2, 3> shift;
    shift << x, 0, y, 0, y, x;
    const Eigen::Matrix<double, 2, 3> rows = steps.inverse() * shift;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(crossing.curvature);
    for (int e = 0; e < 2; ++e) {
      const Eigen::Vector2d axis = eigen.eigenvectors().col(e);
      fit.add(used, rows.transpose() * axis, axis[0] * crossing.a + axis[1] * crossing.b,
              std::max(0.0, eigen.eigenvalues()[e]));
    }
    ++used;
  }
  if (used < 3)
    throw input_error("gradient delays: {} crossings of spokes found, expected at least 3; give the delay",
                      used)
        .about("delay");
  return fit.solve(used);
}

DelayEstimate adaptive_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                              Index samples_per_readout, Context& ctx) {
  require_radial(trajectory, samples, samples_per_readout);
  const auto spokes = require_spokes(trajectory, samples_per_readout);
  constexpr double widest = 6 * pi / 180;
  struct OppositeSpokes {
    std::size_t first, second;
    double shift = 0, weight = 0;
  };
  std::vector<OppositeSpokes> pairs;
  for (std::size_t i = 0; i < spokes.size(); ++i) {
    OppositeSpokes nearest{i, i};
    double angle = widest;
    for (std::size_t j = 0; j < spokes.size(); ++j) {
      const double off = std::abs(std::remainder(spokes[j].angle - spokes[i].angle - pi, 2 * pi));
      if (off < angle) {
        angle = off;
        nearest.second = j;
      }
    }
    if (nearest.second != i) pairs.push_back(nearest);
  }
  if (pairs.size() < 3)
    throw input_error(
        "gradient delays: {} spokes have one of the opposite direction within 6 degrees, expected at least "
        "3; use "
        "crossings of spokes instead",
        pairs.size());

  const Index n = samples_per_readout, total = samples.shape()[1], coils = samples.shape()[0];
  parallel_for(ctx, static_cast<Index>(pairs.size()), 1, [&](Index begin, Index end, int) {
    std::vector<double> correlation;
    for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
      const Spoke &first = spokes[pairs[p].first], &second = spokes[pairs[p].second];
      // f(r) = Y(r − centre − δ) and g(r) = Y(−(r − centre − δ)): h(m) = Σ f(r) conj g(m − r) peaks where
      // m = centre_f + centre_g + 2δ.
      const auto middle = static_cast<Index>(std::lround(first.centre + second.centre));
      constexpr Index reach = 12;
      Complex lags[2 * reach + 1];
      for (Index lag = -reach; lag <= reach; ++lag) {
        Complex sum = 0;
        for (Index r = std::max<Index>(0, middle + lag - n + 1); r <= std::min(n - 1, middle + lag); ++r)
          for (Index c = 0; c < coils; ++c) {
            const auto* data = samples.data() + c * total;
            sum += Complex(data[first.readout * n + r]) *
                   std::conj(Complex(data[second.readout * n + middle + lag - r]));
          }
        lags[lag + reach] = sum;
      }
      // The correlation is band-limited: fine steps between its samples, then a parabola through the highest.
      constexpr int per_lag = 20;
      constexpr int limit = 8 * per_lag;
      correlation.assign(2 * limit + 1, 0);
      for (int i = -limit; i <= limit; ++i) {
        Complex value = 0;
        for (Index lag = -reach; lag <= reach; ++lag) {
          const double x = static_cast<double>(i) / per_lag - static_cast<double>(lag);
          const double edge = x / static_cast<double>(reach + 1 - 8);
          const double taper = std::abs(edge) < 1 ? std::cos(0.5 * pi * edge) * std::cos(0.5 * pi * edge) : 0;
          const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(pi * x) / (pi * x);
          value += sinc * taper * lags[lag + reach];
        }
        correlation[static_cast<std::size_t>(Index{i} + limit)] = std::norm(value);
      }
      const auto peak = std::max_element(correlation.begin(), correlation.end()) - correlation.begin();
      if (peak == 0 || peak == 2 * limit) continue;
      const double before = correlation[static_cast<std::size_t>(peak - 1)],
                   at = correlation[static_cast<std::size_t>(peak)],
                   after = correlation[static_cast<std::size_t>(peak + 1)];
      const double bend = before - 2 * at + after;
      const double offset = bend < 0 ? 0.5 * (before - after) / bend : 0;
      const double place =
          static_cast<double>(middle) + (static_cast<double>(peak - limit) + offset) / per_lag;
      pairs[p].shift = 0.5 * (place - first.centre - second.centre);
      pairs[p].weight = std::max(0.0, -bend);
    }
  });
  // The shift along a spoke of direction (cos θ, sin θ) is x cos²θ + y sin²θ + 2 xy sin θ cos θ. Across it
  // the lines of a pair are shifted apart, by twice (y − x) sin θ cos θ + xy (cos²θ − sin²θ): the farther
  // apart, the less they are the same line. Along two directions, the principal axes of the shift, they are
  // not.
  constexpr int rounds = 8;
  constexpr double apart = 0.1;
  DelayEstimate estimate;
  for (int round = 0; round < rounds; ++round) {
    DelayFit fit;
    std::size_t used = 0;
    for (const OppositeSpokes& pair : pairs) {
      if (!(pair.weight > 0)) continue;
      const double c = std::cos(spokes[pair.first].angle), s = std::sin(spokes[pair.first].angle);
      const GradientDelay& found = estimate.delay;
      const double across = ((found.y - found.x) * s * c + found.xy * (c * c - s * s)) / apart;
      const double alike = round == 0 ? 1 : 1 / std::pow(1 + across * across, 2);
      fit.add(used++, {c * c, s * s, 2 * s * c}, pair.shift, pair.weight * alike);
    }
    if (used < 3)
      throw input_error("gradient delays: opposite spokes do not correlate; give the delay").about("delay");
    estimate = fit.solve(used);
  }
  return estimate;
}

}  // namespace larmor
