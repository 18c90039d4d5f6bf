#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/calibration/resample_maps.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace larmor {
namespace {

using Complex = std::complex<float>;

// Fraction of a voxel: positions nearer than this are the same.
constexpr double same_voxel = 0.01;
// Affines in files are floats: a position this close to a voxel's centre is that voxel, without
// interpolation.
constexpr double on_voxel = 1e-3;
// Rounds of filling: as far as a cubic interpolation reaches.
constexpr int filled_layers = 2;

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// a + factor b
Vec3 moved(const Vec3& a, double factor, const Vec3& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

// Millimetres from voxel to voxel along x, y and z.
std::array<Vec3, 3> columns_of(const ImageGeometry& image) {
  std::array<Vec3, 3> columns{image.read_dir, image.phase_dir, image.slice_dir};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (double& part : columns[axis]) part *= image.fov_mm[axis] / static_cast<double>(image.matrix[axis]);
  return columns;
}

Vec3 first_voxel(const ImageGeometry& image, const std::array<Vec3, 3>& columns) {
  Vec3 origin = image.position;
  for (std::size_t axis = 0; axis < 3; ++axis)
    origin = moved(origin, -static_cast<double>(image.matrix[axis] / 2), columns[axis]);
  return origin;
}

// Weights of the four voxels around a position, from one before it to two after it (Keys 1981, a = −½). At
// the ends the missing voxel is extrapolated from the nearest three.
struct Taps {
  Index first = 0;
  int count = 1;
  double weight[4] = {1, 0, 0, 0};
};

Taps taps(double index, Index extent, bool cubic) {
  Taps result;
  if (extent == 1) return result;
  if (std::abs(index - std::round(index)) < on_voxel) index = std::round(index);
  const Index cell = std::clamp<Index>(static_cast<Index>(std::floor(index)), 0, extent - 2);
  const double t = index - static_cast<double>(cell);
  if (!cubic || extent < 3) {
    result = {cell, 2, {1 - t, t, 0, 0}};
    return result;
  }
  double w[4] = {((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1, ((-1.5 * t + 2) * t + 0.5) * t,
                 (0.5 * t - 0.5) * t * t};
  if (cell == 0) {
    result = {0, 3, {w[1] + 3 * w[0], w[2] - 3 * w[0], w[3] + w[0], 0}};
  } else if (cell == extent - 2) {
    result = {cell - 1, 3, {w[0] + w[3], w[1] - 3 * w[3], w[2] + 3 * w[3], 0}};
  } else {
    result = {cell - 1, 4, {w[0], w[1], w[2], w[3]}};
  }
  return result;
}

// The order of slices along their common normal.
std::vector<std::size_t> slice_order(const std::vector<ImageGeometry>& geometry) {
  std::vector<std::size_t> order(geometry.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const ImageGeometry& first = geometry.front();
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return dot(geometry[a].position, first.slice_dir) < dot(geometry[b].position, first.slice_dir);
  });
  return order;
}

}  // namespace

bool same_voxels(const ImageGeometry& one, const ImageGeometry& other) {
  if (one.matrix != other.matrix) return false;
  const std::array<Vec3, 3> columns = columns_of(one), others = columns_of(other);
  double smallest = std::sqrt(dot(columns[2], columns[2]));
  for (std::size_t axis = 0; axis < 2; ++axis)
    smallest = std::min(smallest, std::sqrt(dot(columns[axis], columns[axis])));
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 here = first_voxel(one, columns), there = first_voxel(other, others);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double steps = (corner >> axis) % 2 == 0 ? 0.0 : static_cast<double>(one.matrix[axis] - 1);
      here = moved(here, steps, columns[axis]);
      there = moved(there, steps, others[axis]);
    }
    const Vec3 apart = moved(here, -1, there);
    if (!(std::sqrt(dot(apart, apart)) < same_voxel * smallest)) return false;
  }
  return true;
}

/// Σ w v of voxels whose common phase may jump between neighbours: it is removed relative to the first voxel,
/// and replaced by the phase of Σ w exp(iφ).
class ResampledMaps::Mixture {
 public:
  /// without common_phase: plain Σ w v.
  Mixture(Index channels, bool common_phase)
      : common_phase_(common_phase), sum_(static_cast<std::size_t>(channels)) {}

