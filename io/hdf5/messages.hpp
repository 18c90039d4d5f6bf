#pragma once

namespace larmor {

/// Stops the HDF5 library from printing to stderr for the rest of the process, including its shutdown: after
/// some damaged files it complains about resources that it could not free. For programs that report errors
/// themselves; Larmor's own calls are silent without it.
void silence_hdf5();

}  // namespace larmor
