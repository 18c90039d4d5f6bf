#pragma once

#include <cstdint>

namespace larmor {

/// A part of a phantom, prepared for loops: lengths in fields of view, `re` and `im` are its intensity times
/// the product of its radii.
struct PartValues {
  double re, im;
  double centre[3], radii[3];
  double cosine, sine;  ///< of its rotation about z
  bool gaussian;        ///< or an ellipsoid
};

/// Sums the transforms of ellipsoids in three dimensions at n places u in cycles per field of view.
struct EllipsoidSum {
  const PartValues* parts;
  std::int64_t count;
  const double *x, *y, *z;
  std::int64_t n;
  double *re, *im;
};

}  // namespace larmor