  void start(const Complex* reference) {
    reference_ = reference;
    std::fill(sum_.begin(), sum_.end(), Complex(0));
    phase_ = 0;
    size_ = 0;
  }
  void add(double weight, const Complex* v) {
    float re = 0, im = 0, square = 0;
    for (std::size_t c = 0; c < sum_.size(); ++c) {
      const Complex r = reference_[c], x = v[c];
      re += r.real() * x.real() + r.imag() * x.imag();
      im += r.real() * x.imag() - r.imag() * x.real();
      square += std::norm(x);
    }
    const float length = std::sqrt(re * re + im * im);
    const Complex phase = common_phase_ && length > 0 ? Complex(re / length, im / length) : Complex(1);
    const Complex factor = static_cast<float>(weight) * std::conj(phase);
    for (std::size_t c = 0; c < sum_.size(); ++c) {
      const Complex x = v[c];
      sum_[c] += Complex(factor.real() * x.real() - factor.imag() * x.imag(),
                         factor.real() * x.imag() + factor.imag() * x.real());
    }
    phase_ += weight * std::complex<double>(phase);
    size_ += weight * std::sqrt(static_cast<double>(square));
  }
  double size() const { return std::max(0.0, size_); }
  /// The mixture, scaled to the interpolated size.
  void finish(Complex* out) const { finish(out, size()); }
  void finish(Complex* out, double size) const {
    if (!common_phase_) {
      std::copy(sum_.begin(), sum_.end(), out);
      return;
    }
    double square = 0;
    for (const Complex& value : sum_) square += std::norm(std::complex<double>(value));
    // If phases jump, their mean is meaningless.
    constexpr double coherent = 0.5;
    std::complex<double> factor = std::abs(phase_) > coherent ? phase_ / std::abs(phase_) : 1.0;
    factor *= square > 0 ? size / std::sqrt(square) : 0.0;
    for (std::size_t c = 0; c < sum_.size(); ++c) out[c] = Complex(factor * std::complex<double>(sum_[c]));
  }

 private:
  const bool common_phase_;
  const Complex* reference_ = nullptr;
  std::vector<Complex> sum_;
  std::complex<double> phase_;
  double size_ = 0;
};

Vec3 ResampledMaps::Affine::at(const Vec3& voxel) const {
  Vec3 index = first;
  for (std::size_t axis = 0; axis < 3; ++axis) index = moved(index, voxel[axis], step[axis]);
  return index;
}

ResampledMaps::ResampledMaps(View<const Complex> maps, const std::vector<ImageGeometry>& geometry,
                             Context& ctx, Resampled what)
    : maps_(what == Resampled::maps) {
  if (maps.shape().rank() != 4 || geometry.empty())
    throw usage_error("coil maps {} at {} positions", maps.shape().to_string(), geometry.size());
  const ImageGeometry& first = geometry.front();
  std::array<Vec3, 3> columns = columns_of(first);
  const std::vector<std::size_t> order = slice_order(geometry);
  const bool slices = geometry.size() > 1;
  channels_ = maps.shape()[slices ? 1 : 0];
  matrix_ = {maps.shape()[3], maps.shape()[2], maps.shape()[slices ? 0 : 1]};
  const ImageGeometry& lowest = geometry[order.front()];
  origin_ = first_voxel(lowest, columns);
  if (slices) {
    const Vec3 whole = moved(geometry[order.back()].position, -1, lowest.position);
    columns[2] = moved({0, 0, 0}, 1.0 / static_cast<double>(geometry.size() - 1), whole);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) size_[axis] = std::sqrt(dot(columns[axis], columns[axis]));
  const double volume = dot(columns[0], cross(columns[1], columns[2]));
  if (!(std::abs(volume) > 1e-3 * size_[0] * size_[1] * size_[2]))
    throw input_error("the slices of the coil maps overlap, or their axes are not independent");
  for (std::size_t axis = 0; axis < 3; ++axis)
    to_index_[axis] = moved({0, 0, 0}, 1 / volume, cross(columns[(axis + 1) % 3], columns[(axis + 2) % 3]));
  for (std::size_t axis = 0; axis < 3; ++axis)
    margin_ = maps_ ? std::max(margin_, maps_margin * size_[axis] * static_cast<double>(matrix_[axis]))
                    : same_voxel * size_[axis];
  for (std::size_t s = 0; slices && s < geometry.size(); ++s) {
    const Affine affine = indices_of(geometry[order[s]]);
    const Vec3 last{static_cast<double>(matrix_[0] - 1), static_cast<double>(matrix_[1] - 1), 0};
    for (const Vec3& corner : {Vec3{0, 0, 0}, last}) {
      const Vec3 found = affine.at(corner);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double expected = axis == 2 ? static_cast<double>(s) : corner[axis];
        if (!(std::abs(found[axis] - expected) < 5 * same_voxel))
          throw input_error("the coil maps' slices are not parallel and evenly spaced");
      }
    }
  }

  const Index pixels = matrix_[0] * matrix_[1], all = pixels * matrix_[2];
  voxels_.resize(static_cast<std::size_t>(all * channels_));
  state_.assign(static_cast<std::size_t>(all), 0);
  parallel_for(ctx, matrix_[2] * matrix_[1], 8, [&](Index begin, Index end, int) {
    for (Index at = begin * matrix_[0]; at < end * matrix_[0]; ++at) {
      const Index z = at / pixels, pixel = at % pixels;
      const Index source = slices ? static_cast<Index>(order[static_cast<std::size_t>(z)]) * channels_ : z;
      for (Index c = 0; c < channels_; ++c) {
        const Complex value = maps[(source + c * (slices ? 1 : matrix_[2])) * pixels + pixel];
        voxels_[static_cast<std::size_t>(at * channels_ + c)] = value;
        if (!maps_ || value != 0.0F) state_[static_cast<std::size_t>(at)] = 1;
      }
    }
  });
  for (int layer = 0; layer < filled_layers; ++layer) fill_around();
}

