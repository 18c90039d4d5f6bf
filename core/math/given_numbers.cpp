#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace LARMOR_API larmor {
namespace {

template <typename T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return fmt::format("{:.4g}", value);
  else
    return value.imag() == 0 ? fmt::format("{:.4g}", value.real())
                             : fmt::format("{:.4g}{:+.4g}i", value.real(), value.imag());
}

// Magnitudes of an array: the largest, where it is, and their sum.
struct Magnitudes {
  double largest = 0, sum = 0;
  Index at = 0;
};

template <typename T>
Magnitudes representable(const std::string& name, View<const T> numbers) {
  Magnitudes found;
  for (Index i = 0; i < numbers.size(); ++i) {
    const auto magnitude = static_cast<double>(std::abs(std::complex<double>(numbers[i])));
    if (!std::isfinite(magnitude))
      throw input_error("{}: {} at {}, expected finite numbers", name, number_text(numbers[i]),
                        element_text(numbers.shape(), i));
    found.sum += magnitude;
    if (magnitude > found.largest) found.largest = magnitude, found.at = i;
  }
  if (found.largest > 0 && (found.largest < least_magnitude || found.largest > most_magnitude))
    throw input_error("{}: magnitudes of up to {:.2g}, at {}, expected {:g} to {:g}: scale the numbers", name,
                      found.largest, element_text(numbers.shape(), found.at), least_magnitude,
                      most_magnitude);
  return found;
}

}  // namespace

std::string element_text(const Shape& shape, Index element) {
  Shape place = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return place.to_string();
}

template <typename T>
void require_representable(const std::string& name, View<const T> numbers) {
  representable(name, numbers);
}

template <typename T>
void require_comparable(const std::string& name, View<const T> numbers) {
  const Magnitudes found = representable(name, numbers);
  const double mean =
      (found.sum - found.largest) / static_cast<double>(std::max<Index>(numbers.size() - 1, 1));
  if (found.largest * static_cast<double>(std::numeric_limits<float>::epsilon()) > mean && mean > 0)
    throw input_error("{}: {} at {}, but the mean magnitude of the others is only {:.2g}: correct it", name,
                      number_text(numbers[found.at]), element_text(numbers.shape(), found.at), mean);
}

template <typename T>
void warn_of_vanishing(const std::string& name, View<const T> numbers, Reporter& reporter) {
  double largest = 0;
  for (const T number : numbers) largest = std::max(largest, static_cast<double>(std::abs(number)));
  const double least = largest * static_cast<double>(std::numeric_limits<float>::epsilon());
  const auto vanishes = [least](const T number) {
    const auto magnitude = static_cast<double>(std::abs(number));
    return magnitude > 0 && magnitude < least;
  };
  if (std::any_of(numbers.begin(), numbers.end(), vanishes))
    reporter.warning(fmt::format(
        "{}: numbers below {:.2g} vanish in single precision beside the largest, {:.2g}: correct the large "
        "ones, or set the small ones to 0",
        name, least, largest));
}

template void require_representable<double>(const std::string&, View<const double>);
template void require_representable<std::complex<float>>(const std::string&, View<const std::complex<float>>);
template void require_representable<std::complex<double>>(const std::string&,
                                                          View<const std::complex<double>>);
template void require_comparable<float>(const std::string&, View<const float>);
template void require_comparable<double>(const std::string&, View<const double>);
template void require_comparable<std::complex<float>>(const std::string&, View<const std::complex<float>>);
template void require_comparable<std::complex<double>>(const std::string&, View<const std::complex<double>>);
template void warn_of_vanishing<double>(const std::string&, View<const double>, Reporter&);
template void warn_of_vanishing<std::complex<float>>(const std::string&, View<const std::complex<float>>,
                                                     Reporter&);

}  // namespace larmor
