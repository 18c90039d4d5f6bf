#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/reporter.hpp>

#include <string>

namespace LARMOR_API larmor {

/// Magnitudes of samples and images whose squares and products single precision can represent.
inline constexpr double least_magnitude = 1e-10, most_magnitude = 1e15;

/// The index of an element along each axis: "[12, 5]".
std::string element_text(const Shape& shape, Index element);

/// Throws Error (input), with the element and its value, if a number of a given array is not finite, or if
/// the largest magnitude is neither 0 nor from least_magnitude to most_magnitude. name: begins the message.
/// T: float, double or complex.
template <typename T>
void require_representable(const std::string& name, View<const T> numbers);

/// The same, and no number may be so large that the others, at their mean magnitude, vanish beside it in
/// single precision: for arrays of one quantity, such as weights or coil maps. A single nonzero number is
/// accepted.
template <typename T>
void require_comparable(const std::string& name, View<const T> numbers);

/// Warns if numbers other than 0 vanish beside the largest in single precision. For arrays in which a large
/// group of numbers may be wrong, so that no mean tells which group is. T: double or std::complex<float>.
template <typename T>
void warn_of_vanishing(const std::string& name, View<const T> numbers, Reporter& reporter);

}  // namespace larmor
