#pragma once

#include <larmor/operators/linear_operator.hpp>

#include <cstddef>

namespace larmor::nufft {

/// True if the options call for the normal operator to be a convolution with a point-spread function:
/// requested, or applied often enough for the set-up to pay off.
bool wants_toeplitz(const NormalOptions& options);

/// True if, in addition, its tables and scratch, `bytes`, fit options.byte_limit, or Toeplitz::on requires
/// it.
bool takes_toeplitz(const NormalOptions& options, std::size_t bytes);

/// Accuracy of the point-spread function of a transform with this tolerance: its error enters every
/// application of the normal operator, so it is ten times smaller.
double psf_tolerance(double nufft_tolerance);

}  // namespace larmor::nufft
