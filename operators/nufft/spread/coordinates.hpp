#pragma once

#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {
namespace nufft {

/// Coordinates in the caller's layout: rows [points][dims] or, if there are none, one column per axis.
/// Multiplied by `scale` they are in cycles.
template <typename T>
struct Coordinates {
  const double* rows = nullptr;
  const T* columns[3] = {};
  double scale = 1;
};

}  // namespace nufft
}  // namespace larmor
