#include <larmor/operators/sparse_fft/cuda/kernels.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace larmor::sparse_fft::cuda {
namespace {

int last_radix(const larmor::cuda::LineRadices& radices) {
  return radices.stages > 0 ? radices.radix[radices.stages - 1] : 1;
}

std::size_t twiddle_count(const larmor::cuda::LineRadices& radices, int length) {
  std::size_t count = 0;
  for (int s = 0; s + 1 < radices.stages; ++s) {
    length /= radices.radix[s];
    count += static_cast<std::size_t>(twiddle_rows(radices.radix[s])) * static_cast<std::size_t>(length);
  }
  return count;
}

}  // namespace

int row_shift(int length) {
  const auto radices = larmor::cuda::line_radices(length);
  const int apart = radices.stages > 0 ? length / radices.radix[0] : 1;
  return apart > 1 ? std::bit_width(static_cast<unsigned>(apart)) - 1 : 31;
}

template <typename T>
std::vector<std::byte> row_tables(int length) {
  const auto radices = larmor::cuda::line_radices(length);
  std::vector<std::complex<T>> twiddles;
  for (int s = 0, block = length; s + 1 < radices.stages; ++s) {
    const int next = block / radices.radix[s];
    for (int p = 0; p < twiddle_rows(radices.radix[s]); ++p)
      for (int j = 0; j < next; ++j)
        twiddles.emplace_back(
            std::polar(1.0, -2 * std::numbers::pi * std::fmod(std::ldexp(j, p), block) / block));
    block = next;
  }
  // Frequency k1 + R1 (k2 + R2 (…)) ends at (k1 R2 + k2) R3 + …
  std::vector<int> places(static_cast<std::size_t>(length / last_radix(radices)));
  for (int f = 0; f < static_cast<int>(places.size()); ++f) {
    int rest = f, at = 0;
    for (int s = 0; s < radices.stages; ++s) {
      at = at * radices.radix[s] + rest % radices.radix[s];
      rest /= radices.radix[s];
    }
    places[static_cast<std::size_t>(f)] = at;
  }
  const std::size_t bytes = twiddles.size() * sizeof(std::complex<T>);
  std::vector<std::byte> tables(bytes + places.size() * sizeof(int));
  std::memcpy(tables.data(), twiddles.data(), bytes);
  std::memcpy(tables.data() + bytes, places.data(), places.size() * sizeof(int));
  return tables;
}

template <typename T>
RowFft<T> row_fft(int length, const std::byte* device_tables) {
  RowFft<T> fft;
  fft.length = length;
  fft.shift = row_shift(length);
  fft.radices = larmor::cuda::line_radices(length);
  fft.twiddles = reinterpret_cast<const std::complex<T>*>(device_tables);
  fft.place = reinterpret_cast<const int*>(fft.twiddles + twiddle_count(fft.radices, length));
  return fft;
}

template std::vector<std::byte> row_tables<float>(int);
template std::vector<std::byte> row_tables<double>(int);
template RowFft<float> row_fft(int, const std::byte*);
template RowFft<double> row_fft(int, const std::byte*);

}  // namespace larmor::sparse_fft::cuda
