#pragma once

#include <larmor/core/data/scan.hpp>

namespace larmor {

/// Numbers slices by their positions and directions where counters do not tell them apart: readouts of equal
/// counters lie in several places, each of which has several readouts, and repeats encoding steps of another.
/// Adds a note; where places are no slices a warning.
void number_slices_by_place(Scan& scan);

}  // namespace larmor
