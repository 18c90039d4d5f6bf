#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <complex>
#include <cstddef>

namespace larmor::nufft::cuda {

/// A zero-padded convolution with a real spectrum; axes in the order x, y, z, those that the problem lacks of
/// length 1. The outermost axis of 2D and 3D is padded in shared memory, inner ones are padded on the grid or
/// (low memory) transformed once for the even and once for the odd frequencies of the padded length.
/// 1D: padded on the grid; a length beyond longest_line takes a plan of make_long_line_plan(padded, lanes,
/// lanes). 2D and 3D: no length beyond longest_line.
template <typename T>
struct ToeplitzPasses {
  int dims = 1;
  bool low_memory = false;
  int image[3] = {1, 1, 1}, padded[3] = {1, 1, 1};  ///< padded >= 2·image − 1; low memory: even inner axes
  larmor::cuda::LineFft<T> line[3];                 ///< of the lengths that line_length() says
  /// Low memory, inner axes: exp(−2πi n / padded) for n = 0 … image − 1, device memory.
  const std::complex<T>* phase[2] = {nullptr, nullptr};
  /// Frequency (fx, fy, fz) at (fy·padded[0] + fx)·padded[2] + fz in 3D, fx·padded[1] + fy in 2D: the
  /// outermost axis fastest; times 1/Πpadded; 16-byte aligned, as device memory is.
  const T* spectrum = nullptr;
  int long_plan = 0;          ///< cufftHandle, 1D
  void* long_work = nullptr;  ///< device memory, its work area

  /// Length of an axis's transforms: 1D and outermost padded[axis], others that of the grid.
  int line_length(int axis) const {
    return axis < dims - 1 && low_memory && padded[axis] > 1 ? padded[axis] / 2 : padded[axis];
  }
  /// Length of an axis on the grid.
  int grid_length(int axis) const { return dims > 1 && axis == dims - 1 ? image[axis] : line_length(axis); }
};

/// Grid for `blocks` blocks of coils at a time.
template <typename T>
std::size_t toeplitz_scratch_bytes(const ToeplitzPasses<T>& passes, int lanes, int blocks);

/// y (+)= T x for images [coil][z][y][x]; with maps [coil][z][y][x], y (+)= Σ_c conj(m_c) T (m_c x) for one
/// image, in a fixed order. Coils go through the scratch grid `blocks` blocks at a time.
template <typename T>
void toeplitz_apply(const ToeplitzPasses<T>& passes, const std::complex<T>* x, const std::complex<T>* maps,
                    std::complex<T>* y, const Coils& coils, int blocks, std::complex<T>* scratch,
                    bool accumulate, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
