#pragma once

#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <functional>
#include <initializer_list>
#include <optional>

namespace larmor::nufft {

/// True if the options call for the normal operator to be a convolution with a point-spread function:
/// requested, or applied often enough for the set-up to pay off.
bool wants_toeplitz(const NormalOptions& options);

/// The form of a normal operator: the first of `forms`, fastest first, whose tables and scratch fit
/// options.byte_limit. Nothing if none does or none is wanted; if Toeplitz::on requires one, the last.
std::optional<ToeplitzForm> choose_toeplitz_form(const NormalOptions& options,
                                                 std::initializer_list<ToeplitzForm> forms,
                                                 const std::function<std::size_t(ToeplitzForm)>& bytes_of);

/// Accuracy of the point-spread function of a transform with this tolerance: its error enters every
/// application of the normal operator, so it is ten times smaller.
double psf_tolerance(double nufft_tolerance);

}  // namespace larmor::nufft
