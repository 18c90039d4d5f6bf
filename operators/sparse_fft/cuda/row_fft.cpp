#include <larmor/operators/sparse_fft/cuda/row_fft.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace larmor::sparse_fft::cuda {
namespace {

using larmor::cuda::LineRadices;

// Places of values in shared memory, by their digits.
struct Layout {
  LineRadices radices;
  int pads[LineRadices::most] = {};
  int steps[LineRadices::most] = {};
  int places = 1;

  void choose_steps() {
    int size = 1;
    for (int s = radices.stages - 1; s >= 0; --s) {
      steps[s] = size + pads[s];
      size = radices.radix[s] * steps[s];
    }
    places = size;
  }
  int place(int e) const {
    int at = 0;
    for (int s = radices.stages - 1; s >= 0; --s) {
      at += e % radices.radix[s] * steps[s];
      e /= radices.radix[s];
    }
    return at;
  }
};

// First value of butterfly b of a stage on blocks of `block` values.
int first_value(int b, int block, int radix) {
  const int next = block / radix;
  return b / next * block + b % next;
}

// Index of the value that holds frequency f = k1 + R1 (k2 + R2 (…)) after all stages: (k1 R2 + k2) R3 + …
int value_of(int f, const LineRadices& radices) {
  int at = 0;
  for (int s = 0; s < radices.stages; ++s) {
    at = at * radices.radix[s] + f % radices.radix[s];
    f /= radices.radix[s];
  }
  return at;
}

// Number of bank conflicts between threads that run together, over some of a row's accesses. An access of 128
// bytes uses every bank of shared memory once.
int conflicts(const Layout& layout, int length, bool convolves, int value_bytes) {
  const int lanes = 128 / value_bytes;
  int total = 0, block = length;
  const auto count = [&](int radix, const auto& place_of) {
    constexpr int groups = 24;
    const int butterflies = length / radix, stride = std::max(1, butterflies / lanes / groups) * lanes;
    for (int first = 0; first < butterflies; first += stride) {
      int uses[16] = {}, most = 0;
      for (int b = first; b < std::min(first + lanes, butterflies); ++b)
        most = std::max(most, ++uses[place_of(b) % lanes]);
      total += (most - 1) * radix;
    }
  };
  for (int s = 0; s < layout.radices.stages; ++s) {
    const int radix = layout.radices.radix[s];
    if (s + 1 == layout.radices.stages && !convolves)
      count(radix, [&](int b) { return layout.place(value_of(b, layout.radices)); });
    else
      count(radix, [&](int b) { return layout.place(first_value(b, block, radix)); });
    block /= radix;
  }
  return total;
}

Layout chosen_layout(int length, bool convolves, int value_bytes) {
  Layout layout;
  layout.radices = larmor::cuda::line_radices(length);
  layout.choose_steps();
  for (int round = 0; round < 2; ++round)
    for (int s = layout.radices.stages - 2; s >= 0; --s) {
      int best = 0;
      double fewest = std::numeric_limits<double>::infinity();
      for (int pad = 0; pad < 16; ++pad) {
        layout.pads[s] = pad;
        layout.choose_steps();
        if (layout.places > length + length / 8) break;
        const double cost = conflicts(layout, length, convolves, value_bytes) + 1e-6 * layout.places;
        if (cost < fewest) fewest = cost, best = pad;
      }
      layout.pads[s] = best;
      layout.choose_steps();
    }
  return layout;
}

}  // namespace

template <typename T>
RowFftTables<T> make_row_fft(int length, bool convolves) {
  const Layout layout = chosen_layout(length, convolves, 2 * sizeof(T));
  RowFftTables<T> tables;
  tables.fft.length = length;
  tables.fft.radices = layout.radices;
  tables.fft.places = layout.places;
  std::copy(std::begin(layout.steps), std::end(layout.steps), tables.fft.steps);
  int block = length, radix = 1;
  for (int s = 0; s < layout.radices.stages; ++s) {
    radix = layout.radices.radix[s];
    const int next = block / radix;
    for (int b = 0; b < length / radix; ++b)
      tables.begin.push_back(layout.place(first_value(b, block, radix)));
    if (s + 1 < layout.radices.stages)
      for (int p = 0; p < twiddle_rows(radix); ++p)
        for (int j = 0; j < next; ++j)
          tables.twiddles.emplace_back(
              std::polar(1.0, -2 * std::numbers::pi * std::fmod(std::ldexp(j, p), block) / block));
    block = next;
  }
  for (int f = 0; f < length / radix; ++f) {
    const int value = value_of(f, layout.radices);
    tables.begin.push_back(layout.place(value));
    tables.butterfly.push_back(value / radix);
  }
  return tables;
}

template RowFftTables<float> make_row_fft(int, bool);
template RowFftTables<double> make_row_fft(int, bool);

}  // namespace larmor::sparse_fft::cuda
