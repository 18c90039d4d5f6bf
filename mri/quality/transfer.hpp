#pragma once

#include <larmor/core/export.hpp>

#include <limits>
#include <vector>

namespace LARMOR_API larmor {

/// Fraction of an object that is recovered in its image, by spatial frequency.
struct Transfer {
  /// Loss without noise and other components independent of the object: ‖t X − X‖/‖X‖ for a transfer t of the
  /// object's spectrum X.
  double bias = std::numeric_limits<double>::quiet_NaN();
  /// In pixels: 1/r where the transfer falls to half of its value at the centre of k-space, at a radius r of
  /// which 1 is the edge of the longest axis; if it does not, r is the extent of the object's spectrum.
  double resolution = std::numeric_limits<double>::quiet_NaN();
};

/// Sums over a shell of k-space, two cells wide, of an object X and its image x.
struct ShellTransfer {
  double power = 0, common = 0;  ///< ‖X‖², Re⟨X, x⟩
};
/// From the centre outwards; the first to_edge shells reach to the edge of the longest axis.
Transfer transfer_of_shells(const std::vector<ShellTransfer>& shells, double to_edge);

}  // namespace larmor
