#pragma once

#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <functional>
#include <initializer_list>
#include <optional>

namespace larmor::nufft {

/// Whether a normal operator is to be a convolution with a point-spread function, as far as the options tell:
/// asked for, or applied so often that the function's set-up pays.
bool wants_toeplitz(const NormalOptions& options);

/// The form of a normal operator: the first of `forms`, the fastest first, whose tables and scratch fit
/// options.byte_limit. Nothing when none does or none is wanted; when Toeplitz::on asks for one, the last.
std::optional<ToeplitzForm> choose_toeplitz_form(const NormalOptions& options,
                                                 std::initializer_list<ToeplitzForm> forms,
                                                 const std::function<std::size_t(ToeplitzForm)>& bytes_of);

/// Accuracy of the point-spread function of a transform of this tolerance: its error is the normal
/// operator's, in every apply, so it is ten times smaller.
double psf_tolerance(double nufft_tolerance);

}  // namespace larmor::nufft
