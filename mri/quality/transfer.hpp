#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <limits>
#include <vector>

namespace LARMOR_API larmor {

/// How much of an object comes through to its image, by spatial frequency.
struct Transfer {
  /// What is lost where noise, and whatever else does not follow the object, is left out: ‖t X − X‖/‖X‖ for a
  /// transfer t of the object's spectrum X.
  double bias = std::numeric_limits<double>::quiet_NaN();
  /// In pixels: 1/r where the transfer falls to half of what it is at the centre of k-space, at a radius r of
  /// which 1 is the edge of the longest axis; where it does not, r is as far as the object goes.
  double resolution = std::numeric_limits<double>::quiet_NaN();
};

/// Sums over a shell of k-space, two cells wide, of an object X and its image x.
struct ShellTransfer {
  double power = 0, common = 0;  ///< ‖X‖², Re⟨X, x⟩
};
/// From the centre outwards; to_edge of them reach to the edge of the longest axis.
Transfer transfer_of_shells(const std::vector<ShellTransfer>& shells, double to_edge);

/// Of x, which a reconstruction made of `image`, both [outer…, (z,) y, x] with `dims` axes of space. The
/// transfer of a shell of k-space, two cells wide, is the factor with which x is nearest to the image there.
template <typename T>
Transfer transfer_of(View<const std::complex<T>> x, std::type_identity_t<View<const std::complex<T>>> image,
                     int dims, Context& ctx);

}  // namespace larmor
