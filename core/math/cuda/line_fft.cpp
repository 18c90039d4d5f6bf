#include <larmor/core/math/cuda/line_fft.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>

namespace larmor::cuda {
namespace {

constexpr LineRadices fixed_lines[] = {
#define LARMOR_RADICES(R1, R2, R3, threads) {R3 > 1 ? 3 : 2, {R1, R2, R3}},
    LARMOR_FIXED_LINES(LARMOR_RADICES)
#undef LARMOR_RADICES
};

int product(const LineRadices& radices) {
  int n = 1;
  for (int s = 0; s < radices.stages; ++s) n *= radices.radix[s];
  return n;
}

const LineRadices* fixed_line(int n) {
  for (const auto& radices : fixed_lines)
    if (product(radices) == n) return &radices;
  return nullptr;
}

struct Factorisation {
  double cost = std::numeric_limits<double>::infinity();
  LineRadices radices;
};

// The cheapest radices of a smooth length. A stage costs an exchange and arithmetic that grows with the
// logarithm of its radix, faster for the odd primes.
const Factorisation& factorise(int n, std::map<int, Factorisation>& known) {
  if (const auto found = known.find(n); found != known.end()) return found->second;
  Factorisation best;
  if (n == 1) best.cost = 0;
  for (const int radix : {16, 10, 9, 8, 7, 6, 5, 4, 3, 2}) {
    if (n % radix != 0) continue;
    const Factorisation& rest = factorise(n / radix, known);
    const double odd = radix % 7 == 0 ? 1.5 : radix % 5 == 0 ? 1.3 : radix % 3 == 0 ? 1.15 : 1.0;
    const double cost = rest.cost + 4 + odd * std::log2(radix);
    if (cost >= best.cost || rest.radices.stages == LineRadices::most) continue;
    best = {cost, {1, {radix}}};
    for (int s = 0; s < rest.radices.stages; ++s)
      best.radices.radix[best.radices.stages++] = rest.radices.radix[s];
  }
  return known.emplace(n, best).first->second;
}

Factorisation factorise(int n) {
  static std::mutex mutex;
  static std::map<int, Factorisation> known;
  const std::lock_guard lock(mutex);
  return factorise(n, known);
}

int padded_to_even(int n) {
  return n + n % 2;
}

template <typename T>
std::size_t twiddle_count(int n) {
  const LineRadices radices = line_radices(n);
  std::size_t count = 0;
  for (int s = 0, length = n; s + 1 < radices.stages; ++s) {
    length /= radices.radix[s];
    count += static_cast<std::size_t>(length) * static_cast<std::size_t>(padded_to_even(radices.radix[s]));
  }
  return count;
}

// For n > 1, as fast_line_length().
int cheapest_length(int n) {
  const long long least = n, most = least + std::max(n / 8, 32);
  long long best = 0;
  double best_cost = std::numeric_limits<double>::infinity();
  // For each odd factor, only its smallest even multiple by a power of two that is at least n, if it is not
  // too long.
  for (long long sevens = 1; sevens <= most; sevens *= 7)
    for (long long fives = sevens; fives <= most; fives *= 5)
      for (long long odd = fives; odd <= most; odd *= 3) {
        long long m = 2 * odd;
        while (m < least) m *= 2;
        if (m > most) continue;
        double cost = static_cast<double>(m);
        if (m > longest_line)
          cost *= m % 7 == 0 ? 1.1 : 1.0;
        else if (!fixed_line(static_cast<int>(m)))
          cost *= 1.0 + 0.04 * factorise(static_cast<int>(m)).cost;
        if (cost < best_cost) best_cost = cost, best = m;
      }
  return static_cast<int>(best);
}

}  // namespace

bool is_fixed_line(int n) {
  return fixed_line(n) != nullptr;
}

LineRadices line_radices(int n) {
  const LineRadices* fixed = fixed_line(n);
  return fixed ? *fixed : factorise(n).radices;
}

int fast_line_length(int n) {
  if (n <= 1) return 1;
  static std::mutex mutex;
  static std::map<int, int> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(n, 0);
  if (is_new) entry->second = cheapest_length(n);
  return entry->second;
}

template <typename T>
std::size_t line_table_bytes(int n) {
  return twiddle_count<T>(n) * sizeof(std::complex<T>) + static_cast<std::size_t>(n) * sizeof(int);
}

template <typename T>
void fill_line_tables(int n, void* tables) {
  const LineRadices radices = line_radices(n);
  auto* twiddle = static_cast<std::complex<T>*>(tables);
  for (int s = 0, length = n; s + 1 < radices.stages; ++s) {
    const int radix = radices.radix[s], next = length / radix;
    for (int j = 0; j < next; ++j)
      for (int k = 0; k < padded_to_even(radix); ++k)
        *twiddle++ =
            std::complex<T>(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j) * k / length));
    length = next;
  }
  // Frequency k1 + R1·(k2 + R2·(…)) ends at position (k1·R2 + k2)·R3 + …
  auto* position = reinterpret_cast<int*>(twiddle);
  for (int frequency = 0; frequency < n; ++frequency) {
    int rest = frequency, at = 0;
    for (int s = 0; s < radices.stages; ++s) {
      at = at * radices.radix[s] + rest % radices.radix[s];
      rest /= radices.radix[s];
    }
    position[frequency] = at;
  }
}

template <typename T>
LineFft<T> line_fft(int n, const void* device_tables) {
  LineFft<T> fft;
  fft.length = n;
  fft.radices = line_radices(n);
  fft.twiddles = static_cast<const std::complex<T>*>(device_tables);
  fft.position = reinterpret_cast<const int*>(fft.twiddles + twiddle_count<T>(n));
  return fft;
}

#define LARMOR_INSTANTIATE(T)                    \
  template std::size_t line_table_bytes<T>(int); \
  template void fill_line_tables<T>(int, void*); \
  template LineFft<T> line_fft<T>(int, const void*);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::cuda
