#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/model/off_resonance.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr Index most_segments = BasisNufft<float>::most_coefficients;
// Quadrature nodes in time: a number per cycle of the fastest exponential plus a constant; and nodes in
// decay.
constexpr double nodes_per_cycle = 4;
constexpr Index least_nodes = 48;
constexpr Index decay_bins = 12;

struct Range {
  double low = 0, high = 0;
  double middle() const { return 0.5 * (low + high); }
  double width() const { return high - low; }
};

void require_shape(const char* what, View<const float> map, const FieldMap& field) {
  if (map.size() > 0 && !(map.shape() == field.frequency.shape()))
    throw input_error("{} has shape {}, but the field map {}: give both on one grid", what,
                      map.shape().to_string(), field.frequency.shape().to_string());
}

double weight_of(const FieldMap& field, Index pixel) {
  return field.weight.size() > 0 ? static_cast<double>(field.weight[pixel]) : 1.0;
}
double decay_of(const FieldMap& field, Index pixel) {
  return field.decay.size() > 0 ? static_cast<double>(field.decay[pixel]) : 0.0;
}

// Half of the bandwidth of the readouts, the distance in time of neighbouring samples taken from the times.
double half_bandwidth(View<const double> times) {
  double dwell = HUGE_VAL;
  for (Index j = 1; j < times.size(); ++j)
    if (const double step = std::abs(times[j] - times[j - 1]); step > 0) dwell = std::min(dwell, step);
  return 0.5 / dwell;
}

// Off-resonance beyond half of the bandwidth moves a pixel by more than half of the field of view, and decay
// that is faster leaves nothing for the following sample.
void require_within(const char* name, const char* unit, double value, double most, const FieldMap& field,
                    Index pixel) {
  if (most > 0 && std::abs(value) > most)
    throw input_error(
        "{} is {:.4g} {} at {} of {}, expected at most {:.4g}, half of the readouts' bandwidth: {}", name,
        value, unit, element_text(field.frequency.shape(), pixel), field.frequency.shape().to_string(), most,
        "correct it, or give a weight that is 0 there")
        .about("field_weight");
}

void check(const FieldMap& field, View<const double> times) {
  if (field.frequency.size() == 0) throw input_error("the field map is empty");
  require_shape("the R2* map", field.decay, field);
  require_shape("the weight of the field map", field.weight, field);
  require_comparable("weight of the field map", field.weight);
  const double most = half_bandwidth(times);
  double sum = 0;
  for (Index p = 0; p < field.frequency.size(); ++p) {
    const double weight = weight_of(field, p), hz = static_cast<double>(field.frequency[p]);
    if (!std::isfinite(hz) || !std::isfinite(decay_of(field, p)))
      throw input_error("the {} map is not finite at {}: give a weight that is 0 where it is unknown",
                        std::isfinite(hz) ? "R2*" : "field", element_text(field.frequency.shape(), p))
          .about("field_weight");
    if (!(weight >= 0))
      throw input_error("the weight of the field map is {:.4g} at {}, expected a number that is not negative",
                        weight, element_text(field.frequency.shape(), p));
    if (weight > 0) {
      require_within("the field map", "Hz", hz, most, field, p);
      require_within("the R2* map", "1/s", decay_of(field, p), most, field, p);
    }
    sum += weight;
  }
  if (!(sum > 0)) throw input_error("the weight of the field map is zero everywhere");
}

// Range of a map where the weight is positive.
template <typename Value>
Range range_of(const FieldMap& field, const Value& value) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (Index p = 0; p < field.frequency.size(); ++p) {
    if (!(weight_of(field, p) > 0)) continue;
    range.low = std::min(range.low, value(p));
    range.high = std::max(range.high, value(p));
  }
  return range;
}

/// A frequency (about the middle) and a decay that occur, and their weight.
struct Atom {
  double frequency, decay, weight;
};

Index nodes_for(double cycles) {
  return static_cast<Index>(std::ceil(nodes_per_cycle * cycles)) + least_nodes;
}

