#include <larmor/operators/nufft/tune/tuner_model.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {

TuneModel::TuneModel(Index samples, int dims, Index coils, bool double_precision, int directions,
                     const Context& ctx)
    : samples_(static_cast<double>(samples)),
      coils_(static_cast<double>(std::max<Index>(1, coils))),
      directions_(directions),
      dims_(dims) {
  // Initial milliseconds, in round numbers: per point, per cell that a point touches, per matrix entry, per
  // grid cell. For one core of a server processor, and for an H200.
  const double scale = (double_precision ? 1.7e-6 : 1e-6) / (ctx.on_gpu() ? 1 : ctx.threads());
  point_ = scale * (ctx.on_gpu() ? 0.03 : 10);
  touched_ = scale * (ctx.on_gpu() ? 0.0005 : 0.2);
  entry_ = scale * (ctx.on_gpu() ? 0.001 : 0.4);
  cell_ = scale * (ctx.on_gpu() ? 0.005 : 5);
}

TuneModel::Parts TuneModel::parts(const TuneTrial& candidate) const {
  const double touched = std::pow(candidate.width, dims_);
  const double point =
      candidate.method == NufftMethod::matrix ? entry_ * touched : point_ + touched_ * touched;
  double cells = 1;
  for (const Index length : candidate.grid) cells *= static_cast<double>(length);
  return {directions_ * coils_ * samples_ * point, directions_ * coils_ * cells * cell_};
}

double TuneModel::predict(const TuneTrial& candidate) const {
  const Parts p = parts(candidate);
  const Fit& f = fit(candidate.method);
  return f.points * p.points + f.cells * p.cells;
}

void TuneModel::learn(const TuneTrial& measured) {
  Fit& f = fits_[measured.method == NufftMethod::matrix ? 1 : 0];
  f.parts.push_back(parts(measured));
  f.ms.push_back(measured.goal_ms());
  f.update();
}

// Least squares of the relative errors, with a weak pull of both factors towards the mean ratio of measured
// and expected time: a single measurement scales both parts equally.
void TuneModel::Fit::update() {
  double ratio = 0;
  for (std::size_t i = 0; i < ms.size(); ++i) ratio += ms[i] / (parts[i].points + parts[i].cells);
  ratio /= static_cast<double>(ms.size());
  const double pull = 0.02 / (ratio * ratio);
  double pp = pull, pc = 0, cc = pull, p = pull * ratio, c = pull * ratio;
  for (std::size_t i = 0; i < ms.size(); ++i) {
    const double a = parts[i].points / ms[i], b = parts[i].cells / ms[i];
    pp += a * a;
    pc += a * b;
    cc += b * b;
    p += a;
    c += b;
  }
  const double determinant = pp * cc - pc * pc;
  points = std::max((p * cc - c * pc) / determinant, 0.05 * ratio);
  cells = std::max((c * pp - p * pc) / determinant, 0.05 * ratio);
}

}  // namespace larmor
