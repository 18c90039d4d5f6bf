#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/scan_arrays/kspace_array.hpp>

#include <array>
#include <string>

namespace LARMOR_API larmor {

/// What a scan's header says of the image.
struct ScanGrid {
  std::array<Index, 3> matrix{0, 0, 0};  ///< x, y, z; zeros: the samples of a Cartesian scan
  Vec3 fov_mm{0, 0, 0};                  ///< zeros: pixels of 1 mm
  /// Partitions are those of a volume; otherwise steps of a Fourier encoding along bands (BandOptions).
  bool volume = true;
};

/// A scan of k-space and trajectory, as if a file held it: slices, and frames as repetitions. trajectory: of
/// read_trajectory_of(); empty for Cartesian k-space, whose samples lie on the grid with the centre at
/// floor(N/2) and whose lines of zeros were not measured, and where one is to be generated. Readouts lie in
/// the scanner's axes at its centre; when they were measured is not known. Throws Error: usage (about
/// "matrix") without a matrix that is needed, input for more than ISMRMRD's counters hold, and for Cartesian
/// k-space of zeros.
Scan scan_of_arrays(const KspaceArray& kspace, View<const double> trajectory, const ScanGrid& grid,
                    const std::string& source);

/// A scan of a trajectory that nothing was measured along: one channel, whose samples are zero. For whatever
/// needs no samples. trajectory: of read_trajectory_alone(). Throws like scan_of_arrays().
Scan scan_of_trajectory(View<const double> trajectory, const ScanGrid& grid, const std::string& source);

}  // namespace larmor