// Half of the weight as in the map, half evenly over the band of frequencies; Σ weight = 1. Each atom stands
// for its frequency and the mirrored one: that makes the time interpolators real.
std::vector<Atom> atoms_of(const FieldMap& field, const Range& band, const Range& decays, double duration) {
  const Index count = band.width() > 0 ? nodes_for(band.width() * duration) : 1;
  const Index decay_count = decays.width() > 0 ? decay_bins : 1;
  const auto bin_of = [](double value, const Range& range, Index bins) {
    if (bins == 1) return Index{0};
    const double place = (value - range.low) / range.width() * static_cast<double>(bins);
    return std::clamp<Index>(static_cast<Index>(place), 0, bins - 1);
  };
  const auto centre_of = [](Index bin, const Range& range, Index bins) {
    return range.low + range.width() * (static_cast<double>(bin) + 0.5) / static_cast<double>(bins);
  };
  std::vector<double> histogram(static_cast<std::size_t>(count * decay_count));
  std::vector<double> of_decay(static_cast<std::size_t>(decay_count));
  double sum = 0;
  for (Index p = 0; p < field.frequency.size(); ++p) {
    const double weight = weight_of(field, p);
    if (!(weight > 0)) continue;
    const Index f = bin_of(static_cast<double>(field.frequency[p]), band, count);
    const Index r = bin_of(decay_of(field, p), decays, decay_count);
    histogram[static_cast<std::size_t>(r * count + f)] += weight;
    of_decay[static_cast<std::size_t>(r)] += weight;
    sum += weight;
  }
  std::vector<Atom> atoms;
  for (Index r = 0; r < decay_count; ++r)
    for (Index f = 0; f < count; ++f) {
      const double weight = 0.5 *
                            (histogram[static_cast<std::size_t>(r * count + f)] +
                             of_decay[static_cast<std::size_t>(r)] / static_cast<double>(count)) /
                            sum;
      if (weight > 0)
        atoms.push_back(
            {centre_of(f, band, count) - band.middle(), centre_of(r, decays, decay_count), weight});
    }
  return atoms;
}

/// The interpolators of the least-squares problem on evenly spaced times.
struct Interpolators {
  Range span;                                // of the times
  double step = 0;                           // between nodes
  std::vector<double> weight;                // of the nodes, Σ = 1
  std::vector<std::vector<double>> vectors;  // u_l at the nodes, Σ weight u_l u_m = δ
  std::vector<double> values;                // descending
  double total = 0;                          // sum of all of them
  double time(Index node) const { return span.low + step * static_cast<double>(node); }
  Index nodes() const { return static_cast<Index>(weight.size()); }
};

// Σ over atoms of weight · exp(−r (t + t')) cos(2π f (t − t')): the kernel that an approximation of
// e^{−(r+2πif)t} in time has to span, including mirrored frequencies.
double correlation(const std::vector<Atom>& atoms, double t, double other) {
  double sum = 0;
  for (const Atom& a : atoms)
    sum += a.weight * std::exp(-a.decay * (t + other)) * std::cos(2 * pi * a.frequency * (t - other));
  return sum;
}

Interpolators find_interpolators(const std::vector<Atom>& atoms, View<const double> times, const Range& span,
                                 double band) {
  Interpolators result;
  result.span = span;
  const Index nodes = span.width() > 0 ? nodes_for(band * span.width()) : 1;
  result.step = nodes > 1 ? span.width() / static_cast<double>(nodes - 1) : 0;
  result.weight.assign(static_cast<std::size_t>(nodes), 0);
  for (const double t : times) {
    const Index node = nodes > 1 ? static_cast<Index>(std::lround((t - span.low) / result.step)) : 0;
    result.weight[static_cast<std::size_t>(node)] += 1 / static_cast<double>(times.size());
  }
  // √w G √w, whose eigenvectors are √w u.
  const auto root = [&](Index node) { return std::sqrt(result.weight[static_cast<std::size_t>(node)]); };
  Array<Complex> gram({nodes, nodes});
  // It depends on the difference and, through the decay, on the sum of the times.
  const bool decays = std::any_of(atoms.begin(), atoms.end(), [](const Atom& a) { return a.decay != 0; });
  std::vector<double> by_difference(static_cast<std::size_t>(nodes));
  for (Index i = 0; i < nodes && !decays; ++i)
    by_difference[static_cast<std::size_t>(i)] = correlation(atoms, result.time(i), result.time(0));
  for (Index i = 0; i < nodes; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double value = decays ? correlation(atoms, result.time(i), result.time(j))
                                  : by_difference[static_cast<std::size_t>(i - j)];
      gram[i * nodes + j] = gram[j * nodes + i] = root(i) * root(j) * value;
    }
  const auto eigen = hermitian_eigen(gram);
  for (Index l = 0; l < nodes; ++l) {
    const double value = eigen.values[static_cast<std::size_t>(l)];
    result.total += std::max(0.0, value);
    if (l >= most_segments || !(value > 1e-24 * eigen.values[0])) continue;
    result.values.push_back(value);
    auto& vector = result.vectors.emplace_back(static_cast<std::size_t>(nodes));
    for (Index i = 0; i < nodes; ++i)
      if (root(i) > 0) vector[static_cast<std::size_t>(i)] = eigen.vectors[l * nodes + i].real() / root(i);
  }
  return result;
}

