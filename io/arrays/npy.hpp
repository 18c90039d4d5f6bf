#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/io/files/atomic_file.hpp>

#include <cstdint>
#include <istream>
#include <string>

namespace larmor {

/// Reads a NumPy array (format versions 1 to 3, either byte order, C or Fortran order; the result is
/// row-major). T: float, double, complex<float> or complex<double>. Files of bool, integers, float16 to
/// float64, complex64 and complex128 are converted. Throws Error: input for other files, damaged ones, and
/// complex files with real T; resource if there is not enough memory.
template <typename T>
Array<T> read_npy(const std::string& path);
/// The same from a stream of this many bytes; `name` is for messages.
template <typename T>
Array<T> read_npy(std::istream& file, std::uint64_t bytes, const std::string& name);

/// Writes a NumPy array in C order, little-endian; T as above. Throws like AtomicFile.
template <typename T>
void write_npy(const std::string& path, View<const T> array, bool overwrite = false);
/// The same, with further files written together with it.
void write_npy(const std::string& path, View<const std::complex<float>> array, bool overwrite,
               const std::vector<FileBeside>& beside);

/// Writes images as [(frames,) (coils,) (z,) y, x]: axes of length 1 are dropped, frames are in the order of
/// the series. magnitude and phase are float32, complex is complex64.
void write_npy(const std::string& path, const ImageSeries& series, bool overwrite = false);

}  // namespace larmor
