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

}  // namespace

GradientResponse::GradientResponse(View<const Complex> file) {
  if (file.shape().rank() != 2 || file.shape()[0] < 2 || file.shape()[0] > 4 || file.shape()[1] < 2)
    throw input_error(
        "gradient response of shape {}, expected [1 + axes, frequencies]: a row of frequencies in Hz, then "
        "one for "
        "each axis or for all",
        file.shape().to_string());
  const Index count = file.shape()[1];
  require_representable("frequencies of the gradient response", file.slice(0));
  require_comparable("gradient response, without the row of frequencies",
                     file.slices(1, file.shape()[0] - 1));
  for (Index i = 0; i < count; ++i) {
    if (i > 0 && !(file[i].real() > file[i - 1].real()))
      throw input_error("gradient response: frequency {} Hz at {} does not exceed the one before",
                        file[i].real(), i);
    hz_.push_back(file[i].real());
  }
  if (!(hz_.front() < 0 && hz_.back() > 0))
    throw input_error("gradient response from {} to {} Hz, expected frequencies below and above 0",
                      hz_.front(), hz_.back());
  for (Index axis = 1; axis < file.shape()[0]; ++axis)
    transfer_.emplace_back(file.data() + axis * count, file.data() + (axis + 1) * count);
}

Complex GradientResponse::at(std::size_t axis, double hz) const {
  if (hz < hz_.front() || hz > hz_.back()) return 0;
  const auto upper = std::clamp<std::ptrdiff_t>(std::lower_bound(hz_.begin(), hz_.end(), hz) - hz_.begin(), 1,
                                                static_cast<std::ptrdiff_t>(hz_.size()) - 1);
  const auto high = static_cast<std::size_t>(upper), low = high - 1;
  const double t = (hz - hz_[low]) / (hz_[high] - hz_[low]);
  return (1 - t) * transfer_[axis][low] + t * transfer_[axis][high];
}

void GradientResponse::apply(double* readout, Index samples, int dims, double dwell_us) const {
  if (transfer_.size() > 1 && static_cast<int>(transfer_.size()) < dims)
    throw input_error("gradient response has {} axes, but the trajectory {}", transfer_.size(), dims);
  if (!(dwell_us > 0))
    throw input_error("gradient response: it needs the sample time of the readouts, which is unknown");
  if (samples < 2) return;
  double edge = 0, start = 0;
  for (int axis = 0; axis < dims; ++axis) {
    start += readout[axis] * readout[axis];
    for (Index r = 0; r < samples; ++r) edge = std::max(edge, std::abs(readout[r * dims + axis]));
  }
  const bool from_centre = std::sqrt(start) < 1e-2 * edge;
  const auto margin = static_cast<Index>(std::ceil(margin_us / dwell_us));
  const Index length = fast_fft_size(samples + 2 * margin);
  const LineFft<double> forward(length, 1, FftSign::forward), backward(length, 1, FftSign::backward);
  Array<Complex> waveform({length}), spectrum({length});
  const double seconds = dwell_us * 1e-6;

  for (int axis = 0; axis < dims; ++axis) {
    const auto k = [&](Index r) { return readout[r * dims + axis]; };
    const double before = from_centre ? 0 : k(1) - k(0), after = k(samples - 1) - k(samples - 2);
    const auto continued = [&](Index r) {
      if (r < 0) return k(0) + static_cast<double>(r) * before;
      if (r >= samples) return k(samples - 1) + static_cast<double>(r - samples + 1) * after;
      return k(r);
    };
    // A straight line is delayed by the slope of the phase of H at 0; the remainder is 0 at both ends.
    const double first = continued(-margin), last = continued(length - 1 - margin);
    const double slope = (last - first) / static_cast<double>(length - 1);
    for (Index i = 0; i < length; ++i)
      waveform[i] = continued(i - margin) - first - slope * static_cast<double>(i);
    forward.execute(waveform.data(), spectrum.data());
    const std::size_t row = transfer_.size() > 1 ? static_cast<std::size_t>(axis) : 0;
    for (Index i = 0; i < length; ++i) {
      const Index frequency = i < (length + 1) / 2 ? i : i - length;
      spectrum[i] *= at(row, static_cast<double>(frequency) / (static_cast<double>(length) * seconds)) /
                     static_cast<double>(length);
    }
    backward.execute(spectrum.data(), waveform.data());
    const double step = 1 / (static_cast<double>(length) * seconds);
    const Complex still = at(row, 0);
    const double delay = -std::arg(at(row, step) * std::conj(at(row, -step))) / (4 * pi * step) / seconds;
    for (Index r = 0; r < samples; ++r)
      readout[r * dims + axis] = waveform[r + margin].real() +
                                 still.real() * (first + slope * (static_cast<double>(r + margin) - delay));
  }
}

}  // namespace larmor