double tail_error(const Interpolators& found, Index segments) {
  double kept = 0;
  for (Index l = 0; l < segments; ++l) kept += found.values[static_cast<std::size_t>(l)];
  return std::sqrt(std::max(0.0, found.total - kept) / found.total);
}

Index choose_segments(const Interpolators& found, const SegmentOptions& options) {
  const Index available = static_cast<Index>(found.values.size());
  if (options.segments > 0) return std::min(options.segments, available);
  for (Index segments = 1; segments <= available; ++segments)
    if (tail_error(found, segments) <= options.accuracy) return segments;
  if (available == most_segments)
    throw usage_error(
        "the field map needs more than {} time segments for an accuracy of {}; restrict it to the object or "
        "allow a larger error",
        most_segments, options.accuracy);
  return available;  // the rest is rounding
}

// u_l(t) between the nodes: given by the eigenvalue equation (Nyström).
Array<double> interpolate(const Interpolators& found, const std::vector<Atom>& atoms,
                          const std::vector<double>& times, Index segments, Context& host) {
  Array<double> result({static_cast<Index>(times.size()), segments});
  parallel_for(host, static_cast<Index>(times.size()), 16, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      double* row = result.data() + i * segments;
      std::fill_n(row, segments, 0.0);
      for (Index node = 0; node < found.nodes(); ++node) {
        const double weight = found.weight[static_cast<std::size_t>(node)];
        if (weight == 0) continue;
        const double factor =
            weight * correlation(atoms, times[static_cast<std::size_t>(i)], found.time(node));
        for (Index l = 0; l < segments; ++l)
          row[l] += factor * found.vectors[static_cast<std::size_t>(l)][static_cast<std::size_t>(node)];
      }
      for (Index l = 0; l < segments; ++l) row[l] /= found.values[static_cast<std::size_t>(l)];
    }
  });
  return result;
}

// C_l(x) = Σ_t w u_l exp(−(r + 2πi (f − f₀)) t): the projection of each pixel's time course, a polynomial in
// the factor from one node to the next.
Array<std::complex<float>> project(const Interpolators& found, const FieldMap& field, double centre,
                                   Index segments, Context& host) {
  const Index pixels = field.frequency.size(), nodes = found.nodes();
  Array<std::complex<float>> images(field.frequency.shape().prepend(segments));
  std::vector<double> coefficients(static_cast<std::size_t>(segments * nodes));
  for (Index l = 0; l < segments; ++l)
    for (Index n = 0; n < nodes; ++n)
      coefficients[static_cast<std::size_t>(n * segments + l)] =
          found.weight[static_cast<std::size_t>(n)] *
          found.vectors[static_cast<std::size_t>(l)][static_cast<std::size_t>(n)];
  parallel_for(host, pixels, 256, [&](Index begin, Index end, int) {
    std::array<double, 2 * static_cast<std::size_t>(most_segments)> sums;
    for (Index p = begin; p < end; ++p) {
      const Complex rate(-decay_of(field, p), -2 * pi * (static_cast<double>(field.frequency[p]) - centre));
      const Complex step = std::exp(rate * found.step);
      Complex factor = std::exp(rate * found.span.low);
      sums.fill(0);
      for (Index n = 0; n < nodes; ++n) {
        const double* row = coefficients.data() + n * segments;
        for (Index l = 0; l < segments; ++l) {
          sums[static_cast<std::size_t>(2 * l)] += row[l] * factor.real();
          sums[static_cast<std::size_t>(2 * l + 1)] += row[l] * factor.imag();
        }
        factor = {factor.real() * step.real() - factor.imag() * step.imag(),
                  factor.real() * step.imag() + factor.imag() * step.real()};
      }
      for (Index l = 0; l < segments; ++l)
        images[l * pixels + p] = {static_cast<float>(sums[static_cast<std::size_t>(2 * l)]),
                                  static_cast<float>(sums[static_cast<std::size_t>(2 * l + 1)])};
    }
  });
  return images;
}

}  // namespace

