#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/field_of_echoes.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/transforms/gradient.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <queue>
#include <utility>

namespace LARMOR_API larmor {
namespace {

using Phasor = std::complex<double>;
using std::numbers::pi;

// The frequency of each voxel, and its precision relative to the others.
struct Measured {
  Array<double> frequency, precision;
};

// Neighbours along the axes of a voxel of `shape`.
template <typename Visit>
void for_each_neighbour(const Shape& shape, Index voxel, const Visit& visit) {
  Index stride = 1;
  for (int axis = shape.rank(); axis-- > 0; stride *= shape[axis]) {
    const Index place = voxel / stride % shape[axis];
    if (place > 0) visit(voxel - stride);
    if (place + 1 < shape[axis]) visit(voxel + stride);
  }
}

// Adds multiples of `period` until neighbours differ by less than half of it, voxels of large weight first;
// then to all, so that the weighted median is nearest to 0.
void unwrap(Array<double>& values, View<const double> weight, double period) {
  using Candidate = std::pair<double, std::pair<Index, Index>>;  // weight, voxel, the neighbour it came from
  std::priority_queue<Candidate> next;
  std::vector<char> done(static_cast<std::size_t>(values.size()), 0);
  const Index brightest = std::max_element(weight.begin(), weight.end()) - weight.begin();
  next.push({weight[brightest], {brightest, brightest}});
  while (!next.empty()) {
    const auto [voxel, from] = next.top().second;
    next.pop();
    if (done[static_cast<std::size_t>(voxel)] != 0) continue;
    done[static_cast<std::size_t>(voxel)] = 1;
    values[voxel] -= period * std::round((values[voxel] - values[from]) / period);
    for_each_neighbour(values.shape(), voxel, [&, at = voxel](Index neighbour) {
      if (done[static_cast<std::size_t>(neighbour)] == 0) next.push({weight[neighbour], {neighbour, at}});
    });
  }
  std::vector<Index> order(done.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  double half = 0.5 * std::accumulate(weight.begin(), weight.end(), 0.0);
  auto median = order.begin();
  while (median + 1 != order.end() && (half -= weight[*median]) > 0) ++median;
  const double shift = period * std::round(values[*median] / period);
  for (double& value : values) value -= shift;
}

// Phases relative to the first echo, without those that `field` predicts: their weighted slope in time is the
// correction of the field.
Measured fit(View<const std::complex<float>> echoes, const std::vector<double>& times,
             const std::vector<Index>& order, std::size_t count, View<const double> field) {
  const Index voxels = field.size();
  Measured result{Array<double>(field.shape()), Array<double>(field.shape())};
  for (Index p = 0; p < voxels; ++p) {
    const Phasor first(echoes[order[0] * voxels + p]);
    double sum = 0, sum_t = 0, sum_tt = 0, sum_a = 0, sum_ta = 0;
    for (std::size_t e = 0; e < count; ++e) {
      const Phasor value(echoes[order[e] * voxels + p]);
      const double t = times[static_cast<std::size_t>(order[e])] - times[static_cast<std::size_t>(order[0])];
      const double angle = std::arg(value * std::conj(first) * std::polar(1.0, 2 * pi * field[p] * t)),
                   weight = std::norm(value);
      sum += weight;
      sum_t += weight * t;
      sum_tt += weight * t * t;
      sum_a += weight * angle;
      sum_ta += weight * t * angle;
    }
    const double spread = sum > 0 ? sum_tt - sum_t * sum_t / sum : 0;
    result.precision[p] = spread;
    const double slope = spread > 0 ? (sum_ta - sum_t * sum_a / sum) / spread : 0;
    result.frequency[p] = field[p] - slope / (2 * pi);
  }
  return result;
}

// (mean + weight·L²)⁻¹ where L is the Laplacian of periodic arrays: an approximate inverse of the normal
// operator.
Operator<double> inverse_without_edges(const Shape& shape, double mean, double weight) {
  Array<Phasor> response(shape);
  for (Index p = 0; p < response.size(); ++p) {
    double laplacian = 0;
    Index rest = p;
    for (int axis = shape.rank(); axis-- > 0; rest /= shape[axis]) {
      const auto frequency = static_cast<double>(rest % shape[axis] - shape[axis] / 2);
      laplacian += 4 * std::pow(std::sin(pi * frequency / static_cast<double>(shape[axis])), 2);
    }
    response[p] = 1 / (mean + weight * laplacian * laplacian);
  }
  const Fft<double> transform(shape, shape.rank());
  return adjoint<double>(transform) * Diagonal<double>(std::move(response)) * transform;
}

// Wavelength in voxels of which half remains where the weight is 1: fields vary slowly.
constexpr double shortest_wave = 8;

// The map that minimises Σ w (f − measured)² + β ‖Δf‖².
Array<double> smoothed(const Measured& measured, Context& ctx) {
  const Shape& shape = measured.frequency.shape();
  double sum = 0, squares = 0;
  for (const double w : measured.precision) {
    sum += w;
    squares += w * w;
  }
  if (!(squares > 0)) throw input_error("the images of two echoes have no nonzero voxel in common");
  // Weights of about 1 inside the object.
  Array<Phasor> weights(shape), rhs(shape);
  for (Index p = 0; p < weights.size(); ++p) {
    weights[p] = measured.precision[p] * sum / squares;
    rhs[p] = weights[p] * measured.frequency[p];
  }
  std::vector<int> axes(static_cast<std::size_t>(shape.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  const double beta = std::pow(shortest_wave / (2 * pi), 4);
  const Operator<double> laplacian = Gradient<double>(shape, axes).normal({}, ctx);
  SolverOptions<double> options{.iterations = 1000, .energy = 1e-6};
  options.preconditioner =
      inverse_without_edges(shape, sum * sum / squares / static_cast<double>(shape.size()), beta);
  const Problem<double> problem{
      .normal = Diagonal<double>(std::move(weights)) + beta * (laplacian * laplacian), .rhs = std::move(rhs)};
  const SolverResult<double> solution = conjugate_gradient(problem, options, ctx);
  Array<double> result(shape);
  for (Index p = 0; p < result.size(); ++p) result[p] = solution.x[p].real();
  return result;
}

}  // namespace

Array<float> field_of_echoes(View<const std::complex<float>> echoes, const std::vector<double>& times,
                             Context& device) {
  Context ctx(Device::cpu(), {.threads = device.threads(),
                              .reporter = std::make_shared<Reporter>()});  // its progress is not reported
  if (echoes.shape().rank() < 2 || echoes.shape()[0] != static_cast<Index>(times.size()) || times.size() < 2)
    throw usage_error("images {} and {} echo times, expected two or more echoes and a time for each",
                      echoes.shape().to_string(), times.size());
  std::vector<Index> order(times.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto time_of = [&](Index echo) { return times[static_cast<std::size_t>(echo)]; };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return time_of(a) < time_of(b); });
  for (std::size_t e = 1; e < order.size(); ++e)
    if (!(time_of(order[e]) > time_of(order[e - 1])))
      throw usage_error("two echoes at {} ms, expected different echo times", 1e3 * time_of(order[e]));

  const Index voxels = echoes.size() / echoes.shape()[0];
  for (Index a = 1; a < echoes.shape()[0]; ++a)
    for (Index b = 0; b < a; ++b)
      if (std::equal(echoes.data() + a * voxels, echoes.data() + (a + 1) * voxels,
                     echoes.data() + b * voxels))
        throw input_error(
            "the images of the echoes at {:g} and {:g} ms are identical, expected two measurements: check "
            "the contrasts of the readouts",
            1e3 * time_of(b), 1e3 * time_of(a));

  Measured measured = fit(echoes, times, order, 2, filled<double>(echoes.shape().drop_front(1), 0.0).view());
  unwrap(measured.frequency, measured.precision, 1 / (time_of(order[1]) - time_of(order[0])));
  Array<double> field = smoothed(measured, ctx);
  for (std::size_t count = 3; count <= order.size(); ++count)
    field = smoothed(fit(echoes, times, order, count, field), ctx);
  return converted<float>(field.view());
}

}  // namespace larmor
