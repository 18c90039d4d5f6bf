#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// K-space given as an array, with its axes in a fixed order.
struct KspaceArray {
  Array<std::complex<float>> samples;  ///< [frames, slices, partitions, coils, readouts, samples]
  bool cartesian = false;              ///< readouts are the lines of a Cartesian scan
  std::vector<std::string> axes;       ///< as in the file, slowest first
};

/// Reads k-space from .npy or .cfl. axes: names of its axes, slowest first, from frames, slices, partitions,
/// coils, readouts (or spokes; lines of a Cartesian scan), samples, and pair for real and imaginary parts.
/// Empty: the last ones of frames, coils, readouts, samples, where coils come before readouts, and pair if
/// the numbers are real and the last axis has two; a .cfl file has BART's dimensions: samples 1, readouts 2,
/// coils 3, frames 10, slices 13, or Cartesian lines along dimension 0 with phase encodings 1 and 2; with a
/// trajectory these are readouts stored without a leading dimension. Throws Error: usage (about
/// "kspace_axes") for names that are unknown, repeated, or not as many as axes, input for files that cannot
/// be k-space.
KspaceArray read_kspace(const std::string& path, const std::vector<std::string>& axes = {},
                        bool with_trajectory = false);

/// The same for an array in memory, with axes as for read_kspace(). source: for messages.
KspaceArray kspace_of_array(Array<std::complex<float>> array, std::vector<std::string> axes,
                            const std::string& source);

/// Reads its trajectory: [frames or 1, slices or 1, partitions or 1, readouts, samples, dims], dims 2 or 3.
/// In the file the axes are in k-space's order, without coils, and kx, ky(, kz) are the first or the last
/// axis; frames, slices and partitions may be omitted, and [all samples, dims] is accepted too. In a .cfl
/// file the layout is BART's: kx, ky, kz in dimension 0. A third coordinate that is zero everywhere is
/// dropped. Throws Error (input, about "trajectory").
Array<double> read_trajectory_of(const KspaceArray& kspace, const std::string& path);

/// The same for an array in memory.
Array<double> trajectory_of_array(const KspaceArray& kspace, Array<double> array, const std::string& source);

/// The same for a trajectory without k-space: [(frames,) (readouts,) samples, dims] with kx, ky(, kz) last or
/// first, the dimensions of BART, or a Pulseq sequence (.seq).
Array<double> read_trajectory_alone(const std::string& path);

}  // namespace larmor
