#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/scan_arrays/kspace_array.hpp>

#include <array>
#include <string>

namespace LARMOR_API larmor {

/// Contents of a scan's header about the image.
struct ScanGrid {
  std::array<Index, 3> matrix{0, 0, 0};  ///< x, y, z; zeros: the samples of a Cartesian scan
  Vec3 fov_mm{0, 0, 0};                  ///< zeros: pixels of 1 mm
  /// Partitions are those of a volume; otherwise steps of a Fourier encoding along bands (BandOptions).
  bool volume = true;
};

/// A scan of k-space and trajectory, as if read from a file: slices, and frames as repetitions. trajectory:
/// from read_trajectory_of(); empty if it is to be generated, and for Cartesian k-space, whose samples are on
/// the grid with the centre at floor(N/2), and whose lines of zeros count as not measured. Readouts are along
/// the scanner's axes, centred at the isocentre; their time stamps are unknown. Throws Error: usage (about
/// "matrix") if a required matrix is missing, input for more than ISMRMRD's counters can hold, and for
/// Cartesian k-space of zeros.
Scan scan_of_arrays(const KspaceArray& kspace, View<const double> trajectory, const ScanGrid& grid,
                    const std::string& source);

/// A scan of a trajectory without measured data: one channel, whose samples are zero, for commands that need
/// no samples. trajectory: from read_trajectory_alone(). Throws like scan_of_arrays().
Scan scan_of_trajectory(View<const double> trajectory, const ScanGrid& grid, const std::string& source);

}  // namespace larmor
