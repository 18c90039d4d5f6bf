#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// Compression matrices that follow the coils' geometry (Zhang et al. 2013): the principal components of each
/// position along an axis that is sampled on a Cartesian grid and has been Fourier transformed (z of a stack,
/// x of a Cartesian readout), where fewer coils matter than in the whole volume. hybrid [positions, coils,
/// samples], whitened. Rows of neighbouring positions are rotated into each other as far as possible, so that
/// virtual coils vary smoothly along the axis. Result [positions, virtual_coils, coils], each position's rows
/// orthonormal; white noise stays white. Positions without signal take the matrix of their neighbour. Throws
/// Error (usage) if virtual_coils is not in 1 … coils, Error (input) if all samples are zero.
Array<std::complex<double>> geometric_compression(View<const std::complex<float>> hybrid, Index virtual_coils,
                                                  Context& ctx);

/// Multiplies the samples of each position [positions, coils, samples] with its matrix [positions,
/// virtual_coils, coils]. The same matrices apply to coil maps [positions, coils, pixels].
Array<std::complex<float>> compress_positions(View<const std::complex<double>> matrices,
                                              View<const std::complex<float>> hybrid, Context& ctx);

}  // namespace larmor