TimeSegments time_segments(const FieldMap& field, View<const double> times, const SegmentOptions& options,
                           Context& ctx) {
  if (times.size() == 0) throw input_error("there are no sample times for the field map");
  if (options.segments < 0 || options.segments > most_segments)
    throw usage_error("{} time segments, expected 1 to {}", options.segments, most_segments);
  if (!(options.accuracy > 0))
    throw usage_error("accuracy of time segments {}, expected a positive number", options.accuracy);
  Range span{times[0], times[0]};
  for (Index j = 0; j < times.size(); ++j) {
    if (!std::isfinite(times[j])) throw input_error("the time of sample {} is not finite", j);
    span.low = std::min(span.low, times[j]);
    span.high = std::max(span.high, times[j]);
  }
  check(field, times);
  Context host = ctx.host();
  const Range band = range_of(field, [&](Index p) { return static_cast<double>(field.frequency[p]); });
  const Range decays = range_of(field, [&](Index p) { return decay_of(field, p); });
  // At least one segment for each cycle between the ends of the band is needed (sampling theorem).
  if (band.width() * span.width() > static_cast<double>(most_segments))
    throw usage_error(
        "the field map spans {:.0f} Hz, {:.0f} cycles in a readout of {:.1f} ms, and time segments support "
        "up to {}; restrict it to the object",
        band.width(), band.width() * span.width(), 1e3 * span.width(), most_segments);
  const auto atoms = atoms_of(field, band, decays, span.width());
  const Interpolators found = find_interpolators(atoms, times, span, band.width());

  TimeSegments result;
  const Index segments = choose_segments(found, options);
  result.centre_hz = band.middle();
  result.expected_error = tail_error(found, segments);
  // Readouts share their times: each is computed once.
  std::vector<double> distinct(times.begin(), times.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto rows = interpolate(found, atoms, distinct, segments, host);
  result.basis = Array<Complex>({times.size(), segments});
  parallel_for(host, times.size(), 4096, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      const Index row = std::lower_bound(distinct.begin(), distinct.end(), times[j]) - distinct.begin();
      const double cycles = std::remainder(result.centre_hz * times[j], 1.0);
      const Complex phase = std::polar(1.0, -2 * pi * cycles);
      for (Index l = 0; l < segments; ++l) result.basis[j * segments + l] = rows[row * segments + l] * phase;
    }
  });
  result.images = project(found, field, result.centre_hz, segments, host);
  return result;
}

SegmentError segment_error(const TimeSegments& segments, const FieldMap& field, View<const double> times,
                           Index pixels, Index targets) {
  std::vector<Index> inside;
  for (Index p = 0; p < field.frequency.size(); ++p)
    if (weight_of(field, p) > 0) inside.push_back(p);
  // Golden-ratio steps, because regular ones could meet the same position of every row or readout.
  const auto spread = [](Index i, Index wanted, Index count) {
    if (wanted >= count) return i;
    const double place = static_cast<double>(i) / std::numbers::phi;
    return static_cast<Index>((place - std::floor(place)) * static_cast<double>(count));
  };
  const Index all = static_cast<Index>(inside.size()), count = segments.count();
  const Index some = std::min(pixels, all), samples = std::min(targets, times.size());
  const Index image = field.frequency.size();
  SegmentError result;
  double error = 0, norm = 0;
  for (Index i = 0; i < some; ++i) {
    const Index p = inside[static_cast<std::size_t>(spread(i, pixels, all))];
    double of_pixel = 0, norm_of_pixel = 0;
    for (Index n = 0; n < samples; ++n) {
      const Index j = spread(n, targets, times.size());
      const double cycles = std::remainder(static_cast<double>(field.frequency[p]) * times[j], 1.0);
      const Complex exact = std::polar(std::exp(-decay_of(field, p) * times[j]), -2 * pi * cycles);
      Complex sum = 0;
      for (Index l = 0; l < count; ++l)
        sum += segments.basis[j * count + l] * Complex(segments.images[l * image + p]);
      of_pixel += std::norm(sum - exact);
      norm_of_pixel += std::norm(exact);
    }
    error += of_pixel;
    norm += norm_of_pixel;
    result.max = std::max(result.max, std::sqrt(of_pixel / norm_of_pixel));
  }
  result.rms = std::sqrt(error / norm);
  return result;
}

Array<Complex> product_basis(View<const Complex> subspace, View<const Complex> segments) {
  if (subspace.shape().rank() != 2 || segments.shape().rank() != 2 ||
      subspace.shape()[0] != segments.shape()[0])
    throw usage_error(
        "product_basis: a subspace of shape {} and segments of shape {}, expected [samples, K] "
        "and [samples, S]",
        subspace.shape().to_string(), segments.shape().to_string());
  const Index samples = subspace.shape()[0], K = subspace.shape()[1], S = segments.shape()[1];
  Array<Complex> result({samples, K, S});
  for (Index j = 0; j < samples; ++j)
    for (Index k = 0; k < K; ++k)
      for (Index s = 0; s < S; ++s) result[(j * K + k) * S + s] = subspace[j * K + k] * segments[j * S + s];
  return result;
}

}  // namespace larmor