// Voxels next to known ones are extrapolated from two of them along each axis.
void ResampledMaps::fill_around() {
  Mixture line(channels_, maps_), all(channels_, maps_);
  std::vector<Complex> found(static_cast<std::size_t>(6 * channels_));
  std::vector<Index> filled;
  const Index stride[3] = {1, matrix_[0], matrix_[0] * matrix_[1]};
  for (Index z = 0; z < matrix_[2]; ++z)
    for (Index y = 0; y < matrix_[1]; ++y)
      for (Index x = 0; x < matrix_[0]; ++x) {
        const Index at = place(x, y, z), index[3] = {x, y, z};
        if (known(at)) continue;
        Index count = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          for (const Index sign : {-1, 1}) {
            const Index far = index[axis] + 2 * sign;
            if (far < 0 || far >= matrix_[axis]) continue;
            const Index near_voxel = at + sign * stride[axis], far_voxel = at + 2 * sign * stride[axis];
            if (!known(near_voxel) || !known(far_voxel)) continue;
            line.start(voxel(near_voxel));
            line.add(2, voxel(near_voxel));
            line.add(-1, voxel(far_voxel));
            line.finish(found.data() + count++ * channels_);
          }
        if (count == 0) continue;
        all.start(found.data());
        for (Index i = 0; i < count; ++i)
          all.add(1 / static_cast<double>(count), found.data() + i * channels_);
        all.finish(voxels_.data() + at * channels_);
        filled.push_back(at);
      }
  for (const Index at : filled) state_[static_cast<std::size_t>(at)] = 2;
}

ResampledMaps::Affine ResampledMaps::indices_of(const ImageGeometry& image) const {
  const std::array<Vec3, 3> columns = columns_of(image);
  const Vec3 from = moved(first_voxel(image, columns), -1, origin_);
  Affine affine;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    affine.first[axis] = dot(to_index_[axis], from);
    for (std::size_t along = 0; along < 3; ++along)
      affine.step[along][axis] = dot(to_index_[axis], columns[along]);
  }
  return affine;
}

double ResampledMaps::overhang(const ImageGeometry& image) const {
  const Affine affine = indices_of(image);
  double result = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 at{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      at[axis] = (corner >> axis) % 2 == 0 ? 0.0 : static_cast<double>(image.matrix[axis] - 1);
    const Vec3 index = affine.at(at);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double last = static_cast<double>(matrix_[axis]) - 0.5;
      result = std::max(result, std::max(-0.5 - index[axis], index[axis] - last) * size_[axis]);
    }
  }
  return result;
}

bool ResampledMaps::coincides(const ImageGeometry& image) const {
  const Affine affine = indices_of(image);
  if (image.matrix[0] != matrix_[0] || image.matrix[1] != matrix_[1] || image.matrix[2] > matrix_[2])
    return false;
  const double z = std::round(affine.first[2]);
  if (!(z >= 0 && z + static_cast<double>(image.matrix[2]) <= static_cast<double>(matrix_[2]))) return false;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 at{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      at[axis] = (corner >> axis) % 2 == 0 ? 0.0 : static_cast<double>(image.matrix[axis] - 1);
    const Vec3 index = affine.at(at);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!(std::abs(index[axis] - at[axis] - (axis == 2 ? z : 0)) < same_voxel)) return false;
  }
  return true;
}

