#pragma once

#include <larmor/core/data/scan.hpp>

namespace larmor {

/// Numbers slices by their positions and directions if counters do not distinguish them: readouts with equal
/// counters have several positions, each of which has several readouts, and repeats encoding steps of
/// another. Adds a note; if positions are not slices, a warning.
void number_slices_by_place(Scan& scan);

}  // namespace larmor
