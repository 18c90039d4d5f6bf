#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

/// The trajectory of a scan, readout by readout.
struct Trajectory {
  Array<double> k;  ///< [readouts · samples_per_readout, dims], columns x, y(, z), cycles/pixel, Nyquist ±0.5
  Index readouts = 0;
  Index samples_per_readout = 0;
  double dwell_us = 0;  ///< time between samples of a readout; 0 if the trajectory does not determine it
};

enum class SpokeOrder {
  uniform,     ///< spokes evenly spread in the order of their angle
  golden,      ///< each spoke rotated by the golden angle
  tiny_golden  ///< each spoke rotated by a tiny golden angle
};

/// Spokes through the centre of k-space, or from it.
struct RadialOptions {
  Index spokes = 0;
  Index samples = 0;  ///< per spoke; spokes span the diameter of k-space, or the radius when centre_out
  SpokeOrder order = SpokeOrder::golden;
  int tiny_golden_index =
      7;  ///< n of the angle π/(φ + n − 1) (Wundrak et al. 2015); 1 is the golden angle itself
  bool centre_out = false;
};

/// Angle of a spoke in radians: uniform sπ/S, golden sπ/φ, tiny golden sπ/(φ + n − 1); twice that for
/// centre-out spokes, because such a spoke covers one direction only.
double spoke_angle(Index spoke, const RadialOptions& options);

/// Radial lines: k = (r − ⌊R/2⌋)/R along a full spoke, r/(2R) centre-out, r = 0 … R − 1.
/// All generators throw Error (usage) for counts below 1.
Trajectory radial_2d(const RadialOptions& options);

/// Centre-out spokes of a 3D radial scan, k = r/(2R), with directions from the two-dimensional golden means
/// (Chan et al. 2009): z = 2 frac(0.4656 s) − 1, azimuth 2π frac(0.6823 s).
Trajectory kooshball_3d(Index spokes, Index samples);

/// The spokes of radial_2d repeated for kz = (p − ⌊P/2⌋)/P; all partitions of a spoke follow each other.
Trajectory stack_of_stars(const RadialOptions& spokes, Index partitions);

/// The same with partition p rotated by frac(p/φ) of the angle π/S between S even spokes, so that partitions
/// fill each other's gaps; no longer a stack of equal planes.
Trajectory rotated_stack_of_stars(const RadialOptions& spokes, Index partitions);

/// Every point of the Cartesian grid of image_shape, (n − ⌊N/2⌋)/N along each axis; a readout is a line along
/// x.
Trajectory cartesian_points(const Shape& image_shape);

}  // namespace larmor