// Inside the outermost voxels' centres: the mixture's size; 0 if nothing around is known.
double ResampledMaps::interpolate(const Vec3& index, Mixture& mixture, Complex* out) const {
  Index nearest[3];
  for (std::size_t axis = 0; axis < 3; ++axis)
    nearest[axis] = std::clamp<Index>(std::lround(index[axis]), 0, matrix_[axis] - 1);
  for (const bool cubic : {true, false}) {
    const Taps x = taps(index[0], matrix_[0], cubic), y = taps(index[1], matrix_[1], cubic),
               z = taps(index[2], matrix_[2], cubic);
    mixture.start(voxel(place(nearest[0], nearest[1], nearest[2])));
    double known_weight = 0;
    bool all = true;
    for (int c = 0; c < z.count && (all || !cubic); ++c)
      for (int b = 0; b < y.count && (all || !cubic); ++b)
        for (int a = 0; a < x.count; ++a) {
          const double weight = x.weight[a] * y.weight[b] * z.weight[c];
          if (weight == 0) continue;
          const Index at = place(x.first + a, y.first + b, z.first + c);
          if (!known(at)) {
            all = false;
            continue;
          }
          known_weight += weight;
          mixture.add(weight, voxel(at));
        }
    if (cubic && !all) continue;
    if (!(known_weight > 0)) break;
    const double size = mixture.size() / known_weight;
    mixture.finish(out, size);
    return size;
  }
  std::fill(out, out + channels_, Complex(0));
  return 0;
}

void ResampledMaps::sample(const Vec3& index, Mixture& mixture, Complex* inside, Complex* mirrored,
                           Complex* out) const {
  Vec3 clamped{}, reflected{};
  Index nearest[3];
  bool beyond = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double last = static_cast<double>(matrix_[axis] - 1);
    clamped[axis] = std::clamp(index[axis], 0.0, last);
    reflected[axis] = std::clamp(2 * clamped[axis] - index[axis], 0.0, last);
    nearest[axis] = std::clamp<Index>(std::lround(clamped[axis]), 0, matrix_[axis] - 1);
    beyond = beyond || clamped[axis] != reflected[axis];
  }
  if (!measured(place(nearest[0], nearest[1], nearest[2]))) {
    std::fill(out, out + channels_, Complex(0));
    return;
  }
  if (!beyond) {
    interpolate(clamped, mixture, out);
    return;
  }
  interpolate(clamped, mixture, inside);
  if (interpolate(reflected, mixture, mirrored) == 0) {
    std::copy(inside, inside + channels_, out);
    return;
  }
  mixture.start(inside);
  mixture.add(2, inside);
  mixture.add(-1, mirrored);
  mixture.finish(out);
}

void ResampledMaps::read(const ImageGeometry& image, View<Complex> out, Context& ctx) const {
  const Shape shape{channels_, image.matrix[2], image.matrix[1], image.matrix[0]};
  if (out.shape() != shape)
    throw usage_error("coil maps {} into {}", shape.to_string(), out.shape().to_string());
  const Affine affine = indices_of(image);
  const Index pixels = shape.drop_front(1).size(), lines = image.matrix[2] * image.matrix[1];
  const bool copies = coincides(image);
  const Index plane = copies ? std::lround(affine.first[2]) : 0;
  parallel_for(ctx, lines, 4, [&](Index begin, Index end, int) {
    Mixture mixture(channels_, maps_);
    std::vector<Complex> parts(static_cast<std::size_t>(3 * channels_));
    Complex *result = parts.data(), *inside = result + channels_, *mirrored = inside + channels_;
    for (Index line = begin; line < end; ++line)
      for (Index x = 0; x < image.matrix[0]; ++x) {
        const Index y = line % image.matrix[1], z = line / image.matrix[1];
        const Index at = place(x, y, z + plane);
        if (copies)
          std::copy_n(measured(at) ? voxel(at) : mirrored, channels_, result);
        else
          sample(affine.at({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}), mixture,
                 inside, mirrored, result);
        for (Index c = 0; c < channels_; ++c) out[c * pixels + line * image.matrix[0] + x] = result[c];
      }
  });
}

}  // namespace larmor
