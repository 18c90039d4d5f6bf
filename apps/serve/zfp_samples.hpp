#pragma once

#include <larmor/io/mrd_stream/message_reader.hpp>

namespace larmor::app {

/// Decompresses readouts that were compressed with ZFP; empty if this program was built without libzfp.
mrd::Decompress zfp_samples();

}  // namespace larmor::app
