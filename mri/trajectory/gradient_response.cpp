#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/mri/trajectory/gradient_response.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

// Length by which the waveform is continued on both sides, so that the response can decay within it.
constexpr double margin_us = 5000;
// Rows with cross terms: B0, x, y, z for each gradient.
constexpr Index terms = 4, all_terms = 3 * terms;

bool starts_at_centre(const double* readout, Index samples, int dims) {
  double edge = 0, start = 0;
  for (int axis = 0; axis < dims; ++axis) {
    start += readout[axis] * readout[axis];
    for (Index r = 0; r < samples; ++r) edge = std::max(edge, std::abs(readout[r * dims + axis]));
  }
  return std::sqrt(start) < 1e-2 * edge;
}

}  // namespace

GradientResponse::GradientResponse(View<const Complex> file) {
  const Index rows = file.shape().rank() == 2 ? file.shape()[0] : 0;
  crosses_ = rows == 1 + all_terms;
  if ((!crosses_ && (rows < 2 || rows > 4)) || file.shape()[1] < 2)
    throw input_error(
        "gradient response of shape {}, expected [rows, frequencies]: a row of frequencies in Hz, then one "
        "for each axis or for all, or twelve: B0, x, y, z of each gradient x, y, z",
        file.shape().to_string());
  const Index count = file.shape()[1];
  require_representable("frequencies of the gradient response", file.slice(0));
  require_comparable("gradient response, without the row of frequencies", file.slices(1, rows - 1));
  for (Index i = 0; i < count; ++i) {
    if (i > 0 && !(file[i].real() > file[i - 1].real()))
      throw input_error("gradient response: frequency {} Hz at {} does not exceed the one before",
                        file[i].real(), i);
    hz_.push_back(file[i].real());
  }
  if (!(hz_.front() < 0 && hz_.back() > 0))
    throw input_error("gradient response from {} to {} Hz, expected frequencies below and above 0",
                      hz_.front(), hz_.back());
  for (Index row = 1; row < rows; ++row)
    transfer_.emplace_back(file.data() + row * count, file.data() + (row + 1) * count);
}

Complex GradientResponse::at(std::size_t row, double hz) const {
  if (hz < hz_.front() || hz > hz_.back()) return 0;
  const auto upper = std::clamp<std::ptrdiff_t>(std::lower_bound(hz_.begin(), hz_.end(), hz) - hz_.begin(), 1,
                                                static_cast<std::ptrdiff_t>(hz_.size()) - 1);
  const auto high = static_cast<std::size_t>(upper), low = high - 1;
  const double t = (hz - hz_[low]) / (hz_[high] - hz_[low]);
  return (1 - t) * transfer_[row][low] + t * transfer_[row][high];
}

std::vector<double> GradientResponse::apply(double* readout, Index samples, int dims, double dwell_us,
                                            const std::array<double, 3>& pixel_mm) const {
  if (transfer_.size() > 1 && static_cast<int>(transfer_.size()) < dims)
    throw input_error("gradient response has {} axes, but the trajectory {}", transfer_.size(), dims);
  if (!(dwell_us > 0))
    throw input_error("gradient response: it needs the sample time of the readouts, which is unknown");
  std::vector<double> cycles(crosses_ ? static_cast<std::size_t>(samples) : 0, 0.0);
  if (samples < 2) return cycles;
  const bool from_centre = starts_at_centre(readout, samples, dims);
  const auto margin = static_cast<Index>(std::ceil(margin_us / dwell_us));
  const Index length = fast_fft_size(samples + 2 * margin);
  const LineFft<double> forward(length, 1, FftSign::forward), backward(length, 1, FftSign::backward);
  Array<Complex> waveform({length}), requested({length}), spectrum({length});
  const double step_hz = 1e6 / (static_cast<double>(length) * dwell_us);
  std::vector<double> moved(static_cast<std::size_t>(samples * dims), 0.0);

  for (int axis = 0; axis < dims; ++axis) {
    const auto k = [&](Index r) { return readout[r * dims + axis]; };
    const double before = from_centre ? 0 : k(1) - k(0), after = k(samples - 1) - k(samples - 2);
    const auto continued = [&](Index r) {
      if (r < 0) return k(0) + static_cast<double>(r) * before;
      if (r >= samples) return k(samples - 1) + static_cast<double>(r - samples + 1) * after;
      return k(r);
    };
    // The response to a straight line follows from H and its slope at 0; the remainder is 0 at both ends.
    const double first = continued(-margin), last = continued(length - 1 - margin);
    const double slope = (last - first) / static_cast<double>(length - 1);
    for (Index i = 0; i < length; ++i)
      waveform[i] = continued(i - margin) - first - slope * static_cast<double>(i);
    forward.execute(waveform.data(), requested.data());
    // Adds the response of a row, times a factor, to values that are `stride` apart.
    const auto add = [&](std::size_t row, double factor, double* values, int stride) {
      for (Index i = 0; i < length; ++i) {
        const Index frequency = i < (length + 1) / 2 ? i : i - length;
        spectrum[i] =
            requested[i] * at(row, static_cast<double>(frequency) * step_hz) / static_cast<double>(length);
      }
      backward.execute(spectrum.data(), waveform.data());
      const double still = at(row, 0).real();
      const Complex rise = (at(row, step_hz) - at(row, -step_hz)) / (2 * step_hz);
      const double ahead = (rise / Complex(0, 2 * pi)).real() * 1e6 / dwell_us;  // in samples
      for (Index r = 0; r < samples; ++r)
        values[r * stride] +=
            factor * (waveform[r + margin].real() +
                      still * (first + slope * static_cast<double>(r + margin)) + slope * ahead);
    };
    const auto of_axis = static_cast<std::size_t>(axis);
    if (!crosses_) {
      add(transfer_.size() > 1 ? of_axis : 0, 1, moved.data() + axis, dims);
      continue;
    }
    const auto rows = static_cast<std::size_t>(terms) * of_axis;
    add(rows, 1e3 / pixel_mm[of_axis], cycles.data(), 1);
    for (int to = 0; to < dims; ++to) {
      const auto of_other = static_cast<std::size_t>(to);
      add(rows + 1 + of_other, pixel_mm[of_other] / pixel_mm[of_axis], moved.data() + to, dims);
    }
  }
  std::copy(moved.begin(), moved.end(), readout);
  return cycles;
}

}  // namespace larmor
