#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/files/atomic_file.hpp>

#include <complex>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// BART's pair of files: NAME.hdr with the dimensions (x first), NAME.cfl with complex floats, x fastest.
/// Functions take the name with or without ".cfl".

/// All dimensions in reverse, leading ones dropped: a coil image with the dimensions "x y 1 coils" is [coils,
/// 1, y, x]. At least 2 axes. Throws Error: input for missing, damaged or short files and more than 8 axes,
/// resource if there is not enough memory.
Array<std::complex<float>> read_cfl(const std::string& path);
/// The same from streams; the second has this many bytes, `name` is for messages.
Array<std::complex<float>> read_cfl(std::istream& header, std::istream& data, std::uint64_t data_bytes,
                                    const std::string& name);

/// The dimensions of a header unchanged, x first. Throws as read_cfl().
std::vector<Index> read_cfl_dimensions(const std::string& path);

/// The array's axes in reverse become the dimensions, at most 16. Throws like AtomicFile.
void write_cfl(const std::string& path, View<const std::complex<float>> array, bool overwrite = false);
/// Numbers with these dimensions, the first one fastest.
void write_cfl(const std::string& path, View<const std::complex<float>> array,
               const std::vector<Index>& dimensions, bool overwrite);

/// Coil maps [(slices,) (sets,) coils, (z,) y, x] in BART's layout: x, y, z in dimensions 0 to 2, coils in 3,
/// sets in 4, slices in 13. volume: there is an axis z. beside: files written together with them.
void write_cfl_maps(const std::string& path, View<const std::complex<float>> maps, bool volume, Index sets,
                    bool overwrite = false, const std::vector<FileBeside>& beside = {});

/// Images with x, y, z in dimensions 0 to 2, coils in 3 and frames in 10 (time). Always complex.
void write_cfl(const std::string& path, const ImageSeries& series, bool overwrite = false);

/// NAME.hdr of NAME or NAME.cfl.
std::string cfl_header_path(const std::string& path);

}  // namespace larmor
