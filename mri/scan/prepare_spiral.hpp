#pragma once

#include <larmor/core/data/scan.hpp>

#include <vector>

namespace larmor {

/// One interleaf of the variable-density spiral given by a HargreavesVDS2000 trajectoryDescription (Lee,
/// Hargreaves et al. 2003), [samples][2] in cycles/cm from the centre to krmax. Throws Error (input, about
/// "trajectory") if a parameter is missing or out of range.
std::vector<double> hargreaves_spiral(const Encoding& encoding);

}  // namespace larmor
