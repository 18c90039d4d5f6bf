#pragma once

#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {
namespace nufft {

/// Coordinates as a caller has them, which become cycles when multiplied by `scale`: rows [points][dims], or,
/// where there are none, a column for each axis.
template <typename T>
struct Coordinates {
  const double* rows = nullptr;
  const T* columns[3] = {};
  double scale = 1;
};

}  // namespace nufft
}  // namespace larmor
