#pragma once

#include <larmor/operators/linear_operator.hpp>

namespace larmor {

/// Copies an array into another of the same rank so that index ⌊N/2⌋ of each axis goes to ⌊M/2⌋; values
/// outside are omitted, and missing values are zero.
template <typename T>
void copy_centred(View<const std::complex<T>> in, View<std::complex<T>> out, Context& ctx, Write write);

/// out = factor · in, each of the last `rank` axes rotated periodically until index ⌊N/2⌋ is the first, or,
/// not `to_origin`, back.
template <typename T>
void copy_rolled(View<const std::complex<T>> in, View<std::complex<T>> out, int rank, bool to_origin,
                 double factor, Context& ctx, Write write);

}  // namespace larmor
