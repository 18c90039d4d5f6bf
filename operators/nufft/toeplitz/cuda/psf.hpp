#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstdint>

namespace larmor::nufft::cuda {

// Steps from a trajectory to the spectrum of its point-spread function, in double; see toeplitz_spectrum.cpp.

/// weights[j] = density_j exp(2πi k_j·start), density null: 1
void modulate(const double* trajectory, const double* density, std::int64_t samples, int dims,
              const std::int64_t* start, std::complex<double>* weights, larmor::cuda::Stream stream);

/// Where a block of shifts lies in the array of all shifts; axes x, y, z, lengths 1 beyond dims.
struct PsfBlock {
  int dims;
  std::int64_t image[3], padded[3], start[3];
};
/// half[outer][wrapped inner shifts] = block[z][y][x]; the free entries at −N stay as they are.
void place_block(const PsfBlock& where, const std::complex<double>* block, std::complex<double>* half,
                 larmor::cuda::Stream stream);
/// lines[v][shift] for v in [first, first + count): the shifts >= 0 of half[shift][inner], their conjugates
/// at −shift, zeros between.
void hermitian_lines(const std::complex<double>* half, std::int64_t inner, std::int64_t shifts,
                     std::int64_t length, std::int64_t first, std::int64_t count, std::complex<double>* lines,
                     larmor::cuda::Stream stream);
/// spectrum[i] = scale · Re lines[i]
template <typename T>
void real_part(const std::complex<double>* lines, double scale, T* spectrum, std::int64_t n,
               larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
