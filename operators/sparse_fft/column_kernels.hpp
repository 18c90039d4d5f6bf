#pragma once

#include <complex>
#include <cstdint>
#include <larmor/core/cuda/host_device.hpp>

// Sums stay in registers of a GPU only if the compiler unrolls the loops over them.
#ifdef __CUDA_ARCH__
#define LARMOR_UNROLL _Pragma("unroll")
#else
#define LARMOR_UNROLL
#endif

namespace larmor::sparse_fft {

// Shared by the loops of the CPU and the kernels of the GPU.

/// Rows of a partial column transform that are summed together: two halves around a centre between two rows.
inline constexpr int half_block = 8, block_rows = 2 * half_block;

/// Sums over a column's entries for the frequencies u = centre ± (j + ½), j = 0 … half_block − 1, of
///   exp(−2πi u r / R) = p (cos (j + ½)θ ∓ i sin (j + ½)θ),  p = exp(−2πi centre r / R),  θ = 2πr / R:
/// four multiply-adds for two frequencies, and cosines and sines that all blocks of rows share.
template <typename T>
struct BlockSums {
  T even_re[half_block] = {}, even_im[half_block] = {}, odd_re[half_block] = {}, odd_im[half_block] = {};

  /// p = re + i·im, times the entry's value
  LARMOR_HOST_DEVICE void add(T re, T im, const T (&cosines)[half_block], const T (&sines)[half_block]) {
    LARMOR_UNROLL
    for (int j = 0; j < half_block; ++j) {
      even_re[j] += re * cosines[j];
      even_im[j] += im * cosines[j];
      odd_re[j] += im * sines[j];
      odd_im[j] -= re * sines[j];
    }
  }
  /// Row k of the block, 0 … block_rows − 1.
  LARMOR_HOST_DEVICE T re(int k) const {
    return k < half_block ? even_re[half_block - 1 - k] - odd_re[half_block - 1 - k]
                          : even_re[k - half_block] + odd_re[k - half_block];
  }
  LARMOR_HOST_DEVICE T im(int k) const {
    return k < half_block ? even_im[half_block - 1 - k] - odd_im[half_block - 1 - k]
                          : even_im[k - half_block] + odd_im[k - half_block];
  }
};

/// Destination of the rows [first, first + count) of a spectrum, and with real entries of those of the
/// opposite frequencies, F[R − u][C − v] = conj F[u][v], in ascending order too: row R − u is row first +
/// count − 1 − u of `mirrored`.
template <typename T>
struct SpectrumRows {
  T* direct = nullptr;    ///< [count][width] complex values; null: not requested
  T* mirrored = nullptr;  ///< the same; null: not requested
  std::int64_t rows = 0, columns = 0, width = 0, first = 0, count = 0;
};

/// Contribution of a row to a summary.
struct RowSummary {
  double energy = 0;        ///< Σ_v |F[u][v]|²
  double peak = -1;         ///< largest |F[u][v]|² except at the spectrum's origin; −1: no other values
  std::int64_t column = 0;  ///< of the peak, the first of equal ones

  LARMOR_HOST_DEVICE void take(double square, std::int64_t at, bool origin) {
    energy += square;
    if (!origin && (square > peak || (square == peak && at < column))) {
      peak = square;
      column = at;
    }
  }
  LARMOR_HOST_DEVICE void take(const RowSummary& other) {
    energy += other.energy;
    if (other.peak > peak || (other.peak == peak && other.column < column)) {
      peak = other.peak;
      column = other.column;
    }
  }
};

}  // namespace larmor::sparse_fft
