#pragma once

namespace larmor {

/// Stops the HDF5 library from printing to stderr for the rest of the process, also while it closes down:
/// after some damaged files it complains about what it could not free. For programs that report errors
/// themselves; Larmor's own calls are silent without it.
void silence_hdf5();

}  // namespace larmor
